"""The talk with an engine during one fit: passes and rounds, counted and shown."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import joblib

from thresher._utils.journal import Journal, make_folder
from thresher._utils.progress import report
from thresher.blocks._protocol import Engine, Packed, Progress, RowBlock

T = TypeVar("T")
# Seconds after which a pass or a round that is not over yet is shown.
PATIENCE = 2.0
# Parameters that do not change an answer.
_UNIMPORTANT = ("n_jobs", "verbose", "memory_limit")


class Session:
    """Asks an engine on behalf of a selector.

    A search is a function of its answers. So a fit with a checkpoint that starts again reads and packs its rows, takes
    the answers that the journal has, and asks for the rest: the result has the same bytes.

    Attributes
    ----------
    n_passes : int
        Readings of all rows.
    n_rounds : int
        Questions to the packed blocks.
    """

    def __init__(self, engine: Engine, owner: Any, checkpoint: str | Path | None = None) -> None:
        self.engine = engine
        self.owner = owner
        self._folder = None if checkpoint is None else make_folder("checkpoint", checkpoint)
        self._journal: Journal | None = None
        self.n_passes = 0
        self.n_rounds = 0

    def read(self, purpose: str, task: Callable[[int, RowBlock], T]) -> list[T]:
        """A pass: what the task says of each block."""
        self.n_passes += 1
        return self.engine.read(task, self._progress(f"pass {self.n_passes}, {purpose}"))

    def pack(self, task: Callable[[int, RowBlock], tuple[Packed, T]]) -> list[T]:
        """The pass that packs; its receipts."""
        self.n_passes += 1
        return self.engine.pack(task, self._progress(f"pass {self.n_passes}, packing"))

    def ask(self, task: Callable[[Any], Any], add: Callable[[Any, Any], Any]) -> Any:
        """A round, unless its answer was written down before."""
        self.n_rounds += 1
        journal = self._journal
        if journal is None:
            return self._ask(task, add)
        # Measures that pack the rows anew may ask the same of other codes, hence the number.
        key = f"{self.n_rounds} {type(task).__name__} {joblib.hash(vars(task))}"
        answer = journal.get(key)
        if answer is None:
            answer = self._ask(task, add)
            journal.append(key, answer)
        return answer

    def _ask(self, task: Callable[[Any], Any], add: Callable[[Any, Any], Any]) -> Any:
        return self.engine.ask(task, add, self._progress(f"round {self.n_rounds}", is_short=True))

    def packed(self, parts: Any, blocks: list[tuple[int, int]]) -> None:
        """Take up the answers that were written down of these blocks, given by their rows and fingerprints."""
        if self._folder is None:
            return
        parameters = {
            name: value
            for name, value in self.owner.get_params(deep=True).items()
            if name.rpartition("__")[2] not in _UNIMPORTANT
        }
        identity = {
            "selector": type(self.owner).__name__,
            "parameters": joblib.hash([parameters, parts]),
            "data": joblib.hash([list(block) for block in blocks]),
        }
        self._close_journal()
        self._journal = Journal(self._folder / "rounds.log", identity=identity, kind="checkpoint")

    def close(self) -> None:
        self.engine.close()
        self._close_journal()

    def _close_journal(self) -> None:
        if self._journal is not None:
            self._journal.close()

    def _progress(self, label: str, *, is_short: bool = False) -> Progress:
        """Reports how many blocks are done: at the end of a pass, and now and then while it takes long."""
        last = time.monotonic()

        def show(done: int, total: int) -> None:
            nonlocal last
            now = time.monotonic()
            if now - last > PATIENCE or (done == total and not is_short):
                last = now
                report(self.owner, "%s: %d of %d blocks", label, done, total)

        return show

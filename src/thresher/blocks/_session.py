"""The talk with an engine during one fit: passes and rounds, counted and shown."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from thresher._progress import report
from thresher.blocks._checkpoint import Checkpoint
from thresher.blocks._protocol import Engine, Packed, Progress, RowBlock

T = TypeVar("T")
# Seconds after which a pass or a round that is not over yet is shown.
PATIENCE = 2.0


class Session:
    """Asks an engine on behalf of a selector.

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
        self._checkpoint = None if checkpoint is None else Checkpoint(checkpoint)
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
        log = self._checkpoint
        answer = None if log is None else log.recall(task)
        if answer is None:
            label = f"round {self.n_rounds}"
            answer = self.engine.ask(task, add, self._progress(label, is_short=True))
            if log is not None:
                log.note(task, answer)
        return answer

    def packed(self, parts: Any, blocks: list[tuple[int, int]]) -> None:
        """Take up the answers that were written down of these blocks, given by their rows and fingerprints."""
        if self._checkpoint is not None:
            self._checkpoint.begin(self.owner, parts, blocks)

    def close(self) -> None:
        self.engine.close()
        if self._checkpoint is not None:
            self._checkpoint.close()

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

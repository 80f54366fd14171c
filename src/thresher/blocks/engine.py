"""What an execution backend of blocks of rows provides, and the session of one fit with it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

import joblib
import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from thresher._utils.journal import Journal, make_folder
from thresher._utils.progress import report
from thresher.data import column_names

T = TypeVar("T")
# Whole counts, or sums in double-double; two of them add.
Answer = npt.NDArray[np.int64] | npt.NDArray[np.float64]
# How many blocks of how many are done.
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class RowBlock:
    """Some rows as the engine has them: nothing is checked or converted yet.

    Attributes
    ----------
    X : dataframe, ndarray or sparse matrix
        All features, in the same order in every block; perhaps no rows.
    y : one-dimensional array-like or None
    weights : one-dimensional array-like or None
    """

    X: Any
    y: Any = None
    weights: Any = None


class Packed(Protocol):
    """A block after packing: small, and ready to be asked. Can be pickled, or kept in a file."""

    def save(self, path: Path) -> None:
        """Into a file or a folder of that name, which does not exist yet."""

    @classmethod
    def open(cls, path: Path) -> Self:
        """The block in that file, mapped rather than read where that is possible."""


# What gives all values of a column in one place.
WHOLE_COLUMNS = "rows in memory, or files with a larger memory_limit and without checkpoint"


class Engine(Protocol):
    """Blocks of rows, numbered from 0 in the order of the rows, and who works on them."""

    @property
    def names(self) -> Sequence[str] | None:
        """Names of the features, if they have any; known without reading rows."""

    @property
    def n_features(self) -> int | None:
        """Their number; None where rows would have to be read to know it."""

    def read(self, task: Callable[[int, RowBlock], T], progress: Progress) -> list[T]:
        """One reading of all rows: what the task says of each block, in their order."""

    def pack(
        self, task: Callable[[int, RowBlock], tuple[Packed, T]], progress: Progress
    ) -> list[T]:
        """One reading that leaves a packed block beside its rows; what else the task says comes back."""

    def ask(
        self,
        task: Callable[[Packed], Answer],
        add: Callable[[Answer, Answer], Answer],
        progress: Progress,
    ) -> Answer:
        """A round: the sum of the answers of all packed blocks, each counted once."""

    def close(self) -> None:
        """Let go of the packed blocks and of temporary files."""


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


def split_columns(frame: Any, y: Any = None, sample_weight: Any = None) -> RowBlock:
    """The rows of a frame, with target and weights taken out of it where they are given by name."""
    named = column_names(list(nw.from_native(frame, eager_only=True).columns), y, sample_weight)
    if not named:
        return RowBlock(frame, y, sample_weight)
    table = nw.from_native(frame, eager_only=True)
    columns = {parameter: table[name].to_native() for parameter, name in named.items()}
    X = table.drop(list(named.values())).to_native()
    return RowBlock(X, columns.get("y", y), columns.get("sample_weight", sample_weight))

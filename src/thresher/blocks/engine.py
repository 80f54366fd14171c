"""Execution backends of blocks of rows: what they provide, the session of one fit, and those of this process.

A backend (a Dask cluster, Spark, a list in memory) runs functions next to its blocks of rows and returns small
results. It knows nothing of features: a task is a function that can be pickled and gives the same result each time,
so that a backend may run it again.
"""

from __future__ import annotations

import platform
import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

import joblib
import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from thresher._utils.journal import Journal, make_folder
from thresher._utils.long_calls import report
from thresher._utils.types import DataLike, TargetLike, WeightsLike
from thresher.data import bytes_for_one_column, column_names, one_dimensional
from thresher.io.table import FileColumns
from thresher.io.temporary import MappedFolders, Scratch, disk_full_error

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

    X: DataLike
    y: TargetLike = None
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


def split_columns(frame: Any, y: TargetLike = None, sample_weight: WeightsLike = None) -> RowBlock:
    """The rows of a frame, with target and weights taken out of it where they are given by name."""
    named = column_names(list(nw.from_native(frame, eager_only=True).columns), y, sample_weight)
    if not named:
        return RowBlock(frame, y, sample_weight)
    table = nw.from_native(frame, eager_only=True)
    columns = {parameter: table[name].to_native() for parameter, name in named.items()}
    X = table.drop(list(named.values())).to_native()
    return RowBlock(X, columns.get("y", y), columns.get("sample_weight", sample_weight))


class LocalEngine(ABC):
    """What engines whose packed blocks are in this process share: they bring `names`, `n_features` and `read`."""

    _packed: list[Any]

    @property
    @abstractmethod
    def names(self) -> list[str] | None: ...

    @property
    @abstractmethod
    def n_features(self) -> int: ...

    @abstractmethod
    def read(self, task: Callable[[int, RowBlock], T], progress: Progress) -> list[T]: ...

    def pack(
        self, task: Callable[[int, RowBlock], tuple[Packed, T]], progress: Progress
    ) -> list[T]:
        packed, receipts = zip(*self.read(task, progress), strict=True)
        self._packed = list(packed)
        return list(receipts)

    def ask(
        self,
        task: Callable[[Packed], Answer],
        add: Callable[[Answer, Answer], Answer],
        progress: Progress,
    ) -> Answer:
        total: Answer | None = None
        for number, block in enumerate(self._packed):
            answer = task(block)
            total = answer if total is None else add(total, answer)
            progress(number + 1, len(self._packed))
        if total is None:
            raise RuntimeError("nothing was packed, so nothing can be asked")
        return total

    def close(self) -> None:
        self._packed = []


class ListEngine(LocalEngine):
    """An engine of blocks in a list.

    Parameters
    ----------
    blocks : iterable of RowBlock
        At least one.
    """

    def __init__(self, blocks: Iterable[RowBlock]) -> None:
        self._blocks = list(blocks)
        if not self._blocks:
            raise ValueError("there is no block of rows; give at least one, be it empty")
        self._packed: list[Packed] = []

    @property
    def names(self) -> list[str] | None:
        X = self._blocks[0].X
        frame = nw.from_native(X, eager_only=True, pass_through=True)
        return list(frame.columns) if isinstance(frame, nw.DataFrame) else None

    @property
    def n_features(self) -> int:
        return int(np.shape(self._blocks[0].X)[1])

    def read(self, task: Callable[[int, RowBlock], T], progress: Progress) -> list[T]:
        found = []
        for number, block in enumerate(self._blocks):
            found.append(task(number, block))
            progress(number + 1, len(self._blocks))
        return found


# Of the memory limit: a block as it is read, and as numbers beside it.
_BLOCK_SHARE = 4


class TallFiles(LocalEngine):
    """An engine of the rows of files, some row groups at a time; packed blocks are mapped files without a name.

    Parameters
    ----------
    files : FileColumns
    y, sample_weight : str, array-like or None
        Names of columns, or one value per row.
    scratch : Scratch
    only_blocks : bool
        Whether rows are read in blocks also where the memory limit is large enough for columns.
    """

    def __init__(
        self,
        files: FileColumns,
        y: TargetLike,
        sample_weight: WeightsLike,
        scratch: Scratch,
        only_blocks: bool,
    ) -> None:
        self._files, self._scratch, self._only_blocks = files, scratch, only_blocks
        self._columns = list(files.kinds)
        named = column_names(self._columns, y, sample_weight)
        self._features = [name for name in self._columns if name not in named.values()]
        self._y = self._checked("y", y)
        self._weights = self._checked("sample_weight", sample_weight)
        self._packed: list[Packed] = []
        self._folders = MappedFolders(scratch.folder)
        weakref.finalize(self, _release, self._packed, self._folders)

    def _checked(self, parameter: str, given: Any) -> Any:
        if given is None or isinstance(given, str):
            return given
        values = one_dimensional(given, parameter)
        if len(values) != self._files.n_rows:
            raise ValueError(
                f"X and {parameter} must have the same number of samples, got {self._files.n_rows} and {len(values)} "
                "(inconsistent numbers of samples)"
            )
        return values

    @property
    def names(self) -> list[str]:
        return self._features

    @property
    def n_features(self) -> int:
        return len(self._features)

    def read(self, task: Callable[[int, RowBlock], T], progress: Progress) -> list[T]:
        found: list[T] = []
        n_done = 0
        for piece in self._pieces():
            rows = slice(n_done, n_done + piece.num_rows)
            y, weights = (
                given if given is None or isinstance(given, str) else given[rows]
                for given in (self._y, self._weights)
            )
            found.append(task(len(found), split_columns(piece, y, weights)))
            n_done = rows.stop
            # How many blocks follow is known when they have been read; until then they count as large as this one.
            left = -(-(self._files.n_rows - n_done) // max(1, piece.num_rows))
            progress(len(found), len(found) + left)
        return found

    def _pieces(self) -> Iterator[Any]:
        import pyarrow as pa

        pieces = self._files.read(self._columns)
        for piece in pieces:
            if piece.nbytes * _BLOCK_SHARE > self._scratch.memory_limit:
                raise self._too_large(max(piece.nbytes, *(more.nbytes for more in pieces), 0))
            yield piece if isinstance(piece, pa.Table) else pa.Table.from_batches([piece])

    def _too_large(self, n_bytes: int) -> ValueError:
        """Return the error about row groups of which the largest takes `n_bytes`, with the limit that is enough."""
        enough = n_bytes * _BLOCK_SHARE
        if not self._only_blocks:
            enough = min(enough, bytes_for_one_column(self._files.n_rows))
        return ValueError(
            f"X has a row group that takes {n_bytes * _BLOCK_SHARE} bytes while it is read, more than "
            f"memory_limit={self._scratch.memory_limit}. Set memory_limit={enough}, or write smaller row groups"
        )

    def pack(
        self, task: Callable[[int, RowBlock], tuple[Packed, T]], progress: Progress
    ) -> list[T]:
        def kept(number: int, block: RowBlock) -> T:
            packed, receipt = task(number, block)
            self._packed.append(self._mapped(packed))
            return receipt

        self.close()
        return self.read(kept, progress)

    def _mapped(self, packed: Packed) -> Packed:
        """Map the block from files that are removed with the map or before it."""
        try:
            path = self._folders.new() / "block"
            packed.save(path)
            return type(packed).open(path)
        except OSError as error:
            raise disk_full_error(error, self._scratch.folder) from None
        finally:
            self._folders.close()

    def close(self) -> None:
        _release(self._packed, self._folders)


def _release(packed: list[Packed], folders: MappedFolders) -> None:
    packed.clear()
    folders.close()


def versions_here() -> tuple[str, str]:
    """Those of Python and of thresher."""
    import thresher

    return ".".join(platform.python_version_tuple()[:2]), thresher.__version__


def check_versions(wanted: tuple[str, str], kind: str) -> None:
    """Refuse to work for a process with other versions; `kind` says whose worker this is."""
    here = versions_here()
    if here != wanted:
        raise RuntimeError(
            f"a {kind} worker has Python {here[0]} and thresher {here[1]}, but fit was called from Python "
            f"{wanted[0]} and thresher {wanted[1]}; install the same versions on all of them"
        )

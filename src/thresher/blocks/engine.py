"""Execution backends of blocks of rows: what they provide, the session of one fit, and those of this process.

A backend (a Dask cluster, Spark, a list in memory) runs functions next to its blocks of rows and returns small
results. It knows nothing of features: a task is a function that can be pickled and gives the same result each time,
so that a backend may run it again.
"""

from __future__ import annotations

import platform
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeAlias, TypeVar

import joblib
import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from thresher._utils.journal import Journal, make_folder
from thresher._utils.long_calls import report
from thresher._utils.types import Array, DataLike, Estimator, Floats, TargetLike, WeightsLike
from thresher.data import bytes_for_one_column, column_names, one_dimensional, separate_columns
from thresher.io.table import FileColumns
from thresher.io.temporary import MappedFolders, TemporaryStore, disk_full_error

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar("T")
Counts: TypeAlias = npt.NDArray[np.int64]
# The result of a request: counts, or sums in double-double. Results of two blocks add up.
R = TypeVar("R", Counts, Floats)
# Called with the number of blocks done and the number of all blocks.
Progress: TypeAlias = Callable[[int, int], None]


@dataclass(frozen=True)
class RowBlock:
    """Some rows as the backend has them, neither checked nor converted yet.

    Attributes
    ----------
    X : dataframe, ndarray or sparse matrix
        All features, in the same order in every block. There may be no rows.
    y : one-dimensional array-like or None
        The target.
    weights : one-dimensional array-like or None
        One weight per row.
    """

    X: DataLike
    y: TargetLike = None
    weights: WeightsLike = None


class Packed(Protocol):
    """A block after packing, small enough to serve many requests. It can be pickled or saved."""

    def save(self, path: Path) -> None:
        """Write the block to a new file or folder of that name."""

    @classmethod
    def open(cls, path: Path) -> Self:
        """Return the block in that file, memory-mapped where possible."""


# Tasks run on one block. A ReadTask returns a result, a PackTask a packed block and a result. A RequestTask takes a
# packed block of the backend that runs it.
ReadTask: TypeAlias = Callable[[int, RowBlock], T]
PackTask: TypeAlias = Callable[[int, RowBlock], tuple[Packed, T]]
RequestTask: TypeAlias = Callable[[Any], T]
Add: TypeAlias = Callable[[T, T], T]


# The inputs with all values of a column in one process.
WHOLE_COLUMNS = "rows in memory, or files with a larger memory_limit and no checkpoint"


class Engine(Protocol):
    """An execution backend: blocks of rows, numbered from 0 in the order of the rows, and what runs tasks on them."""

    @property
    def names(self) -> Sequence[str] | None:
        """Names of the features, known before rows are read; None without names."""

    @property
    def n_features(self) -> int | None:
        """The number of features; None where it is known only after reading rows."""

    def read(self, task: ReadTask[T], progress: Progress) -> list[T]:
        """Read all rows once and return the result of the task for each block, in order."""

    def pack(self, task: PackTask[T], progress: Progress) -> list[T]:
        """Read all rows once, store the packed blocks next to their rows and return the other results."""

    def request(self, task: RequestTask[R], add: Add[R], progress: Progress) -> R:
        """Return the sum of the results of all packed blocks; each block counts once."""

    def close(self) -> None:
        """Release the packed blocks and remove temporary files."""


# Seconds between two reports of a pass or a request.
REPORT_INTERVAL = 2.0
# Parameters that do not change a result.
_WITHOUT_EFFECT = ("n_jobs", "verbose", "memory_limit")


class Session:
    """One fit with an execution backend: its passes, its request rounds and their journal.

    A search depends on the results of its requests only. So a fit that resumes from a checkpoint reads and packs the
    rows, takes stored results from the journal and requests the others. The fitted attributes have the same bytes.

    Attributes
    ----------
    n_passes : int
        How often all rows were read.
    n_rounds : int
        How many requests the packed blocks served.
    """

    def __init__(
        self, engine: Engine, owner: Estimator, checkpoint: str | Path | None = None
    ) -> None:
        self.engine = engine
        self.owner = owner
        self._folder = None if checkpoint is None else make_folder("checkpoint", checkpoint)
        self._journal: Journal | None = None
        self.n_passes = 0
        self.n_rounds = 0

    def read(self, purpose: str, task: ReadTask[T]) -> list[T]:
        """Run a pass and return the result of the task for each block."""
        self.n_passes += 1
        return self.engine.read(task, self._progress(f"pass {self.n_passes}, {purpose}"))

    def pack(self, task: PackTask[T]) -> list[T]:
        """Run the pass that packs and return the summary of each block."""
        self.n_passes += 1
        return self.engine.pack(task, self._progress(f"pass {self.n_passes}, packing"))

    def request(self, task: RequestTask[R], add: Add[R]) -> R:
        """Return the result of a request round, from the journal if it is there."""
        self.n_rounds += 1
        progress = self._progress(f"round {self.n_rounds}", is_short=True)
        if self._journal is None:
            return self.engine.request(task, add, progress)
        # Measures that pack the rows again may repeat a request for other codes, hence the number.
        key = f"{self.n_rounds} {type(task).__name__} {joblib.hash(vars(task))}"
        stored: R | None = self._journal.get(key)
        if stored is not None:
            return stored
        result = self.engine.request(task, add, progress)
        self._journal.append(key, result)
        return result

    def open_journal(self, parts: object, blocks: list[tuple[int, int]]) -> None:
        """Open the journal of these blocks, identified by their numbers of rows and fingerprints."""
        if self._folder is None:
            return
        parameters = {
            name: value
            for name, value in self.owner.get_params(deep=True).items()
            if name.rpartition("__")[2] not in _WITHOUT_EFFECT
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
        """Return a function that reports finished blocks: at the end of a pass, and at intervals during a long one."""
        last = time.monotonic()

        def show(done: int, total: int) -> None:
            nonlocal last
            now = time.monotonic()
            if now - last > REPORT_INTERVAL or (done == total and not is_short):
                last = now
                report(self.owner, "%s: %d of %d blocks", label, done, total)

        return show


def split_columns(
    frame: DataLike, y: TargetLike = None, sample_weight: WeightsLike = None
) -> RowBlock:
    """Return the rows of a frame as a block, with target and weights moved out of X if they are named."""
    return RowBlock(*separate_columns(frame, y, sample_weight))


def check_packed(blocks: Sized) -> None:
    """Raise if there are no packed blocks."""
    if not len(blocks):
        raise RuntimeError("no blocks are packed. Call pack before request")


def counted(items: Iterable[T], total: int, progress: Progress) -> Iterator[T]:
    """Yield the items, one per block, and report progress before the next one."""
    for done, item in enumerate(items, start=1):
        yield item
        progress(done, total)


class LocalEngine(Engine):
    """A backend with packed blocks in this process. Subclasses define `names`, `n_features` and `read`."""

    _packed: list[Packed]

    def pack(self, task: PackTask[T], progress: Progress) -> list[T]:
        packed, summaries = zip(*self.read(task, progress), strict=True)
        self._packed = list(packed)
        return list(summaries)

    def request(self, task: RequestTask[R], add: Add[R], progress: Progress) -> R:
        check_packed(self._packed)
        return reduce(add, counted(map(task, self._packed), len(self._packed), progress))

    def close(self) -> None:
        self._packed = []


class ListEngine(LocalEngine):
    """The backend of blocks in a list.

    Parameters
    ----------
    blocks : iterable of RowBlock
        At least one.
    """

    def __init__(self, blocks: Iterable[RowBlock]) -> None:
        self._blocks = list(blocks)
        if not self._blocks:
            raise ValueError("there are no blocks of rows. Pass at least one, which may be empty")
        self._packed = []

    @property
    def names(self) -> list[str] | None:
        X = self._blocks[0].X
        frame = nw.from_native(X, eager_only=True, pass_through=True)
        return list(frame.columns) if isinstance(frame, nw.DataFrame) else None

    @property
    def n_features(self) -> int:
        return int(np.shape(self._blocks[0].X)[1])

    def read(self, task: ReadTask[T], progress: Progress) -> list[T]:
        blocks = counted(self._blocks, len(self._blocks), progress)
        return [task(number, block) for number, block in enumerate(blocks)]


# The memory limit covers a block as read and its numbers, so a block may take this fraction (1/4) of it.
_BLOCK_SHARE = 4


class TallFiles(LocalEngine):
    """The backend of the rows of files, read some row groups at a time. Packed blocks are memory-mapped.

    Parameters
    ----------
    files : FileColumns
    y, sample_weight : str, array-like or None
        Names of columns, or one value per row.
    scratch : TemporaryStore
    only_blocks : bool
        Whether to read rows in blocks even where the memory limit is large enough for columns.
    """

    def __init__(
        self,
        files: FileColumns,
        y: TargetLike,
        sample_weight: WeightsLike,
        scratch: TemporaryStore,
        only_blocks: bool,
    ) -> None:
        self._files, self._scratch, self._only_blocks = files, scratch, only_blocks
        self._columns = list(files.kinds)
        named = column_names(self._columns, y, sample_weight)
        self._features = [name for name in self._columns if name not in named.values()]
        self._y = self._checked("y", y)
        self._weights = self._checked("sample_weight", sample_weight)
        self._packed = []
        self._folders = MappedFolders(scratch.folder)
        weakref.finalize(self, _release, self._packed, self._folders)

    def _checked(self, parameter: str, given: TargetLike) -> str | Array | None:
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

    def read(self, task: ReadTask[T], progress: Progress) -> list[T]:
        results: list[T] = []
        n_done = 0
        for piece in self._pieces():
            rows = slice(n_done, n_done + piece.num_rows)
            y, weights = (
                given if given is None or isinstance(given, str) else given[rows]
                for given in (self._y, self._weights)
            )
            results.append(task(len(results), split_columns(piece, y, weights)))
            n_done = rows.stop
            # The number of further blocks is unknown. Assume that they are as large as this one.
            left = -(-(self._files.n_rows - n_done) // max(1, piece.num_rows))
            progress(len(results), len(results) + left)
        return results

    def _pieces(self) -> Iterator[pa.Table]:
        import pyarrow as pa

        pieces = self._files.read(self._columns)
        for piece in pieces:
            if piece.nbytes * _BLOCK_SHARE > self._scratch.memory_limit:
                raise self._too_large(max(piece.nbytes, *(more.nbytes for more in pieces), 0))
            yield piece if isinstance(piece, pa.Table) else pa.Table.from_batches([piece])

    def _too_large(self, n_bytes: int) -> ValueError:
        """Return the error for row groups of up to `n_bytes`, with a sufficient limit."""
        enough = n_bytes * _BLOCK_SHARE
        if not self._only_blocks:
            enough = min(enough, bytes_for_one_column(self._files.n_rows))
        return ValueError(
            f"reading a row group of X takes {n_bytes * _BLOCK_SHARE} bytes, more than "
            f"memory_limit={self._scratch.memory_limit}. Set memory_limit={enough}, or write smaller row groups"
        )

    def pack(self, task: PackTask[T], progress: Progress) -> list[T]:
        def store(number: int, block: RowBlock) -> T:
            packed, summary = task(number, block)
            self._packed.append(self._map(packed))
            return summary

        self.close()
        return self.read(store, progress)

    def _map(self, packed: Packed) -> Packed:
        """Return the block mapped from a file, which is removed no later than the map."""
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
    """Return the versions of Python and thresher."""
    import thresher

    return ".".join(platform.python_version_tuple()[:2]), thresher.__version__


def check_versions(wanted: tuple[str, str], kind: str) -> None:
    """Raise if this worker, of Dask or Spark, has other versions than the process that called `fit`."""
    here = versions_here()
    if here != wanted:
        raise RuntimeError(
            f"a {kind} worker has Python {here[0]} and thresher {here[1]}, but fit was called from Python "
            f"{wanted[0]} and thresher {wanted[1]}. Install the same versions everywhere"
        )

"""Blocks of rows in this process: a list of blocks, and row groups of files."""

from __future__ import annotations

import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import narwhals.stable.v2 as nw
import numpy as np

from thresher.blocks.engine import Answer, Packed, Progress, RowBlock, split_columns
from thresher.data import bytes_for_one_column, column_names, one_dimensional
from thresher.io.file_columns import FileColumns
from thresher.io.temporary import MappedFolders, Scratch, no_room

T = TypeVar("T")


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
        self, files: FileColumns, y: Any, sample_weight: Any, scratch: Scratch, only_blocks: bool
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
            raise no_room(error, self._scratch.folder) from None
        finally:
            self._folders.close()

    def close(self) -> None:
        _release(self._packed, self._folders)


def _release(packed: list[Packed], folders: MappedFolders) -> None:
    packed.clear()
    folders.close()

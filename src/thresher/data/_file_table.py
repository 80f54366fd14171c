"""A table whose rows are in files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher._utils.caching import cached
from thresher.data._columns import Names
from thresher.data._table import ColumnScan, Table
from thresher.io.temporary import Scratch

# A slab of features, and its rows.
Slabs = Callable[[], Iterator[tuple[slice, Table]]]


class FileTable(Table):
    """A table of which some columns at a time are in memory.

    Whoever can, goes through `slabs`. All else get `matrix`, which is a mapped file: one more reading, if the columns
    were not kept when they were first read.

    Parameters
    ----------
    slabs : callable
        A reading of all slabs.
    names : ndarray of object
    is_category : ndarray of bool
    shape : (n_rows, n_features)
    dtype : dtype
        Of the columns as numbers.
    scratch : Scratch
    n_threads : int
    """

    def __init__(
        self,
        slabs: Slabs,
        names: Names | None,
        is_category: npt.NDArray[np.bool_],
        shape: tuple[int, int],
        dtype: np.dtype[Any],
        scratch: Scratch,
        n_threads: int,
    ) -> None:
        self.names, self.is_category, self.n_threads = names, is_category, n_threads
        self.scratch = scratch
        self._slabs, self._shape, self._dtype = slabs, shape, dtype
        # Codes that were made while the files were read, and by which rule.
        self.packed: tuple[Any, Any] | None = None

    @property
    def n_rows(self) -> int:
        return self._shape[0]

    @property
    def n_features(self) -> int:
        return self._shape[1]

    @property
    def is_sparse(self) -> bool:
        return False

    @property
    def matrix(self) -> npt.NDArray[Any]:
        return self._columns.T

    @cached
    def _columns(self) -> npt.NDArray[Any]:
        return self.keep(table for _, table in self._slabs())

    def keep(self, tables: Iterator[Table]) -> npt.NDArray[Any]:
        """All columns in a file, each as a row of one mapped array."""
        file = self.scratch.file()
        for table in tables:
            file.write(np.ascontiguousarray(table.matrix.T))
        columns = file.array(self._dtype, (self.n_features, self.n_rows))
        vars(self)["_columns"] = columns
        return columns

    def slabs(self) -> Iterator[tuple[slice, Table]]:
        """Features in slabs, from the mapped file if there is one."""
        if "_columns" not in vars(self):
            yield from self._slabs()
            return
        width = max(1, self.scratch.memory_limit // 64 // max(1, self.n_rows))
        for begin in range(0, self.n_features, width):
            slab = slice(begin, min(begin + width, self.n_features))
            yield slab, self.of_features(slab)

    def look(self, slabs: Iterator[tuple[slice, Table]]) -> Iterator[tuple[slice, Table]]:
        """Pass slabs through and note what their scans say."""
        found: dict[str, npt.NDArray[Any]] = {}
        for slab, table in slabs:
            for f in fields(ColumnScan):
                own = getattr(table.scan, f.name)
                whole = found.setdefault(f.name, np.empty(self.n_features, dtype=own.dtype))
                whole[slab] = own
            yield slab, table
        self.scan = ColumnScan(**found)

    def in_order(self, order: npt.NDArray[np.uint32]) -> npt.NDArray[Any]:
        return self.take(order).coded_columns()

    def take(self, rows: npt.NDArray[Any]) -> FileTable:
        return self._like(
            lambda: ((slab, table.take(rows)) for slab, table in self.slabs()),
            len(rows),
            self.is_category,
        )

    def without(self, features: npt.NDArray[np.bool_]) -> Table:
        if not features.any():
            return self
        return self._like(
            lambda: ((slab, table.without(features[slab])) for slab, table in self.slabs()),
            self.n_rows,
            self.is_category & ~features,
        )

    def _times(self, powers: npt.NDArray[np.intc]) -> FileTable:
        return self._like(
            lambda: ((slab, table._times(powers[slab])) for slab, table in self.slabs()),
            self.n_rows,
            self.is_category,
        )

    def _like(self, slabs: Slabs, n_rows: int, is_category: npt.NDArray[np.bool_]) -> FileTable:
        shape = (n_rows, self.n_features)
        return FileTable(
            slabs, self.names, is_category, shape, self._dtype, self.scratch, self.n_threads
        )

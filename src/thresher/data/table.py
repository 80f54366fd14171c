"""A table of numbers in this process, whatever it came in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from thresher import _core
from thresher._utils.lazy import cached
from thresher.data.schema import Names, Schema
from thresher.data.target import native_bytes
from thresher.io.temporary import Scratch

Floats = npt.NDArray[np.float64]

# Squares of numbers beyond this, or below its inverse, are not safe in double precision.
LARGEST_SAFE = 1e120


def powers_of_two(sizes: Any, largest: float = LARGEST_SAFE) -> npt.NDArray[np.intc]:
    """Return the exponents that bring extreme sizes near 1; 0 for others.

    Parameters
    ----------
    sizes : array of float
        Largest absolute values of columns.
    largest : float, default=LARGEST_SAFE
        Sizes beyond this, or below its inverse, are extreme.
    """
    sizes = np.asarray(sizes, dtype=np.float64)
    extreme = ((sizes > largest) & np.isfinite(sizes)) | ((sizes > 0) & (sizes < 1 / largest))
    return np.where(extreme, -np.frexp(sizes)[1], 0).astype(np.intc)


def rescaled(columns: Floats, largest: float = LARGEST_SAFE) -> Floats:
    """Return the columns, those of extreme size times a power of two."""
    powers = powers_of_two(np.fmax.reduce(np.abs(columns), axis=0, initial=0.0), largest)
    scaled: Floats = np.ldexp(columns, powers) if powers.any() else columns
    return scaled


# The facts of columns that reading them finds.
_SCANNED = ("minimum", "maximum", "n_missing", "n_infinite", "is_whole", "n_distinct")
# Values that NumPy goes through at a time: between blocks of them Ctrl-C is heard.
BLOCK_VALUES = 1 << 24


@dataclass
class Table:
    """A numeric matrix in memory, dense or sparse, and what is known of its columns.

    Attributes
    ----------
    matrix : ndarray or scipy sparse matrix/array in CSC or CSR form, of shape (n_rows, n_features)
        Categories stand as their ranks, missing values as NaN, whole numbers beyond 2^53 as their distance from
        the smallest of their column.
    names : ndarray of object, or None
        Feature names, if the input had any.
    is_category : ndarray of bool
        Columns whose values carry no order: categorical, string.
    """

    matrix: Any
    names: npt.NDArray[np.object_] | None
    is_category: npt.NDArray[np.bool_]
    n_threads: int = 1

    @property
    def n_rows(self) -> int:
        return int(self.matrix.shape[0])

    @property
    def n_features(self) -> int:
        return int(self.matrix.shape[1])

    @property
    def is_sparse(self) -> bool:
        return bool(sparse.issparse(self.matrix))

    @property
    def stored(self) -> tuple[Any, Any, Any, int, int, bool]:
        """A sparse matrix as the core takes it."""
        m = self.matrix
        return m.indptr, m.indices, m.data, self.n_rows, self.n_features, m.format == "csc"

    @cached
    def schema(self) -> Schema:
        if self.is_sparse:
            found = _core.scan_sparse(*self.stored, self.n_threads)
        else:
            found = _core.scan_columns(self.matrix, self.n_threads)
        return Schema(
            self.n_rows,
            self.names,
            self.is_category,
            found.minimum,
            found.maximum,
            found.n_missing,
            found.n_infinite,
            found.whole,
            found.n_distinct,
        )

    def feature_major(self) -> npt.NDArray[Any]:
        """The columns as the rows of one float array, without a copy where X has that order already.

        Raises for columns that are categories: they have no numbers to work with.
        """
        if self.is_category.any():
            self.schema.refuse_categories()
        return self.coded_columns()

    def coded_columns(self) -> npt.NDArray[Any]:
        """As `feature_major`; a category is the number of its level."""
        return self._columns

    @cached
    def _columns(self) -> npt.NDArray[Any]:
        return to_feature_major(self.matrix, self.n_threads)

    def in_order(self, order: npt.NDArray[np.uint32]) -> npt.NDArray[Any]:
        """As `feature_major`, rows in another order."""
        return _core.feature_major(self.matrix, self.n_threads, order)

    def _of_stored(self, of_columns: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the value of its column for every stored value of a sparse table."""
        if self.matrix.format == "csc":
            return np.repeat(of_columns, np.diff(self.matrix.indptr))
        of_values: npt.NDArray[Any] = of_columns[self.matrix.indices]
        return of_values

    def without(self, features: npt.NDArray[np.bool_]) -> Table:
        """The table with zeros in some columns, which are then as good as absent."""
        if not features.any():
            return self
        if self.is_sparse:
            matrix = self.matrix.copy()
            matrix.data[self._of_stored(features)] = 0
            matrix.eliminate_zeros()
        else:
            matrix = self.matrix.copy(order="K")
            matrix[:, features] = 0
        return Table(matrix, self.names, self.is_category & ~features, self.n_threads)

    @property
    def rescaled(self) -> Table:
        """The table with columns of extreme size times powers of two, for methods to which units do not matter."""
        powers = powers_of_two(np.fmax(np.abs(self.schema.minimum), np.abs(self.schema.maximum)))
        return self._times(powers) if powers.any() else self

    def _times(self, powers: npt.NDArray[np.intc]) -> Table:
        """Return the table with columns times powers of two."""
        if self.is_sparse:
            matrix = self.matrix.copy()
            matrix.data = np.ldexp(matrix.data, self._of_stored(powers))
        else:
            matrix = np.ldexp(self.matrix.astype(np.float64, copy=False), powers)
        return Table(matrix, self.names, self.is_category, self.n_threads)

    def of_features(self, features: Any) -> Table:
        """The table of some of the features."""
        names = None if self.names is None else self.names[features]
        return Table(self.matrix[:, features], names, self.is_category[features], self.n_threads)

    def take(self, rows: npt.NDArray[Any]) -> Table:
        """The table of some rows, with repeats if `rows` has them."""
        return Table(self.matrix[rows], self.names, self.is_category, self.n_threads)


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
            for name in _SCANNED:
                own = getattr(table.schema, name)
                whole = found.setdefault(name, np.empty(self.n_features, dtype=own.dtype))
                whole[slab] = own
            yield slab, table
        self.schema = Schema(self.n_rows, self.names, self.is_category, **found)

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


def feature_blocks(n_features: int, n_rows: int, n_values: int = BLOCK_VALUES) -> Iterator[slice]:
    """Features in blocks of about `n_values` values, for work that NumPy does."""
    size = max(1, n_values // max(n_rows, 1))
    for start in range(0, n_features, size):
        yield slice(start, min(start + size, n_features))


def to_feature_major(matrix: Any, n_threads: int = 1) -> npt.NDArray[Any]:
    """The columns of a dense matrix as rows of a C-contiguous float32 or float64 array."""
    matrix = native_bytes(matrix)
    turned: npt.NDArray[Any] = matrix.T
    if turned.dtype in (np.float32, np.float64) and turned.flags.c_contiguous:
        return turned
    return _core.feature_major(matrix, n_threads)

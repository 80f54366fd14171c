"""A table of numbers in this process, whatever it came in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from thresher import _core
from thresher._utils.lazy import cached
from thresher.data.schema import label, names_of_matrix
from thresher.data.target import MOST_DISCRETE_VALUES, native_bytes

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


# Values that NumPy goes through at a time: between blocks of them Ctrl-C is heard.
BLOCK_VALUES = 1 << 24
# Sums of squares of such values, and of their differences, are finite.
LARGEST_SQUARABLE = 1e140
# Squares of smaller values lose digits.
SMALLEST_SQUARABLE = 1e-150


@dataclass(frozen=True)
class ColumnScan:
    """What one look at every column tells; missing values are not looked at.

    `n_distinct` counts the values of whole-number columns, up to eleven: more than ten.
    """

    minimum: npt.NDArray[np.float64]
    maximum: npt.NDArray[np.float64]
    n_missing: npt.NDArray[np.int64]
    n_infinite: npt.NDArray[np.int64]
    whole: npt.NDArray[np.bool_]
    n_distinct: npt.NDArray[np.int32]


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
    def scan(self) -> ColumnScan:
        if self.is_sparse:
            found = _core.scan_sparse(*self.stored, self.n_threads)
        else:
            found = _core.scan_columns(self.matrix, self.n_threads)
        return ColumnScan(
            found.minimum,
            found.maximum,
            found.n_missing,
            found.n_infinite,
            found.whole,
            found.n_distinct,
        )

    @cached
    def is_discrete(self) -> npt.NDArray[np.bool_]:
        """Categories, and whole numbers with at most ten distinct values."""
        few = self.scan.n_distinct <= MOST_DISCRETE_VALUES
        return self.is_category | (self.scan.whole & few)

    @cached
    def has_missing(self) -> npt.NDArray[np.bool_]:
        return self.scan.n_missing > 0

    @cached
    def is_constant(self) -> npt.NDArray[np.bool_]:
        """One distinct value among those present, tested by minimum and maximum; no value counts too."""
        return ~(self.scan.minimum < self.scan.maximum)

    def name(self, feature: int) -> str:
        """What messages call a feature."""
        names = names_of_matrix(self.n_features) if self.names is None else self.names
        return label(names, feature)

    def feature_major(self) -> npt.NDArray[Any]:
        """The columns as the rows of one float array, without a copy where X has that order already.

        Raises for columns that are categories: they have no numbers to work with.
        """
        self.refuse_categories()
        return self.coded_columns()

    def refuse_categories(self) -> None:
        """Raise for columns that are categories, for methods of numbers."""
        if self.is_category.any():
            first = int(np.argmax(self.is_category))
            raise ValueError(
                f"column {self.name(first)} holds categories, where numbers are needed; give numbers, name the column "
                'in exclude, or use what takes categories, such as JMI or the measure "mi"'
            )

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
        powers = powers_of_two(np.fmax(np.abs(self.scan.minimum), np.abs(self.scan.maximum)))
        return self._times(powers) if powers.any() else self

    def _times(self, powers: npt.NDArray[np.intc]) -> Table:
        """Return the table with columns times powers of two."""
        if self.is_sparse:
            matrix = self.matrix.copy()
            matrix.data = np.ldexp(matrix.data, self._of_stored(powers))
        else:
            matrix = np.ldexp(self.matrix.astype(np.float64, copy=False), powers)
        return Table(matrix, self.names, self.is_category, self.n_threads)

    def refuse_unsquarable(self) -> None:
        """Raise for values whose squares are no numbers, for methods made of squared distances."""
        largest = np.fmax(-self.scan.minimum, self.scan.maximum)
        beyond = largest > LARGEST_SQUARABLE
        if beyond.any():
            raise ValueError(
                f"column {self.name(int(np.argmax(beyond)))} of X has values beyond {LARGEST_SQUARABLE:g}, whose "
                "squares overflow; divide the column by a constant"
            )
        if 0 < np.where(self.is_constant, 0.0, largest).max() < SMALLEST_SQUARABLE:
            raise ValueError(
                f"X has no value beyond {SMALLEST_SQUARABLE:g} in columns that vary, and the squares of smaller ones "
                "vanish; multiply X by a constant"
            )

    def of_features(self, features: Any) -> Table:
        """The table of some of the features."""
        names = None if self.names is None else self.names[features]
        return Table(self.matrix[:, features], names, self.is_category[features], self.n_threads)

    def take(self, rows: npt.NDArray[Any]) -> Table:
        """The table of some rows, with repeats if `rows` has them."""
        return Table(self.matrix[rows], self.names, self.is_category, self.n_threads)


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

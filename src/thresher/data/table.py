"""Tables of numbers in memory or in files, facts about their columns, and the roles of features."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from thresher import _core
from thresher._utils.checks import resolve_features
from thresher._utils.lazy import cached
from thresher._utils.types import Array, BinRule, FeatureNames, Floats, Indices, Mask, Names
from thresher.data.bad_columns import BadColumn, UnusableColumns, drop_code, listed
from thresher.data.target import MOST_DISCRETE_VALUES, native_bytes
from thresher.io.temporary import TemporaryStore

# Numbers in an array, or a sparse matrix of SciPy, whose classes have no types.
Matrix: TypeAlias = Any

# Sums of squares of values up to this, and of their differences, are finite.
LARGEST_SQUARABLE = 1e140
# Squares of smaller values lose digits.
SMALLEST_SQUARABLE = 1e-150


@dataclass(frozen=True)
class Schema:
    """Facts about every column, identical from one array and from many blocks. Missing values do not count.

    Attributes
    ----------
    n_rows : int
    names : ndarray of object, or None
        Feature names, if the input had any.
    is_category : ndarray of bool
        Columns whose values carry no order: categories, strings.
    minimum, maximum : ndarray of float64
    n_missing, n_infinite : ndarray of int64
    is_whole : ndarray of bool
        Whether all values are integers.
    n_distinct : ndarray of int32
        Number of distinct values of an integer column; 11 means more than ten.
    """

    n_rows: int
    names: Names | None
    is_category: Mask
    minimum: Floats
    maximum: Floats
    n_missing: npt.NDArray[np.int64]
    n_infinite: npt.NDArray[np.int64]
    is_whole: Mask
    n_distinct: npt.NDArray[np.int32]

    @property
    def n_features(self) -> int:
        return len(self.is_category)

    @cached
    def is_discrete(self) -> Mask:
        """Columns that are categories, or integers with at most ten distinct values."""
        return self.is_category | (self.is_whole & (self.n_distinct <= MOST_DISCRETE_VALUES))

    @cached
    def has_missing(self) -> Mask:
        return self.n_missing > 0

    @cached
    def is_constant(self) -> Mask:
        """Columns with at most one distinct value among those present, by minimum and maximum."""
        return ~(self.minimum < self.maximum)

    def label(self, feature: int) -> str:
        """Return the name of a feature for messages."""
        return label(self._names(), feature)

    def name_of(self, feature: int) -> str | int:
        """Return the name of a feature, its position if it has no name."""
        names = self._names()
        return feature if names is None else str(names[feature])

    def _names(self) -> Names | Sequence[str] | None:
        names = _MATRIX_NAMES.get() if self.names is None else self.names
        return names if len(names) == self.n_features else None

    def reject_categories(self) -> None:
        """Raise ValueError if a column contains categories; for methods that need numbers."""
        if self.is_category.any():
            first = int(np.argmax(self.is_category))
            raise ValueError(
                f"column {self.label(first)} contains categories, but numbers are needed. Encode it as numbers, "
                'add it to exclude, or use a method for categories, such as JMI or the measure "mi"'
            )

    def reject_unsquarable(self) -> None:
        """Raise ValueError for values whose squares overflow or vanish; for methods with squared distances."""
        largest = np.fmax(-self.minimum, self.maximum)
        beyond = largest > LARGEST_SQUARABLE
        if beyond.any():
            raise ValueError(
                f"column {self.label(int(np.argmax(beyond)))} of X has values beyond {LARGEST_SQUARABLE:g}, whose "
                "squares overflow. Divide the column by a constant"
            )
        if 0 < np.where(self.is_constant, 0.0, largest).max() < SMALLEST_SQUARABLE:
            raise ValueError(
                f"X has no value beyond {SMALLEST_SQUARABLE:g} in columns that vary, and squares of smaller values "
                "underflow to 0. Multiply X by a constant"
            )

    def unusable(self, allow_missing: bool) -> Mask:
        """Return which columns have infinite values or, unless allowed, missing values."""
        is_infinite = self.n_infinite > 0
        return is_infinite if allow_missing else is_infinite | self.has_missing

    def reject_unusable(self, *, allow_missing: bool) -> None:
        """Raise one ValueError for all columns with infinite values or, unless allowed, with missing values."""
        bad = [self._problem(i) for i in np.flatnonzero(self.unusable(allow_missing)).tolist()]
        if not bad:
            return
        names = [column.name for column in bad]
        code = drop_code(names)
        if len(bad) > 1:
            text = f"{len(bad)} columns of X cannot be used ({self.n_rows} samples): {listed(bad, repr)}"
            where = "the columns"
        else:
            text = f"column {bad[0].name!r} of X {bad[0].problem}"
            where = "the column"
        if allow_missing or not self.has_missing.any():
            raise UnusableColumns(f"{text}. Replace or drop those values", names)
        raise UnusableColumns(
            f"{text}. Fill the values in, drop {where} ({code}), or set the parameter missing",
            names,
        )

    def _problem(self, feature: int) -> BadColumn:
        """Return what is wrong with a column."""
        name = self.name_of(feature)
        if n := int(self.n_infinite[feature]):
            problem = f"contains infinity (inf) in {n} of {self.n_rows} samples"
            return BadColumn(name, problem, f"inf in {n}")
        n = int(self.n_missing[feature])
        if n == self.n_rows:
            return BadColumn(name, "contains only NaN", "only NaN")
        return BadColumn(name, f"contains NaN in {n} of {self.n_rows} samples", f"NaN in {n}")


@dataclass(frozen=True)
class FeatureRoles:
    """The features that are candidates, forced in, and excluded.

    Attributes
    ----------
    names : ndarray of object, or None
        Feature names, if the input had any.
    candidates : ndarray of bool of shape (n_features,)
        Features that vary and are not excluded.
    kept : ndarray of int
        Forced-in features, in the order of ``keep``.
    excluded : ndarray of bool of shape (n_features,)
    """

    names: Names | None
    candidates: Mask
    kept: Indices
    excluded: Mask

    @classmethod
    def read(
        cls,
        names: Names | None,
        varies: Mask,
        keep: FeatureNames = None,
        exclude: FeatureNames = None,
    ) -> FeatureRoles:
        """Return the roles of features that vary or not, with `keep` and `exclude` by name or position."""
        kept = resolve_features("keep", keep, names, len(varies))
        excluded = excluded_features(exclude, names, len(varies))
        if excluded[kept].any():
            both = int(kept[excluded[kept]].min())
            raise ValueError(
                f"keep and exclude both contain the feature {label(names, both)}. Remove it from one of them"
            )
        return cls(names, varies & ~excluded, kept, excluded)

    @property
    def n_features(self) -> int:
        return len(self.candidates)

    @property
    def n_eligible(self) -> int:
        """Number of features that are not excluded; fractions of features refer to it."""
        return int(np.sum(~self.excluded))

    @property
    def selectable(self) -> Mask:
        """Candidates and forced-in features."""
        selectable = self.candidates.copy()
        selectable[self.kept] = True
        return selectable


def excluded_features(exclude: FeatureNames, names: Names | None, n_features: int) -> Mask:
    """Return which of the features are excluded, by name or position."""
    excluded = np.zeros(n_features, dtype=bool)
    excluded[resolve_features("exclude", exclude, names, n_features)] = True
    return excluded


# Names for messages of the columns of a matrix, which has none itself.
_MATRIX_NAMES: ContextVar[Sequence[str]] = ContextVar("names of matrix columns", default=())


@contextmanager
def named_columns(names: Sequence[str]) -> Iterator[None]:
    """Use these names in messages inside the context, for a matrix with that many columns."""
    before = _MATRIX_NAMES.set(names)
    try:
        yield
    finally:
        _MATRIX_NAMES.reset(before)


def label(names: Names | Sequence[str] | None, feature: int) -> str:
    """Return the name of a feature for messages, its position if it has no name."""
    return repr(str(names[feature])) if names is not None else str(feature)


# Squares of numbers above this, or below its inverse, are not safe in double precision.
LARGEST_SAFE = 1e120


def powers_of_two(sizes: npt.ArrayLike, largest: float = LARGEST_SAFE) -> npt.NDArray[np.intc]:
    """Return the exponents of two that scale extreme sizes to about 1; 0 for others.

    Parameters
    ----------
    sizes : array of float
        Largest absolute values of columns.
    largest : float, default=LARGEST_SAFE
        Sizes above this, or below its inverse, are extreme.
    """
    sizes = np.asarray(sizes, dtype=np.float64)
    extreme = ((sizes > largest) & np.isfinite(sizes)) | ((sizes > 0) & (sizes < 1 / largest))
    return np.where(extreme, -np.frexp(sizes)[1], 0).astype(np.intc)


def rescaled(columns: Floats, largest: float = LARGEST_SAFE) -> Floats:
    """Return the columns, with those of extreme size multiplied by a power of two."""
    powers = powers_of_two(np.fmax.reduce(np.abs(columns), axis=0, initial=0.0), largest)
    return np.asarray(np.ldexp(columns, powers) if powers.any() else columns)


# The facts about columns that a scan of their values returns.
_SCANNED = ("minimum", "maximum", "n_missing", "n_infinite", "is_whole", "n_distinct")
# Values that NumPy processes at a time: Ctrl-C is handled between such blocks.
BLOCK_VALUES = 1 << 24


@dataclass
class Table:
    """A numeric matrix in memory, dense or sparse, with names and types of its columns.

    Attributes
    ----------
    matrix : ndarray or scipy sparse matrix/array in CSC or CSR form, of shape (n_rows, n_features)
        Categories are represented by their ranks, missing values by NaN, integers above 2^53 by their distance from
        the smallest of their column.
    names : ndarray of object, or None
        Feature names, if the input had any.
    is_category : ndarray of bool
        Columns whose values carry no order: categorical, string.
    """

    matrix: Matrix
    names: Names | None
    is_category: Mask
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
    def stored(self) -> tuple[Array, Array, Array, int, int, bool]:
        """The arguments by which a sparse matrix is passed to the core."""
        m = self.matrix
        return m.indptr, m.indices, m.data, self.n_rows, self.n_features, m.format == "csc"

    @cached
    def schema(self) -> Schema:
        if self.is_sparse:
            scan = _core.scan_sparse(*self.stored, self.n_threads)
        else:
            scan = _core.scan_columns(self.matrix, self.n_threads)
        counts = scan.n_missing, scan.n_infinite, scan.whole, scan.n_distinct
        facts = scan.minimum, scan.maximum, *counts
        return Schema(self.n_rows, self.names, self.is_category, *facts)

    def feature_major(self) -> Array:
        """Return the columns as rows of one float array, without a copy if X has that order already.

        Raises ValueError for columns that are categories: they have no numeric values.
        """
        if self.is_category.any():
            self.schema.reject_categories()
        return self.coded_columns()

    def coded_columns(self) -> Array:
        """Return the same as `feature_major`, with categories as the numbers of their levels."""
        return self._columns

    @cached
    def _columns(self) -> Array:
        return to_feature_major(self.matrix, self.n_threads)

    def in_order(self, order: npt.NDArray[np.uint32]) -> Array:
        """Return the same as `feature_major`, with rows in another order."""
        return _core.feature_major(self.matrix, self.n_threads, order)

    def _of_stored(self, of_columns: Array) -> Array:
        """Return for every stored value of a sparse table the value of its column."""
        if self.matrix.format == "csc":
            return np.repeat(of_columns, np.diff(self.matrix.indptr))
        return np.asarray(of_columns[self.matrix.indices])

    def without(self, features: Mask) -> Table:
        """Return the table with zeros in some columns, so that no method uses them."""
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
        """The table with columns of extreme size scaled by powers of two, for methods that ignore units."""
        powers = powers_of_two(np.fmax(np.abs(self.schema.minimum), np.abs(self.schema.maximum)))
        return self._times(powers) if powers.any() else self

    def _times(self, powers: npt.NDArray[np.intc]) -> Table:
        """Return the table with columns multiplied by powers of two."""
        if self.is_sparse:
            matrix = self.matrix.copy()
            matrix.data = np.ldexp(matrix.data, self._of_stored(powers))
        else:
            matrix = np.ldexp(self.matrix.astype(np.float64, copy=False), powers)
        return Table(matrix, self.names, self.is_category, self.n_threads)

    def of_features(self, features: Indices | slice) -> Table:
        """Return the table of some of the features."""
        names = None if self.names is None else self.names[features]
        return Table(self.matrix[:, features], names, self.is_category[features], self.n_threads)

    def take(self, rows: Array) -> Table:
        """Return the table of some rows, with repeats if `rows` has them."""
        return Table(self.matrix[rows], self.names, self.is_category, self.n_threads)


# Returns an iterator over all column groups: the features of each, and a table of them.
ColumnGroups = Callable[[], Iterator[tuple[slice, Table]]]


class FileTable(Table):
    """A table of which some columns at a time are in memory.

    Iterate over `column_groups` where possible. The attribute `matrix` is a mapped file, which costs one more pass over
    the files if the columns were not stored in the first.

    Parameters
    ----------
    column_groups : callable
        Starts one pass over all column groups.
    names : ndarray of object
    is_category : ndarray of bool
    shape : (n_rows, n_features)
    dtype : dtype
        The type of the numeric columns.
    scratch : TemporaryStore
    n_threads : int
    """

    def __init__(
        self,
        column_groups: ColumnGroups,
        names: Names | None,
        is_category: Mask,
        shape: tuple[int, int],
        dtype: npt.DTypeLike,
        scratch: TemporaryStore,
        n_threads: int,
    ) -> None:
        self.names, self.is_category, self.n_threads = names, is_category, n_threads
        self.scratch = scratch
        self._column_groups, self._shape, self._dtype = column_groups, shape, dtype
        # The rule of discretization, and the codes made by it while the files were read.
        self.packed: tuple[BinRule, object] | None = None

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
    def matrix(self) -> Array:
        return self._columns.T

    @cached
    def _columns(self) -> Array:
        return self.store(table for _, table in self._column_groups())

    def store(self, tables: Iterator[Table]) -> Array:
        """Write all columns to a temporary file and return them as rows of one mapped array."""
        file = self.scratch.file()
        for table in tables:
            file.write(np.ascontiguousarray(table.matrix.T))
        columns = file.array(self._dtype, (self.n_features, self.n_rows))
        vars(self)["_columns"] = columns
        return columns

    def column_groups(self) -> Iterator[tuple[slice, Table]]:
        """Yield the features in column groups, from the mapped file if there is one."""
        if "_columns" not in vars(self):
            yield from self._column_groups()
            return
        width = max(1, self.scratch.memory_limit // 64 // max(1, self.n_rows))
        for start in range(0, self.n_features, width):
            group = slice(start, min(start + width, self.n_features))
            yield group, self.of_features(group)

    def with_schema(self, groups: Iterator[tuple[slice, Table]]) -> Iterator[tuple[slice, Table]]:
        """Yield the column groups unchanged and set `schema` from them at the end."""
        facts: dict[str, Array] = {}
        for group, table in groups:
            for name in _SCANNED:
                values = getattr(table.schema, name)
                all_values = facts.setdefault(name, np.empty(self.n_features, dtype=values.dtype))
                all_values[group] = values
            yield group, table
        self.schema = Schema(self.n_rows, self.names, self.is_category, **facts)

    def in_order(self, order: npt.NDArray[np.uint32]) -> Array:
        return self.take(order).coded_columns()

    def take(self, rows: Array) -> FileTable:
        return self._changed(lambda group, table: table.take(rows), n_rows=len(rows))

    def without(self, features: Mask) -> FileTable:
        if not features.any():
            return self
        table = self._changed(lambda group, table: table.without(features[group]), self.n_rows)
        table.is_category = self.is_category & ~features
        return table

    def _times(self, powers: npt.NDArray[np.intc]) -> FileTable:
        return self._changed(lambda group, table: table._times(powers[group]), self.n_rows)

    def _changed(self, change: Callable[[slice, Table], Table], n_rows: int) -> FileTable:
        """Return a table whose column groups are changed when they are read."""
        return FileTable(
            lambda: ((group, change(group, table)) for group, table in self.column_groups()),
            self.names,
            self.is_category,
            (n_rows, self.n_features),
            self._dtype,
            self.scratch,
            self.n_threads,
        )


def feature_blocks(n_features: int, n_rows: int, n_values: int = BLOCK_VALUES) -> Iterator[slice]:
    """Yield features in blocks of about `n_values` values, for work in NumPy."""
    size = max(1, n_values // max(n_rows, 1))
    for start in range(0, n_features, size):
        yield slice(start, min(start + size, n_features))


def to_feature_major(matrix: Array, n_threads: int = 1) -> Array:
    """Return the columns of a dense matrix as rows of a C-contiguous float32 or float64 array."""
    matrix = native_bytes(matrix)
    if matrix.dtype in (np.float32, np.float64) and matrix.T.flags.c_contiguous:
        return matrix.T
    return _core.feature_major(matrix, n_threads)

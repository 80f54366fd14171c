"""Dataframes and tables as numbers, with categories as ranks."""

from __future__ import annotations

import gc
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import count, pairwise
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils import _safe_indexing

from thresher._utils.arrays import LARGEST_EXACT, are_exact, as_double, from_smallest
from thresher._utils.checks import is_missing, resolve_features
from thresher._utils.types import Array, DataLike, FeatureNames, Floats, Indices, Mask, Names
from thresher.data.bad_columns import BadColumn, mixed_types, refusal, unusable_type
from thresher.data.table import feature_blocks
from thresher.io.table import reading

if TYPE_CHECKING:
    import pandas as pd
    from narwhals.dtypes import DType
    from narwhals.stable.v2.typing import IntoDataFrame, IntoSeries

    Frame = nw.DataFrame[IntoDataFrame]
    Column = nw.Series[IntoSeries]

# The ranks of the values of columns, which are rows, and the texts of each; None where a column has others.
Ranked = tuple[Floats, list[list[str] | None]]
# `pandas.factorize`: the number of each value among the distinct ones, and these.
Factorize = Callable[[Array], tuple[Indices, Array]]

# Texts are ranked by a table of columns by texts, which is at most this many times as large as the columns.
_MOST_TEXTS_PER_ROW = 8


def category_ranks(
    X: pd.DataFrame, positions: list[int]
) -> Iterator[tuple[list[int], Floats, list[str]]]:
    """Yield category columns of a pandas frame with the same categories: positions, ranks as rows, sorted texts."""
    by_texts: dict[tuple[str, ...], tuple[list[int], list[Array]]] = {}

    def take(position: int, column: pd.Series) -> None:
        values = column.array
        texts = tuple(map(str, values.categories.tolist()))
        members, codes = by_texts.setdefault(texts, ([], []))
        members.append(position)
        codes.append(values.codes)

    _for_each_column(X, positions, take)
    for texts, (members, codes) in by_texts.items():
        rank = np.full(len(texts) + 1, np.nan)  # the last, -1, is for missing values
        rank[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
        yield members, rank[np.array(codes)], sorted(texts)


def _for_each_column(
    X: pd.DataFrame, positions: list[int], take: Callable[[int, pd.Series], None]
) -> None:
    """Call `take` with some columns of a pandas frame.

    `apply` is the fastest way to many columns, and unlike `items` it does not cache them. It skips all columns of a
    frame without rows.
    """
    if 4 * len(positions) < X.shape[1] or not len(X):
        for position in positions:
            take(position, X.iloc[:, position])
        return
    wanted = set(positions)
    position_of_next = count()

    def take_wanted(column: pd.Series) -> None:
        position = next(position_of_next)
        if position in wanted:
            take(position, column)

    X.apply(take_wanted)


def text_ranks(columns: Array, factorize: Factorize | None = None) -> Ranked:
    """Return the ranks of texts within their columns, which are rows of objects, and the texts of each column.

    A column with other values than texts and missing ones has None for its texts, and undefined ranks. `factorize` is
    that of pandas, which is faster than plain Python, if pandas is installed.
    """
    n_columns, n_rows = columns.shape
    numbered = _numbered(columns, factorize)
    if numbered is None and n_columns == 1:
        return np.empty(columns.shape), [None]
    step = 1 if numbered is None else _MOST_TEXTS_PER_ROW
    if numbered is None or (len(numbered[1]) > step * n_rows and n_columns > step):
        pieces = [text_ranks(columns[i : i + step], factorize) for i in range(0, n_columns, step)]
        return np.concatenate([ranks for ranks, _ in pieces]), [t for _, ts in pieces for t in ts]
    numbers, values = numbered
    is_text = np.array([isinstance(value, str) for value in values], dtype=bool)
    other = np.array([not isinstance(v, str) and not is_missing(v) for v in values], dtype=bool)
    texts = np.array([str(values[i]) for i in np.flatnonzero(is_text)], dtype=object)
    order = np.argsort(texts, kind="stable")
    rank = np.full(len(values), len(texts))  # the last rank is for values that are no text
    rank[np.flatnonzero(is_text)[order]] = np.arange(len(texts))
    rank_of_all = rank[numbers]
    present = np.zeros((n_columns, len(texts) + 1), dtype=bool)
    np.put_along_axis(present, rank_of_all, True, axis=1)
    present[:, -1] = False
    levels = np.cumsum(present, axis=1, dtype=np.int32) - 1
    ranks = np.take_along_axis(levels, rank_of_all, axis=1).astype(np.float64)
    ranks[rank_of_all == len(texts)] = np.nan
    texts_by_column = texts[order][np.nonzero(present)[1]].tolist()
    ends = [0, *np.cumsum(present.sum(axis=1)).tolist()]
    is_other: list[bool] = np.any(other[numbers], axis=1).tolist()
    return ranks, [
        None if is_mixed else texts_by_column[a:b]
        for (a, b), is_mixed in zip(pairwise(ends), is_other, strict=True)
    ]


def _numbered(columns: Array, factorize: Factorize | None) -> tuple[Indices, list[object]] | None:
    """Return the number of every value among the distinct ones, and these; None if some have no hash."""
    values = columns.ravel()
    try:
        if factorize is not None:
            numbers, distinct = factorize(values)
            numbers[numbers < 0] = len(distinct)  # missing values
            return numbers.reshape(columns.shape), [*distinct, None]
        number: defaultdict[object, int] = defaultdict(count().__next__)
        numbers = np.fromiter(
            map(number.__getitem__, values.tolist()), dtype=np.intp, count=len(values)
        )
    except TypeError:  # such as lists
        return None
    return numbers.reshape(columns.shape), list(number)


_BLOCK_TEXTS = 1 << 20  # objects that are ranked at a time


@dataclass(frozen=True)
class FrameColumns:
    """The columns of a dataframe as numbers.

    Categories are replaced by their rank among the sorted categories, missing values by NaN, booleans by 0 and 1.
    """

    matrix: Array  # (n_rows, n_columns)
    names: Names
    is_category: Mask
    texts: dict[int, list[str]] = field(default_factory=dict)  # of the ranks of each category
    rounded: list[int] = field(default_factory=list)  # of a block: integers beyond doubles


def is_frame(X: DataLike) -> bool:
    """Return whether `X` is a dataframe or table that narwhals reads; raise ValueError for a lazy frame."""
    if isinstance(X, np.ndarray) or sparse.issparse(X):  # narwhals is slow to reject them
        return False
    if not (hasattr(X, "shape") or hasattr(type(X), "collect")):
        return False
    try:
        frame = nw.from_native(X, pass_through=True)
    except nw.exceptions.DuplicateError:
        names = Counter(str(name) for name in X.columns)
        repeated = next(name for name, count in names.items() if count > 1)
        raise ValueError(f"X has more than one column named {repeated!r}. Rename them") from None
    if isinstance(frame, nw.LazyFrame) and not hasattr(X, "__array__"):
        raise ValueError("X is a lazy frame, whose rows are not in memory. Pass X.collect()")
    return isinstance(frame, nw.DataFrame)


def to_native(X: DataLike) -> DataLike:
    """Return the frame inside a narwhals wrapper, which scikit-learn cannot read; all else unchanged.

    An AnnData raises ValueError.
    """
    if type(X).__name__ == "AnnData" and type(X).__module__.startswith("anndata"):
        raise ValueError(
            "X is an AnnData. Pass adata.to_df(), with labels from adata.obs, or use thresher.pp.select_genes"
        )
    return nw.to_native(X, pass_through=True)


def with_plain_names(X: DataLike) -> DataLike:
    """Return a pandas frame with Python strings as names, as Arrow strings are slow to iterate over."""
    if not nw.dependencies.is_pandas_dataframe(X) or isinstance(X.columns.dtype, np.dtype):
        return X
    plain = X.copy(deep=False)
    plain.columns = X.columns.astype(object)
    return plain


def take_columns(X: DataLike, positions: Indices, package: str = "default") -> DataLike:
    """Return some columns of a dataframe as a frame of the same, or of the named package; types are kept."""
    frame = nw.from_native(X, eager_only=True)[:, positions.tolist()]
    if package in ("default", frame.implementation.value):
        return frame.to_native()
    try:
        dense = nw.from_native(dense_frame(frame.to_native()), eager_only=True)
        return dense.to_polars() if package == "polars" else dense.to_pandas()
    except (ImportError, TypeError, ValueError):
        # pyarrow is not installed, or does not support the objects.
        columns = {name: frame[name].to_numpy() for name in frame.columns}
        other: Any = package
        return nw.from_dict(columns, backend=other).to_native()


def take(X: DataLike, positions: npt.ArrayLike, axis: int = 0) -> DataLike:
    """Return some rows, or columns with ``axis=1``; scikit-learn before 1.8 does not support pyarrow."""
    X = to_native(X)
    if not type(X).__module__.startswith("pyarrow"):
        return _safe_indexing(X, positions, axis=axis)
    chosen = np.asarray(positions)
    if chosen.dtype == bool:
        chosen = np.flatnonzero(chosen)
    return X.select(chosen.tolist()) if axis == 1 else X.take(chosen)


def with_shuffled_copies(X: DataLike, rng: np.random.Generator) -> DataLike:
    """Return the columns of X and a shuffled copy of each after them, as an object of the type of X."""
    n_rows, p = X.shape
    if sparse.issparse(X):
        copies = X.tocsc(copy=True)
        for j in range(p):
            stored = slice(*copies.indptr[j : j + 2])
            new_row = np.argsort(rng.permutation(n_rows))
            copies.indices[stored] = new_row[copies.indices[stored]]
        copies.has_sorted_indices = False
        return sparse.hstack([X, copies], format="csc")
    if not is_frame(X):
        matrix = np.asarray(X)
        copies = np.column_stack([rng.permutation(column) for column in matrix.T])
        return np.concatenate([matrix, copies], axis=1)
    frame = nw.from_native(X, eager_only=True)
    columns = dict(zip(map(str, frame.columns), frame.iter_columns(), strict=True))
    unused = (name for name in map("shuffled {}".format, count()) if name not in columns)
    copies = {next(unused): column[rng.permutation(n_rows)] for column in frame.iter_columns()}
    return nw.from_dict(columns | copies).to_native()


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Pause the garbage collector, which would scan the many objects that pandas creates for every column."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@_collector_paused()
def read_frame(
    X: DataLike, exclude: FeatureNames = None, *, is_block: bool = False
) -> FrameColumns:
    """Read a dataframe; raise one ValueError for all columns that are neither numeric nor categories.

    Excluded columns may have any type: unless they are numeric they are read as zeros. With `is_block` values stay
    comparable with those of other blocks.
    """
    frame = nw.from_native(dense_frame(X), eager_only=True)
    if frame.implementation.is_pyarrow():
        with reading("X"):
            frame.to_native().validate(full=True)
    names = np.array([str(name) for name in frame.columns], dtype=object)
    p = len(names)
    kinds = _kinds(frame)
    is_category = np.zeros(p, dtype=bool)
    is_used = np.ones(p, dtype=bool)
    is_used[resolve_features("exclude", exclude, names, p)] = False
    plain = kinds.positions(lambda kind: kind.is_numeric() and not _is_wide(kind))
    if len(plain) == p:
        matrix = _matrix_of(frame, "fiu")
        rounded = [] if matrix is None else _rounded(matrix.T, kinds, is_used)
        if matrix is not None and (is_block or not rounded):
            return FrameColumns(matrix, names, is_category, rounded=rounded)
    columns = np.zeros((p, len(frame)), dtype=np.float64)
    to_read = is_used.copy()
    truths = kinds.positions(lambda kind: kind == nw.Boolean)
    for some, letters in ((plain, "fiu"), (truths, "b")):
        numbers = _matrix_of(frame[:, some], letters) if some else None
        if numbers is not None:
            columns[some] = numbers.T
            to_read[some] = False
    texts: dict[int, list[str]] = {}
    for some, ranks, texts_of in _ranked_columns(frame, kinds, to_read):
        columns[some] = ranks
        texts |= {i: known for i, known in zip(some, texts_of, strict=True) if known is not None}
    to_read[list(texts)] = False
    left = np.flatnonzero(to_read).tolist()
    bad: dict[int, BadColumn] = {}
    for i, column in zip(left, frame[:, left].iter_columns() if left else [], strict=True):
        read = _read_column(column, kinds.of(i))
        if isinstance(read, BadColumn):
            bad[i] = replace(read, name=frame.columns[i])
            continue
        columns[i], known = read
        if known is not None:
            texts[i] = known
    if bad:
        _refuse(bad, frame, columns, is_block)
    is_category[list(texts)] = True
    rounded = _rounded(columns, kinds, is_used)
    rounded = [i for i in rounded if kinds.of(i) != nw.Object or are_exact(frame[:, i].to_list())]
    for i in [] if is_block else rounded:
        columns[i] = from_smallest(exact_values(frame[:, i]))
    return FrameColumns(columns.T, names, is_category, texts, rounded)


def _refuse(bad: dict[int, BadColumn], frame: Frame, columns: Floats, is_block: bool) -> None:
    """Raise ValueError for the bad columns, and for those without any value.

    Columns without values in one block may have some in others.
    """
    if not is_block:
        for i in np.flatnonzero(np.isnan(columns).all(axis=1)).tolist():
            bad.setdefault(i, BadColumn(frame.columns[i], "contains only NaN", "only NaN"))
    package = "" if is_block else frame.implementation.value
    raise refusal([bad[i] for i in sorted(bad)], package)


@dataclass(frozen=True)
class _Kinds:
    """The types of all columns: the distinct types, and which of them each column has."""

    distinct: list[DType]
    which: Indices

    def positions(self, is_wanted: Callable[[DType], bool]) -> list[int]:
        """Return the positions of the columns of the wanted types."""
        wanted = np.array([is_wanted(kind) for kind in self.distinct], dtype=bool)
        return np.flatnonzero(wanted[self.which]).tolist()

    def of(self, column: int) -> DType:
        return self.distinct[int(self.which[column])]


def _kinds(frame: Frame) -> _Kinds:
    """Return the type of every column; for pandas only one column of each type is examined, and no objects."""
    if not frame.implementation.is_pandas():
        return _by_class(list(frame.schema.values()))
    pandas: pd.DataFrame = frame.to_native()
    dtypes = pandas.dtypes.to_numpy()
    # Most columns of one type share its object, and comparing two categorical types is expensive.
    ids = np.fromiter(map(id, dtypes), dtype=np.int64, count=len(dtypes))
    _, first, which = np.unique(ids, return_index=True, return_inverse=True)
    names = np.array([dtype.name for dtype in dtypes[first]], dtype=object)[which]
    same_as = first[which]
    of_categories = np.flatnonzero(names == "category")
    same_as[of_categories] = of_categories[:1]
    examined, which = np.unique(same_as, return_inverse=True)
    is_object = names[examined] == "object"  # their values are examined when they are read
    distinct = np.full(len(examined), nw.Object(), dtype=object)
    distinct[~is_object] = list(frame[:, examined[~is_object].tolist()].schema.values())
    return _Kinds(distinct.tolist(), which)


def _by_class(kinds: list[DType]) -> _Kinds:
    """Return the types by class; only for types that are rejected the message needs more than that."""
    read = (nw.String, nw.Categorical, nw.Enum, nw.Boolean, nw.Object)
    first: dict[object, int] = {}
    which = [
        first.setdefault(type(kind) if kind.is_numeric() or type(kind) in read else kind, i)
        for i, kind in enumerate(kinds)
    ]
    distinct, which_distinct = np.unique(which, return_inverse=True)
    return _Kinds([kinds[i] for i in distinct], which_distinct)


def _matrix_of(frame: Frame, letters: str) -> Array | None:
    """Return all columns as one matrix if its dtype has one of these letters, else None."""
    matrix = frame.to_numpy()
    return matrix if matrix.dtype.kind in letters else None


def _is_wide(kind: DType) -> bool:
    """Return whether numbers of this type may have more digits than any type of NumPy."""
    return bool(kind.is_decimal() or kind in (nw.Int128, nw.UInt128))


def is_exact_kind(kind: DType) -> bool:
    """Return whether numbers of this type are integers or decimals."""
    return bool(kind.is_integer() or kind.is_decimal())


def _rounded(columns: Array, kinds: _Kinds, is_used: Mask) -> list[int]:
    """Return the used columns of exact numbers that are too large for the doubles they were read as."""
    exact = kinds.positions(lambda kind: is_exact_kind(kind) or kind == nw.Object)
    if columns.dtype.kind != "f" or not exact:
        return []
    highest, lowest = (f.reduce(columns, axis=1, initial=0) for f in (np.fmax, np.fmin))
    large = is_used & (np.maximum(highest, -lowest) >= LARGEST_EXACT)
    return [i for i in exact if large[i]]


def exact_values(column: Column) -> Array:
    """Return the values of a column, as objects if NumPy has no type for them."""
    if column.dtype.is_integer() and not _is_wide(column.dtype) and not column.null_count():
        return np.asarray(column.to_numpy())
    return np.array(column.to_list(), dtype=object)


def sparse_frame(X: DataLike) -> sparse.csc_matrix | None:
    """Return the sparse matrix of a pandas frame whose columns are all sparse around 0; None for others."""
    types = _sparse_types(X)
    if not types or len(types) < X.shape[1] or any(kind.fill_value for kind in types.values()):
        return None
    return X.sparse.to_coo().tocsc()


def dense_frame(X: DataLike) -> DataLike:
    """Return a pandas frame with its sparse columns made dense; any other frame unchanged."""
    types = _sparse_types(X)
    return X.astype({name: kind.subtype for name, kind in types.items()}) if types else X


def _sparse_types(X: DataLike) -> dict[str, pd.SparseDtype]:
    """Return the types of the sparse columns of a pandas frame, found by name because pandas is optional."""
    if not nw.dependencies.is_pandas_dataframe(X):
        return {}
    sparse_kinds = {kind for kind in set(map(type, X.dtypes)) if kind.__name__ == "SparseDtype"}
    if not sparse_kinds:
        return {}
    return {name: kind for name, kind in X.dtypes.items() if type(kind) in sparse_kinds}


def _read_column(column: Column, kind: DType) -> tuple[Floats, list[str] | None] | BadColumn:
    """Return the numbers of a column and, for a category, the texts of its ranks; or what is wrong with it."""
    if kind == nw.Boolean or kind.is_numeric():
        return np.asarray(column.cast(nw.Float64).to_numpy(), dtype=np.float64), None
    if kind in (nw.Categorical, nw.Enum):
        return _text_column([v if is_missing(v) else str(v) for v in column.to_list()])
    if kind in (nw.String, nw.Object):
        return _object_column(column.to_list())
    if kind == nw.Unknown and column.null_count() == len(column):  # the type without values
        return np.full(len(column), np.nan), None
    return unusable_type(None, kind)


def _ranked_columns(
    frame: Frame, kinds: _Kinds, to_read: Mask
) -> Iterator[tuple[list[int], Floats, list[list[str] | None]]]:
    """Yield columns of categories and texts, many at a time: their positions, ranks, and the texts of each."""
    categories = kinds.positions(lambda kind: kind in (nw.Categorical, nw.Enum))
    words = kinds.positions(lambda kind: kind in (nw.String, nw.Object))
    categories, words = ([i for i in some if to_read[i]] for some in (categories, words))
    pandas: pd.DataFrame = frame.to_native() if frame.implementation.is_pandas() else None
    if pandas is not None:
        for some, ranks, texts in category_ranks(pandas, categories):
            yield some, ranks, [texts] * len(some)
    elif frame.implementation.is_polars():  # pyarrow's dictionary arrays lose missing values
        words = sorted(categories + words)
    factorize = None if pandas is None else nw.get_native_namespace(frame).factorize
    for block in feature_blocks(len(words), len(frame), _BLOCK_TEXTS):
        some = words[block]
        # narwhals infers the types of object columns, which is expensive.
        values = (frame[:, some] if pandas is None else pandas.iloc[:, some]).to_numpy()
        if values.dtype == object:
            yield some, *text_ranks(values.T, factorize)


def _object_column(values: list[Any]) -> tuple[Floats, list[str] | None] | BadColumn:
    present = [value for value in values if not is_missing(value)]
    if all(isinstance(value, str) for value in present):
        return _text_column(values)
    if all(isinstance(value, int | float | Decimal | np.number | np.bool_) for value in present):
        numbers = [np.nan if is_missing(value) else as_double(value) for value in values]
        return np.array(numbers, dtype=np.float64), None
    types = sorted({type(value).__name__ for value in present})
    return mixed_types(None, types)


def _text_column(values: list[object]) -> tuple[Floats, list[str] | None]:
    ranks, texts = text_ranks(np.array([values], dtype=object))
    return ranks[0], texts[0]

"""Dataframes and tables as numbers: categories become ranks."""

from __future__ import annotations

import gc
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
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

# Texts are told apart with a table of columns by texts, which is at most so many times as large as the columns.
_MOST_TEXTS_PER_ROW = 8


def category_ranks(
    X: pd.DataFrame, places: list[int]
) -> Iterator[tuple[list[int], Floats, list[str]]]:
    """Columns of a pandas frame that are categories: those with the same, their ranks as rows, and the texts."""
    alike: dict[tuple[str, ...], tuple[list[int], list[Array]]] = {}

    def take(place: int, column: pd.Series) -> None:
        values = column.array
        texts = tuple(map(str, values.categories.tolist()))
        members, codes = alike.setdefault(texts, ([], []))
        members.append(place)
        codes.append(values.codes)

    _show_columns(X, places, take)
    for texts, (members, codes) in alike.items():
        rank = np.full(len(texts) + 1, np.nan)  # the last, -1, is for missing values
        rank[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
        yield members, rank[np.array(codes)], sorted(texts)


def _show_columns(
    X: pd.DataFrame, places: list[int], take: Callable[[int, pd.Series], None]
) -> None:
    """Call `take` with some columns of a pandas frame.

    Of the ways to many columns `apply` is the fastest, and unlike `items` it does not keep them; of a frame without
    rows it would show none.
    """
    if 4 * len(places) < X.shape[1] or not len(X):
        for place in places:
            take(place, X.iloc[:, place])
        return
    wanted = set(places)
    at = count()

    def show(column: pd.Series) -> None:
        place = next(at)
        if place in wanted:
            take(place, column)

    X.apply(show)


def text_ranks(columns: Array, factorize: Factorize | None = None) -> Ranked:
    """Ranks of texts among those of their column, of columns that are rows of objects, and the texts of each.

    A column with anything but texts and missing values has None for its texts, and its ranks mean nothing. `factorize`
    is that of pandas, which is faster than what Python can do, where pandas is at hand.
    """
    n_columns, n_rows = columns.shape
    found = _numbered(columns, factorize)
    if found is None and n_columns == 1:
        return np.empty(columns.shape), [None]
    step = 1 if found is None else _MOST_TEXTS_PER_ROW
    if found is None or (len(found[1]) > step * n_rows and n_columns > step):
        pieces = [text_ranks(columns[i : i + step], factorize) for i in range(0, n_columns, step)]
        return np.concatenate([ranks for ranks, _ in pieces]), [t for _, ts in pieces for t in ts]
    numbers, values = found
    is_text = np.array([isinstance(value, str) for value in values], dtype=bool)
    other = np.array([not isinstance(v, str) and not is_missing(v) for v in values], dtype=bool)
    texts = np.array([str(values[i]) for i in np.flatnonzero(is_text)], dtype=object)
    order = np.argsort(texts, kind="stable")
    place = np.full(len(values), len(texts))  # the last is for all that is no text
    place[np.flatnonzero(is_text)[order]] = np.arange(len(texts))
    places = place[numbers]
    present = np.zeros((n_columns, len(texts) + 1), dtype=bool)
    np.put_along_axis(present, places, True, axis=1)
    present[:, -1] = False
    levels = np.cumsum(present, axis=1, dtype=np.int32) - 1
    ranks = np.take_along_axis(levels, places, axis=1).astype(np.float64)
    ranks[places == len(texts)] = np.nan
    held = texts[order][np.nonzero(present)[1]].tolist()
    ends = [0, *np.cumsum(present.sum(axis=1)).tolist()]
    is_other: list[bool] = np.any(other[numbers], axis=1).tolist()
    return ranks, [
        None if no else held[a:b] for (a, b), no in zip(pairwise(ends), is_other, strict=True)
    ]


def _numbered(columns: Array, factorize: Factorize | None) -> tuple[Indices, list[object]] | None:
    """Every value as its number among the distinct ones, and these; None if some cannot be told apart."""
    values = columns.ravel()
    try:
        if factorize is not None:
            numbers, found = factorize(values)
            numbers[numbers < 0] = len(found)  # what is missing
            return numbers.reshape(columns.shape), [*found, None]
        number: defaultdict[object, int] = defaultdict(count().__next__)
        numbers = np.fromiter(
            map(number.__getitem__, values.tolist()), dtype=np.intp, count=len(values)
        )
    except TypeError:  # lists and their like have no hash
        return None
    return numbers.reshape(columns.shape), list(number)


_BLOCK_TEXTS = 1 << 20  # values that are objects at a time


@dataclass(frozen=True)
class FrameColumns:
    """The columns of a dataframe as numbers.

    Categories are replaced by their rank among the sorted categories, missing values by NaN, truth by 0 and 1.
    """

    matrix: Array  # (n_rows, n_columns)
    names: Names
    is_category: Mask
    texts: dict[int, list[str]] = field(default_factory=dict)  # of the ranks of each category
    rounded: list[int] = field(default_factory=list)  # of a block: whole numbers beyond doubles


def is_frame(X: DataLike) -> bool:
    """Whether `X` is a dataframe or table that narwhals reads; one that is not in memory is refused."""
    if isinstance(X, np.ndarray) or sparse.issparse(X):  # narwhals takes longer to say no
        return False
    if not (hasattr(X, "shape") or hasattr(type(X), "collect")):
        return False
    try:
        frame = nw.from_native(X, pass_through=True)
    except nw.exceptions.DuplicateError:
        names = Counter(str(name) for name in X.columns)
        twin = next(name for name, count in names.items() if count > 1)
        raise ValueError(f"X has more than one column named {twin!r}; rename them") from None
    if isinstance(frame, nw.LazyFrame) and not hasattr(X, "__array__"):
        raise ValueError("X is a lazy frame, whose rows are not in memory; give X.collect()")
    return isinstance(frame, nw.DataFrame)


def to_native(X: DataLike) -> DataLike:
    """Return the frame inside a narwhals wrapper, whose column names scikit-learn does not read; all else unchanged."""
    return nw.to_native(X, pass_through=True)


def with_plain_names(X: DataLike) -> DataLike:
    """Frames of pandas with names that are objects of Python: those of Arrow are slow to go through."""
    if not nw.dependencies.is_pandas_dataframe(X) or isinstance(X.columns.dtype, np.dtype):
        return X
    plain = X.copy(deep=False)
    plain.columns = X.columns.astype(object)
    return plain


def take_columns(X: DataLike, places: Indices, package: str = "default") -> DataLike:
    """Some columns of a dataframe, as a frame of its own kind or of a package by name; types stay."""
    frame = nw.from_native(X, eager_only=True)[:, places.tolist()]
    if package in ("default", frame.implementation.value):
        return frame.to_native()
    try:
        dense = nw.from_native(dense_frame(frame.to_native()), eager_only=True)
        return dense.to_polars() if package == "polars" else dense.to_pandas()
    except (ImportError, TypeError, ValueError):
        # pyarrow is not there, or does not know the objects.
        columns = {name: frame[name].to_numpy() for name in frame.columns}
        other: Any = package
        return nw.from_dict(columns, backend=other).to_native()


def take(X: DataLike, places: npt.ArrayLike, axis: int = 0) -> DataLike:
    """Some rows, or columns with ``axis=1``, of anything; scikit-learn before 1.8 cannot take those of pyarrow."""
    X = to_native(X)
    if not type(X).__module__.startswith("pyarrow"):
        return _safe_indexing(X, places, axis=axis)
    chosen = np.asarray(places)
    if chosen.dtype == bool:
        chosen = np.flatnonzero(chosen)
    return X.select(chosen.tolist()) if axis == 1 else X.take(chosen)


def with_shuffled_copies(X: DataLike, rng: np.random.Generator) -> DataLike:
    """The columns of X and, after them, a copy of each with its values in another order; what X is it stays."""
    n_rows, p = X.shape
    if sparse.issparse(X):
        copies = X.tocsc(copy=True)
        for j in range(p):
            stored = slice(*copies.indptr[j : j + 2])
            goes_to = np.argsort(rng.permutation(n_rows))
            copies.indices[stored] = goes_to[copies.indices[stored]]
        copies.has_sorted_indices = False
        return sparse.hstack([X, copies], format="csc")
    if not is_frame(X):
        own = np.asarray(X)
        copies = np.column_stack([rng.permutation(column) for column in own.T])
        return np.concatenate([own, copies], axis=1)
    frame = nw.from_native(X, eager_only=True)
    columns = dict(zip(map(str, frame.columns), frame.iter_columns(), strict=True))
    free = (name for name in map("shuffled {}".format, count()) if name not in columns)
    copies = {next(free): column[rng.permutation(n_rows)] for column in frame.iter_columns()}
    return nw.from_dict(columns | copies).to_native()


@contextmanager
def _collector_paused() -> Iterator[None]:
    """No garbage is looked for: pandas notes so much of every column that whole frames would be gone through."""
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
    """Read a dataframe, its numbers at once; a column that is no number and no category is refused.

    Excluded columns may be anything: unless they are numbers they are read as zeros. With `is_block` there are more
    rows elsewhere, to which values must be comparable.
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
    plain = kinds.places(lambda kind: kind.is_numeric() and not _is_wide(kind))
    if len(plain) == p:
        matrix = _matrix_of(frame, "fiu")
        rounded = [] if matrix is None else _rounded(matrix.T, kinds, is_used)
        if matrix is not None and (is_block or not rounded):
            return FrameColumns(matrix, names, is_category, rounded=rounded)
    columns = np.zeros((p, len(frame)), dtype=np.float64)
    to_read = is_used.copy()
    truths = kinds.places(lambda kind: kind == nw.Boolean)
    for some, letters in ((plain, "fiu"), (truths, "b")):
        numbers = _matrix_of(frame[:, some], letters) if some else None
        if numbers is not None:
            columns[some] = numbers.T
            to_read[some] = False
    texts: dict[int, list[str]] = {}
    for some, ranks, found in _ranked_columns(frame, kinds, to_read):
        columns[some] = ranks
        texts |= {i: own for i, own in zip(some, found, strict=True) if own is not None}
    to_read[list(texts)] = False
    left = np.flatnonzero(to_read).tolist()
    for i, column in zip(left, frame[:, left].iter_columns() if left else [], strict=True):
        columns[i], of_one = _read_column(column, kinds.of(i), names[i])
        if of_one is not None:
            texts[i] = of_one
    is_category[list(texts)] = True
    rounded = _rounded(columns, kinds, is_used)
    rounded = [i for i in rounded if kinds.of(i) != nw.Object or are_exact(frame[:, i].to_list())]
    for i in [] if is_block else rounded:
        columns[i] = from_smallest(as_they_are(frame[:, i]))
    return FrameColumns(columns.T, names, is_category, texts, rounded)


@dataclass(frozen=True)
class _Kinds:
    """The types of all columns: those found, and which of them each column has."""

    found: list[DType]
    which: Indices

    def places(self, is_wanted: Callable[[DType], bool]) -> list[int]:
        """Columns of the wanted types."""
        wanted = np.array([is_wanted(kind) for kind in self.found], dtype=bool)
        return np.flatnonzero(wanted[self.which]).tolist()

    def of(self, column: int) -> DType:
        return self.found[int(self.which[column])]


def _kinds(frame: Frame) -> _Kinds:
    """The type of every column; of pandas' many columns of one type only the first is asked, and none of objects."""
    if not frame.implementation.is_pandas():
        return _by_class(list(frame.schema.values()))
    pandas: pd.DataFrame = frame.to_native()
    dtypes = pandas.dtypes.to_numpy()
    # Most columns of one type share its object, and two types of categories are dear to compare.
    ids = np.fromiter(map(id, dtypes), dtype=np.int64, count=len(dtypes))
    _, first, which = np.unique(ids, return_index=True, return_inverse=True)
    names = np.array([dtype.name for dtype in dtypes[first]], dtype=object)[which]
    same_as = first[which]
    of_categories = np.flatnonzero(names == "category")
    same_as[of_categories] = of_categories[:1]
    asked, which = np.unique(same_as, return_inverse=True)
    is_object = names[asked] == "object"  # what they hold is seen when they are read
    found = np.full(len(asked), nw.Object(), dtype=object)
    found[~is_object] = list(frame[:, asked[~is_object].tolist()].schema.values())
    return _Kinds(found.tolist(), which)


def _by_class(kinds: list[DType]) -> _Kinds:
    """Kinds by their class: only of what is refused does more of them matter, for the message."""
    read = (nw.String, nw.Categorical, nw.Enum, nw.Boolean, nw.Object)
    first: dict[object, int] = {}
    which = [
        first.setdefault(type(kind) if kind.is_numeric() or type(kind) in read else kind, i)
        for i, kind in enumerate(kinds)
    ]
    asked, places = np.unique(which, return_inverse=True)
    return _Kinds([kinds[i] for i in asked], places)


def _matrix_of(frame: Frame, letters: str) -> Array | None:
    """All columns at once, where the library gives such numbers without a detour through objects."""
    matrix = frame.to_numpy()
    return matrix if matrix.dtype.kind in letters else None


def _is_wide(kind: DType) -> bool:
    """Whether numbers of this kind may have more digits than any of NumPy's."""
    return bool(kind.is_decimal() or kind in (nw.Int128, nw.UInt128))


def is_exact_kind(kind: DType) -> bool:
    """Whether numbers of this kind are whole or decimal."""
    return bool(kind.is_integer() or kind.is_decimal())


def _rounded(columns: Array, kinds: _Kinds, is_used: Mask) -> list[int]:
    """Columns in use of exact numbers that are too large for the doubles they were read as."""
    exact = kinds.places(lambda kind: is_exact_kind(kind) or kind == nw.Object)
    if columns.dtype.kind != "f" or not exact:
        return []
    highest, lowest = (f.reduce(columns, axis=1, initial=0) for f in (np.fmax, np.fmin))
    large = is_used & (np.maximum(highest, -lowest) >= LARGEST_EXACT)
    return [i for i in exact if large[i]]


def as_they_are(column: Column) -> Array:
    """The values of a column, as objects where they are no numbers of NumPy's."""
    if column.dtype.is_integer() and not _is_wide(column.dtype) and not column.null_count():
        return np.asarray(column.to_numpy())
    return np.array(column.to_list(), dtype=object)


def sparse_frame(X: DataLike) -> sparse.csc_matrix | None:
    """The matrix of a pandas frame whose columns are all sparse, with zeros left out; None of any other."""
    types = _sparse_types(X)
    if not types or len(types) < X.shape[1] or any(kind.fill_value for kind in types.values()):
        return None
    return X.sparse.to_coo().tocsc()


def dense_frame(X: DataLike) -> DataLike:
    """A pandas frame with the values of its sparse columns one by one; any other as it is."""
    types = _sparse_types(X)
    return X.astype({name: kind.subtype for name, kind in types.items()}) if types else X


def _sparse_types(X: DataLike) -> dict[str, pd.SparseDtype]:
    """The types of a pandas frame's sparse columns, known by name, as pandas need not be there."""
    if not nw.dependencies.is_pandas_dataframe(X):
        return {}
    sparse_kinds = {kind for kind in set(map(type, X.dtypes)) if kind.__name__ == "SparseDtype"}
    if not sparse_kinds:
        return {}
    return {name: kind for name, kind in X.dtypes.items() if type(kind) in sparse_kinds}


def _read_column(column: Column, kind: DType, name: str) -> tuple[Floats, list[str] | None]:
    """The numbers of a column, and of a category the texts of its ranks."""
    if kind == nw.Boolean or kind.is_numeric():
        return np.asarray(column.cast(nw.Float64).to_numpy(), dtype=np.float64), None
    if kind in (nw.Categorical, nw.Enum):
        return _text_column([v if is_missing(v) else str(v) for v in column.to_list()])
    if kind in (nw.String, nw.Object):
        return _object_column(column.to_list(), name)
    raise reject_type(name, kind)


def reject_type(name: str, kind: object) -> ValueError:
    return ValueError(
        f"column {name!r} has the type {kind}, which is neither a number nor a category; "
        "convert or drop it, or name it in exclude"
    )


def _ranked_columns(
    frame: Frame, kinds: _Kinds, to_read: Mask
) -> Iterator[tuple[list[int], Floats, list[list[str] | None]]]:
    """Columns of categories and texts, many at a time: their ranks, and the texts of each; None where it has others."""
    categories = kinds.places(lambda kind: kind in (nw.Categorical, nw.Enum))
    words = kinds.places(lambda kind: kind in (nw.String, nw.Object))
    categories, words = ([i for i in some if to_read[i]] for some in (categories, words))
    pandas: pd.DataFrame = frame.to_native() if frame.implementation.is_pandas() else None
    if pandas is not None:
        for some, ranks, found in category_ranks(pandas, categories):
            yield some, ranks, [found] * len(some)
    elif frame.implementation.is_polars():  # pyarrow's arrays of dictionaries lose what is missing
        words = sorted(categories + words)
    factorize = None if pandas is None else nw.get_native_namespace(frame).factorize
    for block in feature_blocks(len(words), len(frame), _BLOCK_TEXTS):
        some = words[block]
        # The types of columns of objects are dear to ask for, and narwhals asks.
        values = (frame[:, some] if pandas is None else pandas.iloc[:, some]).to_numpy()
        if values.dtype == object:
            yield some, *text_ranks(values.T, factorize)


def _object_column(values: list[object], name: str) -> tuple[Floats, list[str] | None]:
    present = [value for value in values if not is_missing(value)]
    if all(isinstance(value, str) for value in present):
        return _text_column(values)
    if all(isinstance(value, int | float | Decimal | np.number | np.bool_) for value in present):
        numbers = [np.nan if is_missing(value) else as_double(value) for value in values]
        return np.array(numbers, dtype=np.float64), None
    types = sorted({type(value).__name__ for value in present})
    raise ValueError(
        f"column {name!r} mixes values of the types {', '.join(types)}; make it all numbers or all strings"
    )


def _text_column(values: list[object]) -> tuple[Floats, list[str] | None]:
    ranks, texts = text_ranks(np.array([values], dtype=object))
    return ranks[0], texts[0]

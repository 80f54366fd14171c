"""Dataframes and tables, of any library that narwhals knows, as one numeric matrix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils import _safe_indexing

from thresher._checks import is_missing, resolve_features

LARGEST_EXACT = 1 << 53  # whole numbers beyond it have no double of their own


@dataclass(frozen=True)
class FrameColumns:
    """The columns of a dataframe as numbers.

    Categories are replaced by their rank among the sorted categories, missing values by NaN, truth by 0 and 1.
    """

    matrix: npt.NDArray[Any]  # (n_rows, n_columns)
    names: npt.NDArray[np.object_]
    is_category: npt.NDArray[np.bool_]
    texts: dict[int, list[str]] = field(default_factory=dict)  # of the ranks of each category
    rounded: list[int] = field(default_factory=list)  # of a block: whole numbers beyond doubles


def is_frame(X: Any) -> bool:
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


def take_columns(
    X: Any,
    places: npt.NDArray[np.intp],
    package: str = "default",
) -> Any:
    """Some columns of a dataframe, as a frame of its own kind or of a package by name; types stay."""
    frame = nw.from_native(X, eager_only=True)[:, places.tolist()]
    if package in ("default", frame.implementation.value):
        return frame.to_native()
    columns = {name: frame[name].to_numpy() for name in frame.columns}
    other: Any = package
    return nw.from_dict(columns, backend=other).to_native()


def take(X: Any, places: Any, axis: int = 0) -> Any:
    """Some rows, or columns with ``axis=1``, of anything; scikit-learn before 1.8 cannot take those of pyarrow."""
    if not type(X).__module__.startswith("pyarrow"):
        return _safe_indexing(X, places, axis=axis)
    chosen = np.asarray(places)
    if chosen.dtype == bool:
        chosen = np.flatnonzero(chosen)
    return X.select(chosen.tolist()) if axis == 1 else X.take(chosen)


def read_frame(X: Any, exclude: Any = None, *, is_block: bool = False) -> FrameColumns:
    """Read a dataframe, its numbers at once; a column that is no number and no category is refused.

    Excluded columns may be anything: unless they are numbers they are read as zeros. With `is_block` there are more
    rows elsewhere, to which values must be comparable.
    """
    frame = nw.from_native(X, eager_only=True)
    names = np.array([str(name) for name in frame.columns], dtype=object)
    p = len(names)
    kinds = _kinds(frame)
    is_category = np.zeros(p, dtype=bool)
    plain = kinds.places(lambda kind: kind.is_numeric() and not kind.is_decimal())
    if len(plain) == p:
        matrix = _matrix_of(frame, "fiu")
        rounded = [] if matrix is None else _rounded(matrix.T, kinds)
        if matrix is not None and (is_block or not rounded):
            return FrameColumns(matrix, names, is_category, rounded=rounded)
    columns = np.zeros((p, len(frame)), dtype=np.float64)
    to_read = np.ones(p, dtype=bool)
    truths = kinds.places(lambda kind: kind == nw.Boolean)
    for some, letters in ((plain, "fiu"), (truths, "b")):
        numbers = _matrix_of(frame[:, some], letters) if some else None
        if numbers is not None:
            columns[some] = numbers.T
            to_read[some] = False
    rounded = _rounded(columns, kinds)
    for i in [] if is_block else rounded:
        columns[i] = from_smallest(frame[:, i].to_numpy())
    texts: dict[int, list[str]] = {}
    to_read[resolve_features("exclude", exclude, names, p)] = False
    if frame.implementation.is_pandas():
        known = kinds.places(lambda kind: kind in (nw.Categorical, nw.Enum))
        for i, values in _arrays_of(X, [i for i in known if to_read[i]]):
            columns[i], texts[i] = _known_codes(values)
            to_read[i] = False
    for i in np.flatnonzero(to_read).tolist():
        columns[i], found = _read_column(frame[:, i], kinds.of(i), names[i])
        if found is not None:
            texts[i] = found
    is_category[list(texts)] = True
    return FrameColumns(columns.T, names, is_category, texts, rounded)


@dataclass(frozen=True)
class _Kinds:
    """The types of all columns: those found, and which of them each column has."""

    found: list[Any]
    which: npt.NDArray[np.intp]

    def places(self, is_wanted: Callable[[Any], bool]) -> list[int]:
        """Columns of the wanted types."""
        wanted = np.array([is_wanted(kind) for kind in self.found], dtype=bool)
        places: list[int] = np.flatnonzero(wanted[self.which]).tolist()
        return places

    def of(self, column: int) -> Any:
        return self.found[self.which[column]]


def _kinds(frame: Any) -> _Kinds:
    """The type of every column; of pandas' many columns of one type only the first is asked."""
    if not frame.implementation.is_pandas():
        kinds = list(frame.schema.values())
        return _Kinds(kinds, np.arange(len(kinds)))
    dtypes = frame.to_native().dtypes.to_numpy()
    # Most columns of one type share its object, and two types of categories are dear to compare.
    ids = np.fromiter(map(id, dtypes), dtype=np.int64, count=len(dtypes))
    _, first, which = np.unique(ids, return_index=True, return_inverse=True)
    names = np.array([dtype.name for dtype in dtypes[first]], dtype=object)[which]
    same_as = first[which]
    of_objects = np.flatnonzero(names == "object")  # each may hold something else
    same_as[of_objects] = of_objects
    of_categories = np.flatnonzero(names == "category")
    same_as[of_categories] = of_categories[:1]
    asked, which = np.unique(same_as, return_inverse=True)
    return _Kinds(list(frame[:, asked.tolist()].schema.values()), which)


def _matrix_of(frame: Any, letters: str) -> npt.NDArray[Any] | None:
    """All columns at once, where the library gives such numbers without a detour through objects."""
    matrix = frame.to_numpy()
    return matrix if matrix.dtype.kind in letters else None


def _rounded(columns: npt.NDArray[Any], kinds: _Kinds) -> list[int]:
    """Columns of whole numbers that are too large for the doubles they were read as."""
    integers = kinds.places(lambda kind: kind.is_integer()) if columns.dtype.kind == "f" else []
    if not integers:
        return []
    size = np.maximum(columns.max(axis=1, initial=0), -columns.min(axis=1, initial=0))
    return [i for i in integers if size[i] >= LARGEST_EXACT]


def from_smallest(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Whole numbers that doubles cannot tell apart as their distance from the smallest, where that is exact."""
    if values.dtype.kind not in "iu" or int(values.max()) - int(values.min()) >= LARGEST_EXACT:
        return values
    distances: npt.NDArray[Any] = values - values.min()
    return distances


def _read_column(
    column: Any, kind: Any, name: str
) -> tuple[npt.NDArray[np.float64], list[str] | None]:
    """The numbers of a column, and of a category the texts of its ranks."""
    if kind == nw.Boolean or kind.is_numeric():
        return np.asarray(column.cast(nw.Float64).to_numpy(), dtype=np.float64), None
    if kind == nw.String and column.implementation.is_pandas_like():
        codes, texts = column.to_native().factorize()
        return _ranked(codes, texts)
    if kind == nw.String and column.implementation.is_polars():
        texts = column.drop_nulls().unique().sort().to_list()
        return column.rank("dense").cast(nw.Float64).to_numpy() - 1, texts
    if kind in (nw.String, nw.Categorical, nw.Enum):
        return _category_codes([v if is_missing(v) else str(v) for v in column.to_list()])
    if kind == nw.Object:
        return _object_column(column.to_list(), name)
    raise refuse_type(name, kind)


def refuse_type(name: str, kind: Any) -> ValueError:
    return ValueError(
        f"column {name!r} has the type {kind}, which is neither a number nor a category; "
        "convert or drop it, or name it in exclude"
    )


def _arrays_of(X: Any, places: list[int]) -> Iterator[tuple[int, Any]]:
    """Columns of a pandas frame: all in a row where many are wanted, as to find one takes several times as long."""
    if 4 * len(places) < X.shape[1]:
        yield from ((i, X.iloc[:, i].array) for i in places)
        return
    wanted = set(places)
    yield from ((i, column.array) for i, (_, column) in enumerate(X.items()) if i in wanted)


def _known_codes(values: Any) -> tuple[npt.NDArray[np.float64], list[str]]:
    """Codes of pandas' categories, which it has already."""
    return _ranked(values.codes, values.categories.tolist())


def _ranked(
    codes: npt.NDArray[Any], categories: Iterable[Any]
) -> tuple[npt.NDArray[np.float64], list[str]]:
    """Codes of categories as ranks of their texts, and these."""
    texts = [str(category) for category in categories]
    rank = np.full(len(texts) + 1, np.nan)  # the last, -1, is for missing values
    rank[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
    ranks: npt.NDArray[np.float64] = rank[codes]
    return ranks, sorted(texts)


def _object_column(
    values: list[Any], name: str
) -> tuple[npt.NDArray[np.float64], list[str] | None]:
    present = [value for value in values if not is_missing(value)]
    if all(isinstance(value, str) for value in present):
        return _category_codes(values)
    if all(isinstance(value, int | float | np.number | np.bool_) for value in present):
        numbers = [np.nan if is_missing(value) else float(value) for value in values]
        return np.array(numbers, dtype=np.float64), None
    types = sorted({type(value).__name__ for value in present})
    raise ValueError(
        f"column {name!r} mixes values of the types {', '.join(types)}; make it all numbers or all strings"
    )


def _category_codes(values: list[Any]) -> tuple[npt.NDArray[np.float64], list[str]]:
    present = sorted({value for value in values if not is_missing(value)})
    code = {value: float(i) for i, value in enumerate(present)}
    missing = float("nan")
    return np.array([code.get(value, missing) for value in values], dtype=np.float64), present

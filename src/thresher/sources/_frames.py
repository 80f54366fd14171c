"""Dataframes and tables, of any library that narwhals knows, as one numeric matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class FrameColumns:
    """The columns of a dataframe as numbers.

    Categories are replaced by their rank among the sorted categories that occur, missing values by NaN.
    """

    matrix: npt.NDArray[Any]  # (n_rows, n_columns)
    names: npt.NDArray[np.object_]
    is_category: npt.NDArray[np.bool_]


def is_frame(X: Any) -> bool:
    """Whether `X` is an eager dataframe or table that narwhals reads."""
    if isinstance(X, np.ndarray) or not hasattr(X, "shape"):
        return False
    try:
        return isinstance(nw.from_native(X, eager_only=True, pass_through=True), nw.DataFrame)
    except nw.exceptions.DuplicateError:
        names = [str(name) for name in X.columns]
        twin = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"X has more than one column named {twin!r}; rename them") from None


def read_frame(X: Any) -> FrameColumns:
    """Read a dataframe, its numbers at once; a column that is no number and no category is refused."""
    frame = nw.from_native(X, eager_only=True)
    names = np.array([str(name) for name in frame.columns], dtype=object)
    schema = frame.schema  # a property that looks at every column
    is_category = np.zeros(len(names), dtype=bool)
    plain = [i for i, kind in enumerate(schema.values()) if _is_plain_number(kind)]
    if len(plain) == len(names):
        matrix = _plain_matrix(frame)
        if matrix is not None:
            return FrameColumns(matrix, names, is_category)
    columns = np.empty((len(names), len(frame)), dtype=np.float64)
    is_read = np.zeros(len(names), dtype=bool)
    numbers = _plain_matrix(frame[:, plain]) if 0 < len(plain) < len(names) else None
    if numbers is not None:
        columns[plain] = numbers.T
        is_read[plain] = True
    for i, (name, kind) in enumerate(schema.items()):
        if not is_read[i]:
            columns[i], is_category[i] = _read_column(frame[name], kind, name)
    return FrameColumns(columns.T, names, is_category)


def _is_plain_number(kind: Any) -> bool:
    return bool(kind.is_numeric()) and not kind.is_decimal()


def _plain_matrix(frame: Any) -> npt.NDArray[Any] | None:
    """All columns at once, where the library gives numbers without a detour through objects."""
    matrix = frame.to_numpy()
    return matrix if matrix.dtype.kind in "fiu" else None


def _read_column(
    column: Any, kind: Any, name: str
) -> tuple[npt.NDArray[np.float64] | Sequence[float], bool]:
    if kind == nw.Boolean:
        return _to_float(column.cast(nw.Float64)), True
    if kind.is_numeric():
        return _to_float(column.cast(nw.Float64)), False
    if kind in (nw.String, nw.Categorical, nw.Enum):
        return _category_codes(_values(column.cast(nw.String))), True
    if kind == nw.Object:
        return _object_column(_values(column), name)
    raise ValueError(
        f"column {name!r} has the type {kind}, which is neither a number nor a category; "
        "convert or drop it"
    )


def _to_float(column: Any) -> npt.NDArray[np.float64]:
    return np.asarray(column.to_numpy(), dtype=np.float64)


def _values(column: Any) -> list[Any]:
    """The values as Python objects, None where missing."""
    missing = column.is_null().to_list()
    values = column.to_list()
    return [None if gone else value for value, gone in zip(values, missing, strict=True)]


def _object_column(values: list[Any], name: str) -> tuple[npt.NDArray[np.float64], bool]:
    present = [value for value in values if value is not None]
    if all(isinstance(value, str) for value in present):
        return _category_codes(values), True
    if all(isinstance(value, int | float | np.number | bool) for value in present):
        numbers = [np.nan if value is None else float(value) for value in values]
        is_bool = bool(present) and all(isinstance(value, bool | np.bool_) for value in present)
        return np.array(numbers, dtype=np.float64), is_bool
    types = sorted({type(value).__name__ for value in present})
    raise ValueError(
        f"column {name!r} mixes values of the types {', '.join(types)}; make it all numbers or all strings"
    )


def _category_codes(values: list[Any]) -> npt.NDArray[np.float64]:
    present = sorted({value for value in values if value is not None})
    code = {value: float(i) for i, value in enumerate(present)}
    missing = float("nan")
    return np.array([code.get(value, missing) for value in values], dtype=np.float64)

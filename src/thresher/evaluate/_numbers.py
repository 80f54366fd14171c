"""Columns of any kind as numbers, for estimators that take nothing else."""

from __future__ import annotations

from typing import Any, Self

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from thresher._checks import is_missing
from thresher.sources import is_frame

__all__ = ["Numbers"]

_NUMBERS = (bool, int, float, np.number, np.bool_)


class Numbers(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Columns as numbers: a column that is no number becomes one column of 0 and 1 for each value seen in training.

    For frames and for what selectors make of them inside a pipeline. Values not seen in training are 0 in all of
    these columns; missing values are a value of their own there, and nan among numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> from thresher.evaluate import Numbers
    >>> frame = pd.DataFrame({"age": [30, None, 50], "sex": ["m", "f", "m"]})
    >>> Numbers().fit_transform(frame).tolist()
    [[30.0, 0.0, 1.0], [nan, 1.0, 0.0], [50.0, 0.0, 1.0]]
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        self.values_ = [
            sorted(set(column)) if column.dtype == object else None for column in _columns(X)
        ]
        return self

    def transform(self, X: Any) -> npt.NDArray[np.float64]:
        check_is_fitted(self)
        columns: list[Any] = []
        for column, known in zip(_columns(X), self.values_, strict=True):
            if known is None:
                columns.append(column)
            else:
                columns += [column == value for value in known]
        return np.column_stack(columns).astype(np.float64)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


def _columns(X: Any) -> list[Any]:
    """The columns of a table: floats, or objects that are all text."""
    if sparse.issparse(X):
        return list(X.toarray().T.astype(np.float64))
    if not is_frame(X):
        return [_as_column(column) for column in np.asarray(X).T]
    frame = nw.from_native(X, eager_only=True)
    return [
        _as_column(np.asarray(frame[:, i].to_list(), dtype=object)) for i in range(frame.shape[1])
    ]


def _as_column(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if values.dtype.kind in "biuf":
        return values.astype(np.float64)
    missing = [is_missing(value) for value in values]
    if all(gap or isinstance(v, _NUMBERS) for v, gap in zip(values, missing, strict=True)):
        return np.where(missing, np.nan, values).astype(np.float64)
    # A value of which the text is empty is still none that is missing.
    text = ["" if gap else f"={v}" for v, gap in zip(values, missing, strict=True)]
    return np.array(text, dtype=object)

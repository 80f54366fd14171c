"""Columns of any kind as numbers, for estimators that accept nothing else."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

from thresher._utils.checks import is_missing
from thresher.data import is_frame


def encode_before(*steps: Any) -> Pipeline:
    """Return a pipeline that encodes categories as columns of 0 and 1 before these steps.

    It accepts every table that selectors accept, on every version of scikit-learn that we support.
    """
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    columns = ColumnTransformer([("categories", encoder, _texts)], remainder="passthrough")
    return make_pipeline(FunctionTransformer(_as_array), columns, *steps)


def types_with_missing(X: Any) -> dict[str, str]:
    """Return the types that columns of a pandas frame need because scikit-learn does not accept ``pandas.NA``."""
    if not nw.dependencies.is_pandas_dataframe(X):
        return {}
    frame = nw.from_native(X, eager_only=True)
    return {
        name: "float64" if kind.is_numeric() or kind == nw.Boolean else "category"
        for name, kind in frame.schema.items()
        if not isinstance(X[name].dtype, np.dtype) and kind != nw.Categorical and X[name].hasnans
    }


def _as_array(X: Any) -> npt.NDArray[Any]:
    """Return a table as a matrix, a frame as one of floats and texts with NaN where a value is missing."""
    if not is_frame(X):
        return X.toarray() if sparse.issparse(X) else np.asarray(X)
    frame = nw.from_native(X, eager_only=True)
    array = np.empty(frame.shape, dtype=object)
    for i, (column, kind) in enumerate(
        zip(frame.iter_columns(), frame.schema.values(), strict=True)
    ):
        is_number = kind.is_numeric() or kind == nw.Boolean
        array[:, i] = [
            np.nan if is_missing(value) else float(value) if is_number else str(value)
            for value in column.to_list()
        ]
    return array


def _texts(array: npt.NDArray[Any]) -> list[int]:
    """Return the positions of the columns that contain text."""
    if array.dtype.kind != "O":
        return []
    return [i for i, column in enumerate(array.T) if any(isinstance(v, str) for v in column)]

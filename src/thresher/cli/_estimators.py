"""Estimators that judge selections of columns of any kind."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from thresher.cli._errors import BadInput
from thresher.cli._options import Source
from thresher.sources import read_target

CLASSIFIERS = {
    "logistic": LogisticRegression(max_iter=1000),
    "bayes": GaussianNB(),
    "neighbours": KNeighborsClassifier(),
    "forest": RandomForestClassifier(100),
}
REGRESSORS = {
    "ridge": Ridge(),
    "neighbours": KNeighborsRegressor(),
    "forest": RandomForestRegressor(100),
}


class Numbers(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Columns as numbers: text becomes one column for each value seen in training."""

    def fit(self, X: Any, y: Any = None) -> Self:
        self.values_ = [
            None if column.dtype.kind != "O" else sorted(set(column)) for column in _columns(X)
        ]
        return self

    def transform(self, X: Any) -> Any:
        if not hasattr(X, "column_names"):
            return X.toarray() if sparse.issparse(X) else X
        columns: list[Any] = []
        for column, known in zip(_columns(X), self.values_, strict=True):
            columns += [column] if known is None else [column == value for value in known]
        return np.column_stack(columns).astype(np.float64)


def _columns(X: Any) -> list[Any]:
    """The columns of a table: numbers, or objects that are all text."""
    if not hasattr(X, "column_names"):
        return []
    columns = [column.to_numpy() for column in X.columns]
    return [
        np.array(["" if value is None else str(value) for value in column], dtype=object)
        if any(isinstance(value, str) for value in column[:1000])
        else column.astype(np.float64)
        for column in columns
    ]


def estimators_for(y: Any, wanted: list[str], source: Source) -> dict[str, Any]:
    """Pipelines around the wanted estimators, by default around the first that fits the target."""
    is_nominal = read_target(y, len(y), kind=source.target_kind or "auto").is_nominal
    known: dict[str, Any] = CLASSIFIERS if is_nominal else REGRESSORS
    names = wanted or [next(iter(known))]
    for name in names:
        if name not in known:
            kind = "classes" if is_nominal else "a numeric target"
            raise BadInput(f"--estimator {name[:60]}: for {kind} there are {', '.join(known)}")
    found = {}
    for name in names:
        model = clone(known[name])
        if "random_state" in model.get_params():
            model.set_params(random_state=source.seed)
        filled = SimpleImputer(keep_empty_features=True)
        found[name] = make_pipeline(Numbers(), filled, StandardScaler(), model)
    return found

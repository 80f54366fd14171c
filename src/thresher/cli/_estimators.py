"""Estimators that judge selections of columns of any kind."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.preprocessing import StandardScaler

from thresher.cli._errors import BadInput
from thresher.cli._options import Source
from thresher.data import read_target
from thresher.evaluate._encode import encode_before

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
        found[name] = encode_before(filled, StandardScaler(), model)
    return found

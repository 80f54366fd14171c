"""The base class of selectors around other selectors, and the use of third-party selectors."""

from __future__ import annotations

from collections.abc import Sized
from functools import partial
from typing import Self

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils import Tags, get_tags
from sklearn.utils._metadata_requests import _raise_for_params
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from thresher._utils.long_calls import call_interruptibly, reporting_for
from thresher._utils.params import MetaEstimatorMixin, estimator, param
from thresher._utils.types import (
    DataLike,
    Estimator,
    FeatureNames,
    Floats,
    Mask,
    RandomState,
    Selector,
    TargetLike,
    Values,
)
from thresher.data import take
from thresher.selectors._base import BaseSelector
from thresher.selectors.mrmr import MRMR

Positions = npt.NDArray[np.intp]

# Names of the parameter for the number of features.
_SIZE_PARAMETERS = ("n_features_to_select", "k", "max_features")


def order_of_choice(selector: Estimator) -> Positions:
    """Return the features that a fitted selector chose, best first as far as its attributes rank them.

    They are those of ``get_support()``, in the order of ``selected_`` if that lists them. Otherwise the order is that
    of ``ranking_`` (1 is best), then ``scores_`` (large is best), then the importances of a fitted ``estimator_``
    (absolute coefficients, or ``feature_importances_``), then position. Attributes that are missing or have another
    shape are skipped; nan comes last.
    """
    support = np.asarray(selector.get_support(), dtype=bool)
    chosen = np.flatnonzero(support)
    listed = getattr(selector, "selected_", None)
    if listed is not None:
        order = np.asarray(listed)
        if order.ndim == 1 and order.dtype.kind in "iu" and np.array_equal(np.sort(order), chosen):
            return order.astype(np.intp)
    keys = (
        -_of_chosen(_importances(selector), support),
        -_of_chosen(getattr(selector, "scores_", None), support),
        _of_chosen(getattr(selector, "ranking_", None), support),
    )
    # lexsort puts nan last and leaves equal ones in the order of their positions.
    return np.asarray(chosen[np.lexsort(keys)], dtype=np.intp)


def attribute_per_feature(
    selector: Estimator, name: str, features: Positions, n_features: int
) -> Floats:
    """Return a fitted attribute of each feature that the selector was fitted on, nan for the others."""
    values = getattr(selector, name, ())
    per_feature = np.full(n_features, np.nan)
    if np.shape(values) == features.shape:
        per_feature[features] = values
    return per_feature


def resize(selector: Estimator, size: int) -> Estimator | None:
    """Return a clone of the selector that selects `size` features; None if it has no parameter for that."""
    resized = getattr(selector, "_resized", None)
    if resized is not None:
        return resized(size)
    parameters = selector.get_params(deep=False)
    for parameter in _SIZE_PARAMETERS:
        if parameter in parameters:
            given: Values = {parameter: size}
            if parameter == "max_features" and parameters.get("threshold", 0) is None:
                given["threshold"] = -np.inf  # else only features that are better than the mean
            return clone(selector).set_params(**given)
    return None


def _of_chosen(values: npt.ArrayLike | None, support: Mask) -> Floats:
    """Return one number per chosen feature, from one per feature or per chosen one; zeros without numbers."""
    n_chosen = int(support.sum())
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        return np.zeros(n_chosen)
    if numbers.shape == support.shape:
        return numbers[support]
    return numbers if numbers.shape == (n_chosen,) else np.zeros(n_chosen)


def _importances(selector: Estimator) -> npt.ArrayLike | None:
    estimator = getattr(selector, "estimator_", None)
    importances: npt.ArrayLike | None = getattr(estimator, "feature_importances_", None)
    if importances is not None:
        return importances
    coefficients = getattr(estimator, "coef_", None)
    if coefficients is None or hasattr(coefficients, "toarray"):
        return None
    sizes = np.abs(np.asarray(coefficients, dtype=np.float64))
    return sizes if sizes.ndim == 1 else sizes.sum(axis=0)


def fit_on_rows(
    selector: Estimator, X: DataLike, y: TargetLike, rows: Positions, params: Values, n_rows: int
) -> Estimator:
    """Fit a selector on some rows; of parameters with one value per row take the values of these rows."""
    some = {
        name: take(value, rows) if _is_per_row(value, n_rows) else value
        for name, value in params.items()
    }
    fit = partial(selector.fit, take(X, rows), None if y is None else take(y, rows), **some)
    with reporting_for():
        if type(selector).__module__.partition(".")[0] == "thresher":
            return fit()
        return call_interruptibly(fit, n_threads=None)


def _is_per_row(value: object, n_rows: int) -> bool:
    return isinstance(value, Sized) and not isinstance(value, str) and len(value) == n_rows


# Older pipelines request the routing of fit_transform too.
FITTING = MethodMapping().add(caller="fit", callee="fit").add(caller="fit_transform", callee="fit")


def kept_by(selector: Estimator) -> str:
    """Return the parameter ``keep`` of a selector, or of one inside it, as text; empty if it is not set."""
    for name, value in selector.get_params().items():
        if name.split("__")[-1] == "keep" and value is not None and np.size(value):
            return f"{name}={value!r}"
    return ""


def excluded_by(selector: Estimator) -> tuple[str, FeatureNames]:
    """Return the name and value of ``exclude`` of a selector, or of the first one inside it."""
    inside = getattr(selector, "_first_inside", None)
    if inside is None:
        return "exclude", getattr(selector, "exclude", None)
    outer_name, inner = inside()
    name, value = excluded_by(inner)
    return f"{outer_name}__{name}", value


@estimator
class MetaSelector(MetaEstimatorMixin, BaseSelector):
    """The base class of `Ensemble` and `ErrorControlled`, with the parameter `selector`."""

    selector: Selector | None = param(default=None, kw_only=False)
    random_state: RandomState = param(default=None)
    verbose: int = param(default=0)

    def _given_selector(self) -> Estimator:
        given = MRMR() if self.selector is None else self.selector
        if isinstance(given, type) or not hasattr(given, "fit") or not hasattr(given, "get_params"):
            raise ValueError(f"selector must be a selector such as MRMR(), got {given!r}")
        return given

    def _first_inside(self) -> tuple[str, Estimator]:
        return "selector", self._given_selector()

    def _copy_names(self, fitted: Estimator) -> None:
        """Copy the number and the names of the features from a fitted selector."""
        self.n_features_in_ = fitted.n_features_in_
        if hasattr(fitted, "feature_names_in_"):
            self.feature_names_in_ = fitted.feature_names_in_

    def _routed(self, params: Values) -> Values:
        """Return those parameters that the ``fit`` of the selector inside requests."""
        _raise_for_params(params, self, "fit")
        return dict(process_routing(self, "fit", **params)["selector"]["fit"]) if params else {}

    def _resized(self, k: int) -> Self:
        """Return a clone around a selector of `k` features."""
        selector = resize(self._given_selector(), k)
        if selector is None:
            inside = type(self._given_selector()).__name__
            raise ValueError(f"the selector {inside} has no parameter n_features_to_select or k")
        resized: Self = clone(self).set_params(selector=selector)
        return resized

    def _check_state(self) -> None:
        super()._check_state()
        if not isinstance(self._given_selector(), BaseSelector):
            raise ValueError(f"{type(self).__name__} has a selector that is not from thresher")

    def get_metadata_routing(self) -> MetadataRouter:
        """Return the router of metadata to the selector; see scikit-learn's user guide on metadata routing."""
        router = MetadataRouter(owner=self).add_self_request(self)
        return router.add(selector=self._given_selector(), method_mapping=FITTING)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._given_selector())
        tags.input_tags = inner.input_tags
        tags.target_tags = inner.target_tags
        return tags

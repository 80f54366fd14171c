"""A selector around another one."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils._metadata_requests import _raise_for_params
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from thresher._utils.estimator import MetaEstimatorMixin
from thresher._utils.params import estimator, param
from thresher._utils.types import Selector
from thresher.selectors._base import BaseSelector
from thresher.selectors._foreign import resize
from thresher.selectors.mrmr import MRMR

# Older pipelines ask what fit_transform passes on.
FITTING = MethodMapping().add(caller="fit", callee="fit").add(caller="fit_transform", callee="fit")


def kept_by(selector: Any) -> str:
    """The parameter ``keep`` of a selector, or of one inside it, as text; empty if nothing is kept."""
    for name, value in selector.get_params().items():
        if name.split("__")[-1] == "keep" and value is not None and np.size(value):
            return f"{name}={value!r}"
    return ""


def excluded_by(selector: Any) -> tuple[str, Any]:
    """The parameter ``exclude`` of a selector, or of the first one inside it, by name, and its value."""
    inside = getattr(selector, "_first_inside", None)
    if inside is None:
        return "exclude", getattr(selector, "exclude", None)
    own, inner = inside()
    name, value = excluded_by(inner)
    return f"{own}__{name}", value


@estimator
class MetaSelector(MetaEstimatorMixin, BaseSelector):
    """What `Ensemble` and `ErrorControlled` share; the parameter `selector` is the one inside."""

    selector: Selector | None = param(default=None, kw_only=False)
    random_state: Any = param(default=None)
    verbose: int = param(default=0)

    def _given_selector(self) -> Any:
        given = MRMR() if self.selector is None else self.selector
        if isinstance(given, type) or not hasattr(given, "fit") or not hasattr(given, "get_params"):
            raise ValueError(f"selector must be a selector such as MRMR(), got {given!r}")
        return given

    def _first_inside(self) -> tuple[str, Any]:
        return "selector", self._given_selector()

    def _take_names(self, fitted: Any) -> None:
        """What is known of the columns is what a selector that read them knows."""
        self.n_features_in_ = fitted.n_features_in_
        if hasattr(fitted, "feature_names_in_"):
            self.feature_names_in_ = fitted.feature_names_in_

    def _routed(self, params: dict[str, Any]) -> dict[str, Any]:
        """What of these the ``fit`` of the selector inside asks for."""
        _raise_for_params(params, self, "fit")
        return dict(process_routing(self, "fit", **params)["selector"]["fit"]) if params else {}

    def _resized(self, k: int) -> Any:
        """A clone around a selector of `k` features."""
        selector = resize(self._given_selector(), k)
        if selector is None:
            inside = type(self._given_selector()).__name__
            raise ValueError(f"the selector {inside} has no parameter n_features_to_select or k")
        return clone(self).set_params(selector=selector)

    def _check_state(self) -> None:
        super()._check_state()
        if not isinstance(self._given_selector(), BaseSelector):
            raise ValueError(f"{type(self).__name__} has a selector that is none of thresher")

    def get_metadata_routing(self) -> Any:
        """What is passed to the selector; see scikit-learn's user guide on metadata routing."""
        router = MetadataRouter(owner=self).add_self_request(self)
        return router.add(selector=self._given_selector(), method_mapping=FITTING)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._given_selector())
        tags.input_tags = inner.input_tags
        tags.target_tags = inner.target_tags
        return tags

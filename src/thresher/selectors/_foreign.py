"""Any selector, ours or another's: its number of features, its fit on some rows, and what it tells of its choice."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from thresher._utils.interrupt import call_interruptibly
from thresher._utils.progress import on_behalf
from thresher.data import take

Floats = npt.NDArray[np.float64]
Positions = npt.NDArray[np.intp]

# Names of the number of features to choose.
_SIZE_PARAMETERS = ("n_features_to_select", "k", "max_features")


def order_of_choice(selector: Any) -> Positions:
    """The features a fitted selector chose, best first as far as it tells.

    They are those of ``get_support()``, in the order of ``selected_`` if that lists them; else by ``ranking_``
    (1 is best), then by ``scores_`` (large is best), then by the importances of a fitted ``estimator_`` (absolute
    coefficients, or ``feature_importances_``), then by position. What a selector lacks, or has in another shape,
    is passed over; nan comes last.
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


def told_of(selector: Any, name: str, seen: Positions, n_features: int) -> Floats:
    """A fitted attribute of each feature that the selector saw, nan for the others."""
    values: Any = getattr(selector, name, None)
    told = np.full(n_features, np.nan)
    if np.shape(values) == seen.shape:
        told[seen] = values
    return told


def resize(selector: Any, size: int) -> Any:
    """A clone of the selector that will choose `size` features; None if it has no parameter for that."""
    resized = getattr(selector, "_resized", None)
    if resized is not None:
        return resized(size)
    parameters = selector.get_params(deep=False)
    for parameter in _SIZE_PARAMETERS:
        if parameter in parameters:
            given: dict[str, Any] = {parameter: size}
            if parameter == "max_features" and parameters.get("threshold", 0) is None:
                given["threshold"] = -np.inf  # else only what is better than the mean
            return clone(selector).set_params(**given)
    return None


def _of_chosen(values: Any, support: npt.NDArray[np.bool_]) -> Floats:
    """One number per chosen feature, from one per feature or per chosen one; zeros if there are none."""
    n_chosen = int(support.sum())
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        return np.zeros(n_chosen)
    if numbers.shape == support.shape:
        return numbers[support]
    return numbers if numbers.shape == (n_chosen,) else np.zeros(n_chosen)


def _importances(selector: Any) -> Any:
    estimator = getattr(selector, "estimator_", None)
    found = getattr(estimator, "feature_importances_", None)
    if found is not None:
        return found
    coefficients = getattr(estimator, "coef_", None)
    if coefficients is None or hasattr(coefficients, "toarray"):
        return None
    sizes = np.abs(np.asarray(coefficients, dtype=np.float64))
    return sizes if sizes.ndim == 1 else sizes.sum(axis=0)


def fit_on_rows(
    selector: Any, X: Any, y: Any, rows: npt.NDArray[np.intp], params: dict[str, Any], n_rows: int
) -> Any:
    """Fit on some rows, with those of whatever else has one value for each."""
    some = {
        name: take(value, rows) if _is_per_row(value, n_rows) else value
        for name, value in params.items()
    }
    fit = partial(selector.fit, take(X, rows), None if y is None else take(y, rows), **some)
    with on_behalf():
        if type(selector).__module__.partition(".")[0] == "thresher":
            return fit()
        return call_interruptibly(fit, n_threads=None)


def _is_per_row(value: Any, n_rows: int) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str) and len(value) == n_rows

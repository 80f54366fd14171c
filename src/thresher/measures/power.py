"""Power transforms that make the distribution of a column more normal."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar
from scipy.special import boxcox
from scipy.stats import yeojohnson

from thresher._utils.types import Floats, Indices

# The search for the exponent is bounded.
LARGEST_EXPONENT = 5.0


def power_columns(
    columns: npt.NDArray[np.floating], power: str, features: Indices, names: list[str]
) -> tuple[Floats, Floats]:
    """Transform the given features, each with its maximum likelihood exponent.

    Parameters
    ----------
    columns : ndarray of shape (n_features, n_rows)
        One row per feature; it is not changed.
    power : {"box-cox", "box-cox-shift", "yeo-johnson"}
        Box-Cox needs positive values; with ``"-shift"`` a column with other values is first mapped to
        ``(x - min) / sd + 1``.
    features : ndarray of int
        The features to transform. Those with fewer than three distinct values are not changed.
    names : list of str
        Names of these features for messages.

    Returns
    -------
    transformed : ndarray of shape (n_features, n_rows)
    exponents : ndarray of shape (n_features,)
        nan for features that were not changed.

    Notes
    -----
    The transforms are strictly increasing, so ranks do not change. A column is not changed either if the fitted
    transform overflows on it, or maps it to one value.
    """
    transformed = np.array(columns, dtype=np.float64)
    exponents = np.full(len(columns), np.nan)
    if power == "box-cox":
        _reject_nonpositive(columns, features, names)
    for feature in features:
        column = transformed[feature]
        if len(np.unique(column)) < 3:
            continue
        if power == "yeo-johnson":
            new, exponent = _yeo_johnson(column)
        else:
            if column.min() <= 0:
                column = (column - column.min()) / column.std() + 1
            new, exponent = _box_cox(column)
        if np.isfinite(new).all() and new.min() < new.max():
            transformed[feature] = new
            exponents[feature] = exponent
    return transformed, exponents


def _reject_nonpositive(
    columns: npt.NDArray[np.floating], features: Indices, names: list[str]
) -> None:
    nonpositive = [
        name for name, feature in zip(names, features, strict=True) if columns[feature].min() <= 0
    ]
    if nonpositive:
        shown = ", ".join(nonpositive[:5]) + (
            f" and {len(nonpositive) - 5} more" if len(nonpositive) > 5 else ""
        )
        noun = "column" if len(nonpositive) == 1 else "columns"
        raise ValueError(
            f'power="box-cox" needs positive values, but {noun} {shown} '
            f"{'has' if len(nonpositive) == 1 else 'have'} zero or negative ones. "
            'Use power="yeo-johnson", or power="box-cox-shift"'
        )


def _box_cox(column: Floats) -> tuple[Floats, float]:
    """Apply Box-Cox with the maximum likelihood exponent.

    After division by the geometric mean the likelihood is a decreasing function of the variance alone.
    """
    with np.errstate(all="ignore"):
        column = np.exp(np.log(column) - np.log(column).mean())
        exponent = _exponent(lambda trial: _log_variance(boxcox(column, trial)))
        return boxcox(column, exponent), exponent


def _yeo_johnson(column: Floats) -> tuple[Floats, float]:
    """Apply Yeo-Johnson with the maximum likelihood exponent."""
    with np.errstate(all="ignore"):
        slope = 2 * float(np.mean(np.sign(column) * np.log1p(np.abs(column))))
        exponent = _exponent(
            lambda trial: _log_variance(yeojohnson(column, trial)) - (trial - 1) * slope
        )
        return yeojohnson(column, exponent), exponent


def _exponent(loss: Callable[[float], float]) -> float:
    bounds = (-LARGEST_EXPONENT, LARGEST_EXPONENT)
    result = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-9})
    return float(result.x)


def _log_variance(values: Floats) -> float:
    variance = float(np.var(values))
    return float(np.log(variance)) if 0 < variance < np.inf else np.inf

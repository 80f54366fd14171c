"""Logarithms of p-values, also of those too small for a double."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy import special

Floats = npt.NDArray[np.float64]

# Below it the logarithm itself is computed, by a continued fraction of so many terms, which converges fast there.
_TINY = 1e-280
_TERMS = 100


def minus_log_chi2(statistic: Floats, freedom: Floats) -> Floats:
    """``-log P`` of a value at least as large under the chi-squared law."""
    half = np.asarray(statistic / 2)
    shape = np.broadcast_to(freedom / 2, half.shape)
    return _with_tail(special.gammaincc(shape, half), _gamma_tail, half, shape)


def minus_log_f(statistic: Floats, above: Floats, below: Floats) -> Floats:
    """``-log P`` of a value at least as large under the F law with `above` and `below` degrees of freedom."""
    share = np.asarray(below / (below + above * statistic))  # of the scatter, left unexplained
    a, b = np.broadcast_to(below / 2, share.shape), np.broadcast_to(above / 2, share.shape)
    return _with_tail(special.betainc(a, b, share), _beta_tail, share, a, b)


def _with_tail(probability: Floats, tail: Callable[..., Floats], *arguments: Floats) -> Floats:
    is_tiny = probability < _TINY
    with np.errstate(divide="ignore"):
        found: Floats = np.maximum(-np.log(probability), 0.0)
    found[is_tiny] = tail(*(values[is_tiny] for values in arguments))
    return found


def _gamma_tail(x: Floats, a: Floats) -> Floats:
    """Of the upper incomplete gamma function, by Legendre's continued fraction."""
    fraction = x + 2 * _TERMS + 1 - a
    for k in range(_TERMS, 0, -1):
        fraction = x + 2 * k - 1 - a - k * (k - a) / fraction
    return np.asarray(x - a * np.log(x) + special.gammaln(a) + np.log(fraction))


def _beta_tail(x: Floats, a: Floats, b: Floats) -> Floats:
    """Of the incomplete beta function, by its continued fraction."""
    fraction = np.ones_like(x)
    for m in range(_TERMS, 0, -1):
        fraction = 1 - (a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)) / fraction
        fraction = 1 + m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)) / fraction
    fraction = 1 - (a + b) * x / (a + 1) / fraction
    front = a * np.log(x) + b * np.log1p(-x) - np.log(a) - special.betaln(a, b)
    return np.asarray(np.log(fraction) - front)

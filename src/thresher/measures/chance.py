"""Values that measures take by chance with an unrelated target."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import special

from thresher._utils.types import Floats, Mask
from thresher.data import TrainingData
from thresher.measures._names import KINDS, MeasureKind
from thresher.measures._protocol import Measures

# One in this many features of noise exceeds the bound of chance.
ONE_IN = 20


def within_chance(training: TrainingData, measures: Measures, measure: str, values: Floats) -> Mask:
    """Return which values more than one in twenty features unrelated to the target would reach.

    This uses the distributions of `analytic_pvalues`. Ratios of information are converted to the largest information
    that is possible with that many levels, so that nothing is counted again. For a measure without a known
    distribution the result is False.
    """
    kind = KINDS[measure]
    if kind.is_discrete:
        return _within_chance_discrete(training, measures, kind, values)
    if kind.law == "association":
        return values <= _bounds_of_association(training, measures)
    above = max(training.labels.n_classes - 1, 1)
    below = training.total_weight - 1 - above
    ratio, squared = np.inf, 1.0
    if below > 0:
        ratio = float(special.fdtri(above, below, 1 - 1 / ONE_IN))
        squared = above * ratio / (above * ratio + below)
    bounds = {"f": ratio, "share": squared, "correlation": squared**0.5, None: -np.inf}
    return np.asarray(values <= bounds[kind.law])


def _bounds_of_association(training: TrainingData, measures: Measures) -> Floats:
    """Return the association of every column that one in twenty unrelated features would exceed."""
    is_category, n = training.schema.is_category, training.total_weight
    dimensions = np.ones(len(is_category))
    if is_category.any():
        dimensions[is_category] = np.maximum(measures.category_levels() - 1.0, 1.0)
    labels = training.labels
    of_target = max(labels.n_classes - 1, 1) if labels.is_nominal else 1
    product, most = dimensions * of_target, np.minimum(dimensions, of_target)
    by_counts = is_category & labels.is_nominal
    below = np.maximum(n - 1 - product, 1e-9)
    ratio = special.fdtri(product, below, 1 - 1 / ONE_IN)
    share = np.where(
        by_counts,
        special.chdtri(product, 1 / ONE_IN) / max(n - 1, 1),
        product * ratio / (product * ratio + below),
    )
    chance = product / max(n - 1, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(most > chance, (share - chance) / (most - chance), np.inf)


def _within_chance_discrete(
    training: TrainingData, measures: Measures, kind: MeasureKind, values: Floats
) -> Mask:
    """Return the same by the chi-squared distribution; the statistic of information I is ``2 n ln(2) I``."""
    if kind.law is None:
        return np.zeros(len(values), dtype=bool)
    levels, n_classes = measures.levels, measures.n_target_levels
    counts = np.arange(1, max(levels.max(initial=1), 1) + 1)
    bounds = special.chdtri(np.maximum((counts - 1.0) * (n_classes - 1), 1.0), 1 / ONE_IN)
    if kind.information is not None:
        most = kind.information(np.log2(counts), np.log2(max(n_classes, 1)))
        with np.errstate(divide="ignore"):
            bounds = bounds / (most * (2 * training.total_weight * np.log(2)))
    return np.asarray(values <= np.append(np.inf, bounds)[levels])  # no level: no evidence


# Below this probability the logarithm is computed by a continued fraction of that many terms.
_TINY = 1e-280
_TERMS = 100


def minus_log_chi2(statistic: Floats, freedom: Floats) -> Floats:
    """Return ``-log P`` of a value at least as large under the chi-squared distribution."""
    half = np.asarray(statistic / 2)
    shape = np.broadcast_to(freedom / 2, half.shape)
    return _with_tail(special.gammaincc(shape, half), _gamma_tail, half, shape)


def minus_log_f(statistic: Floats, above: Floats, below: Floats) -> Floats:
    """Return ``-log P`` of a value at least as large under F with `above` and `below` degrees of freedom."""
    share = np.asarray(below / (below + above * statistic))  # of the scatter that is not explained
    a, b = np.broadcast_to(below / 2, share.shape), np.broadcast_to(above / 2, share.shape)
    return _with_tail(special.betainc(a, b, share), _beta_tail, share, a, b)


def _with_tail(probability: Floats, tail: Callable[..., Floats], *arguments: Floats) -> Floats:
    is_tiny = probability < _TINY
    with np.errstate(divide="ignore"):
        result: Floats = np.maximum(-np.log(probability), 0.0)
    result[is_tiny] = tail(*(values[is_tiny] for values in arguments))
    return result


def _gamma_tail(x: Floats, a: Floats) -> Floats:
    """Return ``-log`` of the upper incomplete gamma function, by Legendre's continued fraction."""
    fraction = x + 2 * _TERMS + 1 - a
    for k in range(_TERMS, 0, -1):
        fraction = x + 2 * k - 1 - a - k * (k - a) / fraction
    return np.asarray(x - a * np.log(x) + special.gammaln(a) + np.log(fraction))


def _beta_tail(x: Floats, a: Floats, b: Floats) -> Floats:
    """Return ``-log`` of the incomplete beta function, by its continued fraction."""
    fraction = np.ones_like(x)
    for m in range(_TERMS, 0, -1):
        fraction = 1 - (a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)) / fraction
        fraction = 1 + m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)) / fraction
    fraction = 1 - (a + b) * x / (a + 1) / fraction
    front = a * np.log(x) + b * np.log1p(-x) - np.log(a) - special.betaln(a, b)
    return np.asarray(np.log(fraction) - front)

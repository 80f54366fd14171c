"""What a measure has by chance with a target that a feature has nothing to do with."""

from __future__ import annotations

import numpy as np
from scipy import special

from thresher.data import Training
from thresher.measures._names import KINDS, MeasureKind
from thresher.measures._protocol import CodedRows, Floats, Mask

# One in so many features of noise has more than is granted to chance.
ONE_IN = 20


def within_chance(training: Training, rows: CodedRows, measure: str, values: Floats) -> Mask:
    """Whether one in twenty features that have nothing to do with the target has more than each of these values.

    By the laws behind `analytic_pvalues`. Ratios of information are taken for the most information they can stand
    for with so many levels, so that nothing is counted again. Of a measure without a law nothing is called chance.
    """
    kind = KINDS[measure]
    if kind.is_discrete:
        return _few_bits(training, rows, kind, values)
    above = max(training.labels.n_classes - 1, 1)
    below = total_weight(training) - 1 - above
    ratio, squared = np.inf, 1.0
    if below > 0:
        ratio = float(special.fdtri(above, below, 1 - 1 / ONE_IN))
        squared = above * ratio / (above * ratio + below)
    bounds = {"f": ratio, "share": squared, "correlation": squared**0.5, None: -np.inf}
    return np.asarray(values <= bounds[kind.law])


def _few_bits(training: Training, rows: CodedRows, kind: MeasureKind, values: Floats) -> Mask:
    """By the chi-squared distribution of a table's statistic, which is ``2 n ln(2) I`` for information."""
    if kind.law is None:
        return np.zeros(len(values), dtype=bool)
    levels, n_classes = rows.codes.levels, rows.target_codes[1]
    counts = np.arange(1, max(levels.max(initial=1), 1) + 1)
    bounds = special.chdtri(np.maximum((counts - 1.0) * (n_classes - 1), 1.0), 1 / ONE_IN)
    if kind.information is not None:
        most = kind.information(np.log2(counts), np.log2(max(n_classes, 1)))
        with np.errstate(divide="ignore"):
            bounds = bounds / (most * (2 * total_weight(training) * np.log(2)))
    return np.asarray(values <= np.append(np.inf, bounds)[levels])  # no level at all is nothing


def total_weight(training: Training) -> float:
    """How many samples the rows count for."""
    return float(training.n_rows if training.weights is None else training.weights.sum())

"""Dispersion of genes beyond what their mean expression explains."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from thresher.selectors._base import all_or_nothing
from thresher.selectors._ranking import Ranking
from thresher.sources import Table

Floats = npt.NDArray[np.float64]

# Share of the genes that the trend at a point looks at, and points at which it is found.
SPAN = 0.3
N_KNOTS = 100


class GeneDispersion(Ranking):
    """Rank genes by their variance over that of genes of like mean expression.

    The logarithm of the variance is smoothed over the logarithm of the mean (a local quadratic by the nearest 30 % of
    genes). Values are cut off at the square root of the number of cells times the standard deviation so expected, so
    that one cell cannot make a gene; the score is the variance of what is left over the expected variance.

    Parameters
    ----------
    n_features_to_select : int or float, default=2000
        A number, or a fraction of all genes.

    Attributes
    ----------
    scores_ : ndarray of float of shape (n_features,)
        About 1 for genes that vary as others of their mean do.
    means_, dispersions_ : ndarray of float of shape (n_features,)
        Mean, and variance over mean.

    Notes
    -----
    Meant for counts; logarithms of counts are ranked in the same way. Negative values are refused. Sparse X stays
    sparse. Ties go to the lowest position. Time O(n_samples) per gene.
    """

    _needs_target = False

    def __init__(self, n_features_to_select: int | float = 2000) -> None:
        self.n_features_to_select = n_features_to_select

    @all_or_nothing
    def fit(self, X: Any, y: Any = None) -> Any:
        """Score and choose genes; `y` is ignored."""
        training = self._read(X, y)
        wanted = self._count(training.columns)
        refuse_negative(training.table)
        self.means_, variances = means_and_variances(training.table)
        self.dispersions_ = over_mean(variances, self.means_)
        scores = adjusted_dispersion(training.table, self.means_, variances)
        return self._finish_ranking(training.columns, scores, wanted)


def refuse_negative(table: Table) -> None:
    """Raise where values cannot be counts nor logarithms of counts."""
    negative = table.scan.minimum < 0
    if negative.any():
        first = int(np.argmax(negative))
        raise ValueError(
            f"the dispersion of genes needs counts or their logarithms, but gene {table.name(first)} has "
            f"{table.scan.minimum[first]:g}; name the layer that holds counts, or use another method"
        )


def means_and_variances(table: Table) -> tuple[Floats, Floats]:
    """Mean and variance (over n - 1) of every column."""
    matrix, n = table.matrix, table.n_rows
    mean = np.asarray(matrix.sum(axis=0, dtype=np.float64)).ravel() / n
    if not sparse.issparse(matrix):
        return mean, matrix.var(axis=0, ddof=1, dtype=np.float64)
    columns = matrix.tocsc()
    stored = np.diff(columns.indptr)
    away = columns.data.astype(np.float64) - np.repeat(mean, stored)
    square = np.bincount(np.repeat(np.arange(len(mean)), stored), away**2, len(mean))
    return mean, (square + (n - stored) * mean**2) / max(1, n - 1)


def over_mean(variances: Floats, means: Floats) -> Floats:
    """Variance over mean; nan for genes without any expression."""
    ratio: Floats = np.divide(variances, means, out=np.full(len(means), np.nan), where=means > 0)
    return ratio


def adjusted_dispersion(table: Table, means: Floats, variances: Floats) -> Floats:
    """Variance of the values, cut off far above the mean, over that expected of their mean; 0 where constant."""
    n = table.n_rows
    scores = np.zeros(len(means))
    varies = (variances > 0) & (means > 0)
    if not varies.any():
        return scores
    place = np.log10(means[varies])
    expected = np.ones(len(means))
    expected[varies] = 10 ** smooth(place, np.log10(variances[varies]))
    highest = means + np.sqrt(n * expected)
    if sparse.issparse(table.matrix):
        columns = table.matrix.tocsc()
        stored = np.diff(columns.indptr)
        gene = np.repeat(np.arange(len(means)), stored)
        away = np.minimum(columns.data, highest[gene]) - means[gene]
        square = np.bincount(gene, away**2, len(means)) + (n - stored) * means**2
    else:
        square = ((np.minimum(table.matrix, highest) - means) ** 2).sum(axis=0)
    scores[varies] = (square / max(1, n - 1) / expected)[varies]
    return np.round(scores * 2.0**40) / 2.0**40


def smooth(x: Floats, y: Floats) -> Floats:
    """Local quadratic regression of y on x with tricube weights, between knots by straight lines."""
    order = np.argsort(x, kind="stable")
    x_sorted, y_sorted = x[order], y[order]
    n = len(x)
    width = min(n, max(3, int(np.ceil(SPAN * n))))
    places = np.unique(np.linspace(0, n - 1, N_KNOTS).round().astype(np.intp))
    fitted = np.empty(len(places))
    for i, place in enumerate(places):
        near = slice(max(0, place - width), place + width + 1)
        away = x_sorted[near] - x_sorted[place]
        reach = np.partition(np.abs(away), min(width, len(away)) - 1)[min(width, len(away)) - 1]
        weight = (1 - np.minimum(np.abs(away) / max(reach, 1e-300), 1) ** 3) ** 3
        root = np.sqrt(weight if reach > 0 else np.ones(len(away)))
        design = np.stack([np.ones(len(away)), away, away**2], axis=1) * root[:, None]
        fitted[i] = np.linalg.lstsq(design, y_sorted[near] * root, rcond=None)[0][0]
    knots, first = np.unique(x_sorted[places], return_index=True)
    values: Floats = np.interp(x, knots, fitted[first])
    return values

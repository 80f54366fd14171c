"""Dispersion of genes given their mean, and the curves that predict it.

Local regression (loess) is the fit of Cleveland, Devlin and Grosse, "Regression by local fitting" (1988): local
quadratics with tricube weights are computed at a few vertices of a k-d tree only, and cubics through their values and
slopes give all others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.interpolate import CubicHermiteSpline

from thresher._utils.long_calls import Reporter
from thresher._utils.params import FeatureCount, estimator, param
from thresher._utils.types import DataLike, Floats, Indices, Mask, Matrix, TargetLike
from thresher.data import FeatureRoles, Table
from thresher.measures.rounding import round_bounded
from thresher.pp._blocks import GeneValues
from thresher.selectors._base import all_or_nothing
from thresher.selectors._ranking import Ranking

# Share of the points that a local fit uses.
SPAN = 0.3
# A cell is split while it has more than this share of the points of a local fit.
CELL = 0.2
# Share of the range by which the outer vertices are beyond the points.
MARGIN = 0.005


def smooth(x: Floats, y: Floats) -> Floats:
    """Regress y on x by loess of degree 2, and return the fitted values."""
    order = np.argsort(x, kind="stable")
    x_sorted, y_sorted = x[order], y[order]
    vertices = find_vertices(x_sorted)
    fitted = np.array([_fit_at(vertex, x_sorted, y_sorted) for vertex in vertices])
    return np.asarray(CubicHermiteSpline(vertices, fitted[:, 0], fitted[:, 1])(x))


def find_vertices(x: Floats) -> Floats:
    """Return the boundaries of the cells of a k-d tree of the ascending points, ascending."""
    n = len(x)
    max_points = int(n * SPAN * CELL)
    size = max(x[-1] - x[0], 1e-10 * max(abs(x[0]), abs(x[-1])) + 1e-30)
    vertices = {x[0] - MARGIN * size, x[-1] + MARGIN * size}
    cells = [(0, n)]
    while cells:
        start, stop = cells.pop()
        if stop - start <= max_points:
            continue
        last = _last_below_cut(x, start, stop)
        if x[last] not in vertices:
            vertices.add(x[last])
            cells += [(start, last + 1), (last + 1, stop)]
    return np.array(sorted(vertices))


def _last_below_cut(x: Floats, start: int, stop: int) -> int:
    """Return the last point of the lower half: the one nearest to the median that differs from the next."""
    middle = (start + stop - 1) // 2
    step = 0
    while start <= middle + step < stop - 1:
        if x[middle + step] != x[middle + step + 1]:
            return middle + step
        step = -step if step > 0 else 1 - step
    return middle


def _fit_at(vertex: float, x: Floats, y: Floats) -> Floats:
    """Return the value and the slope of the local quadratic at a vertex."""
    n = len(x)
    n_nearest = min(n, max(3, int(n * SPAN + 1e-5)))
    away = x - vertex
    reach = np.partition(np.abs(away), n_nearest - 1)[n_nearest - 1]
    near = np.abs(away) < reach if reach > 0 else away == 0
    away, y = away[near], y[near]
    weight = (1 - np.abs(away / max(reach, 1e-300)) ** 3) ** 3
    root = np.sqrt(weight)
    design = np.stack([np.ones(len(away)), away, away**2], axis=1) * root[:, None]
    return np.asarray(np.linalg.lstsq(design, y * root, rcond=None)[0][:2])


# Bins of the mean expression.
N_BINS = 20
# Larger than any logarithm of a count, in any common base.
LARGEST_LOGARITHM = 50.0


@estimator
class GeneRanking(Ranking):
    """Common work of the rankings of genes by dispersion.

    Attributes
    ----------
    scores_ : ndarray of float of shape (n_features,)
        Dispersion of each gene, relative to genes of similar mean.
    means_, dispersions_ : ndarray of float of shape (n_features,)
        Mean, and variance over mean.
    """

    _needs_target = False

    n_features_to_select: int | float = param(FeatureCount(), default=2000, kw_only=False)
    verbose: int = param(default=0)

    @all_or_nothing
    def fit(self, X: DataLike, y: TargetLike = None) -> Self:
        """Score and select genes; `y` is ignored."""
        table = self._read_rows(X, y).table
        return self._choose(GeneValues(table.matrix, Reporter(type(self).__name__)), None)

    @all_or_nothing
    def fit_pieces(self, values: GeneValues, moments: Moments | None = None) -> Self:
        """Fit on values that need not fit into memory together; `moments` are theirs, if they are known."""
        self.n_features_in_ = values.n_genes
        return self._choose(values, moments)

    def _choose(self, values: GeneValues, moments: Moments | None) -> Self:
        moments = moments or read_moments(values)
        moments.reject_unusable()
        scores = self._scores(values, moments)
        names = getattr(self, "feature_names_in_", None)
        columns = FeatureRoles.read(names, (moments.minimum < moments.maximum) & ~np.isnan(scores))
        return self._finish_ranking(columns, scores, self._count(columns))

    def _scores(self, values: GeneValues, moments: Moments) -> Floats:
        raise NotImplementedError


class TrendDispersion(GeneRanking):
    """Rank genes by their variance over the variance expected of their mean expression.

    The rule of Seurat's third version, for counts. The logarithm of the variance is smoothed over the logarithm of the
    mean by loess. Values are clipped at the mean plus the square root of the number of cells times the expected
    standard deviation. The score is the variance of the clipped values over the expected variance: about 1 for genes
    that vary like others of the same mean.

    Notes
    -----
    Negative values are rejected. Sparse X stays sparse. Ties go to the lowest position. Time O(n_samples) per gene.
    """

    def _scores(self, values: GeneValues, moments: Moments) -> Floats:
        self.means_ = moments.means
        self.dispersions_ = divide(moments.variances, moments.means)
        return adjusted_dispersion(values, moments)


@estimator
class BinnedDispersion(GeneRanking):
    """Rank genes by their dispersion, standardised among genes of similar mean expression.

    The rule of Seurat's first versions, for logarithms of one more than counts. Means and variances are those of the
    counts; the logarithm of variance over mean is standardised within 20 bins of equal width of the logarithm of the
    mean. A gene alone in its bin scores 1.

    Parameters
    ----------
    n_features_to_select : int or float, default=2000
        A number, or a fraction of all genes.
    log_base : float, default=e
        Base of the logarithms.
    expressed_only : bool, default=False
        Exclude genes without any expression from the bins; their means, dispersions and scores are 0.
    verbose : int, default=0
        1 prints a line at the end. The logger ``thresher`` gets the same line at level INFO.

    Notes
    -----
    Genes without any expression, or with the dispersion of all others in their bin, score nan and are not selected.
    Negative values are rejected. Sparse X stays sparse. Ties go to the lowest position. Time O(n_samples) per gene.
    """

    log_base: float = param(default=math.e)
    expressed_only: bool = param(default=False)

    def _scores(self, values: GeneValues, moments: Moments) -> Floats:
        moments.reject_counts()
        counts = read_moments(values.counts(self.log_base))
        ratio = divide(counts.variances, counts.means)
        dispersions = np.full(len(ratio), np.nan)
        np.log(ratio, out=dispersions, where=counts.minimum < counts.maximum)
        means = np.log1p(counts.means)
        if not self.expressed_only:
            self.means_, self.dispersions_ = means, dispersions
            return standardised_in_bins(means, dispersions)
        expressed = counts.maximum > 0
        self.means_, self.dispersions_ = np.where(expressed, [means, dispersions], 0.0)
        scores = np.zeros(len(means))
        scores[expressed] = standardised_in_bins(means[expressed], dispersions[expressed])
        return scores


@dataclass(frozen=True)
class Moments:
    """Means and variances (over n - 1) of all genes, their ranges, the numbers of values that are not finite, and
    whether all values are integers."""

    means: Floats
    variances: Floats
    minimum: Floats
    maximum: Floats
    n_unusable: npt.NDArray[np.int64]
    is_whole: Mask

    @property
    def are_logarithms(self) -> bool:
        """Whether the values look like logarithms of counts: some are not integers, and none is large."""
        return not self.is_whole.all() and bool((self.maximum <= LARGEST_LOGARITHM).all())

    def reject_counts(self) -> None:
        """Raise ValueError if values are too large for logarithms of counts."""
        large = self.maximum > LARGEST_LOGARITHM
        if large.any():
            first = int(np.argmax(large))
            raise ValueError(
                f'method="seurat" requires logarithms of counts, but gene {first} has {self.maximum[first]:g}. '
                'Pass method="seurat_v3" for counts'
            )

    def reject_unusable(self) -> None:
        """Raise ValueError if values are neither counts nor logarithms of counts."""
        if self.n_unusable.any():
            first = int(np.argmax(self.n_unusable > 0))
            raise ValueError(
                f"gene {first} has {self.n_unusable[first]} NaN or infinite values. Impute them or remove the gene"
            )
        negative = self.minimum < 0
        if negative.any():
            first = int(np.argmax(negative))
            raise ValueError(
                f"the dispersion of genes requires counts or their logarithms, but gene {first} has "
                f"{self.minimum[first]:g}. Pass the layer of counts, or another method"
            )


def read_moments(values: GeneValues) -> Moments:
    """Compute the moments of all genes, in two passes over the pieces."""
    p, n = values.n_genes, values.n_cells
    sums, squares = np.zeros(p), np.zeros(p)
    minimum, maximum = np.full(p, np.inf), np.full(p, -np.inf)
    n_unusable = np.zeros(p, dtype=np.int64)
    is_whole = np.ones(p, dtype=bool)
    for genes, piece in values.pieces():
        scan = Table(piece, None, np.zeros(piece.shape[1], dtype=bool)).schema
        minimum[genes] = np.fmin(minimum[genes], scan.minimum)
        maximum[genes] = np.fmax(maximum[genes], scan.maximum)
        n_unusable[genes] += scan.n_missing + scan.n_infinite
        is_whole[genes] &= scan.is_whole
        sums[genes] += np.asarray(piece.sum(axis=0, dtype=np.float64)).ravel()
    means = sums / n
    for genes, piece in values.pieces():
        squares[genes] += _squares(piece, means[genes])
    return Moments(means, squares / max(1, n - 1), minimum, maximum, n_unusable, is_whole)


def _squares(piece: Matrix, means: Floats, highest: Floats | None = None) -> Floats:
    """Return the sum of squares about the mean of every gene, of values clipped at `highest`."""
    if not sparse.issparse(piece):
        cut = piece if highest is None else np.minimum(piece, highest)
        return np.asarray(((cut - means) ** 2).sum(axis=0))
    columns = piece.tocsc()
    stored = np.diff(columns.indptr)
    gene = np.repeat(np.arange(len(means)), stored)
    cut = columns.data if highest is None else np.minimum(columns.data, highest[gene])
    squares: Floats = np.bincount(gene, (cut - means[gene]) ** 2, len(means)).astype(np.float64)
    squares += (piece.shape[0] - stored) * means**2
    return squares


def divide(dividend: Floats, divisor: Floats | Indices) -> Floats:
    """Return quotients; nan if the divisor is not above 0."""
    unknown = np.full(len(divisor), np.nan)
    return np.asarray(np.divide(dividend, divisor, out=unknown, where=divisor > 0))


def adjusted_dispersion(values: GeneValues, moments: Moments) -> Floats:
    """Return the variance of clipped values over the variance expected of their mean; 0 for constant genes."""
    means, variances, n = moments.means, moments.variances, values.n_cells
    scores = np.zeros(len(means))
    varies = (moments.minimum < moments.maximum) & (means > 0)
    if not varies.any():
        return scores
    expected = np.ones(len(means))
    expected[varies] = 10 ** smooth(np.log10(means[varies]), np.log10(variances[varies]))
    highest = means + np.sqrt(n * expected)
    squares = np.zeros(len(means))
    for genes, piece in values.pieces():
        squares[genes] += _squares(piece, means[genes], highest[genes])
    scores[varies] = (squares / max(1, n - 1) / expected)[varies]
    return round_bounded(scores)


def standardised_in_bins(means: Floats, dispersions: Floats) -> Floats:
    """Return dispersions standardised in the bins of their means; nan if unknown."""
    if not means.size:
        return means
    edges = np.linspace(means.min(), means.max(), N_BINS + 1)
    edges[0] -= (edges[-1] - edges[0]) / 1000  # so that the first bin contains the lowest mean
    bins = np.searchsorted(edges, means)
    known = ~np.isnan(dispersions)
    total = partial(np.bincount, bins[known], minlength=N_BINS + 1)
    counts = total()
    centre = total(weights=dispersions[known]) / np.maximum(counts, 1)
    squares = total(weights=((dispersions - centre[bins]) ** 2)[known])
    spread = np.sqrt(squares / np.maximum(counts - 1, 1))
    alone = counts == 1
    spread[alone], centre[alone] = centre[alone], 0.0
    spread = spread[bins]
    scores = np.full(len(means), np.nan)
    np.divide(dispersions - centre[bins], spread, out=scores, where=known & (spread != 0))
    return round_bounded(scores)

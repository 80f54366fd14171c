"""Dispersion of genes beyond what their mean expression explains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from thresher._progress import Voice
from thresher.measures.rounding import round_bounded
from thresher.pp._blocks import GeneValues
from thresher.selectors._base import all_or_nothing
from thresher.selectors._ranking import Ranking
from thresher.sources import Columns, Table

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
    verbose : int, default=0
        1 prints a line at the end; the logger ``thresher`` gets the same at level INFO.

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

    def __init__(self, n_features_to_select: int | float = 2000, *, verbose: int = 0) -> None:
        self.n_features_to_select = n_features_to_select
        self.verbose = verbose

    @all_or_nothing
    def fit(self, X: Any, y: Any = None) -> Any:
        """Score and choose genes; `y` is ignored."""
        table = self._read(X, y).table
        return self._choose(GeneValues(table.matrix, Voice("GeneDispersion")))

    @all_or_nothing
    def fit_pieces(self, values: GeneValues) -> Any:
        """As `fit`, from values that need not fit into memory together."""
        self.n_features_in_ = values.n_genes
        return self._choose(values)

    def _choose(self, values: GeneValues) -> Any:
        moments = read_moments(values)
        moments.refuse_unusable()
        names = getattr(self, "feature_names_in_", None)
        columns = Columns.read(names, moments.minimum < moments.maximum)
        wanted = self._count(columns)
        self.means_ = moments.means
        self.dispersions_ = over_mean(moments.variances, moments.means)
        return self._finish_ranking(columns, adjusted_dispersion(values, moments), wanted)


@dataclass(frozen=True)
class Moments:
    """Means and variances (over n - 1) of all genes, their range, and how many values are no finite numbers."""

    means: Floats
    variances: Floats
    minimum: Floats
    maximum: Floats
    n_unusable: npt.NDArray[np.int64]

    def refuse_unusable(self) -> None:
        """Raise where values cannot be counts nor logarithms of counts."""
        if self.n_unusable.any():
            first = int(np.argmax(self.n_unusable > 0))
            raise ValueError(
                f"gene {first} has {self.n_unusable[first]} values that are NaN or infinite; fill them in or drop it"
            )
        negative = self.minimum < 0
        if negative.any():
            first = int(np.argmax(negative))
            raise ValueError(
                f"the dispersion of genes needs counts or their logarithms, but gene {first} has "
                f"{self.minimum[first]:g}; name the layer that holds counts, or use another method"
            )


def read_moments(values: GeneValues) -> Moments:
    """In two passes over the pieces."""
    p, n = values.n_genes, values.n_cells
    sums, squares = np.zeros(p), np.zeros(p)
    minimum, maximum = np.full(p, np.inf), np.full(p, -np.inf)
    n_unusable = np.zeros(p, dtype=np.int64)
    for genes, piece in values.pieces():
        scan = Table(piece, None, np.zeros(piece.shape[1], dtype=bool)).scan
        minimum[genes] = np.fmin(minimum[genes], scan.minimum)
        maximum[genes] = np.fmax(maximum[genes], scan.maximum)
        n_unusable[genes] += scan.n_missing + scan.n_infinite
        sums[genes] += np.asarray(piece.sum(axis=0, dtype=np.float64)).ravel()
    means = sums / n
    for genes, piece in values.pieces():
        squares[genes] += _squares(piece, means[genes])
    return Moments(means, squares / max(1, n - 1), minimum, maximum, n_unusable)


def _squares(piece: Any, means: Floats, highest: Floats | None = None) -> Floats:
    """Of every gene, the sum of squares about its mean, of values cut off at the highest."""
    if not sparse.issparse(piece):
        cut = piece if highest is None else np.minimum(piece, highest)
        return np.asarray(((cut - means) ** 2).sum(axis=0))
    columns = piece.tocsc()
    stored = np.diff(columns.indptr)
    gene = np.repeat(np.arange(len(means)), stored)
    cut = columns.data if highest is None else np.minimum(columns.data, highest[gene])
    found: Floats = np.bincount(gene, (cut - means[gene]) ** 2, len(means)).astype(np.float64)
    found += (piece.shape[0] - stored) * means**2
    return found


def over_mean(variances: Floats, means: Floats) -> Floats:
    """Variance over mean; nan for genes without any expression."""
    unknown = np.full(len(means), np.nan)
    return np.asarray(np.divide(variances, means, out=unknown, where=means > 0))


def adjusted_dispersion(values: GeneValues, moments: Moments) -> Floats:
    """Variance of the values, cut off far above the mean, over that expected of their mean; 0 where constant."""
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
    return np.interp(x, knots, fitted[first])

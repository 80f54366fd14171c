"""Recursive feature elimination by a linear support vector machine."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.svm import SVC

from thresher._checks import check_number
from thresher._interrupt import call_interruptibly
from thresher.measures.columns import round_significant
from thresher.selectors._base import Selection, all_or_nothing
from thresher.selectors._ranking import Ranking
from thresher.sources import Training, feature_blocks

Floats = npt.NDArray[np.float64]

# Multiplications that take so little time that nobody needs to interrupt them.
SMALL_PRODUCT = 1 << 28


class SVMRFE(Ranking):
    """Rank features by recursive elimination: train a linear SVM, drop the smallest squared weights, repeat.

    Parameters
    ----------
    n_features_to_select : int or float, default=10
        A number, or a fraction of all features.
    step : int or float, default=1
        Features dropped per round: a number, or a fraction in (0, 1) of those left. Larger steps are faster and
        give another ranking. No step leaps over `n_features_to_select`.
    C : float, default=1.0
        Penalty of the machine (``sklearn.svm.SVC``).
    tol : float, default=1e-3
        Tolerance of the machine.
    keep, exclude : list of str or int, default=None
        Features never dropped, and features never used.
    missing : {"error", "drop_rows"}, default="error"

    Attributes
    ----------
    greater_is_better : bool
        True, among features dropped in the same round only: ``ranking_`` tells the order, last dropped first.
    scores_ : ndarray of float of shape (n_features,)
        Squared weight, summed over machines, in the round the feature was dropped.
    n_evaluations_ : int
        Machines trained.
    selected_, support_, ranking_, relevance_, trace_
        See `MRMR`; ``ranking_`` ranks all features.

    Notes
    -----
    More than two classes: one machine per class against the rest, squared weights added. Columns are standardised and
    rounded so finely that all inner products of samples are exact in double precision: features can then be taken
    off the kernel matrix one after the other without drift. Equal weights: the lowest position is dropped first.
    Time per round O(n_samples^2 + n_samples n_left) and one training on n_samples. Sparse X is refused;
    `FisherScore` takes it.

    References
    ----------
    I. Guyon et al., "Gene selection for cancer classification using support vector machines", 2002.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from thresher import SVMRFE
    >>> X, y = load_iris(return_X_y=True)
    >>> SVMRFE(2).fit(X, y).selected_.tolist()
    [3, 2]
    """

    _classes_only = True
    _takes_sparse = False
    _missing_options = ("error", "drop_rows")

    def __init__(
        self,
        n_features_to_select: int | float = 10,
        *,
        step: int | float = 1,
        C: float = 1.0,
        tol: float = 1e-3,
        keep: Any = None,
        exclude: Any = None,
        missing: str = "error",
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.step = step
        self.C = C
        self.tol = tol
        self.keep = keep
        self.exclude = exclude
        self.missing = missing

    @all_or_nothing
    def fit(self, X: Any, y: Any) -> Any:
        """Rank and choose features.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Classes.

        Returns
        -------
        self : SVMRFE
        """
        check_number("C", self.C, minimum=0, exclusive_minimum=True)
        check_number("tol", self.tol, minimum=0, exclusive_minimum=True)
        check_number("step", self.step, minimum=0, exclusive_minimum=True)
        if self.step >= 1:
            check_number("step", self.step, minimum=1, integer=True)
        if sparse.issparse(X):
            raise TypeError(
                "SVMRFE centres columns, which would make sparse X dense; give X.toarray(), "
                "or use FisherScore or Univariate, which take sparse data as they are"
            )
        training = self._read(X, y)
        wanted = self._count(training.columns)
        return self._eliminate(training, wanted)

    def _eliminate(self, training: Training, wanted: int) -> Any:
        p = training.n_features
        columns = rounded_standard_columns(training)
        kernel = _products(columns)
        used = training.candidates.copy()
        used[training.kept] = True
        left = np.flatnonzero(used)
        never = np.isin(np.arange(p), training.kept)
        scores = np.full(p, np.nan)
        dropped: list[int] = []
        rounds = 0
        while (droppable := left[~never[left]]).size:
            rounds += 1
            scores[left] = self._squared_weights(kernel, columns, left, training)
            count = self._n_to_drop(len(left), wanted)
            order = np.lexsort((droppable, scores[droppable]))
            out = droppable[order[:count]]
            dropped.extend(out.tolist())
            left = np.setdiff1d(left, out)
            kernel -= _products(columns[out])
        best_first = [*training.kept.tolist(), *reversed(dropped)]
        rest = np.setdiff1d(np.arange(p), best_first)
        ranking = np.empty(p, dtype=np.intp)
        ranking[[*best_first, *rest.tolist()]] = np.arange(1, p + 1)
        chosen = best_first[:wanted]
        return self._finish(
            training.columns,
            Selection(
                selected=chosen,
                scores=scores,
                relevance=scores,
                ranking=ranking,
                n_evaluations=rounds * _n_machines(training),
                trace={"feature": chosen, "score": scores[chosen]},
                explanation=self._ranked(),
            ),
            wanted,
        )

    def _n_to_drop(self, n_left: int, wanted: int) -> int:
        count = int(self.step) if self.step >= 1 else max(1, int(self.step * n_left))
        return min(count, n_left - wanted) if n_left > wanted else count

    def _squared_weights(
        self, kernel: Floats, columns: Floats, left: npt.NDArray[np.intp], training: Training
    ) -> Floats:
        """Sum over machines of the squared weights, to 32 significant bits so that copies tie."""
        codes = training.labels.codes
        total = np.zeros(len(left))
        # The grid of the columns, undone: the machine sees ordinary numbers.
        scale = grid_of(training.n_rows, training.n_features)
        products = kernel / scale**2
        for c in range(_n_machines(training)):
            machine = SVC(C=self.C, kernel="precomputed", tol=self.tol)
            call_interruptibly(machine.fit, products, codes == c)
            duals = np.zeros(training.n_rows)
            duals[machine.support_] = machine.dual_coef_[0]
            for block in feature_blocks(len(left), training.n_rows):
                total[block] += (columns[left[block]] @ duals / scale) ** 2
        return round_significant(total, 32)


def _n_machines(training: Training) -> int:
    return 1 if training.labels.n_classes == 2 else training.labels.n_classes


def _products(columns: Floats) -> Floats:
    """Inner products of samples, in whole numbers: exact in any order."""
    if columns.size * columns.shape[1] < SMALL_PRODUCT:
        small: Floats = columns.T @ columns
        return small
    large: Floats = call_interruptibly(np.matmul, columns.T, columns)
    return large


def grid_of(n_rows: int, n_features: int) -> float:
    """The power of two by which standardised columns may be multiplied so that products stay exact.

    A standardised value is at most sqrt(n_rows), so an inner product of samples is at most
    n_rows n_features grid^2, which must stay below 2^53.
    """
    bits = int((53 - np.ceil(np.log2(max(2, n_rows * n_features)))) // 2)
    return float(2.0 ** min(20, max(bits, 8)))


def rounded_standard_columns(training: Training) -> Floats:
    """Standardised columns, features as rows, in whole multiples of 1 / `grid_of`; constants are 0."""
    given = training.table.feature_major()
    grid = grid_of(training.n_rows, training.n_features)
    columns = np.empty(given.shape)
    for block in feature_blocks(training.n_features, training.n_rows):
        rows = given[block].astype(np.float64)
        rows -= rows.mean(axis=1, keepdims=True)
        deviation = np.sqrt((rows**2).mean(axis=1))
        varies = ~training.table.is_constant[block] & (deviation > 0)
        rows[~varies] = 0
        rows[varies] *= grid / deviation[varies][:, None]
        np.rint(rows, out=columns[block])
    return columns

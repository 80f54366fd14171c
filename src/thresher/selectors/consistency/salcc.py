"""SALCC: simulated annealing over the threshold of LCC, with a classifier that scores the sets."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal, Self, Unpack

import numpy as np
import numpy.typing as npt
from sklearn.base import is_regressor
from sklearn.model_selection import KFold, StratifiedKFold, check_cv
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state

from thresher._utils.checks import check_number
from thresher._utils.long_calls import report
from thresher._utils.params import Interval, NoneOr, estimator, param
from thresher._utils.types import (
    DataLike,
    Estimator,
    Floats,
    Folds,
    Indices,
    RandomState,
    Risk,
    Scoring,
    TargetLike,
)
from thresher.data import LocalData, RemoteOptions, rescaled
from thresher.measures import Codes
from thresher.search.subsets import sweep
from thresher.selectors._base import all_or_nothing
from thresher.selectors._scoring import SubsetScorer, dense_columns, is_number_of_folds
from thresher.selectors.consistency._problem import ConsistencySelector, Problem, build_problem

# The trees of scikit-learn use single precision.
LARGEST_SINGLE = 1e30


@estimator
class SALCC(ConsistencySelector):
    """Select the set of `LCC` with the best score of a classifier, by simulated annealing over `delta`.

    Every threshold gives one set (`LCC`). The search moves between thresholds, scores their sets by cross-validation,
    and selects the best one. Sets are stored, and each is scored once: `LCC` gives the same set for all thresholds
    between the risk of the set and the threshold it was computed for.

    Parameters
    ----------
    estimator : classifier, default=None
        Scores the sets. None is a decision tree (entropy, at least 2 samples per leaf).
    search : {"anneal", "path"}, default="anneal"
        Simulated annealing, or a score for every set that `LCC` can give for thresholds up to `delta_max`.
    delta_max : float, default=0.4
        Largest threshold to try. Thresholds that allow the empty set are never tried.
    step : float, default=0.1
        A move changes the threshold by up to half of this.
    temperature, min_temperature : float, default=1.0 and 0.2
        The temperature at move t is ``temperature / ln(t + 1)``. The search ends when it falls to
        `min_temperature`, by default after 147 moves.
    max_iterations : int, default=None
        Largest number of moves; None sets no limit.
    patience : int, default=None
        Stop after this many moves without a better set; None never stops early.
    cv : int, cross-validation generator or iterable, default=5
        An integer is a number of stratified folds.
    scoring : str, callable or None, default="auto"
        ``"auto"``: ``"roc_auc"``, ``"roc_auc_ovr_weighted"`` for more than two classes, and
        ``"accuracy"`` if a class has fewer samples than there are folds.
    measure : {"bayes", "binary", "pairs", "entropy"}, default="bayes"
        The risk of a set, see `INTERACT`.
    min_features, discretize, keep, exclude, missing
        See `INTERACT`. The classifier gets the original columns, not their bins.
    random_state : int, RandomState or None, default=None
        Random seed of the moves. The folds are not shuffled.
    n_jobs : int, default=None
        Number of threads, and of jobs of the cross-validation. The result does not depend on it.
    verbose : int, default=0
        1 prints a line per move and one at the end.

    Attributes
    ----------
    selected_, support_, ranking_, scores_, relevance_, risk_, full_risk_, n_useless_, bins_, target_kind_
        See `INTERACT`.
    best_score_ : float
        Cross-validated score of the selected features; nan if there was only one set.
    sets_ : list of ndarray
        The scored sets, by increasing risk.
    set_risks_, set_scores_ : ndarray of float
        Risk and score of each set in `sets_`.
    n_evaluations_ : int
        Number of sets that the classifier scored.
    n_runs_ : int
        Number of runs of `LCC`.
    trace_ : dict of str to ndarray
        Per move: ``delta``, ``risk``, ``n_features``, ``score``, ``temperature``, ``accepted``,
        ``best``; see :func:`thresher.plots.plot_annealing`.

    See Also
    --------
    LCC : One threshold, without a classifier.
    GBC : A wrapper search over any sets of features.

    Notes
    -----
    Of sets with equal scores the smaller one is selected, then the one scored first. The search starts at the
    smallest threshold, so the score of the result is never below that of `LCC` there. The score decided the selection,
    so it is optimistically biased: evaluate the result on other data. Missing values are as in `INTERACT`. The cost is
    one cross-validation per scored set.

    References
    ----------
    A. Pino Angulo, doctoral thesis, 2019, section 3.7. The published acceptance rule and
    temperature cannot have been used as printed. This implementation uses ``exp((new - current) / T)`` and a
    temperature that gives 147 moves.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from thresher import SALCC
    >>> X, y = load_iris(return_X_y=True)
    >>> selector = SALCC(random_state=0).fit(X, y)
    >>> selector.get_support(indices=True), selector.n_evaluations_
    (array([0, 2, 3]), 4)
    """

    estimator: Estimator = param(default=None, kw_only=False)
    search: Literal["anneal", "path"] = param(default="anneal")
    delta_max: float = param(Interval(0, 1), default=0.4)
    step: float = param(Interval(0, open_low=True), default=0.1)
    temperature: float = param(Interval(0, open_low=True), default=1.0)
    min_temperature: float = param(Interval(0, open_low=True), default=0.2)
    max_iterations: int | None = param(NoneOr(Interval(1, integer=True)), default=None)
    patience: int | None = param(NoneOr(Interval(1, integer=True)), default=None)
    cv: Folds = param(default=5)
    scoring: Scoring = param(default="auto")
    measure: Risk = param(default="bayes")
    random_state: RandomState = param(default=None)

    @all_or_nothing
    def fit(self, X: DataLike, y: TargetLike, **remote: Unpack[RemoteOptions]) -> Self:
        """Select features.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or strNone
            Classes; or the name of a column of the dataframe X.
        **remote
            Options for files, if X is a path: `memory_limit` and `scratch`; see :doc:`/scaling`.

        Returns
        -------
        self : SALCC
        """
        training = self._read_rows(X, y, remote=remote)
        codes = self._codes(training)
        problem = build_problem(training, codes, self.measure)
        scorer = self._subset_scorer(training, codes)
        scored_sets = _ScoredSets(problem, scorer)
        # From the risk of all features to the largest threshold that excludes the empty set.
        low = problem.core.full_risk
        high = min(problem.threshold(self.delta_max), problem.core.empty_risk - problem.step)
        moves: list[tuple[float, ...]] = []
        if high < low:
            best = scored_sets.run(low)
        elif self.search == "path":
            best = _score_all(scored_sets, low, high)
        else:
            best = self._anneal(scored_sets, low, high, moves)
        scorer.reject_if_all_failed()
        scored = sorted((s for s in scored_sets.sets if s.score is not None), key=lambda s: s.risk)
        self.sets_ = [np.array(problem.by_relevance(s.features), dtype=np.intp) for s in scored]
        self.set_risks_ = np.array([s.risk / problem.unit for s in scored], dtype=np.float64)
        self.set_scores_ = np.array([s.score for s in scored], dtype=np.float64)
        self.best_score_ = math.nan if best.score is None else best.score
        self.n_runs_ = scored_sets.n_runs
        return self._conclude(
            training,
            problem,
            best.features,
            removed=problem.order[~np.isin(problem.order, best.features)],
            n_evaluations=scorer.n_scored,
            trace=dict(zip(_TRACE, zip(*moves, strict=True), strict=False)),
        )

    def _anneal(
        self, scored_sets: _ScoredSets, low: float, high: float, moves: list[tuple[float, ...]]
    ) -> _Set:
        rng = check_random_state(self.random_state)
        unit = scored_sets.problem.unit
        current = best = scored_sets.run(low)
        best_score = current_score = scored_sets.score(current)
        unchanged = 0
        n_moves = self._n_moves()
        for t in range(1, n_moves + 1):
            temperature = self.temperature / math.log(t + 1)
            move = self.step * (rng.random_sample() - 0.5)
            delta = min(max(current.risk / unit + move, low / unit), high / unit)
            new = scored_sets.run(scored_sets.problem.threshold(delta))
            score = scored_sets.score(new)
            gain = score - current_score
            accepted = gain >= 0 or rng.random_sample() < math.exp(gain / temperature)
            if accepted:
                current, current_score = new, score
            unchanged += 1
            if (score, -len(new.features)) > (best_score, -len(best.features)):
                best, best_score, unchanged = new, score, 0
            row = (delta, new.risk / unit, len(new.features), score, temperature)
            moves.append((*row, accepted, best_score))
            details = (t, n_moves, len(new.features), score, best_score)
            report(self, "move %d/%d: %d features, score %.4g, best %.4g", *details)
            if self.patience is not None and unchanged >= self.patience:
                break
        return best

    def _n_moves(self) -> int:
        """Return the number of moves until the temperature falls to its minimum."""
        exponent = self.temperature / self.min_temperature
        most = 10**9 if self.max_iterations is None else int(self.max_iterations)
        if exponent > 20:
            return most
        n_moves = int(math.exp(exponent) - 1)
        while self.temperature / math.log(n_moves + 2) > self.min_temperature:
            n_moves += 1
        while n_moves > 0 and self.temperature / math.log(n_moves + 1) <= self.min_temperature:
            n_moves -= 1
        return min(n_moves, most)

    def _subset_scorer(self, training: LocalData, codes: Codes) -> SubsetScorer:
        y = training.labels.class_codes
        sizes = np.bincount(y)
        estimator, largest = self.estimator, np.inf
        if estimator is None:
            estimator = DecisionTreeClassifier(
                criterion="entropy", min_samples_leaf=2, random_state=0
            )
            largest = LARGEST_SINGLE
        elif not hasattr(estimator, "get_params") or is_regressor(estimator):
            raise ValueError(f"estimator must be a scikit-learn classifier, got {estimator!r}")
        folds, scoring = self.cv, self.scoring
        if is_number_of_folds(folds):
            check_number("cv", folds, minimum=2, integer=True)
            n_folds = min(int(folds), int(sizes.max()))
            folds = StratifiedKFold(n_folds) if n_folds > 1 else KFold(2)
        folds = check_cv(folds, y, classifier=True)
        if isinstance(scoring, str) and scoring == "auto":
            scoring = _default_scoring(estimator, sizes, folds.get_n_splits(None, y))
        return SubsetScorer(
            lambda features: rescaled(_columns(training, codes, features), largest),
            y,
            estimator=estimator,
            scoring=scoring,
            cv=folds,
            n_jobs=self.n_jobs,
        )


_TRACE = ("delta", "risk", "n_features", "score", "temperature", "accepted", "best")


@dataclass
class _Set:
    """The result of LCC for all thresholds from `risk` to `largest`."""

    risk: float
    largest: float
    features: npt.NDArray[np.uint32]
    score: float | None = None


@dataclass
class _ScoredSets:
    """The sets computed so far; no two have the same risk."""

    problem: Problem
    scorer: SubsetScorer
    sets: list[_Set] = field(default_factory=list)
    n_runs: int = 0

    def run(self, bound: float) -> _Set:
        """Return the set of LCC for a threshold, which is computed only if no stored set covers it."""
        tolerance = self.problem.tolerance
        for known in self.sets:
            if known.risk - tolerance <= bound <= known.largest:
                return known
        swept = sweep(self.problem.core, "total", bound)
        self.n_runs += 1
        for known in self.sets:
            if abs(known.risk - swept.risk) <= tolerance:
                known.largest = max(known.largest, bound)
                return known
        self.sets.append(_Set(swept.risk, bound, self.problem.order[swept.stays]))
        return self.sets[-1]

    def score(self, one: _Set) -> float:
        if one.score is None:
            one.score = self.scorer.score(np.concatenate([one.features, self.problem.kept]))
        return one.score


def _score_all(scored_sets: _ScoredSets, low: float, high: float) -> _Set:
    """Score every set that LCC gives from `low` to `high`; return the best, of equal ones the smallest."""
    sets = [scored_sets.run(high)]
    while (bound := sets[-1].risk - scored_sets.problem.step) >= low:
        sets.append(scored_sets.run(bound))
    return max(sets, key=lambda one: (scored_sets.score(one), -len(one.features)))


def _default_scoring(estimator: Estimator, sizes: Indices, n_folds: int) -> str:
    if sizes.min() < n_folds:
        return "accuracy"
    if len(sizes) == 2:
        return "roc_auc"
    return "roc_auc_ovr_weighted" if hasattr(estimator, "predict_proba") else "accuracy"


def _columns(training: LocalData, codes: Codes, features: Indices) -> Floats:
    """Return the original columns, and integer codes for those with missing values: every classifier supports them."""
    columns = dense_columns(training, features)
    for i in np.flatnonzero(training.schema.has_missing[features]):
        columns[:, i] = codes.table.codes(int(features[i]))
    return columns

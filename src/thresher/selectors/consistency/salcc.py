"""SALCC: simulated annealing over the threshold of LCC, judged by a classifier."""

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
from thresher._utils.params import Interval, NoneOr, Options, estimator, param
from thresher._utils.types import DataLike, Estimator, Folds, RandomState, Risk, Scoring, TargetLike
from thresher.data import LocalData, RemoteOptions, rescaled
from thresher.measures import Codes
from thresher.search.subsets import sweep
from thresher.selectors._base import all_or_nothing
from thresher.selectors._scoring import SubsetScorer, dense_columns, is_number_of_folds
from thresher.selectors.consistency._problem import (
    MEASURES,
    ConsistencySelector,
    Problem,
    build_problem,
    class_codes,
)

# Scikit-learn's trees take single precision.
LARGEST_SINGLE = 1e30


@estimator
class SALCC(ConsistencySelector):
    """Simulated annealing over `delta`: the set of `LCC` on which a classifier does best.

    Every threshold gives one set (`LCC`); the search walks through thresholds, scores the sets by
    cross-validation, and returns the best one seen. Sets are remembered: `LCC` gives the same set
    for all thresholds between a set's own risk and the one it was found with, and each set is
    scored once.

    Parameters
    ----------
    estimator : classifier, default=None
        Judges the sets; None is a decision tree (entropy, at least 2 samples per leaf).
    search : {"anneal", "path"}, default="anneal"
        ``"path"`` scores every set that `LCC` can give for thresholds up to `delta_max`.
    delta_max : float, default=0.4
        Largest threshold tried; thresholds that allow the empty set are not.
    step : float, default=0.1
        A move changes the threshold by up to half of this.
    temperature, min_temperature : float, default=1.0 and 0.2
        The temperature at move t is ``temperature / ln(t + 1)``; the search ends when it falls to
        `min_temperature`, by default after 147 moves.
    max_iterations : int, default=None
        Largest number of moves.
    patience : int, default=None
        Stop early after this many moves without a better set.
    cv : int, cross-validation generator or iterable, default=5
        A number means stratified folds.
    scoring : str, callable or None, default="auto"
        ``"auto"``: ``"roc_auc"``, ``"roc_auc_ovr_weighted"`` for more than two classes, and
        ``"accuracy"`` if a class has fewer members than there are folds.
    measure : {"bayes", "binary", "pairs", "entropy"}, default="bayes"
        The risk of a set, see `INTERACT`.
    min_features, discretize, keep, exclude, missing
        See `INTERACT`. The classifier sees the columns as they are, not their bins.
    random_state : int, RandomState or None, default=None
        Of the moves; the folds are not shuffled.
    n_jobs : int, default=None
        Number of threads, and of jobs of the cross-validation; the result does not depend on it.
    verbose : int, default=0
        1 prints a line per move and one at the end.

    Attributes
    ----------
    selected_, support_, ranking_, scores_, relevance_, risk_, full_risk_, n_useless_, bins_
        See `INTERACT`.
    best_score_ : float
        Cross-validated score of the chosen features; nan if there was only one set to choose.
    sets_ : list of ndarray
        The sets scored, by ascending risk; `set_risks_` and `set_scores_` go with them.
    set_risks_, set_scores_ : ndarray of float
    n_evaluations_ : int
        Sets scored by the classifier.
    n_runs_ : int
        Runs of `LCC`.
    trace_ : dict of str to ndarray
        Per move: ``delta``, ``risk``, ``n_features``, ``score``, ``temperature``, ``accepted``,
        ``best``; see :func:`thresher.plots.plot_annealing`.

    Notes
    -----
    Among sets of equal score the smaller one is chosen, then the one seen first. The start is the
    tightest threshold, so the result never scores below plain `LCC` there. The score was used for
    the choice, so it is optimistic: evaluate the result on other data. Missing values as for
    `INTERACT`.

    References
    ----------
    A. Pino Angulo, doctoral thesis, 2019, section 3.7. The published acceptance rule and
    temperature cannot have been used as printed; this takes ``exp((new - current) / T)`` and a
    temperature that makes 147 moves.

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
    search: Literal["anneal", "path"] = param(Options("anneal", "path"), default="anneal")
    delta_max: float = param(Interval(0, 1), default=0.4)
    step: float = param(Interval(0, open_low=True), default=0.1)
    temperature: float = param(Interval(0, open_low=True), default=1.0)
    min_temperature: float = param(Interval(0, open_low=True), default=0.2)
    max_iterations: int | None = param(NoneOr(Interval(1, integer=True)), default=None)
    patience: int | None = param(NoneOr(Interval(1, integer=True)), default=None)
    cv: Folds = param(default=5)
    scoring: Scoring = param(default="auto")
    measure: Risk = param(Options(*MEASURES), default="bayes")
    random_state: RandomState = param(default=None)

    @all_or_nothing
    def fit(self, X: DataLike, y: TargetLike, **remote: Unpack[RemoteOptions]) -> Self:
        """Choose features.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Classes.
        **remote
            Of a table in files, which X may name: `memory_limit` and `scratch`; see :doc:`/scaling`.

        Returns
        -------
        self : SALCC
        """
        training = self._read_rows(X, y, remote=remote)
        codes = self._codes(training)
        problem = build_problem(training, codes, self.measure)
        scorer = self._subset_scorer(training, codes)
        memo = _Memo(problem, scorer)
        # From the risk of all features to the largest threshold that the empty set does not meet.
        low = problem.core.full_risk
        high = min(problem.threshold(self.delta_max), problem.core.empty_risk - problem.step)
        moves: list[tuple[float, ...]] = []
        if high < low:
            best = memo.run(low)
        elif self.search == "path":
            best = _score_all(memo, low, high)
        else:
            best = self._anneal(memo, low, high, moves)
        scorer.refuse_if_all_failed()
        scored = sorted((s for s in memo.sets if s.score is not None), key=lambda s: s.risk)
        self.sets_ = [
            np.array(problem.by_relevance(problem.order[s.positions]), dtype=np.intp)
            for s in scored
        ]
        self.set_risks_ = np.array([s.risk / problem.unit for s in scored], dtype=np.float64)
        self.set_scores_ = np.array([s.score for s in scored], dtype=np.float64)
        self.best_score_ = math.nan if best.score is None else best.score
        self.n_runs_ = memo.n_runs
        return self._conclude(
            training,
            problem,
            problem.order[best.positions],
            removed=np.delete(problem.order, best.positions),
            n_evaluations=scorer.n_scored,
            trace=dict(zip(_TRACE, zip(*moves, strict=True), strict=False)),
        )

    def _anneal(self, memo: _Memo, low: float, high: float, moves: list[tuple[float, ...]]) -> _Set:
        rng = check_random_state(self.random_state)
        unit = memo.problem.unit
        current = best = memo.run(low)
        best_score = current_score = memo.score(current)
        unchanged = 0
        n_moves = self._n_moves()
        for t in range(1, n_moves + 1):
            temperature = self.temperature / math.log(t + 1)
            move = self.step * (rng.random_sample() - 0.5)
            delta = min(max(current.risk / unit + move, low / unit), high / unit)
            new = memo.run(memo.problem.threshold(delta))
            score = memo.score(new)
            gain = score - current_score
            accepted = gain >= 0 or rng.random_sample() < math.exp(gain / temperature)
            if accepted:
                current, current_score = new, score
            unchanged += 1
            if (score, -len(new.positions)) > (best_score, -len(best.positions)):
                best, best_score, unchanged = new, score, 0
            row = (delta, new.risk / unit, len(new.positions), score, temperature)
            moves.append((*row, accepted, best_score))
            found = (t, n_moves, len(new.positions), score, best_score)
            report(self, "move %d/%d: %d features, score %.4g, best %.4g", *found)
            if self.patience is not None and unchanged >= self.patience:
                break
        return best

    def _n_moves(self) -> int:
        """Moves until the temperature falls to its minimum."""
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
        y = class_codes(training)
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
    """What LCC gave for all thresholds from `risk` to `largest`."""

    risk: float
    largest: float
    positions: npt.NDArray[np.uint32]
    score: float | None = None


@dataclass
class _Memo:
    """Sets by their risk, which two sets never share."""

    problem: Problem
    scorer: SubsetScorer
    sets: list[_Set] = field(default_factory=list)
    n_runs: int = 0

    def run(self, bound: float) -> _Set:
        """The set of LCC for a threshold, computed only if no stored one answers."""
        tolerance = self.problem.tolerance
        for known in self.sets:
            if known.risk - tolerance <= bound <= known.largest:
                return known
        found = sweep(self.problem.core, "total", bound)
        self.n_runs += 1
        for known in self.sets:
            if abs(known.risk - found.risk) <= tolerance:
                known.largest = max(known.largest, bound)
                return known
        self.sets.append(_Set(found.risk, bound, found.stays))
        return self.sets[-1]

    def score(self, found: _Set) -> float:
        if found.score is None:
            chosen = self.problem.order[found.positions]
            found.score = self.scorer.score(np.concatenate([chosen, self.problem.kept]))
        return found.score


def _score_all(memo: _Memo, low: float, high: float) -> _Set:
    """Score every set that LCC gives from `low` to `high`; the best, the smallest of equals."""
    sets = [memo.run(high)]
    while (bound := sets[-1].risk - memo.problem.step) >= low:
        sets.append(memo.run(bound))
    return max(sets, key=lambda found: (memo.score(found), -len(found.positions)))


def _default_scoring(estimator: Estimator, sizes: npt.NDArray[np.intp], n_folds: int) -> str:
    if sizes.min() < n_folds:
        return "accuracy"
    if len(sizes) == 2:
        return "roc_auc"
    return "roc_auc_ovr_weighted" if hasattr(estimator, "predict_proba") else "accuracy"


def _columns(
    training: LocalData, codes: Codes, features: npt.NDArray[np.intp]
) -> npt.NDArray[np.float64]:
    """The columns as given; those with missing values as codes, which every classifier takes."""
    columns = dense_columns(training, features)
    for i in np.flatnonzero(training.schema.has_missing[features]):
        columns[:, i] = codes.table.codes(int(features[i]))
    return columns

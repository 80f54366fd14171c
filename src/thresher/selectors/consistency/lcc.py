"""INTERACT, LCC and CWC: one pass over the features from the least relevant up."""

from __future__ import annotations

from typing import Literal, Self

import numpy as np

from thresher._utils.params import Interval, Options, estimator, param
from thresher._utils.types import Mask, Risk
from thresher.data import LocalData
from thresher.search.subsets import sweep
from thresher.selectors.consistency._problem import (
    MEASURES,
    Problem,
    RiskBound,
    RiskFit,
    build_problem,
    class_codes,
)


class _OnePass(RiskFit):
    """A feature goes if the rest does without it; decided once for each, in ascending relevance."""

    def _sweep(self, training: LocalData, problem: Problem, rule: str, bound: float) -> Self:
        found = sweep(problem.core, rule, bound)
        chosen = problem.order[found.stays]
        linear = getattr(self, "strategy", "linear") == "linear"
        return self._conclude(
            training,
            problem,
            chosen,
            removed=np.delete(problem.order, found.stays),
            n_evaluations=1 + (len(problem.order) if linear else found.n_probes),
            trace={"feature": chosen, "relevance": problem.relevance[chosen]},
        )


@estimator
class INTERACT(_OnePass):
    """INTERACT: drop each feature whose removal raises the inconsistency by at most `delta`.

    Features are visited in ascending symmetrical uncertainty with the target. Each removal is
    judged by what it adds, so the risk of the result is not bounded: see `LCC`.

    Parameters
    ----------
    delta : float, default=0.01
        Largest rise of the risk by one removal.
    measure : {"bayes", "binary", "pairs", "entropy"}, default="bayes"
        The risk of a set. Samples are grouped by their values on it; ``"bayes"``: share of samples
        outside the majority class of their group (the inconsistency rate); ``"binary"``: 1 if any
        group has two classes; ``"pairs"``: share of the pairs of samples that are together and
        differ in class; ``"entropy"``: conditional entropy of the class, as a share of its maximum.
    min_features : int, default=0
        The most relevant features fill up a smaller result.
    discretize : str, transformer or None, default="auto"
        How features that are not discrete are binned; ``"auto"`` is equal frequency, 5 bins. None
        takes every column as codes. `bins_` tells what was done.
    keep, exclude : list of str or int, default=None
        Features never to remove, and features never to choose, by name or position.
    missing : {"error", "category"}, default="error"
        Missing values are refused, or are a level of their own.
    n_jobs : int, default=None
        Number of threads; the result does not depend on it.
    verbose : int, default=0
        1 prints a summary.

    Attributes
    ----------
    selected_ : ndarray of int
        Kept features, then the others by decreasing relevance.
    support_, ranking_ : ndarray of shape (n_features,)
        Features not chosen are ranked in the reverse order of removal.
    scores_ : ndarray of float of shape (n_features,)
        Consistency contribution: by how much the risk of the result rises without the feature; nan
        if not chosen.
    relevance_ : ndarray of float of shape (n_features,)
        Symmetrical uncertainty with the target.
    risk_, full_risk_ : float
        Risk of the chosen features, and of all features.
    n_useless_ : int
        Features at the low end of the order that can all go without changing the risk.
    n_evaluations_ : int
        Risks that the published algorithm evaluates.
    trace_ : dict of str to ndarray
        ``feature`` and ``relevance`` of the features that had to stay, in the order of the
        decisions.
    bins_ : Bins
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    Of equally relevant features the lowest position goes first, so the highest survives. Time: one
    pass over the data for the relevances, then O(n_samples) per chosen feature, whatever the number
    of features.

    References
    ----------
    Z. Zhao and H. Liu, "Searching for interacting features", 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import INTERACT
    >>> X = np.random.default_rng(0).integers(0, 2, (200, 6))
    >>> y = X[:, 1] ^ X[:, 4]
    >>> INTERACT().fit(X, y).get_support(indices=True)
    array([1, 4])
    """

    delta: float = param(Interval(0, 1), default=0.01, kw_only=False)
    measure: Risk = param(Options(*MEASURES), default="bayes")

    def _choose(self, training: LocalData, problem: Problem) -> Self:
        return self._sweep(training, problem, "step", problem.threshold(self.delta))


@estimator
class LCC(RiskBound, _OnePass):
    """Linear consistency-constrained selection: drop features while the risk stays within `delta`.

    Features are visited in ascending symmetrical uncertainty with the target; a feature goes if the
    rest without it is consistent enough. No feature of the result can be removed, and its weakest
    member is as relevant as possible.

    Parameters
    ----------
    delta : float, default=0.01
        Largest risk allowed. 0 asks for no more inconsistency than the data have.
    delta_mode : {"absolute", "relative"}, default="absolute"
        ``"relative"`` adds `delta` to the risk of all features.
    infeasible : {"clip", "raise"}, default="clip"
        What to do if all features together have a larger risk than `delta`: use that as the bound
        and warn, or raise.
    strategy : {"binary", "linear"}, default="binary"
        Which published algorithm `n_evaluations_` counts; the result is the same. ``"binary"`` is
        Super-LCC.
    measure : {"bayes", "binary", "pairs", "entropy"}, default="bayes"
        The risk of a set, see `INTERACT`.
    min_features, discretize, keep, exclude, missing, n_jobs, verbose
        See `INTERACT`.

    Attributes
    ----------
    selected_, support_, ranking_, scores_, relevance_, risk_, full_risk_, n_useless_, n_evaluations_, trace_, bins_
        See `INTERACT`.

    Notes
    -----
    Ties, cost and missing values as for `INTERACT`: the whole search is one pass over a list of the
    samples for each chosen feature, with either strategy.

    References
    ----------
    K. Shin and X. M. Xu, "Consistency-based feature selection", 2009; K. Shin, T. Kuboyama, T.
    Hashimoto and D. Shepard, "Super-CWC and super-LCC: super fast feature selection algorithms",
    2015.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import LCC
    >>> X = np.random.default_rng(0).integers(0, 2, (200, 6))
    >>> y = X[:, 1] ^ X[:, 4]
    >>> LCC(delta=0).fit(X, y).get_support(indices=True)
    array([1, 4])
    """

    delta: float = param(Interval(0, 1), default=0.01, kw_only=False)
    strategy: Literal["binary", "linear"] = param(Options("binary", "linear"), default="binary")

    def _choose(self, training: LocalData, problem: Problem) -> Self:
        return self._sweep(training, problem, "total", self._bound(problem, self.delta))


@estimator
class CWC(_OnePass):
    """Combination of weakest components: the least relevant go while the data stay consistent.

    Samples that contradict the majority of those with the same values are left out first (tie: the
    smallest label stays), so the rest is consistent. On consistent data CWC is `LCC` with
    ``delta=0``. The authors' own program instead adds an artificial feature that separates
    contradicting samples; its results can differ.

    Parameters
    ----------
    strategy : {"binary", "linear"}, default="binary"
        Which published algorithm `n_evaluations_` counts; the result is the same. ``"binary"`` is
        Super-CWC.
    min_features, discretize, keep, exclude, missing, n_jobs, verbose
        See `INTERACT`.

    Attributes
    ----------
    selected_, support_, ranking_, scores_, relevance_, risk_, full_risk_, n_useless_, n_evaluations_, trace_, bins_
        See `INTERACT`; relevances and risks are those of the samples that were used.
    n_samples_used_ : int
        Samples left after removing the contradicting ones.

    Notes
    -----
    Ties, cost and missing values as for `LCC`.

    References
    ----------
    K. Shin, D. Fernandes and S. Miyazaki, "Consistency measures for feature selection: a formal
    definition, relative sensitivity comparison and a fast algorithm", 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import CWC
    >>> X = np.random.default_rng(0).integers(0, 2, (200, 6))
    >>> y = X[:, 1] ^ X[:, 4]
    >>> CWC().fit(X, y).get_support(indices=True)
    array([1, 4])
    """

    strategy: Literal["binary", "linear"] = param(Options("binary", "linear"), default="binary")

    def _problem(self, training: LocalData) -> Problem:
        codes = self._codes(training)
        problem = build_problem(training, codes, "bayes")
        rows = np.ones(training.n_rows, dtype=bool)
        if problem.core.full_risk > 0:
            rows = _majority_rows(training, problem)
            problem = build_problem(training, codes, "bayes", rows)
        self.n_samples_used_ = int(rows.sum())
        return problem

    def _choose(self, training: LocalData, problem: Problem) -> Self:
        return self._sweep(training, problem, "total", 0.0)


def _majority_rows(training: LocalData, problem: Problem) -> Mask:
    """Samples of the majority class among those of equal values; the smallest label wins a tie."""
    groups = problem.core.blocks()
    classes = class_codes(training)
    weights = np.ones(training.n_rows) if training.weights is None else training.weights
    counts = np.zeros((int(groups.max()) + 1, training.labels.n_classes))
    np.add.at(counts, (groups, classes), weights)
    return np.asarray(counts.argmax(axis=1)[groups] == classes)

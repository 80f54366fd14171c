"""INTERACT, LCC and CWC: one pass over the features, from the least relevant to the most relevant."""

from __future__ import annotations

from typing import Literal, Self

import numpy as np

from thresher._utils.params import Interval, estimator, param
from thresher._utils.types import Mask, Risk
from thresher.data import LocalData
from thresher.search.subsets import sweep
from thresher.selectors.consistency._problem import (
    ConsistencySelector,
    Problem,
    RiskBound,
    RiskFit,
    build_problem,
)


class _OnePass(RiskFit, ConsistencySelector):
    """Decide once for each feature, in order of increasing relevance: remove it if the rest suffices."""

    def _sweep(self, training: LocalData, problem: Problem, rule: str, bound: float) -> Self:
        result = sweep(problem.core, rule, bound)
        chosen = problem.order[result.stays]
        linear = getattr(self, "strategy", "linear") == "linear"
        return self._conclude(
            training,
            problem,
            chosen,
            removed=np.delete(problem.order, result.stays),
            n_evaluations=1 + (len(problem.order) if linear else result.n_probes),
            trace={"feature": chosen, "relevance": problem.relevance[chosen]},
        )


@estimator
class INTERACT(_OnePass):
    """Select features by INTERACT: remove each one whose removal raises the risk by at most `delta`.

    Features are visited in order of increasing symmetrical uncertainty with the target. Each removal is accepted by the
    increase it causes, so the risk of the result is not bounded: see `LCC`.

    Parameters
    ----------
    delta : float, default=0.01
        Largest increase of the risk by one removal.
    measure : {"bayes", "binary", "pairs", "entropy"}, default="bayes"
        The risk of a set of features. Samples with equal values form a group. ``"bayes"``: share of samples outside the
        majority class of their group (the inconsistency rate). ``"binary"``: 1 if any group has two classes.
        ``"pairs"``: share of the pairs of samples that are in one group but differ in class. ``"entropy"``: conditional
        entropy of the class, as a share of its maximum.
    min_features : int, default=0
        The most relevant features are added to a smaller result, up to this number.
    discretize : str, transformer or None, default="auto"
        Binning of features that are not discrete; ``"auto"`` is equal frequency, 5 bins. None
        treats every column as integer codes. `bins_` records the bins.
    keep, exclude : list of str or int, default=None
        Features never to remove and features never to select, by name or position.
    missing : {"error", "category"}, default="error"
        Missing values raise an error, or are a separate category.
    n_jobs : int, default=None
        Number of threads. The result does not depend on it.
    verbose : int, default=0
        1 prints a summary.

    Attributes
    ----------
    selected_ : ndarray of int
        Forced-in features, then the others by decreasing relevance.
    support_, ranking_ : ndarray of shape (n_features,)
        Features that were not selected are ranked in the reverse order of removal.
    scores_ : ndarray of float of shape (n_features,)
        Consistency contribution: the increase of the risk of the result without the feature; nan for features not
        selected.
    relevance_ : ndarray of float of shape (n_features,)
        Symmetrical uncertainty with the target.
    risk_, full_risk_ : float
        Risk of the selected features, and of all features.
    n_useless_ : int
        Number of least relevant features that can all be removed without changing the risk.
    n_evaluations_ : int
        Number of risks that the published algorithm evaluates.
    trace_ : dict of str to ndarray
        ``feature`` and ``relevance`` of the features that were not removed, in the order of the decisions.
    bins_ : Bins
        The features that were binned, the rule and the bin edges.
    target_kind_ : {"nominal", "numeric"}
        How y was read: as classes or as numbers.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        Only if all column names of X are strings.

    See Also
    --------
    LCC : Bounds the risk of the result.
    CFS : Evaluates features in pairs instead of groups of samples.

    Notes
    -----
    Of equally relevant features, the one with the lowest column index is removed first, so the highest remains. Time:
    one pass over the data for the relevances, then O(n_samples) per selected feature, for any number of features.

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
    measure: Risk = param(default="bayes")

    def _select(self, training: LocalData, problem: Problem) -> Self:
        return self._sweep(training, problem, "step", problem.threshold(self.delta))


@estimator
class LCC(RiskBound, _OnePass):
    """Select features by linear consistency-constrained removal (LCC).

    Features are visited in order of increasing symmetrical uncertainty with the target. A feature is removed if the
    risk without it stays within `delta`. No feature of the result can be removed, and its least relevant member is as
    relevant as possible.

    Parameters
    ----------
    delta : float, default=0.01
        Largest risk allowed. 0 allows no more inconsistency than the data contain.
    delta_mode : {"absolute", "relative"}, default="absolute"
        ``"relative"`` adds `delta` to the risk of all features.
    infeasible : {"clip", "raise"}, default="clip"
        What to do if all features together have a larger risk than `delta`: use that risk as the bound
        and warn, or raise an error.
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

    See Also
    --------
    SDCC : Compares all remaining features at every step.
    CWC : Removes contradicting samples first.

    Notes
    -----
    Ties, cost and missing values are as in `INTERACT`. With either strategy, the search is one pass over the samples
    for each selected feature.

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
    strategy: Literal["binary", "linear"] = param(default="binary")

    def _select(self, training: LocalData, problem: Problem) -> Self:
        return self._sweep(training, problem, "total", self._bound(problem, self.delta))


@estimator
class CWC(_OnePass):
    """Select features by the combination of weakest components (CWC).

    Samples that contradict the majority of those with the same values are dropped first (of tied classes the
    smallest label stays), so the others are consistent. Then the least relevant features are removed as long as the
    data stay consistent. On consistent data CWC is `LCC` with ``delta=0``. The authors' program instead adds an
    artificial feature that separates contradicting samples; its results can differ.

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
        Number of samples without the contradicting ones.

    See Also
    --------
    LCC : Allows some inconsistency instead of dropping samples.

    Notes
    -----
    Ties, cost and missing values are as in `LCC`.

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

    strategy: Literal["binary", "linear"] = param(default="binary")

    def _problem(self, training: LocalData) -> Problem:
        codes = self._codes(training)
        problem = build_problem(training, codes, "bayes")
        rows = np.ones(training.n_rows, dtype=bool)
        if problem.core.full_risk > 0:
            rows = _majority_rows(training, problem)
            problem = build_problem(training, codes, "bayes", rows)
        self.n_samples_used_ = int(rows.sum())
        return problem

    def _select(self, training: LocalData, problem: Problem) -> Self:
        return self._sweep(training, problem, "total", 0.0)


def _majority_rows(training: LocalData, problem: Problem) -> Mask:
    """Return which samples have the majority class of those with equal values; ties go to the smallest label."""
    groups = problem.core.blocks()
    classes = training.labels.class_codes
    weights = np.ones(training.n_rows) if training.weights is None else training.weights
    counts = np.zeros((int(groups.max()) + 1, training.labels.n_classes))
    np.add.at(counts, (groups, classes), weights)
    return np.asarray(counts.argmax(axis=1)[groups] == classes)

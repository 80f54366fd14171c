"""The classic selectors by consistency: FOCUS, ABB, set cover, LVF and QBB."""

from __future__ import annotations

from typing import Self

import numpy as np
from sklearn.utils import check_random_state

from thresher._utils.checks import warn
from thresher._utils.params import Interval, NoneOr, estimator, param
from thresher._utils.types import RandomState
from thresher.data import LocalData
from thresher.search.subsets import SetResult, cover, search_sets
from thresher.selectors.consistency._problem import (
    ConsistencySelector,
    Features,
    Problem,
    RiskBound,
    RiskFit,
)


@estimator
class Exhaustive(RiskBound, RiskFit, ConsistencySelector):
    """Base class of searches whose time can grow exponentially; `max_evaluations` limits them."""

    delta: float = param(Interval(0, 1), default=0.0, kw_only=False)
    max_evaluations: int = param(Interval(1, integer=True), default=10_000_000)

    _method = ""

    def _select(self, training: LocalData, problem: Problem) -> Self:
        bound = self._bound(problem, self.delta)
        result = self._search(problem, bound, problem.order)
        return self._conclude(
            training, problem, result.features, n_evaluations=result.n_evaluations
        )

    def _search(self, problem: Problem, bound: float, among: Features) -> SetResult:
        limit = int(self.max_evaluations)
        result = search_sets(problem.core, self._method, bound, limit, among)
        if result is None:
            raise ValueError(
                f"{type(self).__name__} would evaluate more than max_evaluations={limit} sets, whose number "
                "grows exponentially with the features. Use LCC or SDCC, or fewer features"
            )
        if not result.is_counted:
            warn(
                f"{type(self).__name__} found the smallest sets by a search from below, but "
                f"n_evaluations_={result.n_evaluations} is only a lower bound for its search from above, because "
                f"max_evaluations={limit} stopped the count. Set a larger max_evaluations for the exact number"
            )
        return result


@estimator
class Focus(Exhaustive):
    """Select the smallest set of features within `delta` (FOCUS).

    It tries all sets of 0, 1, 2, ... features.

    Parameters
    ----------
    delta : float, default=0.0
        Largest risk allowed; with ``infeasible="clip"`` at least the risk of all features.
    delta_mode, infeasible
        See `LCC`.
    max_evaluations : int, default=10_000_000
        Raise an error instead of evaluating more sets, whose number grows exponentially with the size of the
        result.
    measure, min_features, discretize, keep, exclude, missing, n_jobs, verbose
        See `INTERACT`.

    Attributes
    ----------
    selected_, support_, scores_, relevance_, risk_, full_risk_, n_useless_, n_evaluations_, bins_, target_kind_
        See `INTERACT`.
    ranking_ : ndarray of int of shape (n_features,)
        Features that were not selected share the rank after the last.

    See Also
    --------
    ABB : Searches from the set of all features.
    LCC : Fast; no feature of its result can be removed.

    Notes
    -----
    Of several sets of the same size, the first in order of decreasing relevance is selected (then the highest column
    index, so that ties end as in `LCC`). The time grows exponentially with the size of the result. Missing values are
    as in `INTERACT`.

    References
    ----------
    H. Almuallim and T. G. Dietterich, "Learning with many irrelevant features", 1991.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import Focus
    >>> X = np.random.default_rng(0).integers(0, 2, (200, 6))
    >>> y = X[:, 1] ^ X[:, 4]
    >>> Focus().fit(X, y).get_support(indices=True)
    array([1, 4])
    """

    _method = "focus"


class ABB(Exhaustive):
    """Select features by automatic branch and bound: breadth-first removal within `delta`.

    It finds all smallest sets and selects the one with the smallest risk, then the first in order of decreasing
    relevance. The size is that of `Focus`.

    Parameters
    ----------
    delta, delta_mode, infeasible, max_evaluations
        See `Focus`.
    measure, min_features, discretize, keep, exclude, missing, n_jobs, verbose
        See `INTERACT`.

    Attributes
    ----------
    selected_, support_, ranking_, scores_, relevance_, risk_, full_risk_, n_useless_, n_evaluations_, bins_
        See `Focus`.

    See Also
    --------
    Focus : Searches from the empty set.
    QBB : Starts from the sets of a random search.

    Notes
    -----
    Subsets of an infeasible set are not evaluated. The number of the others can still grow as 2 to the number of
    dispensable features. After 5,000 sets, the search continues from below, with the same result. The sets that the
    search from above would have evaluated are then counted without evaluating them, so `n_evaluations_` is the same.
    It can exceed `max_evaluations`, which limits the sets that are evaluated. Counting also stops after
    `max_evaluations` partitions of the samples; `n_evaluations_` is then a lower bound, with a warning. Missing values
    are as in `INTERACT`.

    References
    ----------
    H. Liu, H. Motoda and M. Dash, "A monotonic measure for optimal feature selection", 1998.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import ABB
    >>> X = np.random.default_rng(0).integers(0, 2, (200, 6))
    >>> y = X[:, 1] ^ X[:, 4]
    >>> ABB().fit(X, y).get_support(indices=True)
    array([1, 4])
    """

    _method = "abb"


@estimator
class SetCover(RiskBound, RiskFit, ConsistencySelector):
    """Select features by greedy set cover.

    Each step adds the feature that separates most pairs of samples of different classes.

    Parameters
    ----------
    delta : float or None, default=None
        Stop as soon as the risk is within `delta`. None continues until every pair that all features separate is
        separated.
    delta_mode, infeasible
        See `LCC`; ignored if `delta` is None.
    measure, min_features, discretize, keep, exclude, missing, n_jobs, verbose
        See `INTERACT`.

    Attributes
    ----------
    selected_ : ndarray of int
        Forced-in features, then the others in order of selection.
    support_, ranking_, scores_, relevance_, risk_, full_risk_, n_useless_, n_evaluations_, bins_
        See `Focus`.

    See Also
    --------
    LCC : Removes features instead of adding them.

    Notes
    -----
    Ties go to the more relevant feature, then to the highest column index, as in the reverse order of `LCC`. Time:
    O(n_samples) per evaluation; a feature is evaluated again only if it can still be the best. `n_evaluations_` counts
    one per remaining feature and step. Missing values are as in `INTERACT`.

    References
    ----------
    M. Dash, "Feature selection via set cover", 1997.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import SetCover
    >>> X = np.random.default_rng(0).integers(0, 2, (200, 6))
    >>> y = X[:, 1] & X[:, 4]
    >>> SetCover().fit(X, y).get_support(indices=True)
    array([1, 4])
    """

    delta: float | None = param(NoneOr(Interval(0, 1)), default=None, kw_only=False)

    def _select(self, training: LocalData, problem: Problem) -> Self:
        bound = -1.0 if self.delta is None else self._bound(problem, self.delta)
        result = cover(problem.core, bound, problem.pair_tolerance)
        selected = [*problem.kept.tolist(), *self._at_least(problem, result.features)]
        return self._conclude(
            training,
            problem,
            result.features,
            selected=selected,
            n_evaluations=result.n_evaluations,
        )


@estimator
class LVF(RiskBound, RiskFit, ConsistencySelector):
    """Select features by the Las Vegas filter.

    It tries random sets that are no larger than the smallest feasible one so far.

    Parameters
    ----------
    delta, delta_mode, infeasible
        See `Focus`.
    max_tries : int, default=1000
        Number of random sets.
    random_state : int, RandomState or None, default=None
        Random seed.
    measure, min_features, discretize, keep, exclude, missing, n_jobs, verbose
        See `INTERACT`.

    Attributes
    ----------
    selected_, support_, ranking_, scores_, relevance_, risk_, full_risk_, n_useless_, n_evaluations_, bins_
        See `Focus`.
    equal_sets_ : list of ndarray
        Other sets of the same size within the bound.

    See Also
    --------
    QBB : Continues with an exact search.

    Notes
    -----
    A try draws a size from 1 to that of the smallest set so far, then that many of the features that vary.
    The first of several equally small sets is selected. Time: O(n_samples) per feature of a try. Missing values are as
    in `INTERACT`.

    References
    ----------
    H. Liu and R. Setiono, "A probabilistic approach to feature selection: a filter solution", 1996.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import LVF
    >>> X = np.random.default_rng(0).integers(0, 2, (200, 6))
    >>> y = X[:, 1] ^ X[:, 4]
    >>> LVF(random_state=0).fit(X, y).get_support(indices=True)
    array([1, 4])
    """

    delta: float = param(Interval(0, 1), default=0.0, kw_only=False)
    max_tries: int = param(Interval(0, integer=True), default=1000)
    random_state: RandomState = param(default=None)

    def _select(self, training: LocalData, problem: Problem) -> Self:
        bound = self._bound(problem, self.delta)
        smallest, n_evaluations = _las_vegas(problem, bound, self.max_tries, self.random_state)
        self.equal_sets_ = [np.array(features, dtype=np.intp) for features in smallest[1:]]
        return self._conclude(training, problem, smallest[0], n_evaluations=n_evaluations)


@estimator
class QBB(Exhaustive):
    """Select features by quick branch and bound: `LVF`, then `ABB` inside each of its smallest sets.

    Parameters
    ----------
    delta, delta_mode, infeasible, max_evaluations
        See `Focus`.
    max_tries, random_state
        See `LVF`.
    measure, min_features, discretize, keep, exclude, missing, n_jobs, verbose
        See `INTERACT`.

    Attributes
    ----------
    selected_, support_, ranking_, scores_, relevance_, risk_, full_risk_, n_useless_, n_evaluations_, bins_
        See `Focus`.

    See Also
    --------
    LVF : The random search alone.
    ABB : The exact search alone.

    Notes
    -----
    Of several equally small results the one with the smallest risk is selected, then the first one. Missing values are
    as in `INTERACT`.

    References
    ----------
    M. Dash and H. Liu, "Hybrid search of feature subsets", 1998.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import QBB
    >>> X = np.random.default_rng(0).integers(0, 2, (200, 6))
    >>> y = X[:, 1] ^ X[:, 4]
    >>> QBB(max_tries=10, random_state=0).fit(X, y).get_support(indices=True)
    array([1, 4])
    """

    _method = "abb"

    max_tries: int = param(Interval(0, integer=True), default=1000)
    random_state: RandomState = param(default=None)

    def _select(self, training: LocalData, problem: Problem) -> Self:
        bound = self._bound(problem, self.delta)
        starts, n_evaluations = _las_vegas(problem, bound, self.max_tries, self.random_state)
        best: tuple[int, float] = (len(problem.order) + 1, np.inf)
        chosen: Features = problem.order
        for features in starts:
            inside = problem.order[np.isin(problem.order, features)]
            result = self._search(problem, bound, inside)
            n_evaluations += result.n_evaluations
            quality = (len(result.features), problem.risk([*result.features, *problem.kept]))
            if quality < best:
                best, chosen = quality, result.features
        return self._conclude(training, problem, chosen, n_evaluations=n_evaluations)


def _las_vegas(
    problem: Problem, bound: float, max_tries: int, random_state: RandomState
) -> tuple[list[list[int]], int]:
    """Return the smallest feasible sets among random ones, in the order drawn, and the number of evaluations."""
    rng = check_random_state(random_state)
    universe = np.sort(problem.order[problem.n_constant :])
    limit = bound + problem.tolerance
    smallest = [universe.tolist()]
    n_evaluations = 1
    for _ in range(max_tries):
        size = len(smallest[0])
        if size == 0:
            break
        size = rng.randint(1, size + 1)
        subset = np.sort(universe[rng.permutation(len(universe))[:size]])
        n_evaluations += 1
        if problem.core.risk(np.concatenate([subset, problem.kept])) > limit:
            continue
        features = subset.tolist()
        if len(features) < len(smallest[0]):
            smallest = [features]
        elif features not in smallest:
            smallest.append(features)
    return smallest, n_evaluations

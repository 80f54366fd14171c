"""The classic selectors by consistency: FOCUS, ABB, set cover, LVF and QBB."""

from __future__ import annotations

from typing import Self

import numpy as np
from sklearn.utils import check_random_state

from thresher._utils.checks import warn
from thresher._utils.params import Interval, NoneOr, estimator, param
from thresher._utils.types import RandomState
from thresher.data import LocalData
from thresher.search.subsets import FoundSet, cover, search_sets
from thresher.selectors.consistency._problem import Features, Problem, RiskBound, RiskFit


@estimator
class Exhaustive(RiskBound, RiskFit):
    """A search whose time can grow exponentially, stopped by `max_evaluations`."""

    delta: float = param(Interval(0, 1), default=0.0, kw_only=False)
    max_evaluations: int = param(Interval(1, integer=True), default=10_000_000)

    _method = ""

    def _choose(self, training: LocalData, problem: Problem) -> Self:
        bound = self._bound(problem, self.delta)
        found = self._search(problem, bound, problem.order)
        return self._conclude(training, problem, found.features, n_evaluations=found.n_evaluations)

    def _search(self, problem: Problem, bound: float, among: Features) -> FoundSet:
        limit = int(self.max_evaluations)
        found = search_sets(problem.core, self._method, bound, limit, among)
        if found is None:
            raise ValueError(
                f"{type(self).__name__} would evaluate more than max_evaluations={limit} sets, "
                "which grow exponentially with the features; use LCC or SDCC, or fewer features"
            )
        if not found.is_counted:
            warn(
                f"{type(self).__name__} found the smallest sets from below, but n_evaluations_={found.n_evaluations} "
                "is only a lower bound of what its search from above would evaluate: counting that was stopped by "
                f"max_evaluations={limit}; raise it if you need the number"
            )
        return found


@estimator
class Focus(Exhaustive):
    """FOCUS: the smallest set of features within `delta`, by trying all sets of 0, 1, 2, ...

    Parameters
    ----------
    delta : float, default=0.0
        Largest risk allowed; with ``infeasible="clip"`` at least that of all features.
    delta_mode, infeasible
        See `LCC`.
    max_evaluations : int, default=10_000_000
        Raise instead of evaluating more sets: their number grows exponentially with the size of the
        answer.
    measure, min_features, discretize, keep, exclude, missing, n_jobs, verbose
        See `INTERACT`.

    Attributes
    ----------
    selected_, support_, scores_, relevance_, risk_, full_risk_, n_useless_, n_evaluations_, bins_
        See `INTERACT`.
    ranking_ : ndarray of int of shape (n_features,)
        Features not chosen share the rank after the last.

    Notes
    -----
    Among sets of equal size the first in descending relevance is chosen (then the highest position,
    so that ties end as in `LCC`). Missing values as for `INTERACT`.

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
    """Automatic branch and bound: removes features breadth-first within `delta`.

    Finds all smallest sets and returns the one of least risk, then the first in descending
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

    Notes
    -----
    Sets inside one already found infeasible are not evaluated. The number of the others can still
    grow as 2 to the number of features that can be missed; after 5,000 sets the smallest ones are
    looked for from below instead, with the same answer, and the sets that the search from above
    would have evaluated are counted without visiting them: `n_evaluations_` is the same either way,
    and can exceed `max_evaluations`, which limits the sets really evaluated. Counting stops after
    `max_evaluations` partitions of the samples, too; then `n_evaluations_` is a lower bound, and a
    warning says so. Missing values as for `INTERACT`.

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
class SetCover(RiskBound, RiskFit):
    """Greedy set cover: adds the feature that separates most pairs of samples of different class.

    Parameters
    ----------
    delta : float or None, default=None
        Stop as soon as the risk is within `delta`; None goes on until every pair that all features
        separate is separated.
    delta_mode, infeasible
        See `LCC`; they matter if `delta` is given.
    measure, min_features, discretize, keep, exclude, missing, n_jobs, verbose
        See `INTERACT`.

    Attributes
    ----------
    selected_ : ndarray of int
        Kept features, then the others in order of choice.
    support_, ranking_, scores_, relevance_, risk_, full_risk_, n_useless_, n_evaluations_, bins_
        See `Focus`.

    Notes
    -----
    Ties go to the more relevant feature, then to the highest position, as if the order of `LCC`
    were read from its end. Time: O(n_samples) per evaluation; a feature is evaluated again only if
    it could still be the best. `n_evaluations_` counts one per feature left and step. Missing
    values as for `INTERACT`.

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

    def _choose(self, training: LocalData, problem: Problem) -> Self:
        bound = -1.0 if self.delta is None else self._bound(problem, self.delta)
        found = cover(problem.core, bound, problem.pair_tolerance)
        selected = [*problem.kept.tolist(), *self._at_least(problem, found.features)]
        return self._conclude(
            training, problem, found.features, selected=selected, n_evaluations=found.n_evaluations
        )


@estimator
class LVF(RiskBound, RiskFit):
    """Las Vegas filter: random sets no larger than the smallest one found so far.

    Parameters
    ----------
    delta, delta_mode, infeasible
        See `Focus`.
    max_tries : int, default=1000
        Number of random sets.
    random_state : int, RandomState or None, default=None
    measure, min_features, discretize, keep, exclude, missing, n_jobs, verbose
        See `INTERACT`.

    Attributes
    ----------
    selected_, support_, ranking_, scores_, relevance_, risk_, full_risk_, n_useless_, n_evaluations_, bins_
        See `Focus`.
    equal_sets_ : list of ndarray
        Other sets of the same size within the bound.

    Notes
    -----
    A try draws a size from 1 to that of the smallest set so far, then that many features that vary at random.
    The first of several equally small sets is chosen. Missing values as for `INTERACT`.

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

    def _choose(self, training: LocalData, problem: Problem) -> Self:
        bound = self._bound(problem, self.delta)
        smallest, n_evaluations = _las_vegas(problem, bound, self.max_tries, self.random_state)
        self.equal_sets_ = [np.array(features, dtype=np.intp) for features in smallest[1:]]
        return self._conclude(training, problem, smallest[0], n_evaluations=n_evaluations)


@estimator
class QBB(Exhaustive):
    """Quick branch and bound: `LVF`, then `ABB` inside each of the smallest sets it found.

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

    Notes
    -----
    Of several equally small results the one of least risk is chosen, then the first found. Missing
    values as for `INTERACT`.

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

    def _choose(self, training: LocalData, problem: Problem) -> Self:
        bound = self._bound(problem, self.delta)
        starts, n_evaluations = _las_vegas(problem, bound, self.max_tries, self.random_state)
        best: tuple[int, float] = (len(problem.order) + 1, np.inf)
        chosen: Features = problem.order
        for features in starts:
            inside = problem.order[np.isin(problem.order, features)]
            found = self._search(problem, bound, inside)
            n_evaluations += found.n_evaluations
            quality = (len(found.features), problem.risk([*found.features, *problem.kept]))
            if quality < best:
                best, chosen = quality, found.features
        return self._conclude(training, problem, chosen, n_evaluations=n_evaluations)


def _las_vegas(
    problem: Problem, bound: float, max_tries: int, random_state: RandomState
) -> tuple[list[list[int]], int]:
    """The smallest sets that random draws met, the first one met first, and the evaluations."""
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

"""Random searches on the same risk: LVF and QBB."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from thresher._utils.params import Interval, estimator, param
from thresher.data import Training
from thresher.selectors.consistency._problem import Features, Problem, RiskBound, RiskSelector
from thresher.selectors.consistency.classic import Exhaustive


@estimator
class LVF(RiskBound, RiskSelector):
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
    random_state: Any = param(default=None)

    def _choose(self, training: Training, problem: Problem) -> Self:
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

    delta: float = param(Interval(0, 1), default=0.0, kw_only=False)
    max_tries: int = param(Interval(0, integer=True), default=1000)
    random_state: Any = param(default=None)

    def _choose(self, training: Training, problem: Problem) -> Self:
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
    problem: Problem, bound: float, max_tries: int, random_state: Any
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

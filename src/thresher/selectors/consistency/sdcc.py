"""SDCC, ASDCC and SWCFS: backward elimination that compares the remaining features at every step."""

from __future__ import annotations

from typing import Literal, Self

import numpy as np

from thresher._utils.params import Interval, estimator, param
from thresher.data import LocalData
from thresher.search.subsets import eliminate
from thresher.selectors.consistency._problem import ConsistencySelector, Problem, RiskBound, RiskFit


@estimator
class _Descent(RiskBound, RiskFit, ConsistencySelector):
    """Base class of methods that remove features one by one while the risk stays within the bound."""

    delta: float = param(Interval(0, 1), default=0.01, kw_only=False)

    def _descend(
        self, training: LocalData, problem: Problem, strategy: str, **options: float
    ) -> Self:
        bound = self._bound(problem, self.delta)
        result = eliminate(problem.core, strategy, bound, **options)
        removed = problem.order[result.removed]
        return self._conclude(
            training,
            problem,
            np.delete(problem.order, result.removed),
            removed=removed,
            n_evaluations=result.n_evaluations,
            trace={
                "removed": removed[len(removed) - len(result.risks) :],
                "risk": result.risks / problem.unit,
            },
        )


@estimator
class SDCC(_Descent):
    """Select features by steepest descent: each step removes the feature whose removal leaves the smallest risk.

    The search stops when every removal would raise the risk above `delta`. No feature of the result can be removed.

    Parameters
    ----------
    delta : float, default=0.01
        Largest risk allowed. 0 allows no more inconsistency than the data contain.
    delta_mode : {"absolute", "relative"}, default="absolute"
        ``"relative"`` adds `delta` to the risk of all features.
    infeasible : {"clip", "raise"}, default="clip"
        What to do if all features together have a larger risk than `delta`: use that risk as the bound
        and warn, or raise an error.
    strategy : {"fast", "steepest", "lazy"}, default="fast"
        How the search is executed; the result is the same. ``"fast"`` is FSDCC, which skips features that cannot be the
        best. ``"lazy"`` evaluates features best-first, usually many fewer. ``"steepest"`` compares all remaining
        features after removing the useless ones at the start of the order, and counts the evaluations of the published
        algorithm on all of them.
    tie : {"relevance", "first"}, default="relevance"
        Which of several equally good removals is made: that of the least relevant feature, then the lowest column
        index; or directly that of the lowest column index.
    measure : {"bayes", "binary", "pairs", "entropy"}, default="bayes"
        The risk of a set, see `INTERACT`.
    min_features, discretize, keep, exclude, missing, n_jobs, verbose
        See `INTERACT`.

    Attributes
    ----------
    selected_, support_, ranking_, scores_, relevance_, risk_, full_risk_, n_evaluations_, bins_, target_kind_
        See `INTERACT`.
    n_useless_ : int
        Number of features at the start of the order that can all be removed without changing the risk.
    trace_ : dict of str to ndarray
        ``removed`` and ``risk`` after each removal beyond the first `n_useless_`.

    See Also
    --------
    LCC : One pass over the features; faster.
    ASDCC : Also considers the relevance of the removed feature.

    Notes
    -----
    Time: one pass over the data for the relevances, then O(n_samples) per evaluation on the few features that remain
    without the useless ones. Missing values are as in `INTERACT`.

    References
    ----------
    K. Shin and X. M. Xu, "A consistency-constrained feature selection algorithm with the steepest
    descent method", 2009; A. Pino Angulo, doctoral thesis (FSDCC), 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import SDCC
    >>> X = np.random.default_rng(0).integers(0, 2, (200, 6))
    >>> y = X[:, 1] ^ X[:, 4]
    >>> SDCC(delta=0).fit(X, y).get_support(indices=True)
    array([1, 4])
    """

    strategy: Literal["fast", "steepest", "lazy"] = param(default="fast")
    tie: Literal["relevance", "first"] = param(default="relevance")

    def _select(self, training: LocalData, problem: Problem) -> Self:
        return self._descend(training, problem, self.strategy)


@estimator
class ASDCC(_Descent):
    """Select features by accelerated steepest descent, which weighs relevance and remaining risk.

    Each step considers the features whose removal keeps the risk within `delta`. It removes the one with the smallest
    ``alpha * relevance + (1 - alpha) * share of the risk still allowed that it uses up``.

    Parameters
    ----------
    delta : float, default=0.01
        Largest risk allowed. 0 allows no more inconsistency than the data contain.
    alpha : float, default=0.75
        Weight of the relevance: 1 gives `LCC`, 0 gives `SDCC`.
    delta_mode, infeasible
        See `LCC`.
    measure, min_features, discretize, keep, exclude, missing, n_jobs, verbose
        See `INTERACT`.

    Attributes
    ----------
    selected_, support_, ranking_, scores_, relevance_, risk_, full_risk_, n_useless_, n_evaluations_, trace_, bins_
        See `SDCC`.

    See Also
    --------
    SDCC : Considers the risk only.
    SWCFS : Restricts each step to a window of relevances.

    Notes
    -----
    Scores that differ by less than 1e-12 are ties: the less relevant feature is removed, then the one with the lowest
    column index. Cost and missing values are as in `SDCC`.

    References
    ----------
    A. Pino Angulo, doctoral thesis, 2019, section 3.4. The published listing has errors (the risk
    after a removal, the feature removed); this follows its definitions.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import ASDCC
    >>> X = np.random.default_rng(0).integers(0, 2, (200, 6))
    >>> y = X[:, 1] ^ X[:, 4]
    >>> ASDCC(delta=0).fit(X, y).get_support(indices=True)
    array([1, 4])
    """

    alpha: float = param(Interval(0, 1), default=0.75)

    def _select(self, training: LocalData, problem: Problem) -> Self:
        return self._descend(training, problem, "balanced", alpha=float(self.alpha))


@estimator
class SWCFS(_Descent):
    """Select features by sliding-window consistency-based removal (SWCFS).

    Each step considers the features whose relevance is in a window that starts at the least relevant one and
    widens with every removal. A feature whose removal does not change the risk is removed at once. Otherwise the one
    with the smallest ``(1 - alpha) * share of the risk allowed + alpha * scaled relevance`` is removed.

    Parameters
    ----------
    delta : float, default=0.01
        Largest risk allowed. 0 allows no more inconsistency than the data contain.
    alpha : float, default=0.5
        Weight of the relevance in the score.
    window : float, default=0.5
        Initial width of the window, as a share of the range of the relevances.
    expansion : float, default=1.0
        Widening of the window with every removal, in mean gaps between relevances.
    delta_mode, infeasible
        See `LCC`.
    measure, min_features, discretize, keep, exclude, missing, n_jobs, verbose
        See `INTERACT`.

    Attributes
    ----------
    selected_, support_, ranking_, scores_, relevance_, risk_, full_risk_, n_useless_, n_evaluations_, trace_, bins_
        See `SDCC`.

    See Also
    --------
    ASDCC : The same without a window.

    Notes
    -----
    Scores that differ by less than 1e-12 are ties: the less relevant feature is removed, then the one with the lowest
    column index. Cost and missing values are as in `SDCC`.

    References
    ----------
    A. Pino Angulo, doctoral thesis, 2019, section 3.6.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import SWCFS
    >>> X = np.random.default_rng(0).integers(0, 2, (200, 6))
    >>> y = X[:, 1] ^ X[:, 4]
    >>> SWCFS(delta=0).fit(X, y).get_support(indices=True)
    array([1, 4])
    """

    alpha: float = param(Interval(0, 1), default=0.5)
    window: float = param(Interval(0, 1), default=0.5)
    expansion: float = param(Interval(0), default=1.0)

    def _select(self, training: LocalData, problem: Problem) -> Self:
        options = {name: float(getattr(self, name)) for name in ("alpha", "window", "expansion")}
        return self._descend(training, problem, "window", **options)

"""SDCC, ASDCC and SWCFS: backward elimination that compares the features left at every step."""

from __future__ import annotations

from typing import Literal, Self

import numpy as np

from thresher._utils.params import Interval, Options, estimator, param
from thresher.data import LocalData
from thresher.search.subsets import eliminate
from thresher.selectors.consistency._problem import Problem, RiskBound, RiskFit


@estimator
class _Descent(RiskBound, RiskFit):
    """Removes one feature after the other while the risk stays within the bound."""

    delta: float = param(Interval(0, 1), default=0.01, kw_only=False)

    def _descend(
        self, training: LocalData, problem: Problem, strategy: str, **options: float
    ) -> Self:
        bound = self._bound(problem, self.delta)
        found = eliminate(problem.core, strategy, bound, **options)
        removed = problem.order[found.removed]
        return self._conclude(
            training,
            problem,
            np.delete(problem.order, found.removed),
            removed=removed,
            n_evaluations=found.n_evaluations,
            trace={
                "removed": removed[len(removed) - len(found.risks) :],
                "risk": found.risks / problem.unit,
            },
        )


@estimator
class SDCC(_Descent):
    """Steepest descent: each step removes the feature without which the risk is least.

    Stops when every removal would bring the risk above `delta`; no feature of the result can be
    removed.

    Parameters
    ----------
    delta : float, default=0.01
        Largest risk allowed. 0 asks for no more inconsistency than the data have.
    delta_mode : {"absolute", "relative"}, default="absolute"
        ``"relative"`` adds `delta` to the risk of all features.
    infeasible : {"clip", "raise"}, default="clip"
        What to do if all features together have a larger risk than `delta`: use that as the bound
        and warn, or raise.
    strategy : {"fast", "steepest", "lazy"}, default="fast"
        How the search is executed; the result is the same. ``"fast"`` is FSDCC, which skips
        features that cannot be the best; ``"lazy"`` asks for them best-first, mostly for far fewer;
        ``"steepest"`` compares all features left, once the useless ones at the low end of the order
        are gone, and counts the published algorithm's evaluations on all of them.
    tie : {"relevance", "first"}, default="relevance"
        Which of several equally good removals is made: the least relevant feature, then the lowest
        position; or the lowest position at once.
    measure : {"bayes", "binary", "pairs", "entropy"}, default="bayes"
        The risk of a set, see `INTERACT`.
    min_features, discretize, keep, exclude, missing, n_jobs, verbose
        See `INTERACT`.

    Attributes
    ----------
    selected_, support_, ranking_, scores_, relevance_, risk_, full_risk_, n_evaluations_, bins_
        See `INTERACT`.
    n_useless_ : int
        Features at the start of the order that can all go without changing the risk.
    trace_ : dict of str to ndarray
        ``removed`` and ``risk`` after each removal beyond the first `n_useless_`.

    Notes
    -----
    Time: one pass over the data for the relevances; then O(n_samples) per evaluation on the few
    features that are left after the useless ones. Missing values as for `INTERACT`.

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

    strategy: Literal["fast", "steepest", "lazy"] = param(
        Options("fast", "steepest", "lazy"), default="fast"
    )
    tie: Literal["relevance", "first"] = param(Options("relevance", "first"), default="relevance")

    def _choose(self, training: LocalData, problem: Problem) -> Self:
        return self._descend(training, problem, self.strategy)


@estimator
class ASDCC(_Descent):
    """Accelerated steepest descent: removals weigh relevance and the risk they leave.

    Each step removes, of the features whose removal keeps the risk within `delta`, the one of least
    ``alpha * relevance + (1 - alpha) * share of the risk still allowed that it uses up``.

    Parameters
    ----------
    delta : float, default=0.01
        Largest risk allowed. 0 asks for no more inconsistency than the data have.
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

    Notes
    -----
    Scores that differ by less than 1e-12 are ties: the less relevant feature goes, then the lowest
    position. Cost and missing values as for `SDCC`.

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

    def _choose(self, training: LocalData, problem: Problem) -> Self:
        return self._descend(training, problem, "balanced", alpha=float(self.alpha))


@estimator
class SWCFS(_Descent):
    """Sliding-window consistency-based selection: like `ASDCC` among the least relevant features.

    Looks at the features whose relevance lies in a window that begins at the least relevant one and
    widens with every removal. A feature whose removal does not change the risk goes at once;
    otherwise the one of least ``(1 - alpha) * share of the risk allowed + alpha * scaled
    relevance`` goes.

    Parameters
    ----------
    delta : float, default=0.01
        Largest risk allowed. 0 asks for no more inconsistency than the data have.
    alpha : float, default=0.5
        Weight of the relevance in the score.
    window : float, default=0.5
        First width of the window, as a share of the range of the relevances.
    expansion : float, default=1.0
        By how many mean gaps between relevances the window widens with every removal.
    delta_mode, infeasible
        See `LCC`.
    measure, min_features, discretize, keep, exclude, missing, n_jobs, verbose
        See `INTERACT`.

    Attributes
    ----------
    selected_, support_, ranking_, scores_, relevance_, risk_, full_risk_, n_useless_, n_evaluations_, trace_, bins_
        See `SDCC`.

    Notes
    -----
    Scores that differ by less than 1e-12 are ties: the less relevant feature goes, then the lowest
    position. Cost and missing values as for `SDCC`.

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

    def _choose(self, training: LocalData, problem: Problem) -> Self:
        options = {name: float(getattr(self, name)) for name in ("alpha", "window", "expansion")}
        return self._descend(training, problem, "window", **options)

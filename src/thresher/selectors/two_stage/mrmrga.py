"""MRMR-GA: a genetic algorithm over a pool of mRMR features."""

from __future__ import annotations

import numpy as np

from thresher._utils.params import Interval, estimator, param
from thresher._utils.types import Mask
from thresher.selectors.two_stage._base import TwoStageSelector
from thresher.selectors.two_stage._moves import SearchRun, Solution, is_better, rank

# Purposes of random streams.
START, CHILD = range(2)


@estimator
class MRMRGA(TwoStageSelector):
    """Genetic algorithm over a pool that mRMR finds, with the score of an estimator as fitness.

    A set is a string of bits over the pool. Each generation keeps its best set and fills up with children: two parents,
    each the better of two drawn, uniform crossover, flipped bits.

    Parameters
    ----------
    estimator : estimator, default=None
        Judges the sets, see `GBC`.
    pool : int, default=50
        Features of the pool.
    population : int, default=30
        Sets of a generation.
    generations : int, default=50
    crossover_rate : float, default=0.8
        Probability that a child has two parents: each bit of either with probability 1/2.
    mutation_rate : float, default=0.02
        Probability that a bit of a child is flipped.
    target_score : float or None, default=None
        The search ends when the best score reaches this.
    patience : int or None, default=None
        The search ends after so many generations with the same best set.
    scoring, cv, select, keep, exclude, time_budget, callback, checkpoint, random_state, n_jobs, verbose
        See `GBC`. The cycles of a callback's state are generations.

    Attributes
    ----------
    selected_, support_, ranking_, scores_, relevance_, pool_, sets_, set_scores_, best_score_, selected_score_
        See `GBC`.
    n_fitness_calls_, n_evaluations_, cut_off_, best_so_far_
        See `GBC`.
    stopped_by_ : str
        ``"generations"``, ``"target_score"``, ``"patience"``, ``"time_budget"`` or ``"callback"``.
    trace_ : dict of str to ndarray
        Per generation, the start being 0: ``cycle``, ``best``, ``mean``, ``n_features`` (of the best set),
        ``n_evaluations``, ``n_fitness_calls``.

    Notes
    -----
    The score is too good as an estimate, see `GBC` and `thresher.evaluate.nested_score`. A set without any feature is
    given one at random. Of equal scores the smaller set is better, then the one of lower ranks in the pool. Missing
    values are refused. At most ``population * (generations + 1)`` evaluations.

    References
    ----------
    A. El Akadi and others, "A two-stage gene selection scheme utilizing MRMR filter and GA wrapper", 2011, of which the
    rates above are not taken: they are ours.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher import MRMRGA
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> selector = MRMRGA(population=6, generations=5, random_state=0).fit(X, y)
    >>> selector.best_score_ > 0.96, len(selector.pool_)
    (True, 30)
    """

    pool: int = param(Interval(1, integer=True), default=50)
    population: int = param(Interval(1, integer=True), default=30)
    generations: int = param(Interval(1, integer=True), default=50)
    crossover_rate: float = param(Interval(0, 1), default=0.8)
    mutation_rate: float = param(Interval(0, 1), default=0.02)

    def _n_cycles(self) -> int:
        return self.generations

    def _search(self, run: SearchRun) -> str:
        run.grow(max(self.pool, run.n_kept))
        if run.size == 0:
            return "generations"
        run.phase = "start"
        rngs = [run.rng(START, i) for i in range(self.population)]
        solutions = [_solution(run, rng.random(run.size) < 0.5, rng) for rng in rngs]
        fits = run.score_all(solutions)
        best = _best(solutions, fits)
        self._tell_cycle(run, solutions[best], fits[best], fits)
        run.phase = "children"
        unchanged = 0
        while run.cycle < self.generations:
            why = self._is_finished(fits[best], unchanged)
            if why is not None:
                return why
            elite, elite_fit = solutions[best], fits[best]
            children = [self._child(run, i, solutions, fits) for i in range(1, self.population)]
            fits = [elite_fit, *run.score_all(children)]
            solutions = [elite, *children]
            best = _best(solutions, fits)
            unchanged = unchanged + 1 if solutions[best] == elite else 0
            run.cycle += 1
            self._tell_cycle(run, solutions[best], fits[best], fits)
        return "generations"

    def _child(
        self, run: SearchRun, i: int, solutions: list[Solution], fits: list[float]
    ) -> Solution:
        rng = run.rng(CHILD, i)
        one, other = (_tournament(solutions, fits, rng) for _ in range(2))
        bits = np.zeros(run.size, dtype=bool)
        bits[list(one)] = True
        if rng.random() < self.crossover_rate:
            theirs = np.zeros(run.size, dtype=bool)
            theirs[list(other)] = True
            bits = np.where(rng.random(run.size) < 0.5, bits, theirs)
        bits ^= rng.random(run.size) < self.mutation_rate
        return _solution(run, bits, rng)


def _solution(run: SearchRun, bits: Mask, rng: np.random.Generator) -> Solution:
    """The positions of the bits, and one at random if there are none."""
    chosen = run.repair(np.flatnonzero(bits).tolist())
    return chosen or (int(rng.integers(run.size)),)


def _tournament(solutions: list[Solution], fits: list[float], rng: np.random.Generator) -> Solution:
    """The better of two."""
    a, b = (int(i) for i in rng.integers(len(solutions), size=2))
    return solutions[b if is_better(solutions[b], fits[b], solutions[a], fits[a]) else a]


def _best(solutions: list[Solution], fits: list[float]) -> int:
    return min(range(len(solutions)), key=lambda i: rank(solutions[i], fits[i]))

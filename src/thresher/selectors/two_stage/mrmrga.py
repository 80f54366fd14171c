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
    """Select features by a genetic algorithm over a pool of mRMR, with the score of an estimator as fitness.

    A set is a string of bits over the pool. Each generation contains the best set of the one before, and children. A
    child has two parents, each the better of two random sets. Uniform crossover combines them; then bits are flipped.

    Parameters
    ----------
    estimator : estimator, default=None
        Scores the sets; see `GBC`.
    pool : int, default=50
        Number of features in the pool.
    population : int, default=30
        Number of sets in a generation.
    generations : int, default=50
        Number of generations after the first.
    crossover_rate : float, default=0.8
        Probability that a child has two parents: each bit of either with probability 1/2.
    mutation_rate : float, default=0.02
        Probability that a bit of a child is flipped.
    target_score : float or None, default=None
        The search ends when the best score reaches this value.
    patience : int or None, default=None
        The search ends after this number of generations with the same best set.
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

    See Also
    --------
    GBC : Genetic bee colony over the same pool.
    thresher.evaluate.nested_score : Unbiased estimate of the score on new data.

    Notes
    -----
    The score is optimistically biased; see `GBC`. An empty set gets one random feature. Of equal scores the smaller set
    is better, then the one of lower ranks in the pool. Missing values raise an error. There are at most
    ``population * (generations + 1)`` evaluations.

    References
    ----------
    A. El Akadi and others, "A two-stage gene selection scheme utilizing MRMR filter and GA wrapper", 2011. The
    default rates above are not from this paper.

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
        fitness = run.score_all(solutions)
        best = _best(solutions, fitness)
        self._report_cycle(run, solutions[best], fitness[best], fitness)
        run.phase = "children"
        unchanged = 0
        while run.cycle < self.generations:
            why = self._is_finished(fitness[best], unchanged)
            if why is not None:
                return why
            elite, elite_fit = solutions[best], fitness[best]
            children = [self._child(run, i, solutions, fitness) for i in range(1, self.population)]
            fitness = [elite_fit, *run.score_all(children)]
            solutions = [elite, *children]
            best = _best(solutions, fitness)
            unchanged = unchanged + 1 if solutions[best] == elite else 0
            run.cycle += 1
            self._report_cycle(run, solutions[best], fitness[best], fitness)
        return "generations"

    def _child(
        self, run: SearchRun, i: int, solutions: list[Solution], fitness: list[float]
    ) -> Solution:
        rng = run.rng(CHILD, i)
        one, other = (_tournament(solutions, fitness, rng) for _ in range(2))
        positions = np.arange(run.size)
        bits = np.isin(positions, one)
        if rng.random() < self.crossover_rate:
            bits = np.where(rng.random(run.size) < 0.5, bits, np.isin(positions, other))
        bits ^= rng.random(run.size) < self.mutation_rate
        return _solution(run, bits, rng)


def _solution(run: SearchRun, bits: Mask, rng: np.random.Generator) -> Solution:
    """Return the positions of the bits; a random one if no bit is set."""
    chosen = run.repair(np.flatnonzero(bits).tolist())
    return chosen or (int(rng.integers(run.size)),)


def _tournament(
    solutions: list[Solution], fitness: list[float], rng: np.random.Generator
) -> Solution:
    """Draw two solutions and return the better one."""
    a, b = (int(i) for i in rng.integers(len(solutions), size=2))
    return solutions[b if is_better(solutions[b], fitness[b], solutions[a], fitness[a]) else a]


def _best(solutions: list[Solution], fitness: list[float]) -> int:
    return min(range(len(solutions)), key=lambda i: rank(solutions[i], fitness[i]))

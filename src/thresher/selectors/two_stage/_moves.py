"""The features that a wrapper searches among, and its moves."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from thresher._utils.long_calls import Bar, on_behalf
from thresher._utils.types import Floats
from thresher.data import LocalData
from thresher.search import ForwardSearch, SearchResult
from thresher.selectors._criterion import SearchTask
from thresher.selectors._scoring import Key, Outcome, SubsetScorer
from thresher.selectors.mrmr import MRMR

# Positions in the pool, ascending.
Solution = tuple[int, ...]
Scores = Callable[[Sequence[Solution]], list[float]]

# What a fitness must exceed the mean by to be good: the rounding of the mean makes no equal ones good.
ABOVE_ROUNDING = 1e-12


def geometric_weights(n: int, j: int) -> Floats:
    """Probabilities of the positions for the `j`-th solution, from 1: they fall by j / (j + 1) from each to the next.

    Examples
    --------
    >>> geometric_weights(3, 1).round(4).tolist()
    [0.5714, 0.2857, 0.1429]
    """
    gamma = 1 - 1 / (j + 1)
    weights = np.power(gamma, np.arange(n, dtype=np.float64))
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def draw_position(weights: Floats, taken: Solution, rng: np.random.Generator) -> int:
    """A position that is not taken, with a probability in proportion to its weight."""
    left = weights.copy()
    left[list(taken)] = 0.0
    sums = np.cumsum(left)
    drawn = int(np.searchsorted(sums, rng.random() * sums[-1], side="right"))
    return min(drawn, int(np.flatnonzero(left)[-1]))


def shift(position: int, distance: float, n: int) -> int:
    """The position so far away, by at least 1; the other way if that leaves the pool of `n`.

    Examples
    --------
    >>> shift(3, 2.4, 10), shift(8, 3.2, 10), shift(5, -0.3, 10)
    (5, 5, 4)
    """
    step = math.floor(abs(distance) + 0.5) or 1
    step = step if distance >= 0 else -step
    for moved in (position + step, position - step):
        if 0 <= moved < n:
            return moved
    return min(max(position + step, 0), n - 1)


def neighbour(own: Solution, partner: Solution, n: int, rng: np.random.Generator) -> Solution:
    """`own` with one position shifted by a share of its distance from the partner's."""
    i = int(rng.integers(len(own)))
    return tuple(sorted({*own[:i], *own[i + 1 :], _shifted(own, i, partner, n, rng)}))


def _shifted(own: Solution, i: int, partner: Solution, n: int, rng: np.random.Generator) -> int:
    distance = rng.uniform(-1, 1) * (own[i] - partner[i % len(partner)])
    return shift(own[i], distance, n)


def crossover(one: Solution, other: Solution, rng: np.random.Generator) -> Solution:
    """What both have, and each position that one of them has with probability 1/2; it may be empty."""
    both = set(one) & set(other)
    single = sorted(set(one) ^ set(other))
    return tuple(sorted(both.union(position for position in single if rng.random() < 0.5)))


def mutate(
    solution: Solution, others: Sequence[Solution], rate: float, n: int, rng: np.random.Generator
) -> Solution:
    """Each position, with probability `rate`, shifted by a share of its distance from another solution's."""
    moved = []
    for i, position in enumerate(solution):
        if rng.random() < rate:
            other = others[int(rng.integers(len(others)))]
            position = _shifted(solution, i, other, n, rng)
        moved.append(position)
    return tuple(sorted(set(moved)))


def worths(fits: Sequence[float]) -> Floats:
    """Fitness values from 0 up: as they are, or above the least of them if that is negative; 0 for failures."""
    values = np.array(fits, dtype=np.float64)
    finite = np.isfinite(values)
    lowest = min(0.0, float(values[finite].min())) if finite.any() else 0.0
    return np.where(finite, values - lowest, 0.0)


def roulette(fits: Sequence[float]) -> Floats:
    """Probabilities in proportion to the fitness; equal ones if all are 0."""
    values = worths(fits)
    total = values.sum()
    return values / total if total > 0 else np.full(len(values), 1 / len(values))


def goodness(solutions: Sequence[Solution], fits: Sequence[float], n: int) -> Floats:
    """What each position has to do with good solutions, from -1 (in all bad ones) to 1 (in all good ones).

    A solution is good if its fitness is above the mean.
    """
    values = worths(fits)
    good = values > values.mean() + ABOVE_ROUNDING
    found = np.zeros(n)
    for side, sign in ((good, 1.0), (~good, -1.0)):
        total = values[side].sum()
        if total > 0:
            for i in np.flatnonzero(side).tolist():
                found[list(solutions[i])] += sign * values[i] / total
    return found


def intensify(
    solution: Solution, fit: float, promise: Floats, n_kept: int, scores: Scores
) -> tuple[Solution, float]:
    """Add the best position of positive promise while that helps, then remove the worst of the others.

    Of equal ones the position of larger absolute promise is taken, then the lower one. The first `n_kept` positions
    stay.
    """
    positive = [int(position) for position in np.flatnonzero(promise > 0)]

    def steepest(options: list[tuple[int, Solution]]) -> bool:
        nonlocal solution, fit
        found = scores([changed for _, changed in options])
        if not found or max(found) <= fit:
            return False
        best = max(
            range(len(options)),
            key=lambda i: (found[i], abs(promise[options[i][0]]), -options[i][0]),
        )
        solution, fit = options[best][1], found[best]
        return True

    while steepest([(f, tuple(sorted((*solution, f)))) for f in positive if f not in solution]):
        pass
    while steepest(
        [
            (f, tuple(position for position in solution if position != f))
            for f in solution
            if promise[f] <= 0 and f >= n_kept and len(solution) > 1
        ]
    ):
        pass
    return solution, fit


Features = npt.NDArray[np.intp]


class Stopped(Exception):
    """The search was told to end: by ``"time_budget"`` or ``"callback"``."""


@dataclass(frozen=True)
class SearchState:
    """Where a search stands, for its `callback`.

    Attributes
    ----------
    n_evaluations, n_fitness_calls : int
        Sets scored, and sets asked for, so far.
    cycle : int
        Cycles (generations) completed.
    phase : str
        What the search is doing.
    features : ndarray of int
        The set that has just been scored.
    score : float
        Its score; minus infinity if the estimator failed.
    best_features : ndarray of int
        The best set so far.
    best_score : float
    elapsed : float
        Seconds since the start of ``fit``.
    """

    n_evaluations: int
    n_fitness_calls: int
    cycle: int
    phase: str
    features: Features
    score: float
    best_features: Features
    best_score: float
    elapsed: float


@dataclass
class SearchRun:
    """Scores solutions, remembers the best, and ends the search when it is told to.

    Attributes
    ----------
    scorer : SubsetScorer
    pool : Pool
    n_kept : int
        The first so many positions of the pool are in every set.
    seed : int
    callback : callable or None
    time_budget : float or None
        Seconds.
    keep_record : callable or None
        Told of every scored set, to write it down.
    bar : Bar or None
    cycle, phase
        What the search is doing.
    best, best_score
        The best solution seen: by score, then by size, then by positions.
    trace : dict of str to list
        A line per cycle.
    """

    scorer: SubsetScorer
    pool: Pool
    n_kept: int = 0
    seed: int = 0
    callback: Callable[[SearchState], object] | None = None
    time_budget: float | None = None
    keep_record: Callable[[Key, Sequence[Outcome]], None] | None = None
    bar: Bar | None = None
    cycle: int = 0
    phase: str = "pool"
    best: Solution | None = None
    best_score: float = -math.inf
    trace: dict[str, list[float]] = field(default_factory=dict)
    _start: float = field(default_factory=time.monotonic)
    _places: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.scorer.after_each = self._after_each

    @property
    def size(self) -> int:
        """Features in the pool."""
        return len(self.pool.features)

    def grow(self, size: int) -> bool:
        """Make the pool larger; whether it could be."""
        grown = self.pool.grow(size)
        self._places = {int(feature): i for i, feature in enumerate(self.pool.features)}
        return grown

    def rng(self, purpose: int, bee: int = 0) -> np.random.Generator:
        """A stream of random numbers of its own for each cycle, purpose and bee."""
        return np.random.default_rng((self.seed, self.cycle, purpose, bee))

    def repair(self, solution: Sequence[int]) -> Solution:
        """The solution with the kept positions."""
        return tuple(sorted({*solution, *range(self.n_kept)}))

    def score(self, solution: Solution) -> float:
        return self.score_all([solution])[0]

    def score_all(self, solutions: Sequence[Solution]) -> list[float]:
        """One score per solution, each scored once; minus infinity where the estimator failed."""
        return self.scorer.score_all([self.pool.features[list(s)] for s in solutions])

    def note(self, **values: float) -> None:
        """A line of the trace."""
        counts = {"n_evaluations": self.scorer.n_scored, "n_fitness_calls": self.scorer.n_asked}
        line: dict[str, float] = {"cycle": self.cycle, **values, **counts}
        for name, value in line.items():
            self.trace.setdefault(name, []).append(value)

    def show(self) -> None:
        """Where the search stands, if there is a bar."""
        if self.bar is not None:
            size = len(self.best or ())
            found = f"best {self.best_score:.4g} with {size} features"
            self.bar.show(self.cycle, f"{found}, {self.scorer.n_scored} evaluations")

    def features(self, solution: Solution) -> Features:
        """The features of a solution, most relevant first, then by position."""
        chosen = np.sort(self.pool.features[list(solution)])
        return chosen[np.argsort(-self.pool.relevance[chosen], kind="stable")]

    def ranked(self) -> list[tuple[Solution, float]]:
        """All solutions that have a score, best first."""
        scored = self.scorer.scored().items()
        solutions = [(self._solution(key), score) for key, score in scored]
        return sorted(solutions, key=lambda item: rank(*item))

    def _solution(self, key: Key) -> Solution:
        return tuple(sorted(self._places[feature] for feature in key))

    def _after_each(self, key: Key, outcomes: Sequence[Outcome]) -> None:
        solution, score = self._solution(key), self.scorer.known_score(key)
        if score > -math.inf and (
            self.best is None or is_better(solution, score, self.best, self.best_score)
        ):
            self.best, self.best_score = solution, score
        if self.keep_record is not None:
            self.keep_record(key, outcomes)
        self.show()
        elapsed = time.monotonic() - self._start
        if self.callback is not None:
            state = SearchState(
                self.scorer.n_scored,
                self.scorer.n_asked,
                self.cycle,
                self.phase,
                self.features(solution),
                score,
                self.features(self.best or ()),
                self.best_score,
                elapsed,
            )
            if self.callback(state):
                raise Stopped("callback")
        if self.time_budget is not None and elapsed > self.time_budget:
            raise Stopped("time_budget")


def rank(solution: Solution, score: float) -> tuple[float, int, Solution]:
    """Smaller is better: a high score, then few features, then low positions."""
    return -score, len(solution), solution


def is_better(solution: Solution, score: float, than: Solution, than_score: float) -> bool:
    """Whether a solution comes before another."""
    return rank(solution, score) < rank(than, than_score)


class Pool:
    """Features in the order of MRMR on information, kept ones first; numbers are cut at mean -+ standard deviation.

    However it grows, it is the beginning of one long search.

    Attributes
    ----------
    features : ndarray of int
    relevance : ndarray of float of shape (n_features,)
    """

    def __init__(self, training: LocalData, n_jobs: int | None) -> None:
        self._filter = MRMR(relevance="mi", redundancy="mi", n_jobs=n_jobs)
        self._training = training
        self._criterion = self._filter.make_criterion(training)
        self._search: ForwardSearch[SearchResult] | None = None
        self.features: npt.NDArray[np.intp] = np.empty(0, dtype=np.intp)
        self.relevance: npt.NDArray[np.float64] = np.full(training.n_features, np.nan)

    def grow(self, size: int) -> bool:
        """To `size` features, or as many as there are; whether it has grown."""
        before = len(self.features)
        with on_behalf():
            if self._search is None:
                measures = self._filter.make_measures(self._training, self._criterion)
                self._task = SearchTask(
                    self._training, measures, self._criterion, size, self._filter
                )
                self._search = self._criterion.start(self._task)
            else:
                self._search.extend(size - before)
        found = self._criterion.describe(self._task, self._search.found())
        self.features = np.asarray(found.selected, dtype=np.intp)
        assert found.relevance is not None
        self.relevance = found.relevance
        return len(self.features) > before

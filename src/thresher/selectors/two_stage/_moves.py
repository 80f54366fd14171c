"""The pool of features that a wrapper searches, the moves of the search, and its state."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from thresher._utils.long_calls import Bar, reporting_for
from thresher._utils.types import Floats, Indices
from thresher.data import LocalData
from thresher.search import ForwardSearch, SearchResult
from thresher.selectors._criterion import SearchTask
from thresher.selectors._scoring import Key, Outcome, SubsetScorer
from thresher.selectors.mrmr import MRMR

# A set of features: positions in the pool, ascending.
Solution = tuple[int, ...]
Scores = Callable[[Sequence[Solution]], list[float]]

# A good fitness exceeds the mean by more than this, so that rounding of the mean cannot make equal ones good.
ABOVE_ROUNDING = 1e-12


def geometric_weights(n: int, j: int) -> Floats:
    """Return the probabilities of the positions for the `j`-th solution, from 1: each is j / (j + 1) of the one before.

    Examples
    --------
    >>> geometric_weights(3, 1).round(4).tolist()
    [0.5714, 0.2857, 0.1429]
    """
    gamma = 1 - 1 / (j + 1)
    weights = np.power(gamma, np.arange(n, dtype=np.float64))
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def draw_position(weights: Floats, taken: Solution, rng: np.random.Generator) -> int:
    """Draw a position that is not taken, with a probability in proportion to its weight."""
    left = weights.copy()
    left[list(taken)] = 0.0
    sums = np.cumsum(left)
    drawn = int(np.searchsorted(sums, rng.random() * sums[-1], side="right"))
    return min(drawn, int(np.flatnonzero(left)[-1]))


def shift(position: int, distance: float, n: int) -> int:
    """Return the position at this distance, at least 1, or at its opposite if that is outside the pool of `n`.

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


def neighbour(solution: Solution, partner: Solution, n: int, rng: np.random.Generator) -> Solution:
    """Shift one position of a solution by a random share of its distance from the partner's."""
    i = int(rng.integers(len(solution)))
    moved = _shifted(solution, i, partner, n, rng)
    return tuple(sorted({*solution[:i], *solution[i + 1 :], moved}))


def _shifted(
    solution: Solution, i: int, partner: Solution, n: int, rng: np.random.Generator
) -> int:
    distance = rng.uniform(-1, 1) * (solution[i] - partner[i % len(partner)])
    return shift(solution[i], distance, n)


def crossover(one: Solution, other: Solution, rng: np.random.Generator) -> Solution:
    """Return the positions of both, and with probability 1/2 each position of one of them; perhaps none."""
    both = set(one) & set(other)
    single = sorted(set(one) ^ set(other))
    return tuple(sorted(both.union(position for position in single if rng.random() < 0.5)))


def mutate(
    solution: Solution, others: Sequence[Solution], rate: float, n: int, rng: np.random.Generator
) -> Solution:
    """Shift each position, with probability `rate`, by a random share of its distance from another solution's."""
    moved = []
    for i, position in enumerate(solution):
        if rng.random() < rate:
            other = others[int(rng.integers(len(others)))]
            position = _shifted(solution, i, other, n, rng)
        moved.append(position)
    return tuple(sorted(set(moved)))


def shifted_fitness(fitness: Sequence[float]) -> Floats:
    """Return nonnegative fitness values, shifted by the smallest if that is negative; 0 for failures."""
    values = np.array(fitness, dtype=np.float64)
    finite = np.isfinite(values)
    lowest = min(0.0, float(values[finite].min())) if finite.any() else 0.0
    return np.where(finite, values - lowest, 0.0)


def roulette(fitness: Sequence[float]) -> Floats:
    """Return probabilities in proportion to the fitness; equal ones if all are 0."""
    values = shifted_fitness(fitness)
    total = values.sum()
    return values / total if total > 0 else np.full(len(values), 1 / len(values))


def goodness(solutions: Sequence[Solution], fitness: Sequence[float], n: int) -> Floats:
    """Return how much each position belongs to good solutions, from -1 (in all bad ones) to 1 (in all good ones).

    A solution is good if its fitness is above the mean.
    """
    values = shifted_fitness(fitness)
    good = values > values.mean() + ABOVE_ROUNDING
    per_position = np.zeros(n)
    for side, sign in ((good, 1.0), (~good, -1.0)):
        total = values[side].sum()
        if total > 0:
            for i in np.flatnonzero(side).tolist():
                per_position[list(solutions[i])] += sign * values[i] / total
    return per_position


def intensify(
    solution: Solution, fit: float, position_goodness: Floats, n_kept: int, scores: Scores
) -> tuple[Solution, float]:
    """Add the best position of positive goodness while the score rises, then remove the worst of the others.

    Ties go to the position of larger absolute goodness, then to the lower one. The first `n_kept` positions stay.
    """
    positive = [int(position) for position in np.flatnonzero(position_goodness > 0)]

    def steepest(options: list[tuple[int, Solution]]) -> bool:
        nonlocal solution, fit
        new = scores([changed for _, changed in options])
        if not new or max(new) <= fit:
            return False
        best = max(
            range(len(options)),
            key=lambda i: (new[i], abs(position_goodness[options[i][0]]), -options[i][0]),
        )
        solution, fit = options[best][1], new[best]
        return True

    while steepest([(f, tuple(sorted((*solution, f)))) for f in positive if f not in solution]):
        pass
    while steepest(
        [
            (f, tuple(position for position in solution if position != f))
            for f in solution
            if position_goodness[f] <= 0 and f >= n_kept and len(solution) > 1
        ]
    ):
        pass
    return solution, fit


Features = npt.NDArray[np.intp]


class Stopped(Exception):
    """The search ends because of ``"time_budget"`` or ``"callback"``."""


@dataclass(frozen=True)
class SearchState:
    """The state of a search, as its `callback` gets it.

    Attributes
    ----------
    n_evaluations, n_fitness_calls : int
        Sets scored, and sets requested, so far.
    cycle : int
        Cycles (generations) completed.
    phase : str
        The current step of a cycle.
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
    """One search: scores solutions, stores the best, and ends when the callback or the time budget requires it.

    Attributes
    ----------
    scorer : SubsetScorer
    pool : Pool
    n_kept : int
        The first `n_kept` positions of the pool are in every set.
    seed : int
    callback : callable or None
    time_budget : float or None
        Seconds.
    record : callable or None
        Writes every scored set to the checkpoint.
    bar : Bar or None
    cycle, phase
        The current cycle and its step.
    best, best_score
        The best solution so far: by score, then by size, then by positions.
    trace : dict of str to list
        A line per cycle.
    """

    scorer: SubsetScorer
    pool: Pool
    n_kept: int = 0
    seed: int = 0
    callback: Callable[[SearchState], object] | None = None
    time_budget: float | None = None
    record: Callable[[Key, Sequence[Outcome]], None] | None = None
    bar: Bar | None = None
    cycle: int = 0
    phase: str = "pool"
    best: Solution | None = None
    best_score: float = -math.inf
    trace: dict[str, list[float]] = field(default_factory=dict)
    _start: float = field(default_factory=time.monotonic)
    _positions: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.scorer.after_each = self._after_each

    @property
    def size(self) -> int:
        """Number of features in the pool."""
        return len(self.pool.features)

    def grow(self, size: int) -> bool:
        """Enlarge the pool; return whether there were more features."""
        grown = self.pool.grow(size)
        self._positions = {int(feature): i for i, feature in enumerate(self.pool.features)}
        return grown

    def rng(self, purpose: int, bee: int = 0) -> np.random.Generator:
        """Return a separate random stream for each cycle, purpose and bee."""
        return np.random.default_rng((self.seed, self.cycle, purpose, bee))

    def repair(self, solution: Sequence[int]) -> Solution:
        """Return the solution with the forced-in positions added."""
        return tuple(sorted({*solution, *range(self.n_kept)}))

    def score(self, solution: Solution) -> float:
        return self.score_all([solution])[0]

    def score_all(self, solutions: Sequence[Solution]) -> list[float]:
        """Return the score of each solution; minus infinity where the estimator failed."""
        return self.scorer.score_all([self.pool.features[list(s)] for s in solutions])

    def note(self, **values: float) -> None:
        """Add a line to the trace."""
        counts = {"n_evaluations": self.scorer.n_scored, "n_fitness_calls": self.scorer.n_requested}
        line: dict[str, float] = {"cycle": self.cycle, **values, **counts}
        for name, value in line.items():
            self.trace.setdefault(name, []).append(value)

    def show(self) -> None:
        """Update the progress bar, if there is one."""
        if self.bar is not None:
            size = len(self.best or ())
            best = f"best {self.best_score:.4g} with {size} features"
            self.bar.show(self.cycle, f"{best}, {self.scorer.n_scored} evaluations")

    def features(self, solution: Solution) -> Features:
        """Return the features of a solution, most relevant first, then by position."""
        chosen = np.sort(self.pool.features[list(solution)])
        return chosen[np.argsort(-self.pool.relevance[chosen], kind="stable")]

    def ranked(self) -> list[tuple[Solution, float]]:
        """Return all solutions that have a score, best first."""
        scored = self.scorer.scored().items()
        solutions = [(self._solution(key), score) for key, score in scored]
        return sorted(solutions, key=lambda item: rank(*item))

    def _solution(self, key: Key) -> Solution:
        return tuple(sorted(self._positions[feature] for feature in key))

    def _after_each(self, key: Key, outcomes: Sequence[Outcome]) -> None:
        solution, score = self._solution(key), self.scorer.known_score(key)
        if score > -math.inf and (
            self.best is None or is_better(solution, score, self.best, self.best_score)
        ):
            self.best, self.best_score = solution, score
        if self.record is not None:
            self.record(key, outcomes)
        self.show()
        elapsed = time.monotonic() - self._start
        if self.callback is not None:
            state = SearchState(
                self.scorer.n_scored,
                self.scorer.n_requested,
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
    """Return a sort key: first a high score, then few features, then low positions."""
    return -score, len(solution), solution


def is_better(solution: Solution, score: float, than: Solution, than_score: float) -> bool:
    """Return whether a solution comes before another."""
    return rank(solution, score) < rank(than, than_score)


class Pool:
    """Features in the order of MRMR by mutual information, forced-in ones first.

    Numeric features are binned at mean -+ standard deviation. A pool that grew in steps equals one long search.

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
        self.features: Indices = np.empty(0, dtype=np.intp)
        self.relevance: Floats = np.full(training.n_features, np.nan)

    def grow(self, size: int) -> bool:
        """Enlarge the pool to `size` features, or as many as there are; return whether it has grown."""
        before = len(self.features)
        with reporting_for():
            if self._search is None:
                measures = self._filter.make_measures(self._training, self._criterion)
                self._task = SearchTask(
                    self._training, measures, self._criterion, size, self._filter
                )
                self._search = self._criterion.start(self._task)
            else:
                self._search.extend(size - before)
        selection = self._criterion.describe(self._task, self._search.result())
        self.features = np.asarray(selection.selected, dtype=np.intp)
        assert selection.relevance is not None
        self.relevance = selection.relevance
        return len(self.features) > before

"""The field of a wrapper: the pool, the judge of its sets, and what was seen of them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher._utils.progress import Bar
from thresher.selectors._judge import Judge, Key, Outcome
from thresher.selectors.two_stage._moves import Solution
from thresher.selectors.two_stage._pool import Pool

Floats = npt.NDArray[np.float64]
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
class Field:
    """Scores solutions, remembers the best, and ends the search when it is told to.

    Attributes
    ----------
    judge : Judge
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

    judge: Judge
    pool: Pool
    n_kept: int = 0
    seed: int = 0
    callback: Callable[[SearchState], Any] | None = None
    time_budget: float | None = None
    keep_record: Callable[[Key, Sequence[Outcome]], None] | None = None
    bar: Bar | None = None
    cycle: int = 0
    phase: str = "pool"
    best: Solution | None = None
    best_score: float = -math.inf
    trace: dict[str, list[Any]] = field(default_factory=dict)
    _start: float = field(default_factory=time.monotonic)
    _places: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.judge.after_each = self._after_each

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
        return self.judge.score_all([self.pool.features[list(s)] for s in solutions])

    def note(self, **values: Any) -> None:
        """A line of the trace."""
        counts = {"n_evaluations": self.judge.n_scored, "n_fitness_calls": self.judge.n_asked}
        for name, value in {"cycle": self.cycle, **values, **counts}.items():
            self.trace.setdefault(name, []).append(value)

    def show(self) -> None:
        """Where the search stands, if there is a bar."""
        if self.bar is not None:
            size = len(self.best or ())
            found = f"best {self.best_score:.4g} with {size} features"
            self.bar.show(self.cycle, f"{found}, {self.judge.n_scored} evaluations")

    def features(self, solution: Solution) -> Features:
        """The features of a solution, most relevant first, then by position."""
        chosen = np.sort(self.pool.features[list(solution)])
        return chosen[np.argsort(-self.pool.relevance[chosen], kind="stable")]

    def ranked(self) -> list[tuple[Solution, float]]:
        """All solutions that have a score, best first."""
        scored = self.judge.scored().items()
        solutions = [(self._solution(key), score) for key, score in scored]
        return sorted(solutions, key=lambda item: rank(*item))

    def _solution(self, key: Key) -> Solution:
        return tuple(sorted(self._places[feature] for feature in key))

    def _after_each(self, key: Key, outcomes: Sequence[Outcome]) -> None:
        solution, score = self._solution(key), self.judge.known_score(key)
        if score > -math.inf and (
            self.best is None or is_better(solution, score, self.best, self.best_score)
        ):
            self.best, self.best_score = solution, score
        if self.keep_record is not None:
            self.keep_record(key, outcomes)
        self.show()
        elapsed = time.monotonic() - self._start
        if self.callback is not None and self.callback(self._state(solution, score, elapsed)):
            raise Stopped("callback")
        if self.time_budget is not None and elapsed > self.time_budget:
            raise Stopped("time_budget")

    def _state(self, solution: Solution, score: float, elapsed: float) -> SearchState:
        return SearchState(
            self.judge.n_scored,
            self.judge.n_asked,
            self.cycle,
            self.phase,
            self.features(solution),
            score,
            self.features(self.best or ()),
            self.best_score,
            elapsed,
        )


def rank(solution: Solution, score: float) -> tuple[float, int, Solution]:
    """Smaller is better: a high score, then few features, then low positions."""
    return -score, len(solution), solution


def is_better(solution: Solution, score: float, than: Solution, than_score: float) -> bool:
    """Whether a solution comes before another."""
    return rank(solution, score) < rank(than, than_score)

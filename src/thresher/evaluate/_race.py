"""Selectors on the same folds, one fold after the other, until the time is spent."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from scipy import stats
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.metrics import check_scoring

from thresher._utils.checks import resolve_threads
from thresher.evaluate._candidates import Candidate
from thresher.evaluate._runs import Cell, Fold, derive_seed, draw_folds, run_cell
from thresher.selectors._judge import fit_and_score

Floats = npt.NDArray[np.float64]

_FEWEST_FOLDS, _MOST_FOLDS = 2, 50
_N_SPLITS = 5


class Race:
    """All candidates on the same folds, one fold after the other."""

    def __init__(
        self,
        tried: list[Candidate],
        estimator: Any,
        scoring: Any,
        X: Any,
        y: Any,
        k: int,
        n_jobs: int | None,
        smallest_class: int,
        seed: int,
    ) -> None:
        self.tried, self.estimator, self.scoring = tried, estimator, scoring
        self.X, self.y, self.k, self.n_jobs = X, y, k, n_jobs
        self.n_splits = min(_N_SPLITS, smallest_class or _N_SPLITS, len(y))
        self.seed = seed
        self.is_classification = smallest_class > 0
        self.cells: dict[str, list[Cell]] = {candidate.name: [] for candidate in tried}
        self.costs: dict[str, float] = {}
        self.guesses: list[float] = []
        self.dropped: dict[str, str] = {}

    @property
    def alive(self) -> list[Candidate]:
        return [candidate for candidate in self.tried if candidate.name not in self.dropped]

    def folds(self) -> Iterator[Fold]:
        for repeat in range(_MOST_FOLDS // self.n_splits):
            yield from draw_folds(
                self.n_splits,
                self.X,
                self.y,
                {"": self.estimator},
                derive_seed(self.seed, repeat),
            )

    def run(self, budget_s: float) -> None:
        start = time.monotonic()
        for i, fold in enumerate(self.folds()):
            begun = time.monotonic()
            if i == 0:
                self._try_all(fold, start + budget_s / 2)
                self._drop_slow(budget_s - (time.monotonic() - start))
            else:
                self._run_fold(i, fold, self.alive)
            self._guess(fold)
            now = time.monotonic()
            if i + 1 >= _FEWEST_FOLDS and now - start + (now - begun) > budget_s:
                break

    def _try_all(self, fold: Fold, until: float) -> None:
        """All on the first fold, as many at once as there are workers; none is begun later than `until` but for two."""
        at_once = resolve_threads(self.n_jobs)
        waiting = list(self.tried)
        while waiting and (len(self.alive) - len(waiting) < 2 or time.monotonic() <= until):
            some, waiting = waiting[:at_once], waiting[at_once:]
            self._run_fold(0, fold, some)
        for candidate in waiting:
            self.dropped[candidate.name] = "not tried: half of the budget was spent before"

    def _run_fold(self, i: int, fold: Fold, some: list[Candidate]) -> None:
        outcomes = Parallel(n_jobs=resolve_threads(self.n_jobs, len(some)))(
            delayed(_timed_cell)(
                candidate.selector,
                {"": self.estimator},
                self.scoring,
                self.X,
                self.y,
                fold,
                [self.k],
                derive_seed(self.seed, i, 1),
            )
            for candidate in some
        )
        for candidate, (cell, seconds) in zip(some, outcomes, strict=True):
            self.cells[candidate.name].append(cell)
            self.costs[candidate.name] = seconds
        self._drop_failed(some)

    def _guess(self, fold: Fold) -> None:
        dummy = DummyClassifier() if self.is_classification else DummyRegressor()
        scorer = check_scoring(dummy, scoring=self.scoring)
        guess = fit_and_score(dummy, scorer, np.zeros((len(self.y), 1)), self.y, *fold)
        self.guesses.append(math.nan if isinstance(guess, str) else guess)

    def _drop_failed(self, some: list[Candidate]) -> None:
        for candidate in some:
            errors = self.cells[candidate.name][-1].errors
            if errors:
                self.dropped[candidate.name] = f"failed: {next(iter(errors.values()))}"
        if not self.alive:
            name, why = next(iter(self.dropped.items()))
            raise ValueError(f"no selector could be tried; {name} {why}")

    def _drop_slow(self, left_s: float) -> None:
        """The slowest do not go on, until the other folds fit in what is left; the ranking, to be beaten, stays."""
        while len(self.alive) > 2:
            costs = {c.name: self.costs[c.name] for c in self.alive}
            if sum(costs.values()) * (self.n_splits - 1) <= left_s:
                return
            others = [c.name for c in reversed(self.alive) if c is not self.tried[0]]
            slowest = max(others, key=lambda name: costs[name])
            self.dropped[slowest] = (
                f"took {costs[slowest]:.2g} s on one fold: too slow for the budget"
            )

    def scores(self, name: str) -> Floats:
        return np.array([cell.scores[""][0] for cell in self.cells[name]])

    def error(self, difference: Floats) -> float:
        """Standard error of a mean over folds, corrected for training sides that overlap."""
        overlap = 1 / (self.n_splits - 1)  # test rows over training rows
        return math.sqrt(float(difference.var(ddof=1)) * (1 / len(difference) + overlap))

    def pvalue(self, difference: Floats) -> float:
        mean, error = float(difference.mean()), self.error(difference)
        if error == 0.0:
            return 1.0 if mean == 0.0 else 0.0
        return float(2 * stats.t.sf(abs(mean) / error, len(difference) - 1))


def _timed_cell(*arguments: Any) -> tuple[Cell, float]:
    start = time.perf_counter()
    cell = run_cell(*arguments)
    return cell, time.perf_counter() - start

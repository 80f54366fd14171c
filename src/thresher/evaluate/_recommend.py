"""Recommendation of a selector for some data."""

from __future__ import annotations

import math
import re
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy import stats
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.metrics import check_scoring
from sklearn.pipeline import Pipeline

from thresher._registry import PUBLIC
from thresher._utils.arrays import takes_arrays
from thresher._utils.checks import check_number, one_call, resolve_threads
from thresher._utils.tables import Output, as_table
from thresher._utils.types import (
    DataLike,
    Estimator,
    Floats,
    Frame,
    RandomState,
    Scoring,
    TargetKind,
    TargetLike,
)
from thresher.evaluate._candidates import (
    Candidate,
    Profile,
    candidates,
    encode_before,
    look_at,
    types_with_missing,
)
from thresher.evaluate._runs import Cell, Fold, Trial, as_matrix, check_lengths, derive_seed
from thresher.evaluate.significance import holm
from thresher.evaluate.stability import nogueira
from thresher.search.ensemble import draw_seed
from thresher.search.error_bounds import counted
from thresher.selectors._scoring import check_scorer, fit_and_score
from thresher.selectors._target import with_target
from thresher.selectors._third_party import resize

__all__ = ["Recommendation", "recommend"]

_LEVEL = 0.05
_FEWEST_FOLDS, _MOST_FOLDS = 2, 50
_N_SPLITS = 5


@dataclass
class Race:
    """All candidates on the same folds, one fold after the other."""

    tried: list[Candidate]
    trial: Trial
    n_jobs: int | None
    smallest_class: int
    seed: int
    cells: dict[str, list[Cell]] = field(default_factory=lambda: defaultdict(list))
    costs: dict[str, float] = field(default_factory=dict)
    guesses: list[float] = field(default_factory=list)
    dropped: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.n_splits = min(_N_SPLITS, self.smallest_class or _N_SPLITS, len(self.trial.y))

    @property
    def remaining(self) -> list[Candidate]:
        return [candidate for candidate in self.tried if candidate.name not in self.dropped]

    def folds(self) -> Iterator[Fold]:
        for repeat in range(_MOST_FOLDS // self.n_splits):
            yield from self.trial.folds(self.n_splits, derive_seed(self.seed, repeat))

    def run(self, budget_s: float) -> None:
        start = time.monotonic()
        for i, fold in enumerate(self.folds()):
            fold_start = time.monotonic()
            if i == 0:
                self._run_first_fold(fold, start + budget_s / 2)
                self._drop_slow(budget_s - (time.monotonic() - start))
            else:
                self._run_fold(i, fold, self.remaining)
            self._score_guess(fold)
            now = time.monotonic()
            if i + 1 >= _FEWEST_FOLDS and now - start + (now - fold_start) > budget_s:
                break

    def _run_first_fold(self, fold: Fold, until: float) -> None:
        """Run the selectors on the first fold, one per worker at a time; start no third one after `until`."""
        n_workers = resolve_threads(self.n_jobs)
        waiting = list(self.tried)
        while waiting and (len(self.remaining) - len(waiting) < 2 or time.monotonic() <= until):
            batch, waiting = waiting[:n_workers], waiting[n_workers:]
            self._run_fold(0, fold, batch)
        for candidate in waiting:
            self.dropped[candidate.name] = "not run: half of the budget was already used"

    def _run_fold(self, i: int, fold: Fold, batch: list[Candidate]) -> None:
        seed = derive_seed(self.seed, i, 1)
        results = Parallel(n_jobs=resolve_threads(self.n_jobs, len(batch)))(
            delayed(_timed_cell)(self.trial, candidate.selector, fold, seed) for candidate in batch
        )
        for candidate, (cell, seconds) in zip(batch, results, strict=True):
            self.cells[candidate.name].append(cell)
            self.costs[candidate.name] = seconds
        self._drop_failed(batch)

    def _score_guess(self, fold: Fold) -> None:
        dummy = DummyClassifier() if self.smallest_class else DummyRegressor()
        scorer, y = check_scoring(dummy, scoring=self.trial.scoring), self.trial.y
        guess = fit_and_score(dummy, scorer, np.zeros((len(y), 1)), y, *fold)
        self.guesses.append(math.nan if isinstance(guess, str) else guess)

    def _drop_failed(self, batch: list[Candidate]) -> None:
        for candidate in batch:
            errors = self.cells[candidate.name][-1].errors
            if errors:
                self.dropped[candidate.name] = f"failed: {next(iter(errors.values()))}"
        if not self.remaining:
            name, why = next(iter(self.dropped.items()))
            raise ValueError(f"no selector could be run; {name} {why}")

    def _drop_slow(self, left_s: float) -> None:
        """Drop the slowest selectors until the others can run on all folds; keep the baseline ranking."""
        while len(self.remaining) > 2:
            costs = {c.name: self.costs[c.name] for c in self.remaining}
            if sum(costs.values()) * (self.n_splits - 1) <= left_s:
                return
            others = [c.name for c in reversed(self.remaining) if c is not self.tried[0]]
            slowest = max(others, key=lambda name: costs[name])
            self.dropped[slowest] = (
                f"took {costs[slowest]:.2g} s on one fold: too slow for the budget"
            )

    def scores(self, name: str) -> Floats:
        return np.array([cell.scores[""][0] for cell in self.cells[name]])

    def seconds(self, name: str) -> float:
        return float(np.mean([cell.seconds[0] for cell in self.cells[name]]))

    def reach(self, name: str) -> float:
        """Return half the length of the 95 % interval of the mean score."""
        scores = self.scores(name)
        return float(stats.t.ppf(0.975, len(scores) - 1)) * self.error(scores)

    def error(self, difference: Floats) -> float:
        """Return the standard error of a mean over folds, corrected for overlapping training sets."""
        overlap = 1 / (self.n_splits - 1)  # test rows over training rows
        return math.sqrt(float(difference.var(ddof=1)) * (1 / len(difference) + overlap))

    def pvalue(self, difference: Floats) -> float:
        mean, error = float(difference.mean()), self.error(difference)
        if error == 0.0:
            return 1.0 if mean == 0.0 else 0.0
        return float(2 * stats.t.sf(abs(mean) / error, len(difference) - 1))


def _timed_cell(trial: Trial, selector: Estimator, fold: Fold, seed: int) -> tuple[Cell, float]:
    start = time.perf_counter()
    cell = trial.run(selector, fold, seed)
    return cell, time.perf_counter() - start


@dataclass(frozen=True)
class Recommendation:
    """Result of :func:`recommend`; prints as text.

    Attributes
    ----------
    winner : str or None
        The selector that is significantly better than all others; None if there is none.
    alike : tuple of str
        Selectors that do not differ significantly from the first of the table.
    code : str
        Python code that runs the winner, or the first selector of the table if there is no winner.
    findings : tuple of str
        Facts of the data and of the comparison.
    interactions : bool or None
        Whether a method that evaluates sets or neighbours is better than the ranking; None if none ran.
    """

    winner: str | None
    alike: tuple[str, ...]
    code: str
    findings: tuple[str, ...]
    interactions: bool | None
    _columns: dict[str, list[Any]]

    def table(self, output: Output = "pandas") -> Frame:
        """Return one row per selector that ran on all folds, best first.

        Returns
        -------
        table : DataFrame or dict
            Columns: ``rank``, ``selector``, ``score`` (mean over the folds) with ``low`` and ``high`` (95 %, corrected
            for overlapping folds), ``pvalue`` (of the difference from the first, Holm), ``stability`` (Nogueira),
            ``seconds`` per selection, ``n_folds``, ``reason``.
        """
        return as_table(self._columns, output)

    @property
    def outcome(self) -> str:
        """The winner, or the selectors that do not differ significantly, in a sentence."""
        if self.winner is not None:
            return f"winner: {self.winner}"
        if not self.alike:
            return "no winner: the first does not differ significantly from a guess"
        return f"no winner: no significant difference between the first and {', '.join(self.alike)}"

    def __repr__(self) -> str:
        rows = zip(*self._columns.values(), strict=True)
        lines = [
            f"{rank}. {name:<11} {score:.3f} [{low:.3f}, {high:.3f}]  {reason}"
            for rank, name, score, low, high, *_, reason in rows
        ]
        return "\n".join([*self.findings, "", *lines, "", self.outcome, "", self.code])


@one_call()
@takes_arrays
def recommend(
    X: DataLike,
    y: TargetLike,
    budget_s: float = 30,
    *,
    k: int | None = None,
    estimator: Estimator = None,
    scoring: Scoring = None,
    target: TargetKind = "auto",
    random_state: RandomState = None,
    n_jobs: int | None = None,
) -> Recommendation:
    """Recommend a selector for some data, with the significance of its lead.

    The numbers of samples, features and classes, sparsity and the types of the columns decide which selectors are
    plausible. These run inside the folds of a repeated cross-validation until the budget is used.

    Parameters
    ----------
    X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        Features.
    y : array-like of shape (n_samples,)
        Classes or numbers.
    budget_s : float, default=30
        Approximate time in seconds. Up to half of it is used for the first fold, on which all selectors run one after
        the other. Then the slowest are dropped until the others can run on five folds. At least two selectors run on
        two folds.
    k : int, default=None
        Number of features to select. None: 10, or half of the features if there are fewer than 20.
    estimator : estimator, default=None
        The estimator that uses the features. None: a random forest of 30 trees, which can use interactions.
    scoring : str or callable, default=None
        A scorer of scikit-learn. None uses the ``score`` method of the estimator.
    target : {"auto", "nominal", "numeric"}, default="auto"
        How y is read; see :ref:`target-kind`.
    random_state : int, RandomState or None, default=None
        Seed of the folds, the selectors and the estimator. The number of folds depends on the speed of the machine.
    n_jobs : int, default=None
        Number of selectors that run at the same time, in processes.

    Returns
    -------
    recommendation : Recommendation
        ``table()`` with a reason per row, ``winner``, ``code``. It prints as text.

    See Also
    --------
    thresher.evaluate.compare : Compare selectors of your choice on several data sets.

    Notes
    -----
    Scores of two selectors are compared fold by fold with the t-test of Nadeau and Bengio, which corrects for the
    overlap of training sets, and Holm's correction for the number of tests. A winner is named only if it is better
    than every other selector at a level of 5 %, and better than a guess without features. The score of the best of
    several selectors is slightly optimistic.

    References
    ----------
    C. Nadeau and Y. Bengio, "Inference for the generalization error", Machine Learning 52 (2003).

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from thresher.datasets import make_xor
    >>> from thresher.evaluate import recommend
    >>> made = make_xor(200, random_state=0)
    >>> result = recommend(made.data, made.target, 5, k=2, estimator=KNeighborsClassifier(), random_state=0)
    >>> result.interactions, result.table("dict")["score"][0]
    (True, 1.0)
    """
    check_number("budget_s", budget_s, minimum=0, exclusive_minimum=True)
    check_scorer(scoring)
    resolve_threads(n_jobs)
    X = as_matrix(X)
    check_lengths(X, y)
    p = X.shape[1]
    if k is None:
        k = min(10, max(1, p // 2))
    check_number("k", k, minimum=1, maximum=p, integer=True)
    profile = look_at(X, y, target)
    given = _usual(profile) if estimator is None else estimator
    tried, left_out = candidates(profile, int(k), budget_s)
    if target != "auto":
        tried = [replace(one, selector=with_target(one.selector, target)) for one in tried]
    seed = draw_seed(random_state)
    trial = Trial(X, y, {"": given}, scoring, [int(k)])
    race = Race(tried, trial, n_jobs, profile.smallest_class, seed)
    race.run(budget_s)
    return _summarize(race, [*profile.sentences], left_out, estimator is None)


def _usual(profile: Profile) -> Estimator:
    forest = (RandomForestClassifier if profile.is_classification else RandomForestRegressor)(30)
    return encode_before(forest) if profile.has_categories else forest


def _summarize(
    race: Race, findings: list[str], left_out: list[str], is_usual: bool
) -> Recommendation:
    X, k = race.trial.X, race.trial.sizes[0]
    stability = {
        c.name: nogueira([cell.features[0] for cell in race.cells[c.name]], n_features=X.shape[1])
        for c in race.remaining
    }
    mean = {c.name: float(race.scores(c.name).mean()) for c in race.remaining}
    reach = {c.name: race.reach(c.name) for c in race.remaining}
    # Equal scores: the more stable selector first, then the more plausible one.
    order = sorted(
        race.remaining, key=lambda c: (-mean[c.name], -np.nan_to_num(stability[c.name], nan=-1.0))
    )
    first, *others = order
    lead = race.scores(first.name)
    pvalues = holm(np.array([race.pvalue(lead - race.scores(c.name)) for c in others]))
    behind = {c.name: float(value) for c, value in zip(others, pvalues, strict=True)}
    guess = np.array(race.guesses)
    is_signal = lead.mean() > guess.mean() and race.pvalue(lead - guess) < _LEVEL
    alike = [c.name for c in others if behind[c.name] >= _LEVEL]
    winner = first.name if is_signal and others and not alike else None
    interactions = _interactions(race)
    findings += [
        f"{len(guess)} folds, {counted(k)} each; without features the score is {guess.mean():.3f}"
    ]
    if not is_signal:
        findings.append("no selector is significantly better than a guess without features")
    if interactions:
        findings.append(
            "interactions: a method that evaluates sets or neighbours is better than the ranking"
        )
    findings += [f"not run: {text}" for text in left_out]
    findings += [f"left out: {name} {why}" for name, why in race.dropped.items()]
    columns: dict[str, list[Any]] = {
        "rank": list(range(1, len(order) + 1)),
        "selector": [c.name for c in order],
        "score": [mean[c.name] for c in order],
        "low": [mean[c.name] - reach[c.name] for c in order],
        "high": [mean[c.name] + reach[c.name] for c in order],
        "pvalue": [behind.get(c.name, math.nan) for c in order],
        "stability": [stability[c.name] for c in order],
        "seconds": [race.seconds(c.name) for c in order],
        "n_folds": [len(guess)] * len(order),
        "reason": [_reason(race, c, first, behind) for c in order],
    }
    usual = race.trial.estimators[""] if is_usual else None
    code = _code(first.selector, usual, k, types_with_missing(X))
    if not is_signal:
        code = f"# Not significantly better than a guess without features on {len(guess)} folds.\n{code}"
    elif winner is None:
        code = f"# One of several selectors without significant differences on {len(guess)} folds.\n{code}"
    return Recommendation(winner, tuple(alike), code, tuple(findings), interactions, columns)


def _interactions(race: Race) -> bool | None:
    ranking = race.tried[0].name
    names = [c.name for c in race.remaining if c.finds_interactions]
    if not names or ranking in race.dropped:
        return None
    gains = [race.scores(name) - race.scores(ranking) for name in names]
    pvalues = holm(np.array([race.pvalue(gain) for gain in gains]))
    return any(g.mean() > 0 and v < _LEVEL for g, v in zip(gains, pvalues, strict=True))


def _reason(race: Race, candidate: Candidate, first: Candidate, behind: dict[str, float]) -> str:
    if candidate is first:
        return f"{candidate.why}; the best mean score"
    gap = float((race.scores(first.name) - race.scores(candidate.name)).mean())
    value = behind[candidate.name]
    significance = "not significant" if value >= _LEVEL else "significant"
    return f"{candidate.why}; {gap:.3f} below the first, {significance} (p = {value:.2g})"


def _code(selector: Estimator, usual: Estimator, k: int, types: dict[str, str]) -> str:
    text = repr(selector)
    named = sorted(name for name in PUBLIC if re.search(rf"\b{name}\(", text))
    imports = [
        "from sklearn.pipeline import make_pipeline",
        f"from thresher import {', '.join(named)}",
    ]
    lines, steps = [""], [text, "estimator"]
    if usual is not None:
        has_categories = isinstance(usual, Pipeline)
        forest = usual[-1] if has_categories else usual
        imports.insert(0, f"from sklearn.ensemble import {type(forest).__name__}")
        steps = [text, repr(forest)]
        if has_categories:
            imports.insert(0, _IMPORT_COLUMNS)
            imports.insert(3, "from sklearn.preprocessing import OneHotEncoder")
            lines += [f"X = X.astype({types!r})"] * bool(types) + [_ENCODER]
            steps = [f'{text}.set_output(transform="pandas")', "encoder", repr(forest)]
    if resize(selector, k) is None:
        lines.append(
            f"# It finds the number of features by itself; at most its first {k} were scored here."
        )
    return "\n".join([*imports, *lines, f"model = make_pipeline({', '.join(steps)}).fit(X, y)"])


_IMPORT_COLUMNS = "from sklearn.compose import make_column_selector, make_column_transformer"
_ENCODER = """encoder = make_column_transformer(
    (
        OneHotEncoder(handle_unknown="ignore", sparse_output=False),
        make_column_selector(dtype_exclude=["number", "bool", "boolean"]),
    ),
    remainder="passthrough",
)"""

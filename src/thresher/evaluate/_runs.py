"""Paired runs: every selector on the same training rows, every estimator on the features it chose there."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import KFold, StratifiedKFold, check_cv

from thresher._utils.checks import check_number, readable
from thresher._utils.progress import on_behalf
from thresher.data import take
from thresher.evaluate._memory import call_and_measure
from thresher.evaluate._sizes import fit_sizes
from thresher.selectors._judge import fit_and_score

Fold = tuple[Any, Any]


@dataclass(frozen=True)
class Cell:
    """One selector on the training rows of one fold, for every number of features, and how estimators do with it.

    Attributes
    ----------
    features : list of list of int
        One per number of features, in order of choice; empty if the selector failed.
    seconds, evaluations, megabytes : list of float
        Of the fit that chose them; nan for what is not known.
    scores : dict of str to list of float
        By estimator, on the test rows; nan where it failed.
    errors : dict of str to str
        What went wrong, by estimator; under ``""`` of the selector.
    """

    features: list[list[int]]
    seconds: list[float]
    evaluations: list[float]
    megabytes: list[float]
    scores: dict[str, list[float]]
    errors: dict[str, str]


def run_cell(
    selector: Any,
    estimators: Mapping[str, Any],
    scoring: Any,
    X: Any,
    y: Any,
    fold: Fold,
    sizes: Sequence[int],
    seed: int,
) -> Cell:
    """Select on the training rows, then fit and score every estimator with every number of features."""
    train, _ = fold
    known_X, known_y = take(X, train), take(y, train)
    costs: dict[int, tuple[float, float]] = {}

    def fit(model: Any) -> Any:
        start = time.perf_counter()
        fitted, megabytes = call_and_measure(lambda: model.fit(known_X, known_y))
        costs[id(fitted)] = (time.perf_counter() - start, megabytes)
        return fitted

    with warnings.catch_warnings(), on_behalf():
        warnings.simplefilter("ignore")
        try:
            chosen = fit_sizes(with_seed(selector, seed), sizes, fit)
        except Exception as error:
            nothing = [math.nan] * len(sizes)
            scores = dict.fromkeys(estimators, nothing)
            return Cell([], nothing, nothing, nothing, scores, {"": describe(error)})
        features = [entries for entries, _ in chosen]
        scores, errors = {}, {}
        for name, estimator in estimators.items():
            seeded = with_seed(estimator, seed)
            scorer = check_scoring(seeded, scoring=scoring)
            outcomes = _score_sets(seeded, scorer, X, y, fold, features)
            failed = [outcome for outcome in outcomes if isinstance(outcome, str)]
            scores[name] = [math.nan if isinstance(o, str) else o for o in outcomes]
            if failed:
                errors[name] = failed[0]
    return Cell(
        features,
        [costs[id(model)][0] for _, model in chosen],
        [float(getattr(model, "n_evaluations_", math.nan)) for _, model in chosen],
        [costs[id(model)][1] for _, model in chosen],
        scores,
        errors,
    )


def _score_sets(
    estimator: Any,
    scorer: Callable[..., float],
    X: Any,
    y: Any,
    fold: Fold,
    sets: list[list[int]],
) -> list[float | str]:
    known: dict[tuple[int, ...], float | str] = {(): "no feature was selected"}
    for features in sets:
        key = tuple(sorted(features))
        if key not in known:
            columns = take(X, list(key), axis=1)
            known[key] = fit_and_score(estimator, scorer, columns, y, *fold)
            if known[key] != known[key]:
                known[key] = "the score is nan"
    return [known[tuple(sorted(features))] for features in sets]


def describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def with_seed(estimator: Any, seed: int) -> Any:
    """A clone that draws from this seed wherever its random state was left open."""
    estimator = clone(estimator)
    names = [
        name
        for name, value in estimator.get_params().items()
        if value is None and name.split("__")[-1] == "random_state"
    ]
    return estimator.set_params(**dict.fromkeys(names, seed)) if names else estimator


def derive_seed(seed: int, *path: int) -> int:
    """A seed of its own for every place of an experiment."""
    return int(np.random.SeedSequence((seed, *path)).generate_state(1)[0] >> 1)


def check_sizes(k: Any) -> list[int]:
    """Numbers of features, in increasing order, each once."""
    asked = list(k) if isinstance(k, Iterable) and not isinstance(k, str) else [k]
    if not asked:
        raise ValueError("k must hold at least one number of features, got none")
    return sorted({int(check_number("k", size, minimum=1, integer=True)) for size in asked})


def draw_folds(cv: Any, X: Any, y: Any, estimators: Mapping[str, Any], seed: int) -> list[Fold]:
    """The folds of a splitter, or of so many parts drawn from the seed; classes in equal shares."""
    kinds = {is_classifier(estimator) for estimator in estimators.values()}
    if len(kinds) > 1:
        raise ValueError(
            "estimators must be all classifiers or all regressors, got both; compare them apart"
        )
    by_class = kinds == {True}
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        check_number("cv", cv, minimum=2, integer=True)
        splitter = (StratifiedKFold if by_class else KFold)(cv, shuffle=True, random_state=seed)
    else:
        splitter = check_cv(cv, y, classifier=by_class)
    n_rows = X.shape[0]
    if len(y) != n_rows:
        raise ValueError(f"X has {n_rows} rows, but y has {len(y)} values; give one for each row")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        folds = list(splitter.split(np.empty((n_rows, 0)), y))
    if by_class:
        for i, (train, _) in enumerate(folds):
            present = np.unique(np.asarray(take(y, train)))
            if len(present) < 2:
                raise ValueError(
                    f"fold {i} trains on the class {readable(present[0])} alone; "
                    "give cv fewer folds, or a splitter that stratifies"
                )
    return folds

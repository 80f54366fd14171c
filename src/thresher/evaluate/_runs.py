"""Selectors run inside the folds of a cross-validation."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from scipy import stats
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import KFold, StratifiedKFold, check_cv

from thresher._utils.checks import check_number, readable, warn
from thresher._utils.long_calls import reporting_for
from thresher._utils.types import (
    Array,
    DataLike,
    Estimator,
    Floats,
    Folds,
    Mask,
    Scoring,
    TargetLike,
)
from thresher.data import is_frame, take
from thresher.io.sparse import check_sparse
from thresher.search.ensemble import membership
from thresher.selectors._scoring import fit_and_score
from thresher.selectors._target import kind_of_all_rows, with_target
from thresher.selectors._third_party import order_of_choice, resize

T = TypeVar("T")
Estimators: TypeAlias = Mapping[str, Estimator]
# An array or a dataframe with a column per method, or a dict of method to scores.
ScoresLike: TypeAlias = Any
# The selections of several runs: sets or lists of names or positions, or rows of a Boolean matrix.
SelectionsLike: TypeAlias = Iterable[Iterable[Hashable]]
# The rows to train on, and those to test on.
Fold: TypeAlias = tuple[Array, Array]


def call_and_measure(function: Callable[[], T]) -> tuple[T, float]:
    """Return the result of a function, and the growth of the process's resident memory at its peak, in megabytes.

    Memory that the process already had and did not release is not counted. The growth is nan on systems other than
    Linux.
    """
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")  # resets the peak
        before = _kilobytes("VmRSS")
    except OSError:
        return function(), math.nan
    result = function()
    return result, max(0, _kilobytes("VmHWM") - before) / 1024


def _kilobytes(key: str) -> int:
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(key))


@dataclass(frozen=True)
class Scores:
    """Scores of shape (n_sets, n_methods) without nan, and the names of the methods."""

    values: Floats
    methods: tuple[str, ...]

    @classmethod
    def read(
        cls,
        scores: ScoresLike,
        *,
        least_sets: int = 2,
        least_methods: int = 2,
        remedy: str = "Pass more methods",
    ) -> Scores:
        methods = None
        if is_frame(scores):
            frame = nw.from_native(scores, eager_only=True)
            methods, scores = tuple(map(str, frame.columns)), frame.to_numpy()
        elif isinstance(scores, Mapping):
            methods = tuple(map(str, scores))
            scores = np.column_stack(list(map(np.asarray, scores.values()))) if scores else []
        try:
            values = np.asarray(scores, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(
                "scores must contain numbers, one row per data set and one column per method. "
                "Move names to the index, or remove them"
            ) from error
        if values.ndim != 2:
            raise ValueError(
                f"scores must have one row per data set and one column per method, got shape {values.shape}"
            )
        if methods is None:
            methods = tuple(str(i) for i in range(values.shape[1]))
        if values.shape[1] < least_methods:
            raise ValueError(
                f"scores must contain at least {least_methods} methods, got {values.shape[1]}. {remedy}"
            )
        if len(values) < least_sets:
            raise ValueError(
                f"scores must contain at least {least_sets} data sets, got {len(values)}. Pass more data sets"
            )
        if np.isnan(values).any():
            row, column = np.argwhere(np.isnan(values))[0]
            raise ValueError(
                f"scores must not contain nan, but data set {row} has no score for {methods[column]!r}. "
                "Remove the data set or the method"
            )
        return cls(values, methods)

    def ranks(self, higher_is_better: bool) -> Floats:
        """Return ranks, 1 for the best method of each data set. Equal scores share their mean rank."""
        values = -self.values if higher_is_better else self.values
        return np.asarray(stats.rankdata(values, axis=1), dtype=np.float64)


@dataclass(frozen=True)
class Selections:
    """Selections of several runs: one row per run, one column per feature.

    Features that no run selected may have no column; ``n_features`` counts them, too.
    """

    matrix: Mask
    n_features: int

    @property
    def n_runs(self) -> int:
        return len(self.matrix)

    @property
    def sizes(self) -> NDArray[np.int64]:
        return np.asarray(self.matrix.sum(axis=1, dtype=np.int64))

    @property
    def counts(self) -> NDArray[np.int64]:
        return np.asarray(self.matrix.sum(axis=0, dtype=np.int64))

    @classmethod
    def read(
        cls, selections: SelectionsLike, n_features: int | None = None, *, needs_total: bool = True
    ) -> Selections:
        matrix = _boolean_matrix(selections)
        if matrix is not None:
            if n_features is not None and n_features != matrix.shape[1]:
                raise ValueError(
                    f"n_features must equal the {matrix.shape[1]} columns of the matrix, "
                    f"got {n_features}"
                )
            n_features = matrix.shape[1]
        else:
            matrix = _from_lists(list(selections), n_features)
        if len(matrix) == 0:
            raise ValueError("selections must contain at least one selection, got none")
        if n_features is None:
            if needs_total:
                raise ValueError(
                    "n_features is missing. Pass the number of features to choose from with a list of sets"
                )
            n_features = matrix.shape[1]
        return cls(matrix, int(n_features))


def _boolean_matrix(selections: SelectionsLike) -> Mask | None:
    is_list = isinstance(selections, (list, tuple)) and len(selections) > 0
    if not hasattr(selections, "__array__") and not (is_list and all(map(_is_mask, selections))):
        return None
    matrix = np.asarray(selections)
    return matrix if matrix.ndim == 2 and matrix.dtype == np.bool_ else None


def _is_mask(row: object) -> bool:
    if isinstance(row, np.ndarray):
        return bool(row.dtype == np.bool_)
    return (
        isinstance(row, (list, tuple))
        and len(row) > 0
        and all(type(v) in (bool, np.bool_) for v in row)
    )


def _from_lists(sets: list[Iterable[Hashable]], n_features: int | None) -> Mask:
    members = [_members(i, entries) for i, entries in enumerate(sets)]
    matrix = membership(members)
    if n_features is None:
        return matrix
    positions = [m for entries in members for m in entries if isinstance(m, int)]
    if outside := [m for m in positions if not 0 <= m < n_features]:
        raise ValueError(
            f"selections must contain positions in 0..{n_features - 1}, got {outside[0]}"
        )
    if matrix.shape[1] > n_features:
        raise ValueError(
            f"n_features must be at least the {matrix.shape[1]} distinct features selected, "
            f"got {n_features}"
        )
    return matrix


def _members(i: int, entries: Iterable[Hashable]) -> list[Hashable]:
    if isinstance(entries, (str, bytes)) or not isinstance(entries, Iterable):
        raise ValueError(
            f"selections must contain one set or list of features per run, got {entries!r} at {i}"
        )
    members = [int(m) if isinstance(m, (int, np.integer)) else m for m in entries]
    if len(set(members)) != len(members):
        repeated = next(m for m in members if members.count(m) > 1)
        raise ValueError(
            f"selection {i} names feature {repeated!r} twice. Pass a 0/1 matrix with dtype bool"
        )
    return members


def fit_sizes(
    selector: Estimator, sizes: Sequence[int], fit: Callable[[Estimator], Estimator]
) -> list[tuple[list[int], Estimator]]:
    """Return the selected features for every size, in order of choice, each with the fitted selector.

    A selector with nested runs is fitted once, at the largest size. So is one without a parameter for the number of
    features: its first features count. Other selectors are fitted once per size.
    """
    resized = resize(selector, max(sizes))
    if resized is None:
        model = fit(clone(selector))
        order = order_of_choice(model).tolist()
        return [(order[:size], model) for size in sizes]
    largest = fit(resized)
    selected_at = getattr(largest, "_selected_at", None)
    if selected_at is not None:
        nested = [selected_at(size) for size in sizes]
        if all(selection is not None for selection in nested):
            return [(selection, largest) for selection in nested]
    models = {max(sizes): largest}
    for size in sizes:
        if size not in models:
            models[size] = fit(resize(selector, size))
    return [(order_of_choice(models[size]).tolist(), models[size]) for size in sizes]


@dataclass(frozen=True)
class Cell:
    """One selector on the training rows of one fold, for every number of features, with the scores of estimators.

    Attributes
    ----------
    features : list of list of int
        One list per number of features, in order of choice; empty if the selector failed.
    seconds, evaluations, megabytes : list of float
        Costs of the fit that selected them; nan if unknown.
    scores : dict of str to list of float
        Scores on the test rows, by estimator; nan where it failed.
    errors : dict of str to str
        Error messages, by estimator; that of the selector has the key ``""``.
    """

    features: list[list[int]]
    seconds: list[float]
    evaluations: list[float]
    megabytes: list[float]
    scores: dict[str, list[float]]
    errors: dict[str, str]


@dataclass(frozen=True)
class Trial:
    """The data on which selectors are run, the estimators that score features, and the numbers of features.

    Attributes
    ----------
    kind : {"nominal", "numeric"} or None
        How selectors with ``target="auto"`` read y in every fold, if that may differ from all rows.
    """

    X: DataLike
    y: TargetLike
    estimators: Estimators
    scoring: Scoring
    sizes: Sequence[int]
    kind: str | None = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", kind_of_all_rows(self.y))

    def run(self, selector: Estimator, fold: Fold, seed: int) -> Cell:
        """Select on the training rows, then fit and score every estimator with every number of features."""
        X, y = take(self.X, fold[0]), take(self.y, fold[0])
        costs: dict[int, tuple[float, float]] = {}

        def fit(model: Estimator) -> Estimator:
            start = time.perf_counter()
            fitted, megabytes = call_and_measure(lambda: model.fit(X, y))
            costs[id(fitted)] = (time.perf_counter() - start, megabytes)
            return fitted

        with warnings.catch_warnings(), reporting_for():
            warnings.simplefilter("ignore")
            try:
                settled = with_target(with_seed(selector, seed), self.kind)
                chosen = fit_sizes(settled, self.sizes, fit)
            except Exception as error:
                nothing = [math.nan] * len(self.sizes)
                scores = dict.fromkeys(self.estimators, nothing)
                return Cell([], nothing, nothing, nothing, scores, {"": describe(error)})
            features = [entries for entries, _ in chosen]
            scores, errors = {}, {}
            for name, estimator in self.estimators.items():
                outcomes = self._score(with_seed(estimator, seed), fold, features)
                scores[name] = [math.nan if isinstance(o, str) else o for o in outcomes]
                if failed := [outcome for outcome in outcomes if isinstance(outcome, str)]:
                    errors[name] = failed[0]
        return Cell(
            features,
            [costs[id(model)][0] for _, model in chosen],
            [float(getattr(model, "n_evaluations_", math.nan)) for _, model in chosen],
            [costs[id(model)][1] for _, model in chosen],
            scores,
            errors,
        )

    def _score(self, estimator: Estimator, fold: Fold, sets: list[list[int]]) -> list[float | str]:
        """Return the score of each set of features, or what went wrong."""
        scorer = check_scoring(estimator, scoring=self.scoring)
        known: dict[tuple[int, ...], float | str] = {(): "no feature was selected"}
        for features in sets:
            key = tuple(sorted(features))
            if key not in known:
                columns = take(self.X, list(key), axis=1)
                known[key] = fit_and_score(estimator, scorer, columns, self.y, *fold)
                if known[key] != known[key]:
                    known[key] = "the score is nan"
        return [known[tuple(sorted(features))] for features in sets]

    def folds(self, cv: Folds, seed: int) -> list[Fold]:
        """Return the folds of a splitter, or that many folds drawn from the seed, stratified by class."""
        kinds = {is_classifier(estimator) for estimator in self.estimators.values()}
        if len(kinds) > 1:
            raise ValueError(
                "estimators must be all classifiers or all regressors, got both. Compare them separately"
            )
        by_class = kinds == {True}
        if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
            check_number("cv", cv, minimum=2, integer=True)
            splitter = (StratifiedKFold if by_class else KFold)(cv, shuffle=True, random_state=seed)
        else:
            splitter = check_cv(cv, self.y, classifier=by_class)
        check_lengths(self.X, self.y)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="The least populated class")
            folds = list(splitter.split(np.empty((len(self.y), 0)), self.y))
        if by_class:
            for i, (train, _) in enumerate(folds):
                present = np.unique(np.asarray(take(self.y, train)))
                if len(present) < 2:
                    raise ValueError(
                        f"fold {i} trains on the class {readable(present[0])} only. "
                        "Set fewer folds, or a stratified splitter, in cv"
                    )
        return folds


def describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def with_seed(estimator: Estimator, seed: int) -> Estimator:
    """Return a clone with this seed for every random state that is None."""
    estimator = clone(estimator)
    names = [
        name
        for name, value in estimator.get_params().items()
        if value is None and name.split("__")[-1] == "random_state"
    ]
    return estimator.set_params(**dict.fromkeys(names, seed)) if names else estimator


def derive_seed(seed: int, *path: int) -> int:
    """Return a separate seed for every position of an experiment."""
    return int(np.random.SeedSequence((seed, *path)).generate_state(1)[0] >> 1)


def as_matrix(X: DataLike) -> DataLike:
    """Return X as a frame, sparse matrix or array with rows and columns."""
    X = check_sparse(X) if is_frame(X) or hasattr(X, "shape") else np.asarray(X)
    if len(X.shape) != 2:
        raise ValueError(f"X must have rows and columns, got shape {X.shape}")
    return X


def check_lengths(X: DataLike, y: TargetLike) -> None:
    """Raise ValueError unless y has a value for each row of X."""
    n_rows = X.shape[0]
    if len(y) != n_rows:
        raise ValueError(f"X has {n_rows} rows, but y has {len(y)} values. Pass one per row")


def check_sizes(k: int | Iterable[int]) -> list[int]:
    """Return numbers of features in increasing order, each once."""
    sizes = list(k) if isinstance(k, Iterable) and not isinstance(k, str) else [k]
    if not sizes:
        raise ValueError("k must contain at least one number of features, got none")
    return sorted({int(check_number("k", size, minimum=1, integer=True)) for size in sizes})


def sizes_within(sizes: list[int], n_features: int, name: str, *, warns: bool = True) -> list[int]:
    """Return the sizes of at most `n_features`; warn if there are larger ones."""
    known = [size for size in sizes if size <= n_features]
    if not known:
        raise ValueError(
            f"k must contain a number of at most {n_features}, the features of {name}, got {sizes}"
        )
    if warns and len(known) < len(sizes):
        warn(
            f"{name} has {n_features} features: k is tried up to {known[-1]}, not up to {sizes[-1]}"
        )
    return known

"""Scores of feature sets by an estimator in cross-validation."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.metrics import check_scoring, get_scorer_names
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    check_cv,
)
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.multiclass import _ovr_decision_function

from thresher import _core
from thresher._utils.checks import check_choice, check_number, quiet_sums, resolve_threads, warn
from thresher._utils.long_calls import blas_threads, call_interruptibly, run_in_threads
from thresher._utils.types import (
    Array,
    DataLike,
    Estimator,
    Floats,
    Folds,
    GroupsLike,
    Indices,
    Scoring,
    TargetLike,
)
from thresher.data import LocalData, rescaled, take

Features = npt.NDArray[np.intp]
# The columns of some features.
Columns = Callable[[Features], DataLike]
# A fitted estimator, X and y to their score.
Scorer = Callable[..., float]
# Indices of rows, or a mask of them.
Rows = Sequence[int] | Array

# Smallest and largest number of binary digits after the point to which columns, in standard deviations, are rounded.
LEAST_DIGITS = 12
MOST_DIGITS = 26
# Similarities of this number of rows take 200 MB, as much as the cache of scikit-learn's SVM.
MOST_ROWS = 5000


def default_classifier() -> Pipeline:
    """Return the default estimator of scorers: an SVM with a Gaussian kernel on standardised columns."""
    return make_pipeline(StandardScaler(), SVC())


@dataclass
class SVMScores:
    """The scores of `default_classifier` on sets of features, fold by fold.

    A feature is standardised once per fold for all sets. Squared distances of rows come from inner products. Columns
    are rounded so that these are exact in any order of addition. So a score depends on the set alone, not on the
    processor, the threads, or the sets scored before. Sums of one matrix of squared distances per feature would be as
    exact, but moving these matrices takes longer than the products.

    Attributes
    ----------
    columns : callable
        Returns the columns of some features.
    y : ndarray of shape (n_samples,)
        Classes.
    folds : list of (train, test)
    score : callable or None
        A scorer; None is accuracy.
    """

    columns: Columns
    y: Array
    folds: list[tuple[Rows, Rows]]
    score: Scorer | None = None
    _indices: dict[int, int] = field(default_factory=dict)
    _folds: list[_Fold] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._folds = [_Fold(self.y, *fold) for fold in self.folds]

    def prepare(self, features: Iterable[int]) -> None:
        """Standardise the columns of new features."""
        new = [feature for feature in dict.fromkeys(features) if feature not in self._indices]
        if not new:
            return
        columns = np.asarray(self.columns(np.array(new, dtype=np.intp)), dtype=np.float64)
        for fold in self._folds:
            fold.add(columns)
        for feature in new:
            self._indices[feature] = len(self._indices)

    def outcomes(self, features: tuple[int, ...]) -> list[float] | None:
        """Return the score on each fold, or None if outliers would make the rounding too coarse."""
        indices = np.array([self._indices[feature] for feature in features], dtype=np.intp)
        digits = [fold.digits(indices) for fold in self._folds]
        if min(digits) < LEAST_DIGITS:
            return None
        return [
            fold.score(indices, n, self.score) for fold, n in zip(self._folds, digits, strict=True)
        ]


class _Fold:
    """The rows of one fold, training rows first.

    Attributes
    ----------
    standard : ndarray of shape (n_columns, n_rows)
        Columns, standardised by the training rows.
    variance, largest : ndarray of shape (n_columns,)
        Variance of the training rows; largest absolute value of all rows.
    present : ndarray
        Classes of the training rows, sorted.
    """

    def __init__(self, y: Array, train: Rows, test: Rows) -> None:
        rows = np.arange(len(y))
        self.order = np.concatenate([rows[train], rows[test]])
        self.n_train = len(rows[train])
        self.present, codes = np.unique(y[self.order[: self.n_train]], return_inverse=True)
        self.codes = codes.astype(np.int32)
        self.test_labels = y[self.order[self.n_train :]]
        self.standard: Floats = np.empty((0, len(self.order)))
        self.variance: Floats = np.empty(0)
        self.largest: Floats = np.empty(0)

    def add(self, columns: Floats) -> None:
        """Standardise and add columns."""
        rows = columns[self.order]
        standard = StandardScaler().fit(rows[: self.n_train]).transform(rows).T
        self.standard = np.concatenate([self.standard, standard])
        self.variance = np.append(self.variance, standard[:, : self.n_train].var(axis=1))
        self.largest = np.append(self.largest, np.abs(standard).max(axis=1))

    def digits(self, indices: Features) -> int:
        """Return the binary digits after the point for which sums of products and squared distances are exact."""
        largest = 4.0 * float(np.sum(self.largest[indices] ** 2))
        if not math.isfinite(largest):
            return 0
        return min(MOST_DIGITS, (53 - math.frexp(largest)[1]) // 2)

    def score(self, indices: Features, digits: int, scorer: Scorer | None) -> float:
        """Return the score of the SVM on some columns."""
        decisions = self._decide(indices, digits)
        predictions = self.present[_winners(decisions, len(self.present))]
        if scorer is None:
            return float(np.mean(predictions == self.test_labels))
        classifier = PrecomputedClassifier(self.present, predictions, decisions)
        return float(scorer(classifier, self.standard[indices, self.n_train :].T, self.test_labels))

    def _decide(self, indices: Features, digits: int) -> Floats:
        """Return a number for each test row and pair of classes, positive for the first class."""
        if len(self.present) == 1:
            return np.empty((len(self.test_labels), 0))
        scale = 2.0**digits
        rounded = np.rint(self.standard[indices] * scale)
        train = np.ascontiguousarray(rounded[:, : self.n_train])
        test = rounded[:, self.n_train :]
        spread = float(np.sum(self.variance[indices]))
        gamma = 1.0 / spread if spread > 0 else 1.0
        return _core.decide_pairs(
            train.T @ train,
            test.T @ train,
            np.einsum("ij,ij->j", test, test),
            self.codes,
            len(self.present),
            gamma / scale**2,
        )


def _winners(decisions: Floats, n_classes: int) -> Indices:
    """Return the class that wins most pairs, of equal ones the first."""
    votes = np.zeros((len(decisions), n_classes), dtype=np.int64)
    pairs = ((a, b) for a in range(n_classes) for b in range(a + 1, n_classes))
    for column, (a, b) in enumerate(pairs):
        is_first = decisions[:, column] > 0
        votes[is_first, a] += 1
        votes[~is_first, b] += 1
    return np.asarray(votes.argmax(axis=1), dtype=np.intp)


class PrecomputedClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A fitted classifier whose predictions for one fold are known, for scikit-learn's scorers."""

    def __init__(self, classes: Array, predictions: Array, pairs: Floats):
        self.classes_ = classes
        self.predictions = predictions
        self.pairs = pairs

    def predict(self, X: DataLike) -> Array:
        return self.predictions

    def decision_function(self, X: DataLike) -> Floats:
        if len(self.classes_) == 2:
            return -self.pairs[:, 0]
        votes: Floats = _ovr_decision_function(self.pairs < 0, -self.pairs, len(self.classes_))
        return votes


Key = tuple[int, ...]
# The score of a fold, or the message of its failure.
Outcome = float | str


class SubsetScorer:
    """Scores sets of features, each set once, and all on the same folds.

    Without an estimator it is `default_classifier`. The columns of a set are in the order of their positions, so that
    the score does not depend on the search. A set on which the estimator fails, or has no score, gets minus infinity;
    the first failure causes a warning.

    Attributes
    ----------
    columns : callable
        Returns the columns of some features.
    y : array-like of shape (n_samples,)
    estimator : estimator
        Cloned for every fold.
    scorer : callable
    folds : list of (train, test)
    n_jobs : int or None
        Number of fits at the same time, over folds and sets; each of them uses one thread.
    svm : SVMScores or None
        Scores sets as the default classifier does, but faster.
    n_requested, n_scored : int
        Sets requested, and sets that had to be scored.
    n_pending : int
        Sets of the last request that are not scored yet.
    restored : mapping of tuple to list
        Outcomes from an earlier run: they are not computed again, but count as scored.
    after_each : callable or None
        Called with every set and its outcomes when it has been scored, in the order of the requests; an
        exception that it raises ends the scoring.
    """

    def __init__(
        self,
        columns: Columns,
        y: TargetLike,
        *,
        estimator: Estimator = None,
        scoring: Scoring = None,
        cv: Folds = 5,
        classifier: bool = True,
        groups: GroupsLike = None,
        n_jobs: int | None = None,
    ) -> None:
        splitter = check_cv(cv, y, classifier=classifier)
        with warnings.catch_warnings(), quiet_sums():
            # Classes may be smaller than the number of folds; the scoring is the choice of the caller.
            warnings.filterwarnings("ignore", message="The least populated class")
            splits = splitter.split(np.empty((len(y), 0)), y, groups)
            self.folds: list[tuple[Rows, Rows]] = list(splits)
        is_default = estimator is None
        self.columns = _rescaling(columns) if is_default else columns
        self.y = y
        self.estimator = default_classifier() if is_default else estimator
        self.scorer = scorer_of(self.estimator, scoring)
        self.n_jobs = n_jobs
        self.svm: SVMScores | None = None
        if is_default and all(len(y) - len(test) <= MOST_ROWS for _, test in self.folds):
            score = None if scoring is None else self.scorer
            self.svm = SVMScores(self.columns, np.asarray(y), self.folds, score)
        self.n_requested = self.n_scored = self.n_pending = 0
        self.restored: Mapping[Key, Sequence[Outcome]] = {}
        self.after_each: Callable[[Key, Sequence[Outcome]], None] | None = None
        self._known: dict[Key, Floats] = {}
        self._failure = ""

    def score(self, features: Iterable[int]) -> float:
        """Return the mean score over the folds; minus infinity for a set that cannot be scored."""
        return self.score_all([features])[0]

    def score_all(self, sets: Sequence[Iterable[int]]) -> list[float]:
        """Return one score per set; new sets are scored in parallel."""
        keys = [key_of(features) for features in sets]
        new = [key for key in dict.fromkeys(keys) if key not in self._known]
        self.n_requested += len(keys)
        self.n_pending = len(new)
        with closing(self._outcomes([key for key in new if key not in self.restored])) as computed:
            for key in new:
                outcomes = self.restored[key] if key in self.restored else next(computed)
                self._store(key, outcomes)
                if self.after_each is not None:
                    self.after_each(key, outcomes)
            # The generator must reach its end: joblib ends the workers of one that is closed earlier.
            next(computed, None)
        return [_mean(self._known[key]) for key in keys]

    def known_folds(self, features: Iterable[int]) -> Floats:
        """Return the score on each fold of a scored set; this does not count as a request."""
        return self._known[key_of(features)]

    def known_score(self, features: Iterable[int]) -> float:
        """Return the mean score of a scored set; this does not count as a request."""
        return _mean(self.known_folds(features))

    def scored(self) -> dict[Key, float]:
        """Return all sets that have a score, in the order in which they were scored."""
        means = {key: _mean(values) for key, values in self._known.items()}
        return {key: mean for key, mean in means.items() if not math.isinf(mean)}

    def reject_if_all_failed(self) -> None:
        """Raise ValueError if the estimator failed on every set."""
        if self._known and not self.scored():
            raise ValueError(
                f"the estimator {self.estimator!r} failed on all {len(self._known)} sets of features: "
                f"{self._failure or 'every score was nan'}. Pass another estimator or scoring"
            )

    def _store(self, key: Key, outcomes: Sequence[Outcome]) -> None:
        self.n_scored += 1
        self.n_pending -= 1
        scores = [math.nan if isinstance(outcome, str) else outcome for outcome in outcomes]
        self._known[key] = np.array(scores, dtype=np.float64)
        failures = [outcome for outcome in outcomes if isinstance(outcome, str)]
        if failures and not self._failure:
            self._failure = failures[0]
            warn(
                f"the estimator failed on the features {list(key)}, "
                f"which count as the worst: {self._failure}"
            )

    def _outcomes(self, sets: list[Key]) -> Generator[Sequence[Outcome], None, None]:
        """Yield the outcomes of each set when they are ready; the work starts with the first request."""
        if self.svm is None:
            yield from self._fitted(sets)
            return
        self.svm.prepare(feature for key in sets for feature in key)
        calls = (delayed(self.svm.outcomes)(key) for key in sets)
        with blas_threads(1):
            running = run_in_threads(calls, self.n_jobs, return_as="generator")
            for key, outcomes in zip(sets, running, strict=True):
                yield next(self._fitted([key])) if outcomes is None else outcomes

    def _fitted(self, sets: list[Key]) -> Generator[list[Outcome], None, None]:
        """Yield the outcomes of fits of the estimator."""
        matrices = (self.columns(np.array(key, dtype=np.intp)) for key in sets)
        n_workers = resolve_threads(self.n_jobs, len(sets) * len(self.folds))
        running = Parallel(n_jobs=n_workers, return_as="generator")(
            delayed(call_interruptibly)(
                fit_and_score, self.estimator, self.scorer, matrix, self.y, *fold
            )
            for matrix in matrices
            for fold in self.folds
        )
        for _ in sets:
            yield [next(running) for _ in self.folds]
        next(running, None)


def dense_columns(training: LocalData, features: Features) -> Floats:
    """Return the columns as a new dense array of doubles; categories are the numbers of their levels."""
    columns = training.table.matrix[:, features]
    if training.table.is_sparse:
        columns = columns.toarray()
    return np.asarray(columns, dtype=np.float64)


def _rescaling(columns: Columns) -> Columns:
    """Return the same function with rescaled columns, for an estimator that standardises them."""
    return lambda features: rescaled(np.asarray(columns(features), dtype=np.float64))


def key_of(features: Iterable[int]) -> Key:
    """Return the sorted tuple by which a set is identified."""
    return tuple(sorted(int(feature) for feature in features))


def _mean(values: Floats) -> float:
    mean = float(np.mean(values))
    return -math.inf if math.isnan(mean) else mean


def is_number_of_folds(cv: Folds) -> bool:
    """Return whether `cv` is a number, or an array without splits, which `check_number` rejects."""
    return isinstance(cv, int | np.integer) or (isinstance(cv, np.ndarray) and cv.ndim < 2)


def splitter_of(cv: Folds, y: TargetLike, groups: GroupsLike, *, classifier: bool) -> Folds:
    """Return the splitter for a number of folds; return anything else unchanged."""
    if not is_number_of_folds(cv) and not isinstance(cv, float | str):
        return cv
    n_folds = int(check_number("cv", cv, minimum=2, integer=True))
    if not classifier:
        return KFold(n_folds) if groups is None else GroupKFold(n_folds)
    classes, sizes = np.unique(np.asarray(y), return_counts=True)
    if n_folds > sizes.min():
        smallest = classes[[int(sizes.argmin())]].tolist()[0]
        raise ValueError(
            f"cv={n_folds} requires {n_folds} samples of every class, but class {smallest!r} has {int(sizes.min())}. "
            "Set a smaller cv or pass a splitter"
        )
    return StratifiedKFold(n_folds) if groups is None else StratifiedGroupKFold(n_folds)


def check_scorer(scoring: Scoring) -> None:
    """Raise ValueError for an unknown name of a scorer, with the nearest known one."""
    if scoring is not None and not callable(scoring):
        check_choice("scoring", scoring, get_scorer_names())


def scorer_of(estimator: Estimator, scoring: Scoring) -> Scorer:
    """Return the scorer after checking that the estimator has the methods that it requires."""
    if isinstance(scoring, list | tuple | set | dict):
        raise ValueError(f"scoring must be one score, got {scoring!r}. Pass one of them")
    if scoring is None and not hasattr(estimator, "score"):
        raise ValueError(f"the estimator {estimator!r} has no method score. Set scoring")
    check_scorer(scoring)
    scorer: Scorer = check_scoring(estimator, scoring=scoring)
    required = getattr(scorer, "_response_method", ())
    methods = (required,) if isinstance(required, str) else tuple(required)
    if methods and not any(callable(getattr(estimator, name, None)) for name in methods):
        raise ValueError(
            f"scoring={scoring!r} requires an estimator with the method {' or '.join(methods)}, got {estimator!r}. "
            "Set another scoring or pass another estimator"
        )
    return scorer


def fit_and_score(
    estimator: Estimator, scorer: Scorer, X: DataLike, y: TargetLike, train: Rows, test: Rows
) -> Outcome:
    """Return the score of a fold, or the message of its failure."""
    try:
        fitted = clone(estimator).fit(take(X, train), take(y, train))
        return float(scorer(fitted, take(X, test), take(y, test)))
    except Exception as error:
        return f"{type(error).__name__}: {error}"

"""The score of a feature set by an estimator, inside the folds of a cross-validation."""

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

# Columns are rounded to at least so many binary digits after the point, in standard deviations.
LEAST_DIGITS = 12
MOST_DIGITS = 26
# Similarities of so many rows take 200 MB, what scikit-learn's SVM keeps of them.
MOST_ROWS = 5000


def default_classifier() -> Pipeline:
    """What judges sets where no estimator is given: an SVM with a Gaussian kernel on standardised columns."""
    return make_pipeline(StandardScaler(), SVC())


@dataclass
class SVMScores:
    """The scores of `default_classifier` on sets of features, fold by fold.

    What a set needs of a feature is standardised once per fold and shared between sets. Squared distances of rows
    come from inner products; columns are rounded so that these are exact, whatever the order of addition: a score
    depends on the set alone, not on the processor, the threads, or the sets scored before. Adding up a matrix
    of squared distances per feature would be as exact, but moves more memory than the products take time.

    Attributes
    ----------
    columns : callable
        The columns of some features.
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
    _places: dict[int, int] = field(default_factory=dict)
    _folds: list[_Fold] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._folds = [_Fold(self.y, *fold) for fold in self.folds]

    def prepare(self, features: Iterable[int]) -> None:
        """Standardise the columns of features that are new."""
        new = [feature for feature in dict.fromkeys(features) if feature not in self._places]
        if not new:
            return
        columns = np.asarray(self.columns(np.array(new, dtype=np.intp)), dtype=np.float64)
        for fold in self._folds:
            fold.add(columns)
        for feature in new:
            self._places[feature] = len(self._places)

    def outcomes(self, features: tuple[int, ...]) -> list[float] | None:
        """The score on each fold; None where values so far out would be rounded too coarsely."""
        places = np.array([self._places[feature] for feature in features], dtype=np.intp)
        digits = [fold.digits(places) for fold in self._folds]
        if min(digits) < LEAST_DIGITS:
            return None
        return [
            fold.score(places, n, self.score) for fold, n in zip(self._folds, digits, strict=True)
        ]


class _Fold:
    """The rows of one fold, those to train on first.

    Attributes
    ----------
    standard : ndarray of shape (n_columns, n_rows)
        Standardised by the rows to train on.
    variance, farthest : ndarray of shape (n_columns,)
        Of the rows to train on; the largest absolute value of all rows.
    present : ndarray
        Classes of the rows to train on, sorted.
    """

    def __init__(self, y: Array, train: Rows, test: Rows) -> None:
        rows = np.arange(len(y))
        self.order = np.concatenate([rows[train], rows[test]])
        self.n_train = len(rows[train])
        self.present, codes = np.unique(y[self.order[: self.n_train]], return_inverse=True)
        self.codes = codes.astype(np.int32)
        self.truth = y[self.order[self.n_train :]]
        self.standard: Floats = np.empty((0, len(self.order)))
        self.variance: Floats = np.empty(0)
        self.farthest: Floats = np.empty(0)

    def add(self, columns: Floats) -> None:
        """Standardise more columns."""
        rows = columns[self.order]
        standard = StandardScaler().fit(rows[: self.n_train]).transform(rows).T
        self.standard = np.concatenate([self.standard, standard])
        self.variance = np.append(self.variance, standard[:, : self.n_train].var(axis=1))
        self.farthest = np.append(self.farthest, np.abs(standard).max(axis=1))

    def digits(self, places: Features) -> int:
        """Binary digits after the point with which no sum of products, or squared distance, needs rounding."""
        largest = 4.0 * float(np.sum(self.farthest[places] ** 2))
        if not math.isfinite(largest):
            return 0
        return min(MOST_DIGITS, (53 - math.frexp(largest)[1]) // 2)

    def score(self, places: Features, digits: int, scorer: Scorer | None) -> float:
        """The score of the svm on some columns."""
        decisions = self._decide(places, digits)
        predictions = self.present[_winners(decisions, len(self.present))]
        if scorer is None:
            return float(np.mean(predictions == self.truth))
        classifier = PrecomputedClassifier(self.present, predictions, decisions)
        return float(scorer(classifier, self.standard[places, self.n_train :].T, self.truth))

    def _decide(self, places: Features, digits: int) -> Floats:
        """A number for each row to test and each pair of classes, positive for the first of them."""
        if len(self.present) == 1:
            return np.empty((len(self.truth), 0))
        scale = 2.0**digits
        whole = np.rint(self.standard[places] * scale)
        train = np.ascontiguousarray(whole[:, : self.n_train])
        test = whole[:, self.n_train :]
        spread = float(np.sum(self.variance[places]))
        gamma = 1.0 / spread if spread > 0 else 1.0
        return _core.tell_pairs(
            train.T @ train,
            test.T @ train,
            np.einsum("ij,ij->j", test, test),
            self.codes,
            len(self.present),
            gamma / scale**2,
        )


def _winners(decisions: Floats, n_classes: int) -> npt.NDArray[np.intp]:
    """The class that wins most pairs; the first of those that win as many."""
    votes = np.zeros((len(decisions), n_classes), dtype=np.int64)
    pairs = ((a, b) for a in range(n_classes) for b in range(a + 1, n_classes))
    for column, (a, b) in enumerate(pairs):
        is_first = decisions[:, column] > 0
        votes[is_first, a] += 1
        votes[~is_first, b] += 1
    return np.asarray(votes.argmax(axis=1), dtype=np.intp)


class PrecomputedClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A fitted classifier to a scorer: it has been asked for the rows of a fold before, and answers for them."""

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
# The score of a fold, or what went wrong.
Outcome = float | str


class SubsetScorer:
    """Scores sets of features; the same set is scored once, and all on the same folds.

    The folds of any splitter are drawn once. Without an estimator it is `default_classifier`.

    A set is shown to the estimator in the order of its positions, so that its score does not depend on how it was
    found. A set on which the estimator fails, or has no score, is worth minus infinity; the first failure is warned of.

    Attributes
    ----------
    columns : callable
        The columns of some features: what the estimator is fitted on.
    y : array-like of shape (n_samples,)
    estimator : estimator
        It is cloned for every fold.
    scorer : callable
    folds : list of (train, test)
    n_jobs : int or None
        Fits at the same time, over folds and sets alike: what a fit does inside is kept to one thread.
    svm : SVMScores or None
        Score sets as the default classifier would, faster.
    n_asked, n_scored : int
        Sets asked for, and sets that had to be scored.
    n_waiting : int
        Sets of those asked for last that are not scored yet.
    restored : mapping of tuple to list
        Outcomes known from an earlier run: they are not computed, but count as if they had been.
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
            # Classes smaller than the number of folds: who chooses the scoring allows for them.
            warnings.filterwarnings("ignore", message="The least populated class")
            self.folds: list[tuple[Rows, Rows]] = list(
                splitter.split(np.empty((len(y), 0)), y, groups)
            )
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
        self.n_asked = self.n_scored = self.n_waiting = 0
        self.restored: Mapping[Key, Sequence[Outcome]] = {}
        self.after_each: Callable[[Key, Sequence[Outcome]], None] | None = None
        self._known: dict[Key, Floats] = {}
        self._failure = ""

    def score(self, features: Iterable[int]) -> float:
        """The mean over the folds; minus infinity for a set that cannot be scored."""
        return self.score_all([features])[0]

    def score_all(self, sets: Sequence[Iterable[int]]) -> list[float]:
        """One score per set; those not known yet are scored at the same time."""
        keys = [key_of(features) for features in sets]
        new = [key for key in dict.fromkeys(keys) if key not in self._known]
        self.n_asked += len(keys)
        self.n_waiting = len(new)
        with closing(self._outcomes([key for key in new if key not in self.restored])) as computed:
            for key in new:
                outcomes = self.restored[key] if key in self.restored else next(computed)
                self._keep(key, outcomes)
                if self.after_each is not None:
                    self.after_each(key, outcomes)
            # To its end: joblib gives up the workers of a generator that is closed before.
            next(computed, None)
        return [_mean(self._known[key]) for key in keys]

    def known_folds(self, features: Iterable[int]) -> Floats:
        """The score on each fold of a set that was scored; this does not count as asking for it."""
        return self._known[key_of(features)]

    def known_score(self, features: Iterable[int]) -> float:
        """As `score`, of a set that was scored; this does not count as asking for it."""
        return _mean(self.known_folds(features))

    def scored(self) -> dict[Key, float]:
        """All sets that have a score, in the order in which they were scored."""
        means = {key: _mean(values) for key, values in self._known.items()}
        return {key: mean for key, mean in means.items() if not math.isinf(mean)}

    def refuse_if_all_failed(self) -> None:
        """Raise if no set that was scored has a score."""
        if self._known and not self.scored():
            raise ValueError(
                f"the estimator {self.estimator!r} could not be scored on any of {len(self._known)} sets of features; "
                f"{self._failure or 'every score was nan'}"
            )

    def _keep(self, key: Key, outcomes: Sequence[Outcome]) -> None:
        self.n_scored += 1
        self.n_waiting -= 1
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
        """The outcomes of each set, as they come; nothing is begun before the first is asked for."""
        if self.svm is None:
            yield from self._fitted(sets)
            return
        self.svm.prepare(feature for key in sets for feature in key)
        calls = (delayed(self.svm.outcomes)(key) for key in sets)
        with blas_threads(1):
            running = run_in_threads(calls, self.n_jobs, return_as="generator")
            for key, found in zip(sets, running, strict=True):
                yield next(self._fitted([key])) if found is None else found

    def _fitted(self, sets: list[Key]) -> Generator[list[Outcome], None, None]:
        """The outcomes of the estimator itself."""
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
    """The columns as numbers of their own: categories are the numbers of their levels."""
    columns = training.table.matrix[:, features]
    if training.table.is_sparse:
        columns = columns.toarray()
    return np.asarray(columns, dtype=np.float64)


def _rescaling(columns: Columns) -> Columns:
    """The same columns, rescaled, for an estimator that standardises them."""
    return lambda features: rescaled(np.asarray(columns(features), dtype=np.float64))


def key_of(features: Iterable[int]) -> Key:
    """What a set is known by."""
    return tuple(sorted(int(feature) for feature in features))


def _mean(values: Floats) -> float:
    mean = float(np.mean(values))
    return -math.inf if math.isnan(mean) else mean


def is_number_of_folds(cv: Folds) -> bool:
    """Whether `cv` is a number, or an array that holds no splits, which `check_number` refuses."""
    return isinstance(cv, int | np.integer) or (isinstance(cv, np.ndarray) and cv.ndim < 2)


def splitter_of(cv: Folds, y: TargetLike, groups: GroupsLike, *, classifier: bool) -> Folds:
    """What a number of folds stands for; anything else as it is."""
    if not is_number_of_folds(cv) and not isinstance(cv, float | str):
        return cv
    n_folds = int(check_number("cv", cv, minimum=2, integer=True))
    if not classifier:
        return KFold(n_folds) if groups is None else GroupKFold(n_folds)
    classes, sizes = np.unique(np.asarray(y), return_counts=True)
    if n_folds > sizes.min():
        smallest = classes[[int(sizes.argmin())]].tolist()[0]
        raise ValueError(
            f"cv={n_folds} folds need as many samples of every class, but class {smallest!r} has {int(sizes.min())}; "
            "give a smaller cv or a splitter of your own"
        )
    return StratifiedKFold(n_folds) if groups is None else StratifiedGroupKFold(n_folds)


def check_scorer(scoring: Scoring) -> None:
    """Refuse the name of a scorer that there is not, with the nearest there is."""
    if scoring is not None and not callable(scoring):
        check_choice("scoring", scoring, get_scorer_names())


def scorer_of(estimator: Estimator, scoring: Scoring) -> Scorer:
    """The scorer, if the estimator has what it asks for."""
    if isinstance(scoring, list | tuple | set | dict):
        raise ValueError(f"scoring must be one score, got {scoring!r}; name the one to search by")
    if scoring is None and not hasattr(estimator, "score"):
        raise ValueError(
            f"the estimator {estimator!r} has no method score; say by scoring how it is judged"
        )
    check_scorer(scoring)
    scorer: Scorer = check_scoring(estimator, scoring=scoring)
    wanted = getattr(scorer, "_response_method", ())
    methods = (wanted,) if isinstance(wanted, str) else tuple(wanted)
    if methods and not any(callable(getattr(estimator, name, None)) for name in methods):
        raise ValueError(
            f"scoring={scoring!r} needs an estimator with the method {' or '.join(methods)}, which {estimator!r} "
            "lacks; give another scoring or another estimator"
        )
    return scorer


def fit_and_score(
    estimator: Estimator,
    scorer: Scorer,
    X: DataLike,
    y: TargetLike,
    train: Rows,
    test: Rows,
) -> Outcome:
    """The score of a fold, or what went wrong."""
    try:
        fitted = clone(estimator).fit(take(X, train), take(y, train))
        return float(scorer(fitted, take(X, test), take(y, test)))
    except Exception as error:
        return f"{type(error).__name__}: {error}"

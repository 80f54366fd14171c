"""The default judge's classifier, much faster than a pipeline: support vector machines on shared columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.multiclass import _ovr_decision_function

from thresher import _core

Floats = npt.NDArray[np.float64]
Features = npt.NDArray[np.intp]

# Columns are rounded to at least so many binary digits after the point, in standard deviations.
LEAST_DIGITS = 12
MOST_DIGITS = 26
# Similarities of so many rows take 200 MB, what scikit-learn's SVM keeps of them.
MOST_ROWS = 5000


def default_classifier() -> Pipeline:
    """What judges sets where no estimator is given: an SVM with a Gaussian kernel on standardised columns."""
    return make_pipeline(StandardScaler(), SVC())


@dataclass
class Machines:
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

    columns: Callable[[Features], Any]
    y: npt.NDArray[Any]
    folds: list[tuple[Any, Any]]
    score: Callable[..., float] | None = None
    _places: dict[int, int] = field(default_factory=dict)
    _folds: list[_Fold] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._folds = [_Fold.of(self.y, *fold) for fold in self.folds]

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


@dataclass
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

    order: Features
    n_train: int
    present: npt.NDArray[Any]
    codes: npt.NDArray[np.int32]
    truth: npt.NDArray[Any]
    standard: Floats
    variance: Floats
    farthest: Floats

    @classmethod
    def of(cls, y: npt.NDArray[Any], train: Any, test: Any) -> _Fold:
        order = np.concatenate([np.arange(len(y))[train], np.arange(len(y))[test]])
        n_train = len(np.arange(len(y))[train])
        present, codes = np.unique(y[order[:n_train]], return_inverse=True)
        return cls(
            order,
            n_train,
            present,
            codes.astype(np.int32),
            y[order[n_train:]],
            np.empty((0, len(order))),
            np.empty(0),
            np.empty(0),
        )

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

    def score(self, places: Features, digits: int, scorer: Callable[..., float] | None) -> float:
        """The score of the machines on some columns."""
        decisions = self._decide(places, digits)
        predictions = self.present[_winners(decisions, len(self.present))]
        if scorer is None:
            return float(np.mean(predictions == self.truth))
        told = Told(self.present, predictions, decisions)
        return float(scorer(told, self.standard[places, self.n_train :].T, self.truth))

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


class Told(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A fitted classifier to a scorer: it has been asked for the rows of a fold before, and answers for them."""

    def __init__(self, classes: npt.NDArray[Any], predictions: npt.NDArray[Any], pairs: Floats):
        self.classes_ = classes
        self.predictions = predictions
        self.pairs = pairs

    def predict(self, X: Any) -> npt.NDArray[Any]:
        return self.predictions

    def decision_function(self, X: Any) -> Floats:
        if len(self.classes_) == 2:
            return -self.pairs[:, 0]
        votes: Floats = _ovr_decision_function(self.pairs < 0, -self.pairs, len(self.classes_))
        return votes

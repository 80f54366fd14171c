"""The scores of feature sets: each set once, on fixed folds, by any scoring, with failures recorded."""

from __future__ import annotations

import math
import signal
import threading
import time

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import (
    GroupKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from thresher import SALCC, ThresherWarning
from thresher.selectors._scoring import SubsetScorer

X, Y = load_breast_cancer(return_X_y=True)


def scorer_with(estimator, **settings):
    return SubsetScorer(lambda features: X[:, features], Y, estimator=estimator, **settings)


def fold_scores(scorer, features):
    scorer.score(features)
    return scorer.known_folds(features)


@pytest.mark.parametrize("scoring", [None, "roc_auc", "neg_log_loss"])
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_scores_are_those_of_cross_validation(scoring, n_jobs):
    scorer = scorer_with(GaussianNB(), scoring=scoring, cv=4, n_jobs=n_jobs)
    sets = [[0, 3], [7], [2, 5, 11]]
    expected = [
        cross_val_score(GaussianNB(), X[:, s], Y, cv=StratifiedKFold(4), scoring=scoring)
        for s in sets
    ]
    assert scorer.score_all(sets) == [float(np.mean(values)) for values in expected]
    np.testing.assert_array_equal(fold_scores(scorer, [3, 0]), expected[0])


def test_a_set_is_scored_once_however_it_is_written():
    shown = []

    def columns(features):
        shown.append(features.tolist())
        return X[:, features]

    scorer = SubsetScorer(columns, Y, estimator=DecisionTreeClassifier(random_state=0))
    scores = scorer.score_all([[4, 1], (1, 4), np.array([4, 1])])
    assert scores[0] == scores[1] == scores[2] == scorer.score([1, 4])
    assert shown == [[1, 4]]
    assert (scorer.n_requested, scorer.n_scored) == (4, 1)


def test_random_folds_are_drawn_once():
    scorer = scorer_with(GaussianNB(), cv=ShuffleSplit(3))
    again = scorer_with(GaussianNB(), cv=scorer.folds)
    assert scorer.score_all([[1], [2, 3]]) == again.score_all([[1], [2, 3]])


def test_groups_stay_together():
    groups = np.arange(len(Y)) % 7
    scorer = scorer_with(GaussianNB(), cv=GroupKFold(3), groups=groups)
    assert len(scorer.folds) == 3
    assert all(not set(groups[a]) & set(groups[b]) for a, b in scorer.folds)


def test_regressors_are_scored_too():
    target = X[:, 0]
    scorer = SubsetScorer(
        lambda features: X[:, features], target, estimator=Ridge(), classifier=False, scoring="r2"
    )
    assert scorer.score([1, 2]) < scorer.score([2, 3])


class FailsOn(ClassifierMixin, BaseEstimator):
    """A classifier that rejects sets of one size."""

    def __init__(self, size):
        self.size = size

    def fit(self, X, y):
        if X.shape[1] == self.size:
            raise RuntimeError(f"no {self.size} columns, please")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def test_a_failing_set_counts_as_the_worst_and_the_error_is_shown_once():
    scorer = scorer_with(FailsOn(2))
    with pytest.warns(ThresherWarning, match="RuntimeError: no 2 columns") as caught:
        scores = scorer.score_all([[1], [1, 2], [2, 3]])
    assert len(caught) == 1
    assert scores[0] > 0
    assert scores[1] == scores[2] == -math.inf
    assert np.isnan(fold_scores(scorer, [1, 2])).all()
    scorer.reject_if_all_failed()


def test_failures_of_all_sets_are_an_error():
    scorer = scorer_with(FailsOn(1))
    scorer.reject_if_all_failed()
    with pytest.warns(ThresherWarning):
        scorer.score([4])
    with pytest.raises(ValueError, match=r"failed on all 1 sets of features.*no 1 columns"):
        scorer.reject_if_all_failed()


def test_an_estimator_without_the_method_of_the_scorer_fails_with_a_clear_error():
    class Mute(FailsOn):
        predict = None

    with pytest.raises(ValueError, match="requires an estimator with the method predict, got Mute"):
        SALCC(Mute(0), scoring="accuracy", max_iterations=2, random_state=0).fit(X[:, :5], Y)


def test_restored_sets_are_counted_and_reported_but_not_computed():
    reported = []
    scorer = scorer_with(FailsOn(1))
    scorer.restored = {(3,): [0.5] * 4 + ["RuntimeError: then"], (4,): [0.25] * 5}
    scorer.after_each = lambda key, outcomes: reported.append(key)
    with pytest.warns(ThresherWarning, match="RuntimeError: then"):
        assert scorer.score_all([[1, 2], [4], [3]])[1:] == [0.25, -math.inf]
    assert reported == [(1, 2), (4,), (3,)]
    assert scorer.n_scored == 3
    assert list(scorer.scored()) == [(1, 2), (4,)]


@pytest.mark.filterwarnings("ignore:.*tasks which were still being processed:UserWarning")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_callback_may_end_the_scoring(n_jobs):
    scorer = scorer_with(GaussianNB(), n_jobs=n_jobs)

    def stop(key, outcomes):
        if key == (2,):
            raise StopIteration("enough")

    scorer.after_each = stop
    with pytest.raises(StopIteration, match="enough"):
        scorer.score_all([[1], [2], [3], [4]])
    assert list(scorer.scored()) == [(1,), (2,)]


def test_an_estimator_without_a_score_needs_a_scoring():
    class Scoreless(BaseEstimator):
        def fit(self, X, y):
            return self

    with pytest.raises(ValueError, match=r"has no method score. Set scoring"):
        scorer_with(Scoreless())


def test_annealing_survives_an_estimator_that_fails_on_some_sets():
    with pytest.warns(ThresherWarning, match="failed on the features"):
        selector = SALCC(FailsOn(3), search="path", scoring="accuracy").fit(X[:, :8], Y)
    assert len(selector.selected_) != 3
    assert np.isneginf(selector.set_scores_).any()


def test_more_jobs_change_nothing():
    estimator = LogisticRegression(solver="liblinear")
    one = SALCC(estimator, max_iterations=6, random_state=0).fit(X[:, :8], Y)
    two = SALCC(estimator, max_iterations=6, random_state=0, n_jobs=2).fit(X[:, :8], Y)
    assert one.set_scores_.tolist() == two.set_scores_.tolist()


class Deaf(ClassifierMixin, BaseEstimator):
    """A classifier that is slow in a thread, where nothing interrupts it."""

    ended = ()

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        try:
            time.sleep(5)
        finally:
            Deaf.ended += (True,)
        return self

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


@pytest.mark.plain
def test_a_fit_that_hears_nothing_is_left_when_interrupted():
    timer = threading.Timer(0.3, signal.raise_signal, (signal.SIGINT,))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        scorer_with(Deaf()).score([0])
    assert Deaf.ended == ()

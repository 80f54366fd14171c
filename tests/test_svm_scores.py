"""The default classifier of wrappers: the scores of scikit-learn's pipeline, from shared columns."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from thresher import _core
from thresher.selectors._scoring import SubsetScorer, SVMScores, default_classifier

pytestmark = pytest.mark.kernels

# libsvm's tolerance of 1e-3 could decide a borderline row otherwise.
PRECISE = make_pipeline(StandardScaler(), SVC(tol=1e-8))


def scorer_with(X, y, **settings):
    return SubsetScorer(lambda features: X[:, features], y, **settings)


def fold_scores(scorer, features):
    scorer.score(features)
    return scorer.known_folds(features)


def random_sets(p, n, seed=0):
    rng = np.random.default_rng(seed)
    return [
        np.sort(rng.choice(p, rng.integers(1, min(p, 12) + 1), replace=False)) for _ in range(n)
    ]


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
@pytest.mark.parametrize("scoring", [None, "balanced_accuracy"])
def test_scores_are_those_of_the_pipeline(load, scoring):
    X, y = load(return_X_y=True)
    X, y = X[::2], y[::2]
    scorer = scorer_with(X, y, scoring=scoring)
    for features in random_sets(X.shape[1], 5):
        expected = cross_val_score(PRECISE, X[:, features], y, cv=scorer.folds, scoring=scoring)
        np.testing.assert_allclose(fold_scores(scorer, features), expected, atol=1e-12)


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_decisions_rank_as_those_of_the_pipeline(load):
    X, y = load(return_X_y=True)
    if load is load_breast_cancer:
        X, y = X[::2], y[::2]

    def rank(estimator, rows, truth):
        """Decide on the values, not only on their signs."""
        found = estimator.decision_function(rows)
        wanted = truth if found.ndim == 1 else np.eye(3)[truth]
        return np.corrcoef(found.ravel(), wanted.ravel())[0, 1]

    scorer = scorer_with(X, y, scoring=rank)
    precise = cross_val_score(PRECISE, X[:, :3], y, cv=scorer.folds, scoring=rank)
    # Votes of 1 and 0 with confidences between: the tolerance of the svm is 1e-3.
    np.testing.assert_allclose(fold_scores(scorer, [0, 1, 2]), precise, atol=2e-3)


def test_labels_may_be_text_and_a_column_constant_in_a_fold():
    X, y = load_iris(return_X_y=True)
    X = np.column_stack([X, np.zeros(len(y))])
    X[:10, 4] = 5.0  # rows of the first fold only
    names = np.array(["a", "b", "c"])[y]
    scorer = scorer_with(X, names, cv=[(np.arange(15, 150), np.arange(15)), (y < 3, y < 3)])
    expected = cross_val_score(PRECISE, X[:, [1, 4]], names, cv=scorer.folds)
    np.testing.assert_allclose(fold_scores(scorer, [1, 4]), expected)


def test_a_fold_with_one_class_predicts_it():
    X, y = load_iris(return_X_y=True)
    scorer = scorer_with(X, y, cv=[(np.arange(50), np.arange(40, 60))])
    assert scorer.score([0, 1]) == 0.5


def test_extreme_values_are_left_to_the_pipeline():
    X, y = load_iris(return_X_y=True)
    X = X.copy()
    X[7, 0] = 1e12
    scorer = scorer_with(X, y)
    assert scorer.svm.prepare([0, 1]) is None
    assert scorer.svm.outcomes((0,)) is None
    assert scorer.svm.outcomes((1,)) is not None
    expected = cross_val_score(default_classifier(), X[:, :1], y, cv=StratifiedKFold(5))
    np.testing.assert_array_equal(fold_scores(scorer, [0]), expected)


def test_more_rows_than_memory_is_kept_for_are_left_to_the_pipeline():
    X, y = np.zeros((6300, 1)), np.arange(6300) % 2
    assert scorer_with(X, y, cv=5).svm is None
    assert scorer_with(X[:6000], y[:6000], cv=5).svm is not None


def test_bits_depend_on_the_set_alone():
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[::3], y[::3]

    def margin(estimator, rows, truth):
        return float(np.sum(estimator.decision_function(rows)))

    sets = [tuple(features) for features in random_sets(30, 6)]
    folds = list(StratifiedKFold(3).split(X, y))
    forward, backward = (SVMScores(lambda f: X[:, f], y, folds, margin) for _ in range(2))
    for features in sets:
        forward.prepare(features)
    backward.prepare(reversed(range(30)))
    found = [forward.outcomes(features) for features in sets]
    assert found == [backward.outcomes(features) for features in reversed(sets)][::-1]
    threads = scorer_with(X, y, scoring=margin, cv=folds, n_jobs=2)
    threads.score_all(sets)
    assert [fold_scores(threads, features).tolist() for features in sets] == found


def digest_of_kernels():
    """Return a digest of values of many kinds: it must be the same at every instruction level."""
    rng = np.random.default_rng(0)
    X = rng.integers(-99, 99, (70, 5)) / 64.0
    A, B, y = X[:50], X[50:], rng.integers(0, 3, 50, dtype=np.int32)
    found = _core.decide_pairs(A @ A.T, B @ A.T, (B * B).sum(axis=1), y, 3, 0.2)
    assert found.shape == (20, 3)
    return hashlib.sha256(found.tobytes()).hexdigest()

"""Nested scores: nothing of an outer test part reaches the selection or the final fit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GroupKFold, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from thresher import GBC, MRMR
from thresher.evaluate import nested_score
from thresher.selectors._scoring import default_classifier

X, Y = load_breast_cancer(return_X_y=True)
X, Y = X[:150], Y[:150]


def small(**settings):
    return GBC(**{"population": 3, "max_cycles": 1, "cv": 3, "random_state": 0, **settings})


def test_scores_are_those_of_a_pipeline_in_cross_validation():
    for selector in (MRMR(4), small()):
        found = nested_score(selector, X, Y, cv=4)
        pipeline = make_pipeline(selector, default_classifier())
        expected = cross_val_score(pipeline, X, Y, cv=StratifiedKFold(4))
        np.testing.assert_array_equal(found.scores, expected)
        assert found.mean == expected.mean()
        assert found.standard_error == pytest.approx(expected.std(ddof=1) / 2)


def test_the_selector_names_estimator_and_scoring_unless_they_are_given():
    selector = small(estimator=GaussianNB(), scoring="balanced_accuracy")
    inherited = nested_score(selector, X, Y, cv=3)
    with parallel_config(backend="threading"):
        given = nested_score(
            selector, X, Y, cv=3, estimator=GaussianNB(), scoring="balanced_accuracy", n_jobs=2
        )
    np.testing.assert_array_equal(inherited.scores, given.scores)
    assert [s.tolist() for s in inherited.selected] == [s.tolist() for s in given.selected]
    other = nested_score(selector, X, Y, cv=3, estimator=default_classifier(), scoring="accuracy")
    np.testing.assert_array_equal(other.inner_scores, inherited.inner_scores)
    assert other.scores.tolist() != inherited.scores.tolist()


def test_rows_of_the_test_part_change_nothing_but_the_score():
    folds = [(np.arange(50, 150), np.arange(50))]
    spoilt = X.copy()
    spoilt[:50] = np.random.default_rng(0).normal(size=(50, 30))
    one, other = (nested_score(small(), data, Y, cv=folds) for data in (X, spoilt))
    assert one.selected[0].tolist() == other.selected[0].tolist()
    assert one.inner_scores.tolist() == other.inner_scores.tolist()
    assert one.scores[0] != other.scores[0]
    assert math.isnan(one.standard_error)


def test_permuted_labels_look_good_to_the_search_and_not_to_nested_scores():
    rng = np.random.default_rng(0)
    noise, labels = rng.normal(size=(60, 500)), rng.permutation(np.arange(60) % 2)
    selector = GBC(pool=20, max_pool=40, population=5, max_cycles=5, cv=3, random_state=0)
    found = nested_score(selector, noise, labels, cv=4)
    assert found.mean < 0.65
    assert found.optimism > 0.2
    assert "the searches reported" in str(found)


def test_groups_reach_the_splitter_and_the_selector():
    groups = np.arange(len(Y)) // 5
    found = nested_score(small(cv=GroupKFold(2)), X, Y, cv=GroupKFold(3), groups=groups)
    train, test = next(iter(GroupKFold(3).split(X, Y, groups)))
    selector = small(cv=GroupKFold(2)).fit(X[train], Y[train], groups=groups[train])
    assert found.selected[0].tolist() == selector.selected_.tolist()
    assert found.inner_scores[0] == selector.best_score_
    assert found.selectors[0].n_evaluations_ == selector.n_evaluations_
    assert not set(groups[train]) & set(groups[test])


def test_third_party_selectors_and_numeric_targets():
    X, y = load_diabetes(return_X_y=True)
    foreign = SelectKBest(f_regression, k=3)
    found = nested_score(foreign, X, y, estimator=LinearRegression())
    pipeline = make_pipeline(foreign, LinearRegression())
    np.testing.assert_array_equal(found.scores, cross_val_score(pipeline, X, y))
    assert math.isnan(found.optimism)
    assert "reported" not in str(found)
    table = found.table("dict")
    assert list(table) == ["score", "inner_score", "n_features"]
    low, high = found.interval()
    assert low < found.mean < high


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"selector": GaussianNB()}, "selector must be a selector with fit and get_support"),
        ({"estimator": "svm"}, "estimator must be a scikit-learn estimator or None, got 'svm'"),
        ({"cv": 1}, "cv must be an integer of at least 2, got 1"),
        ({"cv": 80}, "cv=80 requires 80 samples of every class, but class 1 has 67. Set"),
        ({"scoring": "neg_log_loss"}, "requires an estimator with the method predict_proba"),
        ({"n_jobs": 0}, "n_jobs must be"),
        ({"groups": [1, 2]}, "groups must have one label per sample"),
    ],
)
def test_bad_input_gets_a_one_line_error(options, words):
    selector = options.pop("selector", MRMR(2))
    with pytest.raises(ValueError, match=words):
        nested_score(selector, X, Y, **options)

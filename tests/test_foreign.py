"""The order of selection of any fitted selector is read in one way."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import (
    RFE,
    SelectFromModel,
    SelectKBest,
    SequentialFeatureSelector,
    VarianceThreshold,
)
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from thresher import MRMR, Chain, Ensemble
from thresher.evaluate.stability import select_sizes
from thresher.selectors._third_party import order_of_choice


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def fitted(support, **attributes):
    mask = np.array(support, dtype=bool)
    return SimpleNamespace(get_support=lambda: mask, **attributes)


def test_ours_are_read_as_listed(cancer):
    selector = MRMR(4).fit(*cancer)
    assert order_of_choice(selector).tolist() == selector.selected_.tolist()


def test_scores_come_largest_first_and_undefined_ones_last(cancer):
    selector = SelectKBest(k=5).fit(*cancer)
    expected = sorted(np.flatnonzero(selector.get_support()), key=lambda f: -selector.scores_[f])
    assert order_of_choice(selector).tolist() == expected
    assert order_of_choice(fitted([1, 1, 1], scores_=np.array([np.nan, 1.0, 2.0]))).tolist() == [
        2,
        1,
        0,
    ]


def test_rank_counts_before_score_and_score_before_position():
    ranked = fitted([1, 1, 0, 1], ranking_=[2, 1, 3, 1], scores_=[9.0, 1.0, 9.0, 2.0])
    assert order_of_choice(ranked).tolist() == [3, 1, 0]
    assert order_of_choice(fitted([1, 1, 0, 1], ranking_=[2, 1, 3, 1])).tolist() == [1, 3, 0]


def test_features_that_share_a_rank_go_by_the_importances_of_the_fitted_estimator(cancer):
    X, y = cancer
    elimination = RFE(LinearSVC(), n_features_to_select=5).fit(X, y)
    chosen = np.flatnonzero(elimination.support_)
    weight = np.abs(elimination.estimator_.coef_[0])
    assert order_of_choice(elimination).tolist() == chosen[np.argsort(-weight)].tolist()
    model = SelectFromModel(RandomForestClassifier(20, random_state=0)).fit(X, y)
    chosen = np.flatnonzero(model.get_support())
    importance = model.estimator_.feature_importances_[chosen]
    assert order_of_choice(model).tolist() == chosen[np.argsort(-importance)].tolist()


def test_coefficients_of_several_classes_are_added(cancer):
    X, _ = cancer
    y = np.arange(len(X)) % 3
    model = SelectFromModel(LogisticRegression(), max_features=6, threshold=-np.inf).fit(X, y)
    size = np.abs(model.estimator_.coef_).sum(axis=0)
    assert order_of_choice(model).tolist() == np.argsort(-size)[:6].tolist()


def test_without_any_order_position_decides(cancer):
    X, y = cancer
    for selector in (
        VarianceThreshold(),
        SequentialFeatureSelector(LogisticRegression(), n_features_to_select=2, cv=2),
    ):
        selector.fit(X[:, :6], y)
        assert order_of_choice(selector).tolist() == np.flatnonzero(selector.get_support()).tolist()


@pytest.mark.parametrize(
    "attributes",
    [
        {"selected_": np.array([True, False, True])},
        {"selected_": [2, 2]},
        {"selected_": ["a", "b"]},
        {"selected_": [[2, 0]]},
        {"scores_": "many", "ranking_": None},
        {"estimator_": SimpleNamespace(coef_=np.ones((3, 3, 3)))},
    ],
)
def test_attributes_that_mean_something_else_are_passed_over(attributes):
    assert order_of_choice(fitted([1, 0, 1], **attributes)).tolist() == [0, 2]


def test_chains_ensembles_and_curves_agree(cancer):
    X, y = cancer
    selector = SelectFromModel(LogisticRegression(), max_features=4, threshold=-np.inf)
    expected = order_of_choice(selector.fit(X, y)).tolist()
    assert Chain([selector]).fit(X, y).selected_.tolist() == expected
    everything = np.vstack([X, X])
    twice = Ensemble(selector, 2, kind="full", parts="contiguous").fit(
        everything, np.concatenate([y, y])
    )
    assert twice.parts_[0].tolist() == expected
    k_best = SelectKBest()
    lists = select_sizes(k_best, X, y, [3, 5])
    assert lists[1] == order_of_choice(SelectKBest(k=5).fit(X, y)).tolist()

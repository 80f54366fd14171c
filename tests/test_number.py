"""Choosing the number of features."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from tests.naive import compare as naive_compare
from tests.naive import number as naive
from thresher import GSO, MRMR, ThresherWarning, Univariate
from thresher.datasets import make_artificial1
from thresher.evaluate import select_k


@pytest.mark.parametrize("rule", ["1se", "best"])
def test_the_number_equals_the_slow_one(rule):
    X, y = load_wine(return_X_y=True)
    folds = naive_compare.stratified(y, 5, 3)

    def best_f(X, y, k):
        return np.sort(np.argsort(-f_classif(X, y)[0], kind="stable")[:k])

    sizes = list(range(1, 14))
    rows = naive_compare.compare({"F": best_f}, X, y, {"NB": GaussianNB()}, sizes, folds)
    found = select_k(SelectKBest(), X, y, GaussianNB(), k=sizes, rule=rule, cv=folds)
    np.testing.assert_allclose(found.mean, [row[3] for row in rows], rtol=1e-14)
    assert found.k == naive.choose(sizes, found.fold_scores.tolist(), rule)


class CountingMRMR(MRMR):
    fits = 0

    def fit(self, X, y=None, **settings):
        CountingMRMR.fits += 1
        return super().fit(X, y, **settings)


def test_nested_selectors_are_fitted_once_per_fold():
    X, y = load_breast_cancer(return_X_y=True)
    CountingMRMR.fits = 0
    found = select_k(CountingMRMR(), X, y, GaussianNB(), k=range(1, 13), cv=4, random_state=0)
    assert CountingMRMR.fits == 4
    again = select_k(MRMR(), X, y, GaussianNB(), k=range(1, 13), cv=4, random_state=0)
    np.testing.assert_array_equal(found.fold_scores, again.fold_scores)
    assert found.fold_scores.shape == (4, 12)


def test_no_row_is_scored_with_features_it_helped_to_choose():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2000)), np.arange(60) % 2
    found = select_k(Univariate(), X, y, GaussianNB(), k=[10, 20], random_state=0)
    assert found.mean.max() < 0.7  # chosen on all rows, noise like this would reach 0.9


def test_one_standard_error_takes_fewer_features_and_the_truth_is_found():
    made = make_artificial1(300, 40, n_informative=5, random_state=0)
    settings = {"k": range(1, 21), "random_state": 0}
    one = select_k(GSO(), made.data, made.target, LinearRegression(), **settings)
    best = select_k(GSO(), made.data, made.target, LinearRegression(), rule="best", **settings)
    assert one.k == 5 <= best.k == best.best_k == one.best_k
    table = one.table("polars")
    assert isinstance(table, pl.DataFrame)
    assert table.filter(pl.col("chosen"))["k"].to_list() == [5]


def test_the_usual_numbers_end_at_the_features():
    X, y = load_iris(return_X_y=True)
    assert select_k(MRMR(), X, y, GaussianNB(), random_state=0).sizes.tolist() == [1, 2, 3]
    with pytest.warns(ThresherWarning, match="X has 4 features: k is tried up to 3, not up to 5"):
        select_k(MRMR(), X, y, GaussianNB(), k=[3, 5], random_state=0)


class Picky(GaussianNB):
    def fit(self, X, y):
        if X.shape[1] == 2:
            raise RuntimeError("not two")
        return super().fit(X, y)


def test_numbers_with_which_the_estimator_fails_are_left_out():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(ThresherWarning, match=r"failed with \[2\] features.*not two"):
        found = select_k(MRMR(), X, y, Picky(), k=[1, 2, 3], random_state=0)
    assert found.k != 2
    assert np.isnan(found.mean[1])


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"k": 9}, "k must contain a number of at most 4, the features of X, got"),
        ({"k": 0}, "k must be an integer of at least 1"),
        ({"rule": "2se"}, "rule must be one of '1se', 'best', got '2se'"),
        ({"scoring": "accurracy"}, "did you mean 'accuracy'"),
        ({"selector": MRMR(objective="nothing")}, "the selector failed on fold 0: ValueError"),
        ({"estimator": KNeighborsClassifier(900)}, "the estimator failed with every number"),
        ({"cv": 1}, "cv must be an integer of at least 2"),
        ({"y": [0, 1]}, "X has 150 rows, but y has 2"),
    ],
)
def test_bad_arguments_are_rejected_in_one_line(settings, words):
    X, y = load_iris(return_X_y=True)
    given = {"selector": MRMR(), "X": X, "y": y, "estimator": GaussianNB(), "k": [1, 2], **settings}
    with pytest.raises(ValueError, match=words):
        select_k(**given)

"""Recursive elimination by support vector machines."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, load_wine
from sklearn.feature_selection import RFE
from sklearn.svm import SVC

from tests.naive import rankings as naive
from tests.test_naive_rankings import Y, Z
from thresher import SVMRFE


def order(fitted):
    return np.argsort(fitted.ranking_, kind="stable").tolist()


def test_worked_example():
    fitted = SVMRFE(2, C=100).fit(Z, Y)
    assert order(fitted) == [0, 1, 2, 3]
    assert fitted.selected_.tolist() == [0, 1]
    assert fitted.n_evaluations_ == 3


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_three_classes_rank_as_fresh_svms_for_every_round(load):
    X, y = (values[::3] for values in load(return_X_y=True))
    assert order(SVMRFE(1, tol=1e-5).fit(X, y)) == naive.svm_rfe(X, y, tol=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_wide_data_rank_as_a_fresh_svm_for_every_round(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 24)
    X = rng.normal(size=(24, 40)) + y[:, None] * (rng.random(40) < 0.2)
    assert order(SVMRFE(1, tol=1e-8).fit(X, y)) == naive.svm_rfe(X, y, tol=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_the_default_ranks_as_rfe_does_with_a_tight_tolerance(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 50)
    X = rng.normal(size=(50, 60)) + y[:, None] * (rng.random(60) < 0.2)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    wanted = RFE(SVC(kernel="linear", tol=1e-6), n_features_to_select=1).fit(Z, y)
    assert SVMRFE(1).fit(X, y).ranking_.tolist() == wanted.ranking_.tolist()


def test_many_samples_with_few_features_are_solved_too():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    X = rng.normal(size=(400, 12)) + 0.3 * y[:, None] * (np.arange(12) < 4)
    assert order(SVMRFE(1).fit(X, y)) == naive.svm_rfe(X, y, tol=1e-6)


@pytest.mark.parametrize("C", [100.0, 1e6])
def test_svms_with_a_large_penalty_reach_the_tolerance(C):
    """Classes that overlap: by pairs of rows alone, ten million steps would not be enough."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    X = rng.normal(size=(200, 12)) + 0.3 * y[:, None] * (np.arange(12) < 4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = SVMRFE(1, C=C).fit(X, y)
    assert order(found) == order(SVMRFE(1).fit(X, y))  # so few features hardly feel the penalty


def test_copies_leave_with_the_lowest_position_first():
    rng = np.random.default_rng(0)
    y = np.arange(30) % 2
    x = rng.normal(size=30) + y
    X = np.column_stack([x, rng.normal(size=30), x])
    ranks = SVMRFE(1).fit(X, y).ranking_
    assert ranks[2] < ranks[0]


def test_steps_drop_several_but_stop_at_the_requested_number():
    rng = np.random.default_rng(1)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 50)) + 3 * y[:, None] * (np.arange(50) < 3)
    one = SVMRFE(3).fit(X, y)
    half = SVMRFE(3, step=0.5).fit(X, y)
    ten = SVMRFE(3, step=10).fit(X, y)
    assert one.n_evaluations_ == 50
    assert half.n_evaluations_ < 12
    assert sorted(half.selected_) == sorted(ten.selected_) == [0, 1, 2]


def test_kept_features_are_never_dropped():
    fitted = SVMRFE(2, keep=[2], exclude=[0]).fit(Z, Y)
    assert fitted.selected_.tolist() == [2, 1]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"step": 0}, r"step .*above 0"),
        ({"step": 1.5}, r"step must be an integer"),
        ({"C": -1}, r"C .*above 0"),
    ],
)
def test_bad_parameters(options, words):
    with pytest.raises(ValueError, match=words):
        SVMRFE(1, **options).fit(Z, Y)


def test_sparse_data_are_rejected():
    with pytest.raises(TypeError, match="use FisherScore"):
        SVMRFE().fit(sparse.csr_matrix(Z), Y)

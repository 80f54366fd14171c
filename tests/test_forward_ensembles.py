"""The forward selectors inside an ensemble."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer

import thresher
from thresher import CFS, FCBF, GSO, NMIFS, RRCT, CMIFilter, Ensemble, LassoPath
from thresher.search.parts import assign_parts

CRITERIA = [
    getattr(thresher, name)(4) for name in ("MIM", "JMI", "JMIM", "CMIM", "DISR", "CIFE", "ICAP")
]
OF_SUMS = [CFS(), CFS(search="best-first"), FCBF(), FCBF(0.05), NMIFS(4), *CRITERIA]
OTHERS = [RRCT(3), GSO(3), LassoPath(3), CMIFilter()]


def discrete_problem():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, size=60)
    X = rng.integers(0, 3, size=(60, 9))
    for feature in range(6):
        copied = rng.random(60) < 0.2 + 0.1 * feature
        X[copied, feature] = y[copied]
    return X, y


@pytest.mark.parametrize("selector", OF_SUMS, ids=repr)
def test_replicates_are_fits_on_their_rows(selector):
    X, y = discrete_problem()
    fast = Ensemble(selector, n_parts=5).fit(X, y)
    full = Ensemble(selector, n_parts=5, kind="full").fit(X, y)
    part = assign_parts(len(y), 5)
    for i in range(5):
        alone = clone(selector).fit(X[part != i], y[part != i])
        assert fast.parts_[i].tolist() == alone.selected_.tolist()
        assert full.parts_[i].tolist() == alone.selected_.tolist()
    assert fast.selected_.tolist() == full.selected_.tolist()


@pytest.mark.parametrize("selector", OF_SUMS, ids=repr)
def test_inner_and_bagged_ensembles_choose_features(selector):
    X, y = discrete_problem()
    inner = Ensemble(selector, n_parts=4, kind="inner").fit(X, y)
    assert 1 <= len(inner.selected_) <= 9
    assert inner.relevance_.max() <= 1
    bagged = Ensemble(selector, n_parts=3, kind="bagging", random_state=0).fit(X, y)
    assert len(bagged.selected_) >= 1


def test_inner_ensemble_of_equal_replicates_is_the_plain_selection():
    # Every part holds the same rows, so every replicate has the same counts but for the factor.
    X, y = discrete_problem()
    tiled, labels = np.repeat(X, 4, axis=0), np.repeat(y, 4)
    for selector in OF_SUMS:
        plain = clone(selector).fit(X, y)
        inner = Ensemble(selector, n_parts=4, kind="inner").fit(tiled, labels)
        assert inner.selected_.tolist() == plain.selected_.tolist(), selector
        np.testing.assert_allclose(inner.relevance_, plain.relevance_, atol=1e-11)
        np.testing.assert_allclose(inner.scores_, plain.scores_, atol=1e-9)


@pytest.mark.parametrize("selector", OTHERS, ids=repr)
def test_selectors_that_are_not_made_of_sums_are_fitted_again(selector):
    X, y = load_breast_cancer(return_X_y=True)
    full = Ensemble(selector, n_parts=3, kind="full").fit(X, y)
    part = assign_parts(len(y), 3)
    alone = clone(selector).fit(X[part != 1], y[part != 1])
    assert full.parts_[1].tolist() == alone.selected_.tolist()
    with pytest.raises(ValueError, match='use kind="full" or kind="bagging"'):
        Ensemble(selector, kind="fast").fit(X, y)


def test_one_pass_serves_all_replicates():
    X, y = discrete_problem()
    for selector in (CFS(strategy="cached"), thresher.JMI(4)):
        fast = Ensemble(selector, n_parts=5).fit(X, y)
        full = Ensemble(selector, n_parts=5, kind="full").fit(X, y)
        assert fast.n_evaluations_ < full.n_evaluations_

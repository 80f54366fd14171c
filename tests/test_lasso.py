"""The order of entry on the lasso path."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine
from sklearn.linear_model import Lasso

from thresher import LassoPath, ThresherWarning

from .naive.lasso import entry_penalties, standardized
from .test_rrct import X as EXAMPLE_X
from .test_rrct import Y as EXAMPLE_Y


def test_worked_example():
    selector = LassoPath(5, target="numeric").fit(EXAMPLE_X, EXAMPLE_Y)
    assert selector.selected_.tolist() == [4, 1, 2, 3, 0]


def test_order_and_penalties_agree_with_coordinate_descent():
    X, y = load_diabetes(return_X_y=True)
    selector = LassoPath(10).fit(X, y)
    entry = entry_penalties(X, y, 400)
    step = entry.max() / 400
    np.testing.assert_allclose(selector.scores_, entry, atol=2 * step)
    for first, second in zip(selector.selected_, selector.selected_[1:], strict=False):
        assert entry[first] >= entry[second] - 2 * step


def test_penalties_are_in_scikit_learns_scale():
    X, y = load_diabetes(return_X_y=True)
    selector = LassoPath(4).fit(X, y)
    Z, target = standardized(X), standardized(y[:, None])[:, 0]
    third = selector.scores_[selector.selected_[2]]
    for penalty, n_inside in ((third * 1.001, 2), (third * 0.999, 3)):
        model = Lasso(alpha=penalty, tol=1e-12, max_iter=100_000).fit(Z, target)
        assert np.count_nonzero(model.coef_) == n_inside


def test_several_classes_take_the_earliest_entry():
    X, y = load_wine(return_X_y=True)
    selector = LassoPath(5).fit(X, y)
    entry = np.max([entry_penalties(X, y == c, 150) for c in range(3)], axis=0)
    assert selector.selected_[0] == np.argmax(entry)
    shuffled = LassoPath(5).fit(X, np.take([2, 0, 1], y))
    assert shuffled.selected_.tolist() == selector.selected_.tolist()


def test_weights_count_as_repeats():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 9, size=(40, 8)).astype(float)
        y = X @ rng.normal(size=8) + rng.normal(size=40)
        weights = rng.integers(0, 4, size=40)
        for target in (y, np.digitize(y, np.quantile(y, [0.3, 0.6]))):
            weighted = LassoPath(6).fit(X, target, sample_weight=weights)
            repeated = LassoPath(6).fit(np.repeat(X, weights, axis=0), np.repeat(target, weights))
            assert weighted.selected_.tolist() == repeated.selected_.tolist()
            np.testing.assert_allclose(weighted.scores_, repeated.scores_, rtol=1e-10)
            np.testing.assert_allclose(weighted.relevance_, repeated.relevance_, atol=1e-12)
            halves = LassoPath(6).fit(X, target, sample_weight=weights / 2)
            np.testing.assert_allclose(halves.scores_, weighted.scores_, rtol=1e-10)


def test_a_path_that_ends_early_is_filled_up_with_a_warning():
    rng = np.random.default_rng(1)
    base = rng.normal(size=(20, 3))
    X = np.column_stack([base, base[:, 0], base[:, 1]])
    y = base @ [3.0, 2.0, 1.0]
    with pytest.warns(ThresherWarning, match="3 of the 5 features requested entered"):
        selector = LassoPath(5).fit(X, y)
    assert selector.selected_.tolist() == [0, 1, 2, 3, 4]
    assert np.isnan(selector.scores_[[3, 4]]).all()


def test_more_features_than_samples_follow_the_path_to_its_end():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(15, 60)), rng.normal(size=15)
    with pytest.warns(ThresherWarning, match="entered the lasso path"):
        selector = LassoPath(40).fit(X, y)
    assert len(set(selector.selected_.tolist())) == 40
    assert LassoPath(5).fit(X, y).selected_.tolist() == selector.selected_[:5].tolist()


def test_kept_features_come_first_and_excluded_ones_are_not_in_the_model():
    X, y = load_diabetes(return_X_y=True)
    selector = LassoPath(3, keep=[0], exclude=[2]).fit(X, y)
    assert selector.selected_[0] == 0
    assert 2 not in selector.selected_
    without = LassoPath(2).fit(np.delete(X, 2, axis=1), y)
    assert selector.selected_[1:].tolist() == [f + (f >= 2) for f in without.selected_]

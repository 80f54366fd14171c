"""Gram-Schmidt selection through its public interface."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine

from thresher import GSO, ThresherWarning

from .naive.gso import gso as naive_gso
from .test_partial_core import random_problem
from .test_rrct import X as EXAMPLE_X
from .test_rrct import Y as EXAMPLE_Y
from .test_rrct import quiet


def test_worked_example():
    selector = quiet(GSO(5, target="numeric"), EXAMPLE_X, EXAMPLE_Y)
    assert selector.selected_.tolist() == [4, 0, 3, 1, 2]
    scores = [0.380952, 0.059077, 0.022589, 0.009804, 0.000389]
    np.testing.assert_allclose(selector.scores_[selector.selected_], scores, atol=5e-7)
    np.testing.assert_allclose(selector.relevance_[0], 0.324102**2, atol=5e-7)


def test_choices_are_those_of_forward_stepwise_regression():
    X, y = load_diabetes(return_X_y=True)
    selector = GSO(6).fit(X, y)
    chosen = []
    for _ in range(6):
        left = [j for j in range(X.shape[1]) if j not in chosen]
        rest = []
        for j in left:
            design = np.column_stack([np.ones(len(y)), X[:, [*chosen, j]]])
            rest.append(np.sum((y - design @ np.linalg.lstsq(design, y)[0]) ** 2))
        chosen.append(left[int(np.argmin(rest))])
    assert selector.selected_.tolist() == chosen


def test_several_classes_enter_by_their_indicators():
    X, y = load_wine(return_X_y=True)
    selector = GSO(7).fit(X, y)
    steps = naive_gso(X, y, 7, nominal=True)
    assert selector.selected_.tolist() == steps.selected
    np.testing.assert_allclose(selector.trace_["score"], steps.scores, atol=1e-12)
    assert GSO(7).fit(X, np.take([2, 0, 1], y)).selected_.tolist() == steps.selected


def test_stops_with_a_warning_when_the_target_is_fully_explained():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(12, 20)), rng.normal(size=12)
    with pytest.warns(
        ThresherWarning, match="selected 10 of 15 .* leave no residual of the target"
    ):
        selector = GSO(15).fit(X, y)
    assert len(selector.selected_) == 10
    exact = X[:, 0] - 2 * X[:, 1]
    with pytest.warns(ThresherWarning, match="selected 2 of 5"):
        assert set(GSO(5).fit(X, exact).selected_) == {0, 1}


def test_linear_combinations_are_never_chosen():
    rng = np.random.default_rng(3)
    base = rng.normal(size=(30, 2))
    X = np.column_stack([base, base.sum(axis=1), 3 * base[:, 0]])
    y = base[:, 0] + base[:, 1] + rng.normal(size=30)
    with pytest.warns(ThresherWarning, match="linear combinations"):
        selector = GSO(4).fit(X, y)
    assert len(selector.selected_) == 2
    left = next(f for f in range(4) if f not in selector.selected_)
    assert "collinear" in selector.reason(left)


def test_kept_features_come_first():
    X, y = load_diabetes(return_X_y=True)
    selector = GSO(4, keep=[0, 1], exclude=[2]).fit(X, y)
    assert selector.selected_[:2].tolist() == [0, 1]
    assert 2 not in selector.selected_
    steps = naive_gso(np.delete(X, 2, axis=1), y, 4, keep=[0, 1])
    expected = [f + (f >= 2) for f in steps.selected]
    assert selector.selected_.tolist() == expected


def test_extreme_sizes_do_not_overflow():
    X, y = load_diabetes(return_X_y=True)
    plain = GSO(6).fit(X, y)
    extreme = GSO(6).fit(X * 2.0**800, y * 2.0**800)
    np.testing.assert_array_equal(extreme.scores_, plain.scores_)


@pytest.mark.filterwarnings("ignore::thresher.ThresherWarning")
def test_weights_count_as_repeats():
    for seed in range(60):
        X, y = random_problem(seed)
        weights = np.random.default_rng(seed).integers(0, 4, size=len(y))
        weights[:2] = 1  # both ends of the target stay
        rows = np.repeat(np.arange(len(y)), weights)
        if not np.ptp(X[rows], axis=0).any():
            continue
        for target in ("numeric", "nominal"):
            selector = GSO(X.shape[1], target=target)
            repeated = selector.fit(X[rows], y[rows]).trace_
            weighted = selector.fit(X, y, sample_weight=weights).trace_
            np.testing.assert_array_equal(weighted["feature"], repeated["feature"])
            np.testing.assert_allclose(weighted["score"], repeated["score"], atol=1e-8)


def test_only_the_proportions_of_weights_matter():
    X, y = load_diabetes(return_X_y=True)
    weights = np.random.default_rng(0).integers(1, 5, size=len(y))
    whole = GSO(5).fit(X, y, sample_weight=weights)
    halves = GSO(5).fit(X, y, sample_weight=weights / 2)
    assert whole.selected_.tolist() == halves.selected_.tolist()
    np.testing.assert_allclose(whole.trace_["score"], halves.trace_["score"], rtol=1e-12)
    assert GSO(5).fit(X, y).scores_.tolist() != whole.scores_.tolist()

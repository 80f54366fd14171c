"""The conditional mutual information filter through its public interface."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from thresher import CMIFilter, ThresherWarning

from .naive.cmi import cmi_filter
from .test_cmi_core import REFERENCE, example, random_problem

pytestmark = pytest.mark.filterwarnings("ignore:y has")


def test_worked_example():
    X, y = example()
    selector = CMIFilter().fit(X, y)
    assert selector.selected_.tolist() == [0, 3, 4, 1]
    assert selector.n_evaluations_ == 6
    assert selector.trace_["n_blocks"].tolist() == [2, 4, 7, 8]
    assert np.nansum(selector.scores_) == pytest.approx(0.813202, abs=5e-7)
    relevance = [0.476382, 0.006988, 0.042776, 0.104349, 0.071819]
    np.testing.assert_allclose(selector.relevance_, relevance, atol=5e-7)
    assert CMIFilter(2).fit(X, y).selected_.tolist() == [0, 3]
    assert CMIFilter(last="never").fit(X, y).selected_.tolist() == [0, 3, 4]
    assert "passed over" in selector.reason(2)


def test_agrees_with_the_reference_implementation_on_random_problems():
    for seed in range(120):
        X, y = random_problem(20_000 + seed)
        if not np.ptp(X, axis=0).any():
            continue
        selector = CMIFilter().fit(X, y)
        expected = cmi_filter(X, y)
        assert selector.selected_.tolist() == expected.selected
        assert selector.n_evaluations_ == expected.n_evaluations


@pytest.mark.parametrize("name", ["colon", "leukemia"])
def test_natural_stop_on_real_data(load_real, name):
    X, y = load_real(name)
    selected, n_walked, n_blocks, n_evaluations = REFERENCE[name]
    selector = CMIFilter().fit(X, y)
    assert selector.selected_.tolist() == selected
    assert selector.n_walked_ == n_walked
    assert selector.trace_["n_blocks"][-1] == n_blocks
    assert selector.n_evaluations_ == n_evaluations
    assert selector.trace_["unknown"][-1] == 0
    assert "not reached" in selector.reason(0)
    with pytest.warns(ThresherWarning, match="of 30 requested features: they determine the class"):
        assert CMIFilter(30).fit(X, y).selected_.tolist() == selected


def test_identifiers_are_pointed_at():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, size=60)
    X = np.column_stack([np.arange(60), rng.integers(0, 3, size=(60, 4))])
    with pytest.warns(ThresherWarning, match="column 0 has 60 levels .* exclude"):
        selector = CMIFilter(discretize=None).fit(X, y)
    assert selector.selected_.tolist() == [0]
    assert 0 not in CMIFilter(discretize=None, exclude=[0]).fit(X, y).selected_


def test_weights_count_as_repeats():
    X, y = random_problem(3)
    weights = np.random.default_rng(3).integers(1, 4, size=len(y))
    weighted = CMIFilter().fit(X, y, sample_weight=weights)
    repeated = CMIFilter().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_array_equal(weighted.scores_, repeated.scores_)
    with pytest.raises(ValueError, match="integer sample_weight"):
        CMIFilter().fit(X, y, sample_weight=weights / 2 + 0.1)


def test_kept_features_and_names():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    selector = CMIFilter(keep=["mean texture"]).fit(X, y)
    assert X.columns[selector.selected_[0]] == "mean texture"
    assert selector.bins_.rule == "mean-sd"

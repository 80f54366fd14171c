"""Nothing that could be chosen: one sentence, from every selector."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone

from tests.test_sklearn import SELECTORS
from thresher import ThresherWarning

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 4))
Y = RNG.integers(0, 2, 40)


def with_parameter(name):
    return [selector for selector in SELECTORS if name in selector.get_params(deep=False)]


@pytest.mark.parametrize("selector", with_parameter("exclude"), ids=repr)
@pytest.mark.parametrize("n_constant", [0, 2])
def test_all_excluded_is_a_one_line_error(selector, n_constant):
    data = X.copy()
    data[:, :n_constant] = 1.0
    selector = clone(selector).set_params(exclude=[*range(n_constant, 4)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(
            ValueError, match=r"^exclude leaves no feature that varies. Remove features"
        ):
            selector.fit(data, Y)


@pytest.mark.parametrize("selector", with_parameter("discretize"), ids=repr)
def test_nothing_that_varies_after_binning_is_a_result_with_correct_reasons(selector):
    """The rule of Fayyad and Irani leaves noise one bin."""
    selector = clone(selector).set_params(discretize="mdl")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        selector.fit(X, Y)
    assert {warning.category for warning in caught} <= {ThresherWarning}
    for feature in range(4):
        assert selector.reason(feature)
    messages = " ".join(str(warning.message) for warning in caught)
    assert "bound on the risk is met" not in messages
    if hasattr(selector, "bins_") and selector.bins_.is_binned.all():
        is_ranking = hasattr(selector, "pvalues_")  # selects as many as requested
        assert is_ranking or not selector.selected_.size
        assert is_ranking or "no feature was selected: " in messages

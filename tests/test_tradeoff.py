"""The picture of relevance, redundancy and complementarity."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import NotFittedError

from thresher import GSO, MRMR, RRCT
from thresher.plots import plot_tradeoff

matplotlib.use("Agg")


def test_lines_are_the_terms_of_the_trace():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    selector = RRCT(6).fit(X, y)
    ax = plot_tradeoff(selector)
    lines = {line.get_label(): line.get_ydata() for line in ax.get_lines()}
    for term in ("relevance", "redundancy", "complementarity"):
        np.testing.assert_array_equal(lines[term], selector.trace_[term])
    labels = [text.get_text() for text in ax.get_xticklabels()]
    assert labels == X.columns[selector.selected_].tolist()


def test_without_complementarity_there_are_two_lines():
    X, y = load_breast_cancer(return_X_y=True)
    ax = plot_tradeoff(MRMR(4).fit(X, y), title="mRMR")
    labels = [line.get_label() for line in ax.get_lines()]
    assert "complementarity" not in labels
    assert ax.get_title() == "mRMR"


def test_other_selectors_are_rejected():
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.raises(ValueError, match="GSO has no redundancy per step"):
        plot_tradeoff(GSO(3).fit(X, y))
    with pytest.raises(NotFittedError):
        plot_tradeoff(RRCT())


def test_terms_in_different_units_are_drawn_as_shares():
    X, y = load_breast_cancer(return_X_y=True)
    selector = MRMR(4, relevance="f").fit(X, y)
    ax = plot_tradeoff(selector)
    lines = {line.get_label(): line.get_ydata() for line in ax.get_lines()}
    for term in ("relevance", "redundancy"):
        expected = selector.trace_[term] / selector.trace_[term].max()
        np.testing.assert_allclose(lines[term], expected, rtol=1e-15)
    assert ax.get_ylabel() == "share of the largest"
    raw = plot_tradeoff(selector, shares=False).get_lines()[0].get_ydata()
    np.testing.assert_array_equal(raw, selector.trace_["relevance"])

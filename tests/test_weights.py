"""Weights of any size: exact where they can be counted, sums of float64 elsewhere, never an overflow."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from tests.measures import ON_GRID, RATIOS
from thresher import (
    CFS,
    FCBF,
    GSO,
    JMI,
    LCC,
    MRMR,
    CMIFilter,
    EqualFrequencyBins,
    EqualWidthBins,
    LassoPath,
    MDLBins,
    MeanSdBins,
    Univariate,
)
from thresher.data import read_weights
from thresher.measures import mutual_information, pearson, spearman

N_ROWS = 40
RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, N_ROWS)
X = np.column_stack(
    [RNG.integers(0, 3, (N_ROWS, 4)), RNG.random((N_ROWS, 4)) + Y[:, None] * [0.3, 0.1, 0.6, 0.0]]
)

SELECTORS = [
    MRMR(3),
    MRMR(3, relevance="mi", redundancy="mi"),
    MRMR(3, relevance="mi", redundancy="su", discretize="equal-frequency"),
    MRMR(3, relevance="pearson", redundancy="cosine", objective="difference"),
    MRMR(3, relevance="spearman", redundancy="spearman"),
    CFS(),
    FCBF(),
    JMI(3),
    CMIFilter(),
    GSO(3),
    LassoPath(3),
    LCC(),
    Univariate(3, measure="chi2"),
    EqualFrequencyBins(),
    EqualWidthBins(),
    MeanSdBins(),
    MDLBins(),
]
EXTREME = {
    "2^20": RNG.integers(1, 1 << 20, N_ROWS),
    "2^40": RNG.integers(1, 1 << 40, N_ROWS),
    "2^62": np.full(N_ROWS, 1 << 62),
    "2^63": np.full(N_ROWS, 1 << 63, dtype=np.uint64),
    "2^64": np.full(N_ROWS, 2.0**64),
    "beyond 64 bits": [1 << 70] * N_ROWS,
    "1e300": np.full(N_ROWS, 1e300),
    "the largest": np.full(N_ROWS, np.finfo(float).max),
    "1e-300": np.full(N_ROWS, 1e-300),
    "the smallest": np.full(N_ROWS, 5e-324),
    "both": np.where(np.arange(N_ROWS) % 2, 1e-300, 1e300),
    "one large": np.r_[1 << 62, np.ones(N_ROWS - 1, dtype=np.int64)],
    "one very large": np.r_[np.uint64((1 << 64) - 1), np.ones(N_ROWS - 1, dtype=np.uint64)],
    "with zeros": np.where(np.arange(N_ROWS) % 3, 1e308, 0.0),
}


@pytest.mark.parametrize("kind", EXTREME)
@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_weights_of_any_size_give_a_result_or_a_one_line_error(selector, kind):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        complaint = ""
        try:
            selector.fit(X, Y, sample_weight=EXTREME[kind])
        except ValueError as error:
            complaint = str(error)
    assert not complaint or "sample_weight" in complaint or "y has one class" in complaint
    assert {warning.category.__name__ for warning in caught} <= {"ThresherWarning"}


@pytest.mark.parametrize("factor", [2.0**-1000, 2.0**-40, 2.0**40, 2.0**52, 2.0**900])
def test_a_common_factor_does_not_change_the_selection(factor):
    weights = RNG.integers(1, 5, N_ROWS) + 0.25
    for measure in (*ON_GRID, *RATIOS):
        selector = MRMR(4, relevance=measure, redundancy=measure)
        plain = selector.fit(X, Y, sample_weight=weights)
        order, scores = plain.selected_, plain.scores_
        scaled = selector.fit(X, Y, sample_weight=weights * factor)
        assert scaled.selected_.tolist() == order.tolist()
        np.testing.assert_allclose(scaled.scores_, scores, rtol=1e-9)


def test_large_whole_weights_are_counted():
    large = RNG.integers(1, 1 << 44, N_ROWS)
    assert read_weights(large, N_ROWS).dtype == np.int64
    assert (read_weights(large, N_ROWS) == large).all()
    # One row in 2^44 more or less shows: no sum was rounded.
    near = large + (np.arange(N_ROWS) == 0)
    assert mutual_information([0, 1] * 20, Y, sample_weight=large) >= 0
    assert (read_weights(near, N_ROWS) != read_weights(large, N_ROWS)).sum() == 1


def test_weights_too_large_to_count_become_numbers_of_the_same_ratio():
    weights = read_weights([1 << 63, 1 << 62, 0], 3)
    assert weights.dtype == np.float64
    assert weights[0] == 2 * weights[1] > weights[2] == 0
    assert weights.sum() <= 2.0**50


@pytest.mark.parametrize("largest", [4, 3_000, 70_000])
def test_spearman_with_weights_is_spearman_on_repeated_rows(largest):
    weights = RNG.integers(0, largest, N_ROWS)
    values = X.round(1)
    repeated = np.repeat(np.arange(N_ROWS), weights)
    selector = MRMR(6, relevance="spearman", redundancy="spearman")
    weighted = selector.fit(values, Y, sample_weight=weights)
    scores, order = weighted.scores_, weighted.selected_
    plain = selector.fit(values[repeated], Y[repeated])
    assert plain.selected_.tolist() == order.tolist()
    np.testing.assert_array_equal(plain.scores_, scores)


@pytest.mark.parametrize("factor", [2.0**-60, 2.0**20, 2.0**40, 2.0**62, 2.0**600])
def test_spearman_depends_on_no_common_factor_of_the_weights(factor):
    selector = MRMR(3, relevance="spearman", redundancy="spearman")
    weights = RNG.integers(1, 4, N_ROWS)
    scores = selector.fit(X, Y, sample_weight=weights).scores_
    np.testing.assert_array_equal(
        selector.fit(X, Y, sample_weight=weights * factor).scores_, scores
    )
    assert spearman(X[:, 4], X[:, 5], sample_weight=weights * factor) == spearman(
        X[:, 4], X[:, 5], sample_weight=weights
    )


def test_functions_take_weights_of_any_size():
    for weights in EXTREME.values():
        assert 0 <= mutual_information(X[:, 0], Y, sample_weight=weights) <= 1
        assert 0 <= pearson(X[:, 5], Y, sample_weight=weights) <= 1


def test_complex_weights_are_rejected():
    with pytest.raises(ValueError, match="sample_weight contains complex numbers"):
        MRMR(3).fit(X, Y, sample_weight=np.full(N_ROWS, 1 + 1j))

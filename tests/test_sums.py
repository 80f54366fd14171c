"""Sums over rows add and subtract."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.measures import DISCRETE
from tests.naive import measures_discrete, measures_numeric
from thresher.measures import (
    ClassMoments,
    PairCounts,
    PairMoments,
    chi_squared,
    cosine,
    f_statistic,
    mutual_information,
    normalized_mutual_information,
    pearson,
    spearman,
    symmetrical_uncertainty,
)

pytestmark = pytest.mark.kernels

seeds = st.integers(0, 2**32 - 1)


def discrete(name, a, b):
    a, b = (np.unique(column, return_inverse=True)[1] for column in (a, b))
    return measures_discrete.measure(a, b, name, a.max() + 1, b.max() + 1)


def split(rng, n):
    """Return a row mark for each of two blocks, both non-empty."""
    first = rng.random(n) < 0.5
    first[0], first[1] = True, False
    return first


@given(seeds)
@examples(50)
def test_counts_add_and_subtract_exactly(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 3, 40), rng.integers(0, 4, 40)
    first = split(rng, 40)
    whole = PairCounts.of(a, b, 3, 4)
    one, two = PairCounts.of(a[first], b[first], 3, 4), PairCounts.of(a[~first], b[~first], 3, 4)
    np.testing.assert_array_equal((one + two).counts, whole.counts)
    np.testing.assert_array_equal((whole - two).counts, one.counts)
    for measure in DISCRETE:
        assert (one + two).value(measure) == whole.value(measure)
        assert whole.value(measure) == discrete(measure, a, b)


@pytest.mark.parametrize(
    "counts",
    [
        [[8, 8, 0, 2], [4, 2, 3, 8], [3, 0, 1, 3]],
        [[1, 5, 5, 8], [6, 5, 8, 7], [4, 6, 5, 4]],
        [[0, 3, 3, 2], [8, 0, 7, 8], [3, 1, 7, 3]],
        [[5, 8, 5, 8], [6, 0, 5, 4], [0, 8, 5, 8]],
    ],
)
@pytest.mark.parametrize("times", [1, 2**31, 2**40])
def test_chi_squared_is_the_rounding_of_the_exact_value_whatever_the_order_of_levels(counts, times):
    counts = np.array(counts) * times
    exact = measures_discrete.measure_of_table(counts, "chi2", None)
    for turned in (counts, counts.T):
        for order in (turned, turned[::-1], turned[:, ::-1]):
            assert PairCounts(order).value("chi2") == exact


@pytest.mark.parametrize("measure", DISCRETE)
def test_sums_of_real_weights_do_not_show_the_order_of_levels_nor_of_blocks(measure):
    for seed in (70, 784, 1792, 1823, 2501, 2972, *range(40)):
        rng = np.random.default_rng(seed)
        counts = rng.random((3, 4)) * 5
        value = PairCounts(counts).value(measure)
        assert PairCounts(counts.T).value(measure) == value
        assert PairCounts(counts[::-1]).value(measure) == value
        a, b, weight = rng.integers(0, 3, 60), rng.integers(0, 4, 60), rng.random(60) * 3
        whole = PairCounts.of(a, b, 3, 4, weight)
        first = split(rng, 60)
        one, two = (PairCounts.of(a[r], b[r], 3, 4, weight[r]) for r in (first, ~first))
        assert (one + two).counts.tolist() == (two + one).counts.tolist() == whole.counts.tolist()
        assert (whole - two).counts.tolist() == one.counts.tolist()
        assert (one + two).value(measure) == whole.value(measure)
        assert (whole - two).value(measure) == one.value(measure)


@given(seeds)
@examples(50)
def test_moments_add_and_subtract_without_a_trace(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=40) + 1e3 * rng.integers(0, 2)
    y = 0.5 * x + rng.normal(size=40)
    classes = rng.integers(0, 3, 40)
    first = split(rng, 40)
    pairs = [PairMoments.of(x[rows], y[rows]) for rows in (first, ~first, slice(None))]
    groups = [ClassMoments.of(x[rows], classes[rows], 3) for rows in (first, ~first, slice(None))]
    for (one, two, whole), measures in (
        (pairs, ("pearson", "cosine", "r2", "f")),
        (groups, ("f", "r2")),
    ):
        for measure in measures:
            assert (one + two).value(measure) == whole.value(measure)
            assert (whole - two).value(measure) == one.value(measure)


def test_weights_of_two_count_twice():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 3, 30), rng.integers(0, 3, 30)
    weight = rng.integers(0, 3, 30)
    rows = np.repeat(np.arange(30), weight)
    assert mutual_information(a, b, sample_weight=weight) == mutual_information(a[rows], b[rows])
    x = rng.normal(size=30)
    assert pearson(x, b, sample_weight=weight) == pearson(x[rows], b[rows])
    assert f_statistic(x, b, sample_weight=weight) == f_statistic(x[rows], b[rows])


def test_functions_agree_with_the_naive_reference_implementations():
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 5, 60), rng.integers(0, 3, 60)
    x = rng.normal(size=60).round(1)
    assert mutual_information(a, b) == discrete("mi", a, b)
    assert symmetrical_uncertainty(a, b) == discrete("su", a, b)
    assert normalized_mutual_information(a, b) == discrete("nmi", a, b)
    assert chi_squared(a, b) == discrete("chi2", a, b)
    assert pearson(x, a) == measures_numeric.pearson(x, a)
    assert spearman(x, a) == measures_numeric.spearman(x, a)
    assert cosine(x, a) == measures_numeric.cosine(x, a)
    assert f_statistic(x, b) == measures_numeric.f_statistic(x, b)


@pytest.mark.parametrize(
    "measure", [mutual_information, symmetrical_uncertainty, pearson, spearman, f_statistic]
)
def test_constant_columns_have_no_association(measure):
    assert measure([0.1] * 4, [0, 1, 0, 1]) == 0.0


def test_string_labels_are_discrete_values():
    assert mutual_information(list("aabb"), list("xxyy")) == 1.0

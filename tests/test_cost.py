"""The cost model of the Fast Ensemble."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.naive import stability as naive
from thresher.evaluate import cost


@given(st.integers(2, 9), st.integers(2, 6), st.data())
@examples(60)
def test_the_exact_count_equals_the_cache_of_the_algorithm(p, e, data):
    k = data.draw(st.integers(1, p))
    lists = [data.draw(st.permutations(range(p)))[:k] for _ in range(e)]
    fast = cost.count_pairs_fast(lists, p, k)
    assert fast == naive.pairs_fast(lists, p, k)
    plain = cost.count_pairs_plain(p, k)
    assert plain == naive.pairs_plain(p, k)
    assert plain <= fast <= min(cost.count_pairs_standard(p, k, e), p + p * (p - 1) // 2)


def test_worked_example():
    difference, quotient = [[1, 3, 0], [1, 0, 4], [1, 0, 2]], [[1, 3, 0], [1, 0, 4], [1, 2, 0]]
    assert cost.count_pairs_fast(difference, 5, 3) == 14
    assert cost.count_pairs_fast(quotient, 5, 3) == 15
    assert cost.count_pairs_standard(5, 3, 3) == 36


@pytest.mark.parametrize(
    ("jaccard", "printed", "corrected"),
    [(0.0, 14747.5, 14725.0), (0.5, 4633.94, 4627.22), (1.0, 3209.5, 3205.0)],
)
def test_estimates_of_the_worked_example(jaccard, printed, corrected):
    estimate = cost.estimate_pairs_fast
    assert estimate(325, 10, 5, jaccard, form="printed") == pytest.approx(printed, abs=0.005)
    assert estimate(325, 10, 5, jaccard) == pytest.approx(corrected, abs=0.005)


@given(st.integers(10, 500), st.integers(1, 10), st.integers(2, 20), st.floats(0, 1))
def test_the_closed_form_solves_the_recursion(p, k, e, jaccard):
    value = cost.estimate_pairs_fast(p, k, e, jaccard, form="printed")
    assert value == pytest.approx(naive.estimate(p, k, e, jaccard, p - (k - 1) / 2), rel=1e-9)


def test_the_corrected_estimate_is_exact_when_all_parts_agree():
    assert cost.estimate_pairs_fast(325, 10, 20, 1.0) == cost.count_pairs_plain(325, 10)


@pytest.mark.parametrize(
    ("p", "k", "published"),
    [
        (325, 50, {5: 23920, 10: 24107, 20: 24109}),
        (2000, 10, {5: 47697, 10: 53160, 20: 53891}),
        (9712, 20, {5: 768263, 10: 1222147, 20: 1656234}),
    ],
)
def test_one_jaccard_index_explains_the_published_estimates(p, k, published):
    def worst(jaccard):
        estimates = [cost.estimate_pairs_fast(p, k, e, jaccard, form="tables") for e in published]
        return max(abs(a - b) for a, b in zip(estimates, published.values(), strict=True))

    low, high = 1e-6, 1.0 - 1e-6
    for _ in range(60):  # the estimate falls with the index
        middle = (low + high) / 2
        fits = cost.estimate_pairs_fast(p, k, 20, middle, form="tables") > published[20]
        low, high = (middle, high) if fits else (low, middle)
    nearby = low + np.linspace(-1e-5, 1e-5, 2001)
    assert min(worst(j) for j in nearby) < 0.6


def test_ensemble_cost_gathers_the_numbers():
    summary = cost.ensemble_cost([[1, 3, 0, 2], [1, 0, 4, 2], [1, 0, 2, 3]], 5, 3)
    assert (summary.fast, summary.standard, summary.n_parts, summary.k) == (14, 36, 3, 3)
    assert summary.gain == pytest.approx(36 / 14)
    assert summary.estimate == cost.estimate_pairs_fast(5, 3, 3, 0.5)


def test_overlap():
    assert cost.estimate_overlap(1.0, 7) == 7
    assert cost.estimate_overlap(0.0, 7) == 0


def test_bad_input_gets_a_one_line_error():
    with pytest.raises(
        ValueError, match=r"jaccard must be a number of at least 0 and of at most 1, got 1.5"
    ):
        cost.estimate_pairs_fast(10, 3, 2, 1.5)
    with pytest.raises(ValueError, match="form must be"):
        cost.estimate_pairs_fast(10, 3, 2, 0.5, form="other")

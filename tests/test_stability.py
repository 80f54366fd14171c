"""Stability of selections: indices, intervals, tests and curves."""

from __future__ import annotations

import io
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.base import BaseEstimator
from sklearn.datasets import make_classification
from sklearn.feature_selection import SelectKBest, SelectorMixin, f_classif

from tests.examples import examples
from tests.naive import stability as naive
from thresher._utils.long_calls import track
from thresher.evaluate import stability

P = 9


def runs_of(min_runs=2, p=P):
    one = st.frozensets(st.integers(0, p - 1), max_size=p)
    return st.lists(one, min_size=min_runs, max_size=6)


def equal_runs(p=P):
    return st.integers(1, p - 1).flatmap(
        lambda k: st.lists(
            st.frozensets(st.integers(0, p - 1), min_size=k, max_size=k), min_size=2, max_size=6
        )
    )


def as_matrix(sets, p=P):
    return np.array([[f in members for f in range(p)] for members in sets])


@given(runs_of(min_runs=1))
@examples(60)
def test_mean_jaccard_agrees_with_its_definition_in_every_shape(sets):
    expected = naive.mean_jaccard(sets)
    assert stability.mean_jaccard(sets) == pytest.approx(expected, abs=1e-15)
    assert stability.mean_jaccard([sorted(s) for s in sets]) == stability.mean_jaccard(sets)
    assert stability.mean_jaccard(as_matrix(sets)) == stability.mean_jaccard(sets)
    names = [{f"gene {f}" for f in members} for members in sets]
    assert stability.mean_jaccard(names) == stability.mean_jaccard(sets)


def test_ten_equal_sets_have_a_mean_jaccard_of_one():
    assert stability.mean_jaccard([{1, 4, 7}] * 10) == 1.0
    assert stability.mean_jaccard([set(), set()]) == 1.0
    assert stability.mean_jaccard([{3}]) == 1.0


def test_mean_jaccard_of_the_worked_example():
    assert stability.mean_jaccard([[1, 3, 0], [1, 0, 4], [1, 0, 2]]) == 0.5
    assert stability.mean_jaccard([[1, 3, 0], [1, 0, 4], [1, 2, 0]]) == 0.5


@given(equal_runs())
@examples(60)
def test_kuncheva_agrees_with_its_definition_and_with_nogueira(sets):
    value = stability.kuncheva(sets, P)
    assert value == pytest.approx(naive.kuncheva(sets, P), abs=1e-12)
    assert stability.kuncheva(as_matrix(sets)) == value
    assert stability.nogueira(sets, P) == pytest.approx(value, abs=1e-12)


@given(runs_of())
@examples(60)
def test_nogueira_and_its_error_agree_with_their_definitions(sets):
    total = sum(map(len, sets))
    if total in (0, P * len(sets)):
        assert math.isnan(stability.nogueira(sets, P))
        return
    interval = stability.nogueira_interval(sets, P)
    assert interval.value == pytest.approx(naive.nogueira(sets, P), abs=1e-12)
    expected = naive.nogueira_standard_error(sets, P)
    assert interval.standard_error == pytest.approx(expected, abs=1e-6)  # numerical derivative


def test_nogueira_intervals_cover_the_true_stability():
    rng = np.random.default_rng(4)
    share = np.r_[np.full(5, 0.9), np.full(5, 0.5), np.full(40, 0.05)]
    level = share.mean()
    truth = 1 - np.mean(share * (1 - share)) / (level * (1 - level))
    hits = 0
    for _ in range(400):
        interval = stability.nogueira_interval(rng.random((60, 50)) < share)
        hits += interval.low <= truth <= interval.high
    assert 0.92 <= hits / 400 <= 0.98


def test_nogueira_test_keeps_its_level_and_finds_a_difference():
    rng = np.random.default_rng(5)
    share = np.r_[np.full(5, 0.8), np.full(45, 0.1)]
    pvalues = [
        stability.nogueira_test(rng.random((60, 50)) < share, rng.random((60, 50)) < share).pvalue
        for _ in range(400)
    ]
    assert 0.02 <= np.mean(np.array(pvalues) < 0.05) <= 0.09
    steadier = np.r_[np.full(5, 0.95), np.full(45, 0.05)]
    a, b = rng.random((60, 50)) < steadier, rng.random((60, 50)) < share
    assert stability.nogueira_test(a, b, alternative="greater").pvalue < 1e-6
    assert stability.nogueira_test(a, b, alternative="less").pvalue > 0.999
    both = stability.nogueira_test(a, b)
    assert both.pvalue == pytest.approx(2 * stats.norm.sf(abs(both.statistic)))
    assert stability.nogueira_test(a, 0.0).pvalue < 1e-12


def test_nogueira_test_of_procedures_that_never_vary():
    same, none = [{0, 1}] * 4, [{0}, {1}, {2}, {3}]
    assert stability.nogueira_test(same, same, n_features=5).pvalue == 1.0
    assert stability.nogueira_test(same, 0.5, n_features=5).pvalue == 0.0
    assert stability.nogueira_test(same, none, n_features=5).difference > 0


@given(st.integers(2, 4), st.integers(2, 4), st.data())
@examples(40)
def test_relative_weighted_consistency_uses_the_true_extremes(runs, p, data):
    one = st.frozensets(st.integers(0, p - 1), max_size=p)
    sets = data.draw(st.lists(one, min_size=runs, max_size=runs))
    total = sum(map(len, sets))
    value = stability.relative_weighted_consistency(sets, p)
    if total == 0:
        assert math.isnan(value)
        return
    low, high = naive.weighted_consistency_range(total, runs, p)
    counts = as_matrix(sets, p).sum(axis=0).tolist()
    if high - low < 1e-12:
        assert math.isnan(value)
    else:
        expected = (naive.weighted_consistency(counts, runs) - low) / (high - low)
        assert value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("method", ["spearman", "kendall"])
def test_rank_agreement_is_the_mean_over_pairs(method):
    rng = np.random.default_rng(0)
    rankings = rng.integers(1, 6, size=(4, 12))
    reference = stats.spearmanr if method == "spearman" else stats.kendalltau
    pairs = [
        reference(rankings[i], rankings[j]).statistic for i in range(4) for j in range(i + 1, 4)
    ]
    value = stability.rank_agreement(rankings, method=method)
    assert value == pytest.approx(np.mean(pairs), abs=1e-12)
    assert stability.rank_agreement([[1, 2, 3], [3, 2, 1]], method=method) == pytest.approx(-1)
    assert math.isnan(stability.rank_agreement([[1, 2, 3]], method=method))
    assert math.isnan(stability.rank_agreement([[1, 1, 1], [1, 2, 3]], method=method))


def test_undefined_indices_are_nan():
    everything, nothing = [{0, 1}, {0, 1}], [set(), set()]
    for index in (stability.kuncheva, stability.nogueira):
        assert math.isnan(index(everything, 2))
        assert math.isnan(index(nothing, 2))
        assert math.isnan(index([{0}], 2))
    assert math.isnan(stability.relative_weighted_consistency([{0}], 2))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: stability.mean_jaccard([]), "at least one selection"),
        (lambda: stability.kuncheva([{0}, {0, 1}], 4), "Use nogueira"),
        (lambda: stability.nogueira([{0}, {1}]), "n_features is missing"),
        (lambda: stability.nogueira([{0}, {7}], 5), "positions in 0..4, got 7"),
        (lambda: stability.nogueira([{"a"}, {"b"}], 1), "at least the 2 distinct"),
        (lambda: stability.nogueira(np.eye(3, dtype=bool), 4), "equal the 3 columns"),
        (lambda: stability.nogueira([[0, 1, 0], [1, 0, 0]], 3), "dtype bool"),
        (lambda: stability.mean_jaccard(["ab", "cd"]), "one set or list of features per run"),
        (lambda: stability.nogueira_interval([{0}, {1}], 3, confidence=95), "between 0 and 1"),
        (lambda: stability.nogueira_test([{0}, {1}], 0.0, 3, alternative="x"), "alternative"),
        (lambda: stability.rank_agreement([1, 2, 3]), "one row per run"),
        (lambda: stability.rank_agreement([[1, np.nan], [1, 2]]), "must not contain nan"),
        (lambda: stability.rank_agreement([[1, 2], [1, 2]], method="tau"), "method"),
    ],
)
def test_bad_input_gets_a_one_line_error(call, message):
    with pytest.raises(ValueError, match=message):
        call()


class Prefixes(SelectorMixin, BaseEstimator):
    """A ranking by F that declares its selections nested, or not."""

    fits = 0

    def __init__(self, n_features_to_select=3, nested=True):
        self.n_features_to_select = n_features_to_select
        self.nested = nested

    def fit(self, X, y):
        type(self).fits += 1
        order = np.argsort(-f_classif(X, y)[0], kind="stable")
        self.selected_ = order[: self.n_features_to_select]
        return self

    def _selected_at(self, k):
        return self.selected_[:k].tolist() if self.nested else None

    def _get_support_mask(self):
        return np.isin(np.arange(10), self.selected_)


@pytest.fixture(scope="module")
def problem():
    return make_classification(60, 10, n_informative=3, random_state=0, shuffle=False)


def test_a_nested_selector_runs_once_per_fold_and_gives_the_same_curve(problem):
    settings_ = {"k": [1, 3, 5], "n_splits": 4, "n_repeats": 2, "random_state": 3}
    Prefixes.fits = 0
    nested = stability.stability_curve(Prefixes(), *problem, **settings_)
    assert Prefixes.fits == 8
    refitted = stability.stability_curve(Prefixes(nested=False), *problem, **settings_)
    assert Prefixes.fits == 8 + 24
    np.testing.assert_array_equal(nested.values, refitted.values)
    foreign = stability.stability_curve(SelectKBest(f_classif), *problem, **settings_)
    np.testing.assert_array_equal(nested.values, foreign.values)
    assert nested.values.shape == (2, 3)


def test_the_curve_is_the_mean_jaccard_of_the_training_sides(problem):
    X, y = problem
    curve = stability.stability_curve(
        SelectKBest(f_classif), X, y, k=[2], n_splits=5, n_repeats=1, random_state=1
    )
    from sklearn.model_selection import KFold

    seed = np.random.SeedSequence((curve.seed, 0)).generate_state(1)[0]
    sets = [
        set(np.flatnonzero(SelectKBest(f_classif, k=2).fit(X[rows], y[rows]).get_support()))
        for rows, _ in KFold(5, shuffle=True, random_state=int(seed)).split(X)
    ]
    assert curve.mean[0] == pytest.approx(naive.mean_jaccard(sets), abs=1e-15)


def test_threads_and_repetition_do_not_change_the_curve(problem):
    calls = [
        stability.stability_curve(
            Prefixes(), *problem, k=range(1, 5), n_repeats=2, random_state=0, n_jobs=jobs
        ).values
        for jobs in (1, 3, 1)
    ]
    np.testing.assert_array_equal(calls[0], calls[1])
    np.testing.assert_array_equal(calls[0], calls[2])


@pytest.mark.parametrize("index", ["kuncheva", "nogueira", "relative-weighted-consistency"])
def test_the_curve_offers_the_other_indices(problem, index):
    curve = stability.stability_curve(
        Prefixes(), *problem, k=[2, 4], n_repeats=2, random_state=0, index=index, stratify=True
    )
    assert curve.index == index
    assert np.all((curve.mean > 0) & (curve.mean <= 1))


def test_the_curve_ends_at_the_number_of_columns(problem):
    with pytest.warns(UserWarning, match="10 columns"):
        curve = stability.stability_curve(Prefixes(), *problem, k=range(8, 13), n_repeats=1)
    assert curve.k.tolist() == [8, 9, 10]
    assert np.isnan(curve.std).all()


def test_comparing_curves_is_a_paired_test(problem):
    settings_ = {"k": [2, 5], "n_repeats": 4, "random_state": 3}
    first = stability.stability_curve(Prefixes(), *problem, **settings_)
    second = stability.stability_curve(NoisyPrefixes(), *problem, **settings_)
    outcome = stability.compare_curves(first, second)
    expected = stats.ttest_rel(first.values, second.values)
    np.testing.assert_allclose(outcome.pvalue, expected.pvalue)
    np.testing.assert_allclose(outcome.difference, first.mean - second.mean)
    one_sided = stability.compare_curves(first, second, alternative="greater")
    np.testing.assert_allclose(one_sided.pvalue, expected.pvalue / 2)
    for test in ("welch", "wilcoxon"):
        assert np.all(stability.compare_curves(first, second, test=test).pvalue < 0.2)
    same = stability.compare_curves(first, first)
    assert same.pvalue.tolist() == [1.0, 1.0]
    other = stability.stability_curve(Prefixes(), *problem, k=[2, 5], n_repeats=4, random_state=4)
    with pytest.raises(ValueError, match="same integer random_state"):
        stability.compare_curves(first, other)


class NoisyPrefixes(Prefixes):
    """A selector that selects at random, again in each fit."""

    def fit(self, X, y):
        self.selected_ = np.random.default_rng(np.frombuffer(X.tobytes(), np.uint8)).permutation(
            X.shape[1]
        )
        self.selected_ = self.selected_[: self.n_features_to_select]
        return self


@pytest.mark.parametrize(
    ("settings_", "message"),
    [
        ({"k": []}, "k must contain numbers"),
        ({"k": [0, 1]}, "k must contain numbers"),
        ({"index": "dice"}, "index must be one of"),
        ({"k": [1], "n_repeats": 0}, "n_repeats must be an integer of at least 1"),
    ],
)
def test_bad_settings_of_a_curve(problem, settings_, message):
    with pytest.raises(ValueError, match=message):
        stability.stability_curve(Prefixes(), *problem, **settings_)


def test_a_selector_without_a_size_is_rejected(problem):
    from sklearn.feature_selection import VarianceThreshold

    with pytest.raises(ValueError, match="n_features_to_select or k, got VarianceThreshold"):
        stability.stability_curve(VarianceThreshold(), *problem, k=[1])


def test_the_progress_bar_passes_everything_through():
    stream = io.StringIO()
    assert list(track(iter("abc"), 3, "folds", show=True, stream=stream)) == ["a", "b", "c"]
    assert stream.getvalue().rstrip().endswith("3/3")
    assert list(track(iter("abc"), 3, "folds", show=False)) == ["a", "b", "c"]

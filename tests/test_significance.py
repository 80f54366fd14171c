"""Tests of several methods over several data sets."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tests.naive import significance as naive
from thresher import evaluate
from thresher.evaluate import significance

# Table 6 of Demšar (2006): AUC of four decision trees on 14 data sets. In the last row but one its ranks show
# apart what its three digits do not.
DEMSAR = [
    [0.763, 0.768, 0.771, 0.798],
    [0.599, 0.591, 0.590, 0.569],
    [0.954, 0.971, 0.968, 0.967],
    [0.628, 0.661, 0.654, 0.657],
    [0.882, 0.888, 0.886, 0.898],
    [0.936, 0.931, 0.916, 0.931],
    [0.661, 0.668, 0.609, 0.685],
    [0.583, 0.583, 0.563, 0.625],
    [0.775, 0.838, 0.866, 0.875],
    [1.000, 1.000, 1.000, 1.000],
    [0.940, 0.962, 0.965, 0.962],
    [0.619, 0.666, 0.614, 0.669],
    [0.972, 0.981, 0.9751, 0.975],
    [0.957, 0.978, 0.946, 0.970],
]
METHODS = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]


def some_scores(seed, n=9, k=5, ties=False):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(n, k)) + 0.8 * np.arange(k)
    return np.round(scores) if ties else scores


def test_the_worked_example_of_demsar():
    test = evaluate.friedman(pd.DataFrame(DEMSAR, columns=METHODS))
    assert np.round(test.mean_ranks, 3).tolist() == [3.143, 2.0, 2.893, 1.964]
    assert test.methods == tuple(METHODS)
    assert naive.friedman_uncorrected(DEMSAR) == pytest.approx(9.28, abs=0.005)
    # Demšar does not correct for ties; the correction makes the statistic larger.
    assert test.statistic == pytest.approx(naive.friedman(DEMSAR), rel=1e-12)
    assert test.statistic > 9.28
    nemenyi = evaluate.nemenyi(DEMSAR, alpha=0.1)
    assert nemenyi.critical_difference == pytest.approx(1.12, abs=0.005)  # at level 0.10
    versus = significance.bonferroni_dunn(pd.DataFrame(DEMSAR, columns=METHODS), "C4.5")
    assert versus.critical_difference == pytest.approx(1.16, abs=0.01)
    assert versus.cliques == [("C4.5+m", "C4.5+cf", "C4.5")]  # 1.143 apart, and 1.179 is enough


@pytest.mark.parametrize(
    ("n_methods", "nemenyi", "dunn"),
    # Table 5 of Demšar at level 0.05.
    [
        (2, 1.960, 1.960),
        (3, 2.343, 2.241),
        (4, 2.569, 2.394),
        (5, 2.728, 2.498),
        (10, 3.164, 2.773),
    ],
)
def test_critical_values_are_those_of_the_printed_tables(n_methods, nemenyi, dunn):
    error = (n_methods * (n_methods + 1) / (6 * 20)) ** 0.5
    found = evaluate.critical_difference(n_methods, 20) / error
    assert found == pytest.approx(nemenyi, abs=1e-3)
    found = evaluate.critical_difference(n_methods, 20, test="bonferroni-dunn") / error
    assert found == pytest.approx(dunn, abs=1e-3)
    assert naive.normal_upper_tail(found) * 2 * (n_methods - 1) == pytest.approx(0.05, rel=1e-9)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_ranks_and_friedman_equal_the_slow_ones(seed, ties):
    scores = some_scores(seed, ties=ties)
    test = evaluate.friedman(scores)
    np.testing.assert_allclose(test.mean_ranks, naive.mean_ranks(scores.tolist()), rtol=1e-14)
    assert test.statistic == pytest.approx(naive.friedman(scores.tolist()), rel=1e-10)
    n, k = scores.shape
    chi = test.statistic
    assert test.f_statistic == pytest.approx((n - 1) * chi / (n * (k - 1) - chi))


@pytest.mark.parametrize("seed", range(5))
def test_wilcoxon_and_holm_equal_the_slow_ones(seed):
    scores = some_scores(seed, n=8, k=4)
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    raw = [naive.signed_rank_pvalue(scores[:, i], scores[:, j]) for i, j in pairs]
    tests = evaluate.wilcoxon_holm(scores)
    found = [tests.pvalues[i, j] for i, j in pairs]
    np.testing.assert_allclose(found, naive.holm(raw), rtol=1e-12)
    np.testing.assert_array_equal(tests.pvalues, tests.pvalues.T)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("test", [evaluate.wilcoxon_holm, evaluate.nemenyi])
def test_cliques_are_the_longest_runs_without_a_difference(test, seed):
    tests = test(some_scores(seed, n=12, k=6), alpha=0.2)
    order = [tests.methods[i] for i in np.argsort(tests.mean_ranks, kind="stable")]

    def differ(a, b):
        return tests.pvalues[tests.methods.index(a), tests.methods.index(b)] < 0.2

    assert tests.cliques == [tuple(run) for run in naive.cliques(order, differ)]


def test_scikit_posthocs_agrees():
    oracle = pytest.importorskip("scikit_posthocs")
    scores = some_scores(3, n=12, k=5)
    frame = pd.DataFrame(scores, columns=list("abcde"))
    theirs = oracle.posthoc_nemenyi_friedman(frame).to_numpy()
    np.testing.assert_allclose(evaluate.nemenyi(frame).pvalues, theirs, atol=1e-9)
    long = frame.melt(var_name="method", value_name="score")
    theirs = oracle.posthoc_wilcoxon(long, "score", "method", p_adjust="holm").to_numpy()
    np.testing.assert_allclose(evaluate.wilcoxon_holm(frame).pvalues, theirs, atol=1e-12)


def test_autorank_agrees():
    autorank = pytest.importorskip("autorank")
    frame = pd.DataFrame(some_scores(4, n=15, k=4), columns=list("abcd"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = autorank.autorank(frame, force_mode="nonparametric", order="descending")
    ours = evaluate.friedman(frame)
    assert theirs.pvalue == pytest.approx(ours.pvalue, rel=1e-9)
    assert theirs.cd == pytest.approx(evaluate.critical_difference(4, 15), rel=1e-3)
    ranks = dict(zip(ours.methods, ours.mean_ranks, strict=True))
    for method, rank in theirs.rankdf["meanrank"].items():
        assert rank == pytest.approx(ranks[method])


def test_all_shapes_of_a_table_are_read_alike():
    values = some_scores(0)
    names = list("abcde")
    expected = evaluate.nemenyi(pd.DataFrame(values, columns=names))
    for table in (pl.DataFrame(values, schema=names), dict(zip(names, values.T, strict=True))):
        found = evaluate.nemenyi(table)
        assert found.methods == expected.methods
        np.testing.assert_array_equal(found.pvalues, expected.pvalues)
    assert evaluate.nemenyi(values.tolist()).methods == ("0", "1", "2", "3", "4")


def test_small_scores_can_be_the_good_ones():
    values = some_scores(1)
    low = evaluate.friedman(-values, higher_is_better=False)
    np.testing.assert_array_equal(low.mean_ranks, evaluate.friedman(values).mean_ranks)


def test_equal_methods_do_not_differ():
    scores = np.tile([[0.5], [0.7], [0.9]], 3)
    test = evaluate.friedman(scores)
    assert (test.statistic, test.pvalue, test.f_statistic) == (0, 1, 0)
    tests = evaluate.wilcoxon_holm(scores)
    assert (tests.pvalues == 1).all()
    assert tests.cliques == [("0", "1", "2")]


def test_the_same_order_everywhere_is_certain():
    test = evaluate.friedman([[3, 2, 1]] * 10)
    assert test.f_statistic == np.inf
    assert test.f_pvalue == 0


def test_wins_ties_losses():
    table = evaluate.wins(DEMSAR, output="dict")
    assert table["first"][:3] == ["0", "0", "0"]
    assert (table["wins"][0], table["ties"][0], table["losses"][0]) == (2, 2, 10)


def test_tables_name_the_pairs_that_were_tested():
    scores = dict(zip("abc", some_scores(2, k=3).T, strict=True))
    pairs = evaluate.wilcoxon_holm(scores).table("dict")
    assert list(zip(pairs["first"], pairs["second"], strict=True)) == [
        ("a", "b"),
        ("a", "c"),
        ("b", "c"),
    ]
    against = significance.bonferroni_dunn(scores, "b").table("dict")
    assert list(zip(against["first"], against["second"], strict=True)) == [("a", "b"), ("b", "c")]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: evaluate.friedman([[1, 2], [2, 1]]), "at least 3 methods, got 2. Use wilcoxon"),
        (lambda: evaluate.friedman([[1, 2, 3]]), "at least 2 data sets, got 1"),
        (lambda: evaluate.wilcoxon_holm({"a": [1, 2], "b": [1, np.nan]}), "no score for 'b'"),
        (lambda: evaluate.wilcoxon_holm([1, 2]), r"got shape \(2,\)"),
        (lambda: evaluate.wilcoxon_holm([["x", 1], ["y", 2]]), "must contain numbers"),
        (
            lambda: evaluate.wilcoxon_holm([[1, 2], [2, 1]], alpha=1),
            "alpha must be between 0 and 1",
        ),
        (
            lambda: evaluate.critical_difference(1, 5),
            "n_methods must be an integer of at least 2",
        ),
        (lambda: evaluate.critical_difference(3, 5, test="nemeny"), "did you mean 'nemenyi'"),
        (
            lambda: significance.bonferroni_dunn({"cfs": [1, 2], "mrmr": [2, 1]}, "mrm"),
            "did you mean 'mrmr'",
        ),
    ],
)
def test_bad_tables_are_rejected_in_one_line(call, words):
    with pytest.raises(ValueError, match=words):
        call()

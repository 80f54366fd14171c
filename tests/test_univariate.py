"""Single measures with p-values."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse, stats
from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import f_classif, f_regression

from tests.measures import DISCRETE
from tests.naive import dispersion as naive_dispersion
from tests.naive import measures_discrete as naive_discrete
from tests.naive import measures_numeric as exact
from tests.naive import rankings as naive
from thresher import ThresherWarning, Univariate
from thresher.measures import anova_f
from thresher.selectors.univariate import correct_pvalues


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return X[:200, :12], y[:200]


def test_f_and_its_pvalues_are_those_of_scikit_learn(cancer):
    X, y = cancer
    fitted = Univariate(5).fit(X, y)
    scores, pvalues = f_classif(X, y)
    # scikit-learn takes the difference of large sums: fewer digits where F is small.
    np.testing.assert_allclose(fitted.scores_, scores, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(fitted.pvalues_, pvalues, rtol=1e-7)
    thin = Univariate(5).fit(sparse.csr_matrix(X), y)
    np.testing.assert_array_equal(thin.scores_, fitted.scores_)


@pytest.mark.parametrize("measure", ["pearson", "spearman"])
def test_correlations_and_their_pvalues_are_those_of_scipy(cancer, measure):
    X, _ = cancer
    y = X[:, 0] + np.random.default_rng(0).normal(size=len(X)) * 5
    fitted = Univariate(5, measure=measure).fit(X, y)
    test = stats.pearsonr if measure == "pearson" else stats.spearmanr
    wanted = [test(x, y) for x in X.T]
    np.testing.assert_allclose(fitted.scores_, [abs(w.statistic) for w in wanted], atol=1e-11)
    np.testing.assert_allclose(fitted.pvalues_, [w.pvalue for w in wanted], rtol=1e-6)


@pytest.mark.parametrize("measure", DISCRETE)
def test_tables_and_their_pvalues_are_those_of_scipy(cancer, measure):
    X, y = cancer
    fitted = Univariate(5, measure=measure, pvalues="analytic").fit(X, y)
    for feature in range(X.shape[1]):
        codes = np.array(naive_dispersion.equal_frequency_codes(X[:, feature].tolist(), 8))
        table = np.array([[np.sum((codes == a) & (y == c)) for c in (0, 1)] for a in range(8)])
        kind = "pearson" if measure == "chi2" else "log-likelihood"
        wanted = stats.chi2_contingency(table[table.sum(axis=1) > 0], False, kind)
        assert fitted.pvalues_[feature] == pytest.approx(wanted.pvalue, rel=1e-6)
        value = naive_discrete.measure(codes, y, measure, 8, 2)
        assert fitted.scores_[feature] == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("level", [0.01, 0.1, 0.5])
def test_corrections_reject_what_the_procedures_reject(seed, level):
    rng = np.random.default_rng(seed)
    pvalues = np.concatenate([rng.random(20), rng.random(6) ** 4])
    for name, yekutieli in [("bh", False), ("by", True)]:
        corrected = correct_pvalues(pvalues, name)
        rejected = np.flatnonzero(corrected <= level).tolist()
        assert rejected == naive.benjamini(pvalues, level, yekutieli)
        wanted = stats.false_discovery_control(pvalues, method=name)
        np.testing.assert_allclose(corrected, wanted, rtol=1e-12)
    np.testing.assert_allclose(
        correct_pvalues(pvalues, "bonferroni"), np.minimum(pvalues * 26, 1), rtol=1e-12
    )


def test_auto_selects_what_passes_the_level():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = rng.normal(size=(200, 300))
    X[:, :10] += y[:, None]
    fitted = Univariate("auto", alpha=0.05).fit(X, y)
    assert set(range(10)) <= set(fitted.selected_.tolist())
    assert len(fitted.selected_) <= 13
    assert np.all(fitted.corrected_pvalues_[fitted.selected_] <= 0.05)
    strict = Univariate("auto", correction="by").fit(X, y)
    assert set(strict.selected_.tolist()) <= set(fitted.selected_.tolist())
    with pytest.warns(ThresherWarning, match=r"no feature was selected: no corrected p-value"):
        Univariate("auto", alpha=1e-9).fit(X[:, 10:], y)


def test_constants_have_pvalue_one_and_do_not_count_in_the_correction():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = np.column_stack([rng.normal(size=40) + y, np.full(40, 0.1), rng.normal(size=40)])
    fitted = Univariate(2).fit(X, y)
    assert fitted.pvalues_[1] == 1
    assert fitted.ranking_[1] == 3
    np.testing.assert_allclose(
        fitted.corrected_pvalues_[[0, 2]], correct_pvalues(fitted.pvalues_[[0, 2]], "bh")
    )


@pytest.mark.parametrize("measure", ["f", "mi", "chi2", "pearson", "spearman"])
def test_a_weight_of_two_counts_like_two_samples(cancer, measure):
    X, y = cancer
    weight = np.arange(len(y)) % 3
    weighted = Univariate(5, measure=measure, pvalues="analytic").fit(X, y, sample_weight=weight)
    rows = np.repeat(np.arange(len(y)), weight)
    repeated = Univariate(5, measure=measure, pvalues="analytic").fit(X[rows], y[rows])
    np.testing.assert_array_equal(weighted.scores_, repeated.scores_)
    np.testing.assert_array_equal(weighted.pvalues_, repeated.pvalues_)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"measure": "gini"}, r"measure must be one of"),
        ({"alpha": 0}, r"alpha .*above 0"),
        ({"correction": "holm"}, r"correction must be one of"),
        (
            {"n_features_to_select": "some"},
            r"must be a number or a fraction of features, got 'some'",
        ),
    ],
)
def test_bad_parameters(cancer, options, words):
    with pytest.raises(ValueError, match=words):
        Univariate(**options).fit(*cancer)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_f_is_the_same_in_every_memory_layout(dtype):
    rng = np.random.default_rng(3)
    X = (rng.normal(size=(700, 300)) + 5).astype(dtype)
    y = rng.integers(0, 3, 700)
    by_rows = Univariate(5).fit(X, y)
    by_columns = Univariate(5).fit(np.asfortranarray(X), y)
    assert by_rows.scores_.tolist() == by_columns.scores_.tolist()
    assert by_rows.scores_.tolist() == anova_f(X, y).tolist()
    np.testing.assert_allclose(by_rows.scores_, f_classif(X.astype(float), y)[0], rtol=1e-9)
    np.testing.assert_allclose(by_rows.pvalues_, f_classif(X.astype(float), y)[1], rtol=1e-6)


def test_a_numeric_target_has_the_f_of_the_regression(cancer):
    X, _ = cancer
    y = X[:, 0] + np.random.default_rng(0).normal(size=len(X)) * 5
    fitted = Univariate(5).fit(X, y)
    scores, pvalues = f_regression(X, y)
    np.testing.assert_allclose(fitted.scores_, scores, rtol=1e-9)
    np.testing.assert_allclose(fitted.pvalues_, pvalues, rtol=1e-6, atol=1e-300)
    assert fitted.scores_.tolist() == [exact.regression_f(x, y) for x in X.T]


@pytest.mark.parametrize("numeric", [False, True])
def test_r2_ranks_as_f_does_with_the_same_pvalues(cancer, numeric):
    X, y = cancer
    y = X[:, 0] + np.random.default_rng(0).normal(size=len(X)) * 5 if numeric else y
    by_f, by_share = Univariate(5).fit(X, y), Univariate(5, measure="r2").fit(X, y)
    assert by_f.ranking_.tolist() == by_share.ranking_.tolist()
    np.testing.assert_allclose(by_f.pvalues_, by_share.pvalues_, rtol=1e-6, atol=1e-300)
    assert 0 <= by_share.scores_.min() <= by_share.scores_.max() <= 1


def test_messages_name_the_parameter_of_this_selector():
    X = np.random.default_rng(0).normal(size=(30, 4))
    with pytest.raises(ValueError, match=r'measure="pearson" needs a numeric target.*3 classes'):
        Univariate(2, measure="pearson").fit(X, np.arange(30) % 3)

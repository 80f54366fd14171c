"""P-values of relevances from permuted targets."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse, stats

from tests.measures import DISCRETE
from tests.naive import permutation as naive
from thresher import Univariate

SEED = 5


def orders_of(random_state, n_permutations, n_rows):
    seed = int(np.random.RandomState(random_state).randint(np.iinfo(np.int32).max))
    return [
        np.random.default_rng((seed, 5, m)).permutation(n_rows)  # 5: the purpose
        for m in range(n_permutations)
    ]


def pvalues_of(X, y, **parameters):
    options = {"pvalues": "permutation", "n_permutations": 20, "random_state": SEED}
    return Univariate("auto", **options | parameters).fit(X, y).pvalues_


@pytest.fixture
def whole_numbers(rng=None):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 12, size=(14, 6))
    y = rng.integers(0, 3, size=14)
    X[:, 2] += 3 * y
    return X, y


@pytest.mark.filterwarnings("ignore:no feature was selected")
@pytest.mark.parametrize("kind", ["f", "pearson", "spearman"])
def test_they_are_those_of_the_definition(whole_numbers, kind):
    X, y = whole_numbers
    is_nominal = kind == "f"
    target = y if is_nominal else X[:, 2].astype(float) + 0.25
    ranked = target
    if kind == "spearman":
        X2, ranked = 2 * stats.rankdata(X, axis=0), 2 * stats.rankdata(target)
    else:
        X2, ranked = X, target if is_nominal else 4 * target
    expected = naive.pooled_pvalues(
        lambda a, b: naive.share_explained(a, b, is_nominal),
        X2,
        ranked,
        orders_of(SEED, 20, len(y)),
    )
    found = pvalues_of(X, target, measure=kind, target="nominal" if is_nominal else "numeric")
    assert found.tolist() == expected


@pytest.mark.filterwarnings("ignore:no feature was selected")
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("is_nominal", [True, False])
def test_statistics_equal_on_paper_tie_where_tenths_are_no_binary_fractions(seed, is_nominal):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, size=(13, 5))
    y = rng.integers(0, 2 if is_nominal else 7, size=13)
    expected = naive.pooled_pvalues(
        lambda a, b: naive.share_explained(a, b, is_nominal), X, y, orders_of(SEED, 20, 13)
    )
    given = (X / 10 + 0.3, y) if is_nominal else (X / 10 + 0.3, y / 10 - 0.7)
    found = pvalues_of(*given, measure="f" if is_nominal else "pearson")
    assert found.tolist() == expected


@pytest.mark.filterwarnings("ignore:no feature was selected")
def test_tables_of_different_sizes_are_compared_by_their_probability(whole_numbers):
    _, y = whole_numbers
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.integers(0, k, size=60) for k in (2, 3, 5, 8)])
    y = rng.integers(0, 3, size=60)
    X[:, 1] = np.where(rng.random(60) < 0.4, y, X[:, 1])
    expected = naive.pooled_pvalues(
        lambda a, b: round(-np.log(naive.chi_squared_probability(a, b)), 9),
        X,
        y,
        orders_of(SEED, 20, 60),
    )
    assert pvalues_of(X, y, measure="chi2").tolist() == expected


@pytest.mark.filterwarnings("ignore:no feature was selected")
@pytest.mark.parametrize("measure", ["f", "mi"])
def test_layout_threads_and_sparsity_do_not_matter(measure):
    rng = np.random.default_rng(2)
    X = np.where(rng.random((50, 30)) < 0.4, rng.normal(size=(50, 30)), 0.0)
    y = rng.integers(0, 2, size=50)
    expected = pvalues_of(X, y, measure=measure, discretize="mean-sd")
    for other in (np.asfortranarray(X), sparse.csr_array(X), sparse.csc_array(X)):
        found = pvalues_of(other, y, measure=measure, discretize="mean-sd", n_jobs=3)
        assert found.tolist() == expected.tolist()


@pytest.mark.filterwarnings("ignore:no feature was selected")
def test_few_samples_of_binned_features_are_tested_by_permutation_unless_weighted():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 4)), rng.integers(0, 2, size=60)
    for measure in DISCRETE:
        assert Univariate("auto", measure=measure).fit(X, y).pvalue_method_ == "permutation"
    assert Univariate("auto", measure="f").fit(X, y).pvalue_method_ == "analytic"
    weights = np.arange(60) + 1
    assert Univariate("auto", measure="mi").fit(X, y, weights).pvalue_method_ == "analytic"
    # Enough samples of each class for each of eight levels, but not if a class is rare or levels are many.
    many, classes = rng.normal(size=(1700, 4)), np.arange(1700) % 2
    assert Univariate(2, measure="mi").fit(many, classes).pvalue_method_ == "analytic"
    rare = (np.arange(1700) % 10 == 0).astype(int)
    assert Univariate(2, measure="mi").fit(many, rare).pvalue_method_ == "permutation"
    codes = np.c_[rng.integers(0, 9, size=(1700, 3)), np.arange(1700) % 40]
    assert Univariate(2, measure="mi").fit(codes, classes).pvalue_method_ == "permutation"
    with pytest.raises(ValueError, match='with sample_weight use pvalues="analytic"'):
        Univariate(2, pvalues="permutation").fit(X, y, weights)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:no feature was selected")
def test_information_selects_on_no_more_nulls_than_it_says():
    n_sets, n_selecting = 200, 0
    for seed in range(n_sets):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(100, 60)), rng.integers(0, 2, size=100)
        found = Univariate("auto", measure="mi", alpha=0.2, random_state=seed, discretize="mean-sd")
        n_selecting += len(found.fit(X, y).selected_) > 0
    assert n_selecting / n_sets <= 0.2 + 2 * (0.2 * 0.8 / n_sets) ** 0.5


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"pvalues": "bootstrap"}, "pvalues must be one of"),
        ({"n_permutations": 5}, "n_permutations must be a whole number of at least 20, got 5"),
    ],
)
def test_bad_parameters_get_one_sentence(parameters, message):
    with pytest.raises(ValueError, match=message):
        pvalues_of(np.eye(6), [0, 1] * 3, **parameters)

"""The criteria of three-way counts against their published formulas."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

import thresher
from thresher.selectors.criteria import documented

from .naive.measures_discrete import measure, three_way
from .naive.three_way import greedy_accumulate

pytestmark = pytest.mark.filterwarnings("ignore:y has")

# Class -> term of two features and the class, and how terms make a score.
FORMULAS = {
    "JMI": ("joint", "sum"),
    "JMIM": ("joint", "smallest"),
    "CMIM": ("conditional", "smallest-and-relevance"),
    "DISR": ("disr", "sum"),
    "CIFE": ("interaction", "minus-sum"),
    "ICAP": ("interaction", "minus-positive-sum"),
}


def random_problem(seed):
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(6, 14)), 6
    X = rng.integers(0, rng.integers(2, 4), size=(n, p))
    y = rng.integers(0, rng.integers(2, 4), size=n)
    y[:2] = 0, 1
    y = np.unique(y, return_inverse=True)[1]
    X[0] = 0
    return X, y, np.ptp(X, axis=0) > 0


def naive_terms(X, y):
    """Return relevances, and for each kind the table of terms."""
    levels = X.max(axis=0) + 1
    n_classes = int(y.max()) + 1
    columns = list(zip(X.T, levels, strict=True))
    relevance = [measure(c, y, "mi", k, n_classes) for c, k in columns]
    triples = [[three_way(f, g, y, j, k, n_classes) for f, j in columns] for g, k in columns]
    return relevance, {
        term: [[triple[term] for triple in row] for row in triples]
        for term in ("joint", "conditional", "disr", "interaction")
    }


def test_every_criterion_agrees_with_its_formula_on_random_problems():
    for seed in range(50):
        X, y, varies = random_problem(seed)
        if not varies.any():
            continue
        relevance, terms = naive_terms(X, y)
        n_select = int(varies.sum())
        for name, (term, accumulation) in FORMULAS.items():
            expected, scores = greedy_accumulate(
                relevance, terms[term], n_select, accumulation, candidates=varies
            )
            for strategy in ("lazy", "naive"):
                criterion = getattr(thresher, name)(n_select, strategy=strategy).fit(X, y)
                assert criterion.selected_.tolist() == expected, name
                assert criterion.scores_[expected].tolist() == scores, name


def test_real_data_agree_with_the_formulas(load_real):
    X, y = load_real("lung_small")
    X = X[:, :25]
    relevance, terms = naive_terms(X.astype(int) // 2 + 1, np.unique(y, return_inverse=True)[1])
    for name, (term, accumulation) in FORMULAS.items():
        expected, scores = greedy_accumulate(relevance, terms[term], 12, accumulation)
        criterion = getattr(thresher, name)(12).fit(X, y)
        assert criterion.selected_.tolist() == expected, name
        assert criterion.scores_[expected].tolist() == scores, name


def test_mim_ranks_by_relevance_alone():
    X, y, varies = random_problem(5)
    relevance = naive_terms(X, y)[0]
    selector = thresher.MIM(int(varies.sum())).fit(X, y)
    expected = sorted(np.flatnonzero(varies), key=lambda f: (-relevance[f], f))
    assert selector.selected_.tolist() == expected
    assert selector.n_evaluations_ == 0


def test_lazy_cmim_evaluates_a_fraction(load_real):
    X, y = load_real("leukemia")
    lazy, naive = (thresher.CMIM(20, strategy=s).fit(X, y) for s in ("lazy", "naive"))
    assert lazy.selected_.tolist() == naive.selected_.tolist()
    assert lazy.n_evaluations_ < naive.n_evaluations_ / 20


@pytest.mark.parametrize("name", ["MIM", *FORMULAS])
def test_first_feature_is_the_most_relevant(name):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    selector = getattr(thresher, name)(3).fit(X, y)
    assert selector.selected_[0] == np.argmax(selector.relevance_)
    assert selector.trace_["score"][0] == selector.relevance_.max()
    assert selector.bins_.rule == "mean-sd"
    left = next(f for f in X.columns if f not in selector.get_feature_names_out())
    assert "relevance" in selector.reason(left)


def test_classes_can_be_named_and_rows_and_columns_permuted():
    X, y = load_breast_cancer(return_X_y=True)
    expected = thresher.JMI(5).fit(X, y)
    named = thresher.JMI(5).fit(X, np.where(y == 1, "benign", "malignant"))
    assert named.selected_.tolist() == expected.selected_.tolist()
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(len(y)), rng.permutation(X.shape[1])
    moved = thresher.JMI(5).fit(X[rows][:, columns], y[rows])
    np.testing.assert_array_equal(moved.trace_["score"], expected.trace_["score"])


def test_kept_features_come_first():
    X, y = load_breast_cancer(return_X_y=True)
    for name in ("MIM", "JMI", "CMIM"):
        selector = getattr(thresher, name)(4, keep=[3, 1], exclude=[27]).fit(X, y)
        assert selector.selected_[:2].tolist() == [3, 1]
        assert 27 not in selector.selected_
        assert len(selector.selected_) == 4


def test_weights_count_as_repeats():
    X, y, varies = random_problem(8)
    weights = np.random.default_rng(1).integers(1, 4, size=len(y))
    k = int(varies.sum())
    for name in FORMULAS:
        weighted = getattr(thresher, name)(k).fit(X, y, sample_weight=weights)
        repeated = getattr(thresher, name)(k).fit(
            np.repeat(X, weights, axis=0), np.repeat(y, weights)
        )
        np.testing.assert_array_equal(weighted.scores_, repeated.scores_, err_msg=name)


def test_strategy_is_checked():
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.raises(ValueError, match="strategy must be one of 'lazy', 'naive', got 'scan'"):
        thresher.JMI(strategy="scan").fit(X, y)


@pytest.mark.parametrize("indent", ["", "    "])
def test_docstrings_are_completed_whether_python_indents_them_or_not(indent):
    text = f"What it does.\n\n{indent}Examples\n{indent}--------\n{indent}>>> 1\n{indent}1\n"
    completed = documented(type("Criterion", (), {"__doc__": text})).__doc__
    assert completed.startswith("What it does.\n\nParameters\n----------\nn_features_to_select")
    assert completed.endswith("\n\nExamples\n--------\n>>> 1\n1\n")
    assert documented(type("Criterion", (), {"__doc__": None})).__doc__ is None

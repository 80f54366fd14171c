"""CFS as a user sees it: worked examples, reference implementations, counts on real data."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes

from thresher import CFS, ThresherWarning

from .naive.cfs import cfs_best_first, cfs_forward, merit
from .naive.measures_discrete import measure

EXAMPLE = ["0000111122", "0000111011", "0011001111", "0101010110", "1111111111", "0000010110"]
X = np.array([list(column) for column in EXAMPLE], dtype=int).T
Y = np.array(list("0000010111"), dtype=int)
STRATEGIES = ("lazy", "cached", "naive")


def tables(X, y, name="su"):
    """Return relevances, and redundancies of all pairs, of columns coded 0, 1, ..."""
    levels = X.max(axis=0) + 1
    columns = X.T
    n_classes = int(y.max()) + 1
    relevance = [measure(c, y, name, k, n_classes) for c, k in zip(columns, levels, strict=True)]
    redundancy = [
        [measure(a, b, name, j, k) if a is not b else 0.0 for b, k in zip(columns, levels, strict=True)]
        for a, j in zip(columns, levels, strict=True)
    ]  # fmt: skip
    return relevance, redundancy


def random_problem(seed, n_features=8):
    """Return eight binary or ternary columns of few rows: ties everywhere."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 14))
    X = rng.integers(0, rng.integers(2, 4), size=(n, n_features))
    y = rng.integers(0, 2, size=n)
    y[:2] = 0, 1
    X[0] = 0
    return X, y, np.ptp(X, axis=0) > 0


@pytest.mark.parametrize(("strategy", "n_evaluations"), [("lazy", 1), ("cached", 7)])
def test_worked_example(strategy, n_evaluations):
    selector = CFS(strategy=strategy).fit(X, Y)
    assert selector.selected_.tolist() == [5, 0]
    np.testing.assert_allclose(
        selector.scores_[[5, 0]], [0.601195525902, 0.674238570323], atol=1e-12
    )
    assert selector.merit_ == selector.scores_[0]
    assert selector.n_evaluations_ == n_evaluations


def test_worked_example_of_best_first():
    selector = CFS(search="best-first").fit(X, Y)
    assert selector.selected_.tolist() == [5, 0]  # by falling relevance
    assert selector.merit_ == pytest.approx(0.674238570323, abs=1e-12)


def test_every_strategy_returns_the_result_of_the_definition():
    for seed in range(80):
        X, y, varies = random_problem(seed)
        if not varies.any():
            continue
        expected, merits = cfs_forward(*tables(X, y), candidates=varies)
        for strategy in STRATEGIES:
            if not expected:
                with pytest.warns(ThresherWarning, match="no feature"):
                    selector = CFS(strategy=strategy).fit(X, y)
            else:
                selector = CFS(strategy=strategy).fit(X, y)
            assert selector.selected_.tolist() == expected
            assert selector.scores_[expected].tolist() == merits


@pytest.mark.parametrize(
    "options", [{}, {"locally_predictive": True}, {"zero_as_one": True}], ids=str
)
def test_best_first_agrees_with_the_reference_implementation(options):
    naive_options = {"zero_to_one" if k == "zero_as_one" else k: v for k, v in options.items()}
    for seed in range(40):
        X, y, varies = random_problem(3000 + seed, 6)
        relevance, redundancy = tables(X, y)
        if not max(relevance) > 0:
            continue
        expected = cfs_best_first(relevance, redundancy, candidates=varies, **naive_options)[0]
        selector = CFS(search="best-first", **options).fit(X, y)
        by_relevance = sorted(expected, key=lambda f: (-relevance[f], f))
        assert selector.selected_.tolist() == by_relevance


def test_locally_predictive_step_after_forward_search():
    for seed in range(40):
        X, y, varies = random_problem(5000 + seed)
        relevance, redundancy = tables(X, y)
        if not max(relevance) > 0:
            continue
        expected = cfs_forward(relevance, redundancy, candidates=varies)[0]
        others = sorted(
            set(np.flatnonzero(varies)) - set(expected), key=lambda f: (-relevance[f], f)
        )
        for f in others:
            if not any(redundancy[f][g] > relevance[f] for g in expected):
                expected.append(int(f))
        selector = CFS(locally_predictive=True).fit(X, y)
        assert selector.selected_.tolist() == expected


COUNTS = {
    "colon": (17, 3068, 33847),
    "leukemia": (28, 27345, 197554),
    "lymphoma": (190, 571696, 746795),
}


@pytest.mark.parametrize("name", COUNTS)
def test_counts_of_the_thesis_data(load_real, name):
    X, y = load_real(name)
    n_selected, lazy, cached = COUNTS[name]
    first = CFS().fit(X, y)
    second = CFS(strategy="cached").fit(X, y)
    assert first.selected_.tolist() == second.selected_.tolist()
    assert len(first.selected_) == n_selected
    assert second.n_evaluations_ == cached
    assert lazy <= first.n_evaluations_ <= 1.005 * lazy


def test_selection_on_colon(load_real):
    X, y = load_real("colon")
    order = [764, 512, 1422, 1581, 1971, 248, 1771, 1670, 1324]
    order += [896, 1411, 1380, 1472, 285, 1345, 466, 1916]
    selector = CFS().fit(X, y)
    assert selector.selected_.tolist() == order
    assert selector.merit_ == pytest.approx(0.499569, abs=5e-7)
    best_first = CFS(search="best-first").fit(X, y)
    # Results of the package fast-select 0.3.0.
    peer = [142, 248, 285, 466, 512, 764, 896, 1152, 1324, 1345]
    peer += [1380, 1411, 1422, 1472, 1581, 1670, 1770, 1771, 1916, 1971]
    assert sorted(best_first.selected_.tolist()) == peer
    assert best_first.merit_ == pytest.approx(0.499907, abs=5e-7)


def test_real_data_agree_with_the_definition(load_real):
    X, y = load_real("lung_small")
    codes = X[:, :40].astype(int) // 2 + 1
    relevance, redundancy = tables(codes, np.unique(y, return_inverse=True)[1])
    expected, merits = cfs_forward(relevance, redundancy)
    selector = CFS().fit(X[:, :40], y)
    assert selector.selected_.tolist() == expected
    assert selector.scores_[expected].tolist() == merits


def test_regression_form_uses_absolute_correlations():
    X, y = load_diabetes(return_X_y=True)
    selector = CFS(measure="pearson").fit(X, y)
    correlation = np.abs(np.corrcoef(np.column_stack([X, y]).T))
    expected, merits = cfs_forward(
        correlation[-1, :-1].tolist(), correlation.tolist(), candidates=[True] * 10
    )
    assert selector.selected_.tolist() == expected
    np.testing.assert_allclose(selector.scores_[expected], merits, atol=1e-10)


def test_continuous_columns_are_cut_by_mdl_by_default():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    selector = CFS().fit(X, y)
    assert selector.bins_.rule == "mdl"
    assert selector.bins_.is_binned.all()
    no_cut = X.columns[selector.relevance_ == 0].tolist()
    assert "texture error" in no_cut
    assert selector.reason("texture error").startswith("irrelevant: relevance 0")


def test_a_requested_number_ends_the_search_early():
    X, y = load_breast_cancer(return_X_y=True)
    whole = CFS().fit(X, y).selected_.tolist()
    assert CFS(3).fit(X, y).selected_.tolist() == whole[:3]
    with pytest.warns(ThresherWarning, match="no other feature raises the merit"):
        assert CFS(len(whole) + 2).fit(X, y).selected_.tolist() == whole


def test_kept_features_come_first():
    X, y, varies = random_problem(12)
    relevance, redundancy = tables(X, y)
    kept = [int(np.flatnonzero(varies)[-1])]
    expected = cfs_forward(relevance, redundancy, candidates=varies, kept=kept)[0]
    selector = CFS(keep=kept).fit(X, y)
    assert selector.selected_.tolist() == expected
    assert selector.merit_ == merit(expected, relevance, redundancy)


def test_weights_count_as_repeats():
    X, y, _ = random_problem(31)
    weights = np.random.default_rng(0).integers(1, 4, size=len(y))
    weighted = CFS().fit(X, y, sample_weight=weights)
    repeated = CFS().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_array_equal(weighted.scores_, repeated.scores_)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"search": "backward"}, "search must be one of"),
        ({"strategy": "scan"}, "strategy must be one of"),
        ({"measure": "mi"}, "measure must be one of"),
        (
            {"search": "best-first", "n_features_to_select": 3},
            'must be "auto" with search="best-first"',
        ),
        ({"zero_as_one": True}, 'zero_as_one is for search="best-first"'),
    ],
)
def test_bad_parameters_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        CFS(**options).fit(X, Y)

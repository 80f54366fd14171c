"""Maps of redundancies, paths and false selections."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer

from thresher import GSO, MRMR, Ensemble
from thresher.evaluate import probe_fdr, redundancy_map
from thresher.measures import symmetrical_uncertainty
from thresher.plots import (
    plot_false_selections,
    plot_path,
    plot_redundancy,
    plot_tradeoff,
    plot_votes,
)

mpl.use("Agg")


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True, as_frame=True)


def test_the_map_contains_the_redundancy_of_every_pair_of_features(cancer):
    X, y = cancer
    found = redundancy_map(MRMR(6).fit(X, y), X, n_left=5)
    expected = np.corrcoef(X.to_numpy()[:, found.features].T) ** 2
    np.testing.assert_allclose(found.values, expected, atol=1e-9)
    assert found.measure == "squared correlation"
    assert len(found.features) == len(set(found.features.tolist())) == 11


def test_codes_are_compared_by_information():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (50, 6))
    found = redundancy_map(MRMR(3).fit(X, X[:, 0]), X)
    assert found.measure == "symmetrical uncertainty"
    for i, a in enumerate(found.features):
        for j, b in enumerate(found.features):
            expected = symmetrical_uncertainty(X[:, a], X[:, b])
            assert found.values[i, j] == pytest.approx(expected, abs=1e-9)
    thin = redundancy_map(MRMR(3).fit(sparse.csr_matrix(X), X[:, 0]), sparse.csr_matrix(X))
    np.testing.assert_array_equal(thin.values, found.values)


def test_sparse_numbers_are_compared_like_dense_ones():
    rng = np.random.default_rng(0)
    X = np.where(rng.random((80, 6)) < 0.4, rng.normal(size=(80, 6)), 0)
    selector = MRMR(3).fit(X, np.arange(80) % 2)
    found = redundancy_map(selector, X)
    thin = redundancy_map(selector, sparse.csr_matrix(X))
    assert thin.measure == "squared correlation"
    np.testing.assert_allclose(thin.values, found.values, atol=1e-9)
    X[3, selector.selected_[0]] = np.nan
    with_gap = redundancy_map(selector, sparse.csc_matrix(X))
    np.testing.assert_array_equal(with_gap.values, redundancy_map(selector, X).values)


def test_constant_and_excluded_features_are_not_on_the_map(cancer):
    X, y = cancer
    X = X.assign(same=1.0)
    found = redundancy_map(MRMR(4, exclude=["worst radius"]).fit(X, y), X, n_left=30)
    names = set(X.columns[found.features])
    assert not {"same", "worst radius"} & names
    assert len(names) == 29
    assert redundancy_map(MRMR(2).fit(X.iloc[:, :2], y), X.iloc[:, :2]) is None


def test_the_picture_of_the_map_marks_what_was_selected(cancer):
    X, y = cancer
    selector = MRMR(4).fit(X, y)
    ax = plot_redundancy(selector, X, n_left=3)
    found = redundancy_map(selector, X, n_left=3)
    np.testing.assert_array_equal(ax.get_images()[0].get_array(), found.values)
    bold = {t.get_text() for t in ax.get_yticklabels() if t.get_fontweight() == "bold"}
    assert bold == set(X.columns[selector.selected_])
    with pytest.raises(ValueError, match="at least three features"):
        plot_redundancy(MRMR(1).fit(X.iloc[:, :2], y), X.iloc[:, :2])


def test_the_path_shows_the_scores_of_the_steps(cancer):
    X, y = cancer
    selector = MRMR(5).fit(X, y)
    ax = plot_path(selector)
    np.testing.assert_array_equal(ax.get_lines()[0].get_xdata(), selector.trace_["score"])
    assert ax.get_yticklabels()[0].get_text() == f"{X.columns[selector.selected_[0]]}  1"
    with pytest.raises(ValueError, match="Ensemble has no score per step"):
        plot_path(Ensemble(MRMR(2), 5).fit(X, y))


def test_names_are_not_formulas():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(40, 4)), columns=["$\\frac", "$a$", "x_1", "a\nb"])
    y = X.iloc[:, 0] > 0
    selector = MRMR(3).fit(X, y)
    votes = plot_votes(Ensemble(MRMR(3), 5).fit(X, y))
    for ax in (plot_path(selector), plot_redundancy(selector, X), votes, plot_tradeoff(selector)):
        ax.figure.canvas.draw()
        named = (
            ax.get_xticklabels() if "order of choice" in ax.get_xlabel() else ax.get_yticklabels()
        )
        assert len(named) >= 3
        assert not any(text.get_parse_math() or "\n" in text.get_text() for text in named)


def test_false_selections_have_a_line_for_each_selector(cancer):
    X, y = cancer
    found = probe_fdr({"GSO": GSO()}, X, y, n_repeats=3, n_steps=5, random_state=0)
    ax = plot_false_selections(found)
    lines = {line.get_label(): line.get_ydata() for line in ax.get_lines()}
    for name, mean in found.mean_false_selected.items():
        np.testing.assert_array_equal(lines[name], mean)
    np.testing.assert_array_equal(lines["random columns only"], np.arange(1, 6))

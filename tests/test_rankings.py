"""Fisher score, Laplacian score, SPEC and the Relief family."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.feature_selection import f_classif

from tests.examples import examples
from tests.naive import dispersion as naive_dispersion
from tests.naive import rankings as naive
from tests.test_naive_rankings import Y, Z
from thresher import (
    SPEC,
    FisherScore,
    LaplacianScore,
    MultiSURF,
    Relief,
    ReliefF,
    ThresherWarning,
)
from thresher.measures import anova_f

Y3 = [0, 0, 1, 1, 1, 2]


def data(seed, n=40, p=8, n_classes=3):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    X = rng.normal(size=(n, p)) * 10.0 ** rng.integers(-2, 3, p) + 0.5 * y[:, None]
    return X, y


# --- Fisher


def test_fisher_gives_the_worked_scores_and_ranks_constants_last():
    fitted = FisherScore(2).fit(Z, Y)
    np.testing.assert_allclose(fitted.scores_, [24.025, 0.125, 0, 0], atol=1e-11)
    assert fitted.ranking_.tolist() == [1, 2, 3, 4]
    assert fitted.greater_is_better


@examples(20)
@given(st.integers(0, 2**32 - 1))
def test_fisher_agrees_with_the_definition_and_with_f(seed):
    X, y = data(seed)
    fitted = FisherScore(3).fit(X, y)
    wanted = [naive_dispersion.fisher_score(x.tolist(), y.tolist()) for x in X.T]
    np.testing.assert_allclose(fitted.scores_, wanted, rtol=1e-10)
    n, n_classes = len(y), 3
    np.testing.assert_allclose(
        fitted.scores_ * (n - n_classes) / (n_classes - 1), f_classif(X, y)[0], rtol=1e-9
    )
    thin = FisherScore(3).fit(sparse.csr_matrix(X), y)
    np.testing.assert_allclose(thin.scores_, fitted.scores_, rtol=1e-10)


def test_perfect_separation_is_infinite_and_first():
    X = np.column_stack([[1.0, 2, 3, 4], [0, 0, 5, 5], [0.1] * 4])
    fitted = FisherScore(2).fit(X, ["a", "a", "b", "b"])
    assert fitted.scores_[1] == np.inf
    assert fitted.scores_[2] == 0
    assert fitted.selected_.tolist() == [1, 0]


# --- Laplacian score and SPEC


@pytest.mark.parametrize(
    ("options", "worked"),
    [
        ({"affinity": "binary"}, [0.0599400599, 1.3333333333, 1.5]),
        ({"bandwidth": 10}, [0.0504928503, 1.3853182628, 1.4741347636]),
        ({}, [0.0457382687, 1.4345292519, 1.4492027357]),
    ],
)
def test_laplacian_gives_the_worked_scores(options, worked):
    fitted = LaplacianScore(2, n_neighbors=2, **options).fit(Z)
    np.testing.assert_allclose(fitted.scores_[:3], worked, atol=1e-9)
    assert np.isnan(fitted.scores_[3])
    assert fitted.ranking_.tolist() == [1, 2, 3, 4]
    assert not fitted.greater_is_better
    assert fitted.selected_.tolist() == [0, 1]


@examples(20)
@given(st.integers(0, 2**32 - 1), st.integers(1, 7), st.sampled_from(["heat", "binary", "cosine"]))
def test_laplacian_agrees_with_the_definition(seed, k, affinity):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(25, 5)) + 1
    if seed % 2:
        X = np.round(X)
    if np.ptp(X, axis=0).min() == 0:
        return
    W = naive.neighbour_graph(X, k, affinity)
    wanted = [naive.laplacian_score(x, W) for x in X.T]
    options = {"n_neighbors": k, "affinity": affinity}
    np.testing.assert_allclose(LaplacianScore(2, **options).fit(X).scores_, wanted, atol=1e-9)
    thin = LaplacianScore(2, **options).fit(sparse.csr_array(X))
    np.testing.assert_allclose(thin.scores_, wanted, atol=1e-9)
    given_ = LaplacianScore(2, graph=W).fit(X)
    np.testing.assert_allclose(given_.scores_, wanted, atol=1e-11)
    thin_graph = LaplacianScore(2, graph=sparse.csr_matrix(W)).fit(X)
    np.testing.assert_allclose(thin_graph.scores_, wanted, atol=1e-11)


def test_spec_gives_the_worked_scores():
    options = {"n_neighbors": 2, "affinity": "binary"}
    phi1 = SPEC(2, form="phi1", **options).fit(Z)
    np.testing.assert_allclose(phi1.scores_, [0.0253164557, 0.6666666667, 0.06, 0], atol=1e-9)
    assert phi1.ranking_.tolist() == [1, 3, 2, 4]  # the constant last, though its score is best
    phi3 = SPEC(2, form="phi3", n_eigenvectors=2, **options).fit(Z)
    np.testing.assert_allclose(phi3.scores_, [0.8109704641, 0.1111111111, 0, 0], atol=1e-9)
    assert (phi1.greater_is_better, phi3.greater_is_better) == (False, True)


@examples(15)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["heat", "product"]))
def test_spec_agrees_with_all_eigenvectors(seed, affinity):
    rng = np.random.default_rng(seed)
    X = rng.random(size=(20, 5))
    W = X @ X.T / 2 if affinity == "product" else naive.neighbour_graph(X, 5, "heat")
    for form in ["phi1", "phi2", "phi3"]:
        wanted = [naive.spec(x, W, form) for x in X.T]
        fitted = SPEC(2, form=form, affinity=affinity).fit(X)
        np.testing.assert_allclose(fitted.scores_, wanted, atol=1e-9)
        thin = SPEC(2, form=form, affinity=affinity).fit(sparse.csc_matrix(X))
        np.testing.assert_allclose(thin.scores_, wanted, atol=1e-9)
    laplacian = LaplacianScore(2).fit(X)
    if affinity == "heat":
        assert np.array_equal(SPEC(2, form="phi2").fit(X).scores_, laplacian.scores_)


def test_spec_on_classes_is_the_fisher_score():
    X, y = data(3)
    spec = SPEC(2, affinity="classes").fit(X, y)
    np.testing.assert_allclose(1 / spec.scores_ - 1, FisherScore(2).fit(X, y).scores_, rtol=1e-8)


def test_a_cut_inside_an_eigenspace_includes_all_of_it():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 6))
    W = np.kron(np.eye(6), np.ones((5, 5)))  # eigenvalue 0 six times, 1 twenty-four times
    rows = rng.permutation(30)
    for n_eigenvectors in (2, 4, 6, 9):
        options = {"form": "phi3", "n_eigenvectors": n_eigenvectors}
        fitted = SPEC(2, graph=W, **options).fit(X)
        assert len(fitted.eigenvalues_) == (5 if n_eigenvectors <= 6 else 29)
        wanted = [naive.spec(x, W, "phi3", n_eigenvectors) for x in X.T]
        np.testing.assert_allclose(fitted.scores_, wanted, atol=1e-9)
        turned = SPEC(2, graph=W[np.ix_(rows, rows)], n_jobs=2, **options).fit(X[rows])
        np.testing.assert_allclose(turned.scores_, fitted.scores_, atol=1e-9)


@pytest.mark.parametrize(
    ("selector", "words"),
    [
        (SPEC(affinity="product"), r"non-negative values, but column 0 of X"),
        (SPEC(form="phi4"), r"form must be one of"),
        (SPEC(affinity="classes", graph=None), r"requires y"),
        (SPEC(form="phi3", n_eigenvectors=1), r"n_eigenvectors .*at least 2"),
        (LaplacianScore(affinity="product"), r"affinity must be one of"),
        (LaplacianScore(n_neighbors=0), r"n_neighbors .*at least 1"),
        (LaplacianScore(bandwidth=-1), r"bandwidth .*above 0"),
        (LaplacianScore(graph=np.ones((3, 3))), r"graph must have the shape \(40, 40\)"),
        (LaplacianScore(graph=np.triu(np.ones((40, 40)))), r"symmetric"),
        (LaplacianScore(graph=-np.ones((40, 40))), r"at least 0"),
        (LaplacianScore(graph=np.zeros((40, 40))), r"no edge"),
    ],
)
def test_bad_graphs_get_a_one_line_error(selector, words):
    with pytest.raises(ValueError, match=words):
        selector.fit(data(0)[0] - 1e3)


def test_more_neighbours_than_samples_use_all_samples():
    with pytest.warns(ThresherWarning, match=r"n_neighbors=9, but a sample has only 5 others"):
        LaplacianScore(2, n_neighbors=9).fit(Z)


# --- Relief


@pytest.mark.filterwarnings("ignore:n_neighbors")
@pytest.mark.parametrize(
    ("selector", "y", "worked"),
    [
        (Relief(2), Y, [0.5256410256, -1 / 3, -0.5, 0]),
        (ReliefF(2, n_neighbors=1), Y, [0.6282051282, -1 / 3, -1 / 3, 0]),
        (ReliefF(2, n_neighbors=2), Y, [2 / 3, -1 / 3, -1 / 3, 0]),
        (ReliefF(2, n_neighbors=10), Y, [2 / 3, -1 / 9, -2 / 9, 0]),
        (
            ReliefF(2, n_neighbors=2, target="nominal"),
            Y3,
            [0.2957264957, 0.2194444444, 0.0527777778, 0],
        ),
    ],
)
def test_relief_family_gives_the_worked_weights(selector, y, worked):
    fitted = selector.fit(Z, y)
    np.testing.assert_allclose(fitted.scores_, worked, atol=1e-9)
    assert fitted.greater_is_better
    assert fitted.ranking_[3] == 4  # constant, though its weight is not the smallest


def test_fewer_samples_than_neighbours_are_used_and_warned_of():
    with pytest.warns(
        ThresherWarning, match=r"the smallest class, 2, has size 1, so fewer neighbours"
    ):
        ReliefF(2, n_neighbors=2, target="nominal").fit(Z, Y3)


def test_mixed_frames_with_categories_and_missing_values():
    rng = np.random.default_rng(1)
    n = 60
    frame = pd.DataFrame(
        {
            "number": rng.normal(size=n),
            "colour": pd.Categorical(rng.choice(["red", "green", "blue"], n)),
            "whole": rng.integers(0, 5, n),
            "holes": np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n)),
        }
    )
    frame.loc[3:6, "colour"] = None
    y = (frame["number"] > 0).astype(int).to_numpy()
    fitted = ReliefF(2, n_neighbors=4, missing="expected").fit(frame, y)
    numbers = frame.assign(colour=frame["colour"].cat.codes.replace(-1, np.nan)).to_numpy(float)
    wanted = naive.relieff(numbers, y.tolist(), 4, nominal=[False, True, False, False])
    np.testing.assert_allclose(fitted.scores_, wanted, atol=1e-11)
    with pytest.raises(ValueError, match=r"'colour' \(NaN in 4\)"):
        ReliefF().fit(frame, y)
    named = ReliefF(2, n_neighbors=4, missing="expected", categorical_features=["whole"]).fit(
        frame, y
    )
    wanted = naive.relieff(numbers, y.tolist(), 4, nominal=[False, True, True, False])
    np.testing.assert_allclose(named.scores_, wanted, atol=1e-11)


def test_units_do_not_matter_to_relief():
    X, y = data(6)
    for selector in [ReliefF(3), MultiSURF(3)]:
        weights = selector.fit(X, y).scores_
        scaled = selector.fit(X * np.logspace(-6, 6, X.shape[1]), y).scores_
        np.testing.assert_allclose(scaled, weights, atol=1e-9)


def test_extreme_ranges_are_scaled():
    X, y = data(9)
    weights = ReliefF(3).fit(X, y).scores_
    tiny = X.copy()
    tiny[:, 0] = (X[:, 0] - X[:, 0].min()) * (1e-305 / np.ptp(X[:, 0]))
    for selector in [ReliefF(3), MultiSURF(3)]:
        assert np.isfinite(selector.fit(tiny, y).scores_).all()
    np.testing.assert_allclose(ReliefF(3).fit(tiny, y).scores_, weights, atol=1e-6)
    tiny[:, 0] = np.where(y == 0, 0.0, 5e-324)
    assert np.isfinite(ReliefF(3).fit(tiny, y).scores_).all()
    tiny[:3, 1] = [-1.7e308, 1.7e308, 0]
    assert np.isfinite(ReliefF(3).fit(tiny, y).scores_).all()


def test_sampled_rows_follow_the_seed():
    X, y = data(7)
    first = ReliefF(3, n_neighbors=3, n_samples=10, random_state=5).fit(X, y)
    again = ReliefF(3, n_neighbors=3, n_samples=10, random_state=5, n_jobs=3).fit(X, y)
    other = ReliefF(3, n_neighbors=3, n_samples=10, random_state=6).fit(X, y)
    assert np.array_equal(first.scores_, again.scores_)
    assert not np.array_equal(first.scores_, other.scores_)


def test_permuting_samples_and_features_permutes_the_weights():
    X, y = data(8)
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    for selector in [ReliefF(3), MultiSURF(3), LaplacianScore(3), FisherScore(3)]:
        scores = selector.fit(X, y).scores_
        turned = selector.fit(X[rows][:, columns], y[rows]).scores_
        np.testing.assert_allclose(turned, scores[columns], rtol=1e-11, atol=1e-11)


def test_features_that_matter_only_together_are_seen():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(300, 10)).astype(float)
    y = (X[:, 2] != X[:, 7]).astype(int)
    for selector in [ReliefF(2), MultiSURF(2), Relief(2)]:
        assert sorted(selector.fit(X, y).selected_.tolist()) == [2, 7]


@pytest.mark.parametrize("selector", [ReliefF(), Relief(), MultiSURF()])
def test_sparse_data_are_rejected_with_a_selector_that_takes_them(selector):
    with pytest.raises(TypeError, match=r"needs dense X.*use RRFS, FisherScore"):
        selector.fit(sparse.csr_matrix(Z), Y)


def test_numbers_are_ranked_by_rrelieff():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(90, 5))
    y = np.where(X[:, 1] > 0, X[:, 3], -X[:, 3]) + 0.1 * rng.normal(size=90)
    fitted = ReliefF(2, n_neighbors=12).fit(X, y)
    np.testing.assert_allclose(fitted.scores_, naive.rrelieff(X, y.tolist(), 12), atol=1e-11)
    assert fitted.selected_[0] == 3
    whole = np.round(y * 2).astype(int)
    numeric = ReliefF(2, target="numeric").fit(X, whole).scores_
    np.testing.assert_allclose(numeric, naive.rrelieff(X, whole.tolist()), atol=1e-11)
    as_classes = naive.relieff(X, (y > 0).tolist())
    np.testing.assert_allclose(ReliefF(2).fit(X, y > 0).scores_, as_classes, atol=1e-11)
    huge = ReliefF(2, n_neighbors=12).fit(X, y / np.abs(y).max() * 1.7e308)
    np.testing.assert_allclose(huge.scores_, fitted.scores_, atol=1e-9)


def test_rrelieff_sees_numbers_that_matter_only_together():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(300, 10)).astype(float)
    y = 2.0 * (X[:, 2] != X[:, 7]) + rng.normal(size=300) / 4
    assert sorted(ReliefF(2, n_neighbors=30).fit(X, y).selected_.tolist()) == [2, 7]


def test_more_neighbours_than_samples_are_warned_of_with_numbers_too():
    with pytest.warns(ThresherWarning, match=r"n_neighbors=10, but the training set has size 6"):
        ReliefF(2).fit(Z, Z[:, 0] * 1.5)


def test_multisurf_shares_the_priors_among_classes_with_near_misses():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(6), 12)
    X = rng.normal(size=(72, 20))
    X[:, :10] += np.column_stack([y // 2] * 10)  # neighbours are of two classes in six
    fitted = MultiSURF(10).fit(X, y)
    wanted = naive.relieff(X, y.tolist(), multisurf=True)
    np.testing.assert_allclose(fitted.scores_, wanted, atol=1e-11)


def test_relief_is_for_two_classes():
    with pytest.raises(ValueError, match=r"y has 3 classes\. Use ReliefF"):
        Relief().fit(Z, Y3)


# --- Where a known package is right and where it is not. Its numbers were taken from
# skfeature-chappers 1.2.1; benchmarks/peers/agree_skfeature.py recomputes them next to those of thresher.


def test_two_class_relieff_on_scaled_data_agrees_with_skfeature():
    X = np.random.default_rng(0).integers(0, 1000, size=(12, 3)) / 999
    X[0], X[1] = 0, 1
    fitted = ReliefF(2, n_neighbors=2).fit(X, [0, 1] * 6)
    skfeature = [0.0767434100767434, 0.023273273273273276, -0.059893226559893216]
    np.testing.assert_allclose(fitted.scores_, skfeature, atol=1e-11)


def test_three_class_relieff_weighs_by_priors_where_skfeature_divides():
    scaled = (Z[:, :3] - Z[:, :3].min(axis=0)) / np.ptp(Z[:, :3], axis=0)
    with pytest.warns(ThresherWarning):
        ours = ReliefF(2, n_neighbors=1, target="nominal").fit(scaled, Y3).scores_
    np.testing.assert_allclose(ours, naive.relieff(scaled, Y3, 1), atol=1e-11)
    # It divides by P(c) / (1 - P(own class)): weights beyond 1, which no mean of differences can have.
    skfeature = np.array([2.78418803, 2.58333333, 1.83333333])
    assert np.all(skfeature > 1)
    assert np.all(np.abs(ours) <= 1)


def test_spec_ranks_the_smooth_feature_first_where_skfeature_ranks_it_last():
    W = np.kron(np.eye(2), 1 - np.eye(3))
    W[2, 3] = W[3, 2] = 0.5
    fitted = SPEC(1, graph=W).fit(Z[:, :3])
    np.testing.assert_allclose(fitted.scores_, [0.14870216, 1.38461538, 1.5], atol=1e-8)
    assert fitted.ranking_.tolist() == [1, 2, 3]  # skfeature: 0 for the largest score, the third
    phi1 = SPEC(1, form="phi1", graph=W).fit(Z[:, :3])
    np.testing.assert_allclose(phi1.scores_, [0.06175772, 0.69230769, 0.05555556], atol=1e-8)


def test_constants_come_last_where_skfeature_gives_them_the_score_one():
    fitted = LaplacianScore(3, n_neighbors=2, affinity="binary").fit(Z)
    assert fitted.scores_[:3].max() > 1
    assert fitted.ranking_[3] == 4


def test_input_is_left_as_it_was():
    X = np.abs(Z) + 1
    before = X.copy()
    for selector in [LaplacianScore(2), LaplacianScore(2, affinity="cosine"), SPEC(2)]:
        selector.fit(X)
    assert np.array_equal(X, before)


# --- F of every column


@examples(25)
@given(st.integers(0, 2**32 - 1), st.sampled_from([np.float32, np.float64, np.int32]))
def test_f_is_the_same_from_rows_columns_and_sparse(seed, dtype):
    rng = np.random.default_rng(seed)
    n, p, n_classes = int(rng.integers(8, 600)), int(rng.integers(1, 9)), int(rng.integers(2, 5))
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    X = (rng.normal(size=(n, p)) * 3 + 2 + 0.1 * y[:, None]).astype(dtype)
    if np.ptp(X.astype(float), axis=0).min() == 0:
        return
    wanted = f_classif(X.astype(float), y)[0]
    for form in [X, np.asfortranarray(X), sparse.csr_matrix(X), X[:, ::-1][:, ::-1]]:
        np.testing.assert_allclose(anova_f(form, y), wanted, rtol=1e-8, atol=1e-8)
    np.testing.assert_array_equal(anova_f(X, y, n_jobs=3), anova_f(X, y))


def test_f_of_constant_and_of_separated_columns():
    X = np.column_stack([[0.1] * 6, [0.1, 0.1, 0.1, 0.7, 0.7, 0.7], [1.0, 2, 3, 4, 5, 6]])
    for form in [X, np.asfortranarray(X)]:
        found = anova_f(form, [0, 0, 0, 1, 1, 1])
        np.testing.assert_allclose(found, [0, 4e12, 13.5], rtol=1e-11)
    assert FisherScore(2).fit(X, [0, 0, 0, 1, 1, 1]).scores_[1] == np.inf


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_f_rejects_values_that_are_not_finite(value):
    X = np.ones((6, 3)) * np.arange(6)[:, None]
    X[4, 1] = value
    for form in [X, np.asfortranarray(X)]:
        with pytest.raises(ValueError, match="contains NaN or infinity"):
            anova_f(form, [0, 0, 0, 1, 1, 1])


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint64, np.int64])
def test_labels_of_any_integer_type_are_distinguished(dtype):
    X = np.arange(12.0).reshape(6, 2) ** 2
    info = np.iinfo(dtype)
    labels = np.array([info.max, info.min, info.max, info.min, info.max - 1, info.min], dtype=dtype)
    near = np.array([info.min, info.min + 120, info.min, info.min + 120, info.min + 3, info.min])
    for y in [labels, near.astype(dtype)]:
        expected = anova_f(X, np.unique(y, return_inverse=True)[1])
        np.testing.assert_array_equal(anova_f(X, y), expected)
        assert FisherScore(1).fit(X, y).n_features_in_ == 2

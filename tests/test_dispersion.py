"""Dispersion measures, class separation, similarities and the walk of the core."""

from __future__ import annotations

import statistics
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from tests.examples import examples
from tests.naive import dispersion as naive
from tests.naive import measures_numeric as exact
from thresher import RFS, _core

pytestmark = pytest.mark.kernels

MEASURES = ["variance", "mad", "mean-median", "iqr", "amgm"]


def csc(columns):
    """Return the arrays of a (features, rows) table compressed by features."""
    matrix = sparse.csr_matrix(columns)
    return matrix.data, matrix.indices, matrix.indptr.astype(np.int64), columns.shape[1]


def sparse_table(columns):
    values, rows, starts, n = csc(columns)
    return _core.SparseTable(starts, rows, values, n)


def dense_similarity(columns, measure, missing="error", n_threads=1):
    table = _core.NumericTable(columns, missing=missing, n_threads=n_threads)
    return _core.NumericPairMeasure(table, measure, n_threads)


@st.composite
def tables(draw):
    """Return (features, rows) with ties, zeros, constants and wide scales."""
    n = draw(st.integers(2, 40))
    p = draw(st.integers(1, 5))
    kind = draw(st.sampled_from(["whole", "sparse", "real"]))
    if kind == "real":
        seed = draw(st.integers(0, 2**32 - 1))
        rng = np.random.default_rng(seed)
        return rng.normal(size=(p, n)) * 10.0 ** rng.integers(-4, 4, size=(p, 1)) + rng.normal()
    values = draw(arrays(np.int8, (p, n), elements=st.integers(-3, 3)))
    if kind == "sparse":
        values = np.where(draw(arrays(np.bool_, (p, n))), values, 0)
    return values.astype(float)


@examples(60)
@given(tables(), st.sampled_from(MEASURES))
def test_dispersion_agrees_with_the_definition(columns, measure):
    wanted = [naive.relevance(x, measure) for x in columns]
    found = _core.dispersion(columns, measure)
    scale = np.abs(columns).max(axis=1) + 1
    np.testing.assert_allclose(found, wanted, rtol=2e-11, atol=1e-14 * scale.max())
    sparse_found = _core.dispersion_sparse(*csc(columns), measure)
    np.testing.assert_allclose(sparse_found, found, rtol=4e-12, atol=1e-14 * scale.max())


@examples(40)
@given(tables(), st.data())
def test_separation_agrees_with_the_definition(columns, data):
    n = columns.shape[1]
    n_classes = data.draw(st.integers(2, min(4, n)))
    rest = data.draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n))
    classes = np.array([*range(n_classes), *rest][:n], dtype=np.int32)
    for measure in ["fisher", "fir"] if n_classes == 2 else ["fisher"]:
        wanted = [getattr(exact, measure)(x, classes) for x in columns]
        target = (measure, classes, n_classes)
        by_rows = np.ascontiguousarray(columns.T)
        assert _core.separation(columns, *target).tolist() == wanted
        assert _core.separation_rows(by_rows, *target).tolist() == wanted
        assert sparse_table(columns).relevance_of_classes(*target).tolist() == wanted
        assert _core.NumericTable(columns).relevance_of_classes(*target).tolist() == wanted


@pytest.mark.parametrize("exponent", [-1074, -1000, -560, 1000])
@pytest.mark.parametrize("n", [3, 11, 16, 40])
def test_separation_of_classes_does_not_depend_on_the_unit(n, exponent):
    """The mean of up to 16 rows is exact, so squares that vanish look like those of a constant column."""
    rng = np.random.default_rng(n)
    columns, classes = rng.integers(-9, 40, (20, n)).astype(float), np.arange(n, dtype=np.int32) % 2
    columns[0] = 3
    for measure in ("fisher", "fir", "f"):
        wanted = _core.separation(columns, measure, classes, 2).tolist()
        scaled = np.ldexp(columns, exponent)
        assert _core.separation(scaled, measure, classes, 2).tolist() == wanted
        by_rows = np.ascontiguousarray(scaled.T)
        assert _core.separation_rows(by_rows, measure, classes, 2).tolist() == wanted
        found = sparse_table(scaled).relevance_of_classes(measure, classes, 2).tolist()
        assert found == wanted


@examples(40)
@given(tables(), st.sampled_from(["cosine", "pearson", "mici"]))
def test_similarity_agrees_with_the_definition(columns, measure):
    features = np.arange(len(columns), dtype=np.uint32)
    wanted = [getattr(exact, measure)(columns[0], x) for x in columns]
    dense = dense_similarity(columns, measure)
    assert dense.values(0, features).ravel().tolist() == wanted
    thin = _core.SparsePairMeasure(sparse_table(columns), measure)
    assert thin.values(0, features).ravel().tolist() == wanted


def test_mici_lies_between_squared_and_absolute_correlation():
    rng = np.random.default_rng(3)
    columns = rng.normal(size=(60, 30)) * 10.0 ** rng.uniform(-3, 3, size=(60, 1))
    features = np.arange(60, dtype=np.uint32)
    rho = dense_similarity(columns, "pearson").values(0, features)
    mici = dense_similarity(columns, "mici").values(0, features)
    assert np.all(rho**2 <= mici + 1e-11)
    assert np.all(mici <= rho + 1e-11)


def test_columns_of_one_repeated_tenth_have_no_dispersion():
    columns = np.full((3, 7), 0.1)
    for measure in MEASURES:
        assert _core.dispersion(columns, measure).tolist() == [0.0] * 3
    assert np.array_equal(_core.dispersion(columns, "am/gm"), [1.0] * 3)


def test_wide_values_do_not_overflow_the_logarithmic_ratio():
    columns = np.array([[0.0, 1e5, 2e5], [-1e300, 0.0, 1e300], [1e-200, 2e-200, 4e-200]])
    found = _core.dispersion(columns, "amgm")
    assert found[0] == pytest.approx(1e5 - np.log(3), rel=1e-12)
    assert found[1] == pytest.approx(1e300, rel=1e-12)
    assert found[2] >= 0


LARGEST, SMALLEST = np.finfo(float).max, 5e-324
EXTREMES = {
    "the largest": [[1, 1, -1, 1, 1, -1], [1, 0.5, 0.25, 1, 0.5, 1], [-1, -1, -1, 1, 1, 1]],
    "near them": [
        [0.3, 0.1, -0.4, 0.9, 0.7, -0.6],
        [0, 0, 0.5, 0, 0, 0.9],
        [-0.2, 0.8, 0, 0, 0.1, 0.4],
    ],
}


def extreme_columns():
    """Return columns at the ends of double precision, some with ordinary or small values among them."""
    large = [np.array(x) * LARGEST for columns in EXTREMES.values() for x in columns]
    small = [np.array(x) * SMALLEST for x in ([1, 2, 4, 7, 1, 0], [-3.0, 2, 1, 9, 5, 5])]
    mixed = [
        np.array(x)
        for x in (
            [1e300, 1e-300, 2, 3, 5, 1],
            [LARGEST, SMALLEST, 1, 2, 3, 4],
            [1e154, -1e154, 2e154, 1e154, 3e153, 1e150],
            [1e-160, 2e-160, 3e-160, 5e-160, 1e-160, 0],
        )
    ]
    return np.array([*large, *small, *mixed])


def exact_dispersion(x, measure):
    """Compute in rational numbers; infinite beyond the largest double."""
    x = [Fraction(v) for v in x]
    mean, middle = sum(x) / len(x), sorted(x)[2:4]
    value = {
        "variance": sum((v - mean) ** 2 for v in x) / len(x),
        "mad": sum(abs(v - mean) for v in x) / len(x),
        "mean-median": abs(mean - sum(middle) / 2),
        "iqr": naive.quantile(x, Fraction(3, 4)) - naive.quantile(x, Fraction(1, 4)),
    }[measure]
    return float(value) if value < Fraction(LARGEST) else np.inf


@pytest.mark.parametrize("measure", ["variance", "mad", "mean-median", "iqr"])
def test_dispersions_of_extreme_columns_are_those_of_the_definition(measure):
    columns = extreme_columns()
    wanted = [exact_dispersion(x, measure) for x in columns]
    np.testing.assert_allclose(_core.dispersion(columns, measure), wanted, rtol=1e-11)
    np.testing.assert_allclose(_core.dispersion_sparse(*csc(columns), measure), wanted, rtol=1e-11)


def test_ratios_of_means_of_extreme_columns_are_finite():
    x = np.array([[1, 0.5, 0.25, 1, 0.5, 1]])
    small = np.array([[1.0, 2, 4, 7, 1, 3]])
    for factor in (1e-300, LARGEST):
        ratio = _core.dispersion(x * factor, "am/gm")
        np.testing.assert_allclose(ratio, _core.dispersion(x, "am/gm"), rtol=1e-11)
    assert _core.dispersion(small * SMALLEST, "amgm") == 0
    halves = _core.dispersion(small * 1e-150, "variance") / 2
    np.testing.assert_allclose(_core.dispersion(small * 1e-150, "amgm"), halves, rtol=1e-11)
    expected = LARGEST * float(x.max() - x.mean())
    np.testing.assert_allclose(_core.dispersion(x * LARGEST, "amgm"), expected, rtol=1e-11)


@pytest.mark.parametrize("measure", ["fisher", "fir", "f", "r2"])
def test_separation_by_extreme_columns_agrees_with_the_definition(measure):
    columns = extreme_columns()
    classes = np.array([0, 1, 0, 1, 1, 0], dtype=np.int32)
    function = {"f": exact.f_statistic, "r2": exact.one_way_r2}.get(measure)
    wanted = [(function or getattr(exact, measure))(x, classes) for x in columns]
    target = (measure, classes, 2)
    assert _core.separation(columns, *target).tolist() == wanted
    assert _core.separation_rows(np.ascontiguousarray(columns.T), *target).tolist() == wanted
    assert sparse_table(columns).relevance_of_classes(*target).tolist() == wanted
    assert _core.NumericTable(columns).relevance_of_classes(*target).tolist() == wanted


def test_separation_by_columns_that_are_not_finite_is_nan():
    columns = np.array([[1, np.nan, 2, 3], [LARGEST, np.inf, 1, 2], [-np.inf, np.inf, 1, 2]])
    for kind in ("fisher", "fir", "f"):
        assert np.isnan(_core.separation(columns, kind, np.arange(4, dtype=np.int32) % 2, 2)).all()


@pytest.mark.parametrize("measure", [*MEASURES, "am/gm"])
def test_dispersions_of_columns_that_are_not_finite_end(measure):
    """Another thread may make data non-finite after they were checked."""
    gap = [1.0, 2.0, np.nan, 3.0]
    columns = np.array([[1.0, 2.0, 3.0, np.inf], [-np.inf, 1.0, 2.0, np.inf], gap])
    assert _core.dispersion(columns, measure).shape == (3,)


def test_tiny_spread_gives_half_the_variance():
    columns = 5 + 1e-6 * np.random.default_rng(0).normal(size=(4, 50))
    half = _core.dispersion(columns, "variance") / 2
    np.testing.assert_allclose(_core.dispersion(columns, "amgm"), half, rtol=1e-5)


@pytest.mark.parametrize("size", [0.0, 1.0, 1e3])
def test_the_rounding_of_the_mean_leaves_the_variance_exact(size):
    X = size + 1e-7 * np.random.default_rng(0).normal(size=(12, 30))
    X[0] = size
    wanted = [statistics.pvariance(column) for column in X.T.tolist()]
    for rows in (X, sparse.csc_matrix(X)):
        found = RFS(1, relevance="variance").fit(rows).relevance_
        np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_single_precision_input_is_read_as_double():
    columns = (1e4 + 1e-2 * np.random.default_rng(0).normal(size=(5, 4000))).astype(np.float32)
    for measure in MEASURES:
        assert np.array_equal(
            _core.dispersion(columns, measure), _core.dispersion(columns.astype(float), measure)
        )


def test_missing_values_are_left_out_column_by_column():
    rng = np.random.default_rng(1)
    columns = rng.normal(size=(6, 30))
    columns[rng.random(columns.shape) < 0.2] = np.nan
    columns[5, 1:] = np.nan
    for measure in MEASURES:
        wanted = [naive.relevance(x[~np.isnan(x)], measure) for x in columns]
        found = _core.dispersion(columns, measure, skip_missing=True)
        np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-15)
        assert found[5] == 0
    both = ~np.isnan(columns[0]) & ~np.isnan(columns[1])
    for measure in ["cosine", "pearson", "mici"]:
        similarity = dense_similarity(columns, measure, missing="pairwise")
        found = similarity.values(0, np.array([1], dtype=np.uint32))[0, 0]
        assert found == getattr(exact, measure)(columns[0, both], columns[1, both])


@pytest.mark.parametrize("n", [1000, 1001, 4096])
@pytest.mark.parametrize("shape", ["normal", "heavy", "steps", "two values"])
def test_medians_and_quartiles_of_long_columns(n, shape):
    rng = np.random.default_rng(n)
    x = {
        "normal": lambda: rng.normal(size=n),
        "heavy": lambda: rng.standard_cauchy(size=n) ** 3,
        "steps": lambda: np.round(rng.normal(size=n), 1),
        "two values": lambda: (rng.random(n) < 0.3).astype(float),
    }[shape]()
    found = _core.dispersion(x[None], "mean-median")[0]
    assert found == pytest.approx(abs(x.mean() - np.median(x)), rel=1e-9)
    quartiles = np.quantile(x, [0.25, 0.75])
    assert _core.dispersion(x[None], "iqr")[0] == pytest.approx(quartiles[1] - quartiles[0])


@examples(40)
@given(
    tables(),
    st.sampled_from(["cosine", "pearson"]),
    st.sampled_from(["last", "all"]),
    st.sampled_from([0.3, 0.8, 1.0]),
    st.integers(1, 5),
    st.sampled_from([1, 3]),
)
def test_walk_agrees_with_the_listing(columns, measure, against, limit, m, n_threads):
    relevance = _core.dispersion(columns, "variance")
    order = [i for i in naive.ranked(relevance.tolist()) if relevance[i] > 0]
    if limit == 1.0:  # copies may come out as 1 or a rounding below it
        return
    wanted, met = naive.rrfs(columns.T, relevance.tolist(), m, limit, measure, against=against)
    walk = _core.redundancy_walk(
        dense_similarity(columns, measure, n_threads=n_threads),
        np.array(order, dtype=np.uint32),
        relevance,
        max_kept=m,
        max_similarity=limit,
        against_all=against == "all",
        n_threads=n_threads,
    )
    if any(abs(value - limit) < 1e-7 for value in met):
        return
    assert walk.kept.tolist() == wanted
    assert walk.n_evaluations == len(met)

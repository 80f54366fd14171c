"""Continuous features: transposition, Pearson, cosine, F, Spearman."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests.naive import measures_numeric as naive
from thresher import _core

STEP = 2.0**-40


def features(p):
    return np.arange(p, dtype=np.uint32)


def matrix_of(table, kind="pearson"):
    """All pairs, (p, p) or (e, p, p)."""
    measure = _core.NumericPairMeasure(table, kind)
    p = table.n_features
    values = np.stack([measure.values(g, features(p)) for g in range(p)], axis=1)
    return np.moveaxis(values, 2, 0)


def assert_on_grid(values):
    scaled = np.asarray(values) * 2.0**40
    np.testing.assert_array_equal(scaled, np.round(scaled))


def assert_same_to_a_step(actual, expected):
    """Equal but for a rounding boundary that lies between two nearly equal numbers."""
    np.testing.assert_allclose(actual, expected, rtol=0, atol=STEP)
    assert_on_grid(actual)


X_SHEET = np.array([1, 2, 3, 4, 5, 7.0])
W_SHEET = np.array([2, 1, 4, 3, 7, 5.0])
CLASSES_SHEET = np.array([0, 0, 0, 1, 1, 1], dtype=np.int32)
ROUND_ROBIN = np.array([0, 1, 2, 0, 1, 2], dtype=np.int32)


def test_worked_example_of_the_correlation_and_its_leave_outs():
    matrix = np.array([X_SHEET, W_SHEET])
    assert matrix_of(_core.NumericTable(matrix))[0, 0, 1] == pytest.approx(0.742857, abs=5e-7)
    leave_outs = matrix_of(_core.NumericTable(matrix, ROUND_ROBIN))[:, 0, 1]
    assert leave_outs == pytest.approx([0.706547, 0.877876, 0.833052], abs=5e-7)


def test_worked_example_of_f_and_its_leave_outs():
    matrix = np.array([X_SHEET, W_SHEET])
    assert _core.NumericTable(matrix).relevance_f(CLASSES_SHEET, 2)[0] == 10
    leave_outs = _core.NumericTable(matrix, ROUND_ROBIN).relevance_f(CLASSES_SHEET, 2)[:, 0]
    assert leave_outs == pytest.approx([9.8, 3.769231, 18], abs=5e-7)


@pytest.mark.parametrize("offset", [0.0, 1e6, 1e8, 1e9, 1e12])
def test_a_common_offset_does_not_move_the_correlation(offset):
    table = _core.NumericTable(np.array([X_SHEET, W_SHEET]) + offset)
    assert matrix_of(table)[0, 0, 1] == naive.pearson(X_SHEET, W_SHEET)


tables = hnp.arrays(
    np.float64,
    st.tuples(st.integers(2, 3), st.integers(2, 24)),
    elements=st.one_of(
        st.integers(-3, 3).map(float), st.floats(-1e3, 1e3, allow_subnormal=False, width=32)
    ),
)


@settings(max_examples=40, deadline=None)
@given(tables, st.data())
def test_pairs_and_relevances_match_the_twin(matrix, data):
    p, n = matrix.shape
    table = _core.NumericTable(matrix)
    classes = np.array(
        data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)), dtype=np.int32
    )
    target = matrix[0] * 3.0 + classes
    for kind, twin in (("pearson", naive.pearson), ("cosine", naive.cosine)):
        assert_same_to_a_step(
            matrix_of(table, kind)[0], [[twin(a, b) for b in matrix] for a in matrix]
        )
        relevance = getattr(table, f"relevance_{kind}")(target)
        assert_same_to_a_step(relevance, [twin(a, target) for a in matrix])
    expected = [naive.f_statistic(a, classes) for a in matrix]
    np.testing.assert_allclose(table.relevance_f(classes, 3), expected, rtol=1e-7, atol=1e-10)
    ranks = _core.RankPairMeasure(matrix)
    for g in range(p):
        expected = [[naive.spearman(a, matrix[g])] for a in matrix]
        assert_same_to_a_step(ranks.values(g, features(p)), expected)


@settings(max_examples=40, deadline=None)
@given(tables, st.data())
def test_leave_one_part_out_matches_the_twin_on_the_rows_kept(matrix, data):
    n = matrix.shape[1]
    parts = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), dtype=np.int32)
    parts[0] = 3
    classes = np.arange(n, dtype=np.int32) % 2
    table = _core.NumericTable(matrix, parts)
    replicates = naive.left_out(parts)
    assert table.n_replicates == 4
    for kind, twin in (("pearson", naive.pearson), ("cosine", naive.cosine)):
        values = matrix_of(table, kind)
        for kept, value in zip(replicates, values, strict=True):
            expected = [[twin(a, b, kept=kept) for b in matrix] for a in matrix]
            assert_same_to_a_step(value, expected)
    relevance = table.relevance_f(classes, 2)
    for i, kept in enumerate(replicates):
        expected = [naive.f_statistic(a, classes, kept=kept) for a in matrix]
        np.testing.assert_allclose(relevance[i], expected, rtol=1e-7, atol=1e-10)
        constant = [len(set(a[kept].tolist())) < 2 for a in matrix]
        np.testing.assert_array_equal(table.constant_parts[i], constant)


def test_a_measure_keeps_its_table_and_its_array():
    matrix = np.random.default_rng(0).normal(size=(5, 100))
    expected = matrix_of(_core.NumericTable(matrix))[0]
    measure = _core.NumericPairMeasure(_core.NumericTable(matrix.copy()), "pearson")
    gc.collect()
    waste = [np.ones((5, 100)) for _ in range(50)]
    assert len(waste) == 50
    np.testing.assert_array_equal(measure.values(0, features(5))[:, 0], expected[0])

"""Packed tables, scans and the discrete measures against their naive twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from tests.naive import measures_discrete as naive
from tests.naive.rounding import XLogX, round_grid, shift_for, xlogx_fixed
from thresher import _core

MEASURES = ("mi", "su", "nmi", "chi2")
TERMS = ("joint", "conditional", "disr", "interaction")


def all_features(table) -> np.ndarray:
    return np.arange(table.n_features, dtype=np.uint32)


def naive_values(codes, levels, reference, measure, xlogx=None):
    """Rows of the table are the feature with the lower number."""
    values = []
    for f in range(len(codes)):
        a, b = min(f, reference), max(f, reference)
        values.append(naive.measure(codes[a], codes[b], measure, levels[a], levels[b], xlogx))
    return np.array(values)


def random_codes(rng, n, levels):
    return np.stack([rng.integers(0, k, n) for k in levels]).astype(np.uint8)


@st.composite
def problems(draw):
    n = draw(st.sampled_from([1, 2, 3, 5, 17, 63, 64, 65, 130, 300]))
    levels = draw(
        st.lists(st.sampled_from([1, 2, 3, 4, 8, 9, 10, 30, 256]), min_size=1, max_size=5)
    )
    n_classes = draw(st.sampled_from([1, 2, 3, 9, 40]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    codes = random_codes(rng, n, levels)
    y = rng.integers(0, n_classes, n).astype(np.int32)
    return codes, np.array(levels, dtype=np.int32), y, n_classes, rng


# --- the fixed-point table ---


@pytest.mark.parametrize("n", [1, 2, 3, 4, 16, 17, 62, 72, 1000, 16384, 16385, 10**6, 2**40])
def test_xlogx_is_correctly_rounded(n):
    shift = shift_for(n)
    assert _core.xlogx_shift(n) == shift
    rng = np.random.default_rng(n)
    counts = np.unique(
        np.concatenate([np.arange(min(n, 200) + 1), rng.integers(0, n + 1, 300), [n]])
    )
    computed = _core.xlogx(n, counts.astype(np.int64))
    assert computed.tolist() == [xlogx_fixed(int(c), shift) for c in counts]


def test_xlogx_gives_the_same_bits_from_the_table_and_without_it():
    counts = np.arange(16384, dtype=np.int64)
    shift = _core.xlogx_shift(16384)
    tabled = _core.xlogx(16384, counts)
    doubled = _core.xlogx(16384, counts * 2)
    assert [2 * (int(v) + (int(c) << shift)) for c, v in zip(counts, tabled, strict=True)] == (
        pytest.approx(doubled.tolist(), abs=2)
    )


# --- measures ---


@settings(max_examples=60, deadline=None)
@given(problems())
def test_values_equal_the_naive_twin(problem):
    codes, levels, y, n_classes, _ = problem
    table = _core.CodedTable.from_codes(codes, levels)
    xlogx = XLogX(codes.shape[1])
    for measure in MEASURES:
        pairs = _core.DiscretePairMeasure(table, measure, 1)
        reference = len(codes) // 2
        values = pairs.values(reference, all_features(table))[:, 0]
        assert values.tolist() == naive_values(codes, levels, reference, measure, xlogx).tolist()
        relevance = table.relevance(y, n_classes, measure, 1)
        expected = [
            naive.measure(codes[f], y, measure, levels[f], n_classes, xlogx)
            for f in range(len(codes))
        ]
        assert relevance.tolist() == expected


@settings(max_examples=40, deadline=None)
@given(problems())
def test_three_way_terms_equal_the_naive_twin(problem):
    codes, levels, y, n_classes, _ = problem
    table = _core.CodedTable.from_codes(codes, levels)
    xlogx = XLogX(codes.shape[1])
    reference = len(codes) // 2
    expected = [
        naive.three_way(codes[f], codes[reference], y, k, levels[reference], n_classes, xlogx)
        for f, k in enumerate(levels)
    ]
    for term in TERMS:
        measure = _core.ThreeWayMeasure(table, y, n_classes, term, 1)
        values = measure.values(reference, all_features(table))[:, 0]
        assert values.tolist() == [e[term] for e in expected]


@settings(max_examples=40, deadline=None)
@given(problems(), st.integers(1, 6))
def test_replicates_are_the_values_on_the_kept_rows(problem, n_parts):
    codes, levels, y, n_classes, rng = problem
    n = codes.shape[1]
    parts = rng.integers(0, n_parts, n).astype(np.int32)
    parts[0] = n_parts - 1
    table = _core.CodedTable.from_codes(codes, levels, parts)
    assert table.n_parts == n_parts
    xlogx = XLogX(n)
    reference = 0
    for measure in MEASURES:
        pairs = _core.DiscretePairMeasure(table, measure, 1)
        assert pairs.n_replicates == n_parts
        values = pairs.values(reference, all_features(table))
        relevance = table.relevance(y, n_classes, measure, 1)
        assert relevance.shape == (n_parts, len(codes))
        for r in range(n_parts):
            kept = parts != r
            expected = naive_values(codes[:, kept], levels, reference, measure, xlogx)
            assert values[:, r].tolist() == expected.tolist()
            assert relevance[r].tolist() == [
                naive.measure(codes[f][kept], y[kept], measure, levels[f], n_classes, xlogx)
                for f in range(len(codes))
            ]
    for term in TERMS:
        triples = _core.ThreeWayMeasure(table, y, n_classes, term, 1)
        values = triples.values(reference, all_features(table))
        for r in range(n_parts):
            kept = parts != r
            expected = [
                naive.three_way(
                    codes[f][kept], codes[0][kept], y[kept], k, levels[0], n_classes, xlogx
                )[term]
                for f, k in enumerate(levels)
            ]
            assert values[:, r].tolist() == expected
    constant = [[len(set(column[parts != r])) <= 1 for column in codes] for r in range(n_parts)]
    assert table.constant_parts.tolist() == constant


@settings(max_examples=40, deadline=None)
@given(problems(), st.integers(1, 5))
def test_counts_of_parts_add_up_to_the_counts_of_all_rows(problem, n_parts):
    codes, levels, y, n_classes, rng = problem
    parts = rng.integers(0, n_parts, codes.shape[1]).astype(np.int32)
    whole = _core.CodedTable.from_codes(codes, levels)
    split = _core.CodedTable.from_codes(codes, levels, parts)
    for f in range(len(codes)):
        expected = naive.contingency(codes[f], codes[0], levels[f], levels[0])
        assert whole.counts(f, 0).tolist() == expected.tolist()
        assert split.counts(f, 0).sum(axis=0).tolist() == expected.tolist()
        per_part = split.counts_with(f, y, n_classes)
        for part in range(split.n_parts):
            rows = parts == part
            expected = naive.contingency(codes[f][rows], y[rows], levels[f], n_classes)
            assert per_part[part].tolist() == expected.tolist()
        assert split.codes(f).tolist() == codes[f].tolist()


@settings(max_examples=30, deadline=None)
@given(problems())
def test_missing_codes_are_left_out_pair_by_pair(problem):
    codes, levels, y, n_classes, rng = problem
    levels = np.minimum(levels, 255)
    codes = np.minimum(codes, levels[:, None] - 1).astype(np.uint8)
    missing = rng.random(codes.shape) < 0.3
    marked = np.where(missing, 255, codes).astype(np.uint8)
    plain = np.where(missing, -1, codes.astype(int))
    table = _core.CodedTable.from_codes(marked, levels, missing_code=255)
    xlogx = XLogX(codes.shape[1])
    for measure in MEASURES:
        pairs = _core.DiscretePairMeasure(table, measure, 1)
        values = pairs.values(0, all_features(table))[:, 0]
        assert values.tolist() == naive_values(plain, levels, 0, measure, xlogx).tolist()
        expected = [
            naive.measure(plain[f], y, measure, levels[f], n_classes, xlogx)
            for f in range(len(codes))
        ]
        assert table.relevance(y, n_classes, measure, 1).tolist() == expected
    for term in TERMS:
        triples = _core.ThreeWayMeasure(table, y, n_classes, term, 1)
        expected = [
            naive.three_way(plain[f], plain[0], y, k, levels[0], n_classes, xlogx)[term]
            for f, k in enumerate(levels)
        ]
        assert triples.values(0, all_features(table))[:, 0].tolist() == expected
    assert table.matrix().tolist() == marked.tolist()


@settings(max_examples=40, deadline=None)
@given(problems())
def test_whole_weights_are_repeated_rows(problem):
    codes, levels, y, n_classes, rng = problem
    weights = rng.integers(0, 4, codes.shape[1])
    weights[0] = 1
    weighted = _core.CodedTable.from_codes(codes, levels, weights=weights)
    repeated = _core.CodedTable.from_codes(
        np.ascontiguousarray(np.repeat(codes, weights, axis=1)), levels
    )
    y_repeated = np.repeat(y, weights)
    for measure in MEASURES:
        a = _core.DiscretePairMeasure(weighted, measure, 1).values(0, all_features(weighted))
        b = _core.DiscretePairMeasure(repeated, measure, 1).values(0, all_features(weighted))
        assert a.tolist() == b.tolist()
        assert (
            weighted.relevance(y, n_classes, measure, 1).tolist()
            == repeated.relevance(y_repeated, n_classes, measure, 1).tolist()
        )
    for term in TERMS:
        a = _core.ThreeWayMeasure(weighted, y, n_classes, term, 1)
        b = _core.ThreeWayMeasure(repeated, y_repeated, n_classes, term, 1)
        features = all_features(weighted)
        assert a.values(0, features).tolist() == b.values(0, features).tolist()
    assert weighted.constant.tolist() == repeated.constant.tolist()


@settings(max_examples=20, deadline=None)
@given(problems())
def test_real_weights_follow_the_formula(problem):
    codes, levels, y, n_classes, rng = problem
    weights = rng.random(codes.shape[1]) + 0.01
    table = _core.CodedTable.from_codes(codes, levels, weights=weights)
    values = table.relevance(y, n_classes, "mi", 1)
    for f in range(len(codes)):
        expected = naive.real_weight_mi(codes[f], y, weights, levels[f], n_classes)
        assert values[f] == pytest.approx(expected, abs=1e-11)
        assert values[f] == round_grid(values[f])


# --- builders ---


def sample_table(rng, n=130, p=70, low=-2, high=3):
    return rng.integers(low, high, (n, p))


@pytest.mark.parametrize(
    "dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]
)
def test_every_type_and_order_gives_the_same_table(dtype):
    rng = np.random.default_rng(5)
    X = sample_table(rng, low=0, high=5).astype(dtype)
    expected = [naive.ranks_of_values(column) for column in X.T]
    backwards = np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1]
    strided = np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3]
    locked = X.copy()
    locked.flags.writeable = False
    for array in (X, np.asfortranarray(X), backwards, strided, locked):
        table = _core.CodedTable.from_dense(array)
        assert table.matrix().tolist() == [codes.tolist() for codes, _ in expected]
        assert table.levels.tolist() == [len(values) for _, values in expected]
        assert table.level_values(3).tolist() == expected[3][1].tolist()


def test_truth_values_are_two_levels():
    X = np.array([[True, False], [False, False], [True, False]])
    table = _core.CodedTable.from_dense(X)
    assert table.levels.tolist() == [2, 1]
    assert table.constant.tolist() == [False, True]
    assert table.codes(0).tolist() == [1, 0, 1]


@pytest.mark.parametrize("n", [1, 63, 64, 65, 200])
@pytest.mark.parametrize("make", [sparse.csc_array, sparse.csr_array])
@pytest.mark.parametrize("with_parts", [False, True])
def test_sparse_tables_equal_dense_ones(n, make, with_parts):
    rng = np.random.default_rng(n)
    X = rng.integers(-1, 3, (n, 70)) * (rng.random((n, 70)) < 0.4)
    X[:, 0] = 7
    X[:, 1] = np.arange(n) % 30
    X[:, 2] = 0
    S = make(X.astype(float))
    S.data[S.data == 2] = 0.0
    X = np.where(X == 2, 0, X)
    parts = rng.integers(0, 3, n).astype(np.int32) if with_parts else None
    table = _core.CodedTable.from_sparse(
        S.indptr, S.indices, S.data, *S.shape, make is sparse.csc_array, parts
    )
    dense = _core.CodedTable.from_dense(X, parts)
    assert table.matrix().tolist() == dense.matrix().tolist()
    assert table.levels.tolist() == dense.levels.tolist()
    assert table.counts(1, 5).tolist() == dense.counts(1, 5).tolist()
    scan = _core.scan_sparse(S.indptr, S.indices, S.data, *S.shape, make is sparse.csc_array)
    expected = _core.scan_columns(X.astype(float))
    assert {k: v.tolist() for k, v in scan.items()} == {k: v.tolist() for k, v in expected.items()}


def test_missing_values_are_refused_by_column_number():
    X = np.zeros((4, 3))
    X[2, 1] = np.nan
    with pytest.raises(ValueError, match="column 1 has missing values"):
        _core.CodedTable.from_dense(X)


def test_missing_values_can_be_a_last_level_or_left_out():
    X = np.array([[0.0, 5.0], [np.nan, 5.0], [2.0, np.nan], [0.0, np.nan]])
    table = _core.CodedTable.from_dense(X, missing="category")
    assert table.matrix().tolist() == [[0, 2, 1, 0], [0, 0, 1, 1]]
    assert table.constant.tolist() == [False, False]
    table = _core.CodedTable.from_dense(X, missing="pairwise")
    assert table.matrix().tolist() == [[0, 255, 1, 0], [0, 0, 255, 255]]
    assert table.constant.tolist() == [False, True]
    assert table.counts(0, 1).tolist() == [[1], [0]]


def test_too_many_levels_are_refused_by_column_number():
    X = np.zeros((300, 20))
    X[:, 17] = np.arange(300)
    with pytest.raises(ValueError, match="column 17 has more than 256 levels"):
        _core.CodedTable.from_dense(X)
    table = _core.CodedTable.from_dense(X[:256])
    assert table.levels[17] == 256
    assert table.codes(17).tolist() == list(range(256))


def test_large_whole_numbers_stay_distinct():
    X = np.array([[2**62], [2**62 + 1], [2**62]])
    assert _core.CodedTable.from_dense(X).codes(0).tolist() == [0, 1, 0]


# --- invariances ---


def test_the_order_of_rows_does_not_matter():
    rng = np.random.default_rng(3)
    X = sample_table(rng)
    order = rng.permutation(len(X))
    y = rng.integers(0, 3, len(X)).astype(np.int32)
    a, b = _core.CodedTable.from_dense(X), _core.CodedTable.from_dense(X[order])
    for measure in MEASURES:
        assert a.relevance(y, 3, measure).tolist() == b.relevance(y[order], 3, measure).tolist()


def test_the_number_of_threads_does_not_matter():
    rng = np.random.default_rng(4)
    X = sample_table(rng, n=300, p=3000)
    y = rng.integers(0, 3, 300).astype(np.int32)
    tables = [_core.CodedTable.from_dense(X, n_threads=k) for k in (1, 7)]
    assert np.array_equal(tables[0].matrix(), tables[1].matrix(None, 7))
    for measure in MEASURES:
        one, seven = (t.relevance(y, 3, measure, k) for t, k in zip(tables, (1, 7), strict=True))
        assert np.array_equal(one, seven)
        one, seven = (
            _core.DiscretePairMeasure(t, measure, k).values(5, all_features(t))
            for t, k in zip(tables, (1, 7), strict=True)
        )
        assert np.array_equal(one, seven)


@pytest.mark.parametrize("name", ["lung_small", "colon"])
def test_real_data_equals_the_naive_twin(load_real, name):
    X, y = load_real(name)
    _, y = np.unique(y, return_inverse=True)
    y = y.astype(np.int32)
    n_classes = int(y.max()) + 1
    table = _core.CodedTable.from_dense(X)
    codes = [naive.ranks_of_values(column)[0] for column in X.T[:60]]
    xlogx = XLogX(len(X))
    for measure in MEASURES:
        relevance = table.relevance(y, n_classes, measure)
        expected = [naive.measure(c, y, measure, int(c.max()) + 1, n_classes, xlogx) for c in codes]
        assert relevance[:60].tolist() == expected


# --- scans ---


@pytest.mark.parametrize("dtype", ["i1", "i2", "i8", "u1", "u8", "f4", "f8"])
def test_scan_describes_every_column(dtype):
    rng = np.random.default_rng(6)
    X = rng.integers(0, 9, (100, 90)).astype(dtype)
    X[:, 3] = rng.integers(0, 120, 100)
    X[:, 4] = 5
    X[:, 5] = np.arange(100) % 11
    X[:, 6] = np.arange(100) % 10 * 12
    if dtype[0] == "f":
        X[7, 7] = np.nan
        X[:, 8] = np.nan
        X[3, 9] = np.inf
        X[4, 9] = -np.inf
        X[50, 10] = 0.5
    backwards = np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1]
    for array in (X, np.asfortranarray(X), backwards):
        for n_threads in (1, 3):
            scan = _core.scan_columns(array, n_threads)
            for f, column in enumerate(X.T.astype(float)):
                there = column[~np.isnan(column)]
                assert scan["n_missing"][f] == np.isnan(column).sum()
                assert scan["n_infinite"][f] == np.isinf(column).sum()
                whole = bool(np.all(np.isfinite(there)) and np.all(there == np.floor(there)))
                assert scan["whole"][f] == whole
                if len(there):
                    assert scan["minimum"][f] == there.min()
                    assert scan["maximum"][f] == there.max()
                else:
                    assert np.isnan(scan["minimum"][f])
                assert scan["n_distinct"][f] == (min(len(set(there)), 11) if whole else 11)

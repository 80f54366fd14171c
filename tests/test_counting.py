"""Packed tables, scans and the discrete measures against their naive reference implementations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.measures import DISCRETE
from tests.naive import measures_discrete as naive
from tests.naive.rounding import XLogX, round_grid, shift_for, xlogx_fixed
from thresher import _core
from thresher._core import _testing

pytestmark = pytest.mark.kernels

MEASURES = DISCRETE
TERMS = ("joint", "conditional", "disr", "interaction")


def all_features(table) -> np.ndarray:
    return np.arange(table.n_features, dtype=np.uint32)


def naive_values(codes, levels, reference, measure, xlogx=None):
    """Return the values; rows of the table are the feature with the lower number."""
    values = []
    for f in range(len(codes)):
        a, b = min(f, reference), max(f, reference)
        values.append(naive.measure(codes[a], codes[b], measure, levels[a], levels[b], xlogx))
    return np.array(values)


def random_codes(rng, n, levels):
    return np.stack([rng.integers(0, k, n) for k in levels]).astype(np.uint8)


@st.composite
def problems(draw, largest=300, most_levels=256):
    n = draw(st.sampled_from([k for k in (1, 2, 3, 5, 17, 63, 64, 65, 130, 300) if k <= largest]))
    some = [k for k in (1, 2, 3, 4, 8, 9, 10, 30, 256) if k <= most_levels]
    levels = draw(st.lists(st.sampled_from(some), min_size=1, max_size=5))
    n_classes = draw(st.sampled_from([1, 2, 3, 9, 40]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    codes = random_codes(rng, n, levels)
    y = rng.integers(0, n_classes, n).astype(np.int32)
    return codes, np.array(levels, dtype=np.int32), y, n_classes, rng


# --- the fixed-point table ---


@pytest.mark.parametrize("n", [1, 2, 3, 4, 16, 17, 62, 72, 1000, 16384, 16385, 10**6, 2**40])
def test_xlogx_is_correctly_rounded(n):
    shift = shift_for(n)
    assert _testing.xlogx_shift(n) == shift
    rng = np.random.default_rng(n)
    counts = np.unique(
        np.concatenate([np.arange(min(n, 200) + 1), rng.integers(0, n + 1, 300), [n]])
    )
    computed = _testing.xlogx(n, counts.astype(np.int64))
    assert computed.tolist() == [xlogx_fixed(int(c), shift) for c in counts]


def test_xlogx_gives_the_same_bits_from_the_table_and_without_it():
    counts = np.arange(16384, dtype=np.int64)
    shift = _testing.xlogx_shift(16384)
    tabled = _testing.xlogx(16384, counts)
    doubled = _testing.xlogx(16384, counts * 2)
    assert [2 * (int(v) + (int(c) << shift)) for c, v in zip(counts, tabled, strict=True)] == (
        pytest.approx(doubled.tolist(), abs=2)
    )


# --- measures ---


@examples(40)
@given(problems())
def test_values_equal_the_naive_reference_implementation(problem):
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


@pytest.mark.parametrize("n", [1, 5, 64, 65, 128, 129, 500, 512, 513, 1000, 1024, 1025])
def test_columns_of_up_to_eight_levels_agree_whatever_their_length(n):
    rng = np.random.default_rng(n)
    levels = np.array([2, 3, 4, 5, 6, 7, 8, 9, 8, 8], dtype=np.int32)
    codes = random_codes(rng, n, levels)
    codes[-1] = np.where(rng.random(n) < 0.5, codes[6], codes[-1])
    table = _core.CodedTable.from_codes(codes, levels)
    pairs = _core.DiscretePairMeasure(table, "su", 1)
    every = np.arange(len(levels), dtype=np.uint32)
    for reference in every:
        values = pairs.values(int(reference), every)[:, 0]
        expected = naive_values(codes, levels, reference, "su", XLogX(n))
        assert values.tolist() == expected.tolist()


@examples(25)
@given(problems())
def test_three_way_terms_equal_the_naive_reference_implementation(problem):
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


@examples(20)
@given(problems(largest=130, most_levels=30), st.integers(1, 4))
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


@examples(25)
@given(problems(), st.integers(1, 5))
def test_counts_of_parts_add_up_to_the_counts_of_all_rows(problem, n_parts):
    codes, levels, y, n_classes, rng = problem
    parts = rng.integers(0, n_parts, codes.shape[1]).astype(np.int32)
    whole = _core.CodedTable.from_codes(codes, levels)
    split = _core.CodedTable.from_codes(codes, levels, parts)
    for f in range(len(codes)):
        expected = naive.contingency(codes[f], codes[0], levels[f], levels[0])
        assert _testing.counts(whole, f, 0).tolist() == expected.tolist()
        assert _testing.counts(split, f, 0).sum(axis=0).tolist() == expected.tolist()
        per_part = _testing.counts_with(split, f, y, n_classes)
        for part in range(split.n_parts):
            rows = parts == part
            expected = naive.contingency(codes[f][rows], y[rows], levels[f], n_classes)
            assert per_part[part].tolist() == expected.tolist()
        assert split.codes(f).tolist() == codes[f].tolist()


@examples(20)
@given(problems(largest=130))
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


@examples(25)
@given(problems())
def test_integer_weights_are_repeated_rows(problem):
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


@examples(20)
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


# --- invariances ---


def sample_table(rng, n=130, p=70, low=-2, high=3):
    return rng.integers(low, high, (n, p))


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
def test_real_data_equals_the_naive_reference_implementation(load_real, name):
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


@pytest.mark.parametrize("measure", MEASURES)
def test_a_search_with_threads_sees_the_same_values(measure):
    rng = np.random.default_rng(8)
    X = rng.integers(0, 4, (3000, 60))
    y = rng.integers(0, 3, 3000).astype(np.int32)
    table = _core.CodedTable.from_dense(X)
    relevance = table.relevance(y, 3, measure)
    results = []
    for n_threads in (1, 7):
        pairs = _core.DiscretePairMeasure(table, measure, n_threads)
        results.append(pairs.values(5, all_features(table)).tolist())
        results.append(_core.greedy_forward(pairs, relevance, 20).result().selected)
    assert results[0] == results[2]
    assert np.array_equal(results[1], results[3])


def test_many_classes_are_counted():
    rng = np.random.default_rng(9)
    X = rng.integers(0, 4, (700, 5)).astype(np.int8)
    y = rng.permutation(700).astype(np.int32) // 2
    table = _core.CodedTable.from_dense(X)
    xlogx = XLogX(700)
    for measure in MEASURES:
        expected = [naive.measure(column, y, measure, 4, 350, xlogx) for column in X.T]
        assert table.relevance(y, 350, measure).tolist() == expected

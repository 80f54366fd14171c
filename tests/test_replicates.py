"""Replicates of a measure, one at a time or summed."""

from __future__ import annotations

import numpy as np
import pytest

from tests.measures import DISCRETE, ON_GRID
from thresher import _core
from thresher._core import _testing


@pytest.fixture
def tables():
    rng = np.random.default_rng(0)
    values = rng.integers(0, 1000, size=(4, 60, 60)) * 2.0**-40
    return values + values.transpose(0, 2, 1)


@pytest.mark.parametrize("limit", [0, 1, 40_000])
def test_views_share_one_computation_per_pair_whatever_the_memory(tables, limit):
    cache = _core.ReplicateCache(_testing.MatrixMeasure(tables), memory_limit=limit)
    views = [_core.ReplicateView(cache, i) for i in range(4)]
    assert views[0].n_replicates == 1
    rng = np.random.default_rng(1)
    requested = set()
    for _ in range(200):
        i, reference = int(rng.integers(4)), int(rng.integers(60))
        features = rng.permutation(60)[: rng.integers(1, 60)].astype(np.uint32)
        requested |= {frozenset((reference, int(f))) for f in features}
        values = views[i].values(reference, features)
        np.testing.assert_array_equal(values[:, 0], tables[i, reference, features])
    assert cache.full == (limit > 0)
    assert (cache.n_computed == len(requested)) == (limit == 0)
    assert cache.n_computed >= len(requested)
    assert cache.n_distinct == len(requested)


def test_a_pair_has_two_values_if_the_measure_is_not_symmetric():
    tables = np.random.default_rng(2).random((3, 40, 40))
    measure = _testing.MatrixMeasure(tables)
    assert not measure.is_symmetric
    cache = _core.ReplicateCache(measure)
    features = np.arange(40, dtype=np.uint32)
    for reference in range(40):
        for i in range(3):
            values = _core.ReplicateView(cache, i).values(reference, features)
            np.testing.assert_array_equal(values[:, 0], tables[i, reference])
    assert cache.n_distinct == 1600


def test_sums_run_over_the_requested_replicates(tables):
    measure = _testing.MatrixMeasure(tables)
    features = np.arange(60, dtype=np.uint32)
    summed = _core.SummedReplicates(measure, [0, 2, 3])
    expected = tables[[0, 2, 3], :, 7].sum(axis=0)
    np.testing.assert_array_equal(summed.values(7, features)[:, 0], expected)


def test_replicates_that_do_not_exist_are_rejected(tables):
    measure = _testing.MatrixMeasure(tables)
    with pytest.raises(ValueError, match="no such replicate"):
        _core.SummedReplicates(measure, [4])
    with pytest.raises(ValueError, match="no such replicate"):
        _core.ReplicateView(_core.ReplicateCache(measure), 4)


def test_taken_rows_count_as_the_same_rows_left_in():
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 3, (8, 50)).astype(np.uint8)
    levels = np.full(8, 3, dtype=np.int32)
    part = (np.arange(50) % 4).astype(np.int32)
    features = np.arange(8, dtype=np.uint32)
    y = rng.integers(0, 2, 50).astype(np.int32)
    with_parts = _core.CodedTable.from_codes(codes, levels, parts=part)
    for i in range(4):
        rows = np.flatnonzero(part != i)
        for source in (with_parts, _core.CodedTable.from_codes(codes, levels)):
            taken = source.take(rows)
            np.testing.assert_array_equal(taken.matrix(), codes[:, rows])
            np.testing.assert_array_equal(taken.constant, with_parts.constant_parts[i])
            for name in DISCRETE:
                one = _core.DiscretePairMeasure(taken, name).values(3, features)[:, 0]
                all_parts = _core.DiscretePairMeasure(with_parts, name).values(3, features)
                np.testing.assert_array_equal(one, all_parts[:, i])
                relevance = np.asarray(taken.relevance(y[rows], 2, name)).ravel()
                expected = np.asarray(with_parts.relevance(y, 2, name)).reshape(4, 8)[i]
                np.testing.assert_array_equal(relevance, expected)


@pytest.mark.parametrize("weights", [np.arange(50) % 3 + 1, (np.arange(50) % 3 + 1) / 4])
def test_taken_rows_bring_their_weights(weights):
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 12, (3, 50)).astype(np.uint8)
    levels = np.full(3, 12, dtype=np.int32)
    rows = rng.integers(0, 50, 70)
    parts = (np.arange(50) % 4).astype(np.int32)
    taken = _core.CodedTable.from_codes(codes, levels, weights=weights, parts=parts).take(rows)
    fresh = _core.CodedTable.from_codes(
        np.ascontiguousarray(codes[:, rows]), levels, weights=weights[rows]
    )
    features = np.arange(3, dtype=np.uint32)
    one, other = (_core.DiscretePairMeasure(t, "mi").values(0, features) for t in (taken, fresh))
    np.testing.assert_allclose(one, other, atol=2.0**-40)
    with pytest.raises(ValueError, match="no such row"):
        taken.take(np.array([70]))


@pytest.mark.parametrize(("n", "e"), [(40, 20), (72, 20), (72, 10), (72, 5), (90, 40), (95, 3)])
@pytest.mark.parametrize("name", ON_GRID)
def test_parts_of_few_rows_give_the_values_of_chosen_rows(n, e, name):
    rng = np.random.default_rng(n + e)
    levels = rng.integers(1, 10, 7).astype(np.int32)
    codes = np.array([rng.integers(0, k, n) for k in levels], dtype=np.uint8)
    part = rng.permutation(n).astype(np.int32) % e
    table = _core.CodedTable.from_codes(codes, levels, parts=part)
    y = rng.integers(0, 3, n).astype(np.int32)
    relevance = np.asarray(table.relevance(y, 3, name)).reshape(e, 7)
    features = np.arange(7, dtype=np.uint32)
    for reference in range(7):
        values = _core.DiscretePairMeasure(table, name).values(reference, features)
        for i in range(e):
            rows = np.flatnonzero(part != i)
            taken = table.take(rows)
            one = _core.DiscretePairMeasure(taken, name).values(reference, features)[:, 0]
            np.testing.assert_array_equal(values[:, i], one)
            expected = np.asarray(taken.relevance(y[rows], 3, name)).ravel()
            np.testing.assert_array_equal(relevance[i], expected)


@pytest.mark.parametrize("sizes", [(9000, 0, 130, 9001), (4200, 4160), (700, 64, 65, 900, 1)])
@pytest.mark.parametrize("missing_code", [-1, 255])
def test_parts_of_many_rows_give_the_values_of_chosen_rows(sizes, missing_code):
    rng = np.random.default_rng(len(sizes))
    n, e = sum(sizes), len(sizes)
    levels = np.array([8, 1, 2, 3, 8, 9, 10, 30, 2, 8], dtype=np.int32)
    codes = np.array([rng.integers(0, k, n) for k in levels], dtype=np.uint8)
    # Cells with more rows than the table of logarithms has entries.
    codes[-2:, rng.random(n) < 0.95] = 0
    if missing_code >= 0:
        codes[3:5, rng.random(n) < 0.2] = missing_code
    part = rng.permutation(np.repeat(np.arange(e, dtype=np.int32), sizes))
    table = _core.CodedTable.from_codes(codes, levels, parts=part, missing_code=missing_code)
    np.testing.assert_array_equal(table.matrix(), codes)
    y = rng.integers(0, 3, n).astype(np.int32)
    features = np.arange(len(levels), dtype=np.uint32)
    for i in range(e):
        rows = np.flatnonzero(part != i)
        taken = table.take(rows)
        for name in DISCRETE:
            relevance = np.asarray(table.relevance(y, 3, name)).reshape(e, len(levels))
            expected = np.asarray(taken.relevance(y[rows], 3, name)).ravel()
            np.testing.assert_array_equal(relevance[i], expected)
            for reference in (0, 3, 6, 8, 9):
                values = _core.DiscretePairMeasure(table, name).values(reference, features)
                one = _core.DiscretePairMeasure(taken, name).values(reference, features)
                np.testing.assert_array_equal(values[:, i], one[:, 0])

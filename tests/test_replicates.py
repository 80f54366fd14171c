"""Replicates of a measure, one at a time or summed."""

from __future__ import annotations

import numpy as np
import pytest

from thresher import _core


@pytest.fixture
def tables():
    rng = np.random.default_rng(0)
    values = rng.integers(0, 1000, size=(4, 60, 60)) * 2.0**-40
    return values + values.transpose(0, 2, 1)


@pytest.mark.parametrize("limit", [0, 1, 40_000])
def test_views_share_one_computation_per_pair_whatever_the_memory(tables, limit):
    cache = _core.ReplicateCache(_core.MatrixMeasure(tables), memory_limit=limit)
    views = [_core.ReplicateView(cache, i) for i in range(4)]
    assert views[0].n_replicates == 1
    rng = np.random.default_rng(1)
    asked = set()
    for _ in range(200):
        i, reference = int(rng.integers(4)), int(rng.integers(60))
        features = rng.permutation(60)[: rng.integers(1, 60)].astype(np.uint32)
        asked |= {frozenset((reference, int(f))) for f in features}
        values = views[i].values(reference, features)
        np.testing.assert_array_equal(values[:, 0], tables[i, reference, features])
    assert cache.full == (limit > 0)
    assert (cache.n_computed == len(asked)) == (limit == 0)
    assert cache.n_computed >= len(asked)
    assert cache.n_distinct == len(asked)


def test_a_pair_has_two_values_if_the_measure_is_not_symmetric():
    tables = np.random.default_rng(2).random((3, 40, 40))
    measure = _core.MatrixMeasure(tables)
    assert not measure.is_symmetric
    cache = _core.ReplicateCache(measure)
    features = np.arange(40, dtype=np.uint32)
    for reference in range(40):
        for i in range(3):
            values = _core.ReplicateView(cache, i).values(reference, features)
            np.testing.assert_array_equal(values[:, 0], tables[i, reference])
    assert cache.n_distinct == 1600


def test_sums_run_over_the_replicates_asked_for(tables):
    measure = _core.MatrixMeasure(tables)
    features = np.arange(60, dtype=np.uint32)
    summed = _core.SummedReplicates(measure, [0, 2, 3])
    expected = tables[[0, 2, 3], :, 7].sum(axis=0)
    np.testing.assert_array_equal(summed.values(7, features)[:, 0], expected)


def test_replicates_that_do_not_exist_are_refused(tables):
    measure = _core.MatrixMeasure(tables)
    with pytest.raises(ValueError, match="no such replicate"):
        _core.SummedReplicates(measure, [4])
    with pytest.raises(ValueError, match="no such replicate"):
        _core.ReplicateView(_core.ReplicateCache(measure), 4)

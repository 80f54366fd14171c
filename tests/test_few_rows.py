"""With few rows each replicate computes its own pairs; only the time differs."""

from __future__ import annotations

import numpy as np
import pytest

from tests.measures import INFORMATION
from thresher import _core

from .core_results import assert_equal_lists


def problem(rng, n, p, e, n_levels, *, parts=None):
    """Return a table with parts, and a target."""
    y = rng.integers(0, 3, n).astype(np.int32)
    levels = rng.integers(1, n_levels + 1, p).astype(np.int32)
    codes = (rng.integers(0, 256, (p, n)) % levels[:, None]).astype(np.uint8)
    alike = rng.random((p, n)) < 0.4
    codes = np.where(alike, y % levels[:, None], codes).astype(np.uint8)
    if parts is None:
        parts = rng.integers(0, e, n)
    parts = np.asarray(parts, dtype=np.int32)
    return _core.CodedTable.from_codes(codes, levels, parts=parts), y


def search_both_ways(table, y, measure, n_select, **options):
    relevance = np.asarray(table.relevance(y, 3, "mi", 1))
    pairs = _core.DiscretePairMeasure(table, measure, 1)
    alone = _core.greedy_ensemble(pairs, relevance, n_select, **options)
    shared = _core.greedy_ensemble(pairs, relevance, n_select, always_share=True, **options)
    return alone, shared


def assert_same(alone, shared):
    assert alone.n_evaluations == shared.n_evaluations
    assert_equal_lists(alone, shared)


@pytest.mark.parametrize("objective", ["difference", "sum", "quotient"])
@pytest.mark.parametrize("measure", INFORMATION)
def test_lists_scores_and_counts_are_those_of_shared_values(measure, objective):
    rng = np.random.default_rng(31)
    for n in (2, 7, 63, 64, 65, 72, 130, 200, 400):
        for n_levels in (2, 3, 4, 8):
            table, y = problem(rng, n, 40, int(rng.integers(2, 9)), n_levels)
            assert_same(*search_both_ways(table, y, measure, 15, objective=objective))


def test_parts_may_be_empty_or_contain_all_rows():
    rng = np.random.default_rng(32)
    for parts in (np.full(70, 2), rng.choice([0, 3], 70), np.arange(70)):
        table, y = problem(rng, 70, 30, 0, 3, parts=np.append(parts[:-1], parts.max()))
        for objective in ("difference", "quotient"):
            assert_same(*search_both_ways(table, y, "mi", 10, objective=objective))


def test_features_may_be_constant_on_a_replicate():
    rng = np.random.default_rng(33)
    parts = np.arange(72) % 6
    y = rng.integers(0, 3, 72).astype(np.int32)
    codes = np.zeros((24, 72), np.uint8)
    for f in range(24):  # two levels that are all in part f % 6, then some that vary everywhere
        codes[f, parts == f % 6] = rng.integers(0, 3, 12)
    codes[12:] = rng.integers(0, 3, (12, 72))
    table = _core.CodedTable.from_codes(
        codes, np.full(24, 3, np.int32), parts=parts.astype(np.int32)
    )
    constant = np.asarray(table.constant_parts)
    expected = [[len(set(row[parts != r])) == 1 for row in codes] for r in range(6)]
    assert constant.tolist() == expected
    assert constant[np.arange(12) % 6, np.arange(12)].all()
    for candidates in (None, (~constant).astype(np.uint8)):
        for objective in ("difference", "quotient"):
            both = search_both_ways(table, y, "mi", 20, objective=objective, candidates=candidates)
            assert_same(*both)


def test_kept_features_and_some_replicates_only():
    rng = np.random.default_rng(34)
    table, y = problem(rng, 90, 50, 7, 4)
    relevance = np.asarray(table.relevance(y, 3, "mi", 1))
    pairs = _core.DiscretePairMeasure(table, "mi", 1)
    used = np.array([5, 0, 3], np.uint32)
    kept = np.array([40, 2, 11], np.uint32)
    options = {"replicates": used, "kept": kept}
    alone = _core.greedy_ensemble(pairs, relevance[used], 20, **options)
    assert_same(
        alone, _core.greedy_ensemble(pairs, relevance[used], 20, always_share=True, **options)
    )
    assert all(one.selected[:3].tolist() == kept.tolist() for one in alone.replicates)


def test_every_replicate_is_the_table_of_its_rows():
    rng = np.random.default_rng(35)
    parts = rng.integers(0, 5, 100)
    table, y = problem(rng, 100, 60, 5, 5, parts=parts)
    relevance = np.asarray(table.relevance(y, 3, "mi", 1))
    together = _core.greedy_ensemble(_core.DiscretePairMeasure(table, "mi", 1), relevance, 25)
    for r in range(5):
        rows = table.take(np.flatnonzero(parts != r))
        one = _core.greedy_forward(
            _core.DiscretePairMeasure(rows, "mi", 1), relevance[r], 25
        ).result()
        np.testing.assert_array_equal(one.selected, together.replicates[r].selected)
        np.testing.assert_array_equal(one.scores, together.replicates[r].scores)


def test_no_values_are_kept_so_the_memory_limit_is_never_reached():
    rng = np.random.default_rng(36)
    table, y = problem(rng, 72, 300, 10, 3)
    alone, shared = search_both_ways(table, y, "mi", 30, memory_limit=1)
    assert not alone.cache_full
    assert shared.cache_full
    assert_same(alone, shared)

"""A search over all replicates returns the separate result of every replicate."""

from __future__ import annotations

import numpy as np
import pytest

from tests.naive.ensemble import full_ensemble, inner_ensemble
from tests.test_search import SETTINGS, assert_same_scores, matrix_measure, tie_rich_problem
from thresher import _core
from thresher._core import _testing


def ensemble_problem(rng, p, e, n_levels=4):
    problems = [tie_rich_problem(rng, p, n_levels) for _ in range(e)]
    return np.array([r for r, _ in problems]), np.array([t for _, t in problems])


@pytest.mark.parametrize("strategy", ["lazy", "scan", "dense"])
@pytest.mark.parametrize(("objective", "weight", "offset"), SETTINGS)
def test_every_replicate_selects_as_a_separate_fit(objective, weight, offset, strategy):
    rng = np.random.default_rng(21)
    for trial in range(40):
        p, e = int(rng.integers(1, 20)), int(rng.integers(1, 6))
        relevance, tables = ensemble_problem(rng, p, e)
        candidates = (rng.random((e, p)) < 0.85).astype(np.uint8) if trial % 3 == 0 else None
        kept = rng.permutation(p)[: rng.integers(0, 3)] if trial % 4 == 0 else np.array([], int)
        n_select = int(rng.integers(1, p + 2))
        options = {"objective": objective, "weight": weight, "offset": offset}
        expected = full_ensemble(
            relevance, tables, n_select, candidates, kept=kept.tolist(), **options
        )
        for memory_limit in (0, 1, 8 * e * 10):
            result = _core.greedy_ensemble(
                matrix_measure(tables, objective),
                relevance,
                n_select,
                strategy=strategy,
                candidates=candidates,
                kept=kept.astype(np.uint32),
                memory_limit=memory_limit,
                **options,
            )
            assert [one.selected.tolist() for one in result.replicates] == [x[0] for x in expected]
            for one, (_, scores, redundancy) in zip(result.replicates, expected, strict=True):
                assert_same_scores(one.scores, scores, objective)
                assert one.redundancy.tolist() == redundancy


@pytest.mark.parametrize("strategy", ["lazy", "scan", "dense"])
def test_the_memory_limit_changes_no_list(strategy):
    rng = np.random.default_rng(22)
    relevance, tables = ensemble_problem(rng, 300, 7, 50)
    measure = _testing.MatrixMeasure(tables)
    for objective in ("difference", "quotient"):
        free, tight = (
            _core.greedy_ensemble(
                measure,
                relevance,
                30,
                objective=objective,
                strategy=strategy,
                memory_limit=limit,
            )
            for limit in (0, 40_000)
        )
        assert not free.cache_full
        assert tight.cache_full
        if strategy == "lazy":
            # Pairs that were not kept save the later replicates nothing.
            assert free.n_evaluations <= tight.n_evaluations
        else:
            assert free.n_evaluations == tight.n_evaluations
        for a, b in zip(free.replicates, tight.replicates, strict=True):
            assert a.selected.tolist() == b.selected.tolist()


def test_distinct_pairs_are_those_of_the_replicates_one_by_one():
    rng = np.random.default_rng(23)
    relevance, tables = ensemble_problem(rng, 200, 5, 30)
    measure = _testing.MatrixMeasure(tables)
    together = _core.greedy_ensemble(measure, relevance, 20)
    cache = _core.ReplicateCache(measure)
    for i in range(5):
        alone = _core.greedy_forward(_core.ReplicateView(cache, i), relevance[i], 20).result()
        assert alone.selected.tolist() == together.replicates[i].selected.tolist()
    assert together.n_evaluations == cache.n_computed


def test_pairs_of_earlier_replicates_spare_later_ones_others():
    rng = np.random.default_rng(28)
    p, e, k = 200, 8, 20
    relevance, tables = (
        np.round(10_000 * (shared + 0.01 * rng.random((e, *shared.shape)))) * 2.0**-40
        for shared in (0.1 * rng.random(p), rng.random((p, p)))
    )
    tables = tables + tables.transpose(0, 2, 1)
    together = _core.greedy_ensemble(_testing.MatrixMeasure(tables), relevance, k)
    requested = np.zeros((p, p), dtype=bool)
    for i in range(e):
        measure = _testing.MatrixMeasure(tables[i])
        alone = _core.greedy_forward(measure, relevance[i], k).result()
        assert alone.selected.tolist() == together.replicates[i].selected.tolist()
        requested |= measure.asked() | measure.asked().T
    assert together.n_evaluations < np.triu(requested, 1).sum()


def test_the_dense_strategy_computes_every_pair_of_the_union():
    rng = np.random.default_rng(24)
    p, k = 60, 10
    relevance, tables = ensemble_problem(rng, p, 4, 30)
    result = _core.greedy_ensemble(_testing.MatrixMeasure(tables), relevance, k, strategy="dense")
    u = len({int(f) for one in result.replicates for f in one.selected[: k - 1]})
    assert result.n_evaluations == u * p - u * (u + 1) // 2


def test_some_replicates_can_be_left_out():
    rng = np.random.default_rng(25)
    relevance, tables = ensemble_problem(rng, 30, 4)
    used = np.array([3, 1], np.uint32)
    result = _core.greedy_ensemble(
        _testing.MatrixMeasure(tables), relevance[used], 10, replicates=used
    )
    expected = full_ensemble(relevance[used], tables[used], 10)
    assert [one.selected.tolist() for one in result.replicates] == [x[0] for x in expected]


@pytest.mark.parametrize(("objective", "weight", "offset"), SETTINGS)
def test_the_sum_of_replicates_is_the_inner_ensemble(objective, weight, offset):
    rng = np.random.default_rng(26)
    for _ in range(30):
        p, e = int(rng.integers(1, 15)), int(rng.integers(1, 5))
        relevance, tables = ensemble_problem(rng, p, e)
        options = {"objective": objective, "weight": weight}
        unit = e if objective == "product" else 1
        result = _core.greedy_forward(
            _core.SummedReplicates(matrix_measure(tables, objective), list(range(e))),
            relevance.sum(axis=0),
            p,
            offset=offset * e,
            unit=unit,
            **options,
        ).result()
        expected = inner_ensemble(relevance, tables, p, offset=offset, **options)
        assert result.selected.tolist() == expected


def test_every_search_runs_on_one_replicate_of_a_shared_measure():
    rng = np.random.default_rng(27)
    relevance, tables = ensemble_problem(rng, 40, 3)
    cache = _core.ReplicateCache(_testing.MatrixMeasure(tables))
    searches = [
        lambda m, r: _core.cfs_forward(m, r).result(),
        lambda m, r: _core.fcbf(m, r).result(),
        _core.cfs_best_first,
        lambda m, r: _core.greedy_accumulate(m, r, 12, accumulation="smallest").result(),
        lambda m, r: _core.greedy_accumulate(m, r, 12, accumulation="sum").result(),
    ]
    for search in searches:
        for i in range(3):
            shared = search(_core.ReplicateView(cache, i), relevance[i])
            alone = search(_testing.MatrixMeasure(tables[i]), relevance[i])
            assert shared.selected.tolist() == alone.selected.tolist()

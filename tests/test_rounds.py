"""Searches over a measure that is requested in rounds: few large requests, the same features and scores."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.conftest import load_real
from tests.test_search import SETTINGS, random_settings, tie_rich_problem
from tests.test_search_ensemble import ensemble_problem
from thresher import MRMR, _core
from thresher._core import _testing

from .core_results import assert_equal_lists


def policy_size(n_features):
    """Return the default size of a request round of `DeliveredMeasure`."""
    return max(1024, math.ceil(n_features / 3))


SEARCHES = {
    **{
        f"{objective} {weight:g} {offset:g} {strategy}": (
            _core.greedy_forward,
            {"objective": objective, "weight": weight, "offset": offset, "strategy": strategy},
        )
        for objective, weight, offset in SETTINGS
        for strategy in ("lazy", "scan", "naive")
    },
    **{f"cfs {s}": (_core.cfs_forward, {"strategy": s}) for s in ("lazy", "cached", "naive")},
    "fcbf": (_core.fcbf, {}),
    **{
        f"{accumulation} {strategy}": (
            _core.greedy_accumulate,
            {"accumulation": accumulation, "strategy": strategy},
        )
        for accumulation in ("sum", "minus-sum", "minus-positive-sum", "smallest")
        for strategy in ("lazy", "naive")
    },
}


@pytest.mark.parametrize("name", SEARCHES)
def test_rounds_change_neither_features_nor_scores(name):
    search, options = SEARCHES[name]
    rng = np.random.default_rng(17)
    for trial in range(40):
        p = int(rng.integers(1, 40))
        relevance, table = tie_rich_problem(rng, p)
        if trial % 5 == 4:  # a measure that is not symmetric
            table = rng.permuted(table, axis=1)
        candidates, kept = random_settings(rng, trial, p)
        n_select = int(rng.integers(1, p + 2))
        plain = _testing.MatrixMeasure(table)
        options = options | {"candidates": candidates, "kept": kept.astype(np.uint32)}
        expected = search(plain, relevance, n_select=n_select, **options).result()
        for round_size in (1, 7, 60, 2000):
            measure = _testing.InRounds(plain, round_size)
            found = search(measure, relevance, n_select=n_select, **options).result()
            for key in ("selected", "scores", "relevance", "redundancy"):
                np.testing.assert_array_equal(
                    getattr(found, key), getattr(expected, key), err_msg=key
                )
            assert found.n_evaluations <= p * p


def test_best_first_search_in_rounds_finds_the_same_set():
    rng = np.random.default_rng(18)
    for trial in range(60):
        p = int(rng.integers(2, 25))
        relevance, table = tie_rich_problem(rng, p)
        candidates, kept = random_settings(rng, trial, p)
        options = {"candidates": candidates, "kept": kept.astype(np.uint32)}
        options |= {"locally_predictive": trial % 2 == 0, "zero_to_one": trial % 3 == 0}
        plain = _testing.MatrixMeasure(table)
        measure = _testing.InRounds(plain, 16)
        found = _core.cfs_best_first(measure, relevance, **options)
        expected = _core.cfs_best_first(plain, relevance, **options)
        assert found.selected.tolist() == expected.selected.tolist()
        assert found.merit == expected.merit


@pytest.mark.parametrize(("objective", "weight", "offset"), SETTINGS)
def test_replicates_in_rounds_find_the_lists_they_find_alone(objective, weight, offset):
    rng = np.random.default_rng(19)
    options = {"objective": objective, "weight": weight, "offset": offset}
    for trial in range(30):
        p, e = int(rng.integers(2, 30)), int(rng.integers(1, 5))
        relevance, tables = ensemble_problem(rng, p, e)
        kept = rng.permutation(p)[: trial % 3].astype(np.uint32)
        plain = _testing.MatrixMeasure(tables)
        expected = _core.greedy_ensemble(plain, relevance, p // 2 + 1, kept=kept, **options)
        for memory_limit in (0, 8):
            measure = _testing.InRounds(plain, 9)
            found = _core.greedy_ensemble(
                measure, relevance, p // 2 + 1, kept=kept, memory_limit=memory_limit, **options
            )
            assert_equal_lists(found, expected)


def test_replicates_share_their_rounds():
    rng = np.random.default_rng(20)
    relevance, tables = ensemble_problem(rng, 60, 6)
    together = _testing.InRounds(_testing.MatrixMeasure(tables), 100)
    _core.greedy_ensemble(together, relevance, 20)
    alone = 0
    for i in range(6):
        measure = _testing.InRounds(_testing.MatrixMeasure(tables[i]), 100)
        _core.greedy_forward(measure, relevance[i], 20)
        alone += measure.n_rounds
    assert together.n_rounds <= alone / 3


def discrete_problem(name):
    X, y = load_real(name)[:2]
    selector = MRMR(relevance="mi", redundancy="mi")
    training = selector._read(X, y)
    measures = selector.make_measures(training, selector.make_criterion(training))
    candidates = measures.candidates("mi").view(np.uint8)
    return measures, candidates, policy_size(int(candidates.sum()))


# Rounds that 50 features take, as worked out beforehand on these data.
@pytest.mark.parametrize(
    ("name", "objective", "n_rounds"),
    [
        ("leukemia", "difference", 49),
        ("leukemia", "quotient", 61),
        ("madelon", "difference", 52),
        ("madelon", "quotient", 63),
        ("pd_speech", "difference", 56),
        ("pd_speech", "quotient", 64),
        ("nci9", "difference", 49),
        ("nci9", "quotient", 66),
    ],
)
def test_real_data_need_few_rounds(name, objective, n_rounds):
    measures, candidates, size = discrete_problem(name)
    plain = measures.pairs("mi")
    options = {"objective": objective, "candidates": candidates}
    relevance = measures.relevance("mi")
    expected = _core.greedy_forward(plain, relevance, 50, **options).result()
    measure = _testing.InRounds(plain, size)
    found = _core.greedy_forward(measure, relevance, 50, **options).result()
    assert found.selected.tolist() == expected.selected.tolist()
    assert found.scores.tolist() == expected.scores.tolist()
    assert measure.n_rounds <= n_rounds


@pytest.mark.parametrize(("name", "n_rounds"), [("madelon", 7), ("colon", 8)])
def test_criteria_without_a_bound_request_eight_columns_a_round(name, n_rounds):
    measures, candidates, size = discrete_problem(name)
    plain = measures.triples("joint")
    options = {"accumulation": "sum", "candidates": candidates}
    relevance = measures.relevance("mi")
    expected = _core.greedy_accumulate(plain, relevance, 50, **options).result()
    measure = _testing.InRounds(plain, size)
    found = _core.greedy_accumulate(measure, relevance, 50, **options).result()
    assert found.selected.tolist() == expected.selected.tolist()
    assert measure.n_rounds == n_rounds

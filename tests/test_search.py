"""The searches return the naive result, whatever the strategy."""

from __future__ import annotations

import numpy as np
import pytest

from tests.naive.cfs import cfs_best_first, cfs_forward
from tests.naive.fcbf import fcbf
from tests.naive.mrmr import mrmr
from tests.naive.three_way import CRITERIA, greedy_accumulate
from thresher import _core
from thresher._core import _testing

UNIT = 2.0**-40


def tie_rich_problem(rng, p, n_levels=4, zeros=0.3):
    """Return relevances and a symmetric table of redundancies, drawn from few multiples of 2**-40."""
    levels = np.round(rng.random(n_levels) * 2**40) * UNIT
    relevance = rng.choice(levels, p)
    relevance[rng.random(p) < zeros / 2] = 0.0
    table = rng.choice(levels, (p, p))
    table[rng.random((p, p)) < zeros] = 0.0
    return relevance, np.triu(table, 1) + np.triu(table, 1).T


SETTINGS = [
    ("difference", 1.0, 0.0),
    ("difference", 0.5, 0.0),
    ("difference", 2.0, 0.0),
    ("difference", 0.0, 0.0),
    ("sum", 1.0, 0.0),
    ("sum", 0.3, 0.0),
    ("quotient", 1.0, 0.0),
    ("quotient", 1.0, 1e-4),
    ("quotient", 1.0, 0.5),
    ("product", 1.0, 0.0),
    ("product", 2.0, 0.0),
    ("product", 0.3, 0.0),
    ("product", 0.0, 0.0),
]


def matrix_measure(table, objective):
    """The pairs of a table, in bits for the product."""
    measure = _testing.MatrixMeasure(table)
    return _core.SharedBits(measure) if objective == "product" else measure


def assert_same_scores(scores, expected, objective):
    """Scores are equal; those of the product, made by exponentials, to two units in the last place."""
    if objective == "product":
        np.testing.assert_array_max_ulp(scores, np.array(expected, dtype=float), 4)
    else:
        assert scores.tolist() == expected


@pytest.mark.parametrize(("objective", "weight", "offset"), SETTINGS)
def test_every_strategy_gives_the_naive_result(objective, weight, offset):
    rng = np.random.default_rng(7)
    for trial in range(150):
        p = int(rng.integers(1, 40))
        relevance, table = tie_rich_problem(rng, p)
        candidates = (rng.random(p) < 0.85).astype(np.uint8) if trial % 3 == 0 else None
        kept = rng.permutation(p)[: rng.integers(0, 3)] if trial % 4 == 0 else np.array([], int)
        n_select = int(rng.integers(1, p + 2))
        expected = mrmr(
            relevance, table, n_select, objective, weight, offset, candidates, kept.tolist()
        )
        for strategy in ("lazy", "scan", "naive"):
            result = _core.greedy_forward(
                matrix_measure(table, objective),
                relevance,
                n_select,
                objective=objective,
                weight=weight,
                offset=offset,
                strategy=strategy,
                candidates=candidates,
                kept=kept.astype(np.uint32),
            ).result()
            assert result.selected.tolist() == expected[0]
            assert_same_scores(result.scores, expected[1], objective)
            assert result.redundancy.tolist() == expected[2]


@pytest.mark.parametrize(("objective", "weight", "offset"), SETTINGS)
def test_large_problems_agree_between_strategies(objective, weight, offset):
    rng = np.random.default_rng(3)
    for p, n_levels in ((700, 5), (1500, 10_000)):
        relevance, table = tie_rich_problem(rng, p, n_levels, zeros=0.05)
        measure = matrix_measure(table, objective)
        results = [
            _core.greedy_forward(
                measure,
                relevance,
                25,
                objective=objective,
                weight=weight,
                offset=offset,
                strategy=strategy,
            ).result()
            for strategy in ("lazy", "scan", "naive")
        ]
        for result in results[1:]:
            assert result.selected.tolist() == results[0].selected.tolist()
            assert result.scores.tolist() == results[0].scores.tolist()
        assert results[0].n_evaluations <= results[2].n_evaluations


def random_settings(rng, trial, p):
    """Return settings; every few trials some features are excluded, or some are forced in."""
    candidates = (rng.random(p) < 0.85).astype(np.uint8) if trial % 3 == 0 else None
    kept = rng.permutation(p)[: rng.integers(0, 3)] if trial % 4 == 0 else np.array([], int)
    return candidates, kept


def test_cfs_strategies_give_the_naive_result():
    rng = np.random.default_rng(11)
    for trial in range(300):
        p = int(rng.integers(1, 25))
        relevance, table = tie_rich_problem(rng, p)
        candidates, kept = random_settings(rng, trial, p)
        n_select = int(rng.integers(1, p + 1)) if trial % 2 else None
        expected = cfs_forward(relevance, table, n_select, candidates, kept.tolist())
        for strategy in ("lazy", "cached", "naive"):
            result = _core.cfs_forward(
                _testing.MatrixMeasure(table),
                relevance,
                n_select=n_select,
                strategy=strategy,
                candidates=candidates,
                kept=kept.astype(np.uint32),
            ).result()
            assert result.selected.tolist() == expected[0]
            assert result.scores.tolist() == expected[1]


@pytest.mark.parametrize("zero_to_one", [False, True])
@pytest.mark.parametrize("locally_predictive", [False, True])
def test_best_first_search_is_the_naive_one(zero_to_one, locally_predictive):
    rng = np.random.default_rng(12)
    for trial in range(60):
        p = int(rng.integers(1, 14))
        relevance, table = tie_rich_problem(rng, p, zeros=0.15)
        candidates, kept = random_settings(rng, trial, p)
        options = {"zero_to_one": zero_to_one, "locally_predictive": locally_predictive}
        expected = cfs_best_first(
            relevance, table, candidates=candidates, kept=kept.tolist(), **options
        )
        result = _core.cfs_best_first(
            _testing.MatrixMeasure(table),
            relevance,
            candidates=candidates,
            kept=kept.astype(np.uint32),
            **options,
        )
        assert result.selected.tolist() == expected[0]
        assert result.merit == expected[1]


def test_fcbf_is_the_naive_one():
    rng = np.random.default_rng(13)
    for trial in range(300):
        p = int(rng.integers(1, 30))
        relevance, table = tie_rich_problem(rng, p)
        candidates, kept = random_settings(rng, trial, p)
        threshold = float(rng.choice(relevance)) if trial % 2 else 0.0
        expected = fcbf(relevance, table, threshold, candidates, kept.tolist())
        result = _core.fcbf(
            _testing.MatrixMeasure(table),
            relevance,
            threshold,
            candidates=candidates,
            kept=kept.astype(np.uint32),
        ).result()
        assert result.selected.tolist() == expected[0]
        assert result.n_evaluations == expected[1]


@pytest.mark.parametrize("accumulation", sorted(CRITERIA))
def test_accumulated_criteria_are_the_naive_ones(accumulation):
    rng = np.random.default_rng(14)
    for trial in range(150):
        p = int(rng.integers(1, 30))
        relevance, table = tie_rich_problem(rng, p)
        table = np.triu(table) + np.tril(rng.permutation(table.ravel()).reshape(p, p), -1)
        if accumulation.startswith("minus"):
            table *= rng.choice([-1.0, 1.0], (p, p))
        candidates, kept = random_settings(rng, trial, p)
        n_select = int(rng.integers(1, p + 2))
        expected = greedy_accumulate(
            relevance, table, n_select, accumulation, candidates, kept.tolist()
        )
        for strategy in ("lazy", "naive"):
            result = _core.greedy_accumulate(
                _testing.MatrixMeasure(table),
                relevance,
                n_select,
                accumulation=accumulation,
                strategy=strategy,
                candidates=candidates,
                kept=kept.astype(np.uint32),
            ).result()
            assert result.selected.tolist() == expected[0]
            assert result.scores.tolist() == expected[1]


@pytest.mark.parametrize("objective", ["difference", "sum", "quotient", "product"])
def test_thousands_of_equal_relevances_are_searched_exactly(objective):
    rng = np.random.default_rng(15)
    p = 2000
    relevance = rng.choice([0.0, 0.25, 0.5], p, p=[0.5, 0.4, 0.1])
    table = np.triu(rng.choice([0.0, 0.125], (p, p), p=[0.9, 0.1]), 1)
    measure = matrix_measure(table + table.T, objective)
    lazy, naive = (
        _core.greedy_forward(
            measure, relevance, 40, objective=objective, strategy=strategy
        ).result()
        for strategy in ("lazy", "naive")
    )
    assert lazy.selected.tolist() == naive.selected.tolist()
    assert lazy.scores.tolist() == naive.scores.tolist()


def test_the_search_reports_its_values_of_each_feature():
    relevance = np.array([0.5, 0.375, 0.25, 0.0])
    table = np.array([[0, 0.25, 0.125, 0], [0.25, 0, 0.5, 0], [0.125, 0.5, 0, 0], [0, 0, 0, 0.0]])
    result = _core.greedy_forward(
        _testing.MatrixMeasure(table), relevance, 3, strategy="naive"
    ).result()
    assert result.selected.tolist() == [0, 1, 3]
    assert result.nearest_value.tolist() == [0, 0.25, 0.5, 0]
    assert result.nearest.tolist() == [-1, 0, 1, 0]


def test_progress_is_reported_once_per_step():
    rng = np.random.default_rng(16)
    relevance, table = tie_rich_problem(rng, 30, 20)
    reported = []
    result = _core.greedy_forward(
        _testing.MatrixMeasure(table), relevance, 8, progress=lambda *step: reported.append(step)
    ).result()
    steps = zip(range(1, 9), result.selected, result.scores, strict=True)
    assert reported == [(n, int(feature), float(score)) for n, feature, score in steps]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"relevance": np.array([1.0, -1.0, 0.0])}, "relevance must be finite"),
        ({"relevance": np.array([1.0, np.nan, 0.0])}, "relevance must be finite"),
        ({"relevance": np.ones(4)}, "one value per feature"),
        ({"candidates": np.ones(2, np.uint8)}, "one mark per feature"),
        ({"kept": np.array([3], np.uint32)}, "does not exist"),
        ({"kept": np.array([1, 1], np.uint32)}, "twice"),
        (
            {"objective": "ratio"},
            "objective must be one of 'difference', 'sum', 'quotient', 'product'",
        ),
        ({"strategy": "quick"}, "strategy must be one of"),
        ({"weight": -1.0}, "weight must be"),
        ({"offset": np.inf}, "offset must be"),
        ({"objective": "product", "unit": 0.0}, "unit must be"),
        ({"objective": "quotient", "weight": 2.0}, "no weight other than 1"),
    ],
)
def test_bad_input_is_rejected(change, message):
    arguments = {"relevance": np.ones(3), "n_select": 2} | change
    with pytest.raises(ValueError, match=message):
        _core.greedy_forward(_testing.MatrixMeasure(np.zeros((3, 3))), **arguments).result()

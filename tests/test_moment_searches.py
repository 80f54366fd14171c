"""Searches over numeric features read the same values, whatever their strategy."""

from __future__ import annotations

import numpy as np
import pytest

from tests.examples import pairs
from tests.naive import measures_numeric as naive
from tests.test_moments import random_matrix
from thresher import _core

from .core_results import assert_equal_lists


@pytest.mark.parametrize(("p", "n", "dtype"), [(120, 50, np.float64), (60, 4200, np.float32)])
def test_a_lazy_search_reads_the_values_of_a_naive_one(p, n, dtype):
    matrix = random_matrix(11, p, n, dtype)
    matrix[1::2] += matrix[::2]
    classes = np.arange(n, dtype=np.int32) % 3
    for kind in ("pearson", "cosine"):
        table = _core.NumericTable(matrix)
        relevance = table.relevance_of_classes("f", classes, 3)
        found = [
            _core.greedy_forward(
                _core.NumericPairMeasure(table, kind, n_threads),
                relevance,
                30,
                objective="quotient",
                strategy=strategy,
            ).result()
            for strategy, n_threads in (("naive", 1), ("lazy", 1), ("lazy", 3))
        ]
        for other in found[1:]:
            np.testing.assert_array_equal(other.selected, found[0].selected)
            np.testing.assert_array_equal(other.scores, found[0].scores)


@pytest.mark.parametrize(
    ("n", "numbers"),
    pairs(
        [255, 256, 257, 272, 700, 1024, 1025, 2061, 4096, 4097],
        [(np.float32, 0), (np.float64, 0), (np.float32, 40), (np.float64, 40)],
    ),
)
def test_a_lazy_search_reads_exact_values_wherever_runs_and_tiles_of_rows_end(n, numbers):
    dtype, offset = numbers
    matrix = (random_matrix(n, 12, n) + offset).astype(dtype)
    matrix[1::2] += matrix[::2] - offset
    table = _core.NumericTable(matrix)
    relevance = table.relevance_of_classes("f", np.arange(n, dtype=np.int32) % 2, 2)
    measure = _core.NumericPairMeasure(table, "pearson")
    found = _core.greedy_forward(measure, relevance, 8, objective="quotient").result()
    nearest = [(f, other) for f, other in enumerate(found.nearest) if other >= 0]
    assert len(nearest) >= 8
    for f, other in nearest[:4]:  # exact sums take their time
        assert found.nearest_value[f] == naive.pearson(matrix[f], matrix[other])


@pytest.mark.parametrize(("n", "dtype"), [(90, np.float64), (4200, np.float64), (4200, np.float32)])
def test_an_ensemble_reads_the_same_values_whatever_its_strategy(n, dtype):
    matrix = random_matrix(12, 40, n, dtype)
    matrix[1::2] += matrix[::2]
    matrix[::5] += 50
    parts = (np.arange(n) % 6).astype(np.int32)
    classes = np.arange(n, dtype=np.int32) % 3
    table = _core.NumericTable(matrix, parts)
    relevance = table.relevance_of_classes("f", classes, 3).T.copy()
    found = [
        _core.greedy_ensemble(
            _core.NumericPairMeasure(table, "pearson", n_threads),
            relevance,
            15,
            objective="quotient",
            strategy=strategy,
        )
        for strategy, n_threads in (("dense", 1), ("scan", 1), ("lazy", 1), ("lazy", 3))
    ]
    for other in found[1:]:
        assert_equal_lists(other, found[0])

"""A measure of numbers has one value: the rounding of the exact one, by whatever way the rows come."""

from __future__ import annotations

import hashlib
import os
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from tests.naive import measures_numeric as naive
from thresher import MRMR, FisherScore, Univariate, _core
from thresher.measures import (
    ClassMoments,
    PairMoments,
    anova_f,
    cosine,
    f_statistic,
    pearson,
    r_squared,
)

BY_CLASS = {"f": naive.f_statistic, "r2": naive.one_way_r2}
OF_NUMBERS = {
    "pearson": naive.pearson,
    "cosine": naive.cosine,
    "r2": naive.r2,
    "f": naive.regression_f,
}
OF_PAIRS = {name: OF_NUMBERS[name] for name in ("pearson", "cosine", "r2")} | {"mici": naive.mici}


@st.composite
def problems(draw):
    """Columns (p, n) of many kinds, classes, a numeric target, whole weights and parts."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, p = draw(st.integers(4, 70)), 4
    columns = rng.normal(size=(p, n))
    kind = draw(st.sampled_from(["plain", "whole", "offset", "zeros", "wide", "related"]))
    if kind == "whole":
        columns = np.round(columns * draw(st.sampled_from([1, 3, 1000])))
    elif kind == "offset":
        columns += 10.0 ** rng.integers(0, 9, size=(p, 1))
    elif kind == "zeros":
        columns *= rng.random((p, n)) < 0.3
    elif kind == "wide":
        columns *= 10.0 ** rng.integers(-12, 12, size=(p, n))
    elif kind == "related":
        columns[1:] = columns[0] + columns[1:] * np.array([[1e-9], [1e-3], [1.0]])
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    columns = columns.astype(dtype)
    n_classes = draw(st.integers(2, 4))
    classes = rng.integers(0, n_classes, n).astype(np.int32)
    classes[:n_classes] = np.arange(n_classes)
    target = np.round(columns[0].astype(float) + rng.normal(size=n), 3)
    return columns, classes, n_classes, target, rng.integers(0, 4, n) + (np.arange(n) < 4), rng


def all_values(table, pairs, classes, n_classes, target):
    """Every measure of a table of the core, for each way of asking."""
    features = np.arange(table.n_features, dtype=np.uint32)
    out = [table.relevance_of_classes(name, classes, n_classes) for name in BY_CLASS]
    out += [table.relevance_of_numbers(name, target) for name in OF_NUMBERS]
    for name in OF_PAIRS:
        measure = pairs(table, name)
        out += [np.moveaxis(measure.values(g, features), -1, 0) for g in features]
    return out


def dense_values(columns, *target, **options):
    table = _core.NumericTable(np.ascontiguousarray(columns), **options)
    return all_values(table, _core.NumericPairMeasure, *target)


def sparse_values(columns, *target, **options):
    matrix = sparse.csr_matrix(columns.astype(float))
    table = _core.SparseTable(
        matrix.indptr.astype(np.int64), matrix.indices, matrix.data, columns.shape[1], **options
    )
    return all_values(table, _core.SparsePairMeasure, *target)


def assert_equal(found, wanted):
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(np.ravel(a), np.ravel(b))


@settings(deadline=None, max_examples=60)
@given(problems(), st.booleans())
def test_every_way_gives_the_rounding_of_the_exact_value(problem, holes):
    columns, classes, n_classes, target, _, rng = problem
    labels = (classes, n_classes, target)
    exact = [[twin(x, classes) for x in columns] for twin in BY_CLASS.values()]
    exact += [[twin(x, target) for x in columns] for twin in OF_NUMBERS.values()]
    exact += [[twin(x, y) for x in columns] for twin in OF_PAIRS.values() for y in columns]
    assert_equal(dense_values(columns, *labels), exact)
    assert_equal(dense_values(columns.astype(float), *labels), exact)
    assert_equal(sparse_values(columns, *labels), exact)
    assert_equal(dense_values(columns, *labels, missing="pairwise"), exact)
    if holes:
        columns = np.where(rng.random(columns.shape) < 0.2, np.nan, columns)
        exact = [[twin(x, classes) for x in columns] for twin in BY_CLASS.values()]
        exact += [[twin(x, target) for x in columns] for twin in OF_NUMBERS.values()]
        exact += [[twin(x, y) for x in columns] for twin in OF_PAIRS.values() for y in columns]
        assert_equal(dense_values(columns, *labels, missing="pairwise"), exact)


@settings(deadline=None, max_examples=60)
@given(problems())
def test_weights_are_repeats_and_replicates_are_refits(problem):
    columns, classes, n_classes, target, times, rng = problem
    labels = (classes, n_classes, target)
    rows = np.repeat(np.arange(len(classes)), times)
    repeated = dense_values(columns[:, rows], classes[rows], n_classes, target[rows])
    assert_equal(dense_values(columns, *labels, weights=times.astype(float)), repeated)
    assert_equal(sparse_values(columns, *labels, weights=times.astype(float)), repeated)
    parts = rng.integers(0, 3, len(classes)).astype(np.int32)
    parts[:3] = [0, 1, 2]
    weights = times.astype(float)
    for found in (
        dense_values(columns, *labels, parts=parts, weights=weights),
        sparse_values(columns, *labels, parts=parts, weights=weights),
    ):
        for left in range(3):
            kept = np.flatnonzero((parts != left) & (times > 0))
            refit = dense_values(
                columns[:, kept], classes[kept], n_classes, target[kept], weights=weights[kept]
            )
            assert_equal([values[left] for values in found], refit)


@settings(deadline=None, max_examples=60)
@given(problems(), st.integers(1, 6))
def test_sums_of_blocks_give_the_value_of_all_rows(problem, n_blocks):
    columns, classes, n_classes, target, times, rng = problem
    block = rng.integers(0, n_blocks, len(classes))
    for x in columns:
        by_class = [
            ClassMoments.of(x[block == b], classes[block == b], n_classes, times[block == b])
            for b in range(n_blocks)
        ]
        of_pair = [
            PairMoments.of(x[block == b], target[block == b], times[block == b])
            for b in range(n_blocks)
        ]
        for blocks, twins, other in (
            (by_class, BY_CLASS, classes),
            (of_pair, OF_NUMBERS, target),
        ):
            total = pickle.loads(pickle.dumps(blocks[0]))
            for sums in blocks[1:]:
                total = total + sums
            for name, twin in twins.items():
                assert total.value(name) == twin(x, other, times)


def test_a_common_centre_keeps_the_digits_of_blocks():
    x = 1e6 + np.array([0, 1, 2, 1, 2, 3.1])
    y = np.array([0, 0, 0, 1, 1, 1])
    blocks = [ClassMoments.of(x[i:j], y[i:j], 2) for i, j in ((0, 1), (1, 4), (4, 6))]
    assert (blocks[0] + blocks[1] + blocks[2]).value("f") == pytest.approx(
        1.5229793977760, abs=5e-14
    )
    assert ((blocks[0] + blocks[1] + blocks[2]) - blocks[0]).value("f") == naive.f_statistic(
        x[1:], y[1:]
    )


@pytest.mark.parametrize("seed", range(6))
def test_selectors_and_functions_give_the_same_bits(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 40)) + rng.integers(0, 50)
    y, weights = rng.integers(0, 3, 60), rng.integers(1, 4, 60)
    rows = np.repeat(np.arange(60), weights)
    wanted = [naive.f_statistic(x, y) for x in X.T]
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(40)])
    fisher = [naive.fisher(x, y) for x in X.T]
    for data in (X, np.asfortranarray(X), frame, sparse.csr_matrix(X), sparse.csc_matrix(X)):
        for n_jobs in (1, 3):
            assert Univariate(3, n_jobs=n_jobs).fit(data, y).scores_.tolist() == wanted
            mrmr = MRMR(3, relevance="f", redundancy="pearson", n_jobs=n_jobs).fit(data, y)
            assert mrmr.relevance_.tolist() == wanted
        assert anova_f(data, y).tolist() == wanted
        assert FisherScore(3).fit(data, y).scores_.tolist() == fisher
        weighted = Univariate(3).fit(data, y, sample_weight=weights).scores_
        assert weighted.tolist() == Univariate(3).fit(X[rows], y[rows]).scores_.tolist()
    assert [f_statistic(x, y) for x in X.T] == wanted
    target = X[:, 0] + rng.normal(size=60)
    for name, function in (("pearson", pearson), ("cosine", cosine), ("r2", r_squared)):
        found = MRMR(3, relevance=name, redundancy=name).fit(X, target).relevance_
        assert found.tolist() == [function(x, target) for x in X.T]
        repeated = [function(x[rows], target[rows]) for x in X.T]
        assert [function(x, target, sample_weight=weights) for x in X.T] == repeated


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_tall_columns_give_the_exact_value(dtype):
    rng = np.random.default_rng(1)
    columns = (rng.normal(size=(12, 3000)) + rng.normal(size=(12, 1)) * 3).astype(dtype)
    columns[1::2] += columns[::2]
    classes = rng.integers(0, 3, 3000).astype(np.int32)
    table = _core.NumericTable(columns)
    assert table.relevance_of_classes("f", classes, 3).tolist() == [
        naive.f_statistic(x, classes) for x in columns
    ]
    by_rows = np.ascontiguousarray(columns.T)
    assert _core.separation_rows(by_rows, "f", classes, 3).tolist() == [
        naive.f_statistic(x, classes) for x in columns
    ]
    measure = _core.NumericPairMeasure(table, "pearson")
    found = measure.values(0, np.arange(12, dtype=np.uint32)).ravel().tolist()
    assert found == [naive.pearson(columns[0], x) for x in columns]


PROGRAM = """
import numpy as np
from tests.test_one_value import digest_of_many
print(digest_of_many())
"""


def digest_of_many():
    """All measures of some tables, as one number."""
    digest = hashlib.sha256()
    rng = np.random.default_rng(0)
    for n in (30, 700, 5000):
        for dtype in (np.float32, np.float64):
            columns = (rng.normal(size=(30, n)) + rng.integers(0, 3, size=(30, 1))).astype(dtype)
            classes = rng.integers(0, 3, n).astype(np.int32)
            target = rng.normal(size=n)
            parts = rng.integers(0, 4, n).astype(np.int32)
            weights = rng.integers(0, 3, n) + rng.random(n)
            for options in ({}, {"parts": parts}, {"weights": weights}):
                for values in dense_values(columns, classes, 3, target, **options):
                    digest.update(np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()


def test_every_instruction_set_gives_the_same_bits():
    order = ["baseline", "popcnt", "avx2", "avx512"]
    levels = order[: order.index(_core._testing.best_isa_level()) + 1]
    found = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "THRESHER_ISA": level},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for level in levels
    }
    assert len(found) == 1

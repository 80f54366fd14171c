"""A numeric measure has one value, the rounding of the exact one, for every form of the rows."""

from __future__ import annotations

import functools
import hashlib
import itertools
import operator
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from tests.examples import examples, some
from tests.measures import DISCRETE
from tests.naive import measures_discrete as counted
from tests.naive import measures_numeric as naive
from tests.naive.rounding import XLogX
from thresher import MRMR, FisherScore, Univariate, _core
from thresher.measures import (
    TESTED,
    ClassMoments,
    LocalMeasures,
    PairCounts,
    PairMoments,
    PartSets,
    anova_f,
    chi_squared,
    class_r_squared,
    cosine,
    f_statistic,
    mutual_information,
    normalized_mutual_information,
    pearson,
    r_squared,
    symmetrical_uncertainty,
)

pytestmark = pytest.mark.kernels

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
    """Yield columns (p, n) of many kinds, classes, a numeric target, integer weights and parts."""
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
    """Return every measure of a table of the core, computed in each way."""
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


@examples(60)
@given(problems(), st.booleans())
def test_every_way_gives_the_rounding_of_the_exact_value(problem, holes):
    columns, classes, n_classes, target, _, rng = problem
    labels = (classes, n_classes, target)
    exact = [[reference(x, classes) for x in columns] for reference in BY_CLASS.values()]
    exact += [[reference(x, target) for x in columns] for reference in OF_NUMBERS.values()]
    exact += [
        [reference(x, y) for x in columns] for reference in OF_PAIRS.values() for y in columns
    ]
    assert_equal(dense_values(columns, *labels), exact)
    assert_equal(dense_values(columns.astype(float), *labels), exact)
    assert_equal(sparse_values(columns, *labels), exact)
    assert_equal(dense_values(columns, *labels, missing="pairwise"), exact)
    if holes:
        columns = np.where(rng.random(columns.shape) < 0.2, np.nan, columns)
        exact = [[reference(x, classes) for x in columns] for reference in BY_CLASS.values()]
        exact += [[reference(x, target) for x in columns] for reference in OF_NUMBERS.values()]
        exact += [
            [reference(x, y) for x in columns] for reference in OF_PAIRS.values() for y in columns
        ]
        assert_equal(dense_values(columns, *labels, missing="pairwise"), exact)


@examples(60)
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


@examples(60)
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
        for blocks, references, other in (
            (by_class, BY_CLASS, classes),
            (of_pair, OF_NUMBERS, target),
        ):
            total = pickle.loads(pickle.dumps(blocks[0]))
            for sums in blocks[1:]:
                total = total + sums
            for name, reference in references.items():
                assert total.value(name) == reference(x, other, times)


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


FORMS = {
    "by rows": np.ascontiguousarray,
    "by columns": np.asfortranarray,
    "frame": lambda X: pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])]),
    "sparse rows": sparse.csr_array,
    "sparse columns": sparse.csc_matrix,
}


def counted_reference(name):
    def reference(x, y, times):
        table = counted.contingency(x, y, 6, 3, times)
        return counted.measure_of_table(table, name, XLogX(int(times.sum())))

    return reference


def counted_value(name):
    """Return the measure of two discrete columns, where the package has no public function for it."""

    def value(x, y, *, sample_weight=None):
        return PairCounts.of(x, y, 6, 3, sample_weight).value(name)

    return value


# The reference implementation of a measure of a column and a target, and the function of the package.
FUNCTIONS = {
    "mi": mutual_information,
    "su": symmetrical_uncertainty,
    "nmi": normalized_mutual_information,
    "chi2": chi_squared,
}
OF_CODES = {
    name: (counted_reference(name), FUNCTIONS.get(name, counted_value(name))) for name in DISCRETE
}
OF_CLASSES = {
    "f": (naive.f_statistic, f_statistic),
    "r2": (naive.one_way_r2, class_r_squared),
}
CORRELATIONS = {
    "pearson": (naive.pearson, pearson),
    "cosine": (naive.cosine, cosine),
    "r2": (naive.r2, r_squared),
}


def tables_to_measure(seed):
    """Yield tables, each with a target, how often its rows count, and the measures to compute."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(40, 90)), 5
    numbers = rng.normal(size=(n, p)) + 10.0 ** rng.integers(-1, 6, size=p)
    numbers *= rng.random((n, p)) < np.array([0.3, 1, 1, 1, 0.5])
    codes = rng.integers(0, np.array([2, 3, 3, 4, 6]), (n, p))
    codes[:, 0] *= rng.random(n) < 0.3
    classes, times = rng.integers(0, 3, n), rng.integers(1, 4, n)
    yield codes, classes, times, OF_CODES
    yield numbers, classes, times, OF_CLASSES
    yield numbers, numbers[:, 1] + rng.normal(size=n), times, CORRELATIONS


def sums_of_blocks(name, X, y, times):
    """Return the measure of every column with y from sums that were made block by block."""

    def sums(x, rows):
        if name in OF_CODES:
            return PairCounts.of(x[rows], y[rows], 6, 3, times[rows])
        if y.dtype.kind == "i":
            return ClassMoments.of(x[rows], y[rows], 3, times[rows])
        return PairMoments.of(x[rows], y[rows], times[rows])

    blocks = np.array_split(np.arange(len(y)), 4)
    return [functools.reduce(operator.add, (sums(x, b) for b in blocks)).value(name) for x in X.T]


def values_by_way(name, X, y, times, function):
    """Yield the values of the columns and y by every way, each row counted `times` times."""
    rows = np.repeat(np.arange(len(y)), times)
    yield "function", [function(x, y, sample_weight=times) for x in X.T]
    yield "function, repeats", [function(x[rows], y[rows]) for x in X.T]
    yield "sums", sums_of_blocks(name, X, y, times)
    for form, make in FORMS.items():
        for n_jobs in (1, 3):
            redundancy = "pearson" if name == "f" else name
            selectors = [(MRMR(1, relevance=name, redundancy=redundancy), "relevance_")]
            if name in TESTED:
                selectors.append((Univariate(1, measure=name, pvalues="analytic"), "scores_"))
            for selector, attribute in selectors:
                way = f"{type(selector).__name__}, {form}, {n_jobs} threads"
                selector.set_params(n_jobs=n_jobs).fit(make(X), y, sample_weight=times)
                yield way, getattr(selector, attribute).tolist()
                selector.fit(make(X[rows]), y[rows])
                yield f"{way}, repeats", getattr(selector, attribute).tolist()


def replicates_by_form(name, X, y, times, parts):
    """Yield the values of each replicate in every form."""
    for form, make in FORMS.items():
        for n_jobs in (1, 3):
            training = MRMR(1, n_jobs=n_jobs)._read(make(X), y, times)
            found = LocalMeasures(training, parts=parts).relevance(name).tolist()
            yield f"{form}, {n_jobs} threads", found


def check_every_way_against_the_definition(seed):
    keeps = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 0], [1, 1, 1]], dtype=bool)
    for X, y, times, measures in tables_to_measure(seed):
        parts = PartSets((np.arange(len(y)) % 3).astype(np.int32), keeps)
        kept = [parts.rows(r) for r in range(len(keeps))]
        for name, (reference, function) in measures.items():
            exact = [reference(x, y, times) for x in X.T]
            values_of = dict(values_by_way(name, X, y, times, function))
            assert {way: values for way, values in values_of.items() if values != exact} == {}, name
            exact = [[reference(x[k], y[k], times[k]) for x in X.T] for k in kept]
            values_of = dict(replicates_by_form(name, X, y, times, parts))
            assert {way: values for way, values in values_of.items() if values != exact} == {}, name


@pytest.mark.parametrize("seed", some(range(3)))
def test_a_measure_has_one_value_by_every_way(seed):
    check_every_way_against_the_definition(seed)


@pytest.mark.parametrize("name", OF_CODES)
def test_real_weights_give_one_value_to_functions_sums_and_selectors(name):
    function = OF_CODES[name][1]
    for seed in some(range(25)):
        rng = np.random.default_rng(seed)
        n, p = 60, 40
        X, y = rng.integers(0, rng.integers(2, 9, p), (n, p)), rng.integers(0, 4, n)
        weight = rng.random(n) * 3
        levels, classes = rng.permutation(9), rng.permutation(4)
        rows = rng.permutation(n)
        expected = [function(x, y, sample_weight=weight) for x in X.T]
        assert [function(y, x, sample_weight=weight) for x in X.T] == expected
        selector = MRMR(1, relevance=name, redundancy=name, discretize=None)
        for form in ("by rows", "by columns", "sparse rows"):
            fit = selector.fit(FORMS[form](X), y, sample_weight=weight)
            assert fit.relevance_.tolist() == expected
        fit = selector.fit(levels[X[rows]], classes[y[rows]], sample_weight=weight[rows])
        assert fit.relevance_.tolist() == expected


def test_fisher_scores_are_those_of_the_definition():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 9)) + rng.integers(0, 50), rng.integers(0, 3, 60)
    wanted = [naive.fisher(x, y) for x in X.T]
    for make in FORMS.values():
        assert FisherScore(3).fit(make(X), y).scores_.tolist() == wanted
    assert anova_f(X, y).tolist() == [naive.f_statistic(x, y) for x in X.T]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_tall_columns_give_the_exact_value(dtype):
    rng = np.random.default_rng(1)
    columns = (rng.normal(size=(6, 3000)) + rng.normal(size=(6, 1)) * 3).astype(dtype)
    columns[1::2] += columns[::2]
    classes = rng.integers(0, 3, 3000).astype(np.int32)
    expected = [naive.f_statistic(x, classes) for x in columns]
    table = _core.NumericTable(columns)
    assert table.relevance_of_classes("f", classes, 3).tolist() == expected
    by_rows = np.ascontiguousarray(columns.T)
    assert _core.separation_rows(by_rows, "f", classes, 3).tolist() == expected
    measure = _core.NumericPairMeasure(table, "pearson")
    found = measure.values(0, np.arange(6, dtype=np.uint32)).ravel().tolist()
    assert found == [naive.pearson(columns[0], x) for x in columns]


@pytest.mark.parametrize(
    ("dtype", "shape", "n_classes"),
    some(
        itertools.product(
            [np.float32, np.float64],
            [(31, 5), (32, 16), (33, 17), (95, 24), (200, 41)],
            [2, 8, 9, 20],
        ),
        3,
    ),
)
def test_rows_in_their_layout_give_the_exact_value(dtype, shape, n_classes):
    rng = np.random.default_rng(shape[1])
    X = (rng.normal(size=shape) + 7).astype(dtype)
    y = rng.integers(0, n_classes, shape[0]).astype(np.int32)
    found = {kind: _core.separation_rows(X, kind, y, n_classes) for kind in ("f", "fisher")}
    assert found["f"].tolist() == [naive.f_statistic(x, y) for x in X.T]
    assert found["fisher"].tolist() == [naive.fisher(x, y) for x in X.T]


def digest_of_kernels():
    """Return a digest of values of many kinds: it must be the same at every instruction level."""
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

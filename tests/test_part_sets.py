"""Replicates that are any sets of parts of the rows equal separate fits on those rows."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone

import thresher
from tests.measures import DISCRETE
from thresher import CFS, FCBF, GSO, MRMR, NMIFS, CMIFilter, _core
from thresher.measures import ChosenRows, PartSets
from thresher.selectors._criterion import SearchTask
from thresher.selectors._replicates import Plan, ReplicateSearch

from .core_results import assert_equal_lists

pytestmark = pytest.mark.kernels

TERMS = ("joint", "conditional", "disr", "interaction")


def some_sets(rng, n_parts):
    """Return halves and their complements, all but one, all, repeats and sets of any size."""
    half = np.zeros(n_parts, bool)
    half[rng.permutation(n_parts)[: n_parts // 2]] = True
    any_size = [rng.random(n_parts) < share for share in (0.2, 0.5, 0.5, 0.9)]
    sets = [half, ~half, *any_size, ~any_size[1], half, np.ones(n_parts, bool)]
    sets += [np.arange(n_parts) != i for i in range(0, n_parts, 3)]
    return np.array([s for s in sets if s.any()])


def many_halves(rng, n_parts, n_pairs):
    sets = []
    for _ in range(n_pairs):
        half = np.zeros(n_parts, bool)
        half[rng.permutation(n_parts)[: n_parts // 2]] = True
        sets += [half, ~half]
    return np.array(sets)


def coded_table(rng, n, levels, part, sets, weights=None, missing=False):
    codes = np.array([rng.integers(0, k, n) for k in levels], dtype=np.uint8)
    codes[-1] = part % levels[-1]  # constant on some sets
    if missing:
        codes[1, rng.random(n) < 0.2] = 255
    return _core.CodedTable.from_codes(
        codes,
        np.array(levels, np.int32),
        parts=part,
        sets=sets.view(np.uint8),
        weights=weights,
        missing_code=255 if missing else -1,
    )


WEIGHTS = {
    "none": lambda rng, n: None,
    "whole": lambda rng, n: rng.integers(0, 4, n),
    "real": lambda rng, n: rng.random(n),
}


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize(("n", "n_parts"), [(30, 6), (150, 40), (3000, 10), (3000, 40), (900, 7)])
def test_discrete_values_are_those_of_the_rows(n, n_parts, weights, missing):
    rng = np.random.default_rng(n + n_parts)
    levels = [2, 3, 9, 3, 1, 14, 4]
    part = rng.integers(0, n_parts, n).astype(np.int32)
    sets = some_sets(rng, n_parts)
    table = coded_table(rng, n, levels, part, sets, WEIGHTS[weights](rng, n), missing)
    y = rng.integers(0, 3, n).astype(np.int32)
    features = np.arange(len(levels), dtype=np.uint32)
    alone = [table.take(np.flatnonzero(s[part])) for s in sets]
    for r, s in enumerate(sets):
        np.testing.assert_array_equal(table.constant_parts[r], alone[r].constant, err_msg=str(s))
    for name in DISCRETE:
        relevance = table.relevance(y, 3, name)
        for r, s in enumerate(sets):
            expected = alone[r].relevance(np.ascontiguousarray(y[s[part]]), 3, name)
            np.testing.assert_array_equal(relevance[r], expected)
        for reference in features:
            values = _core.DiscretePairMeasure(table, name).values(int(reference), features)
            for r in range(len(sets)):
                one = _core.DiscretePairMeasure(alone[r], name).values(int(reference), features)
                np.testing.assert_array_equal(values[:, r], one[:, 0])
    for term in TERMS:
        values = _core.ThreeWayMeasure(table, y, 3, term, 1).values(2, features)
        for r, s in enumerate(sets):
            labels = np.ascontiguousarray(y[s[part]])
            one = _core.ThreeWayMeasure(alone[r], labels, 3, term, 1).values(2, features)
            np.testing.assert_array_equal(values[:, r], one[:, 0])


def test_cells_too_large_for_the_table_of_logarithms():
    rng = np.random.default_rng(5)
    part = rng.integers(0, 4, 60_000).astype(np.int32)
    sets = many_halves(rng, 4, 3)
    table = coded_table(rng, 60_000, [2, 3, 2], part, sets)
    features = np.arange(3, dtype=np.uint32)
    values = _core.DiscretePairMeasure(table, "mi").values(0, features)
    for r, s in enumerate(sets):
        taken = table.take(np.flatnonzero(s[part]))
        one = _core.DiscretePairMeasure(taken, "mi").values(0, features)
        np.testing.assert_array_equal(values[:, r], one[:, 0])


@pytest.mark.parametrize("n", [12, 64, 72, 200, 2000])
@pytest.mark.parametrize("objective", ["difference", "quotient"])
def test_every_strategy_finds_the_same_lists(n, objective):
    rng = np.random.default_rng(n)
    part = (np.arange(n) % 12).astype(np.int32)
    sets = many_halves(rng, 12, 10)
    y = rng.integers(0, 3, n).astype(np.int32)
    levels = [3] * 25
    table = coded_table(rng, n, levels, part, sets)
    relevance = np.asarray(table.relevance(y, 3, "mi"))
    candidates = (~table.constant_parts).astype(np.uint8)
    pairs = _core.DiscretePairMeasure(table, "mi", 1)
    options = {"objective": objective, "candidates": candidates}
    plain = _core.greedy_ensemble(pairs, relevance, 8, **options)
    for other in (
        {"strategy": "scan"},
        {"strategy": "dense"},
        {"always_share": True},
        {"always_share": True, "memory_limit": 1},
        {"strategy": "dense", "memory_limit": 1},
    ):
        found = _core.greedy_ensemble(pairs, relevance, 8, **options, **other)
        assert_equal_lists(plain, found)
    for r, s in enumerate(sets):
        taken = _core.DiscretePairMeasure(table.take(np.flatnonzero(s[part])), "mi", 1)
        one = _core.greedy_forward(
            taken, relevance[r], 8, objective=objective, candidates=candidates[r]
        ).result()
        np.testing.assert_array_equal(one.selected, plain.replicates[r].selected)


def numeric_table(columns, storage, weights, **options):
    if storage != "sparse":
        missing = "pairwise" if storage == "pairwise" else "error"
        return _core.NumericTable(columns, weights=weights, missing=missing, **options)
    m = scipy.sparse.csc_matrix(columns.T)
    arrays = (m.indptr.astype(np.int64), m.indices.astype(np.int32), m.data)
    return _core.SparseTable(*arrays, columns.shape[1], weights=weights, **options)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("storage", ["dense", "pairwise", "sparse"])
def test_numeric_values_are_those_of_the_rows(weighted, storage):
    rng = np.random.default_rng(3)
    n, p, n_parts = 300, 8, 10
    columns = rng.normal(size=(p, n)) + 5
    part = rng.integers(0, n_parts, n).astype(np.int32)
    sets = some_sets(rng, n_parts)
    columns[3] = part < 2  # constant on many sets
    if storage != "sparse":
        columns[4, part == 1] *= 1e6  # nearly all of the variance in one part
    if storage == "pairwise":
        columns[5, rng.random(n) < 0.2] = np.nan
    weights = rng.random(n) if weighted else None
    y = rng.integers(0, 3, n).astype(np.int32)
    target = rng.normal(size=n)
    table = numeric_table(columns, storage, weights, parts=part, sets=sets.view(np.uint8))
    measure = _core.SparsePairMeasure if storage == "sparse" else _core.NumericPairMeasure
    features = np.arange(p, dtype=np.uint32)
    for r, s in enumerate(sets):
        rows = np.flatnonzero(s[part])
        of_rows = None if weights is None else weights[rows]
        one = numeric_table(np.ascontiguousarray(columns[:, rows]), storage, of_rows)
        varies = np.nanmin(columns[:, rows], axis=1) < np.nanmax(columns[:, rows], axis=1)
        np.testing.assert_array_equal(table.constant_parts[r], ~varies)
        close = {"rtol": 1e-10, "atol": 1e-11}
        np.testing.assert_allclose(
            table.relevance_of_classes("f", y, 3, 1)[r],
            one.relevance_of_classes("f", y[rows], 3, 1),
            rtol=1e-8,
        )
        for name in ("pearson", "cosine"):
            relevance = table.relevance_of_numbers(name, target, 1)[r]
            expected = one.relevance_of_numbers(name, target[rows], 1)
            np.testing.assert_allclose(relevance, expected, **close)
            values = measure(table, name, 1).values(0, features)[:, r]
            plain = measure(one, name, 1).values(0, features)[:, 0]
            np.testing.assert_allclose(values, plain, **close)


CRITERIA = [getattr(thresher, name)(4) for name in ("JMI", "CMIM", "DISR", "ICAP")]
SELECTORS = [MRMR(4), MRMR(4, objective="quotient"), CFS(), FCBF(), NMIFS(4), *CRITERIA]
OF_ROWS = [CMIFilter(3), GSO(3)]


def found_lists(selector, X, y, sets, kind, sample_weight=None):
    """Return the lists on every set of parts, and those of the selector on the rows of each."""
    selector = clone(selector)
    training = selector._read(X, y, sample_weight)
    criterion = selector.make_criterion(training)
    wanted = selector.count_features(training.features)
    measures_of = partial(selector.make_measures, training, criterion)
    plan = Plan(sets.n_replicates, sets, None, list(range(sets.n_replicates)))
    search = ReplicateSearch(
        training, criterion, wanted, selector, kind, plan, None, 0, lambda *_: None
    )
    found, _ = search.run()
    alone = []
    for i in range(sets.n_replicates):
        measures = ChosenRows(measures_of(), sets.rows(i))
        task = SearchTask(training, measures, criterion, wanted, selector)
        chosen = criterion.search(task).selected
        alone.append(np.asarray(chosen).tolist())
    return found.lists, alone


def problem(rng, n, p, kind):
    y = rng.integers(0, 2, n)
    X = rng.integers(0, 3, (n, p)) if kind != "numbers" else rng.normal(size=(n, p))
    for feature in range(p // 2):
        copied = rng.random(n) < 0.1 + 0.06 * feature
        X[copied, feature] = y[copied]
    return (scipy.sparse.csr_matrix(X.astype(float)) if kind == "sparse" else X), y


def takes_sparse(selector):
    return selector.__sklearn_tags__().input_tags.sparse


@pytest.mark.parametrize(
    ("selector", "kind"),
    [
        (selector, kind)
        for selector in [*SELECTORS, *OF_ROWS, MRMR(4, relevance="f")]
        for kind in ("codes", "numbers", "sparse")
        if kind != "sparse" or takes_sparse(selector)
    ],
    ids=repr,
)
def test_selections_on_sets_of_parts_equal_those_on_their_rows(selector, kind):
    rng = np.random.default_rng(8)
    for n, n_parts in ((64, 8), (240, 20)):
        X, y = problem(rng, n, 12, kind)
        part = (np.arange(n) % n_parts).astype(np.int32)
        sets = PartSets(part, many_halves(rng, n_parts, 4))
        for ensemble in ("fast", "full"):
            lists, alone = found_lists(selector, X, y, sets, ensemble)
            assert lists == alone


@pytest.mark.parametrize(
    ("selector", "weights"),
    [(s, w) for s in SELECTORS for w in ("whole", "real")] + [(CMIFilter(3), "whole")],
    ids=repr,
)
def test_weights_go_with_their_rows(selector, weights):
    rng = np.random.default_rng(9)
    X, y = problem(rng, 120, 10, "codes")
    sets = PartSets((np.arange(120) % 10).astype(np.int32), many_halves(rng, 10, 4))
    sample_weight = rng.integers(1, 5, 120) if weights == "whole" else rng.random(120)
    lists, alone = found_lists(selector, X, y, sets, "fast", sample_weight)
    assert lists == alone


@pytest.mark.parametrize("name", ["colon", "leukemia"])
def test_halves_of_real_data(load_real, name):
    X, y = load_real(name)
    rng = np.random.default_rng(1)
    sets = PartSets((np.arange(len(y)) % 40).astype(np.int32), many_halves(rng, 40, 3))
    for selector in (MRMR(10), MRMR(10, relevance="su", redundancy="su"), FCBF(), NMIFS(5)):
        lists, alone = found_lists(selector, X, y, sets, "fast")
        assert lists == alone


def test_all_but_one_is_one_of_the_sets():
    part = np.array([0, 2, 1, 1, 0, 2], dtype=np.int32)
    sets = PartSets(part, ~np.eye(3, dtype=bool))
    assert sets.n_replicates == 3
    assert [sets.rows(i).tolist() for i in range(3)] == [[1, 2, 3, 5], [0, 1, 4, 5], [0, 2, 3, 4]]
    np.testing.assert_array_equal(sets.weights([1], np.arange(6)), [[0, 1, 0, 0, 4, 5]])
    codes = np.arange(12, dtype=np.uint8).reshape(2, 6) % 3
    levels = np.full(2, 3, np.int32)
    given = _core.CodedTable.from_codes(codes, levels, **sets.arguments())
    plain = _core.CodedTable.from_codes(codes, levels, parts=part)
    features = np.arange(2, dtype=np.uint32)
    a, b = (_core.DiscretePairMeasure(t, "mi").values(0, features) for t in (given, plain))
    np.testing.assert_array_equal(a, b)


def test_sets_that_do_not_fit_are_rejected():
    codes, levels = np.zeros((1, 4), np.uint8), np.ones(1, np.int32)
    parts = np.array([0, 1, 2, 3], np.int32)
    with pytest.raises(ValueError, match="out of range"):
        _core.CodedTable.from_codes(codes, levels, parts=parts, sets=np.ones((2, 3), np.uint8))
    with pytest.raises(ValueError, match="one mark per part"):
        _core.CodedTable.from_codes(codes, levels, parts=parts, sets=np.ones((0, 4), np.uint8))
    with pytest.raises(ValueError, match="out of range"):
        _core.NumericTable(np.zeros((1, 4)), parts=parts, sets=np.ones((2, 3), np.uint8))

"""Measures over counts delivered by blocks of rows: values, features and evaluations equal those in memory."""

from __future__ import annotations

import numpy as np
import pytest

from tests.conftest import load_real
from tests.measures import DISCRETE
from thresher import MRMR, _core

from .core_results import assert_equal_lists, assert_equal_results

ALL_TERMS = ("joint", "conditional", "disr", "interaction")


class Blocks:
    """Rows in blocks, each packed separately; parts may be split by class."""

    def __init__(self, codes, levels, ends, parts, n_parts, weights=None, missing=None):
        self.incomplete = None
        if missing is not None:
            self.incomplete = np.any(codes == missing, axis=1).astype(np.uint8)
        sets = np.ones((1, n_parts), dtype=np.uint8)
        self.tables = [
            _core.CodedTable.from_codes(
                np.ascontiguousarray(codes[:, rows]),
                levels,
                parts=np.ascontiguousarray(parts[rows]),
                sets=sets,
                weights=None if weights is None else weights[rows],
                missing_code=-1 if missing is None else missing,
            )
            for rows in np.split(np.arange(codes.shape[1]), ends)
        ]
        self.levels = levels
        counted = np.ones(codes.shape[1], dtype=np.int64) if weights is None else weights
        self.n_rows = int(counted.sum())
        self.margins = np.concatenate(
            [
                np.array(
                    [
                        [counted[(row == level) & (parts == part)].sum() for part in range(n_parts)]
                        for level in range(n)
                    ],
                    dtype=np.int64,
                ).ravel()
                for row, n in zip(codes, levels, strict=True)
            ]
        )
        self.requests = []

    def __call__(self, references, features):
        self.requests.append((references, features))
        return sum(
            _core.count_request(table, references, features, self.incomplete)
            for table in self.tables
        )

    def arguments(self):
        return self, self.levels, self.margins, self.n_rows


def split_points(rng, n, n_blocks):
    """Return the ends of blocks: of three or more, one is empty and one has one row."""
    ends = np.sort(rng.integers(0, n + 1, n_blocks - 1))
    if n_blocks > 2:
        ends[1] = ends[0]
        ends[-1] = n - 1
    return np.sort(ends)


def random_rows(rng, p, n, missing):
    levels = rng.integers(1, 7, p).astype(np.int32)
    levels[: p // 6] = rng.integers(10, 40, p // 6)
    codes = (rng.random((p, n)) ** 2 * levels[:, None]).astype(np.uint8)
    follow = rng.random((p, n)) < 0.3
    codes = np.where(follow, np.minimum(codes[0], levels[:, None] - 1), codes).astype(np.uint8)
    if missing is not None:
        codes[::3][rng.random(codes[::3].shape) < 0.1] = missing
    return codes, levels


def leave_one_out(n_parts):
    return 1 - np.eye(n_parts, dtype=np.uint8) if n_parts > 1 else None


@pytest.mark.parametrize("missing", [None, 255])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_parts", [1, 4])
def test_values_have_the_bits_of_memory(n_parts, weighted, missing):
    rng = np.random.default_rng([n_parts, weighted, missing is None])
    for n_blocks in range(1, 8):
        p, n = 12, int(rng.integers(20, 300))
        codes, levels = random_rows(rng, p, n, missing)
        parts = rng.integers(0, n_parts, n).astype(np.int32)
        parts[:n_parts] = np.arange(n_parts)
        classes = rng.integers(0, 3, n).astype(np.int32)
        weights = rng.integers(0, 5, n) if weighted else None
        ends = split_points(rng, n, n_blocks)
        whole = _core.CodedTable.from_codes(
            codes,
            levels,
            parts=parts if n_parts > 1 else None,
            weights=weights,
            missing_code=-1 if missing is None else missing,
        )
        everything = np.arange(p, dtype=np.uint32)
        sets = leave_one_out(n_parts)
        blocks = Blocks(codes, levels, ends, parts, n_parts, weights, missing)
        for name in DISCRETE:
            expected = _core.DiscretePairMeasure(whole, name)
            counted = _core.CountedPairs(
                *blocks.arguments(), measure=name, sets=sets, incomplete=blocks.incomplete
            )
            for g in range(p):
                np.testing.assert_array_equal(
                    counted.values(g, everything), expected.values(g, everything)
                )
        by_class = parts * 3 + classes
        blocks = Blocks(codes, levels, ends, by_class, 3 * n_parts, weights, missing)
        for term in ALL_TERMS:
            expected = _core.ThreeWayMeasure(whole, classes, 3, term)
            counted = _core.CountedTriples(
                *blocks.arguments(), 3, term=term, sets=sets, incomplete=blocks.incomplete
            )
            for g in range(p):
                np.testing.assert_array_equal(
                    counted.values(g, everything), expected.values(g, everything)
                )


SEARCHES = {
    "MRMR difference": ("mi", _core.greedy_forward, {}),
    "MRMR quotient": ("mi", _core.greedy_forward, {"objective": "quotient"}),
    "NMIFS": ("nmi", _core.greedy_forward, {}),
    "CFS": ("su", _core.cfs_forward, {}),
    "FCBF": ("su", _core.fcbf, {}),
    "JMI": ("joint", _core.greedy_accumulate, {"accumulation": "sum"}),
    "DISR": ("disr", _core.greedy_accumulate, {"accumulation": "sum"}),
    "CIFE": ("interaction", _core.greedy_accumulate, {"accumulation": "minus-sum"}),
    "ICAP": ("interaction", _core.greedy_accumulate, {"accumulation": "minus-positive-sum"}),
    "JMIM": ("joint", _core.greedy_accumulate, {"accumulation": "smallest"}),
    "CMIM": ("conditional", _core.greedy_accumulate, {"accumulation": "smallest-and-relevance"}),
}


def coded_problem(name):
    """Return codes, levels, classes of real rows, or of random ones."""
    if name == "random":
        rng = np.random.default_rng(2)
        codes, levels = random_rows(rng, 150, 400, None)
        return codes, levels, (codes[3] + codes[7] + rng.integers(0, 2, 400)).clip(0, 2)
    selector = MRMR(relevance="mi", redundancy="mi")
    training = selector._read(*load_real(name)[:2])
    measures = selector.make_measures(training, selector.make_criterion(training))
    table = measures.codes.table
    return table.matrix(), table.levels, measures.target_codes[0]


@pytest.mark.parametrize("name", ["random", "colon", "madelon"])
def test_every_search_over_blocks_gives_the_result_of_memory(name):
    codes, levels, classes = coded_problem(name)
    classes = classes.astype(np.int32)
    n_classes = int(classes.max()) + 1
    n = codes.shape[1]
    whole = _core.CodedTable.from_codes(codes, levels)
    candidates = (~whole.constant).view(np.uint8)
    rng = np.random.default_rng(3)
    ends = split_points(rng, n, 5)
    plain = Blocks(codes, levels, ends, np.zeros(n, dtype=np.int32), 1)
    by_class = Blocks(codes, levels, ends, classes, n_classes)
    for search_name, (measure, search, options) in SEARCHES.items():
        is_triple = measure in ALL_TERMS
        relevance = whole.relevance(classes, n_classes, "mi" if is_triple else measure)
        options = options | {"candidates": candidates, "n_select": 20}
        if is_triple:
            memory = _core.ThreeWayMeasure(whole, classes, n_classes, measure)
            arguments = (*by_class.arguments(), n_classes)
            one_by_one = _core.CountedTriples(*arguments, term=measure, round_size=0)
            in_rounds = _core.CountedTriples(*arguments, term=measure)
        else:
            memory = _core.DiscretePairMeasure(whole, measure)
            one_by_one = _core.CountedPairs(*plain.arguments(), measure=measure, round_size=0)
            in_rounds = _core.CountedPairs(*plain.arguments(), measure=measure)
        expected = search(memory, relevance, **options).result()
        found = search(one_by_one, relevance, **options).result()
        assert_equal_results(found, expected, search_name)
        found = search(in_rounds, relevance, **options).result()
        for key in ("selected", "scores", "relevance", "redundancy"):
            np.testing.assert_array_equal(
                getattr(found, key), getattr(expected, key), err_msg=f"{search_name} {key}"
            )
        assert in_rounds.n_pairs == found.n_evaluations
        assert in_rounds.n_rounds <= 1.5 * len(found.selected)


def test_ensembles_by_parts_over_blocks_find_the_lists_of_memory():
    codes, levels, classes = coded_problem("random")
    classes = classes.astype(np.int32)
    n = codes.shape[1]
    parts = (np.arange(n) % 5).astype(np.int32)
    halves = (
        np.random.default_rng(4).permuted(np.tile([0, 1, 0, 1, 1], (6, 1)), axis=1).astype(np.uint8)
    )
    for sets in (leave_one_out(5), halves):
        whole = _core.CodedTable.from_codes(codes, levels, parts=parts, sets=sets)
        relevance = whole.relevance(classes, 3)
        blocks = Blocks(codes, levels, [90, 90, 210, n - 1], parts, 5)
        expected = _core.greedy_ensemble(_core.DiscretePairMeasure(whole), relevance, 20)
        counted = _core.CountedPairs(*blocks.arguments(), sets=sets)
        found = _core.greedy_ensemble(counted, relevance, 20)
        assert_equal_lists(found, expected)
        assert counted.n_rounds <= 30


def test_no_pair_is_requested_twice():
    codes, levels, classes = coded_problem("random")
    classes = classes.astype(np.int32)
    whole = _core.CodedTable.from_codes(codes, levels)
    relevance = whole.relevance(classes, 3)
    for by_class in (False, True):
        parts = classes if by_class else np.zeros_like(classes)
        blocks = Blocks(codes, levels, [100, 300], parts, 3 if by_class else 1)
        if by_class:
            measure = _core.CountedTriples(*blocks.arguments(), 3, term="joint", round_size=40)
            _core.greedy_accumulate(measure, relevance, 30, accumulation="sum")
        else:
            measure = _core.CountedPairs(*blocks.arguments(), round_size=40)
            _core.greedy_forward(measure, relevance, 30)
        pairs = [
            frozenset(pair) for request in blocks.requests for pair in zip(*request, strict=True)
        ]
        assert len(pairs) == len(set(pairs)) == measure.n_pairs
        assert len(blocks.requests) == measure.n_rounds


def small_measure(request):
    levels = np.array([2, 3], dtype=np.int32)
    margins = np.array([3, 2, 2, 2, 1], dtype=np.int64)
    return _core.CountedPairs(request, levels, margins, 5)


FEATURE = np.array([1], dtype=np.uint32)


def test_five_rows_in_two_blocks_worked_by_hand():
    levels = np.array([2, 2], dtype=np.int32)
    first = _core.CodedTable.from_codes(np.array([[0, 0, 1], [0, 1, 1]], dtype=np.uint8), levels)
    second = _core.CodedTable.from_codes(np.array([[1, 0], [1, 0]], dtype=np.uint8), levels)
    margins = np.array([3, 2, 2, 3], dtype=np.int64)

    def request(*pairs):
        return sum(_core.count_request(block, *pairs) for block in (first, second))

    value = _core.CountedPairs(request, levels, margins, 5).values(0, FEATURE)
    assert value.item() == float.fromhex("0x1.ae0d6d4018p-2")


@pytest.mark.parametrize(
    ("counts", "complaint"),
    [
        (np.zeros(2), r"int64 array of 2 counts, got float64 of shape \(2,\)"),
        (np.zeros(3, dtype=np.int64), r"int64 array of 2 counts, got int64 of shape \(3,\)"),
        (np.zeros((2, 1), dtype=np.int64), r"int64 array of 2 counts, got int64 of shape \(2, 1\)"),
        ([1, 2], "int64 array of 2 counts, got list"),
        (np.array([-1, 1]), "counts delivered for features 1 and 0 are negative"),
        (np.array([2, 2]), "do not fit the margins"),
    ],
)
def test_wrong_counts_are_rejected(counts, complaint):
    with pytest.raises(ValueError, match=complaint):
        small_measure(lambda references, features: counts).values(0, FEATURE)


def test_an_exception_of_the_source_comes_through_and_cuts_the_search_short():
    def request(references, features):
        if len(requested) == 1:
            raise ConnectionError("no worker left")
        requested.append(len(features))
        return blocks(references, features)

    requested = []
    codes, levels, classes = coded_problem("random")
    blocks = Blocks(codes, levels, [], np.zeros(codes.shape[1], dtype=np.int32), 1)
    relevance = _core.CodedTable.from_codes(codes, levels).relevance(classes.astype(np.int32), 3)
    measure = _core.CountedPairs(request, *blocks.arguments()[1:], round_size=20)
    search = _core.greedy_forward(measure, relevance, 1)
    with pytest.raises(ConnectionError, match="no worker left"):
        search.extend(20)
    taken = search.result().selected.tolist()
    assert (
        taken
        == _core.greedy_forward(
            _core.DiscretePairMeasure(_core.CodedTable.from_codes(codes, levels)),
            relevance,
            len(taken),
        )
        .result()
        .selected.tolist()
    )
    with pytest.raises(RuntimeError, match="cut short in the middle of a step; start it again"):
        search.extend(1)


def test_margins_that_do_not_fit_are_rejected():
    levels = np.array([2, 3], dtype=np.int32)
    with pytest.raises(ValueError, match="one count per feature, level and part: 5, got 4"):
        _core.CountedPairs(min, levels, np.zeros(4, dtype=np.int64), 5)
    with pytest.raises(ValueError, match="must not be negative"):
        _core.CountedPairs(min, levels, np.array([3, 2, 5, 1, -1]), 5)

"""Measures over sums delivered by blocks of rows: values and features equal those in memory."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest

from tests.conftest import load_real
from tests.measures import NUMERIC_PAIRS
from tests.test_counted import leave_one_out, split_points
from thresher import MRMR, _core
from thresher.measures import ClassMoments, PairMoments

PAIR_MEASURES = NUMERIC_PAIRS


class Blocks:
    """Rows in blocks, each summed separately about common centres."""

    def __init__(self, columns, ends, parts=None, n_parts=1, weights=None):
        n = columns.shape[1]
        parts = np.zeros(n, dtype=np.int32) if parts is None else parts
        used = np.arange(n) if weights is None else np.flatnonzero(weights)
        sets = np.ones((1, n_parts), dtype=np.uint8)
        self.rows = np.split(np.arange(n), ends)
        self.tables = [
            _core.NumericTable(
                np.ascontiguousarray(columns[:, rows]),
                parts=parts[rows],
                sets=sets,
                weights=None if weights is None else weights[rows],
            )
            for rows in self.rows
            if np.isin(rows, used).any()  # a block without rows has nothing to add
        ]
        self.minimum = columns[:, used].min(axis=1).astype(np.float64)
        self.maximum = columns[:, used].max(axis=1).astype(np.float64)
        mean = columns[:, used].mean(axis=1, dtype=np.float64)
        self.centres = _core.exact_centres(self.minimum, self.maximum, mean)
        self.sums = reduce(
            _core.add_sums, (_core.column_sums(table, self.centres) for table in self.tables)
        )
        self.requests = []

    def __call__(self, references, features):
        self.requests.append((references, features))
        return reduce(
            _core.add_sums,
            (_core.product_sums(t, references, features, self.centres) for t in self.tables),
        )

    def arguments(self):
        return self, self.sums, self.centres, self.minimum, self.maximum


def random_columns(rng, p, n, dtype):
    columns = rng.normal(size=(p, n)) + 0.5 * rng.normal(size=n)
    columns[1] += 1e6
    columns[2] = 488 + columns[2].round()
    columns[3] = 3.1
    columns[4] = rng.integers(0, 2, n)
    columns[5] *= 1e-100 if dtype == np.float64 else 1e-10
    columns[6] = -columns[0]
    columns[7] = 0.0
    return columns.astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weighted", ["no", "whole", "real"])
@pytest.mark.parametrize("n_parts", [1, 4])
def test_values_have_the_bits_of_memory(n_parts, weighted, dtype):
    rng = np.random.default_rng([n_parts, len(weighted), np.dtype(dtype).itemsize])
    for n_blocks in range(1, 8):
        p, n = 14, int(rng.integers(20, 300))
        columns = random_columns(rng, p, n, dtype)
        parts = rng.integers(0, n_parts, n).astype(np.int32)
        parts[:n_parts] = np.arange(n_parts)
        weights = {
            "no": None,
            "whole": rng.integers(0, 5, n).astype(np.float64),
            "real": rng.random(n),
        }[weighted]
        whole = _core.NumericTable(columns, parts=parts if n_parts > 1 else None, weights=weights)
        blocks = Blocks(columns, split_points(rng, n, n_blocks), parts, n_parts, weights)
        everything = np.arange(p, dtype=np.uint32)
        for name in PAIR_MEASURES:
            expected = _core.NumericPairMeasure(whole, name)
            summed = _core.SummedPairs(
                *blocks.arguments(), measure=name, sets=leave_one_out(n_parts)
            )
            for g in range(p):
                np.testing.assert_array_equal(
                    summed.values(g, everything), expected.values(g, everything), err_msg=name
                )


@pytest.mark.parametrize("name", ["colon_raw", "madelon", "random"])
def test_selections_have_the_bits_of_memory(name):
    rng = np.random.default_rng(5)
    if name == "random":
        columns, y = random_columns(rng, 60, 200, np.float64), rng.integers(0, 3, 200)
    else:
        X, y = load_real(name)[:2]
        columns = np.ascontiguousarray(np.asarray(X, dtype=np.float64).T)
    codes = np.unique(y, return_inverse=True)[1].astype(np.int32)
    n_classes = int(codes.max()) + 1
    blocks = Blocks(columns, split_points(rng, codes.size, 7))
    for measure, objective, relevance in (("r2", "difference", "r2"), ("pearson", "quotient", "f")):
        moments = [
            [ClassMoments.of(column[rows], codes[rows], n_classes) for rows in blocks.rows]
            for column in columns
        ]
        delivered = np.array(
            [reduce(ClassMoments.__add__, sums).value(relevance) for sums in moments]
        )
        expected = MRMR(20, relevance=relevance, redundancy=measure, objective=objective).fit(
            columns.T, y
        )
        np.testing.assert_array_equal(delivered, expected.relevance_)
        candidates = (blocks.minimum < blocks.maximum).astype(np.uint8)
        summed = _core.SummedPairs(*blocks.arguments(), measure=measure, round_size=500)
        found = _core.greedy_forward(
            summed, delivered, 20, objective=objective, candidates=candidates
        ).result()
        np.testing.assert_array_equal(found.selected, expected.selected_)
        np.testing.assert_array_equal(found.scores, expected.trace_["score"])
        pairs = sum(len(features) for _, features in blocks.requests)
        assert len(blocks.requests) == summed.n_rounds
        assert pairs == summed.n_pairs
        blocks.requests.clear()


def test_six_rows_in_three_blocks_worked_by_hand():
    x = 1e6 + np.array([0, 1, 2, 1, 2, 3.1])
    y = np.array([0, 0, 0, 1, 1, 1])
    blocks = np.split(np.arange(6), [1, 4])
    sums = reduce(ClassMoments.__add__, (ClassMoments.of(x[b], y[b], 2) for b in blocks))
    assert sums.value("f") == pytest.approx(1.5229793977760, abs=5e-14)
    # the target as a column: for two classes both squared correlations are one
    summed = _core.SummedPairs(*Blocks(np.array([x, y]), [1, 4]).arguments(), measure="r2")
    r2 = summed.values(1, np.array([0], dtype=np.uint32)).item()
    assert r2 == sums.value("r2")
    assert 4 * r2 / (1 - r2) == pytest.approx(1.5229793977760, abs=1e-11)


def test_relevance_for_numbers_has_the_bits_of_memory():
    rng = np.random.default_rng(7)
    columns, y = random_columns(rng, 14, 120, np.float64), rng.normal(size=120)
    table = _core.NumericTable(columns)
    for measure in ("pearson", "r2", "f"):
        moments = [
            reduce(
                PairMoments.__add__,
                (PairMoments.of(c[rows], y[rows]) for rows in np.split(np.arange(120), [0, 1, 50])),
            )
            for c in columns
        ]
        delivered = [sums.value(measure) for sums in moments]
        assert delivered == table.relevance_of_numbers(measure, y).tolist()


TWO = np.array([[0.0, 1.0, 2.0], [3.0, 1.0, 1.0]])
FEATURE = np.array([1], dtype=np.uint32)


@pytest.mark.parametrize(
    ("sums", "complaint"),
    [
        (np.zeros((1, 2)), r"float64 array of shape \(1, 1, 2\), got float64 of shape \(1, 2\)"),
        (np.zeros((2, 1, 2)), r"got float64 of shape \(2, 1, 2\)"),
        (np.zeros((1, 1, 2), dtype=np.float32), r"got float32 of shape \(1, 1, 2\)"),
        ([0.0, 0.0], "got list"),
        (np.array([[[np.nan, 0.0]]]), "features 1 and 0 are not finite"),
        (np.array([[[1.0, np.inf]]]), "features 1 and 0 are not finite"),
        (np.array([[[9.0, 0.0]]]), "do not fit those of the columns"),
    ],
)
def test_wrong_sums_are_rejected(sums, complaint):
    arguments = Blocks(TWO, []).arguments()[1:]
    measure = _core.SummedPairs(lambda references, features: sums, *arguments)
    with pytest.raises(ValueError, match=complaint):
        measure.values(0, FEATURE)


def test_columns_that_do_not_fit_are_rejected():
    _, sums, centres, minimum, maximum = Blocks(TWO, []).arguments()
    broken = sums.copy()
    broken[1, 0, 0, 0] = 2
    with pytest.raises(ValueError, match="feature 1 are of other rows than those of feature 0"):
        _core.SummedPairs(min, broken, centres, minimum, maximum)
    broken[1, 0, 0, 0] = np.nan
    with pytest.raises(ValueError, match="feature 1 are not finite"):
        _core.SummedPairs(min, broken, centres, minimum, maximum)
    with pytest.raises(ValueError, match="feature 0 are about a centre from which differences"):
        _core.SummedPairs(min, sums, centres + 0.1, minimum, maximum)
    with pytest.raises(ValueError, match="beyond 1e140"):
        _core.SummedPairs(min, sums, centres, minimum, maximum * 1e150)
    distant = np.array([[1e9, 1e9 + 1, 1e9 + 2]])
    sums = _core.column_sums(_core.NumericTable(distant), np.zeros(1))
    with pytest.raises(ValueError, match="too distant from its values; use exact_centres"):
        _core.SummedPairs(min, sums, np.zeros(1), distant.min(axis=1), distant.max(axis=1))
    missing = _core.NumericTable(np.array([[1.0, np.nan]]), missing="pairwise")
    with pytest.raises(ValueError, match="missing or infinite cannot be added up; impute"):
        _core.column_sums(missing, np.zeros(1))

"""Rows that are added and removed: the stored rows, compared with a list of rows."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from tests.examples import examples
from thresher.blocks import RowBlock, StoredRows
from thresher.blocks.packed_rows import join_rows, pack_rows, same_rows
from thresher.blocks.rows import RowReader
from thresher.discretize import GivenBins


def nothing(done, total):
    pass


def kept(engine):
    """Return all rows that are kept, in their order."""
    found = []
    for rows in engine.read(list_rows, nothing):
        found.extend(rows)
    return found


READER = RowReader("the test", None, None, True, False)


def list_rows(number, block):
    names = tuple(block.X.columns) if hasattr(block.X, "columns") else None
    X, texts = replace(READER, names=names).features(number, block.X)
    rows = X.astype(object)
    for column, own in texts.items():
        rows[:, column] = [own[int(rank)] for rank in X[:, column]]
    y = np.asarray(block.y).tolist()
    weights = [1] * len(y) if block.weights is None else np.asarray(block.weights).tolist()
    return [(*row, label, w) for row, label, w in zip(rows.tolist(), y, weights, strict=True)]


CONTAINERS = {
    "float64": lambda X: X.astype(np.float64),
    "int8": lambda X: X.astype(np.int8),
    "fortran": lambda X: np.asfortranarray(X.astype(np.float32)),
    "csr": lambda X: sparse.csr_matrix(X.astype(np.float64)),
    "pandas": lambda X: pd.DataFrame(X, columns=["a", "b"]),
    "texts": lambda X: pd.DataFrame({"a": X[:, 0].astype(str), "b": X[:, 1]}),
    "categories": lambda X: pd.DataFrame({"a": pd.Categorical(X[:, 0].astype(str)), "b": X[:, 1]}),
    "polars": lambda X: pl.DataFrame({"a": X[:, 0].astype(str), "b": X[:, 1]}),
}


@pytest.mark.parametrize("container", CONTAINERS)
@examples(25)
@given(data=st.data())
def test_rows_leave_as_they_came(container, data):
    as_rows = CONTAINERS[container]
    engine, expected_rows = StoredRows(), []
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    for _ in range(data.draw(st.integers(1, 8))):
        n = data.draw(st.integers(0 if expected_rows else 1, 12))
        X, y = rng.integers(0, 2, (n, 2)), rng.integers(0, 2, n)
        block = RowBlock(as_rows(X), y)
        engine.add(block)
        expected_rows.extend(list_rows(0, block))
        n_leaving = data.draw(st.integers(0, len(expected_rows)))
        chosen = rng.permutation(len(expected_rows))[:n_leaving]
        leaving = [expected_rows[i] for i in chosen]
        if leaving:
            X = np.array([[int(float(v)) for v in row[:2]] for row in leaving])
            engine.remove(RowBlock(as_rows(X), np.array([row[2] for row in leaving])))
        for row in leaving:
            expected_rows.remove(row)
        assert kept(engine) == expected_rows
        assert engine.n_rows == len(expected_rows)
        assert engine.n_stored <= 2 * len(expected_rows)


def test_types_of_numbers_do_not_matter_to_forget():
    engine = StoredRows()
    engine.add(RowBlock(np.array([[1, 0], [2, 7]], dtype=np.int64), np.array([0, 1])))
    engine.add(RowBlock(np.array([[-0.0, np.nan]]), np.array([1])))
    engine.remove(RowBlock(np.array([[0, np.nan], [2.0, 7.0]], dtype=np.float32), np.array([1, 1])))
    assert kept(engine) == [(1, 0, 0, 1)]


@pytest.mark.parametrize(
    "stranger",
    [
        RowBlock(np.array([[1.0, 2.0], [1.0, 2.0]]), np.array([0, 0])),  # once too often
        RowBlock(np.array([[1.0, 2.0]]), np.array([1])),  # another target
        RowBlock(np.array([[1.0, 2.0]]), np.array([0]), np.array([2])),  # another weight
        RowBlock(np.array([[2.0, 1.0]]), np.array([0])),  # the columns in another order
        RowBlock(np.array([[3.0, 4.0], [np.nan, 2.0]]), np.array([1, 0])),
    ],
)
def test_rows_that_were_never_added_cannot_be_forgotten(stranger):
    engine = StoredRows()
    engine.add(RowBlock(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([0, 1])))
    with pytest.raises(ValueError, match="cannot forget rows that were never added: sample"):
        engine.remove(stranger)
    assert kept(engine) == [(1, 2, 0, 1), (3, 4, 1, 1)]


def test_the_stored_rows_are_a_copy():
    engine = StoredRows()
    X, y = np.array([[1.0, 2.0]]), np.array([0])
    frame = pd.DataFrame({"a": [1.0], "b": [2.0]})
    engine.add(RowBlock(X, y))
    X[:], y[:] = 9, 9
    assert kept(engine) == [(1, 2, 0, 1)]
    other = StoredRows()
    other.add(RowBlock(frame, np.array([0])))
    frame.loc[0, "a"] = 9.0
    assert kept(other) == [(1, 2, 0, 1)]


CALLS: list[int] = []


def note_call(number, block):
    CALLS.append(number)
    return number


def test_only_blocks_that_changed_are_read_again():
    engine = StoredRows()
    CALLS.clear()
    for value, size in enumerate((1000, 300, 100, 30)):
        engine.add(RowBlock(np.full((size, 1), value), np.zeros(size)))
    engine.read(note_call, nothing)
    engine.read(note_call, nothing)
    assert CALLS == [0, 1, 2, 3]
    engine.remove(RowBlock(np.array([[2], [1]]), np.zeros(2)))
    engine.remove(RowBlock(np.zeros((1000, 1)), np.zeros(1000)))  # an empty block keeps its number
    engine.read(note_call, nothing)
    assert CALLS == [0, 1, 2, 3, 0, 1, 2]


def test_many_small_blocks_become_few():
    engine = StoredRows()
    for i in range(1000):
        engine.add(RowBlock(np.array([[i]]), np.array([i % 2])))
    assert len(engine.read(list_rows, nothing)) <= 12
    assert kept(engine) == [(i, i % 2, 1) for i in range(1000)]


class CountRows:
    """A task whose results add up: the number of rows, and a list of the number of rows of each call."""

    n_rows_of_calls: ClassVar[list[int]] = []

    def __call__(self, number, block):
        self.n_rows_of_calls.append(len(block.X))
        return np.array([len(block.X)]), CountSummary(len(block.X))

    def signed(self):
        return self


@dataclass(frozen=True)
class CountSummary:
    n_rows: int

    def negative(self):
        return CountSummary(-self.n_rows)


def test_additive_results_are_computed_for_removed_rows_only_until_these_are_too_many():
    engine, task = StoredRows(), CountRows()
    task.n_rows_of_calls.clear()
    engine.add(RowBlock(np.arange(100.0)[:, None], np.zeros(100)))

    def rows_of_calls():
        summaries = engine.pack(task, nothing)
        count = engine.request(lambda packed: packed, np.add, nothing)
        assert sum(summary.n_rows for summary in summaries) == count[0] == engine.n_rows
        return task.n_rows_of_calls

    assert rows_of_calls() == [100]
    for start in (0, 10, 20):
        engine.remove(RowBlock(np.arange(start, start + 10.0)[:, None], np.zeros(10)))
        rows_of_calls()
    assert task.n_rows_of_calls == [
        100,
        10,
        20,
        30,
    ]  # groups of removed rows are merged as they grow
    engine.remove(RowBlock(np.arange(30.0, 35.0)[:, None], np.zeros(5)))
    assert rows_of_calls()[4:] == [65]  # rewritten
    assert engine.n_stored == 65


def test_columns_of_few_values_and_with_cuts_take_little_memory():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(2000, 20)), rng.integers(0, 3, (2000, 20))])
    engine = StoredRows(GivenBins([[-0.5, 0.5]] * 20 + [None] * 20))
    engine.add(RowBlock(X, rng.integers(0, 2, 2000)))
    keys = 2000 * 16
    assert len(pickle.dumps(engine)) - keys < X.nbytes / 20
    other = StoredRows()  # without cuts, numbers are kept as they are
    other.add(RowBlock(X, np.zeros(2000)))
    assert X.nbytes / 2 < len(pickle.dumps(other)) - keys < X.nbytes * 0.6


def test_a_row_of_the_same_bins_is_another_row():
    engine = StoredRows(GivenBins([[0.0]]))
    engine.add(RowBlock(np.array([[1.0], [2.0]]), np.array([0, 0])))
    with pytest.raises(ValueError, match="never added: sample 0 of 1"):
        engine.remove(RowBlock(np.array([[3.0]]), np.array([0])))
    engine.remove(RowBlock(np.array([[2.0]]), np.array([0])))
    assert engine.n_rows == 1


@examples(60)
@given(data=st.data())
def test_rows_of_any_columns_are_packed_and_joined_without_loss(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    kinds = data.draw(st.lists(st.sampled_from(sorted(PACKABLE)), min_size=1, max_size=5))
    parts = []
    for n in data.draw(st.lists(st.integers(0, 40), min_size=1, max_size=4)):
        frame = {}
        for i, kind in enumerate(kinds):
            own = PACKABLE[kind](rng, n)
            missing = rng.random(n) < data.draw(st.sampled_from([0.0, 0.3]))
            frame[str(i)] = pd.Series(own).mask(missing) if kind != "whole" else own
        parts.append(pd.DataFrame(frame))
    read = [RowReader("the test", None, None, False, False).features(0, part) for part in parts]
    packed = [pack_rows(*own, ()) for own in read]
    joined = packed[0]
    for own in packed[1:]:
        if joined.is_like(own):
            joined = join_rows(joined, own)
        else:
            return
    expected = [row for part in read for row in as_texts(*part)]
    assert as_texts(joined.matrix(), joined.texts) == expected
    some = rng.permutation(len(expected))[: len(expected) // 2]
    few = joined.take(some)
    assert as_texts(few.matrix(), few.texts) == [expected[i] for i in some]
    assert same_rows(few, joined.take(some))
    assert len(some) < 2 or same_rows(few, joined.take(some[::-1])) == (
        [expected[i] for i in some] == [expected[i] for i in some[::-1]]
    )


PACKABLE = {
    "few": lambda rng, n: rng.integers(-3, 4, n).astype(float),
    "whole": lambda rng, n: rng.integers(0, 1000, n),
    "large": lambda rng, n: rng.choice([1e12, -1e300, 0.1], n),
    "beyond 2^53": lambda rng, n: 2.0**53 + 2 * rng.integers(0, rng.integers(3, 6), n),
    "normal": lambda rng, n: rng.normal(size=n),
    "infinite": lambda rng, n: rng.choice([np.inf, 1.0, -np.inf], n),
    "text": lambda rng, n: np.array(["a", "b\0", "", "b"], dtype=object)[rng.integers(0, 4, n)],
}


def as_texts(matrix, texts):
    return [
        tuple(
            "missing" if np.isnan(v) else texts[i][int(v)] if i in texts else float(v)
            for i, v in enumerate(row)
        )
        for row in np.asarray(matrix, dtype=float).tolist()
    ]

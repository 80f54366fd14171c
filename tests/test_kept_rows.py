"""Rows that come and go: what is kept, against a list of rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from thresher.blocks import KeptRows, RowBlock


def nothing(done, total):
    pass


def kept(engine):
    """All rows that are kept, in their order."""
    found = []
    for rows in engine.read(list_rows, nothing):
        found.extend(rows)
    return found


def list_rows(number, block):
    X = block.X.toarray() if sparse.issparse(block.X) else block.X
    X = X.to_numpy() if hasattr(X, "to_numpy") else X
    y = np.asarray(block.y).tolist()
    weights = [1] * len(y) if block.weights is None else np.asarray(block.weights).tolist()
    return [(*row, label, w) for row, label, w in zip(X.tolist(), y, weights, strict=True)]


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
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_rows_leave_as_they_came(container, data):
    as_rows = CONTAINERS[container]
    engine, twin = KeptRows(), []
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    for _ in range(data.draw(st.integers(1, 8))):
        n = data.draw(st.integers(0 if twin else 1, 12))
        X, y = rng.integers(0, 2, (n, 2)), rng.integers(0, 2, n)
        block = RowBlock(as_rows(X), y)
        engine.add(block)
        twin.extend(list_rows(0, block))
        n_leaving = data.draw(st.integers(0, len(twin)))
        chosen = rng.permutation(len(twin))[:n_leaving]
        leaving = [twin[i] for i in chosen]
        if leaving:
            X = np.array([[int(float(v)) for v in row[:2]] for row in leaving])
            engine.remove(RowBlock(as_rows(X), np.array([row[2] for row in leaving])))
        for row in leaving:
            twin.remove(row)
        assert kept(engine) == twin
        assert engine.n_rows == len(twin)


def test_types_of_numbers_do_not_matter_to_whom_is_forgotten():
    engine = KeptRows()
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
def test_whoever_was_never_added_cannot_be_forgotten(stranger):
    engine = KeptRows()
    engine.add(RowBlock(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([0, 1])))
    with pytest.raises(ValueError, match="rows were forgotten that were never added: sample"):
        engine.remove(stranger)
    assert kept(engine) == [(1, 2, 0, 1), (3, 4, 1, 1)]


def test_what_is_kept_is_a_copy():
    engine = KeptRows()
    X, y = np.array([[1.0, 2.0]]), np.array([0])
    frame = pd.DataFrame({"a": [1.0], "b": [2.0]})
    engine.add(RowBlock(X, y))
    X[:], y[:] = 9, 9
    assert kept(engine) == [(1, 2, 0, 1)]
    other = KeptRows()
    other.add(RowBlock(frame, np.array([0])))
    frame.loc[0, "a"] = 9.0
    assert kept(other) == [(1, 2, 0, 1)]


CALLS: list[int] = []


def note_call(number, block):
    CALLS.append(number)
    return number


def test_only_blocks_that_changed_are_read_again():
    engine = KeptRows()
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
    engine = KeptRows()
    for i in range(1000):
        engine.add(RowBlock(np.array([[i]]), np.array([i % 2])))
    assert len(engine.read(list_rows, nothing)) <= 12
    assert kept(engine) == [(i, i % 2, 1) for i in range(1000)]

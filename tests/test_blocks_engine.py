"""Backends for blocks of rows, and target and weights that are columns."""

from __future__ import annotations

import pickle
import shutil

import numpy as np
import pandas as pd
import polars as pl
import pytest

from thresher import _core
from thresher.blocks import ListEngine, RowBlock, is_in_blocks, split_columns
from thresher.blocks.pack import PackedBlock


def test_the_sum_of_a_list_counts_each_block_once():
    blocks = [RowBlock(np.ones((n, 2))) for n in (3, 0, 1)]
    engine = ListEngine(blocks)
    seen = []
    sizes = engine.read(lambda i, block: (i, len(block.X)), lambda *done: seen.append(done))
    assert sizes == [(0, 3), (1, 0), (2, 1)]
    assert seen == [(1, 3), (2, 3), (3, 3)]
    summaries = engine.pack(lambda i, block: (block.X, i), lambda *done: None)
    assert summaries == [0, 1, 2]
    total = engine.request(lambda X: np.array([len(X)]), np.add, lambda *done: None)
    assert total.tolist() == [4]
    assert (engine.names, engine.n_features) == (None, 2)
    engine.close()
    with pytest.raises(RuntimeError, match="no blocks are packed"):
        engine.request(lambda X: np.array([len(X)]), np.add, lambda *done: None)


def test_a_list_without_blocks_is_rejected():
    with pytest.raises(ValueError, match=r"there are no blocks of rows\. Pass at least one"):
        ListEngine([])


@pytest.mark.parametrize("package", ["pandas", "polars", "pyarrow"])
def test_target_and_weights_are_taken_out_by_name(package):
    values = {"a": [1.0, 2.0], "class": ["x", "y"], "b": [3, 4], "w": [1, 2]}
    frame = pd.DataFrame(values) if package == "pandas" else pl.DataFrame(values)
    if package == "pyarrow":
        frame = frame.to_arrow()
    block = split_columns(frame, "class", "w")
    assert ListEngine([block]).names == ["a", "b"]
    assert ListEngine([block]).n_features == 2
    assert list(np.asarray(block.y)) == ["x", "y"]
    assert np.asarray(block.weights).tolist() == [1, 2]
    given = split_columns(frame, [0, 1])
    assert given.X is frame
    assert given.y == [0, 1]


def test_a_missing_column_is_named_with_the_nearest():
    frame = pd.DataFrame({"a": [1.0], "class": [1]})
    with pytest.raises(
        ValueError, match="y names the column 'clas', which X does not have; did you mean 'class'"
    ):
        split_columns(frame, "clas")
    with pytest.raises(ValueError, match="sample_weight names the column 'zzz', which X does not"):
        split_columns(frame, "class", "zzz")
    with pytest.raises(ValueError, match="both name the column 'class'"):
        split_columns(frame, "class", "class")


def test_rows_in_memory_are_not_in_blocks():
    assert not any(is_in_blocks(X) for X in (np.ones((2, 2)), pd.DataFrame({"a": [1]}), [[1.0]]))
    assert is_in_blocks(ListEngine([RowBlock(np.ones((2, 2)))]))


@pytest.mark.parametrize("weights", [None, np.array([1.0, 0.5, 2.0])])
def test_a_packed_block_is_kept_whole_in_a_folder_or_not_at_all(tmp_path, weights):
    codes = np.array([[0, 1, 2], [1, 1, 0]], dtype=np.uint8)
    coded = _core.CodedTable.from_codes(codes, np.array([3, 2], dtype=np.int32))
    columns, parts = np.arange(6.0).reshape(2, 3), np.array([0, 1, 1], dtype=np.int32)
    block = PackedBlock(coded, columns, parts, 2, weights)
    assert block.numbers is block.numbers
    block.save(tmp_path / "block")
    for other in (PackedBlock.open(tmp_path / "block"), pickle.loads(pickle.dumps(block))):
        assert other.coded.matrix().tolist() == codes.tolist()
        assert other.columns.tolist() == columns.tolist()
        assert (other.parts.tolist(), other.n_parts) == ([0, 1, 1], 2)
        assert np.array_equal(other.weights, weights) if weights is not None else not other.weights
    for file in sorted(path.name for path in (tmp_path / "block").iterdir()):
        torn = tmp_path / f"without {file}"
        shutil.copytree(tmp_path / "block", torn)
        (torn / file).unlink()
        with pytest.raises(FileNotFoundError):
            PackedBlock.open(torn)

"""Packed tables that are built by column groups, kept in files, or sent elsewhere."""

from __future__ import annotations

import mmap
import os
import pickle
import sys
import tempfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from tests.examples import examples
from tests.limits import largest_file
from thresher import _core
from thresher._core import _testing

pytestmark = pytest.mark.kernels

KINDS = ("plain", "parts", "sets", "whole weights", "real weights", "missing")


def some_codes(kind, n=200, p=30, seed=0):
    """Return codes with few and with many levels, their numbers, and other arguments of builders."""
    rng = np.random.default_rng(seed)
    levels = rng.choice([1, 2, 3, 8, 9, 10, 40], p).astype(np.int32)
    codes = (rng.random((p, n)) * levels[:, None]).astype(np.uint8)
    more = {}
    if kind in ("parts", "sets"):
        more["parts"] = rng.integers(0, 4, n).astype(np.int32)
    if kind == "sets":
        more["sets"] = np.array([[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0]], np.uint8)
    if kind == "whole weights":
        more["weights"] = rng.integers(0, 4, n)
    if kind == "real weights":
        more["weights"] = rng.random(n)
    if kind == "missing":
        codes[rng.random(codes.shape) < 0.1] = 255
    return codes, levels, more, 255 if kind == "missing" else -1


def properties(table, n):
    """Return the properties of a table and measures of its pairs."""
    classes = (np.arange(n) % 3).astype(np.int32)
    facts = [table.matrix(), table.levels, table.constant, table.relevance(classes, 3)]
    pairs = _core.DiscretePairMeasure(table, "mi")
    others = np.arange(table.n_features, dtype=np.uint32)
    facts.append(pairs.values(0, others))
    if table.n_parts > 1:
        facts.append(table.constant_parts)
    return facts


def assert_same(table, other, n):
    assert other.n_parts == table.n_parts
    assert _testing.n_listed(other) == _testing.n_listed(table)
    for one, two in zip(properties(table, n), properties(other, n), strict=True):
        assert one.dtype == two.dtype
        assert one.tobytes() == two.tobytes()


@pytest.mark.parametrize("kind", KINDS)
def test_a_saved_table_is_the_same(kind, tmp_path):
    codes, levels, more, missing = some_codes(kind)
    table = _core.CodedTable.from_codes(codes, levels, missing_code=missing, **more)
    table.save(tmp_path / "table")
    assert os.listdir(tmp_path) == ["table"]
    assert_same(table, _core.CodedTable.open(tmp_path / "table"), 200)
    assert_same(table, pickle.loads(pickle.dumps(table)), 200)
    assert_same(table, _core.CodedTable.load(memoryview(b"x" + table.dump())[1:]), 200)


def test_listed_columns_and_empty_tables_are_saved_too(tmp_path):
    X = sparse.random_array(
        (3000, 20), density=0.002, format="csc", random_state=np.random.default_rng(1)
    )
    X.data[:] = 1 + np.arange(len(X.data)) % 3
    table = _core.CodedTable.from_sparse(
        X.indptr, X.indices, X.data, 3000, 20, True, dense_bytes=1, missing="error"
    )
    assert _testing.n_listed(table) > 0
    table.save(str(tmp_path / "listed"))
    assert_same(table, _core.CodedTable.open(str(tmp_path / "listed")), 3000)
    empty = _core.CodedTable.from_codes(np.zeros((3, 0), np.uint8), np.ones(3, np.int32))
    opened = _core.CodedTable.load(empty.dump())
    assert (opened.n_rows, opened.n_features) == (0, 3)


@pytest.mark.skipif(sys.platform == "win32", reason="files that are open stay")
def test_an_open_table_outlives_its_file(tmp_path):
    codes, levels, _, _ = some_codes("plain")
    table = _core.CodedTable.from_codes(codes, levels)
    table.save(tmp_path / "table")
    opened = _core.CodedTable.open(tmp_path / "table")
    (tmp_path / "table").unlink()
    assert_same(table, opened, 200)


@given(st.data())
@examples(200)
def test_torn_and_third_party_bytes_are_one_error(data):
    codes, levels, more, missing = some_codes(data.draw(st.sampled_from(KINDS)), n=40, p=5)
    whole = _core.CodedTable.from_codes(codes, levels, missing_code=missing, **more).dump()
    broken = bytearray(whole)
    match data.draw(st.sampled_from(["cut", "changed", "longer", "foreign"])):
        case "cut":
            del broken[data.draw(st.integers(0, len(whole) - 1)) :]
        case "changed":
            index = data.draw(st.integers(0, len(whole) - 1))
            broken[index] ^= 1 << data.draw(st.integers(0, 7))
        case "longer":
            broken += bytes(data.draw(st.integers(1, 200)))
        case "foreign":
            broken = bytearray(data.draw(st.binary(min_size=1, max_size=300)))
    with pytest.raises(ValueError, match="is not a packed table"):
        _core.CodedTable.load(broken)


def test_files_that_are_not_tables_are_named(tmp_path):
    path = tmp_path / "other.bin"
    for content in (b"", b"PAR1", bytes(5000)):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"other\.bin' is not a packed table"):
            _core.CodedTable.open(path)
    with pytest.raises(FileNotFoundError):
        _core.CodedTable.open(tmp_path / "nowhere")


def test_a_disk_that_is_full_leaves_no_file(tmp_path):
    codes, levels, _, _ = some_codes("plain", n=50_000)
    table = _core.CodedTable.from_codes(codes, levels)
    with largest_file(20_000), pytest.raises(OSError, match="File too large"):
        table.save(tmp_path / "table")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("storage", ["memory", "file", "both"])
def test_column_groups_make_the_table_of_all_codes(kind, storage):
    codes, levels, more, missing = some_codes(kind)
    whole = _core.CodedTable.from_codes(codes, levels, missing_code=missing, **more)
    builder = _core.ColumnGroupBuilder(200, 30, **more)
    with tempfile.TemporaryFile() as file:
        for first, last in ((0, 7), (7, 7), (7, 8), (8, 30)):
            is_written = storage == "file" or (storage == "both" and first >= 7)
            builder.append(
                codes[first:last],
                levels[first:last],
                missing_code=missing,
                write=file.write if is_written else None,
            )
        assert (builder.n_bytes > 0) == (storage != "file")
        file.flush()
        assert (os.path.getsize(file.name) > 0) == (storage != "memory")
        written = None
        if storage != "memory":
            written = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        table = builder.finish(written)
    del written
    assert_same(whole, table, 200)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "missing"])
@pytest.mark.parametrize("missing", ["category", "pairwise"])
@pytest.mark.parametrize("dense_bytes", [0, 1 << 25])
@pytest.mark.parametrize("storage", ["memory", "file"])
def test_sparse_column_groups_make_the_table_of_the_matrix(kind, missing, dense_bytes, storage):
    _, _, more, _ = some_codes(kind)
    rng = np.random.default_rng(0)
    X = rng.integers(-1, 4, (200, 30)) * (rng.random((200, 30)) < np.linspace(0, 1, 30))
    X = X.astype(float)
    X[rng.random((200, 30)) < 0.01] = np.nan
    X = sparse.csc_matrix(X)
    options = {**more, "missing": missing, "dense_bytes": dense_bytes}
    whole = _core.CodedTable.from_sparse(X.indptr, X.indices, X.data, 200, 30, True, **options)
    builder = _core.ColumnGroupBuilder(200, 30, **options)
    with tempfile.TemporaryFile() as file:
        for first, last in ((0, 7), (7, 7), (7, 8), (8, 30)):
            own = X[:, first:last]
            builder.append_sparse(
                own.indptr,
                own.indices,
                own.data,
                last - first,
                write=file.write if storage == "file" else None,
            )
        file.flush()
        written = None
        if storage == "file":
            written = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        table = builder.finish(written)
    del written
    assert_same(whole, table, 200)


def test_a_sparse_column_group_names_the_column_of_the_table():
    builder = _core.ColumnGroupBuilder(400, 3)
    few, many = sparse.csc_matrix(np.ones((400, 2))), sparse.csc_matrix(np.arange(400.0)[:, None])
    builder.append_sparse(few.indptr, few.indices, few.data, 2)
    with pytest.raises(_core.TooManyLevels) as error:
        builder.append_sparse(many.indptr, many.indices, many.data, 1)
    assert error.value.column == 2
    with pytest.raises(ValueError, match="more features"):
        builder.append_sparse(few.indptr, few.indices, few.data, 2)


def test_column_groups_that_do_not_fit_are_rejected():
    codes, levels, _, _ = some_codes("plain")
    builder = _core.ColumnGroupBuilder(200, 10)
    with pytest.raises(ValueError, match="more features"):
        builder.append(codes, levels)
    with pytest.raises(ValueError, match="one per row"):
        builder.append(codes[:5, :100].copy(), levels[:5])
    with pytest.raises(ValueError, match="fewer features"):
        builder.finish()
    builder.append(codes[:9], levels[:9])
    codes[9, 3] = levels[9]
    with pytest.raises(ValueError, match="column 9"):
        builder.append(codes[9:10], levels[9:10])

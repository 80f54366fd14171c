"""Tables built from every kind of array, the results of scans, and every instruction set."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from scipy import sparse

from tests.measures import DISCRETE
from tests.naive import measures_discrete as naive
from thresher import _core
from thresher._core import _testing

from .core_results import assert_equal_results, attributes

pytestmark = pytest.mark.kernels

# --- builders ---


def sample_table(rng, n=130, p=70, low=-2, high=3):
    return rng.integers(low, high, (n, p))


@pytest.mark.parametrize(
    "dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]
)
def test_every_type_and_order_gives_the_same_table(dtype):
    rng = np.random.default_rng(5)
    X = sample_table(rng, low=0, high=5).astype(dtype)
    expected = [naive.ranks_of_values(column) for column in X.T]
    backwards = np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1]
    strided = np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3]
    locked = X.copy()
    locked.flags.writeable = False
    for array in (X, np.asfortranarray(X), backwards, strided, locked):
        table = _core.CodedTable.from_dense(array)
        assert table.matrix().tolist() == [codes.tolist() for codes, _ in expected]
        assert table.levels.tolist() == [len(values) for _, values in expected]
        assert _testing.level_values(table, 3).tolist() == expected[3][1].tolist()


def test_booleans_are_two_levels():
    X = np.array([[True, False], [False, False], [True, False]])
    table = _core.CodedTable.from_dense(X)
    assert table.levels.tolist() == [2, 1]
    assert table.constant.tolist() == [False, True]
    assert table.codes(0).tolist() == [1, 0, 1]


@pytest.mark.parametrize("n", [1, 63, 64, 65, 200])
@pytest.mark.parametrize("make", [sparse.csc_array, sparse.csr_array])
@pytest.mark.parametrize("with_parts", [False, True])
def test_sparse_tables_equal_dense_ones(n, make, with_parts):
    rng = np.random.default_rng(n)
    X = rng.integers(-1, 3, (n, 70)) * (rng.random((n, 70)) < 0.4)
    X[:, 0] = 7
    X[:, 1] = np.arange(n) % 30
    X[:, 2] = 0
    S = make(X.astype(float))
    S.data[S.data == 2] = 0.0
    X = np.where(X == 2, 0, X)
    parts = rng.integers(0, 3, n).astype(np.int32) if with_parts else None
    table = _core.CodedTable.from_sparse(
        S.indptr, S.indices, S.data, *S.shape, make is sparse.csc_array, parts
    )
    dense = _core.CodedTable.from_dense(X, parts)
    assert table.matrix().tolist() == dense.matrix().tolist()
    assert table.levels.tolist() == dense.levels.tolist()
    assert _testing.counts(table, 1, 5).tolist() == _testing.counts(dense, 1, 5).tolist()
    scan = _core.scan_sparse(S.indptr, S.indices, S.data, *S.shape, make is sparse.csc_array)
    expected = _core.scan_columns(X.astype(float))
    assert_equal_results(scan, expected)


@pytest.mark.parametrize("rows", [[1, 1, 2], [2, 1, 2]])
def test_a_cell_stored_twice_is_rejected_in_any_order(rows):
    indptr = np.array([0, 3], dtype=np.int32)
    with pytest.raises(ValueError, match="duplicate entries"):
        _core.CodedTable.from_sparse(indptr, np.array(rows, np.int32), np.ones(3), 5, 1, True)


@pytest.mark.parametrize("shape", [(0, 2), (1, 2)])
def test_pointers_that_do_not_start_at_0_are_rejected(shape):
    indptr = np.array([1, 2][: shape[0] + 1], dtype=np.int32)
    with pytest.raises(ValueError, match="indptr must rise from 0"):
        _core.CodedTable.from_sparse(indptr, np.array([9, 1], np.int32), np.ones(2), *shape, False)


def test_the_rows_of_a_column_may_come_in_any_order():
    indptr, rows = np.array([0, 3], dtype=np.int32), np.array([4, 0, 2], dtype=np.int32)
    table = _core.CodedTable.from_sparse(indptr, rows, np.ones(3), 5, 1, True)
    assert table.matrix().tolist() == [[1, 0, 1, 0, 1]]


def test_long_parts_have_the_same_codes_from_every_builder():
    rng = np.random.default_rng(6)
    sizes = (4500, 0, 8200, 130)
    parts = rng.permutation(np.repeat(np.arange(4, dtype=np.int32), sizes))
    X = rng.integers(0, 4, (len(parts), 66)) * (rng.random((len(parts), 66)) < 0.5)
    X[:, 0] = rng.integers(0, 30, len(parts))
    S = sparse.csc_array(X.astype(float))
    tables = [
        _core.CodedTable.from_dense(X.astype(np.int8), parts),
        _core.CodedTable.from_dense(np.asfortranarray(X), parts),
        _core.CodedTable.from_dense(np.asfortranarray(X.astype(np.int8)), parts),
        _core.CodedTable.from_codes(
            np.ascontiguousarray(X.T.astype(np.uint8)), X.max(0) + 1, parts
        ),
        _core.CodedTable.from_sparse(S.indptr, S.indices, S.data, *S.shape, True, parts),
    ]
    for table in tables:
        np.testing.assert_array_equal(table.matrix(), X.T)
        for f in (0, 1, 65):
            for part in range(4):
                expected = naive.contingency(*X[parts == part][:, [f, 2]].T, table.levels[f], 4)
                np.testing.assert_array_equal(_testing.counts(table, f, 2)[part], expected)


def test_missing_values_are_rejected_by_column_number():
    X = np.zeros((4, 3))
    X[2, 1] = np.nan
    with pytest.raises(ValueError, match="column 1 has missing values"):
        _core.CodedTable.from_dense(X)


def test_missing_values_can_be_a_last_level_or_left_out():
    X = np.array([[0.0, 5.0], [np.nan, 5.0], [2.0, np.nan], [0.0, np.nan]])
    table = _core.CodedTable.from_dense(X, missing="category")
    assert table.matrix().tolist() == [[0, 2, 1, 0], [0, 0, 1, 1]]
    assert table.constant.tolist() == [False, False]
    table = _core.CodedTable.from_dense(X, missing="pairwise")
    assert table.matrix().tolist() == [[0, 255, 1, 0], [0, 0, 255, 255]]
    assert table.constant.tolist() == [False, True]
    assert _testing.counts(table, 0, 1).tolist() == [[1], [0]]


def test_too_many_levels_are_rejected_by_column_number():
    X = np.zeros((300, 20))
    X[:, 17] = np.arange(300)
    with pytest.raises(_core.TooManyLevels, match="column 17 has more than 256 levels") as raised:
        _core.CodedTable.from_dense(X)
    assert raised.value.column == 17
    table = _core.CodedTable.from_dense(X[:256])
    assert table.levels[17] == 256
    assert table.codes(17).tolist() == list(range(256))


def test_large_integers_stay_distinct():
    X = np.array([[2**62], [2**62 + 1], [2**62]])
    assert _core.CodedTable.from_dense(X).codes(0).tolist() == [0, 1, 0]


# --- scans ---


@pytest.mark.parametrize("dtype", ["i1", "i2", "i8", "u1", "u8", "f4", "f8"])
def test_scan_describes_every_column(dtype):
    rng = np.random.default_rng(6)
    X = rng.integers(0, 9, (100, 90)).astype(dtype)
    X[:, 3] = rng.integers(0, 120, 100)
    X[:, 4] = 5
    X[:, 5] = np.arange(100) % 11
    X[:, 6] = np.arange(100) % 10 * 12
    if dtype[0] == "f":
        X[7, 7] = np.nan
        X[:, 8] = np.nan
        X[3, 9] = np.inf
        X[4, 9] = -np.inf
        X[50, 10] = 0.5
    backwards = np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1]
    for array in (X, np.asfortranarray(X), backwards):
        for n_threads in (1, 3):
            scan = _core.scan_columns(array, n_threads)
            for f, column in enumerate(X.T.astype(float)):
                there = column[~np.isnan(column)]
                assert scan.n_missing[f] == np.isnan(column).sum()
                assert scan.n_infinite[f] == np.isinf(column).sum()
                whole = bool(np.all(np.isfinite(there)) and np.all(there == np.floor(there)))
                assert scan.whole[f] == whole
                if len(there):
                    assert scan.minimum[f] == there.min()
                    assert scan.maximum[f] == there.max()
                else:
                    assert np.isnan(scan.minimum[f])
                assert scan.n_distinct[f] == (min(len(set(there)), 11) if whole else 11)


# --- instruction sets ---


def digest_of_kernels():
    """Return a digest of values of many kinds: it must be the same at every instruction level."""

    digest = hashlib.sha256()

    def add(*arrays):
        for array in arrays:
            digest.update(np.ascontiguousarray(array).tobytes())

    rng = np.random.default_rng(0)
    few_rows = (60, 200, 3), (72, 130, 4), (800, 70, 2), (1000, 40, 9), (500, 20, 30)
    for n, p, high in (*few_rows, (20000, 12, 8), (90000, 5, 8)):
        X = rng.integers(0, high, (n, p))
        X[:, 0] = rng.integers(-100, 100, n)
        y = rng.integers(0, 5, n).astype(np.int32)
        features = np.arange(p, dtype=np.uint32)
        for parts in (
            None,
            rng.integers(0, 4, n).astype(np.int32),
            (np.arange(n) % 20).astype(np.int32),
        ):
            for array in (
                X.astype(np.int8),
                X.astype(float),
                np.asfortranarray(X.astype(np.int16)),
            ):
                table = _core.CodedTable.from_dense(array, parts)
                add(table.matrix(), table.levels)
            for measure in DISCRETE:
                add(table.relevance(y, 5, measure))
                add(_core.DiscretePairMeasure(table, measure).values(p // 2, features))
            for term in ("joint", "conditional", "disr", "interaction"):
                add(_core.ThreeWayMeasure(table, y, 5, term).values(p // 2, features))
        weighted = _core.CodedTable.from_dense(X, weights=rng.random(n))
        add(weighted.relevance(y, 5, "mi"))
        Z = np.where(rng.random(X.shape) < 0.1, np.nan, X + 0.0)
        for missing in ("category", "pairwise"):
            add(_core.CodedTable.from_dense(Z, missing=missing).relevance(y, 5, "su"))
        for array in (X.astype(np.int8), X.astype(np.uint8), Z, np.asfortranarray(Z.astype("f4"))):
            add(*attributes(_core.scan_columns(array)).values())
    return digest.hexdigest()

"""MATLAB files of every version, in memory and streamed."""

import sys

import numpy as np
import pytest
from scipy import io, sparse

from thresher.io import BadFile, matlab
from thresher.io.temporary import TemporaryStore

from .matlab_files import Matlab5, as_matlab_7_3, cells_in, text_in

DOUBLE, SPARSE = 6, 5


def both(path):
    """Return what is read into memory and what is not, as arrays."""
    whole, streamed = (
        matlab.read(path, None, scratch) for scratch in (None, TemporaryStore(memory_limit=1 << 20))
    )
    X = streamed.columns
    if hasattr(X, "matrix"):
        return whole, X.matrix()
    return whole, np.column_stack([X.column(name).to_numpy() for name in X.kinds])


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize(("kind", "dtype"), [(2, "u1"), (3, "i2"), (7, "f4"), (9, "f8")])
def test_numbers_may_be_written_smaller_than_they_are(kind, dtype, order, tmp_path):
    X = np.arange(12).reshape(4, 3) % 7
    file = Matlab5(order)
    file.add("X", DOUBLE, (4, 3), file.element(kind, dtype, X.T))
    file.add("y", DOUBLE, (4, 1), file.element(2, "u1", [0, 1, 0, 1]))  # in the short form
    (tmp_path / "a.mat").write_bytes(file.content)
    whole, streamed = both(tmp_path / "a.mat")
    np.testing.assert_array_equal(whole.columns, X)
    np.testing.assert_array_equal(streamed, X)
    assert streamed.dtype == whole.columns.dtype.newbyteorder("=")
    assert whole.extra["y"].tolist() == [0, 1, 0, 1]


# Booleans take one byte each, whatever the name of their element.
@pytest.mark.parametrize(("kind", "dtype"), [(9, "f8"), (2, "u1"), (9, "truth")])
@pytest.mark.parametrize("order", "<>")
def test_entries_of_sparse_matrices_may_be_written_smaller(order, kind, dtype, tmp_path):
    X = np.zeros((5, 20))
    X[[0, 4, 2, 3, 1] * 2, np.arange(10) * 2] = 1 if dtype == "truth" else np.arange(10) % 3 + 1
    columns = sparse.csc_matrix(X)
    file = Matlab5(order)
    values = file.element(kind, "u1" if dtype == "truth" else dtype, columns.data)
    rows, starts = file.element(5, "i4", columns.indices), file.element(5, "i4", columns.indptr)
    flags = SPARSE | (0x200 if dtype == "truth" else 0)
    file.add("X", flags, X.shape, rows, starts, values, n_entries=10)
    (tmp_path / "a.mat").write_bytes(file.content)
    whole, streamed = both(tmp_path / "a.mat")
    np.testing.assert_array_equal(whole.columns.toarray(), X)
    np.testing.assert_array_equal(streamed.toarray(), X)


def test_the_size_of_a_sparse_matrix_is_that_of_its_entries(tmp_path):
    X = sparse.csc_matrix(([1.0], ([3], [5])), shape=(1_000_000, 100_000))
    io.savemat(tmp_path / "a.mat", {"X": X})
    assert matlab.size(tmp_path / "a.mat") < 100


def test_cells_and_text_of_hdf5_are_names_and_labels(tmp_path):
    X = np.arange(12.0).reshape(4, 3)
    with as_matlab_7_3(tmp_path / "a.mat") as file:
        file["X"] = X.T
        cells_in(file, "feature_names", ["age", "größe", "b"])
        cells_in(file, "y", ["yes", "no", "yes", "no"])
        text_in(file, "remark", "four letters")
    whole, streamed = both(tmp_path / "a.mat")
    np.testing.assert_array_equal(whole.columns, X)
    np.testing.assert_array_equal(streamed, X)
    assert whole.names == ["age", "größe", "b"]
    assert whole.extra["y"].tolist() == ["yes", "no", "yes", "no"]


def test_a_sparse_matrix_of_zeros_has_no_entries_in_hdf5(tmp_path):
    with as_matlab_7_3(tmp_path / "a.mat") as file:
        group = file.create_group("X")
        group.attrs["MATLAB_sparse"] = np.uint64(4)
        group["jc"] = np.zeros(4, np.uint64)
    whole, streamed = both(tmp_path / "a.mat")
    assert whole.columns.shape == streamed.shape == (4, 3)
    assert whole.columns.nnz == streamed.nnz == 0


def test_arrays_of_matlab_4_are_read_whole(tmp_path):
    X = np.random.default_rng(0).random((20, 3))
    io.savemat(tmp_path / "a.mat", {"X": X, "y": np.arange(20) % 2}, format="4")
    for scratch in (None, TemporaryStore(memory_limit=1 << 20)):
        found = matlab.read(tmp_path / "a.mat", None, scratch)
        np.testing.assert_array_equal(found.columns, X)
        assert found.extra["y"].tolist() == [0, 1] * 10


@pytest.mark.parametrize("is_compressed", [False, True])
def test_a_truncated_file_is_reported(is_compressed, tmp_path):
    path = tmp_path / "a.mat"
    X = np.random.default_rng(0).random((200, 30))
    io.savemat(path, {"y": np.arange(200) % 2, "X": X}, do_compression=is_compressed)
    content = path.read_bytes()
    for size in (len(content) - 100, 400, 200, 130, 128, 100):
        path.write_bytes(content[:size])
        for scratch in (None, TemporaryStore(memory_limit=1 << 20)):
            with pytest.raises(BadFile, match=r"cannot be read|must have one array"):
                matlab.read(path, None, scratch)


def test_complex_numbers_are_rejected(tmp_path):
    io.savemat(tmp_path / "a.mat", {"X": np.ones((4, 3)) * 1j})
    with pytest.raises(BadFile, match="X contains complex128, not numbers"):
        matlab.read(tmp_path / "a.mat", None, None)


def test_hdf5_needs_a_package_that_is_named(tmp_path, monkeypatch):
    with as_matlab_7_3(tmp_path / "a.mat") as file:
        file["X"] = np.eye(3)
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(
        ImportError,
        match=r"needs h5py, which is not installed. Install it with: pip install 'thresher\[matlab\]'",
    ):
        matlab.read(tmp_path / "a.mat", None, None)

"""Damaged files of every kind end in a one-line error; those that would crash the process are rejected first."""

import signal
import struct
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from scipy import sparse

from thresher import MIM
from thresher.cli import _input

from .matlab_files import Matlab5, as_matlab_7_3
from .test_cli_bad_input import ARFF, GOOD, run


def rewritten(path, change):
    """Rewrite the archive with other bytes."""
    content = bytearray(path.read_bytes())
    change(content)
    path.write_bytes(content)


def local_and_central(content, offsets, values):
    """Put bytes into the headers of the first member, at its data and at the end of the archive."""
    for signature, offset in ((b"PK\x03\x04", offsets[0]), (b"PK\x01\x02", offsets[1])):
        position = content.index(signature) + offset
        content[position : position + len(values)] = values


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.__setitem__(slice(60, 90), bytes(range(30))), "cannot be read"),  # deflate
        (lambda c: local_and_central(c, (6, 8), b"\x01\x00"), "is encrypted"),
        (lambda c: local_and_central(c, (8, 10), b"\x63\x00"), "compression method is not support"),
        (lambda c: c.__setitem__(slice(-22, None), b""), "cannot be read"),
    ],
)
@pytest.mark.parametrize("is_sparse", [False, True])
def test_a_damaged_archive_of_arrays_is_a_one_line_error(
    is_sparse, change, message, tmp_path, monkeypatch
):
    X = np.random.default_rng(0).integers(0, 3, (40, 5)).astype(float)
    path = tmp_path / "m.npz"
    if is_sparse:
        sparse.save_npz(path, sparse.csr_matrix(X), compressed=True)
    else:
        np.savez_compressed(path, X=X, y=np.arange(40) % 2)
    rewritten(path, change)
    assert message in run(tmp_path, None, name="m.npz")
    monkeypatch.setattr(_input, "size_in_memory", lambda path: 1 << 60)
    assert message in run(tmp_path, None, "--quiet", name="m.npz")


def test_members_that_are_not_arrays_are_left_out(tmp_path):
    np.savez(tmp_path / "m.npz", y=np.arange(4) % 2)
    with zipfile.ZipFile(tmp_path / "m.npz", "a") as archive:
        archive.writestr("X", b"no array")
        archive.writestr("notes.txt", b"nor this")
    message = run(tmp_path, None, name="m.npz")
    assert "must have one array of rows and columns" in message
    assert message.endswith("got y (4,)")


@pytest.mark.parametrize("index", [2**31, 2**40, 2**70])
def test_an_index_outside_the_columns_is_rejected(index, tmp_path):
    content = f"1 1:1 {index}:1\n0 1:2\n"
    assert "cannot be read: " in run(tmp_path, content, name="d.svm", target="target")


def test_too_many_columns_are_rejected_at_once(tmp_path):
    content = f"1 1:1 {2**31 - 2}:1\n0 1:2\n"
    message = run(tmp_path, content, name="d.svm", target="target")
    assert "2147483646 columns, too many for the memory of this machine. Check" in message


@pytest.mark.parametrize("text", [b"1,\xff\xfe", b"1,\xff,\xfe,4"])
def test_a_ragged_row_that_is_not_utf8_is_a_one_line_error(text, tmp_path, capfd):
    message = run(tmp_path, GOOD.encode() + text + b"\n1,2,p\n")
    assert f"row 14 has {text.count(b',') + 1} values, but the header has 3. Correct" in message
    with pytest.raises(ValueError, match=r"row 14 has . values, but the header has 3"):
        MIM(1).fit(tmp_path / "data.csv", "y")
    assert capfd.readouterr().err == ""


def test_control_characters_of_a_name_do_not_make_the_message_long(tmp_path):
    """A MATLAB 4 file claims that the name of an array is longer than the file."""
    head = struct.pack("<5i", 0, 5, 5, 0, 700)
    message = run(tmp_path, head + b"X" + b"\x01" * 699, name="m.mat")
    assert "cannot be read" in message


@pytest.mark.parametrize(
    "row", ["1," * 100_000, "{0 1, 1" + " r" * 100_000 + "}", "z" * 200_000 + ",p"]
)
def test_a_long_row_of_arff_is_not_repeated_in_the_message(row, tmp_path):
    run(tmp_path, ARFF + "1,p\n" + row + "\n", name="d.arff")


@pytest.mark.parametrize(
    ("part", "value"), [("indptr", 10**6), ("indices", 10**9), ("indices", -1)]
)
@pytest.mark.parametrize("kind", ["npz", "mat", "7.3.mat", "h5ad"])
def test_a_sparse_file_with_entries_outside_its_shape_is_rejected(
    kind, part, value, tmp_path, monkeypatch
):
    X = sparse.csc_matrix(np.eye(12) + np.tri(12))
    name = f"m.{kind}"
    write_entries(tmp_path / name, X, part, value)
    for in_memory in (True, False):
        if not in_memory:
            monkeypatch.setattr(_input, "size_in_memory", lambda path: 1 << 60)
        message = run(tmp_path, None, "--quiet", name=name, target="x0")
        assert "not a valid sparse matrix" in message or "do not rise" in message


def write_entries(path, X, part, value):
    """Write the matrix to a file, with one of its indices changed."""
    arrays = {"data": X.data, "indices": X.indices, "indptr": X.indptr}
    if path.suffix != ".h5ad":
        arrays[part] = arrays[part].copy()
        arrays[part][5] = value
    if path.suffix == ".npz":
        np.savez(path, format=b"csc", shape=X.shape, **arrays)
    elif path.suffix == ".h5ad":
        anndata = pytest.importorskip("anndata")
        h5py = pytest.importorskip("h5py")
        anndata.AnnData(X).write_h5ad(path)
        with h5py.File(path, "r+") as file:
            file["var"]["_index"][...] = [f"x{i}" for i in range(12)]
            file["X"][part][5] = value
    elif path.name.endswith("7.3.mat"):
        with as_matlab_7_3(path) as file:
            group = file.create_group("X")
            group.attrs["MATLAB_sparse"] = np.uint64(len(X.indptr) - 1)
            group["data"] = arrays["data"]
            group["ir"], group["jc"] = arrays["indices"].astype("i8"), arrays["indptr"].astype("i8")
    else:
        file = Matlab5("<")
        indices, starts = (file.element(5, "i4", arrays[name]) for name in ("indices", "indptr"))
        values = file.element(9, "f8", arrays["data"])
        file.add("X", 5, X.shape, indices, starts, values, n_entries=X.nnz)
        path.write_bytes(file.content)


@pytest.mark.parametrize(
    ("form", "part"), [("csr", "data"), ("csc", "indices"), ("coo", "row"), ("coo", "col")]
)
def test_missing_entries_of_a_sparse_file_are_reported(form, part, tmp_path, monkeypatch):
    sparse.save_npz(tmp_path / "m.npz", sparse.csr_matrix(np.tri(12)).asformat(form))
    with np.load(tmp_path / "m.npz") as file:
        arrays = dict(file)
    np.savez(tmp_path / "m.npz", **{**arrays, part: arrays[part][:4]})
    for in_memory in (True, False):
        if not in_memory:
            monkeypatch.setattr(_input, "size_in_memory", lambda path: 1 << 60)
        message = run(tmp_path, None, "--quiet", name="m.npz", target="x0")
        assert "m.npz cannot be read: " in message or "not a valid sparse matrix" in message


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia"])
def test_every_form_of_a_valid_sparse_file_is_read(form, tmp_path):
    from typer.testing import CliRunner

    from thresher.cli._app import app

    X = np.tri(12)[:, :6]
    sparse.save_npz(tmp_path / "m.npz", sparse.csr_matrix(X).asformat(form))
    done = CliRunner().invoke(app, ["select", str(tmp_path / "m.npz"), "-t", "x3", "-k", "1"])
    assert done.exit_code == 0, done.output


def claiming(path, length, size):
    """Write a file of MATLAB 7.3 with a text attribute that claims a length, stored in a slot of a given size."""
    text = "a text of some length"
    with as_matlab_7_3(path) as file:
        file["X"] = np.eye(4)
        file["X"].attrs["note"] = text
    content = bytearray(path.read_bytes())
    position = content.index(b"GCOL")
    struct.pack_into("<Q", content, position + 24, size)
    reference = struct.pack(
        "<IQ", len(text), position - 512
    )  # counted from the end of the user block
    struct.pack_into("<I", content, content.index(reference), length)
    path.write_bytes(content)


def test_an_hdf5_file_that_claims_too_much_memory_is_rejected(tmp_path):
    pytest.importorskip("resource")
    claiming(tmp_path / "m.mat", 2**32 - 1, 2**40)
    message = run(tmp_path, None, name="m.mat", target="x0")
    assert "m.mat cannot be read: it is damaged, and HDF5 crashes or takes too much" in message


def test_an_endless_hdf5_file_stops_the_checking_process(tmp_path):
    pytest.importorskip("resource")
    claiming(tmp_path / "m.mat", 21, 2**64 - 16)
    program = "from thresher.io import hdf5; hdf5._SECONDS = 1; hdf5._main({!r})"
    command = [sys.executable, "-c", program.format(str(tmp_path / "m.mat"))]
    assert subprocess.run(command).returncode == -signal.SIGXCPU

"""The journal after kills, damage and concurrent writers, and files written completely or not at all."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import textwrap
from contextlib import closing

import numpy as np
import pytest

from thresher._utils.journal import Journal, atomic_write, make_folder, writing

IDENTITY = {"data": "0123456789abcdef" * 2, "k": "[1, 3]"}
VALUES = {
    "text": "Ünïcode, \t a tab and \n a line \ud800",
    "nothing but": [],
    "numbers": [0.1, -0.0, 5e-324, math.inf, 2**70],
    "": {"nested": [None, True, {"base64": "x"}]},
    "array": np.arange(6.0).reshape(2, 3),
}


@pytest.fixture(autouse=True)
def hasty(monkeypatch):
    """Skip synchronizing files: no machine is switched off here."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


def opened(path, identity=IDENTITY, kind="checkpoint"):
    return closing(Journal(path, identity=identity, kind=kind))


def content(path):
    with opened(path) as journal:
        return {key: journal.get(key) for key in journal}


def assert_equal(found, expected):
    assert list(found) == list(expected)
    for key, value in expected.items():
        np.testing.assert_equal(found[key], value)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "log"
    with opened(path) as journal:
        for key, value in VALUES.items():
            assert journal.get(key) is None
            journal.append(key, value)
            np.testing.assert_equal(journal.get(key), value)
    return path


def test_values_come_back_from_the_file(path):
    assert_equal(content(path), VALUES)


@pytest.mark.parametrize(
    "dtype", ["?", "i1", "u1", "<i4", ">i4", "<u8", ">i8", "f2", "<f4", ">f4", "<f8", ">f8", ">c16"]
)
@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (7,), (2, 3, 4)])
def test_arrays_keep_type_shape_and_bits(dtype, shape, tmp_path):
    rng = np.random.default_rng(0)
    values = np.asarray(100 * rng.normal(size=shape)).astype(dtype)
    strange = values
    if values.size > 1 and values.dtype.kind in "fc":
        strange.flat[:2] = np.nan, -np.inf
    for i, array in enumerate(
        [strange, strange.T, np.asfortranarray(strange), strange[..., ::-1] if shape else strange]
    ):
        path = tmp_path / str(i)
        with opened(path) as journal:
            journal.append("x", array)
        found = content(path)["x"]
        assert found.dtype == array.dtype.newbyteorder("=")
        assert found.shape == array.shape
        assert found.tobytes() == np.ascontiguousarray(array, found.dtype).tobytes()
        assert found.flags.writeable


def test_payloads_of_nan_and_numbers_of_numpy_come_back(tmp_path):
    bits = np.array([0x7FF8_0000_0000_1234, 0xFFF0_0000_0000_0001], dtype="u8").view("f8")
    with opened(tmp_path / "log") as journal:
        journal.append("bits", bits)
        journal.append("one", np.float32(0.1))
        assert journal.get("bits").tobytes() == bits.tobytes()
        assert journal.get("one") == np.float32(0.1)


@pytest.mark.parametrize(
    "value", [np.array([None]), np.array(["text"]), np.array([0], "M8[s]"), {1, 2}, b"bytes"]
)
def test_nothing_is_pickled(value, tmp_path):
    with opened(tmp_path / "log") as journal:
        before = (tmp_path / "log").read_bytes()
        with pytest.raises(TypeError):
            journal.append("x", value)
        assert (tmp_path / "log").read_bytes() == before


def test_a_file_cut_at_any_byte_contains_the_complete_lines_before_it(path):
    written = path.read_bytes()
    ends = [i + 1 for i, byte in enumerate(written) if byte == ord("\n")]
    assert len(ends) == 1 + len(VALUES)
    for torn in range(len(written) + 1):
        path.write_bytes(written[:torn])
        n_whole = max(sum(end <= torn for end in ends), 1)
        assert_equal(content(path), dict(list(VALUES.items())[: n_whole - 1]))
        assert path.read_bytes() == written[: ends[n_whole - 1]]
        with opened(path) as journal:
            for key, value in list(VALUES.items())[n_whole - 1 :]:
                journal.append(key, value)
        assert path.read_bytes() == written


def test_zeros_at_the_end_are_cut_off(path):
    """Some file systems leave them after a loss of power."""
    written = path.read_bytes()
    path.write_bytes(written + bytes(5000))
    assert_equal(content(path), VALUES)
    assert path.read_bytes() == written


def test_a_flipped_bit_loses_its_line_and_all_later_ones(path):
    written = path.read_bytes()
    first = written.index(b"\n") + 1
    for offset in range(first, len(written)):
        flipped = bytes([written[offset] ^ 1 << offset % 8])
        path.write_bytes(written[:offset] + flipped + written[offset + 1 :])
        n_whole = written[:offset].count(b"\n") - 1
        assert_equal(content(path), dict(list(VALUES.items())[:n_whole]))
        assert path.read_bytes() == written[: written.rindex(b"\n", 0, offset) + 1]


def test_a_flipped_bit_of_the_first_line_is_rejected_and_the_file_left_alone(path):
    written = path.read_bytes()
    for offset in range(written.index(b"\n") + 1):
        flipped = bytes([written[offset] ^ 1 << offset % 8])
        path.write_bytes(written[:offset] + flipped + written[offset + 1 :])
        with pytest.raises(ValueError, match="log is damaged, or not a checkpoint of this version"):
            content(path)
        assert path.read_bytes() == written[:offset] + flipped + written[offset + 1 :]


@pytest.mark.parametrize(
    "foreign", [b"\n", b"a,b\n1,2\n", bytes(100), b"thresher", b'{"thresher journal": 2, ', b"{}"]
)
def test_third_party_files_are_rejected_and_not_changed(foreign, tmp_path):
    path = tmp_path / "log"
    path.write_bytes(foreign)
    with (
        pytest.raises(
            ValueError, match=r"log is damaged, or not a store of .*. Pass another store, or delete"
        ),
        opened(path, kind="store"),
    ):
        pass
    assert path.read_bytes() == foreign


@pytest.mark.parametrize(
    ("identity", "kind", "words"),
    [
        ({**IDENTITY, "data": "other"}, "checkpoint", "with other data."),
        ({**IDENTITY, "k": "[2]"}, "checkpoint", r"with other k \(\[1, 3\]\)."),
        ({"data": "other", "k": "[2]"}, "checkpoint", r"with other data and k \(\[1, 3\]\)."),
        ({"data": IDENTITY["data"]}, "checkpoint", "with k, which is not given."),
        ({**IDENTITY, "a\nb": ""}, "checkpoint", r"without 'a\\nb'."),
        (dict(reversed(IDENTITY.items())), "checkpoint", "in another order."),
        (IDENTITY, "store", r"with other kind \(checkpoint\). Pass another store, or delete this file"),
    ],
)  # fmt: skip
def test_another_identity_is_rejected_by_name(identity, kind, words, path):
    before = path.read_bytes() + b"torn"
    path.write_bytes(before)
    with pytest.raises(ValueError, match=f"log was written {words}"), opened(path, identity, kind):
        pass
    assert path.read_bytes() == before


def test_a_settled_value_stays(tmp_path):
    for given in (7, 8):
        with opened(tmp_path / "log") as journal:
            assert journal.settle("seed", given, is_given=False) == 7
    with opened(tmp_path / "log") as journal:
        assert journal.settle("seed", 7) == 7
        with pytest.raises(ValueError, match=r"was written with other seed \(7\). Pass another"):
            journal.settle("seed", 8)


def test_the_last_value_of_a_key_counts(path):
    with opened(path) as journal:
        journal.append("text", 1)
        assert journal.get("text") == 1
    assert content(path)["text"] == 1


WRITER = """
    import sys
    from pathlib import Path
    from thresher._utils.journal import Journal

    for i in range(20):
        journal = Journal(Path(sys.argv[1]), identity={}, kind="checkpoint")
        assert journal.get(f"{sys.argv[2]} {i}") is None
        journal.append(f"{sys.argv[2]} {i}", [sys.argv[2]] * 2000)
        journal.append(f"{sys.argv[2]} {i} too", i)
        journal.close()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs locks of POSIX")
def test_processes_append_in_turns(tmp_path):
    path = tmp_path / "log"
    command = [sys.executable, "-c", textwrap.dedent(WRITER), str(path)]
    writers = [subprocess.Popen([*command, name]) for name in "abc"]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    with opened(path, {}) as journal:
        keys = list(journal)
        assert sorted(keys) == sorted(
            f"{w} {i}{e}" for w in "abc" for i in range(20) for e in ("", " too")
        )
        assert keys[1::2] == [f"{key} too" for key in keys[::2]]
        assert all(journal.get(key) == [key[0]] * 2000 for key in keys[::2])


def test_arrays_stay_in_the_file(tmp_path):
    import tracemalloc

    with opened(tmp_path / "log") as journal:
        for i in range(20):
            journal.append(str(i), np.zeros(100_000))
    tracemalloc.start()
    with opened(tmp_path / "log") as journal:
        assert len(list(journal)) == 20
        assert tracemalloc.get_traced_memory()[0] < 100_000
    assert tracemalloc.get_traced_memory()[1] < 8_000_000  # a few times one line
    tracemalloc.stop()


def test_a_folder_that_is_a_file_or_in_one_is_rejected(tmp_path):
    assert make_folder("store", tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "in it"):
        with pytest.raises(ValueError, match="store must name a folder, got the file"):
            make_folder("store", folder)


@pytest.mark.parametrize("overwrite", [False, True])
def test_no_file_is_left_if_one_of_several_fails(overwrite, tmp_path):
    contents = {tmp_path / "a": b"1", tmp_path / "b": b"2"}
    with writing(contents, overwrite=overwrite):
        assert sorted(path.suffix for path in tmp_path.iterdir()) == [".part", ".part"]
    assert sorted(tmp_path.iterdir()) == sorted(contents)
    for path in contents:
        path.unlink()
    with pytest.raises(KeyboardInterrupt), writing(contents, overwrite=overwrite):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []
    with (
        pytest.raises(OSError, match=r"b.c was not written: No such file"),
        writing({**contents, tmp_path / "b" / "c": b"3"}, overwrite=overwrite),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_exists_is_written_over_only_if_allowed(tmp_path):
    atomic_write(tmp_path / "a", b"1", overwrite=False)
    with pytest.raises(FileExistsError, match="a was not written: it exists already"):
        atomic_write(tmp_path / "a", b"2", overwrite=False)
    assert (tmp_path / "a").read_bytes() == b"1"
    with (
        pytest.raises(FileExistsError),
        writing({tmp_path / "new": b"3", tmp_path / "a": b"2"}, overwrite=False),
    ):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    atomic_write(tmp_path / "a", b"2")
    assert (tmp_path / "a").read_bytes() == b"2"

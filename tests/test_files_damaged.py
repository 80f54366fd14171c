"""Tables in damaged files are validated before their offsets and lengths are used."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import dataset, parquet
from typer.testing import CliRunner

from thresher import MIM
from thresher.cli import _input
from thresher.cli._app import app
from thresher.io.table import FileColumns, join_parts

from .test_cli_bad_input import run

ROOT = Path(__file__).resolve().parents[1]


def table(**columns):
    rng = np.random.default_rng(0)
    numbers = {f"x{i}": rng.normal(size=60) for i in range(3)}
    return pa.table({**numbers, **columns, "y": np.arange(60) % 2})


def text_from(offsets):
    """Return sixty texts of two letters, at these offsets of their buffer."""
    starts = np.arange(0, 122, 2, dtype=np.int32)
    starts[list(offsets)] = list(offsets.values())
    buffers = [None, pa.py_buffer(starts), pa.py_buffer(b"ab" * 60)]
    return pa.Array.from_buffers(pa.string(), 60, buffers)


def words_from(index):
    """Return categories with one index outside the words."""
    indices = np.arange(60, dtype=np.int32) % 2
    indices[7] = index
    return pa.DictionaryArray.from_arrays(pa.array(indices), pa.array(["u", "v"]), safe=False)


FAULTS = {
    "offsets of text": lambda: text_from({7: 2**30}),
    "falling offsets of text": lambda: text_from({7: -(2**30)}),
    "categories": lambda: words_from(2**30),
    "negative categories": lambda: words_from(-(2**30)),
    "bytes that are not UTF-8": lambda: pa.Array.from_buffers(
        pa.string(), 60, [None, text_from({}).buffers()[1], pa.py_buffer(b"\xff\xfe" * 60)]
    ),
}


def all_sentences(folder):
    """Return the outcome of a fit of a file and of a table, and of the command, for each fault, line by line."""
    for name, fault in FAULTS.items():
        path = Path(folder, f"{name}.arrow")
        given = table(bad=fault())
        with pa.ipc.new_file(str(path), given.schema) as writer:
            writer.write_table(given)
        try:
            MIM(1).fit(path, "y")
        except ValueError as error:
            print(error, flush=True)
        done = CliRunner().invoke(app, ["select", str(path), "-t", "y", "-k", "1"])
        print(done.stderr.strip(), flush=True)
        try:
            MIM(1).fit(given.drop_columns("y"), np.arange(60) % 2)
        except ValueError as error:
            print(error, flush=True)


def test_offsets_and_indices_are_checked_before_they_are_used(tmp_path):
    """Run in a separate process, which would end."""
    program = (
        f"from tests.test_files_damaged import all_sentences; all_sentences({str(tmp_path)!r})"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 3 * len(FAULTS)
    for i, fault in enumerate(FAULTS):
        of_fit, of_command, of_table = lines[3 * i : 3 * i + 3]
        assert f"{fault}.arrow cannot be read: " in of_fit
        assert of_command.startswith("thresher: ")
        assert f"{fault}.arrow cannot be read: " in of_command
        assert of_table.startswith("X cannot be read: ")


@pytest.mark.parametrize("form", ["folder", "dataset", "union", "filtered"])
def test_a_damaged_arrow_file_is_found_before_a_dataset_reads_it(form, tmp_path):
    """A dataset that reads it ends the process now and then."""
    for k in range(2):
        path = tmp_path / f"part={k}" / "t.arrow"
        path.parent.mkdir()
        with pa.ipc.new_file(str(path), table().schema) as writer:
            writer.write_table(table(), max_chunksize=20)
    content = bytearray(path.read_bytes())
    *_, begin, _, _ = (found.end() for found in re.finditer(b"\xff" * 4, content))
    content[begin + 4 : begin + 36] = b"\xff" * 32  # the head of a batch
    path.write_bytes(content)
    read = dataset.dataset(tmp_path, format="ipc", partitioning="hive")
    given = {
        "folder": tmp_path,
        "dataset": read,
        "union": dataset.dataset([read, dataset.dataset(table())]),
        "filtered": read.filter(dataset.field("y") >= 0),
    }
    with pytest.raises(ValueError, match=r"part=1.t\.arrow cannot be read: "):
        MIM(1).fit(given[form], "y")


@pytest.mark.parametrize("fraction", [0.1, 0.3, 0.5])
def test_pages_that_cannot_be_unpacked_name_the_file(fraction, tmp_path):
    path = tmp_path / "t.parquet"
    parquet.write_table(table(), path, compression="gzip", use_dictionary=False)
    content = bytearray(path.read_bytes())
    begin = int(fraction * len(content))
    content[begin : begin + 200] = b"\xff" * 200
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"t\.parquet cannot be read: ") as raised:
        MIM(1).fit(path, "y")
    assert len(str(raised.value)) < 400
    with pytest.raises(ValueError, match=r"cannot be read: "):
        MIM(1).fit(dataset.dataset(path), "y")
    assert "cannot be read: " in run(tmp_path, None, name="t.parquet")


def test_names_that_are_not_utf8_are_rejected(tmp_path):
    path = tmp_path / "t.parquet"
    parquet.write_table(table(name_of_it=np.arange(60) % 3), path, store_schema=False)
    path.write_bytes(path.read_bytes().replace(b"name_of_it", b"name\xff\xfeof_it"[:10]))
    with pytest.raises(ValueError, match="cannot be read: 'utf-8' codec"):
        MIM(1).fit(path, "y")
    assert "cannot be read" in run(tmp_path, None, name="t.parquet")


def test_version_1_of_feather_is_rejected_as_it_cannot_be_read_safely(tmp_path):
    (tmp_path / "t.feather").write_bytes(b"FEA1" + bytes(100) + b"FEA1")
    message = run(tmp_path, None, name="t.feather")
    assert (
        "is in version 1 of Feather, which cannot be read safely. Write it in version 2" in message
    )
    with pytest.raises(ValueError, match="version 1 of Feather"):
        MIM(1).fit(tmp_path / "t.feather", "y")


class Short:
    """A part whose number of rows differs from the one that it reports."""

    name, is_columnar, schema, n_rows = "a part", True, table().schema, 61

    def read(self, columns, use_threads):
        yield table().select(columns)


def test_columns_of_another_length_than_the_file_states_are_rejected():
    files = join_parts([Short()])
    assert isinstance(files, FileColumns)
    with pytest.raises(ValueError, match="a part cannot be read: its columns have 60 rows, not 61"):
        files.column("x0")


def test_categories_and_texts_of_any_type_are_read_alike_in_memory_and_out_of_it(
    tmp_path, monkeypatch
):
    """This includes types for which pyarrow counts no distinct values."""
    words = pa.array(np.array(["u", "v", "w"])[np.arange(60) % 3])
    given = table(category=words.dictionary_encode(), large=words.cast(pa.large_string()))
    parquet.write_table(given, tmp_path / "t.parquet")
    found = []
    for size in (_input.size_in_memory, lambda path: 1 << 60):
        monkeypatch.setattr(_input, "size_in_memory", size)
        command = [
            "select",
            str(tmp_path / "t.parquet"),
            "-t",
            "y",
            "-k",
            "5",
            "-m",
            "mim",
            "--json",
        ]
        done = CliRunner().invoke(app, command)
        assert done.exit_code == 0, done.output
        found.append(json.loads(done.stdout)["selected"])
    assert found[0] == found[1]

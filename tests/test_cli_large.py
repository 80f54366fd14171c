"""A file larger than the memory limit gives the same result as the same rows in memory."""

import json
import subprocess
import sys
import textwrap

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, feather, parquet
from scipy import sparse
from typer.testing import CliRunner

from thresher.cli import _input
from thresher.cli._app import app
from thresher.cli._options import METHODS

N = 2500


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, N)
    X = rng.normal(size=(N, 60)) + y[:, None] * np.linspace(0, 0.6, 60)
    columns = {f"x{i}": np.round(column, 6) for i, column in enumerate(X.T)}
    return pa.table(
        {
            "id": [f"row {i}" for i in range(N)],
            "day": pa.array(np.arange(N) % 300, pa.int32()).cast(pa.date32()),
            **columns,
            "copy": columns["x59"],
            "word": np.array(["a", "b"])[y ^ (rng.random(N) < 0.2)],
            "target": np.array(["no", "yes"])[y],
        }
    )


def write(table, folder, ending):
    path = folder / f"table.{ending}"
    if ending == "parquet":
        parquet.write_table(table, path, row_group_size=1000)
    elif ending == "feather":
        feather.write_feather(table, path, compression="uncompressed")
    elif ending == "arrow":
        with pa.ipc.new_file(path, table.schema) as file:
            file.write_table(table, max_chunksize=700)
    else:
        csv.write_csv(
            table, pa.CompressedOutputStream(path, "gzip") if ending == "csv.gz" else path
        )
    return path


def select(path, *options):
    arguments = ["select", str(path), "-t", "target", "--exclude", "day", *map(str, options)]
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize("ending", ["parquet", "feather", "arrow", "csv", "csv.gz"])
def test_streamed_and_whole_are_the_same(ending, table, tmp_path):
    path = write(table, tmp_path, ending)
    code, whole, message = select(path, "-k", 5, "--json")
    assert code == 0, message
    assert "its rows stay in the file" not in message
    code, streamed, message = select(path, "-k", 5, "--json", "--memory", "1MiB")
    assert code == 0, message
    assert "its rows stay in the file" in message
    assert "column id has a different text in every row" in message
    whole, streamed = json.loads(whole), json.loads(streamed)
    assert streamed["selected"] == whole["selected"]
    assert (streamed["n_samples"], streamed["n_features"]) == (N, 62)


def test_report_and_selection_of_a_streamed_file_are_those_of_memory(table, tmp_path):
    path = write(table, tmp_path, "parquet")
    pages = []
    for name, options in (("whole", ()), ("streamed", ("--memory", "1MiB"))):
        out, page = tmp_path / f"{name}.json", tmp_path / f"{name}.html"
        code, _, message = select(path, "-k", 4, "-o", out, "--report", page, *options)
        assert code == 0, message
        run = json.loads(out.read_text())["run"]
        run.pop("notes")
        run["facts"].pop("notes")
        pages.append(run)
        assert "Redundant features" in page.read_text("utf-8")
    assert pages[0] == pages[1]


@pytest.mark.parametrize("method", sorted(METHODS))
def test_every_method_streams(method, tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (60, 6)).astype(float)
    columns = dict(zip("abcdef", X.T, strict=True))
    path = write(pa.table({**columns, "target": (X[:, 0] > 0).astype(int)}), tmp_path, "parquet")
    arguments = ["select", str(path), "-t", "target", "-m", method, "--quiet"]
    whole = CliRunner().invoke(app, arguments)
    monkeypatch.setattr(_input, "size_in_memory", lambda _: 1 << 60)
    streamed = CliRunner().invoke(app, arguments)
    assert streamed.exit_code == 0, streamed.output
    assert streamed.stdout == whole.stdout != ""


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.set_column(5, "x3", pa.nulls(N)), "column x3 contains only missing"),
        (lambda t: t.set_column(5, "x3", pa.array([None, *range(N - 1)])), "contains NaN in 1 of"),
        (lambda t: t.slice(0, 0), "has no rows"),
        (lambda t: t.rename_columns(["n" * 5000, *t.column_names[1:]]), "has 5000 characters"),
        (lambda t: t.drop_columns(["target"]), "--target target: there is no such column"),
        (lambda t: t.set_column(64, "target", pa.array(["yes"] * N)), "y has one class (yes)"),
    ],
)  # fmt: skip
def test_bad_input_is_a_one_line_error(change, message, table, tmp_path):
    path = write(change(table), tmp_path, "parquet")
    code, shown, error = select(path, "-k", 3, "--memory", "1MiB", "-o", tmp_path / "o.json")
    if "no rows" not in message:
        assert message in error
    assert (code, shown) == (2, "")
    assert not (tmp_path / "o.json").exists()


def test_k_auto_names_its_need_for_all_rows(table, tmp_path):
    path = write(table, tmp_path, "parquet")
    code, _, message = select(path, "-k", "auto", "--memory", "1MiB")
    assert code == 2
    assert "-k auto needs all rows in memory" in message
    sparse.save_npz(tmp_path / "thin.npz", sparse.random(1000, 400, 0.3, "csr", random_state=0))
    arguments = ["select", str(tmp_path / "thin.npz"), "-t", "x0", "--memory", "1MiB", "-k", "auto"]
    result = CliRunner().invoke(app, [*arguments, "--target-kind", "numeric"])
    assert result.exit_code == 2
    assert "-k auto needs all rows in memory" in result.stderr
    code, _, message = select(path, "--memory", "much")
    assert code == 2
    assert "--memory must be a number of bytes" in message


@pytest.mark.parametrize("command", ["compare", "stability", "probe", "recommend"])
def test_a_table_that_cannot_fit_is_rejected_before_it_is_read(
    command, table, tmp_path, monkeypatch
):
    path = write(table, tmp_path, "parquet")
    monkeypatch.setattr(_input, "total_memory", lambda: 2 * N * len(table.column_names) * 8 - 1)
    monkeypatch.setattr(_input, "resolve_memory_limit", lambda *_: 1 << 20)
    result = CliRunner().invoke(app, [command, str(path), "-t", "target"])
    assert result.exit_code == 2
    assert "takes about 0.0013 GB as a table" in result.stderr
    assert "Use --sample N" in result.stderr


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are Linux's")
def test_a_file_larger_than_memory_is_selected_from(tmp_path):
    # 400 MB of floats, of which 64 MB may be in memory at a time.
    path = tmp_path / "large.parquet"
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 50_000)
    schema = pa.schema([(f"x{i}", pa.float64()) for i in range(1000)] + [("y", pa.int64())])
    with parquet.ParquetWriter(path, schema, use_dictionary=False, compression="none") as writer:
        for begin in range(0, len(y), 10_000):
            part = y[begin : begin + 10_000]
            X = rng.normal(size=(1000, len(part)))
            X[7] += part
            writer.write_table(pa.table([*X, part], schema=schema))
    code = textwrap.dedent(f"""
        import sys, threading
        import numpy as np
        from pathlib import Path
        from thresher import MIM
        from thresher.cli import main
        def now():
            return 1024 * int(Path("/proc/self/status").read_text().split("RssAnon:")[1].split()[0])
        MIM(2).fit(np.random.rand(50, 4), np.arange(50) % 2)
        before, most, done = now(), 0, threading.Event()
        def watch():
            global most
            while not done.wait(0.002):
                most = max(most, now())
        watcher = threading.Thread(target=watch)
        watcher.start()
        sys.argv = ["thresher", "select", {str(path)!r}, *"-t y -k 3 -q -m mim --memory 64MB".split()]
        try:
            main()
        except SystemExit as end:
            assert not end.code
        finally:
            done.set()
            watcher.join()
        print(most - before, file=sys.stderr)
    """)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "x7"
    # Mapped files do not count; libraries that are loaded on the way do.
    assert int(done.stderr.splitlines()[-1]) < 100e6

"""Files that cannot be read raise a one-line error, and nothing is left behind."""

from __future__ import annotations

import gc
import os
import re
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, parquet
from sklearn.base import clone

from tests.limits import largest_file
from thresher import CFS, MRMR, RFS, RRFS, Chain, Ensemble, ReliefF, Univariate
from thresher.io.temporary import TemporaryStore, resolve_memory_limit


def frame(n=100, p=4, seed=0):
    rng = np.random.default_rng(seed)
    made = pd.DataFrame(rng.normal(size=(n, p)), columns=[f"x{i}" for i in range(p)])
    return made.assign(label=np.arange(n) % 2)


@pytest.fixture
def path(tmp_path):
    frame().to_parquet(tmp_path / "table.parquet")
    return tmp_path / "table.parquet"


def check_rejected(X, y="label", *, error=ValueError, match, selector=None, **options):
    selector = MRMR(2, relevance="mi") if selector is None else selector
    with pytest.raises(error, match=match) as raised:
        selector.fit(X, y, **options)
    assert len(str(raised.value).splitlines()) == 1
    assert not hasattr(selector, "selected_")
    assert not hasattr(selector, "n_features_in_")


def test_missing_paths_and_columns_name_the_nearest(path):
    check_rejected(
        path.with_name("tabel.parquet"),
        error=FileNotFoundError,
        match=r"did you mean '.*table\.parquet'",
    )
    check_rejected("/nowhere/at/all.csv", error=FileNotFoundError, match="no such file or folder")
    check_rejected(
        path.parent.with_name(path.parent.name + "s") / path.name,
        error=FileNotFoundError,
        match=rf"did you mean '.*{path.parent.name}.+table\.parquet'",
    )
    check_rejected(
        path,
        "labell",
        match="y names the column 'labell', which X does not have; did you mean 'label'",
    )
    selector = MRMR(2, relevance="mi")
    with pytest.raises(ValueError, match="sample_weight names the column 'x9'"):
        selector.fit(path, "label", "x9")
    with pytest.raises(ValueError, match="both name the column 'label'"):
        selector.fit(path, "label", "label")


def test_lengths_must_agree(path):
    check_rejected(path, np.zeros(99), match="same number of samples, got 100 and 99")


def test_contents_that_are_not_tables(tmp_path):
    for name, content, message in (
        ("a.parquet", b"PAR1 and no more", "cannot be read"),
        ("a.feather", b"nothing", "cannot be read"),
        ("a.csv", b"", "it is empty"),
        ("b.csv", b"a,label\n1,2\n1,2,3\n", "has 3 values, but the header has 2"),
        ("c.csv", "a,label\n1,2\n".encode("utf-16"), "UTF-16"),
        ("a.xlsx", b"PK", "is not in a known format. Pass Parquet"),
        ("d.csv", b"a,label\n", "contains no rows"),
        ("e.csv", b"label\n1\n2\n", "no column except the target"),
    ):
        (tmp_path / name).write_bytes(content)
        check_rejected(tmp_path / name, match=message)


def test_values_that_cannot_be_used_are_named(tmp_path):
    for column, message in (
        (np.where(np.arange(100) == 3, np.inf, 1.0), "'bad' of X contains infinity"),
        (np.where(np.arange(100) == 3, np.nan, 1.0), "'bad' of X contains NaN in 1 of 100"),
        (pd.Timestamp("2020-01-01"), "'bad' has the type Datetime.*Convert or drop it"),
    ):
        frame().assign(bad=column).to_parquet(tmp_path / "t.parquet")
        check_rejected(tmp_path / "t.parquet", match=message)
        MRMR(2, relevance="mi", exclude=["bad"]).fit(tmp_path / "t.parquet", "label")
    words = [f"word {i}" for i in range(400)]
    frame(400).assign(bad=words).to_parquet(tmp_path / "t.parquet")
    check_rejected(tmp_path / "t.parquet", match="column 'bad' has more than 256 levels")


def test_parts_must_have_the_same_columns_and_types(tmp_path):
    def write(second):
        frame().to_parquet(tmp_path / "1.parquet")
        second.to_parquet(tmp_path / "2.parquet")
        return tmp_path

    check_rejected(
        write(frame(p=3)),
        match=r"differ in their columns: .*1\.parquet has 'x3', .*2\.parquet does not",
    )
    check_rejected(
        write(frame().assign(more=1)), match=r"2\.parquet has 'more', .*1\.parquet does not"
    )
    check_rejected(
        write(frame().assign(x1="word")),
        match=r"'x1' is a number in .*1\.parquet and text in .*2\.parquet",
    )
    check_rejected(write(frame().assign(x1=True)), match="a Boolean in")
    (tmp_path / "3.csv").write_text("a,label\n1,2\n")
    check_rejected(tmp_path, match=r"files of several formats \(parquet, text\)")
    empty = tmp_path / "empty"
    empty.mkdir()
    check_rejected(empty, match="contains no files")


def test_numbers_of_other_types_and_columns_without_values_fit_together(tmp_path):
    table = frame()
    table.iloc[:50].assign(x0=1, x1=None).to_parquet(tmp_path / "1.parquet")
    table.iloc[50:].to_parquet(tmp_path / "2.parquet")
    whole = table.copy()
    whole.loc[:49, "x0"], whole.loc[:49, "x1"] = 1.0, np.nan
    selector = MRMR(2, relevance="mi", missing="category")
    memory = selector.fit(whole.drop(columns="label"), whole.label).relevance_
    assert selector.fit(tmp_path, "label").relevance_.tobytes() == memory.tobytes()


def test_two_columns_of_one_name_are_rejected(tmp_path):
    (tmp_path / "t.csv").write_text("a,a,label\n1,2,0\n2,3,1\n")
    check_rejected(tmp_path / "t.csv", match="columns 1 and 2 are both named a")


def test_the_options_for_files_are_checked(path):
    check_rejected(
        path, error=TypeError, match="'memory_limits'; did you mean 'memory_limit'", memory_limits=1
    )
    for bad in (0, -5, "2 apples", 1.5, True, "1KB"):
        check_rejected(path, match="memory_limit must be a number of bytes", memory_limit=bad)
    check_rejected(path, match="scratch must be a folder", scratch=path)
    X = frame().drop(columns="label")
    for selector in (MRMR(2), CFS(), ReliefF(2), Ensemble(MRMR(2), 3)):
        check_rejected(
            X,
            np.arange(100) % 2,
            match="memory_limit is for rows",
            selector=selector,
            memory_limit="2GB",
        )


def test_memory_limits_are_bytes():
    assert resolve_memory_limit("2GB") == 2 * 10**9
    assert resolve_memory_limit("1.5 GiB") == 3 << 29
    assert resolve_memory_limit(5_000_000) == 5_000_000
    assert resolve_memory_limit(None) >= 1 << 20


def test_columns_that_are_too_tall_are_rejected_with_the_limit_that_would_do(tmp_path):
    path = tall_file(tmp_path)
    tall = RRFS(1)
    check_rejected(
        path, selector=tall, match="Set memory_limit=4480000 or more", memory_limit="1MiB"
    )
    tall.fit(path, "label", memory_limit=4_480_000)
    short = MRMR(1, relevance="mi")
    check_rejected(
        path,
        selector=short,
        match=r"X and y must have the same number",
        y=[0, 1],
        memory_limit="1MiB",
    )


def tall_file(folder):
    frame = pd.DataFrame({"a": np.arange(70_000) % 70 * 0.5, "label": np.arange(70_000) % 2})
    frame.to_parquet(folder / "t.parquet", row_group_size=9_000)
    return folder / "t.parquet"


def test_a_client_that_reads_no_files_is_rejected(path):
    check_rejected(path, match="client=3 does not read files", client=3)


def test_row_groups_that_are_too_large_are_rejected_with_the_limit_that_would_do(tmp_path):
    frame = pd.DataFrame({f"x{i}": np.arange(70_000) * 0.5 for i in range(9)})
    frame.assign(label=np.arange(70_000) % 2).to_parquet(tmp_path / "t.parquet")
    check_rejected(
        tmp_path / "t.parquet",
        match=r"Set memory_limit=4480000, or write smaller",
        memory_limit="4MB",
    )


def test_selectors_that_need_rows_in_memory_raise_a_clear_error(path):
    check_rejected(path, match="Chain takes rows in memory only", selector=Chain([MRMR(2)]))
    fitted = MRMR(2, relevance="mi").fit(path, "label")
    with pytest.raises(ValueError, match="MRMR takes rows in memory only"):
        fitted.transform(path)


def test_without_pyarrow_the_extra_is_named(path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"pip install 'thresher\[arrow\]'"):
        MRMR(2).fit(path, "label")


# --- nothing is left behind ---


@pytest.mark.parametrize("selector", [MRMR(3), MRMR(3, relevance="mi", discretize="mdl")], ids=repr)
def test_a_disk_that_is_full_is_a_one_line_error(selector, tmp_path):
    table = frame(20_000, 40)
    table.to_parquet(tmp_path / "t.parquet")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    if selector.relevance == "mi":  # bytes, more than memory may take
        selector.set_params(discretize="equal-frequency:20")
    with largest_file(100_000):
        check_rejected(
            tmp_path / "t.parquet",
            error=OSError,
            match=r"no space for temporary files in .*\. Set scratch to a folder with more space$",
            selector=selector,
            memory_limit=1_300_000,
            scratch=scratch,
        )
    assert os.listdir(scratch) == []


def test_temporary_files_have_no_names(tmp_path):
    file = TemporaryStore(tmp_path).file()
    file.write(np.arange(5.0))
    assert file.array(np.float64, (5,)).tolist() == [0, 1, 2, 3, 4]
    if sys.platform != "win32":  # where they have one until they are closed
        assert os.listdir(tmp_path) == []
    del file
    gc.collect()
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_a_killed_fit_leaves_no_files(tmp_path):
    frame(2000, 300).to_parquet(tmp_path / "t.parquet")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    program = textwrap.dedent(f"""
        import os, signal
        from thresher import MRMR
        from thresher.data import files
        read, seen = files.ColumnGroupReader._table, []
        def table(self, group):
            seen.append(group)
            if len(seen) == 20:
                os.kill(os.getpid(), signal.{{}})
            return read(self, group)
        files.ColumnGroupReader._table = table
        MRMR(3).fit({str(tmp_path / "t.parquet")!r}, "label", memory_limit="1MiB", scratch={str(scratch)!r})
    """)
    for name in ("SIGKILL", "SIGINT"):
        done = subprocess.run(
            [sys.executable, "-c", program.format(name)], capture_output=True, text=True
        )
        assert done.returncode == -getattr(signal, name), done.stderr
        assert ("KeyboardInterrupt" in done.stderr) == (name == "SIGINT")
        assert os.listdir(scratch) == []


def most_memory_of(fits, warm_up):
    """Return the most anonymous memory of fits, beyond that of the interpreter after a small one."""
    if not os.path.exists("/proc/self/status"):
        pytest.skip("the system does not report anonymous memory")
    program = f"""
import threading, numpy as np, pyarrow.parquet
from pathlib import Path
from thresher import MRMR
def now():
    return 1024 * int(Path("/proc/self/status").read_text().split("RssAnon:")[1].split()[0])
{warm_up}
before, most, done = now(), [0], threading.Event()
def watch():
    while not done.wait(0.002):
        most[0] = max(most[0], now())
watcher = threading.Thread(target=watch); watcher.start()
{fits}
done.set(); watcher.join()
print(most[0] - before)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return int(done.stdout)


def written(folder, n, p):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(n, p)), columns=[f"x{i}" for i in range(p)])
    table.assign(label=np.arange(n) % 2).to_parquet(folder / "t.parquet", row_group_size=5000)
    return str(folder / "t.parquet")


def test_one_pass_uses_no_more_memory_than_the_limit(tmp_path):
    """This includes the table of 64 MB."""
    path = written(tmp_path, 20_000, 400)
    assert parquet.ParquetFile(path).num_row_groups == 4
    most = most_memory_of(
        f"""
for relevance in ("mi", "r2"):
    MRMR(5, relevance=relevance).fit({path!r}, "label", memory_limit="16MB")
""",
        'MRMR(2, relevance="mi").fit(np.random.rand(50, 4), np.arange(50) % 2)',
    )
    # pyarrow and its threads take some megabytes in addition to the column groups.
    assert most < 40_000_000


def test_memory_of_a_group_of_long_columns_is_reused(tmp_path):
    """A column takes 2.4 MB, its codes 0.3 MB and are packed into 0.3 MB."""
    path = written(tmp_path, 300_000, 100)
    fit = f'MRMR(1, relevance="mi", discretize="equal-frequency").fit({path!r}, "label", memory_limit="40MB")'
    most = most_memory_of(fit, "")
    assert most < 60_000_000


@pytest.mark.parametrize("row", [2, 30_000, 60_000])
def test_a_ragged_row_is_reported_by_its_number_in_the_file(row, tmp_path):
    lines = ["a,b,y", *(f"{i},{i % 7},{i % 2}" for i in range(60_000))]
    lines[row - 1] = "1,2"
    path = tmp_path / "ragged.csv"
    path.write_text("\n".join(lines))
    with pytest.raises(ValueError, match=f"row {row} has 2 values, but the header has 3"):
        MRMR(1).fit(path, "y", memory_limit=1 << 20)


@pytest.mark.parametrize("read", ["memory", "files"])
def test_faults_of_text_are_found_whatever_the_message_of_pyarrow(read, tmp_path, monkeypatch):
    from pyarrow import ArrowInvalid, csv

    from thresher.io import open_table, temporary, text

    def with_another_message(*args, **options):
        try:
            return read_csv(*args, **options)
        except ArrowInvalid:
            raise ArrowInvalid("it is wrong, straddling Expected 7 columns, got 8") from None

    def message_of(content):
        path = tmp_path / "table.csv"
        path.write_bytes(content)
        ways = {
            "memory": lambda: open_table(path),
            "files": lambda: MRMR(1).fit(path, "y"),
        }
        with pytest.raises(ValueError) as caught:
            ways[read]()
        return str(caught.value)

    read_csv = csv.read_csv
    monkeypatch.setattr(csv, "read_csv", with_another_message)
    assert "row 3 has 2 values, but the header has 3. Correct" in message_of(
        b"a,b,y\n1,2,p\n1,2\n3,4,q\n"
    )
    assert message_of(b"\r\n\n").endswith("cannot be read: it is empty")
    monkeypatch.setattr(text, "LARGEST_BLOCK", 1 << 20)
    monkeypatch.setattr(temporary.TemporaryStore, "block_bytes", 1 << 20)
    long = b"a,y\n1,p\n" + b"2" * (3 << 20) + b",q\n" + b"3,p\n"
    assert "a row is longer than 1 MB" in message_of(long)


ADVICE = re.compile(r"(?:Set|give) memory_limit=(\d+)")


@pytest.mark.parametrize("name", ["uneven.parquet", "whole.feather", "empty.csv"])
@pytest.mark.parametrize(
    ("selector", "is_recorded"),
    [(MRMR(1, relevance="mi"), False), (MRMR(1, relevance="mi"), True), (RRFS(1), False)],
)
def test_the_memory_limit_that_is_advised_is_enough(name, is_recorded, selector, tmp_path):
    """This includes larger later row groups, and checkpoints, whose rows are read in blocks at any limit."""
    table = pa.table({f"x{i}": np.arange(20_000) * 0.5 for i in range(20)})
    table = table.append_column("label", pa.array(np.arange(20_000) % 2))
    path = tmp_path / name
    if name.endswith("parquet"):
        with parquet.ParquetWriter(path, table.schema) as writer:
            for rows in (slice(0, 2_000), slice(2_000, 6_000), slice(6_000, 20_000)):
                writer.write_table(table.slice(rows.start, rows.stop - rows.start))
    elif name.endswith("feather"):
        feather.write_feather(table, path)
    else:
        path.write_text("a,b,c,d,label\n" + "1,2,3,4,0\n5,6,7,8,1\n,,,,1\n,,,,0\n" * 5_000)
        selector = clone(selector).set_params(missing="drop_rows")
    for limit in (1 << 20, 1_900_000):
        options = {"checkpoint": tmp_path / f"log{limit}"} if is_recorded else {}
        try:
            selector.fit(path, "label", memory_limit=limit, **options)
        except ValueError as refusal:
            advised = int(ADVICE.search(str(refusal))[1])
            selector.fit(path, "label", memory_limit=advised, **options)


@pytest.mark.parametrize(
    "selector",
    [
        Univariate(2, measure="spearman", target="numeric"),
        MRMR(2, relevance="mi", discretize="mdl"),
        RFS(2),
    ],
    ids=repr,
)
def test_selectors_that_need_whole_columns_of_files_report_the_memory_they_need(
    selector, path, tmp_path
):
    advice = "needs all values.* or pass rows in memory, or files with a larger memory_limit and no checkpoint"
    check_rejected(path, selector=selector, match=advice, checkpoint=tmp_path / "log")
    selector.fit(path, "label")

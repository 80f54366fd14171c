"""Checkpoints, stores and reports: concurrent processes, links at the target, full disks."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from contextlib import closing, contextmanager

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from tests.blocks_of_rows import in_blocks
from thresher import GBC, MRMR
from thresher._utils import journal as _journal
from thresher._utils.journal import Journal, atomic_write
from thresher.evaluate import compare
from thresher.report import save_report

resource = pytest.importorskip("resource")
needs_links = pytest.mark.skipif(sys.platform == "win32", reason="needs links and limits of POSIX")
RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(60, 8)), RNG.integers(0, 2, 60)


def fit_blocks(path, seed=None):
    return MRMR(5, relevance="mi").fit(in_blocks(X, Y, None, [20, 41]), checkpoint=path).to_json()


def fit_sets(path, seed=None):
    selector = GBC(GaussianNB(), population=3, max_cycles=2, cv=2, random_state=seed)
    return str(selector.set_params(checkpoint=path / "sets").fit(X, Y).trace_)


def fit_store(path, seed=None):
    settings = {"k": [1, 2], "cv": 2, "progress": False, "store": path, "random_state": seed}
    found = compare({"MRMR": MRMR()}, {"data": (X, Y)}, {"NB": GaussianNB()}, **settings)
    return str([(cell.features, cell.scores) for cell in found.cells.values()])


FITS = {"blocks": fit_blocks, "sets": fit_sets, "store": fit_store}

AT_ONCE = """
    import os, sys
    from pathlib import Path
    from tests.test_write import FITS

    for attempt, (kind, fit) in enumerate(2 * list(FITS.items())):
        folder = Path(sys.argv[1]) / str(attempt)
        folder.mkdir()
        ready, start = os.pipe()
        results, children = [], []
        for child in range(3):
            result, end = os.pipe()
            children.append(os.fork())
            if children[-1] == 0:
                os.close(start)
                os.read(ready, 1)  # until the parent closes it
                try:
                    os.write(end, fit(folder).encode()[:4000])
                except BaseException as error:
                    os.write(end, repr(error).encode())
                os._exit(0)
            os.close(end)
            results.append(result)
        os.close(start)
        for child in children:
            os.waitpid(child, 0)
        found = {os.read(result, 5000).decode() for result in results}
        assert len(found) == 1 and "Error" not in min(found), (kind, found)
"""


@needs_links
@pytest.mark.slow
def test_three_processes_start_at_once_and_have_one_result(tmp_path):
    command = [sys.executable, "-c", textwrap.dedent(AT_ONCE), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


KILLED = """
    import os, signal, sys
    from pathlib import Path
    from tests.test_write import FITS

    fsync = os.fsync
    for kind, fit in FITS.items():
        whole = Path(sys.argv[1]) / kind
        whole.mkdir()
        expected = fit(whole, 0)
        n_writes, is_killed = 0, True
        while is_killed:
            folder = Path(sys.argv[1]) / f"{kind} {n_writes}"
            folder.mkdir()
            child = os.fork()
            if child == 0:
                left = n_writes

                def die_at_last(handle):
                    global left
                    if left == 0 and n_writes % 2:
                        os.ftruncate(handle, os.fstat(handle).st_size - 7)
                    if left == 0:
                        os.kill(os.getpid(), signal.SIGKILL)
                    left -= 1
                    fsync(handle)

                os.fsync = die_at_last
                fit(folder, 0)
                os._exit(0)
            is_killed = os.waitpid(child, 0)[1] == signal.SIGKILL
            assert fit(folder, 0) == expected, (kind, n_writes)
            n_writes += 1
        assert n_writes >= 6, (kind, n_writes)
"""


@needs_links
@pytest.mark.slow
def test_a_kill_at_every_write_changes_no_result(tmp_path):
    """This includes a loss of the last bytes written."""
    command = [sys.executable, "-c", textwrap.dedent(KILLED), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@needs_links
def test_a_link_under_the_temporary_name_is_not_followed(tmp_path, monkeypatch):
    monkeypatch.setattr(_journal.secrets, "token_hex", lambda _: "guessed")
    other = tmp_path / "other"
    other.write_text("of somebody else")
    (tmp_path / ".thresher-guessed.part").symlink_to(other)
    with pytest.raises(OSError, match=r"new\.json was not written"):
        atomic_write(tmp_path / "new.json", b"{}")
    assert other.read_text() == "of somebody else"
    assert not (tmp_path / "new.json").exists()


def test_files_have_the_permissions_of_any_new_file_and_leave_no_others(tmp_path):
    atomic_write(tmp_path / "a", b"1")
    (tmp_path / "b").write_bytes(b"2")
    atomic_write(tmp_path / "a", b"3")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a": b"3", "b": b"2"}


@contextmanager
def largest_file(size):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@needs_links
@pytest.mark.parametrize(
    ("kind", "size", "name"),
    [
        ("blocks", 10, "rounds.log"),
        ("blocks", 400, "rounds.log"),
        ("sets", 10, "sets"),
        ("sets", 700, "sets"),
        ("store", 10, "cells.log"),
        ("store", 700, "cells.log"),
    ],
)
def test_a_disk_that_fills_up_is_a_one_line_error_and_the_fit_resumes_later(
    kind, size, name, tmp_path
):
    (tmp_path / "whole").mkdir()
    (tmp_path / "torn").mkdir()
    expected = FITS[kind](tmp_path / "whole", 0)
    with (
        largest_file(size),
        pytest.raises(OSError, match=rf"{name} was not written: File too large"),
    ):
        FITS[kind](tmp_path / "torn", 0)
    assert not [path for path in (tmp_path / "torn").iterdir() if path.suffix == ".part"]
    assert FITS[kind](tmp_path / "torn", 0) == expected


@needs_links
def test_a_full_disk_is_called_full(tmp_path):
    if not os.path.exists("/dev/full"):
        pytest.skip("/dev/full is of Linux")
    full = r"log was not written: the disk is full\. Free some"
    with closing(Journal(tmp_path / "log", identity={}, kind="checkpoint")) as journal:
        journal._file.close()
        journal._file = open("/dev/full", "r+b", buffering=0)  # noqa: SIM115
        with pytest.raises(OSError, match=full):
            journal.append("key", 1)


@needs_links
def test_a_report_that_finds_no_space_leaves_the_old_one(tmp_path):
    selector = MRMR(2).fit(X, Y)
    path = save_report(selector, tmp_path / "report.html")
    before = path.read_bytes()
    with largest_file(1000), pytest.raises(OSError, match=r"report\.html was not written"):
        save_report(selector, path, overwrite=True)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]

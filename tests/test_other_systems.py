"""Differences between systems, simulated here: links, mapped files, memory, output encodings."""

from __future__ import annotations

import ctypes
import errno
import gc
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.test_files import messy_table, write
from tests.test_files_tall import LEFT_OUT, LIMIT, N, row_groups_one_by_one  # noqa: F401
from thresher import MRMR
from thresher._core import _testing
from thresher.cli import _output
from thresher.io import hdf5, temporary

ROOT = Path(__file__).resolve().parents[1]


def is_in_use(path):
    """Return whether a file at or below the path is open or mapped by this process."""
    maps = Path("/proc/self/maps").read_text()
    links = Path("/proc/self/fd").iterdir()
    opened = {os.readlink(link) for link in links if os.path.lexists(link)}
    return any(
        str(file) in maps or str(file) in opened
        for file in ([path, *path.rglob("*")] if path.is_dir() else [path])
    )


@pytest.fixture
def files_in_use_stay(monkeypatch):
    """Remove and replace files as Windows does: not those that are open or mapped."""
    if sys.platform == "win32":
        return
    if sys.platform != "linux":
        pytest.skip("reads in /proc which files are in use")
    replace, rmtree = os.replace, shutil.rmtree

    def checked_replace(source, target):
        if is_in_use(Path(source)) or is_in_use(Path(target)):
            raise PermissionError(errno.EACCES, "the file is in use")
        replace(source, target)

    def checked_rmtree(path, ignore_errors=False, **options):
        if not is_in_use(Path(path)):
            rmtree(path, ignore_errors, **options)
        elif not ignore_errors:
            raise PermissionError(errno.EACCES, "a file is in use")

    monkeypatch.setattr(os, "replace", checked_replace)
    monkeypatch.setattr(shutil, "rmtree", checked_rmtree)


@pytest.mark.skipif(
    not Path("/proc/cpuinfo").exists() or platform.machine() != "x86_64",
    reason="compares with the features that Linux reports of an x86-64 processor",
)
def test_the_best_level_is_that_of_the_features_which_the_system_reports():
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    flags = set(next(line for line in lines if line.startswith("flags")).split())
    needs = {
        "popcnt": {"sse4_2", "popcnt"},
        "avx2": {"avx", "avx2", "fma", "bmi1", "bmi2"},
        "avx512": {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512_vpopcntdq"},
    }
    best = "baseline"
    for level, features in needs.items():
        if not features <= flags:
            break
        best = level
    assert _testing.best_isa_level() == best


@pytest.mark.usefixtures("files_in_use_stay")
@pytest.mark.filterwarnings("ignore::thresher.ThresherWarning")
def test_tall_files_are_read_and_leave_nothing_where_mapped_files_cannot_be_removed(tmp_path):
    table = messy_table(N).drop_columns(LEFT_OUT)
    path = write(table, tmp_path, "parquet", 900)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    fitted = MRMR(3).fit(path, "label", sample_weight="weight", memory_limit=LIMIT, scratch=scratch)
    assert len(fitted.selected_) == 3
    assert list(scratch.iterdir()) == []


@pytest.mark.usefixtures("files_in_use_stay")
def test_folders_of_files_in_use_are_removed_when_these_are_released(tmp_path):
    folders = temporary.MappedFolders(tmp_path)
    path = folders.new() / "values.npy"
    np.save(path, np.arange(1000))
    mapped = np.load(path, mmap_mode="r")
    folders.close()
    assert mapped.sum() == 499_500
    assert path.exists()
    del mapped
    gc.collect()
    folders.close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("code", [errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL])
def test_files_are_written_where_the_file_system_has_no_links(tmp_path, monkeypatch, code):
    def reject(source, target):
        raise OSError(code, "no links here")

    monkeypatch.setattr(os, "link", reject)
    path = tmp_path / "out.csv"
    _output.write_all({path: b"first"}, force=False)
    with pytest.raises(Exception, match="it exists already"):
        _output.write_all({path: b"second"}, force=False)
    assert path.read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [path]


def test_memory_is_known_where_there_is_no_sysconf(monkeypatch):
    """Windows reports it by a separate function."""
    installed = 64 << 30

    class Kernel:
        @staticmethod
        def GlobalMemoryStatusEx(pointer):
            status = pointer._obj
            assert status.size == ctypes.sizeof(status) == 64
            status.total = installed
            return 1

    monkeypatch.delattr(os, "sysconf", raising=False)
    monkeypatch.setattr(ctypes, "windll", type("Windows", (), {"kernel32": Kernel}), raising=False)
    monkeypatch.setattr(temporary, "_CGROUP_LIMITS", ())
    assert temporary.total_memory() == installed
    monkeypatch.setattr(Kernel, "GlobalMemoryStatusEx", staticmethod(lambda pointer: 0))
    with pytest.raises(OSError, match="Set memory_limit"):
        temporary.total_memory()


@pytest.mark.skipif(not (ROOT / "CMakeLists.txt").exists(), reason="the source tree is not here")
@pytest.mark.parametrize(
    ("compiler", "reason"), [("MSVC", "cannot be compiled by MSVC"), ("GNU", "by GCC for Windows")]
)
def test_compilers_for_windows_without_wide_vectors_are_rejected(tmp_path, compiler, reason):
    pytest.importorskip("cmake", reason="needs CMake")
    given = {
        "CMAKE_SYSTEM_NAME": "Windows",
        "CMAKE_MAKE_PROGRAM": sys.executable,  # nothing is built
        "CMAKE_CXX_COMPILER": sys.executable,
        "CMAKE_CXX_COMPILER_FORCED": "ON",
        "CMAKE_CXX_COMPILER_ID_RUN": "ON",
        "CMAKE_CXX_COMPILER_ID": compiler,
        "CMAKE_CXX_COMPILER_VERSION": "19.40",
    }
    options = [f"-D{name}={value}" for name, value in given.items()]
    command = [sys.executable, "-m", "cmake", "-S", ROOT, "-B", tmp_path, "-G", "Ninja", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    message = " ".join(done.stderr.split())
    assert reason in message
    assert "CXX=clang-cl" in message


def test_a_damaged_file_that_never_ends_is_left_where_processor_time_has_no_limit(
    tmp_path, monkeypatch
):
    path = tmp_path / "a.h5"
    assert hdf5._passes(path, 0)
    monkeypatch.setattr(hdf5, "_WAIT", 0.001)
    assert not hdf5._passes(path, 1)


def test_names_that_the_output_cannot_encode_are_escaped(tmp_path):
    """A pipe on Windows encodes the characters of one code page only."""
    path = tmp_path / "table.csv"
    path.write_text("β,b,y\n1,2,a\n2,1,b\n3,2,a\n4,1,b\n", "utf-8")
    command = [sys.executable, "-m", "thresher", "select", path, "--target", "y", "-k", "1"]
    env = {**os.environ, "PYTHONIOENCODING": "cp1252"}
    done = subprocess.run(command, capture_output=True, env=env, check=False)
    assert done.returncode == 0, done.stderr
    assert rb"\u03b2" in done.stdout


def test_a_closed_pipe_is_not_an_error_on_windows():
    """A pipe without a reader is an invalid argument there, as is the name of a file with a question mark."""
    program = """
import errno, sys
from thresher.cli._errors import ignoring_closed_pipe
sys.platform = "win32"
with ignoring_closed_pipe():
    raise OSError(errno.EINVAL, "Invalid argument")
print("no reader")
with ignoring_closed_pipe():
    raise OSError(errno.EINVAL, "Invalid argument", "a?.csv")
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stdout == ""
    assert done.stderr.endswith("Invalid argument: 'a?.csv'\n")

"""HDF5 files, which another process checks first.

A damaged file may crash the library, or take any amount of time or memory.
"""

from __future__ import annotations

import importlib
import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import h5py

# Limits of the check: seconds of processor time, which do not depend on the load of the machine, and bytes of memory.
_SECONDS = 5
_MEMORY = 1 << 30
# Seconds until the check ends on systems without a limit of processor time, such as Windows.
_WAIT = None if importlib.util.find_spec("resource") else 60.0
# Bytes of each array that are read.
_PIECE = 1 << 20
# The exit code for too much memory. Other failures end with a signal.
_DAMAGED = 3


@contextmanager
def open_hdf5(path: Path, owner: str, extra: str) -> Iterator[h5py.File]:
    """Open an HDF5 file that another process could read; `owner` and `extra` name the package to install."""
    # Imported here, because the other process does not need it.
    from thresher.io.table import import_optional

    h5py = import_optional("h5py", owner, extra)
    if not _passes(path, path.stat().st_mtime_ns):
        raise ValueError("it is damaged, and HDF5 crashes or takes too much time or memory")
    with h5py.File(path) as file:
        yield file


@cache
def _passes(path: Path, modified: int) -> bool:
    """Return whether another process can read an HDF5 file; `modified` is the time of its last change."""
    command = [sys.executable, "-m", "thresher.io.hdf5", str(path)]
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=_WAIT)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode in (0, 1)  # 1: Python could not start


def _read_item(name: str, item: h5py.Dataset | h5py.Group) -> None:
    """Read the attributes of an item, the positions of its chunks and its first rows."""
    for attribute in item.attrs:
        with _unless_too_large():
            item.attrs[attribute]
    if not getattr(item, "shape", None):
        return
    with _unless_too_large():
        if item.chunks:
            item.id.get_num_chunks()
        width = max(1, item.nbytes // max(1, item.shape[0]))
        item[: max(1, _PIECE // width)]


@contextmanager
def _unless_too_large() -> Iterator[None]:
    """Ignore all errors, which the real reader reports, except for lack of memory, which means a damaged file."""
    try:
        yield
    except Exception as error:
        if isinstance(error, MemoryError) or "alloc" in str(error):
            sys.exit(_DAMAGED)


def _limit() -> None:
    with suppress(ImportError, OSError, ValueError):  # such as on Windows
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS + 1))
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + _MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _main(path: str) -> None:
    h5py = importlib.import_module("h5py")
    _limit()
    with suppress(Exception), h5py.File(path) as file:
        _read_item("/", file)
        file.visititems(_read_item)


if __name__ == "__main__":
    _main(sys.argv[1])

"""HDF5 files, which another process looks through first.

A damaged file may crash the library, or take any time or memory.
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

# Seconds of processor time, which do not depend on what else the machine does, and bytes of memory that it may take.
_SECONDS = 5
_MEMORY = 1 << 30
# Seconds until it is given up where the system has no limit of processor time, as on Windows.
_WAIT = None if importlib.util.find_spec("resource") else 60.0
# Bytes of each array that are read.
_PIECE = 1 << 20
# The exit code for too much memory. A signal is one for the rest.
_DAMAGED = 3


@contextmanager
def open_hdf5(path: Path, owner: str, extra: str) -> Iterator[h5py.File]:
    """Open an HDF5 file, with the package of that owner and extra, if another process got through it."""
    from thresher.io.table import import_optional  # here, as the other process needs none of it

    h5py = import_optional("h5py", owner, extra)
    if not _passes(path, path.stat().st_mtime_ns):
        raise ValueError("it is damaged, and HDF5 crashes or takes too much time or memory")
    with h5py.File(path) as file:
        yield file


@cache
def _passes(path: Path, modified: int) -> bool:
    """Whether another process gets through an HDF5 file as it is now."""
    command = [sys.executable, "-m", "thresher.io.hdf5", str(path)]
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=_WAIT)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode in (0, 1)  # 1 is a Python that cannot start


def _read_item(name: str, item: h5py.Dataset | h5py.Group) -> None:
    """Read attributes, where the chunks of an array are, and its beginning."""
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
    """Leave all errors but a lack of memory, which here is a fault of the file, to the real reader."""
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
        most = pages * resource.getpagesize() + _MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _main(path: str) -> None:
    h5py = importlib.import_module("h5py")
    _limit()
    with suppress(Exception), h5py.File(path) as file:
        _read_item("/", file)
        file.visititems(_read_item)


if __name__ == "__main__":
    _main(sys.argv[1])

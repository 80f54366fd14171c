"""Looks through an HDF5 file in another process: a damaged one may crash the library, or take any time or memory."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

# Seconds of processor time, which do not depend on what else the machine does, and bytes of memory that it may take.
_SECONDS = 5
_MEMORY = 1 << 30
# Bytes of each array that are read.
_PIECE = 1 << 20
# The exit code for too much memory. A signal is one for the rest.
_DAMAGED = 3


def _look_through(name: str, item: Any) -> None:
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
        _look_through("/", file)
        file.visititems(_look_through)


if __name__ == "__main__":
    _main(sys.argv[1])

"""Temporary files without a name, and how much memory may be used instead of them."""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import re
import shutil
import tempfile
import weakref
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from thresher._utils.checks import LARGEST_WHOLE, shown
from thresher._utils.types import Array
from thresher.io import FULL

if TYPE_CHECKING:
    import pyarrow as pa

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_BINARY_UNITS = {"KI": 1 << 10, "MI": 1 << 20, "GI": 1 << 30, "TI": 1 << 40}
# Of the memory that this process may have.
_DEFAULT_SHARE = 4
_SMALLEST_LIMIT = 1 << 20
# Of the memory limit: a block of text, which as numbers takes up to nine times as much.
_TEXT_SHARE = 64
# A row of text, and so the header, must fit into one of these.
LARGEST_BLOCK = 1 << 26
_CGROUP_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def resolve_memory_limit(limit: object, parameter: str = "memory_limit") -> int:
    """Bytes for a limit: a number, a text such as ``"2GB"``, or None for a share of the machine's memory."""
    if limit is None:
        return total_memory() // _DEFAULT_SHARE
    n_bytes = None
    if isinstance(limit, str):
        found = re.fullmatch(r"\s*(\d{1,30}(?:\.\d{1,30})?)\s*([KMGT]I?|)B?\s*", limit.upper())
        if found:
            n_bytes = int(Fraction(found[1]) * {**_UNITS, **_BINARY_UNITS}[found[2]])
    elif isinstance(limit, int | np.integer) and not isinstance(limit, bool):
        n_bytes = int(limit)
    if n_bytes is None or n_bytes < _SMALLEST_LIMIT:
        raise ValueError(
            f'{parameter} must be a number of bytes or a text such as "2GB", at least 1 MiB, got {shown(limit)}'
        )
    return min(n_bytes, LARGEST_WHOLE)


def total_memory() -> int:
    """What the machine has, or the group of processes that this one belongs to may use."""
    found = _installed_memory()
    for path in _CGROUP_LIMITS:
        with suppress(OSError, ValueError):
            found = min(found, int(Path(path).read_text()))
    with suppress(ImportError, OSError, ValueError):
        found = min(found, _address_space_left())
    return max(found, _DEFAULT_SHARE * _SMALLEST_LIMIT)


def _installed_memory() -> int:
    if hasattr(os, "sysconf"):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    status = _MemoryStatus(ctypes.sizeof(_MemoryStatus))
    windows = ctypes.windll  # type: ignore[attr-defined]
    if not windows.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
        raise OSError("the system does not report its memory. Set memory_limit")
    return int(status.total)


class _MemoryStatus(ctypes.Structure):
    """MEMORYSTATUSEX of the Windows API."""

    _fields_ = (
        ("size", ctypes.c_uint32),
        ("load", ctypes.c_uint32),
        ("total", ctypes.c_uint64),
        ("others", ctypes.c_uint64 * 6),
    )


def _address_space_left() -> int:
    """Bytes of address space up to the limit of this process (``ulimit -v``); an OSError where none is known."""
    import resource  # not on all systems

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        raise OSError
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return limit - pages * resource.getpagesize()


def no_room(error: OSError, folder: Path, after: str = "") -> OSError:
    """The error of a disk that is full in a sentence; any other as it is."""
    # NumPy does not say why it could not write.
    reason = errno.ENOSPC if error.errno is None else error.errno
    if reason not in FULL:
        return error
    return OSError(
        reason,
        f"temporary files found no room in {folder}{after} ({os.strerror(reason)}); give a folder with more room as "
        "scratch",
    )


class Scratch:
    """A folder for temporary files, and the bytes of memory that may be used."""

    def __init__(
        self, folder: str | os.PathLike[str] | None = None, memory_limit: object = None
    ) -> None:
        self.memory_limit = resolve_memory_limit(memory_limit)
        self.folder = Path(tempfile.gettempdir() if folder is None else os.fspath(folder))
        if not self.folder.is_dir():
            raise ValueError(f"scratch must be a folder for temporary files, got {str(folder)!r}")

    @property
    def block_bytes(self) -> int:
        """Bytes to read at a time from what comes row by row."""
        return min(LARGEST_BLOCK, max(1 << 16, self.memory_limit // _TEXT_SHARE))

    def file(self) -> ScratchFile:
        return ScratchFile(self.folder)


class ScratchFile:
    """A file that has no name, so that it is gone with whoever uses it, however that ends.

    It is written with `write`, not through the map: pages of a map count as memory in use.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self.size = 0

    def write(self, data: bytes | Array | pa.Buffer) -> int:
        """All of it; a disk that is full is one sentence."""
        left = (data.data if isinstance(data, np.ndarray) else memoryview(data)).cast("B")
        written = len(left)
        try:
            while left:
                left = left[self._file.write(left) :]
        except OSError as error:
            raise no_room(error, self._folder, f" after {self.size / 1e6:.0f} MB") from None
        self.size += written
        return written

    def map(self) -> mmap.mmap:
        """What was written, mapped; the file lives as long as the map."""
        return mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)

    def array(self, dtype: npt.DTypeLike, shape: tuple[int, ...]) -> Array:
        """The same as an array."""
        return np.frombuffer(self.map(), dtype=dtype).reshape(shape)


class MappedFolders:
    """Temporary folders with files that are mapped.

    A folder is removed as soon as its files are mapped, where the system allows that. Windows keeps files that are
    mapped: `close` removes these folders, after their maps have been released.
    """

    def __init__(self, parent: Path) -> None:
        self._parent = parent
        self._left: list[Path] = []

    def new(self) -> Path:
        self._left.append(Path(tempfile.mkdtemp(prefix="thresher-", dir=self._parent)))
        return self._left[-1]

    def close(self) -> None:
        """Remove all folders that the system allows to remove."""
        for folder in self._left:
            shutil.rmtree(folder, ignore_errors=True)
        self._left = [folder for folder in self._left if folder.exists()]

"""Temporary files without a name, and the limit of memory."""

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
# Default of the memory limit: this share of the memory that the process may use.
_DEFAULT_SHARE = 4
_SMALLEST_LIMIT = 1 << 20
# Share of the memory limit for a block of text; its numbers take up to nine times the memory of the text.
_TEXT_SHARE = 64
# A row of text, including the header, must fit into a block of this size.
LARGEST_BLOCK = 1 << 26
_CGROUP_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def resolve_memory_limit(limit: object, parameter: str = "memory_limit") -> int:
    """Return a limit in bytes, from a number, a text such as ``"2GB"``, or None for a share of the memory."""
    if limit is None:
        return total_memory() // _DEFAULT_SHARE
    n_bytes = None
    if isinstance(limit, str):
        match = re.fullmatch(r"\s*(\d{1,30}(?:\.\d{1,30})?)\s*([KMGT]I?|)B?\s*", limit.upper())
        if match:
            n_bytes = int(Fraction(match[1]) * {**_UNITS, **_BINARY_UNITS}[match[2]])
    elif isinstance(limit, int | np.integer) and not isinstance(limit, bool):
        n_bytes = int(limit)
    if n_bytes is None or n_bytes < _SMALLEST_LIMIT:
        raise ValueError(
            f'{parameter} must be a number of bytes or a string such as "2GB", at least 1 MiB, got {shown(limit)}'
        )
    return min(n_bytes, LARGEST_WHOLE)


def total_memory() -> int:
    """Return the bytes of memory of the machine, or those that this process or its control group may use."""
    n_bytes = _installed_memory()
    for path in _CGROUP_LIMITS:
        with suppress(OSError, ValueError):
            n_bytes = min(n_bytes, int(Path(path).read_text()))
    with suppress(ImportError, OSError, ValueError):
        n_bytes = min(n_bytes, _address_space_left())
    return max(n_bytes, _DEFAULT_SHARE * _SMALLEST_LIMIT)


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
    """Return the bytes of address space left of the limit (``ulimit -v``); raise OSError if there is no limit."""
    import resource  # not on all systems

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        raise OSError
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return limit - pages * resource.getpagesize()


def disk_full_error(error: OSError, folder: Path, after: str = "") -> OSError:
    """Return the error of a full disk as one sentence; any other error unchanged."""
    # An error of NumPy has no error number.
    reason = errno.ENOSPC if error.errno is None else error.errno
    if reason not in FULL:
        return error
    return OSError(
        reason,
        f"no space for temporary files in {folder}{after} ({os.strerror(reason)}). Set scratch to a folder with more "
        "space",
    )


class TemporaryStore:
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
        """Bytes to read at a time from row-wise data."""
        return min(LARGEST_BLOCK, max(1 << 16, self.memory_limit // _TEXT_SHARE))

    def file(self) -> StoreFile:
        return StoreFile(self.folder)


class StoreFile:
    """A file without a name, which the system removes when the process ends, even if it is killed.

    It is written with `write`, not through the map, because pages of a map count as used memory.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self.size = 0

    def write(self, data: bytes | Array | pa.Buffer) -> int:
        """Write all of the data; raise the error of a full disk as one sentence."""
        left = (data.data if isinstance(data, np.ndarray) else memoryview(data)).cast("B")
        written = len(left)
        try:
            while left:
                left = left[self._file.write(left) :]
        except OSError as error:
            raise disk_full_error(error, self._folder, f" after {self.size / 1e6:.0f} MB") from None
        self.size += written
        return written

    def map(self) -> mmap.mmap:
        """Return a map of what was written; the file exists as long as the map."""
        return mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)

    def array(self, dtype: npt.DTypeLike, shape: tuple[int, ...]) -> Array:
        """Return a map of what was written, as an array."""
        return np.frombuffer(self.map(), dtype=dtype).reshape(shape)


class MappedFolders:
    """Temporary folders with files that are mapped.

    A folder is removed as soon as its files are mapped, if the system allows it. Windows does not remove mapped files:
    there `close` removes the folders, after their maps have been released.
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

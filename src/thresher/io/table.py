"""What readers of files give."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

from thresher.io.temporary import Scratch

Opener = Callable[[Path], AbstractContextManager[BinaryIO]]
# With a scratch, rows stay there, or in the file; without one they come into memory.
Reader = Callable[[Path, Opener, Scratch | None], "Content"]


@dataclass(frozen=True)
class Content:
    """What a file holds.

    Attributes
    ----------
    X : pyarrow.Table, ndarray, sparse matrix; or FileColumns or SparseColumns, whose rows are not in memory
        Columns, the target perhaps among them.
    names : list of str or None
        Of the columns; None where the file has none.
    beside : dict of str to ndarray, or to a function that returns it
        Values of every row that are no columns of X.
    notes : list of str
        What was decided while reading.
    by_number : set of str
        Columns of X with three categories or more, which stand in it as their numbers.
    """

    X: Any
    names: list[str] | None
    beside: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    by_number: frozenset[str] = frozenset()


def numbered(n_columns: int) -> list[str]:
    """Names for columns that have none."""
    return [f"x{i}" for i in range(n_columns)]


def package(module: str, package: str, extra: str) -> Any:
    """A module of a package that need not be there."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ImportError(
            f"this kind of file needs {package}; install it with: pip install 'thresher[{extra}]'"
        ) from None


@contextmanager
def opened_hdf5(path: Path, owner: str, extra: str) -> Iterator[Any]:
    """Open an HDF5 file, with the package of that owner and extra, if another process got through it."""
    h5py = package("h5py", owner, extra)
    if not _passes(path, path.stat().st_mtime_ns):
        raise ValueError("it is damaged, so that HDF5 crashes or takes too much time or memory")
    with h5py.File(path) as file:
        yield file


@cache
def _passes(path: Path, modified: int) -> bool:
    """Whether another process gets through an HDF5 file as it is now."""
    command = [sys.executable, "-m", "thresher.io.hdf5", str(path)]
    done = subprocess.run(command, capture_output=True, check=False)
    return done.returncode in (0, 1)  # 1 is a Python that cannot start

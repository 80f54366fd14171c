"""What readers of files give."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from thresher.cli._errors import BadInput
from thresher.sources import Scratch

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
        raise BadInput(
            f"this kind of file needs {package}; install it with: pip install 'thresher[{extra}]'"
        ) from None

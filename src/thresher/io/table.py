"""The table in a file: its columns, and other values of every row."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from scipy import sparse

from thresher.io.errors import BadFile, check_names
from thresher.io.file_columns import FileColumns
from thresher.io.sparse import SparseColumns, check_sparse
from thresher.io.temporary import total_memory

Opener = Callable[[Path], AbstractContextManager[BinaryIO]]
# What a row and a column take at least, even if nothing is stored of them.
_ROW_BYTES, _COLUMN_BYTES = 16, 256


def is_files(X: Any) -> bool:
    """Return whether X is a path, a dataset of pyarrow or what was opened of them, without importing pyarrow."""
    is_opened = isinstance(X, TableSource | FileColumns)
    is_dataset = type(X).__module__.startswith("pyarrow._dataset")
    return isinstance(X, str | os.PathLike) or is_opened or is_dataset


@dataclass
class TableSource:
    """The table in a file.

    Attributes
    ----------
    columns : FileColumns, SparseColumns, ndarray, sparse matrix or pyarrow.Table
        The first two are read as they are needed, the others are in memory.
    names : list of str
        Of the columns; x0, x1 and so on where the file has none.
    extra : dict of str to ndarray, or to a function that returns it
        Values of every row that are not in `columns`, such as other arrays of the file.
    notes : tuple of str
        What was decided while reading.
    by_number : set of str
        Columns with three categories or more that a matrix holds as their numbers.
    """

    columns: Any
    names: list[str] = field(default_factory=list)
    extra: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    by_number: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if isinstance(self.columns, FileColumns):
            self.names = list(self.columns.kinds)

    @property
    def shape(self) -> tuple[int, int]:
        n_rows, n_columns = self.columns.shape
        return n_rows, n_columns

    @property
    def is_typed(self) -> bool:
        """Whether each column has its own type, as in a table of pyarrow."""
        return isinstance(self.columns, FileColumns) or hasattr(self.columns, "column_names")

    def check(self, path: Path) -> None:
        """Raise for columns of one name, for too large a matrix and for an invalid sparse one; number the columns."""
        if isinstance(self.columns, FileColumns):
            return
        n_rows, n_columns = self.shape
        if n_rows * _ROW_BYTES + n_columns * _COLUMN_BYTES > total_memory():
            raise BadFile(
                f"{path} has {n_rows} rows and {n_columns} columns, too many for the memory of this machine. Check "
                "the largest index"
            )
        self.names = self.names or numbered(n_columns)
        if len(self.names) != n_columns:
            raise BadFile(
                f"{path} cannot be read: it names {len(self.names)} columns, but has {n_columns}"
            )
        check_names(path, self.names)
        if sparse.issparse(self.columns):
            X: Any = check_sparse(self.columns, str(path))
            self.columns = X if X.format in ("csr", "csc") else X.tocsr()

    def column(self, name: str) -> Any:
        """Return extra values or a column, as an array or as a column of pyarrow."""
        if name in self.extra:
            values = self.extra[name]
            return values() if callable(values) else values
        if self.is_typed:
            return self.columns.column(name)
        place = self.names.index(name)
        if isinstance(self.columns, np.ndarray):
            return self.columns[:, place]
        values = dense_column(self.columns, place)
        return values.astype(np.int64) if np.all(values == np.floor(values)) else values

    def select(self, names: Sequence[str]) -> TableSource:
        """Return the same rows, with some of the columns in their order."""
        if len(names) == len(self.names):
            return self
        X, names = self.columns, list(names)
        if self.is_typed:
            return replace(self, columns=X.select(names), names=names)
        place_of = {name: place for place, name in enumerate(self.names)}
        places = [place_of[name] for name in names]
        taken = X.take(places) if isinstance(X, SparseColumns) else X[:, places]
        return replace(self, columns=taken, names=names)

    def in_memory(self) -> TableSource:
        """Return the columns as a table of pyarrow, an array or a sparse matrix, which may be mapped."""
        if isinstance(self.columns, FileColumns):
            return replace(self, columns=self.columns.table(self.names, use_threads=True))
        if isinstance(self.columns, SparseColumns):
            return replace(self, columns=self.columns.matrix())
        return self


def numbered(n_columns: int) -> list[str]:
    """Return names for columns that have none."""
    return [f"x{i}" for i in range(n_columns)]


def dense_column(matrix: Any, place: int) -> Any:
    """Return a column of a sparse matrix as an array."""
    if isinstance(matrix, SparseColumns):
        return matrix.column(place)
    return matrix[:, [place]].toarray().ravel()


def package(module: str, package: str, extra: str) -> Any:
    """Import a module of a package that need not be installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ImportError(
            f"this kind of file needs {package}; install it with: pip install 'thresher[{extra}]'"
        ) from None

"""The table in a file: columns that are read when needed, and other values of every row."""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, BinaryIO, Protocol, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
from scipy import sparse

from thresher._utils.checks import first_line, readable
from thresher._utils.types import Array, DataLike, Matrix, TargetLike, Values
from thresher.io import BadFile, check_names
from thresher.io.sparse import SparseColumns, check_sparse
from thresher.io.temporary import LARGEST_BLOCK, total_memory

if TYPE_CHECKING:
    import pyarrow as pa

# Some rows of a table.
Piece: TypeAlias = "pa.Table | pa.RecordBatch"


def validated(name: str, pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yield tables or batches after checking them; raise ValueError for those of a damaged file.

    Readers use offsets, counts and lengths from the file without a check, and so does compiled code. The check is free
    for numbers without missing values, and reads everything else once.
    """
    with reading(name):
        for piece in pieces:
            piece.validate(full=True)
            yield piece


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Raise errors of pyarrow about a file as one ValueError that names the file."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        is_of_system = isinstance(error, OSError) and (type(error) is not OSError or error.errno)
        if is_of_system or isinstance(error, MemoryError):
            raise
        raise ValueError(f"{name} cannot be read: {first_line(error)}") from None


def open_arrow(
    name: str, source: pa.NativeFile, fields: list[int] | None = None, use_threads: bool = True
) -> pa.RecordBatchReader:
    """Return a reader of the batches of an Arrow (Feather) file or stream.

    Version 1 of Feather is rejected: pyarrow uses its offsets without a check, and wrong ones end the process.
    """
    import pyarrow as pa

    if source.read(4) == b"FEA1":
        raise ValueError(
            f"{name} is in version 1 of Feather, which cannot be read safely. Write it in version 2"
        )
    source.seek(0)
    read_options = pa.ipc.IpcReadOptions(included_fields=fields, use_threads=use_threads)
    try:
        return pa.ipc.open_file(source, options=read_options)
    except pa.ArrowInvalid:
        source.seek(0)
        return pa.ipc.open_stream(source, options=read_options)


# Kinds of columns in messages.
_KIND_NAMES = {"number": "a number", "truth": "a Boolean", "text": "text"}


class Part(Protocol):
    """Some rows of a table, with their schema.

    Attributes
    ----------
    name : str
        The name in messages.
    schema : pyarrow.Schema
    n_rows : int
    is_columnar : bool
        Whether reading few columns at a time is as fast as reading many.
    """

    name: str
    schema: pa.Schema
    n_rows: int
    is_columnar: bool

    def read(self, columns: list[str], use_threads: bool) -> Iterator[Piece]:
        """Yield tables or batches with these columns; together they have all rows, in order."""


@dataclass(frozen=True)
class FileColumns:
    """The columns of several files that have the same columns, as one table.

    Attributes
    ----------
    parts : sequence of Part
    kinds : dict of str to str
        The kind of each column: "number", "truth", "decimal", "text", "null", or the name of any other type.
    types : dict of str to set
        The types that each column has in the files.
    n_rows : int
    """

    parts: Sequence[Part]
    kinds: dict[str, str]
    types: dict[str, set[pa.DataType]]
    n_rows: int

    def read(self, columns: list[str], use_threads: bool = False) -> Iterator[Piece]:
        """Yield checked tables or batches with these columns; together they have all rows."""
        for part in self.parts:
            n_rows = 0
            for piece in validated(part.name, part.read(columns, use_threads)):
                n_rows += piece.num_rows
                yield piece
            if n_rows != part.n_rows:
                raise ValueError(
                    f"{part.name} cannot be read: its columns have {n_rows} rows, not {part.n_rows}"
                )

    @property
    def shape(self) -> tuple[int, int]:
        return self.n_rows, len(self.kinds)

    def table(self, columns: list[str], use_threads: bool = False) -> pa.Table:
        """Return some columns with all rows."""
        import pyarrow as pa

        tables = [
            pa.table({name: piece.column(name) for name in columns})
            for piece in self.read(columns, use_threads)
            if piece.num_rows
        ]
        return pa.concat_tables(tables, promote_options="permissive")

    def column(self, name: str) -> pa.ChunkedArray:
        """Return one column with all rows."""
        return self.table([name]).column(name)

    def rows(self, rows: Array) -> pa.Table:
        """Return some rows of all columns, in memory; columns are read in groups."""
        import pyarrow as pa

        names = list(self.kinds)
        n_together = max(1, LARGEST_BLOCK // (16 * self.n_rows))
        taken: Values = {}
        for first in range(0, len(names), n_together):
            table = self.table(names[first : first + n_together]).take(rows)
            taken.update(zip(table.column_names, table.columns, strict=True))
        return pa.table(taken)

    def select(self, columns: Sequence[str]) -> FileColumns:
        """Return the same files with only some of the columns."""
        return replace(self, kinds={name: self.kinds[name] for name in columns})


def join_parts(parts: Sequence[Part]) -> FileColumns:
    """Return parts as one table; raise ValueError unless they have the same columns."""
    for part in parts:
        check_names(part.name, part.schema.names)
    first, *others = (
        dict(zip(part.schema.names, part.schema.types, strict=True)) for part in parts
    )
    # Neither the index of pandas nor a first column without a name (row names) is a feature.
    kinds = {
        name: column_kind(kind)
        for index, (name, kind) in enumerate(first.items())
        if not re.fullmatch(r"__index_level_\d+__", name) and (index > 0 or name != "")
    }
    for part, more in zip(parts[1:], others, strict=True):
        _merge(kinds, (parts[0].name, first), (part.name, more))
    types = {name: {schema[name] for schema in (first, *others)} for name in first}
    return FileColumns(parts, kinds, types, sum(part.n_rows for part in parts))


def _merge(kinds: dict[str, str], first: tuple[str, Values], part: tuple[str, Values]) -> None:
    """Update the kinds of columns with another part, which must have the same columns."""
    for (one, has), (other, lacks) in ((first, part), (part, first)):
        missing = [name for name in has if name not in lacks]
        if missing:
            raise ValueError(
                f"the files of X differ in their columns: {one} has {readable(missing[0])!r}, {other} "
                "does not. Pass files with the same columns"
            )
    for name, known in kinds.items():
        kind = column_kind(part[1][name])
        if known == "null":
            kinds[name] = kind
        elif kind not in ("null", known):
            if {kind, known} == {"number", "decimal"}:
                kinds[name] = "decimal"
                continue
            a, b = (_KIND_NAMES.get(k, f"of the type {k}") for k in (known, kind))
            raise ValueError(
                f"column {readable(name)!r} is {a} in {first[0]} and {b} in {part[0]}. Use one type in all files"
            )


def column_kind(kind: pa.DataType) -> str:
    import pyarrow as pa
    from pyarrow import types

    tests = {
        "number": (types.is_integer, types.is_floating),
        "truth": (types.is_boolean,),
        "text": (types.is_dictionary, types.is_string, types.is_large_string),
        "decimal": (types.is_decimal,),
        "null": (types.is_null,),
    }
    for name, is_it in tests.items():
        if any(test(kind) for test in is_it):
            return name
    column = nw.from_native(pa.schema([("column", kind)]).empty_table()).schema["column"]
    return "text" if column == nw.String else str(column)


Opener = Callable[[Path], AbstractContextManager[BinaryIO]]
# Bytes of a row and of a column, even if nothing is stored in them.
_ROW_BYTES, _COLUMN_BYTES = 16, 256


def is_file_input(X: DataLike) -> bool:
    """Return whether X is a path, a dataset of pyarrow or an opened table, without importing pyarrow."""
    is_opened = isinstance(X, TableSource | FileColumns)
    is_dataset = type(X).__module__.startswith("pyarrow._dataset")
    return isinstance(X, str | os.PathLike) or is_opened or is_dataset


@dataclass
class TableSource:
    """The table in a file.

    Attributes
    ----------
    columns : FileColumns, SparseColumns, ndarray, sparse matrix or pyarrow.Table
        The first two are read when needed, the others are in memory.
    names : list of str
        Names of the columns; x0, x1 and so on if the file has none.
    extra : dict of str to ndarray, or to a function that returns it
        Values of every row outside `columns`, such as other arrays of the file.
    notes : tuple of str
        Decisions made while reading, for the user.
    by_number : set of str
        Columns with three or more categories, of which the matrix contains the indices.
    """

    columns: DataLike
    names: list[str] = field(default_factory=list)
    extra: Mapping[str, Array | Callable[[], Array]] = field(default_factory=dict)
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
        """Raise for columns of the same name, a matrix too large or an invalid sparse one; name unnamed columns."""
        if isinstance(self.columns, FileColumns):
            return
        n_rows, n_columns = self.shape
        if n_rows * _ROW_BYTES + n_columns * _COLUMN_BYTES > total_memory():
            raise BadFile(
                f"{path} has {n_rows} rows and {n_columns} columns, too many for the memory of this machine. Check "
                "the largest index"
            )
        self.names = self.names or default_names(n_columns)
        if len(self.names) != n_columns:
            raise BadFile(
                f"{path} cannot be read: it has {n_columns} columns, but {len(self.names)} column names"
            )
        check_names(path, self.names)
        if sparse.issparse(self.columns):
            X: DataLike = check_sparse(self.columns, str(path))
            self.columns = X if X.format in ("csr", "csc") else X.tocsr()

    def column(self, name: str) -> TargetLike:
        """Return extra values or a column, as an array or a column of pyarrow."""
        if name in self.extra:
            values = self.extra[name]
            return values() if callable(values) else values
        if self.is_typed:
            return self.columns.column(name)
        index = self.names.index(name)
        if isinstance(self.columns, np.ndarray):
            return self.columns[:, index]
        values = read_dense_column(self.columns, index)
        return values.astype(np.int64) if np.all(values == np.floor(values)) else values

    def select(self, names: Sequence[str]) -> TableSource:
        """Return the same rows with some of the columns, in the order of `names`."""
        if len(names) == len(self.names):
            return self
        X, names = self.columns, list(names)
        if self.is_typed:
            return replace(self, columns=X.select(names), names=names)
        index_of = {name: index for index, name in enumerate(self.names)}
        indices = [index_of[name] for name in names]
        taken = X.take(indices) if isinstance(X, SparseColumns) else X[:, indices]
        return replace(self, columns=taken, names=names)

    def in_memory(self) -> TableSource:
        """Return the source with columns as a table of pyarrow, an array or a sparse matrix, which may be mapped."""
        if isinstance(self.columns, FileColumns):
            return replace(self, columns=self.columns.table(self.names, use_threads=True))
        if isinstance(self.columns, SparseColumns):
            return replace(self, columns=self.columns.matrix())
        return self


def group_by_size(sizes: Iterable[int], enough: int) -> Iterator[list[int]]:
    """Yield runs of indices whose sizes add up to `enough`; the last run may be smaller."""
    group: list[int] = []
    total = 0
    for i, size in enumerate(sizes):
        group.append(i)
        total += size
        if total >= enough:
            yield group
            group, total = [], 0
    if group:
        yield group


def default_names(n_columns: int) -> list[str]:
    """Return names for columns without names."""
    return [f"x{i}" for i in range(n_columns)]


def read_dense_column(matrix: Matrix, index: int) -> Array:
    """Return a column of a sparse matrix as an array."""
    if isinstance(matrix, SparseColumns):
        return matrix.column(index)
    values: Array = matrix[:, [index]].toarray().ravel()
    return values


def import_optional(module: str, distribution: str, extra: str) -> ModuleType:
    """Import a module of an optional package."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ImportError(
            f"reading this file needs {distribution}, which is not installed. "
            f"Install it with: pip install 'thresher[{extra}]'"
        ) from None

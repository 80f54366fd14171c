"""Rows that come in blocks, kept in temporary files by columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from thresher._utils.types import Array
from thresher.io.temporary import Scratch

if TYPE_CHECKING:
    import pyarrow as pa

# Values that are decoded together: what is decoded shall be in the cache when it is copied.
PIECE = 1 << 17


def group_by_size(sizes: Iterable[int], enough: int) -> Iterator[list[int]]:
    """Yield runs of indices whose sizes are enough together; the last run may be smaller."""
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


class TableBlock:
    """A block of rows as Arrow; columns that are text in other blocks as text."""

    is_columnar = True

    def __init__(self, name: str, table: pa.Table) -> None:
        self.name = name
        self.schema = table.schema
        self.n_rows = table.num_rows
        self._pieces = [table]

    def read(self, columns: list[str], use_threads: bool) -> Iterator[pa.Table]:
        import pyarrow as pa

        places = {name: piece for piece in self._pieces for name in piece.schema.names}
        yield pa.table({name: places[name].column(name) for name in columns})

    def add(self, table: pa.Table) -> None:
        self._pieces.append(table)
        for name in table.column_names:
            place = self.schema.get_field_index(name)
            self.schema = self.schema.set(place, table.schema.field(name))


def write_tables(tables: Iterable[pa.Table], scratch: Scratch | None) -> list[pa.Table]:
    """The tables in a temporary file that is mapped: pages come back from there as columns are read.

    Without a scratch they stay in memory.
    """
    import pyarrow as pa

    if scratch is None:
        return list(tables)
    file = scratch.file()
    ends = [0]
    for table in tables:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        file.write(sink.getvalue())
        ends.append(file.size)
    if len(ends) == 1:
        return []
    mapped = pa.py_buffer(file.map())
    return [
        pa.ipc.open_stream(mapped.slice(begin, end - begin)).read_all()
        for begin, end in pairwise(ends)
    ]


class MatrixPart:
    """The columns of a matrix, as rows of mapped arrays that have some rows of the matrix each.

    Parameters
    ----------
    name : str
        What messages call it.
    columns : sequence of str
    blocks : list of ndarray of shape (n_columns, n_rows of the block)
    """

    is_columnar = True

    def __init__(self, name: str, columns: Sequence[str], blocks: Sequence[Array]) -> None:
        import pyarrow as pa

        self.name = name
        self._blocks = blocks
        kind = pa.from_numpy_dtype(blocks[0].dtype)
        self.schema = pa.schema([(column, kind) for column in columns])
        self.n_rows = sum(block.shape[1] for block in blocks)
        self._places = {column: place for place, column in enumerate(columns)}

    def read(self, columns: list[str], use_threads: bool) -> Iterator[pa.Table]:
        import pyarrow as pa

        places = [self._places[column] for column in columns]
        is_run = places == list(range(places[0], places[0] + len(places)))
        some = slice(places[0], places[-1] + 1) if is_run else places  # a slice copies nothing
        for group in group_by_size((len(places) * block.shape[1] for block in self._blocks), PIECE):
            own = [self._blocks[i][some] for i in group]
            values = own[0] if len(own) == 1 else np.concatenate(own, axis=1)
            yield pa.Table.from_arrays([pa.array(row) for row in values], names=columns)


def write_matrix(
    name: str,
    columns: Sequence[str],
    lines: Iterable[Array],
    scratch: Scratch,
    by_columns: bool = False,
) -> MatrixPart:
    """A matrix that comes in blocks of rows, or of columns, all as numbers of one type.

    Blocks have a line in each row: rows of the matrix or, with `by_columns`, its columns.
    """
    file = scratch.file()
    sizes, dtype = [], np.dtype(np.float64)
    for block in lines:
        dtype = block.dtype
        sizes.append(len(block))
        file.write(np.ascontiguousarray(block if by_columns else block.T))
    values = file.array(dtype, (-1,))
    if by_columns:
        return MatrixPart(name, columns, [values.reshape(len(columns), -1)])
    ends = np.cumsum([0, *sizes]) * len(columns)
    blocks = [values[begin:end].reshape(len(columns), -1) for begin, end in pairwise(ends)]
    return MatrixPart(name, columns, blocks)

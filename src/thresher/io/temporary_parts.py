"""Blocks of rows, written to temporary files by columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from thresher._utils.types import Array
from thresher.io.table import group_by_size
from thresher.io.temporary import TemporaryStore

if TYPE_CHECKING:
    import pyarrow as pa

# Values decoded at a time: decoded values should still be in the cache when they are copied.
PIECE = 1 << 17


class TableBlock:
    """A block of rows in Arrow format; columns that are text in any block are text in all."""

    is_columnar = True

    def __init__(self, name: str, table: pa.Table) -> None:
        self.name = name
        self.schema = table.schema
        self.n_rows = table.num_rows
        self._pieces = [table]

    def read(self, columns: list[str], use_threads: bool) -> Iterator[pa.Table]:
        import pyarrow as pa

        piece_of = {name: piece for piece in self._pieces for name in piece.schema.names}
        yield pa.table({name: piece_of[name].column(name) for name in columns})

    def add(self, table: pa.Table) -> None:
        self._pieces.append(table)
        for name in table.column_names:
            index = self.schema.get_field_index(name)
            self.schema = self.schema.set(index, table.schema.field(name))


def write_tables(tables: Iterable[pa.Table], scratch: TemporaryStore | None) -> list[pa.Table]:
    """Return tables in a mapped temporary file, from which pages are loaded as columns are read.

    Without `scratch`, the tables stay in memory.
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
        pa.ipc.open_stream(mapped.slice(start, end - start)).read_all()
        for start, end in pairwise(ends)
    ]


class MatrixPart:
    """The columns of a matrix. They are rows of mapped arrays, each of which has some rows of the matrix.

    Parameters
    ----------
    name : str
        The name in messages.
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
        self._index_of = {column: index for index, column in enumerate(columns)}

    def read(self, columns: list[str], use_threads: bool) -> Iterator[pa.Table]:
        import pyarrow as pa

        indices = [self._index_of[column] for column in columns]
        is_run = indices == list(range(indices[0], indices[0] + len(indices)))
        chosen = slice(indices[0], indices[-1] + 1) if is_run else indices  # a slice copies nothing
        for group in group_by_size(
            (len(indices) * block.shape[1] for block in self._blocks), PIECE
        ):
            rows = [self._blocks[i][chosen] for i in group]
            values = rows[0] if len(rows) == 1 else np.concatenate(rows, axis=1)
            yield pa.Table.from_arrays([pa.array(row) for row in values], names=columns)


def write_matrix(
    name: str,
    columns: Sequence[str],
    lines: Iterable[Array],
    scratch: TemporaryStore,
    by_columns: bool = False,
) -> MatrixPart:
    """Write blocks of rows, or of columns, to a temporary file; all are numbers of one type.

    The rows of a block are rows of the matrix or, with `by_columns`, its columns.
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
    blocks = [values[start:end].reshape(len(columns), -1) for start, end in pairwise(ends)]
    return MatrixPart(name, columns, blocks)

"""Blocks of rows of Spark dataframes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from scipy import sparse

from thresher._utils.types import Array
from thresher.blocks.engine import RowBlock, split_columns
from thresher.io.arrow import read_row_groups
from thresher.io.table import validated

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.fs import FileSystem

# The number of a block, and a function that reads it.
NumberedBlock = tuple[int, Callable[[], RowBlock]]


class SparkRows(Protocol):
    """How a task reads blocks from the Arrow batches that Spark passes to it."""

    def blocks(self, batches: Iterable[pa.RecordBatch]) -> Iterator[NumberedBlock]: ...


@dataclass(frozen=True)
class PartitionRows:
    """Partitions of a DataFrame as blocks of the same number.

    Attributes
    ----------
    schema : pyarrow.Schema
        The schema of a batch, for empty partitions, which have no batch.
    names : list of str
        The names of the columns. Spark has names without dots, which it would read as fields.
    y, sample_weight : str or None
        Names of columns.
    vectors : str or None
        The column with all features of a row, an array or a vector of pyspark.ml.
    n_features : int or None
        The length of these vectors.
    """

    schema: pa.Schema
    names: list[str]
    y: str | None
    sample_weight: str | None
    vectors: str | None
    n_features: int | None

    def blocks(self, batches: Iterable[pa.RecordBatch]) -> Iterator[NumberedBlock]:
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None
        number = context.partitionId()
        yield number, partial(self._read, number, batches)

    def _read(self, number: int, batches: Iterable[pa.RecordBatch]) -> RowBlock:
        import pyarrow as pa

        given = list(batches)
        table = pa.Table.from_batches(given) if given else self.schema.empty_table()
        block = split_columns(table.rename_columns(self.names), self.y, self.sample_weight)
        if self.vectors is None:
            return block
        X = _stack(block.X[self.vectors], self.vectors, self.n_features or 0, number)
        return RowBlock(X, block.y, block.weights)


@dataclass(frozen=True)
class FileRows:
    """Row groups of Parquet files as blocks. Every row of the DataFrame names one.

    Attributes
    ----------
    filesystem : pyarrow.fs.FileSystem or None
    schema : pyarrow.Schema
        The schema of the columns to read, the same for all files.
    y, sample_weight : str or None
        Names of columns.
    """

    filesystem: FileSystem | None
    schema: pa.Schema
    y: str | None
    sample_weight: str | None
    SCHEMA = "block long, path string, row_group long"

    def blocks(self, batches: Iterable[pa.RecordBatch]) -> Iterator[NumberedBlock]:
        for number, path, group in rows_of(batches):
            yield number, partial(self._read, path, group)

    def _read(self, path: str, group: int) -> RowBlock:
        from pyarrow import parquet

        try:
            with parquet.ParquetFile(path, filesystem=self.filesystem) as file:
                pieces = [read_row_groups(file, [group], self.schema.names)]
                (table,) = validated(str(path), pieces)
        except FileNotFoundError:
            raise RuntimeError(
                f"a Spark executor cannot find {path}. Store the files where all executors can read them"
            ) from None
        return split_columns(table.cast(self.schema), self.y, self.sample_weight)


def rows_of(batches: Iterable[pa.RecordBatch]) -> Iterator[Any]:
    """Yield the rows of batches as tuples of Python values."""
    for batch in batches:
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def _stack(
    column: pa.ChunkedArray, name: str, n_features: int, number: int
) -> Array | sparse.csr_matrix:
    """Return a column of arrays or vectors as a matrix, sparse if any of the vectors is."""
    import pyarrow as pa

    if column.null_count:
        raise ValueError(
            f"column {name!r} has {column.null_count} rows without a vector in partition {number}. Drop them"
        )
    is_vector = pa.types.is_struct(column.type)
    stack = _vectors if is_vector else _arrays
    parts = [stack(chunk, name, n_features) for chunk in column.chunks]
    if not parts:
        return np.empty((0, n_features))
    if any(sparse.issparse(part) for part in parts):
        return sparse.vstack(parts, format="csr")
    return np.concatenate(parts)


def _arrays(chunk: pa.ListArray, name: str, n_features: int) -> Array:
    _check_lengths(chunk.value_lengths().to_numpy(), name, n_features)
    values = chunk.flatten().to_numpy(zero_copy_only=False)
    return np.reshape(values, (len(chunk), n_features))


def _vectors(chunk: pa.StructArray, name: str, n_features: int) -> Array | sparse.csr_matrix:
    """Return the vectors of pyspark.ml as a matrix. Kind 1 has values only, kind 0 a size, indices and values."""
    kinds, sizes, indices, values = (
        chunk.field(field) for field in ("type", "size", "indices", "values")
    )
    is_sparse = kinds.to_numpy() == 0
    lengths = values.value_lengths().to_numpy()
    full_lengths = np.where(is_sparse, sizes.fill_null(0).to_numpy(), lengths)
    _check_lengths(full_lengths, name, n_features)
    data = values.flatten().to_numpy()
    if not is_sparse.any():
        return data.reshape(len(chunk), n_features)
    # Dense vectors among sparse ones have an entry for every feature.
    is_listed = np.repeat(is_sparse, lengths)
    columns = np.empty(len(data), dtype=np.int32)
    columns[is_listed] = indices.flatten().to_numpy()
    columns[~is_listed] = np.tile(
        np.arange(n_features, dtype=np.int32), np.count_nonzero(~is_sparse)
    )
    starts = np.concatenate([[0], np.cumsum(lengths)])
    return sparse.csr_matrix((data, columns, starts), shape=(len(chunk), n_features))


def _check_lengths(lengths: Array, name: str, n_features: int) -> None:
    wrong = lengths[lengths != n_features]
    if len(wrong):
        raise ValueError(
            f"the vectors of column {name!r} have {n_features} and {int(wrong[0])} values. Make them equally long"
        )

"""Blocks of rows that are read several times, and columns collected from them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from thresher._utils.types import DataLike, Estimator, Indices
from thresher.data.table import Matrix, Table
from thresher.data.training import read_table


class RowChunks:
    """Blocks of rows with the same columns, which together may exceed the memory.

    Parameters
    ----------
    chunks : list of blocks, or callable
        Arrays, sparse matrices or dataframes of numbers; or a function that returns a fresh iterator over them.
    selector : estimator
        The estimator whose ``n_features_in_`` and ``feature_names_in_`` are set; its `exclude` is used.
    n_threads : int
    """

    def __init__(self, chunks: DataLike, selector: Estimator, n_threads: int = 1) -> None:
        if not callable(chunks) and (not hasattr(chunks, "__iter__") or iter(chunks) is chunks):
            raise ValueError(
                f"chunks are read more than once, got {type(chunks).__name__}. Pass a list of blocks, or a function "
                "that returns a fresh iterator over them"
            )
        self._chunks = chunks
        self._selector = selector
        self.n_threads = n_threads
        self.n_rows = 0
        first: Table | None = None
        dtypes = set()
        for table in self._tables():
            if first is None:
                first = table
            elif table.n_features != first.n_features or table.is_sparse != first.is_sparse:
                raise ValueError(
                    f"chunks must have the same columns and all be dense or all sparse: the first has "
                    f"{first.n_features} features, one after row {self.n_rows} has {table.n_features}"
                )
            if table.is_category.any():
                column = table.schema.label(int(np.argmax(table.is_category)))
                raise ValueError(
                    f"column {column} of a chunk contains categories. Encode them as numbers"
                )
            self.n_rows += table.n_rows
            dtypes.add(table.matrix.dtype)
        if first is None:
            raise ValueError("chunks contain no block of rows. Pass at least one")
        self.names = first.names
        self.n_features = first.n_features
        self.is_sparse = first.is_sparse
        self.dtype = np.result_type(*dtypes)

    def _tables(self) -> Iterator[Table]:
        for block in self._chunks() if callable(self._chunks) else self._chunks:
            yield read_table(
                self._selector,
                block,
                n_threads=self.n_threads,
                exclude=self._selector.exclude,
                is_block=True,
            )

    def group_size(self, memory: int) -> int:
        """Return how many columns at a time fit into `memory` bytes."""
        return max(1, memory // max(1, self.n_rows * self.dtype.itemsize))

    def columns(self, features: Indices) -> Table:
        """Return all rows of some columns, in one pass over the blocks."""
        labels = self.names
        if labels is None:
            labels = np.array([str(i) for i in range(self.n_features)], dtype=object)
        if self.is_sparse:
            parts = [table.matrix[:, features] for table in self._tables()]
            matrix: Matrix = sparse.vstack(parts, format="csc")
        else:
            matrix = np.empty((self.n_rows, len(features)), dtype=self.dtype, order="F")
            row = 0
            for table in self._tables():
                matrix[row : row + table.n_rows] = table.matrix[:, features]
                row += table.n_rows
        table = Table(matrix, labels[features], np.zeros(len(features), dtype=bool), self.n_threads)
        table.schema.reject_unusable(allow_missing=False)
        return table

"""Values of cells and genes, in memory or in the file of a backed object, read in pieces that fit into memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from thresher._utils.long_calls import Reporter, report
from thresher._utils.types import Indices, Matrix
from thresher.data import feature_blocks
from thresher.io.sparse import check_sparse

# Values read from a file at a time, counting zeros of sparse matrices.
BLOCK_VALUES = 1 << 23


@dataclass
class GeneValues:
    """Cells x genes of an AnnData object.

    Parameters
    ----------
    values : ndarray, sparse matrix, or the dataset of a backed object
    reporter : Reporter
        The reporter of the progress of reading.
    rows : ndarray of int, default=None
        Positions of the cells to use, ascending; None: all.
    log_base : float, default=None
        Base of logarithms of one more than counts, from which counts are computed; None: values are read unchanged.
    """

    values: Matrix
    reporter: Reporter
    rows: Indices | None = None
    log_base: float | None = None

    def __post_init__(self) -> None:
        self.is_backed = not isinstance(self.values, np.ndarray) and not sparse.issparse(
            self.values
        )
        if self.is_backed and not hasattr(self.values, "shape"):
            self.values, self.is_backed = np.asarray(self.values), False
        n_cells, self.n_genes = self.values.shape
        self.n_cells = int(n_cells if self.rows is None else len(self.rows))

    def take(self, rows: Indices) -> GeneValues:
        """Return the values of some cells."""
        return replace(self, rows=rows)

    def counts(self, log_base: float) -> GeneValues:
        """Return the counts whose logarithms these are."""
        return replace(self, log_base=log_base)

    @property
    def by_genes(self) -> bool:
        """Whether values are stored gene by gene, so that a piece has some genes of all cells."""
        return getattr(self.values, "format", None) == "csc"

    def pieces(self) -> Iterator[tuple[slice, Matrix]]:
        """Yield genes with their values in some cells; together the pieces have every value once."""
        if self.log_base is None:
            yield from self._stored()
            return
        for genes, piece in self._stored():
            yield genes, _undo_logarithm(piece, np.log(self.log_base))

    def _stored(self) -> Iterator[tuple[slice, Matrix]]:
        if not self.is_backed and self.log_base is None:
            everything = self.values if self.rows is None else self.values[self.rows]
            yield slice(0, self.n_genes), everything
            return
        n_cells, n_genes = self.values.shape
        if self.by_genes:
            for genes in feature_blocks(n_genes, n_cells, BLOCK_VALUES):
                piece = check_sparse(self.values[:, genes])
                yield genes, piece if self.rows is None else piece[self.rows]
                self._report("genes", genes.stop, n_genes)
            return
        for cells in feature_blocks(n_cells, n_genes, BLOCK_VALUES):
            if self.rows is None:
                yield slice(0, n_genes), check_sparse(self.values[cells])
            else:
                begin, end = np.searchsorted(self.rows, [cells.start, cells.stop])
                if begin == end:
                    continue
                piece = check_sparse(self.values[cells])
                yield slice(0, n_genes), piece[self.rows[begin:end] - cells.start]
            self._report("cells", cells.stop, n_cells)

    def _report(self, what: str, n_read: int, n_all: int) -> None:
        if self.is_backed:
            report(self.reporter, "read %d of %d %s", n_read, n_all, what)

    def chunks(self) -> Iterator[Matrix]:
        """Return an iterator over the values of the pieces."""
        return (piece for _, piece in self.pieces())

    def in_memory(self) -> Matrix:
        """Return all values."""
        parts = list(self.chunks())
        if len(parts) == 1:
            return parts[0]
        if sparse.issparse(parts[0]):
            return (sparse.hstack if self.by_genes else sparse.vstack)(parts, parts[0].format)
        return np.concatenate(parts)


def _undo_logarithm(logarithms: Matrix, log_of_base: float) -> Matrix:
    """Return the counts whose logarithms these are."""
    counts = logarithms.astype(np.float64)
    data = counts.data if sparse.issparse(counts) else counts
    data *= log_of_base
    np.expm1(data, out=data)
    return counts

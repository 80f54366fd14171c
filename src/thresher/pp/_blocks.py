"""Values of cells and genes, in memory or in the file of a backed object, in pieces that fit into memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from thresher._utils.long_calls import Voice, report
from thresher.data import feature_blocks
from thresher.io.sparse import check_sparse

# Values read from a file at a time, were they all stored.
BLOCK_VALUES = 1 << 23


class GeneValues:
    """Cells x genes of an AnnData object.

    Parameters
    ----------
    values : ndarray, sparse matrix, or what a backed object has in their place
    voice : Voice
        Who tells how far a file has been read.
    rows : ndarray of int, default=None
        The cells to look at, ascending; None: all.
    log_base : float, default=None
        The values are logarithms of one more than counts to this base, and the counts are read; None: the values.
    """

    def __init__(
        self,
        values: Any,
        voice: Voice,
        rows: npt.NDArray[np.intp] | None = None,
        log_base: float | None = None,
    ) -> None:
        self.is_backed = not isinstance(values, np.ndarray) and not sparse.issparse(values)
        if self.is_backed and not hasattr(values, "shape"):
            values, self.is_backed = np.asarray(values), False
        self.values = values
        self.voice = voice
        self.rows = rows
        self.log_base = log_base
        n_cells, self.n_genes = values.shape
        self.n_cells = int(n_cells if rows is None else len(rows))

    def of(self, rows: npt.NDArray[np.intp]) -> GeneValues:
        """Those of some cells."""
        return GeneValues(self.values, self.voice, rows, self.log_base)

    def counts(self, log_base: float) -> GeneValues:
        """Return the counts whose logarithms these are."""
        return GeneValues(self.values, self.voice, self.rows, log_base)

    @property
    def by_genes(self) -> bool:
        """Whether genes lie one after the other, so that a piece is some genes of all cells."""
        return getattr(self.values, "format", None) == "csc"

    def pieces(self) -> Iterator[tuple[slice, Any]]:
        """Genes, and values of some cells for them; together every value once."""
        if self.log_base is None:
            yield from self._stored()
            return
        for genes, piece in self._stored():
            yield genes, _counts(piece, np.log(self.log_base))

    def _stored(self) -> Iterator[tuple[slice, Any]]:
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
            report(self.voice, "read %d of %d %s", n_read, n_all, what)

    def chunks(self) -> Iterator[Any]:
        """Blocks of cells."""
        return (piece for _, piece in self.pieces())

    def in_memory(self) -> Any:
        """All values at once."""
        parts = list(self.chunks())
        if len(parts) == 1:
            return parts[0]
        if sparse.issparse(parts[0]):
            return (sparse.hstack if self.by_genes else sparse.vstack)(parts, parts[0].format)
        return np.concatenate(parts)


def _counts(logarithms: Any, log_of_base: float) -> Any:
    """Return a copy of the values with the logarithm undone."""
    counts = logarithms.astype(np.float64)
    data = counts.data if sparse.issparse(counts) else counts
    data *= log_of_base
    np.expm1(data, out=data)
    return counts

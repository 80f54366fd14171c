"""Graphs of samples, and the smoothness of features on them."""

from __future__ import annotations

import operator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from thresher import _core
from thresher._utils.long_calls import call_interruptibly
from thresher._utils.types import Array, DataLike, Floats
from thresher.data import LocalData, Table, feature_blocks
from thresher.io.sparse import check_sparse
from thresher.measures.columns import stored_columns
from thresher.measures.rounding import round_significant

Rows = npt.NDArray[np.uint32]

# Relative error of squared distances from products, in units of the squared norms.
SLACK = 1e-9


@dataclass(frozen=True)
class Graph:
    """Undirected edges with ``first < second``, their weights, and the degrees of all samples."""

    first: Rows
    second: Rows
    weight: Floats
    degree: Floats

    def matrix(self) -> Floats:
        """Return the symmetric weights as a dense matrix, with loops on the diagonal."""
        n = len(self.degree)
        full = np.zeros((n, n))
        full[self.first, self.second] = self.weight
        full[self.second, self.first] = self.weight
        full[np.arange(n), np.arange(n)] = self.degree - full.sum(axis=1)
        return full


def neighbour_graph(
    training: LocalData, n_neighbors: int, weight: str, bandwidth: float | None
) -> tuple[Graph, float | None]:
    """Return the graph that joins a sample with its nearest neighbours, and the bandwidth used."""
    table = training.table
    table.schema.reject_unsquarable()
    if table.is_sparse:
        first, second, squared = _sparse_neighbours(table.matrix.tocsr(), n_neighbors)
    else:
        columns = table.feature_major()
        first, second, squared = _core.nearest_graph(columns, n_neighbors, training.n_threads)
    values = np.ones(len(first))
    if weight == "heat":
        if bandwidth is None:
            bandwidth = float(squared.mean()) if len(squared) else 1.0
        values = _core.exponentials(-squared / bandwidth) if bandwidth > 0 else values
    elif weight == "cosine":
        values = _edge_cosines(table, first, second, squared)
    degree = np.bincount(first, values, table.n_rows) + np.bincount(second, values, table.n_rows)
    return Graph(first, second, values, degree.astype(np.float64)), bandwidth


def _edge_cosines(table: Table, first: Rows, second: Rows, squared: Floats) -> Floats:
    """Return the absolute cosine of the two samples of every edge, from distances and norms."""
    if table.is_sparse:
        matrix = table.matrix.astype(np.float64, copy=False)
        square = np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel()
    else:
        square = np.einsum("ij,ij->j", table.feature_major(), table.feature_major(), dtype=float)
    norms = np.sqrt(square[first] * square[second])
    product = np.abs(square[first] + square[second] - squared) / 2
    cosine: Floats = np.divide(product, norms, out=np.zeros(len(norms)), where=norms > 0)
    return np.minimum(cosine, 1.0)


def _sparse_neighbours(matrix: sparse.csr_matrix, n_neighbors: int) -> tuple[Rows, Rows, Floats]:
    """Return the nearest rows of a CSR matrix; ties go to the lower index.

    Distances come from products; near ties are settled by differences.
    """
    matrix = matrix.astype(np.float64)
    n = matrix.shape[0]
    k = min(n_neighbors, n - 1)
    square = np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel()
    pairs: list[npt.NDArray[np.int64]] = []
    transposed = matrix.T.tocsr()
    # Bytes of the products of one row: its distances, and its values times those of their columns.
    cost = 8 * n + matrix.nnz**2 // max(1, n * matrix.shape[1])
    for block in feature_blocks(n, cost):
        rows = np.arange(block.start, block.stop)
        products = (matrix[rows] @ transposed).toarray()
        squared = np.maximum(square[rows, None] + square[None] - 2 * products, 0)
        squared[np.arange(len(rows)), rows] = np.inf
        slack = SLACK * (square[rows, None] + square[None])
        bound = np.partition(squared + slack, k - 1, axis=1)[:, k - 1]
        which, near = np.nonzero(squared - slack <= bound[:, None])
        exact = round_significant(_squared_differences(matrix, rows[which], near), 32)
        order = np.lexsort((near, exact, which))
        rank = np.arange(len(order)) - np.searchsorted(which[order], which[order])
        taken = order[rank < k]
        pairs.append(np.stack([rows[which[taken]], near[taken]]))
    ends = np.sort(np.concatenate(pairs, axis=1), axis=0)
    first, second = np.unique(ends, axis=1)
    squared = _squared_differences(matrix, first, second)
    return first.astype(np.uint32), second.astype(np.uint32), squared


def _squared_differences(matrix: sparse.csr_matrix, first: Array, second: Array) -> Floats:
    parts = []
    for block in feature_blocks(len(first), 8 * max(1, matrix.nnz // matrix.shape[0])):
        difference = matrix[first[block]] - matrix[second[block]]
        parts.append(np.asarray(difference.multiply(difference).sum(axis=1)).ravel())
    return np.concatenate(parts) if parts else np.empty(0)


def product_graph(training: LocalData) -> Graph:
    """Return the graph of half the products of samples, defined for non-negative data."""
    table = training.table
    table.schema.reject_unsquarable()
    negative = table.schema.minimum < 0
    if negative.any():
        first = int(np.argmax(negative))
        raise ValueError(
            f'affinity="product" needs non-negative values, but column {table.schema.label(first)} of X has '
            f'{table.schema.minimum[first]:g}. Use "heat", or shift the column'
        )
    # Products of zeros would only change the rounding of BLAS.
    matrix = table.matrix[:, ~training.excluded] if training.excluded.any() else table.matrix
    rows = matrix.astype(np.float64, copy=False)  # products of integers overflow
    if table.is_sparse:
        products = call_interruptibly(operator.matmul, rows, rows.T).toarray()
    else:
        products = call_interruptibly(np.matmul, rows, rows.T, n_threads=training.n_threads)
    return given_graph(products / 2, table.n_rows)


def class_graph(training: LocalData) -> Graph:
    """Return the graph with weight 1/n_c between samples of one class c, loops included."""
    codes = training.labels.codes
    if codes is None:
        raise ValueError('affinity="classes" needs classes, but y is numeric. Use "heat"')
    sizes = np.bincount(codes)
    return given_graph((codes[:, None] == codes[None]) / sizes[codes][:, None], training.n_rows)


def given_graph(weights: DataLike, n_rows: int) -> Graph:
    """Return the graph of a symmetric matrix of non-negative weights; loops count in the degrees only."""
    if sparse.issparse(weights):
        full = sparse.csr_matrix(check_sparse(weights, "graph"), dtype=np.float64)
        asymmetry = abs(full - full.T).max() if full.nnz else 0.0
    else:
        full = np.asarray(weights, dtype=np.float64)
        is_square = full.ndim == 2 and full.shape[0] == full.shape[1]
        asymmetry = np.abs(full - full.T).max() if is_square else np.inf
    if full.shape != (n_rows, n_rows):
        raise ValueError(
            f"graph must have the shape {(n_rows, n_rows)}, got {full.shape}. Pass one row and column per sample"
        )
    largest = float(abs(full).max())
    if not np.isfinite(largest) or asymmetry > 1e-9 * max(largest, 1e-300) or full.min() < 0:
        raise ValueError(
            "graph must be symmetric, with finite weights of at least 0. "
            "Make it symmetric, e.g. by numpy.maximum(W, W.T)"
        )
    if sparse.issparse(full):
        upper = sparse.triu(full, 1).tocoo()
        first, second, weight = upper.row, upper.col, upper.data
    else:
        first, second = np.nonzero(np.triu(full, 1))
        weight = full[first, second]
    degree = np.asarray(full.sum(axis=1), dtype=np.float64).ravel()
    return Graph(first.astype(np.uint32), second.astype(np.uint32), weight, degree)


def smoothness(training: LocalData, graph: Graph, *, centred: bool) -> Floats:
    """Return x'Lx / x'Dx of every feature; `centred` subtracts the degree-weighted mean of x first."""
    edges = graph.first, graph.second, graph.weight, graph.degree
    options = centred, training.n_threads
    table = training.table.rescaled
    if table.is_sparse:
        return _core.graph_scores_sparse(*stored_columns(table), *edges, *options)
    return _core.graph_scores(table.feature_major(), *edges, *options)

"""Blocks of rows read as numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from thresher._utils.arrays import LARGEST_EXACT, are_exact
from thresher._utils.checks import resolve_features
from thresher._utils.types import Array, DataLike, FeatureNames, Indices
from thresher.blocks.engine import RowBlock
from thresher.blocks.packed_rows import PackedRows, Texts
from thresher.data import (
    are_whole,
    check_weights,
    in_range,
    is_frame,
    one_dimensional,
    range_shift,
    read_frame,
    read_table,
    weight_numbers,
)
from thresher.io.sparse import check_sparse


@dataclass(frozen=True)
class Rows:
    """The rows of a block that count: those without a weight of zero, and without missing values if these are dropped.

    Attributes
    ----------
    matrix : ndarray of shape (n_rows, n_features)
        Categories are ranks among the texts of this block, missing values NaN.
    texts : dict of int to list of str
        The distinct texts of the columns that are categories in this block.
    labels : ndarray of shape (n_given,), or None
        The target of all given rows, whether they count or not.
    weights : ndarray of shape (n_rows,), or None
        The given weights times two to the power of `weight_shift`.
    used : ndarray of int, or None
        The indices of the given rows that count; None for all.
    n_given : int
        The number of given rows.
    given_weights : ndarray of shape (n_given,), or None
        The weights of all given rows.
    weight_shift : int
    n_incomplete : int
        The number of rows with missing values if rows with missing values are dropped.
    n_missing : ndarray of int, or None
        The number of missing values of each column in the given rows, if some rows are dropped for that.
    """

    matrix: Array
    texts: Texts
    labels: Array | None
    weights: Array | None
    used: Indices | None
    n_given: int
    given_weights: Array | None
    weight_shift: int = 0
    n_incomplete: int = 0
    n_missing: Array | None = None

    @property
    def n_rows(self) -> int:
        return len(self.matrix)

    def of_used(self, values: Array) -> Array:
        """Return the values of the rows that count."""
        return values if self.used is None else values[self.used]


@dataclass(frozen=True)
class RowReader:
    """Reads the rows of a block, in the same way in every pass.

    Attributes
    ----------
    owner : str
        The name of the selector, for messages.
    names : tuple of str, or None
        The names of the columns of all blocks, if they have any.
    exclude : list of str or int, or None
    needs_target, drops_rows : bool
        Whether a target is required, and whether rows with missing values are dropped.
    weight_shift : int or None
        The power of two that multiplies weights, see `range_shift`; None for that of each block.
    """

    owner: str
    names: tuple[str, ...] | None
    exclude: FeatureNames
    needs_target: bool
    drops_rows: bool
    weight_shift: int | None = None

    def __call__(self, number: int, block: RowBlock) -> Rows:
        matrix, texts = self.features(number, block.X)
        labels = one_dimensional(block.y, self.owner) if self.needs_target else None
        if labels is not None and len(labels) != len(matrix):
            raise ValueError(
                "X and y must have the same number of samples (inconsistent numbers of samples), got "
                f"{len(matrix)} and {len(labels)} in block {number}"
            )
        given, weights, shift = self._weights(number, block, len(matrix))
        counts = np.ones(len(matrix), dtype=bool) if weights is None else weights != 0
        n_incomplete, n_missing = 0, None
        if self.drops_rows and matrix.dtype.kind == "f":
            is_nan = np.isnan(matrix)
            incomplete = is_nan.any(axis=1)
            n_incomplete = int(incomplete.sum())
            n_missing = is_nan.sum(axis=0, dtype=np.int64) if n_incomplete else None
            counts &= ~incomplete
        used = None if counts.all() else np.flatnonzero(counts)
        return Rows(
            matrix if used is None else matrix[used],
            texts,
            labels,
            weights if used is None or weights is None else weights[used],
            used,
            len(matrix),
            given,
            shift,
            n_incomplete,
            n_missing,
        )

    def _weights(
        self, number: int, block: RowBlock, n_rows: int
    ) -> tuple[Array | None, Array | None, int]:
        """Return the given weights, the scaled weights, and the power of two between them."""
        if block.weights is None:
            return None, None, 0
        given = weight_numbers(block.weights)
        if given.shape != (n_rows,):
            raise ValueError(
                f"sample_weight.shape == {given.shape} in block {number}, expected {(n_rows,)}. "
                "Pass one weight per sample"
            )
        check_weights(given, f" of block {number}")
        shift = self.weight_shift
        if shift is None:
            shift = range_shift(float(given.max(initial=0)), are_whole(given), n_rows)
        return given, in_range(given, shift) if shift else given, shift

    def features(self, number: int, X: DataLike) -> tuple[Array, Texts]:
        """Return the features of a block as numbers, excluded ones as zeros, and the levels of categories."""
        if isinstance(X, PackedRows):
            return X.matrix(), X.texts
        if is_frame(X):
            frame = read_frame(X, self.exclude if len(X) else None, is_block=True)
            self._check_names(number, tuple(frame.names))
            if frame.rounded:
                raise _too_large(repr(str(frame.names[frame.rounded[0]])), number)
            excluded = resolve_features("exclude", self.exclude, frame.names, len(frame.names))
            if not len(excluded):
                return frame.matrix, frame.texts
            matrix = frame.matrix.copy(order="K")
            matrix[:, excluded] = 0
            return matrix, frame.texts
        if self.names is not None:
            raise ValueError(
                f"block {number} is {type(X).__name__} without column names, but other blocks are dataframes. "
                "Pass dataframes only"
            )
        if sparse.issparse(X):
            X = check_sparse(X, f"X of block {number}").toarray()
        shape = np.shape(X)
        if len(shape) == 2 and shape[0] == 0:
            return np.zeros(shape), {}
        matrix = read_table(BaseEstimator(), X, exclude=self.exclude, is_block=True).matrix
        is_object = isinstance(X, np.ndarray) and X.dtype.kind == "O"
        if is_object or (matrix.dtype.kind in "iu" and matrix.dtype.itemsize == 8):
            large = (matrix >= LARGEST_EXACT) | (matrix <= -LARGEST_EXACT)
            for column in np.flatnonzero(large.any(axis=0)).tolist():
                if not is_object or are_exact(X[:, column].tolist()):
                    raise _too_large(str(column), number)
        return matrix, {}

    def _check_names(self, number: int, names: tuple[str, ...]) -> None:
        if self.names is None or names == self.names:
            return
        n, n_others = len(names), len(self.names)
        if n != n_others:
            raise ValueError(
                f"blocks must have the same columns: block {number} has {n} features and others {n_others}"
            )
        i = next(i for i, name in enumerate(names) if name != self.names[i])
        raise ValueError(
            f"blocks must have the same columns in the same order, but column {i} is {names[i]!r} in block "
            f"{number} and {self.names[i]!r} in others"
        )


def _too_large(column: str, number: int) -> ValueError:
    return ValueError(
        f"column {column} of block {number} has integers beyond 2^53, which float64 rounds. Subtract a constant"
    )

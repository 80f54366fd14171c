"""A block of rows as numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator

from thresher._utils.arrays import LARGEST_EXACT, are_exact
from thresher._utils.checks import resolve_features
from thresher._utils.types import Array, DataLike, FeatureNames
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
    """The rows of a block that count.

    Attributes
    ----------
    matrix : ndarray of shape (n_rows, n_features)
        Categories stand as their ranks among the texts of this block, missing values as NaN.
    texts : dict of int to list of str
        Of the columns that are categories in this block.
    labels : ndarray of shape (n_given,), or None
        The target of all rows given, whether they count or not.
    weights : ndarray of shape (n_rows,), or None
        Those given times two to the power of `weight_shift`.
    used : ndarray of int, or None
        Which of the rows given count; None for all.
    n_given : int
    given_weights : ndarray of shape (n_given,), or None
    weight_shift : int
    n_incomplete : int
        Rows that are left out for their missing values, or would be.
    """

    matrix: Array
    texts: Texts
    labels: Array | None
    weights: Array | None
    used: npt.NDArray[np.intp] | None
    n_given: int
    given_weights: Array | None
    weight_shift: int = 0
    n_incomplete: int = 0

    @property
    def n_rows(self) -> int:
        return len(self.matrix)

    def of_used(self, values: Array) -> Array:
        """The values of the rows that count."""
        return values if self.used is None else values[self.used]


@dataclass(frozen=True)
class RowReader:
    """How a block becomes rows: the same in every pass.

    Attributes
    ----------
    owner : str
        The selector, for messages.
    names : tuple of str, or None
        What all blocks call their columns, if they do.
    exclude : list of str or int, or None
    needs_target, drops_rows : bool
        Whether there must be a target; whether rows with missing values are left out.
    weight_shift : int or None
        The power of two by which weights are multiplied, see `range_shift`; None for that of the block alone.
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
        n_incomplete = 0
        if self.drops_rows and matrix.dtype.kind == "f":
            incomplete = np.isnan(matrix).any(axis=1)
            n_incomplete = int(incomplete.sum())
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
        )

    def _weights(
        self, number: int, block: RowBlock, n_rows: int
    ) -> tuple[Array | None, Array | None, int]:
        """The weights as they were given, as they count, and the power of two between them."""
        if block.weights is None:
            return None, None, 0
        given = weight_numbers(block.weights)
        if given.shape != (n_rows,):
            raise ValueError(
                f"sample_weight.shape == {given.shape} in block {number}, expected {(n_rows,)}: "
                "give one weight per sample"
            )
        check_weights(given, f" of block {number}")
        shift = self.weight_shift
        if shift is None:
            shift = range_shift(float(given.max(initial=0)), are_whole(given), n_rows)
        return given, in_range(given, shift) if shift else given, shift

    def features(self, number: int, X: DataLike) -> tuple[Array, Texts]:
        """The features of a block as numbers, excluded ones as zeros, and the levels of categories."""
        if isinstance(X, PackedRows):
            return X.matrix(), X.texts
        if is_frame(X):
            found = read_frame(X, self.exclude if len(X) else None, is_block=True)
            self._check_names(number, tuple(found.names))
            if found.rounded:
                _refuse_large(repr(str(found.names[found.rounded[0]])), number)
            excluded = resolve_features("exclude", self.exclude, found.names, len(found.names))
            if not len(excluded):
                return found.matrix, found.texts
            matrix = found.matrix.copy(order="K")
            matrix[:, excluded] = 0
            return matrix, found.texts
        if self.names is not None:
            raise ValueError(
                f"block {number} is {type(X).__name__} without column names, but others are frames; make all frames"
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
                    _refuse_large(str(column), number)
        return matrix, {}

    def _check_names(self, number: int, names: tuple[str, ...]) -> None:
        if self.names is None or names == self.names:
            return
        if len(names) != len(self.names):
            raise ValueError(
                f"blocks must have the same columns, but block {number} has {len(names)} features and others have "
                f"{len(self.names)}"
            )
        place = next(i for i, name in enumerate(names) if name != self.names[i])
        raise ValueError(
            f"blocks must have the same columns in the same order, but column {place} is {names[place]!r} in block "
            f"{number} and {self.names[place]!r} in others"
        )


def _refuse_large(column: str, number: int) -> None:
    raise ValueError(
        f"column {column} of block {number} has whole numbers beyond 2^53, which cannot be told apart in blocks; "
        "subtract a constant"
    )

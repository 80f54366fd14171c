"""Tables with more columns: permuted ones, and ones of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
from scipy import sparse

from thresher.data import is_frame

Positions = npt.NDArray[np.intp]


def widen(
    X: Any,
    features: Positions,
    copies: Sequence[tuple[int, Positions]],
    more: npt.NDArray[np.float64] | None,
    order: Positions,
) -> Any:
    """These columns of X, permuted copies of some, then columns of numbers, in this order; of the kind of X.

    `copies` are pairs of a column of X and a permutation of the rows; `more` has one row per row of X.
    """
    if is_frame(X):
        return _widen_frame(X, features, copies, more, order)
    if sparse.issparse(X):
        return _widen_sparse(X, features, copies, more)[:, order]
    dense = np.asarray(X)
    parts = [dense[:, features], *(dense[rows, i] for i, rows in copies)]
    if more is not None:
        parts.append(more)
    return np.column_stack(parts)[:, order]


def _widen_frame(
    X: Any, features: Positions, copies: Any, more: npt.NDArray[np.float64] | None, order: Positions
) -> Any:
    frame = nw.maybe_reset_index(nw.from_native(X, eager_only=True))
    columns = [frame[:, int(i)] for i in features]
    for j, (i, rows) in enumerate(copies):
        shuffled = nw.maybe_reset_index(frame[:, int(i)][rows.tolist()])
        columns.append(shuffled.alias(f"artificial {j} {frame.columns[i]}"))
    if more is not None:
        kind = nw.get_native_namespace(frame)
        columns += [
            nw.new_series(f"artificial {len(copies) + j}", values, backend=kind)
            for j, values in enumerate(np.ascontiguousarray(more.T))
        ]
    whole = nw.concat([columns[i].to_frame() for i in order], how="horizontal")
    return whole.to_native()


def _widen_sparse(
    X: Any, features: Positions, copies: Any, more: npt.NDArray[np.float64] | None
) -> Any:
    by_column = X.tocsc()
    parts = [by_column[:, features]]
    if copies:
        copied = by_column[:, [i for i, _ in copies]]
        for j, (_, rows) in enumerate(copies):
            held = slice(copied.indptr[j], copied.indptr[j + 1])
            copied.indices[held] = np.argsort(rows)[copied.indices[held]]
        copied.has_sorted_indices = False
        copied.sort_indices()
        parts.append(copied)
    if more is not None:
        parts.append(sparse.csc_matrix(more))
    return sparse.hstack(parts, format="csc")

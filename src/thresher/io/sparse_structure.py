"""The structure of sparse matrices, which compiled code follows without a check of its own."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from scipy import sparse

T = TypeVar("T")


def check_sparse(X: T, name: str = "X") -> T:
    """Return X; raise `ValueError` for a sparse matrix with entries outside its shape or arrays that disagree.

    Anything but a sparse matrix passes. Time O(stored entries), without a copy; lists and dictionaries of Python take
    longer.
    """
    if sparse.issparse(X):
        fault = _fault_of(X)
        if fault is not None:
            raise ValueError(
                f"{name} is not a valid sparse matrix: {fault}. Build it again from its entries"
            )
    return X


def _fault_of(X: Any) -> str | None:
    if len(X.shape) != 2:
        return f"it has the shape {X.shape}, not rows and columns"
    n_rows, n_columns = X.shape
    match X.format:
        case "csr":
            return _fault_of_compressed(X, n_rows, n_columns)
        case "csc":
            return _fault_of_compressed(X, n_columns, n_rows)
        case "bsr":
            return _fault_of_blocks(X)
        case "coo":
            return _fault_of_entries(X)
        case "dia":
            return _fault_of_diagonals(X)
        case "lil":
            return _fault_of_lists(X)
        case "dok":
            # The keys are read one by one, and anything but an entry of the matrix is refused by SciPy.
            return _fault_of_entries(X.tocoo())
        case other:
            return f"its format {other!r} is unknown"


def _fault_of_compressed(X: Any, n_lines: int, width: int) -> str | None:
    starts, places = X.indptr, X.indices
    fault = _fault_of_type("indptr", starts) or _fault_of_type("indices", places)
    if fault:
        return fault
    if len(starts) != n_lines + 1:
        return f"indptr has {len(starts)} values, not {n_lines + 1}"
    if len(places) != len(X.data):
        return f"{len(places)} indices have {len(X.data)} values"
    # The core takes arrays with room for more entries, as SciPy does.
    if starts[0] != 0 or starts[-1] > len(places) or (starts[1:] < starts[:-1]).any():
        return "indptr must rise from 0 to the number of entries"
    return _fault_of_range("indices", places[: starts[-1]], width)


def _fault_of_blocks(X: Any) -> str | None:
    if X.data.ndim != 3:
        return f"its blocks have the shape {X.data.shape}, not three dimensions"
    height, width = X.data.shape[1:]
    if min(height, width) < 1 or X.shape[0] % height or X.shape[1] % width:
        return f"blocks of {height} x {width} do not fill the shape {X.shape}"
    return _fault_of_compressed(X, X.shape[0] // height, X.shape[1] // width)


def _fault_of_entries(X: Any) -> str | None:
    for name, places, size in (("rows", X.row, X.shape[0]), ("columns", X.col, X.shape[1])):
        fault = _fault_of_type(name, places)
        if fault:
            return fault
        if len(places) != len(X.data):
            return f"{len(places)} {name} have {len(X.data)} values"
        fault = _fault_of_range(name, places, size)
        if fault:
            return fault
    return None


def _fault_of_diagonals(X: Any) -> str | None:
    fault = _fault_of_type("offsets", X.offsets)
    if fault:
        return fault
    if X.data.ndim != 2 or len(X.data) != len(X.offsets):
        return f"{len(X.offsets)} offsets have values of the shape {X.data.shape}"
    outside = (X.offsets <= -X.shape[0]) | (X.offsets >= X.shape[1])
    return f"a diagonal at {X.offsets[outside][0]} is outside its shape" if outside.any() else None


def _fault_of_lists(X: Any) -> str | None:
    n_rows, n_columns = X.shape
    for name, lists in (("rows", X.rows), ("data", X.data)):
        if lists.shape != (n_rows,) or not all(isinstance(one, list) for one in lists):
            return f"{name} must be {n_rows} lists"
    for places, values in zip(X.rows, X.data, strict=True):
        if len(places) != len(values):
            return f"a row has {len(places)} indices and {len(values)} values"
        if places and not (min(places) >= 0 and max(places) < n_columns):
            return f"indices must be at least 0 and below {n_columns}"
    return None


def _fault_of_type(name: str, places: Any) -> str | None:
    """Only these types are known to SciPy's compiled code and to the core."""
    if places.ndim == 1 and places.dtype in (np.int32, np.int64):
        return None
    return f"{name} must be int32 or int64 of one dimension, got {places.dtype} {places.shape}"


def _fault_of_range(name: str, places: Any, size: int) -> str | None:
    if len(places) == 0 or (places.min() >= 0 and places.max() < size):
        return None
    return f"{name} must be at least 0 and below {size}"

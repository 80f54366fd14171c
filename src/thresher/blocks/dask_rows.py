"""Blocks of rows of dask arrays and dataframes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, TypeGuard

import numpy as np

from thresher._utils.types import DataLike, TargetLike, WeightsLike
from thresher.data import column_names

if TYPE_CHECKING:
    from dask.array import Array
    from dask.delayed import Delayed

    # X, y and weights of a block, as delayed values.
    DelayedBlock: TypeAlias = tuple[Delayed, Delayed | None, Delayed | None]

_REMEDY = "Pass columns of one Dask dataframe, or split both alike with repartition or rechunk"
_MOST_LISTED = 10
# The rows of every block, where they are known.
Lengths: TypeAlias = tuple[int, ...] | None


@dataclass(frozen=True)
class DaskRows:
    """Blocks of rows that are still to be computed.

    Attributes
    ----------
    blocks : list of tuple
        X, y and weights of each block as delayed values; None for those that are not given or columns of X.
    columns : tuple
        The columns of X that are y and weights, or None.
    names : list of str or None
        The names of the features, if they have any.
    n_features : int or None
        The number of features, if it is known.
    """

    blocks: list[DelayedBlock]
    columns: tuple[str | None, str | None]
    names: list[str] | None
    n_features: int | None


def dask_rows(X: DataLike, y: TargetLike = None, sample_weight: WeightsLike = None) -> DaskRows:
    """Return the blocks of X with those of y and weights, which are names of columns or Dask objects."""
    is_frame = hasattr(X, "columns") and hasattr(X, "to_delayed")
    if is_frame:
        names = list(X.columns)
        named = column_names(names, y, sample_weight)
        names = [name for name in names if name not in named.values()]
        given = (None if isinstance(values, str) else values for values in (y, sample_weight))
        blocks = _zipped(X.to_delayed(), None, *given)
        return DaskRows(blocks, (named.get("y"), named.get("sample_weight")), names, len(names))
    X = _whole_rows(X)
    for parameter, values in (("y", y), ("sample_weight", sample_weight)):
        if isinstance(values, str):
            raise ValueError(
                f"{parameter} names the column {values!r}, but X is a dask array. Pass X as a dask dataframe"
            )
    lengths = _known(X.chunks[0])
    n_features = None if np.isnan(X.shape[1]) else int(X.shape[1])
    blocks = _zipped(X.to_delayed()[:, 0].tolist(), lengths, y, sample_weight)
    return DaskRows(blocks, (None, None), None, n_features)


def _whole_rows(X: DataLike) -> Array:
    """Return a Dask array of two dimensions with all columns in each block."""
    if not _is_array(X):
        raise ValueError(
            f"X must be a dask array or a dask dataframe, got {type(X).__module__}.{type(X).__name__}"
        )
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions, rows and columns, got {X.ndim}")
    return X if X.numblocks[1] == 1 else X.rechunk({1: -1})


def _is_array(values: object) -> TypeGuard[Array]:
    import dask.array

    return isinstance(values, dask.array.Array)


def _known(chunks: tuple[float, ...]) -> Lengths:
    return None if np.isnan(chunks).any() else tuple(int(size) for size in chunks)


def _zipped(
    X: list[Delayed], lengths: Lengths, y: TargetLike, sample_weight: WeightsLike
) -> list[DelayedBlock]:
    targets, weights = (
        [None] * len(X) if values is None else _aligned(parameter, values, lengths, len(X))
        for parameter, values in (("y", y), ("sample_weight", sample_weight))
    )
    return list(zip(X, targets, weights, strict=True))


def _aligned(parameter: str, values: TargetLike, lengths: Lengths, n_blocks: int) -> list[Delayed]:
    """Return the blocks of y or weights, split like X if the lengths of both are known."""
    is_array = _is_array(values)
    is_series = hasattr(values, "to_delayed") and hasattr(values, "npartitions")
    if not (is_array or is_series) or values.ndim != 1:
        shape = f" of {values.ndim} dimensions" if is_array or is_series else ""
        raise ValueError(
            f"{parameter} must be the name of a column of X or a dask array or series of one dimension, got "
            f"{type(values).__module__}.{type(values).__name__}{shape}. Use dask.array.from_array"
        )
    if is_array:
        chunks = _known(values.chunks[0])
        if chunks is not None and lengths is not None and chunks != lengths:
            if sum(chunks) != sum(lengths):
                raise ValueError(
                    f"X has {sum(lengths)} rows and {parameter} has {sum(chunks)}. Pass one value per row"
                )
            values = values.rechunk((lengths,))
    blocks = list(values.to_delayed())
    if len(blocks) != n_blocks:
        raise ValueError(
            f"X has {n_blocks} blocks of rows and {parameter} has {len(blocks)}. {_REMEDY}"
        )
    return blocks


def check_sizes(sizes: Iterable[dict[str, int]]) -> None:
    """Raise if a block has different numbers of rows in X, y and weights."""
    sizes = list(sizes)
    by_parameter = {name: [block[name] for block in sizes] for name in sizes[0]}
    rows = by_parameter.pop("X")
    for parameter, others in by_parameter.items():
        if others != rows:
            raise ValueError(
                f"X has blocks of {_listed(rows)} rows and {parameter} has blocks of {_listed(others)}. {_REMEDY}"
            )


def _listed(sizes: list[int]) -> str:
    shown = ", ".join(str(size) for size in sizes[:_MOST_LISTED])
    return shown if len(sizes) <= _MOST_LISTED else f"{shown} ... ({len(sizes)} blocks)"

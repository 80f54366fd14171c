"""Forward searches that look at rows: partial correlations of columns, partitions of rows."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from thresher import _core
from thresher._core import SearchResult
from thresher.search.forward import Choices, Floats, ForwardSearch, in_core

Columns = NDArray[np.floating[Any]] | NDArray[np.signedinteger[Any]]


def gso(
    columns: NDArray[np.floating[Any]],
    target: Floats,
    n_select: int,
    *,
    weights: Floats | None = None,
    n_threads: int = 1,
    **choices: Unpack[Choices],
) -> ForwardSearch[SearchResult]:
    """Add the feature with the largest squared partial correlation, summed over the lines of `weights`."""
    search = _core.gso(
        columns, target, n_select, weights=weights, n_threads=n_threads, **in_core(**choices)
    )
    return ForwardSearch(search, search.result)


def rrct(
    ranks: Columns,
    values: Columns,
    target: Floats,
    n_select: int,
    *,
    information: bool,
    complementarity: bool,
    magnitude_rule: bool,
    redundancy_scale: float,
    n_threads: int = 1,
    **choices: Unpack[Choices],
) -> ForwardSearch[SearchResult]:
    """Add the feature whose relevance and complementarity best outweigh its redundancy.

    Relevance and complementarity are correlations of `ranks` with the target; redundancies are those of `values`.
    """
    search = _core.rrct(
        ranks,
        values,
        target,
        n_select,
        information=information,
        complementarity=complementarity,
        magnitude_rule=magnitude_rule,
        redundancy_scale=redundancy_scale,
        n_threads=n_threads,
        **in_core(**choices),
    )
    return ForwardSearch(search, search.result)


def cmi_walk(
    table: _core.CodedTable,
    classes: NDArray[np.int32],
    n_classes: int,
    relevance: Floats,
    *,
    n_select: int | None = None,
    take_last: bool = True,
    weights: NDArray[np.int64] | None = None,
    **choices: Unpack[Choices],
) -> ForwardSearch[SearchResult]:
    """Walk by falling relevance, keeping each feature that tells more than its successor, given those kept."""
    search = _core.cmi_walk(
        table,
        classes,
        n_classes,
        relevance,
        n_select=n_select,
        take_last=take_last,
        weights=weights,
        **in_core(**choices),
    )
    return ForwardSearch(search, search.result)

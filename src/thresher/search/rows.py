"""Forward searches that look at rows: partial correlations of columns, partitions of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from thresher import _core
from thresher.search.forward import Choices, Features, Floats, ForwardSearch, Mask, Result, in_core
from thresher.search.greedy import Found

Columns = NDArray[np.floating[Any]] | NDArray[np.signedinteger[Any]]


@dataclass(frozen=True)
class FoundPartials(Found):
    """What a search by partial correlations found.

    Attributes
    ----------
    complementarity : ndarray of float
        Per step.
    relevance, mean_redundancy, last_score : ndarray of shape (n_features,)
        Of every feature: its relevance, its mean redundancy with the chosen features it met (nan: none), and the
        score it was last seen with.
    collinear : ndarray of bool of shape (n_features,)
        Features that are linear combinations of chosen ones.
    exhausted_at : int or None
        After how many features nothing of the target was left to explain.
    """

    complementarity: Floats
    relevance: Floats
    mean_redundancy: Floats
    last_score: Floats
    collinear: Mask
    exhausted_at: int | None


def gso(
    columns: NDArray[np.floating[Any]],
    target: Floats,
    n_select: int,
    *,
    weights: Floats | None = None,
    n_threads: int = 1,
    **choices: Unpack[Choices],
) -> ForwardSearch[FoundPartials]:
    """Add the feature with the largest squared partial correlation, summed over the lines of `weights`."""
    search = _core.gso(
        columns, target, n_select, weights=weights, n_threads=n_threads, **in_core(**choices)
    )
    return ForwardSearch(search, FoundPartials.read)


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
) -> ForwardSearch[FoundPartials]:
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
    return ForwardSearch(search, FoundPartials.read)


@dataclass(frozen=True)
class FoundWalk(Result):
    """What the walk by conditional mutual information found.

    Attributes
    ----------
    selected : ndarray of int
        Features in order of choice.
    scores, unknown, n_blocks : ndarray
        Per step: the information gained, what is left unknown of the target, and the blocks of rows told apart.
    examined : ndarray of int
        Features walked over, with `value` and `successor_value`: their information, and their successor's.
    n_walked, n_evaluations : int
    """

    selected: Features
    scores: Floats
    unknown: Floats
    n_blocks: Features
    examined: Features
    value: Floats
    successor_value: Floats
    n_walked: int
    n_evaluations: int


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
) -> ForwardSearch[FoundWalk]:
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
    return ForwardSearch(search, FoundWalk.read)

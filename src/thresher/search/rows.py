"""Forward searches that look at rows: partial correlations of columns, partitions of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher import _core
from thresher.search.forward import ForwardSearch
from thresher.search.greedy import Features, Floats, Found, Mask, Progress, choices, found_fields

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


def _partials(found: dict[str, Any]) -> FoundPartials:
    return FoundPartials(
        **found_fields(found),
        complementarity=found["complementarity"],
        relevance=found["feature_relevance"],
        mean_redundancy=found["feature_redundancy"],
        last_score=found["feature_score"],
        collinear=found["collinear"],
        exhausted_at=found["exhausted_at"],
    )


def gso(
    columns: NDArray[np.floating[Any]],
    target: Floats,
    n_select: int,
    *,
    weights: Floats | None = None,
    candidates: Mask | None = None,
    kept: Features | None = None,
    progress: Progress | None = None,
    n_threads: int = 1,
) -> ForwardSearch[FoundPartials]:
    """Add the feature with the largest squared partial correlation, summed over the lines of `weights`."""
    search = _core.gso(
        columns,
        target,
        n_select,
        weights=weights,
        progress=progress,
        n_threads=n_threads,
        **choices(candidates, kept),
    )
    return ForwardSearch(search, _partials)


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
    candidates: Mask | None = None,
    kept: Features | None = None,
    progress: Progress | None = None,
    n_threads: int = 1,
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
        progress=progress,
        n_threads=n_threads,
        **choices(candidates, kept),
    )
    return ForwardSearch(search, _partials)


@dataclass(frozen=True)
class FoundWalk:
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
    n_blocks: NDArray[np.uint32]
    examined: Features
    value: Floats
    successor_value: Floats
    n_walked: int
    n_evaluations: int


def _walk(found: dict[str, Any]) -> FoundWalk:
    del found["relevance"], found["redundancy"]
    found["selected"] = found["selected"].astype(np.intp)
    found["examined"] = found["examined"].astype(np.intp)
    return FoundWalk(**found)


def cmi_walk(
    table: _core.CodedTable,
    classes: NDArray[np.int32],
    n_classes: int,
    relevance: Floats,
    *,
    n_select: int | None = None,
    take_last: bool = True,
    weights: NDArray[np.int64] | None = None,
    candidates: Mask | None = None,
    kept: Features | None = None,
    progress: Progress | None = None,
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
        progress=progress,
        **choices(candidates, kept),
    )
    return ForwardSearch(search, _walk)

"""Greedy forward selection on all replicates of an ensemble at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher import _core


@dataclass(frozen=True)
class FoundParts:
    """What a search over replicates found.

    Attributes
    ----------
    lists : list of lists of int
        One per replicate searched, in order of choice.
    n_evaluations : int
        Distinct pairs that any replicate asked for.
    full : bool
        The memory limit was reached, and values were computed again.
    """

    lists: list[list[int]]
    n_evaluations: int
    full: bool


def greedy_ensemble(
    measure: _core.PairMeasure,
    relevance: npt.NDArray[np.float64],
    n_select: int,
    *,
    objective: str,
    weight: float = 1.0,
    offset: float = 0.0,
    strategy: str = "lazy",
    replicates: Sequence[int],
    candidates: npt.NDArray[np.bool_],
    kept: npt.NDArray[np.intp],
    memory_limit: int = 0,
) -> FoundParts:
    """The lists that `greedy_forward` would find on each replicate; each pair is computed once.

    Parameters
    ----------
    measure : _core.PairMeasure
        With several replicates.
    relevance, candidates : ndarray of shape (n_replicates, n_features)
    n_select, objective, weight, offset, kept
        As in `greedy_forward`.
    strategy : {"lazy", "scan", "naive"}
        ``"naive"`` computes all pairs of features that any replicate chose.
    replicates : sequence of int
        Those to search.
    memory_limit : int, default=0
        Bytes for the values of pairs; 0 for no limit.
    """
    chosen = np.array(replicates, dtype=np.uint32)
    found = _core.greedy_ensemble(
        measure,
        np.ascontiguousarray(relevance[chosen]),
        n_select,
        objective=objective,
        weight=weight,
        offset=offset,
        strategy="dense" if strategy == "naive" else strategy,
        replicates=chosen,
        candidates=np.ascontiguousarray(candidates[chosen]).view(np.uint8),
        kept=np.asarray(kept, dtype=np.uint32),
        memory_limit=memory_limit,
    )
    lists = [replicate.selected.tolist() for replicate in found.replicates]
    return FoundParts(lists, found.n_evaluations, found.cache_full)

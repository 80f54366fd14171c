"""How many features a share of all relevance needs, and the walk that drops similar ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher import _core
from thresher.data import rescaled
from thresher.search.forward import Features, Floats


def count_by_cumulative_relevance(relevance: Floats, fraction: float) -> int:
    """Smallest m whose m largest relevances make up `fraction` of the sum of all.

    Raises
    ------
    ValueError
        If a relevance is negative or not finite, or all are zero: shares have no meaning then.
    """
    if not np.isfinite(relevance).all() or (relevance < 0).any():
        raise ValueError(
            "cumulative relevance needs finite relevances of at least 0; "
            "give n_features_to_select as a number"
        )
    total = np.cumsum(np.sort(rescaled(relevance))[::-1])
    if not total.size or total[-1] <= 0:
        raise ValueError(
            "cumulative relevance needs some relevance above 0, but every feature has 0; "
            "use another relevance, or give n_features_to_select as a number"
        )
    reached = np.flatnonzero(total >= fraction * total[-1])
    return int(reached[0]) + 1 if reached.size else len(total)


@dataclass(frozen=True)
class Walk:
    """Result of `redundancy_walk`.

    Attributes
    ----------
    kept : ndarray of int
        Features in order.
    similarity : ndarray of float
        For every feature looked at, in order: the similarity that rejected it, or the largest met.
    rival : ndarray of int
        The kept feature that similarity is with; -1 if there was none yet.
    n_scanned, n_evaluations : int
    """

    kept: Features
    similarity: Floats
    rival: npt.NDArray[np.int64]
    n_scanned: int
    n_evaluations: int


def redundancy_walk(
    similarity: _core.PairMeasure,
    order: Features,
    relevance: Floats,
    *,
    max_kept: int,
    max_similarity: float,
    against: str = "last",
    stop_mass: float | None = None,
    n_kept_before: int = 0,
    n_threads: int = 1,
) -> Walk:
    """Walk down `order` and keep each feature less similar than `max_similarity` to the last one kept."""
    found = _core.redundancy_walk(
        similarity,
        order.astype(np.uint32),
        relevance,
        max_kept=max_kept,
        max_similarity=max_similarity,
        against_all=against == "all",
        stop_mass=-1.0 if stop_mass is None else stop_mass,
        n_kept_before=n_kept_before,
        n_threads=n_threads,
    )
    return Walk(found.kept, found.similarity, found.rival, found.n_scanned, found.n_evaluations)

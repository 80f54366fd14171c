"""Searches that are not forward searches: by similarities, by consistency, by support vector machines."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from thresher import _core
from thresher._utils.types import Floats
from thresher.data import rescaled
from thresher.search.forward import Features


def count_by_cumulative_relevance(relevance: Floats, fraction: float) -> int:
    """Return the smallest m whose m largest relevances make up `fraction` of the sum of all.

    Raises
    ------
    ValueError
        If a relevance is negative or not finite, or all are zero, so that shares are undefined.
    """
    if not np.isfinite(relevance).all() or (relevance < 0).any():
        raise ValueError(
            "cumulative relevance needs finite relevances of at least 0. "
            "Set n_features_to_select to a number"
        )
    total = np.cumsum(np.sort(rescaled(relevance))[::-1])
    if not total.size or total[-1] <= 0:
        raise ValueError(
            "cumulative relevance needs some relevance above 0, but every feature has 0. "
            "Use another relevance, or set n_features_to_select to a number"
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
        For every feature examined, in order: the similarity that rejected it, or the largest.
    rival : ndarray of int
        The kept feature with that similarity; -1 if there was none yet.
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
    """Keep each feature of `order` less similar than `max_similarity` to the last one kept, or to all."""
    result = _core.redundancy_walk(
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
    return Walk(
        result.kept, result.similarity, result.rival, result.n_scanned, result.n_evaluations
    )


@dataclass(frozen=True)
class Clustering:
    """Clusters of features, which are numbered by their position among the clustered features.

    Attributes
    ----------
    medoids : ndarray of int
    clusters : ndarray of int
        The number of the cluster of every feature.
    to_medoid, to_other_medoid : ndarray of float
        Distances to the medoid of the feature's cluster, and to the nearest other medoid.
    """

    medoids: Features
    clusters: Features
    to_medoid: Floats
    to_other_medoid: Floats

    def silhouette(self) -> float:
        """Return the mean simplified silhouette, a multiple of 2^-40; single features count 0."""
        alone = np.bincount(self.clusters, minlength=len(self.medoids))[self.clusters] == 1
        larger = np.maximum(self.to_medoid, self.to_other_medoid)
        values = np.zeros(len(larger))
        np.divide(
            self.to_other_medoid - self.to_medoid, larger, out=values, where=(larger > 0) & ~alone
        )
        return round(math.fsum(values) / len(values) * 2.0**40) / 2.0**40


def one_cluster(n_features: int) -> Clustering:
    """Return all features in one cluster around the first."""
    none = np.zeros(n_features)
    return Clustering(
        np.zeros(min(1, n_features), dtype=np.intp), np.zeros(n_features, dtype=np.intp), none, none
    )


CoreFeatures = NDArray[np.uint32]

# k-medoids over the distance ``(1 - similarity + |difference of relevance|) / 2``. Similarities that do not fit into
# `memory` bytes are computed at every use.
FeatureClusters = _core.FeatureClusters
# Repeatedly fit the SVMs of all classes and drop the features with the smallest weights.
drop_by_weight = _core.recursive_elimination


@dataclass(frozen=True)
class SweepResult:
    """Positions in the order of the features that stay, their risk, and the number of risks computed."""

    stays: CoreFeatures
    risk: float
    n_probes: int


@dataclass(frozen=True)
class EliminationResult:
    """Positions in the order of the removed features, in sequence, and the risks of the last ones."""

    removed: CoreFeatures
    risks: Floats
    n_evaluations: int


@dataclass(frozen=True)
class SetResult:
    """A set of features; `is_counted` is False if `n_evaluations` is a lower bound."""

    features: CoreFeatures
    n_evaluations: int
    is_counted: bool = True


def sweep(risks: _core.Consistency, rule: str, bound: float) -> SweepResult:
    """Remove each feature, in order, if the risk of the rest stays within the bound."""
    return SweepResult(*risks.sweep(rule, bound))


def eliminate(
    risks: _core.Consistency, strategy: str, bound: float, **options: float
) -> EliminationResult:
    """Remove the feature whose removal increases the risk least, one at a time, within `bound`."""
    return EliminationResult(*risks.eliminate(strategy, bound, **options))


def search_sets(
    risks: _core.Consistency, method: str, bound: float, max_evaluations: int, among: CoreFeatures
) -> SetResult | None:
    """Return the smallest set within `bound`; None if that takes more than `max_evaluations`."""
    try:
        return SetResult(*risks.search(method, bound, max_evaluations, among))
    except _core.TooManyEvaluations:
        return None


def cover(risks: _core.Consistency, bound: float, tolerance: float = 0.0) -> SetResult:
    """Add the feature that separates most pairs of samples, until the risk is within `bound`."""
    return SetResult(*risks.cover(bound, tolerance))

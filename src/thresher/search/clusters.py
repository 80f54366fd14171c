"""Clusters of features around medoids."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher import _core
from thresher.search.forward import Features, Floats


@dataclass(frozen=True)
class Clustering:
    """Features in clusters; they are addressed by their place among those clustered.

    Attributes
    ----------
    medoids : ndarray of int
    clusters : ndarray of int
        Of every feature the number of its cluster.
    own, other : ndarray of float
        Distances to the medoid of the feature's cluster, and to the nearest other medoid.
    """

    medoids: Features
    clusters: Features
    own: Floats
    other: Floats

    def silhouette(self) -> float:
        """Mean simplified silhouette, a multiple of 2^-40; 0 for features alone in their clusters."""
        alone = np.bincount(self.clusters, minlength=len(self.medoids))[self.clusters] == 1
        larger = np.maximum(self.own, self.other)
        values = np.zeros(len(larger))
        np.divide(self.other - self.own, larger, out=values, where=(larger > 0) & ~alone)
        return round(math.fsum(values) / len(values) * 2.0**40) / 2.0**40


def one_cluster(n_features: int) -> Clustering:
    """All in one cluster, around the first, if there is one."""
    none = np.zeros(n_features)
    return Clustering(
        np.zeros(min(1, n_features), dtype=np.intp), np.zeros(n_features, dtype=np.intp), none, none
    )


class FeatureClusters:
    """k-medoids over the distance ``(1 - similarity + |difference of relevance|) / 2``.

    Parameters
    ----------
    similarity : PairMeasure
        Values in [0, 1].
    features : ndarray of int
    relevance : ndarray of float
        One per feature of `features`.
    memory : int
        Bytes that similarities may take; those that do not fit are computed at every look.
    n_threads : int
    """

    def __init__(
        self,
        similarity: _core.PairMeasure,
        features: npt.NDArray[np.integer[Any]],
        relevance: Floats,
        *,
        memory: int,
        n_threads: int = 1,
    ) -> None:
        self._core = _core.FeatureClusters(
            similarity, features.astype(np.uint32), relevance, memory, n_threads
        )

    @property
    def n_evaluations(self) -> int:
        """Similarities computed so far."""
        return self._core.n_evaluations

    def far_apart(self, count: int) -> Features:
        """The most relevant feature, then again and again the one farthest from those taken."""
        return self._core.far_apart(count).astype(np.intp)

    def cluster(self, starts: Features, max_rounds: int) -> Clustering:
        """Clusters of k-medoids from the given starts; cheap where `starts` grows by one from call to call."""
        found = self._core.cluster(starts.astype(np.uint32), max_rounds)
        return Clustering(found.medoids, found.clusters, found.own, found.other)

    def similarities(self, place: int) -> Floats:
        """Of every feature to one of them."""
        return self._core.similarities(place)

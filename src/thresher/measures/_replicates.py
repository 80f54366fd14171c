"""Measures on the replicates of an ensemble: one of them, the sum of all, or chosen rows.

Each class answers what a search on plain data asks (`relevance`, `pairs`, `candidates`), so that a
search written for `SearchMeasures` runs on a replicate as it is. To a search that looks at rows, a replicate
is the table of all rows (`whole`) with other weights (`row_weights`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np

from thresher import _core
from thresher._utils.types import Floats, Mask
from thresher.measures._protocol import Measures, RowWeights


@dataclass(eq=False, repr=False)
class SharedReplicates:
    """All replicates of measures with parts, each value computed once for all of them.

    Parameters
    ----------
    whole : Measures
        With parts.
    memory_limit : int, default=0
        Bytes for the values of pairs, per measure; 0 for no limit. Past it they are computed again.
    own_replicates : bool, default=False
        Whether replicates of few rows count their own pairs instead of keeping them for each other.
    """

    whole: Measures
    memory_limit: int = 0
    _: KW_ONLY
    own_replicates: bool = False

    def __post_init__(self) -> None:
        self._caches: dict[str, _core.ReplicateCache] = {}
        self._relevance: dict[str, Floats] = {}
        self._candidates: dict[tuple[str, ...], Mask] = {}
        self.n_replicates = 0  # that were asked for

    def replicate(self, i: int) -> OneReplicate:
        self.n_replicates += 1
        return OneReplicate(self, i)

    def relevance(self, name: str) -> Floats:
        """One row per replicate."""
        if name not in self._relevance:
            self._relevance[name] = self.whole.relevance(name)
        return self._relevance[name]

    def candidates(self, *names: str) -> Mask:
        """One row per replicate."""
        if names not in self._candidates:
            self._candidates[names] = self.whole.candidates(*names)
        return self._candidates[names]

    def cache(self, name: str, of_triples: bool = False) -> _core.ReplicateCache:
        key = f"triples: {name}" if of_triples else name
        if key not in self._caches:
            values = self.whole.triples(name) if of_triples else self.whole.pairs(name)
            own = of_triples or self.own_replicates
            self._caches[key] = _core.ReplicateCache(values, self.memory_limit, own)
        return self._caches[key]

    @property
    def n_computed(self) -> int:
        """Passes over the rows made for pairs, each serving all replicates."""
        return sum(cache.n_computed for cache in self._caches.values())

    @property
    def full(self) -> bool:
        return any(cache.full for cache in self._caches.values())


@dataclass(eq=False, repr=False)
class OneReplicate:
    """One of the `SharedReplicates`."""

    shared: SharedReplicates
    replicate: int

    scale: ClassVar[int] = 1

    @property
    def whole(self) -> Measures:
        return self.shared.whole

    def relevance(self, name: str) -> Floats:
        return np.ascontiguousarray(self.shared.relevance(name)[self.replicate])

    def pairs(self, name: str) -> _core.PairMeasure:
        return _core.ReplicateView(self.shared.cache(name), self.replicate)

    def triples(self, term: str) -> _core.PairMeasure:
        return _core.ReplicateView(self.shared.cache(term, of_triples=True), self.replicate)

    def row_weights(self) -> RowWeights:
        return self.whole.weights_on([self.replicate])

    def candidates(self, *names: str) -> Mask:
        return np.ascontiguousarray(self.shared.candidates(*names)[self.replicate])


class SummedReplicates:
    """The sum over replicates: the Inner Ensemble, whose means have the divisor `scale` in common.

    Sums of rounded values are exact, their means would not be.
    """

    def __init__(self, whole: Measures, replicates: Sequence[int]) -> None:
        self.whole = whole
        self.replicates = list(replicates)
        self.scale = len(self.replicates)

    def relevance(self, name: str) -> Floats:
        return np.asarray(self.whole.relevance(name)[self.replicates].sum(axis=0))

    def pairs(self, name: str) -> _core.PairMeasure:
        return _core.SummedReplicates(self.whole.pairs(name), self.replicates)

    def triples(self, term: str) -> _core.PairMeasure:
        return _core.SummedReplicates(self.whole.triples(term), self.replicates)

    def row_weights(self) -> RowWeights:
        return self.whole.weights_on(self.replicates)

    def candidates(self, *names: str) -> Mask:
        """Features that vary on some of the replicates."""
        return np.asarray(self.whole.candidates(*names)[self.replicates].any(axis=0))

"""Measures on the replicates of an ensemble: on one replicate, or summed over all.

Each class is a `SearchMeasures`, so that searches run on a replicate unchanged. For a search that uses rows, a
replicate is the table of all rows (`whole`) with other weights (`row_weights`).
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
        Bytes for cached values of pairs, per measure; 0 for no limit. Values beyond it are computed again.
    own_replicates : bool, default=False
        Whether replicates of few rows count their pairs separately instead of sharing them.
    """

    whole: Measures
    memory_limit: int = 0
    _: KW_ONLY
    own_replicates: bool = False

    def __post_init__(self) -> None:
        self._caches: dict[str, _core.ReplicateCache] = {}
        self._relevance: dict[str, Floats] = {}
        self._candidates: dict[tuple[str, ...], Mask] = {}
        self.n_replicates = 0  # requested until now

    def replicate(self, i: int) -> OneReplicate:
        self.n_replicates += 1
        return OneReplicate(self, i)

    def relevance(self, name: str) -> Floats:
        """Return the relevances, one row per replicate."""
        if name not in self._relevance:
            self._relevance[name] = self.whole.relevance(name)
        return self._relevance[name]

    def candidates(self, *names: str) -> Mask:
        """Return the features that may be selected, one row per replicate."""
        if names not in self._candidates:
            self._candidates[names] = self.whole.candidates(*names)
        return self._candidates[names]

    def cache(
        self, name: str, of_triples: bool = False, in_bits: bool = False
    ) -> _core.ReplicateCache:
        key = f"triples: {name}" if of_triples else f"bits: {name}" if in_bits else name
        if key not in self._caches:
            values = self.whole.triples(name) if of_triples else self.whole.pairs(name, in_bits)
            apart = of_triples or self.own_replicates
            self._caches[key] = _core.ReplicateCache(values, self.memory_limit, apart)
        return self._caches[key]

    @property
    def n_computed(self) -> int:
        """Number of passes over the rows for pairs; each pass serves all replicates."""
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

    def pairs(self, name: str, in_bits: bool = False) -> _core.PairMeasure:
        return _core.ReplicateView(self.shared.cache(name, in_bits=in_bits), self.replicate)

    def triples(self, term: str) -> _core.PairMeasure:
        return _core.ReplicateView(self.shared.cache(term, of_triples=True), self.replicate)

    def row_weights(self) -> RowWeights:
        return self.whole.weights_on([self.replicate])

    def candidates(self, *names: str) -> Mask:
        return np.ascontiguousarray(self.shared.candidates(*names)[self.replicate])


class SummedReplicates:
    """Sums over replicates: the Inner Ensemble, whose means are the sums divided by `scale`.

    Sums of rounded values are exact; their means would not be.
    """

    def __init__(self, whole: Measures, replicates: Sequence[int]) -> None:
        self.whole = whole
        self.replicates = list(replicates)
        self.scale = len(self.replicates)

    def relevance(self, name: str) -> Floats:
        return np.asarray(self.whole.relevance(name)[self.replicates].sum(axis=0))

    def pairs(self, name: str, in_bits: bool = False) -> _core.PairMeasure:
        return _core.SummedReplicates(self.whole.pairs(name, in_bits), self.replicates)

    def triples(self, term: str) -> _core.PairMeasure:
        return _core.SummedReplicates(self.whole.triples(term), self.replicates)

    def row_weights(self) -> RowWeights:
        return self.whole.weights_on(self.replicates)

    def candidates(self, *names: str) -> Mask:
        """Return the features that vary on some of the replicates."""
        return np.asarray(self.whole.candidates(*names)[self.replicates].any(axis=0))

"""Criteria of selectors by measures: all parameters resolved for one data set, and the task of a search."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Unpack

import numpy.typing as npt

from thresher import _core
from thresher._core import BestFirstResult, SearchResult
from thresher._utils.lazy import cached
from thresher._utils.types import Floats, Mask
from thresher.data import LocalData, TrainingData
from thresher.measures import KINDS, SearchMeasures
from thresher.measures.chance import within_chance
from thresher.search import ForwardSearch, PartsResult
from thresher.search.forward import Choices
from thresher.selectors._base import BaseSelector, Details, Selection
from thresher.selectors._explain import FeatureSet, Nearest


class Criterion(ABC):
    """One method with all parameters resolved for one data set.

    It contains no data and does not change, so that an ensemble searches every replicate by the same criterion.
    """

    # Whether the search evaluates terms of two features and the target.
    uses_triples: ClassVar[bool] = False
    # Whether the search evaluates pairs of features, whose values the replicates of an ensemble can share.
    uses_pairs: ClassVar[bool] = True
    # Whether it needs most pairs only once, so that an ensemble saves nothing by caching them.
    visits_pairs_once: ClassVar[bool] = False

    @property
    @abstractmethod
    def measures(self) -> tuple[str, ...]:
        """The names of its measures: the first is that of relevance, the last that of pairs."""

    @property
    def pairs_in_bits(self) -> bool:
        """Whether the search takes the bits that features share, instead of the values of a bounded measure."""
        return False

    @property
    def settings(self) -> Mapping[str, object]:
        """The fitted attributes with the resolved parameters."""
        return {}

    @abstractmethod
    def search(self, task: SearchTask) -> Selection:
        """Select features."""

    def search_replicates(
        self, task: SearchTask, replicates: Sequence[int], memory_limit: int
    ) -> PartsResult | None:
        """Search all replicates together, or return None to have them searched one by one.

        The measures of `task` have parts.
        """
        return None

    @property
    def not_a_sum(self) -> str | None:
        """The name of the first measure that is not a sum over rows, if there is one."""
        return next((name for name in self.measures if not KINDS[name].is_sum), None)

    @property
    def counts_only(self) -> bool:
        """Whether all measures count discrete features."""
        return all(KINDS[name].is_discrete for name in self.measures)


class ForwardCriterion(Criterion):
    """A criterion that adds one feature after the other."""

    @abstractmethod
    def start(self, task: SearchTask) -> ForwardSearch[SearchResult]:
        """Start the search, which can be continued for more features."""

    @abstractmethod
    def describe(self, task: SearchTask, result: SearchResult) -> Selection:
        """Describe what the search has selected."""

    def search(self, task: SearchTask) -> Selection:
        return self.describe(task, self.start(task).result())


@dataclass
class SearchTask:
    """One search: the data, the measures of all rows or of a replicate, and how many features.

    An inner ensemble searches sums over replicates, which are `scale` times their means; a selection reports means.

    Attributes
    ----------
    data : TrainingData
    measures : SearchMeasures
    criterion : Criterion
    n_features : int or None
        Number of features to select; None if the search stops by itself.
    owner : BaseSelector
        The selector that reports the progress of the search.
    """

    data: TrainingData
    measures: SearchMeasures
    criterion: Criterion
    n_features: int | None
    owner: BaseSelector

    @property
    def scale(self) -> int:
        return self.measures.scale

    @property
    def rows(self) -> LocalData:
        """The data with their rows, for a criterion that reads them."""
        assert self.data.local is not None
        return self.data.local

    @property
    def required_count(self) -> int:
        """The number of features to select, for a search that does not stop by itself."""
        assert self.n_features is not None
        return self.n_features

    @cached
    def relevance(self) -> Floats:
        """Return the relevance of every feature, times `scale`."""
        return self.measures.relevance(self.criterion.measures[0])

    @cached
    def pairs(self) -> _core.PairMeasure:
        return self.measures.pairs(self.criterion.measures[-1], self.criterion.pairs_in_bits)

    @cached
    def candidates(self) -> Mask:
        return self.measures.candidates(*self.criterion.measures)

    @cached
    def choices(self) -> Choices:
        """Return the keyword arguments of all forward searches."""
        return self.choices_among(self.candidates)

    def choices_among(self, candidates: Mask) -> Choices:
        """Return `choices` with other candidates than those that vary by the measures."""
        return self.owner._choices(self.data, candidates, self.n_features)

    def noise(self) -> Mask:
        """Return the features that are not more relevant than one in twenty features of noise."""
        means = self.relevance / self.scale
        name = self.criterion.measures[0]
        return within_chance(self.data, self.measures.whole, name, means)

    def nearest(
        self,
        result: SearchResult | BestFirstResult,
        comparable: bool = True,
        threshold: float | None = None,
        added: FeatureSet | None = None,
    ) -> Nearest:
        """Return the largest redundancies that the search computed."""
        values = result.nearest_value / self.scale
        in_bits = self.criterion.pairs_in_bits
        return Nearest(result.nearest, values, comparable, self.noise(), threshold, added, in_bits)

    def selection(
        self,
        result: SearchResult,
        scores: Floats,
        relevance: Floats | None = None,
        more: Mapping[str, npt.ArrayLike] | None = None,
        **described: Unpack[Details],
    ) -> Selection:
        """Return the selection of a search by relevance and redundancy."""
        described["n_evaluations"] = result.n_evaluations
        return Selection.of_steps(
            result.selected,
            scores,
            (self.relevance if relevance is None else relevance) / self.scale,
            result.redundancy / self.scale,
            more,
            **described,
        )

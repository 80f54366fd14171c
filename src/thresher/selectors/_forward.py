"""Selectors by a forward search: how it begins, and what is told of it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic

from thresher import _core
from thresher._cached import cached
from thresher.measures import RowMeasures
from thresher.measures.chance import within_chance
from thresher.search import ForwardSearch, SearchResult
from thresher.search.forward import Choices, Floats, Mask
from thresher.selectors._base import Selection
from thresher.selectors._explain import Nearest
from thresher.selectors._sums import SumSelector, Wanted
from thresher.sources import Training


class ForwardSelector(SumSelector[Wanted]):
    """A selector by a forward search, which can be asked for more features than it was started for.

    In place of `_search` a subclass brings

    _start(training, measures, wanted)
        The search, which has taken the `wanted` first features and tells the selection so far.
    """

    @abstractmethod
    def _start(
        self, training: Training, measures: RowMeasures, wanted: Wanted
    ) -> ForwardSearch[Selection]: ...

    def _search(self, training: Training, measures: RowMeasures, wanted: Wanted) -> Selection:
        return self._start(training, measures, wanted).found()


@dataclass
class Task(Generic[Wanted]):
    """What a search by measures is given.

    An Inner Ensemble searches on sums over replicates; what is told of it are means.

    Attributes
    ----------
    names : tuple of str
        The measures: of relevance the first, of pairs of features the last.
    relevance : ndarray of float of shape (n_features,)
        Of every feature, times the scale of the measures.
    """

    training: Training
    measures: RowMeasures
    names: tuple[str, ...]
    relevance: Floats
    wanted: Wanted
    choices: Choices

    @cached
    def pairs(self) -> _core.PairMeasure:
        return self.measures.pairs(self.names[-1])

    def noise(self) -> Mask:
        """Features that are no more relevant than one in twenty features of noise."""
        means = self.relevance / self.measures.scale
        return within_chance(self.training, self.measures.whole, self.names[0], means)

    def nearest(self, found: Any, comparable: bool = True, **more: Any) -> Nearest:
        """The largest redundancies that the search met."""
        values = found.nearest_value / self.measures.scale
        return Nearest(found.nearest, values, comparable, self.noise(), **more)

    def selection(
        self, found: SearchResult, scores: Floats, relevance: Floats | None = None, **described: Any
    ) -> Selection:
        """The selection of a search that weighs relevance against redundancy."""
        scale = self.measures.scale
        return Selection.of_steps(
            found.selected,
            scores,
            (self.relevance if relevance is None else relevance) / scale,
            found.redundancy / scale,
            n_evaluations=found.n_evaluations,
            **described,
        )


class MeasureSelector(ForwardSelector[Wanted]):
    """A selector whose search begins with the relevance of every feature. A subclass brings

    _begin(task)
        The search.
    _told(task, found)
        The selection that it found.
    """

    def _task(self, training: Training, measures: RowMeasures, wanted: Wanted) -> Task[Wanted]:
        names = self._measure_names()
        relevance = measures.relevance(names[0])
        choices = self._choices(training, measures.candidates(*names), wanted)
        return Task(training, measures, names, relevance, wanted, choices)

    def _start(
        self, training: Training, measures: RowMeasures, wanted: Wanted
    ) -> ForwardSearch[Selection]:
        task = self._task(training, measures, wanted)
        return self._begin(task).reported(partial(self._told, task))

    @abstractmethod
    def _begin(self, task: Task[Wanted]) -> ForwardSearch[Any]: ...

    @abstractmethod
    def _told(self, task: Task[Wanted], found: Any) -> Selection: ...

"""Selectors whose measures are sums over rows: alone, and on the replicates of an ensemble."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Generic, Self, TypeVar, Unpack, cast

import numpy as np
import numpy.typing as npt

from thresher.measures import Measures, RowMeasures, are_discrete
from thresher.search import FoundParts
from thresher.selectors._base import Selection, all_or_nothing
from thresher.selectors._changing import ChangingRows
from thresher.sources import Columns, Far, Training

# How many features are wanted: a number, or None too where a search may stop by itself.
Wanted = TypeVar("Wanted", bound=int | None)


class SumSelector(ChangingRows, Generic[Wanted]):
    """A selector that works with every kind of ensemble.

    An ensemble takes the steps of ``fit`` with the measures of a replicate in place of those of
    all rows. A subclass brings `_measure_names` and `_search`, and what else it needs of

    _resolve(training)
        Check the parameters and settle what ``"auto"`` stands for.
    _measure_names()
        Names of the measures it will ask for, once resolved.
    _search(training, measures, wanted)
        The search, through what `SearchMeasures` or `RowMeasures` says it may ask.
    _search_parts(training, measures, wanted, usable, memory_limit)
        All replicates in one search, where that is faster than one after the other.
    """

    # The bins that discretize="auto" stands for; None if features are taken as numbers.
    _default_bins: ClassVar[str | None] = "mean-sd"
    # Whether the search asks for values of pairs, which replicates can share.
    _asks_pairs = True
    # Whether a search asks for hundreds of pairs for each that it comes back to, so that keeping them does not pay.
    _asks_once = False
    _reads_blocks = True

    @all_or_nothing
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, **far: Unpack[Far]) -> Self:
        """Choose features.

        Parameters
        ----------
        X : array-like, dataframe or sparse matrix of shape (n_samples, n_features), path or dataset
            Sparse where the tags of the selector say so. A path names a file (Parquet, Feather, CSV, ``.npz``,
            ``.mat``, ARFF, SVMlight, ``.h5ad``) or a folder of Parquet, Feather or CSV files.
        y : array-like of shape (n_samples,) or str
            Classes or numbers; of a file perhaps the name of a column, or of another array.
        sample_weight : array-like of shape (n_samples,) or str, default=None
            A weight of 2 counts exactly like the same sample given twice; 0 leaves it out.
        **far
            Of rows that are not in memory: `memory_limit` and `scratch` of a table in files; see :doc:`/scaling`.

        Returns
        -------
        self : object
            The fitted selector.
        """
        with self._read(X, y, sample_weight, far) as training:
            self._resolve(training)
            wanted = self._how_many(training.columns)
            measures = self._measures(training)
            selection = self._search(training, measures, wanted)
            if self._default_bins is not None:
                self.bins_ = measures.bins
        self._tell_talk(training)
        return self._finish(training.columns, selection, wanted)

    def _how_many(self, columns: Columns) -> Wanted:
        count = self._count_or_auto(columns) if self._stops_by_itself else self._count(columns)
        return cast(Wanted, count)

    def _bins_rule(self) -> Any:
        """The bins that `discretize` stands for."""
        rule = getattr(self, "discretize", "auto")
        return self._default_bins if isinstance(rule, str) and rule == "auto" else rule

    def _resolve(self, training: Training) -> None:
        pass

    def _coded_by(self) -> str | None:
        return self._default_bins if self._takes_codes() else None

    def _takes_codes(self) -> bool:
        """Whether all measures are surely on codes, as far as is known before the rows are read."""
        return are_discrete(*self._measure_names())

    @abstractmethod
    def _measure_names(self) -> tuple[str, ...]: ...

    def _measures(self, training: Training, parts: Any = None) -> Measures:
        """Measures of all rows, or with parts."""
        default = self._default_bins or "mean-sd"
        return self._measures_of(training, self._measure_names(), default, parts)

    @abstractmethod
    def _search(self, training: Training, measures: RowMeasures, wanted: Wanted) -> Selection: ...

    def _search_parts(
        self,
        training: Training,
        measures: Measures,
        wanted: Wanted,
        usable: Sequence[int],
        memory_limit: int,
    ) -> tuple[FoundParts, npt.NDArray[np.float64]] | None:
        """The lists of the usable replicates of measures with parts, and the relevances of all replicates."""
        return None

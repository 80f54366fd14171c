"""Selectors by measures that are sums over rows."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self, Unpack

from thresher._utils.params import Options, ThreadCount, estimator, param
from thresher._utils.types import Missing, TargetKind
from thresher.blocks import make_measures
from thresher.data import TARGETS, Columns, Far, Training
from thresher.measures import Bins, Measures
from thresher.selectors._base import BaseSelector, all_or_nothing
from thresher.selectors._criterion import Criterion, SearchTask
from thresher.selectors._fitted import Fitted
from thresher.selectors._streaming import StreamingMixin


@estimator
class FilterSelector(StreamingMixin, BaseSelector):
    """A selector by measures that are sums over rows.

    It works on arrays, files and blocks of rows, and in every kind of ensemble. A subclass declares its parameters and
    implements

    make_criterion(data)
        Resolve the parameters for these data.
    uses_codes()
        Whether all measures count discrete features, as far as that is known before rows are read.
    """

    target: TargetKind = param(Options(*TARGETS), default="auto")
    keep: Any = param(default=None)
    exclude: Any = param(default=None)
    missing: Missing = param(Options("error", "category", "pairwise", "drop_rows"), default="error")
    n_jobs: int | None = param(ThreadCount(), default=None)
    verbose: int = param(default=0)

    # The bins that discretize="auto" stands for; None if all features are numeric.
    default_bins: ClassVar[str | None] = "mean-sd"
    _reads_blocks = True

    bins_ = Fitted[Bins]()

    @abstractmethod
    def make_criterion(self, data: Training) -> Criterion:
        """Resolve the parameters for these data, or raise ValueError if they cannot be used with them."""

    @abstractmethod
    def uses_codes(self) -> bool:
        """Return True if the selector uses discrete features only: files are then packed as they are read."""

    @all_or_nothing
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, **far: Unpack[Far]) -> Self:
        """Select features.

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
            Only for rows that are not in memory: `memory_limit` and `scratch` of a table in files; see
            :doc:`/scaling`.

        Returns
        -------
        self : object
            The fitted selector.
        """
        self._release_rows(X)
        with self._read(X, y, sample_weight, far) as data:
            criterion = self.make_criterion(data)
            self.__dict__.update(criterion.settings)
            n_features = self.count_features(data.columns)
            measures = self.make_measures(data, criterion)
            selection = criterion.search(SearchTask(data, measures, criterion, n_features, self))
            self.__dict__.update(selection.attributes)
            if self.default_bins is not None:
                self.bins_ = measures.bins
        self._record_pass_counts(data)
        return self._finish(data.columns, selection, n_features)

    def count_features(self, columns: Columns) -> int | None:
        """Return how many features to select; None if the search stops by itself."""
        return self._count_or_auto(columns) if self._stops_by_itself else self._count(columns)

    def make_measures(self, data: Training, criterion: Criterion, parts: Any = None) -> Measures:
        """Return the measures of the criterion, of all rows or, with parts, of each replicate."""
        return make_measures(
            data,
            criterion.measures,
            getattr(self, "discretize", "auto"),
            self.default_bins or "mean-sd",
            parts,
            uses_triples=criterion.uses_triples,
        )

    def bin_rule(self) -> Any:
        """Return the bins that the parameter `discretize` stands for."""
        rule = getattr(self, "discretize", "auto")
        return self.default_bins if isinstance(rule, str) and rule == "auto" else rule

    def _packing_rule(self) -> str | None:
        return self.default_bins if self.uses_codes() else None

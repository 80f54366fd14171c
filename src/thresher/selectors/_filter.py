"""The base classes of selectors by measures that are sums over rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, ClassVar, Self, Unpack

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import has_fit_parameter, validate_data

from thresher._utils.params import Fitted, ThreadCount, estimator, param
from thresher._utils.types import (
    Array,
    BinRule,
    DataLike,
    FeatureNames,
    Missing,
    TargetKind,
    TargetLike,
    WeightsLike,
)
from thresher.blocks import RowBlock, StoredRows, make_measures
from thresher.data import (
    FeatureRoles,
    RemoteOptions,
    TrainingData,
    distinct_labels,
    is_frame,
    one_dimensional,
    reject_missing_labels,
    separate_columns,
    to_native,
    unmasked,
)
from thresher.discretize import GivenBins
from thresher.io.sparse import check_sparse
from thresher.measures import Bins, Measures, PartSets, are_discrete
from thresher.search.ensemble import NumberedParts
from thresher.selectors._base import BaseSelector, CommonParameters, all_or_nothing
from thresher.selectors._criterion import Criterion, SearchTask

# Attributes that describe the columns. They do not depend on the rows.
COLUMN_ATTRIBUTES = ("n_features_in_", "feature_names_in_")


_supports_blocks = attrgetter("_reads_blocks")


if TYPE_CHECKING:
    _Mixed = BaseSelector  # of which all classes with this mixin are subclasses
else:
    _Mixed = object


class StreamingMixin(_Mixed):
    """A selector with ``partial_fit`` and ``forget``, whose measures are sums over rows.

    The fitted attributes are those of ``fit`` on the rows that are stored. They are computed when one of them is
    read for the first time after the rows have changed.
    """

    fit: Callable[..., object]
    _unsaved = ("_stored_rows", "_is_current")

    @available_if(_supports_blocks)  # type: ignore[untyped-decorator]
    @all_or_nothing
    def partial_fit(
        self,
        X: DataLike,
        y: TargetLike = None,
        sample_weight: WeightsLike = None,
        *,
        classes: npt.ArrayLike | None = None,
    ) -> Self:
        """Add rows.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            The same columns in every call.
        y : array-like of shape (n_samples,), or str
            Classes or numbers; or their column in the dataframe X.
        sample_weight : array-like of shape (n_samples,), or str, default=None
            Weights, in every call or in none.
        classes : array-like, default=None
            All classes that may come, in the first call; later calls may repeat them. The target is then classes
            whatever the rows added so far look like, and a row with another label is an error. None: all rows that are
            stored decide, see `target`.

        Returns
        -------
        self : object
            The selection is that of ``fit`` on all rows that were added and not removed, in the order of addition. It
            is computed when a fitted attribute is read. After ``fit``, the first call starts with no rows.
        """
        rows = vars(self).get("_stored_rows")
        block = self._read_block(X, y, sample_weight, reset=rows is None)
        if rows is None:
            given = None if classes is None else self._given_classes(classes)
            rows = self._stored_rows = StoredRows(*self._stored_for(), given)
        else:
            rows.check(*self._stored_for())
            if classes is not None:
                rows.check_classes(self._given_classes(classes))
        rows.add(rows.with_text(block))
        return self._discard_result()

    @available_if(_supports_blocks)  # type: ignore[untyped-decorator]
    @all_or_nothing
    def forget(self, X: DataLike, y: TargetLike = None, sample_weight: WeightsLike = None) -> Self:
        """Remove rows that `partial_fit` added.

        Parameters
        ----------
        X, y, sample_weight
            As in `partial_fit`. Rows are identified by their values; of equal rows the first one is removed.

        Returns
        -------
        self : object
            If any of the rows was never added, or was removed before, an error is raised and no row is removed.
        """
        rows = vars(self).get("_stored_rows")
        if rows is None:
            raise ValueError("there are no rows to remove. Add rows with partial_fit first")
        rows.check(*self._stored_for())
        rows.remove(rows.with_text(self._read_block(X, y, sample_weight, reset=False)))
        return self._discard_result()

    def _given_classes(self, classes: npt.ArrayLike) -> Array:
        owner = type(self).__name__
        if not self._needs_target:
            raise ValueError(f"{owner} does not use y. Remove classes")
        if getattr(self, "target", "auto") == "numeric":
            raise ValueError('classes are passed, but target="numeric". Remove one of them')
        labels = one_dimensional(classes, owner)
        reject_missing_labels(labels)
        distinct = distinct_labels(labels)[0]
        if len(distinct) < 2:
            raise ValueError(f"classes must contain at least 2 labels, got {distinct.tolist()}")
        return distinct

    def _stored_for(self) -> tuple[GivenBins | None, FeatureNames]:
        """Return the bins, if columns are stored as bins alone, and the excluded columns, which are not stored."""
        rule = getattr(self, "discretize", None)
        by_bins = isinstance(rule, GivenBins) and self._packing_rule() is not None
        return rule if by_bins else None, getattr(self, "exclude", None)

    def _release_rows(self, X: DataLike) -> None:
        """Release the stored rows before ``fit``, unless X is these rows."""
        rows = vars(self).get("_stored_rows")
        if rows is not None and X is rows:
            rows.check(*self._stored_for())
        else:
            vars(self).pop("_stored_rows", None)

    def _read_block(
        self, X: DataLike, y: TargetLike, sample_weight: WeightsLike, *, reset: bool
    ) -> RowBlock:
        X, y, sample_weight = separate_columns(to_native(X), y, sample_weight)
        if sparse.issparse(X):
            X = check_sparse(X).tocsr()
        elif not is_frame(X):
            X = np.asarray(unmasked(X))
            if X.ndim != 2:
                raise ValueError(
                    f"X must have two dimensions (Reshape your data), got an array of shape {X.shape}"
                )
        validate_data(self, X, skip_check_array=True, reset=reset)
        y = one_dimensional(y, type(self).__name__) if self._needs_target else None
        weights = None if sample_weight is None else np.asarray(sample_weight)
        if weights is not None and not has_fit_parameter(self, "sample_weight"):
            raise ValueError(f"{type(self).__name__} does not support sample_weight. Remove it")
        for name, values in (("y", y), ("sample_weight", weights)):
            if values is not None and values.shape != X.shape[:1]:
                raise ValueError(
                    f"X and {name} must have the same number of samples (inconsistent numbers of samples), got "
                    f"{X.shape[0]} and {values.shape}"
                )
        return RowBlock(X, y, weights)

    def _discard_result(self) -> Self:
        for name in [name for name in vars(self) if _is_result(name)]:
            delattr(self, name)
        vars(self).pop("_is_current", None)
        return self

    def _refresh(self) -> None:
        """Fit the stored rows, if they have changed since the last fit. The caller must have locked the selector."""
        if "_stored_rows" not in vars(self) or "_is_current" in vars(self):
            return
        self._is_current = True
        try:
            self.fit(self._stored_rows)
        except BaseException as error:
            del self._is_current
            if isinstance(error, ValueError):
                raise NotFittedError(f"the rows added so far cannot be fitted: {error}") from error
            raise


def _is_result(name: str) -> bool:
    is_public = name.endswith("_") and not name.startswith("_")
    return is_public and name not in COLUMN_ATTRIBUTES


@estimator
class FilterSelector(CommonParameters, StreamingMixin, BaseSelector):
    """Base class of selectors by measures that are sums over rows.

    It works on arrays, files and blocks of rows, and in every kind of ensemble. A subclass declares its parameters and
    implements

    make_criterion(data)
        Resolve the parameters for these data.
    """

    target: TargetKind = param(default="auto")
    missing: Missing = param(default="error")
    n_jobs: int | None = param(ThreadCount(), default=None)

    # The bins of discretize="auto"; None if all features are numeric.
    default_bins: ClassVar[str | None] = "mean-sd"
    _reads_blocks = True

    bins_ = Fitted[Bins]()

    @abstractmethod
    def make_criterion(self, data: TrainingData) -> Criterion:
        """Resolve the parameters for these data, or raise ValueError if they cannot be used with them."""

    def uses_codes(self) -> bool:
        """Return True if the selector uses discrete features only: files are then packed as they are read.

        This follows from the parameters `relevance`, `redundancy` and `measure`, as far as it has them.
        """
        redundancy = getattr(self, "redundancy", "auto")
        named = [getattr(self, name) for name in ("relevance", "measure") if hasattr(self, name)]
        if redundancy != "auto":
            named.append(redundancy)
        return self.default_bins is not None and are_discrete(*named)

    @all_or_nothing
    def fit(
        self,
        X: DataLike,
        y: TargetLike = None,
        sample_weight: WeightsLike = None,
        **remote: Unpack[RemoteOptions],
    ) -> Self:
        """Select features.

        Parameters
        ----------
        X : array-like, dataframe or sparse matrix of shape (n_samples, n_features), path or dataset
            Sparse if the tags of the selector allow it. A path is that of a file (Parquet, Feather, CSV, ``.npz``,
            ``.mat``, ARFF, SVMlight, ``.h5ad``) or of a folder of Parquet, Feather or CSV files.
        y : array-like of shape (n_samples,) or str
            Classes or numbers; or the name of a column of a dataframe or a file, which is then no feature, or of
            another array of a file.
        sample_weight : array-like of shape (n_samples,) or str, default=None
            A weight of 2 counts exactly like the same sample twice; 0 excludes it.
        **remote
            Options for rows that are not in memory: `memory_limit` and `scratch` of a table in files; see
            :doc:`/scaling`.

        Returns
        -------
        self : object
            The fitted selector.
        """
        self._release_rows(X)
        with self._read(X, y, sample_weight, remote) as data:
            criterion = self.make_criterion(data)
            self.__dict__.update(criterion.settings)
            n_features = self.count_features(data.features)
            measures = self.make_measures(data, criterion)
            selection = criterion.search(SearchTask(data, measures, criterion, n_features, self))
            self.__dict__.update(selection.attributes)
            if self.default_bins is not None:
                self.bins_ = measures.bins
        self._record_pass_counts(data)
        return self._finish(data.features, selection, n_features)

    def count_features(self, columns: FeatureRoles) -> int | None:
        """Return the number of features to select; None if the search stops by itself."""
        return self._count_or_auto(columns) if self._stops_by_itself else self._count(columns)

    def make_measures(
        self,
        data: TrainingData,
        criterion: Criterion,
        parts: PartSets | NumberedParts | None = None,
    ) -> Measures:
        """Return the measures of the criterion, of all rows or, with parts, of each replicate."""
        return make_measures(
            data,
            criterion.measures,
            getattr(self, "discretize", "auto"),
            self.default_bins or "mean-sd",
            parts,
            uses_triples=criterion.uses_triples,
        )

    def bin_rule(self) -> BinRule:
        """Return the bins of the parameter `discretize`, with ``"auto"`` resolved."""
        rule = getattr(self, "discretize", "auto")
        return self.default_bins if isinstance(rule, str) and rule == "auto" else rule

    def _packing_rule(self) -> str | None:
        return self.default_bins if self.uses_codes() else None

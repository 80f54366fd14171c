"""Relevance filter of Ferreira and Figueiredo: rank by relevance and select the first features."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, Self, Unpack

import numpy as np

from thresher._utils.checks import check_number, warn
from thresher._utils.params import (
    FeatureCount,
    Fitted,
    Interval,
    Options,
    ThreadCount,
    estimator,
    param,
)
from thresher._utils.types import Auto, BinRule, DataLike, Floats, Relevance, TargetKind, TargetLike
from thresher.blocks import make_measures
from thresher.data import (
    FeatureRoles,
    InputRules,
    LocalData,
    RemoteOptions,
    RowChunks,
    Target,
    TargetSummary,
    TrainingData,
    feature_blocks,
    read_target,
    read_training,
    reader_named,
    resolve_threads,
    to_feature_major,
)
from thresher.discretize import make_discretizer
from thresher.measures import DISPERSIONS, KINDS, SEPARATIONS, Bins, Measures
from thresher.measures.columns import stored_columns
from thresher.search.forward import Features
from thresher.search.subsets import count_by_cumulative_relevance
from thresher.selectors._base import CommonParameters, CountOrAuto, all_or_nothing
from thresher.selectors._filter import StreamingMixin
from thresher.selectors._ranking import Ranking

# Blocks of rows, or a function that returns an iterator over them.
Chunks = Iterable[DataLike] | Callable[[], Iterable[DataLike]]
RELEVANCES = (*DISPERSIONS, *SEPARATIONS, *KINDS)
BINS = "equal-frequency"


@dataclass(frozen=True)
class ColumnGroups:
    """The columns of chunked rows, in groups of `size` columns that fit into memory."""

    source: RowChunks
    target: Target | None
    size: int

    def training(self, features: Features) -> LocalData:
        """Read the training data of some columns."""
        table = self.source.columns(features)
        roles = FeatureRoles.read(table.names, ~table.schema.is_constant)
        return LocalData(table.schema, roles, self.target, "error", table.n_threads, table)


@estimator
class RelevanceFilter(CommonParameters, Ranking):
    """Base class of `RFS` and `RRFS`: relevance by any measure, and the number of features to select."""

    n_features_to_select: CountOrAuto = param(
        FeatureCount(auto=True), default="auto", kw_only=False
    )
    relevance: Auto | Relevance = param(Options("auto", *RELEVANCES), default="auto")
    cumulative: float = param(Interval(0, 1, open_low=True), default=0.95)
    target: TargetKind = param(default="auto")
    discretize: BinRule = param(default="auto")
    missing: Literal["error", "pairwise", "drop_rows"] = param(default="error")
    n_jobs: int | None = param(ThreadCount(), default=None)

    relevance_measure_ = Fitted[str]()
    bins_ = Fitted[Bins]()

    @property
    def _needs_target(self) -> bool:  # type: ignore[override]
        if self.relevance == "auto":
            return getattr(self, "_target_given", False)
        return self.relevance not in DISPERSIONS

    def _open(self, X: DataLike, y: TargetLike, remote: RemoteOptions) -> TrainingData:
        """Read the input and resolve the measures for its target."""
        self._target_given = y is not None
        training = self._read(X, y, remote=remote)
        self._resolve_measures(training.target)
        return training

    def _resolve_measures(self, target: TargetSummary | None) -> None:
        """Set the measures in use; ``"auto"`` depends on the kind of target."""
        self.relevance_measure_ = self.relevance
        if self.relevance == "auto":
            with_labels = "fisher" if target is not None and target.is_nominal else "pearson"
            self.relevance_measure_ = "mean-median" if target is None else with_labels

    def _relevance(self, training: TrainingData, measures: Measures) -> tuple[Floats, Floats]:
        """Return the relevance of every feature, and its mass: the logarithm of a ratio, otherwise the same."""
        name = self.relevance_measure_
        if name in DISPERSIONS:
            values = measures.dispersion(name)
        elif name in SEPARATIONS:
            values = measures.separation(name)
        else:
            values = measures.relevance(name)
        if name == "iqr" and not values[training.candidates].any():
            warn(
                'relevance="iqr" is 0 for every feature, because the middle half of each column is one '
                'value (more than 3/4 zeros?). Use "mean-median" or "mad"'
            )
        return values, np.log(values) if name == "am/gm" else values

    def _target_count(self, columns: FeatureRoles, mass: Floats) -> int:
        """Return how many features to select: as requested, or enough for the share `cumulative` of the relevance."""
        self._check_range(mass[columns.selectable])
        n_select = self._count_or_auto(columns)
        if n_select is not None:
            return n_select
        try:
            count = count_by_cumulative_relevance(mass[columns.selectable], self.cumulative)
        except ValueError as error:
            raise ValueError(f'relevance="{self.relevance_measure_}": {error}') from None
        return max(count, len(columns.kept), 1)

    def _check_range(self, mass: Floats) -> None:
        """Raise if the relevances of several features exceed the range of doubles: they would tie."""
        if self.relevance_measure_ not in DISPERSIONS:
            return
        smallest = 1e-300 if self.relevance_measure_ == "variance" else -np.inf
        for is_outside, how in (
            (mass == np.inf, "overflows"),
            (mass < smallest, "underflows to 0"),
        ):
            if is_outside.sum() > 1:
                raise ValueError(
                    f'relevance="{self.relevance_measure_}" {how} for {is_outside.sum()} features. Multiply all '
                    "columns by one number that brings them closer to 1"
                )

    @all_or_nothing
    def fit_chunks(self, chunks: Chunks, y: TargetLike = None, *, memory: int = 1 << 28) -> Self:
        """Select features from blocks of rows that need not fit into memory together.

        Parameters
        ----------
        chunks : list of blocks, or callable
            Numeric arrays, sparse matrices or dataframes with the same columns; or a function that returns a new
            iterator over them, for example over the row groups of a file. They are read several times.
        y : array-like of shape (n_samples,), default=None
            Target of all rows, if the relevance needs it.
        memory : int, default=268435456
            Bytes for the columns in memory at a time. Less memory means more passes over the blocks.

        Returns
        -------
        self : RFS or RRFS
            The selection is that of `fit` on all rows.
        """
        self._check_parameters()
        check_number("memory", memory, minimum=1, integer=True)
        source = RowChunks(chunks, self, resolve_threads(self.n_jobs))
        target = None
        self._target_given = y is not None
        if self._needs_target:
            target = read_target(y, source.n_rows, kind=self.target, owner=type(self).__name__)
        self._record_target(None if target is None else target.kind)
        self._resolve_measures(target)
        p = source.n_features
        relevance, mass, varies = np.zeros(p), np.zeros(p), np.zeros(p, dtype=bool)
        groups = ColumnGroups(source, target, source.group_size(memory))
        for start in range(0, p, groups.size):
            features = np.arange(start, min(p, start + groups.size))
            part = groups.training(features)
            measures = make_measures(part, (), self.discretize, BINS)
            relevance[features], mass[features] = self._relevance(part, measures)
            varies[features] = part.candidates
        self.bins_ = Bins("none", np.zeros(p, dtype=bool))
        columns = FeatureRoles.read(source.names, varies, self.keep, self.exclude)
        return self._select(columns, relevance, mass, groups)

    def _select(
        self, columns: FeatureRoles, relevance: Floats, mass: Floats, groups: ColumnGroups
    ) -> Self:
        """Select by the relevances of all columns; rows can be read again, in groups of columns."""
        return self._finish_ranking(columns, relevance, self._target_count(columns, mass))


@estimator
class RFS(StreamingMixin, RelevanceFilter):
    """Select the most relevant features by one measure, with or without a target.

    This is algorithm 1 of Ferreira and Figueiredo: rank by relevance and select the first m features.

    Parameters
    ----------
    n_features_to_select : int, float or "auto", default="auto"
        Number of features, fraction of the features that are not excluded, or ``"auto"``: as many as make up the share
        `cumulative` of the sum of all relevances.
    relevance : str, default="mean-median"
        Without a target: ``"variance"``, ``"mad"`` (mean absolute deviation), ``"mean-median"`` (distance of mean and
        median; 0 for symmetric columns of any width), ``"iqr"``, ``"am/gm"`` (arithmetic over geometric mean, positive
        columns only), ``"amgm"`` (logarithm of the mean of exp(x - mean)).
        With a target: ``"fir"`` (two-class Fisher ratio), ``"fisher"`` (Fisher score), and the measures.
        Discrete: ``"mi"``, ``"su"``, ``"nmi"``, ``"chi2"``. Numeric, with a target of classes or numbers: ``"r2"``,
        ``"f"``. Numeric, with a target of numbers or two classes: ``"pearson"``, ``"spearman"``, ``"cosine"``. Of every
        column: ``"association"``.

    cumulative : float in (0, 1], default=0.95
        Share of relevance for ``"auto"``. Ferreira and Figueiredo recommend 0.7 to 0.9.
    target : {"auto", "nominal", "numeric"}, default="auto"
        ``"auto"`` reads text, Booleans, and integer values with 5 rows each as classes, other numbers as
        numbers; see :ref:`target-kind`.
    discretize : str, transformer or None, default="auto"
        Binning of features that are not discrete, for discrete measures: equal frequency, 8 bins.
    keep, exclude : list of str or int, default=None
        Forced-in features and features never to select, by name or position.
    missing : {"error", "pairwise", "drop_rows"}, default="error"
        Missing values raise an error, are ignored (``"pairwise"``: the relevance is computed from the other values), or
        their samples are dropped.
    n_jobs : int, default=None
        Number of threads. The result does not depend on it.
    verbose : int, default=0
        1 prints a line at the end; the logger ``thresher`` gets the same lines at level INFO.

    Attributes
    ----------
    greater_is_better : bool
        True: large relevances are good.
    selected_, support_, ranking_, scores_, relevance_, n_evaluations_, trace_, target_kind_
        See `MRMR`; ``scores_`` is the relevance of every feature, ``ranking_`` ranks all features.
    relevance_measure_ : str
        The relevance in use.
    bins_ : Bins
        The features that were binned, the rule and the bin edges.

    See Also
    --------
    RRFS : Also drops features that are similar to selected ones.
    Univariate : Adds p-values.

    Notes
    -----
    Dispersion depends on units: features on larger scales rank first, except by ``"am/gm"``. Constant features have
    relevance 0 and are never selected. Ties go to the lowest column index; relevances are rounded to 40 significant
    bits. Numeric measures never make sparse X dense. Time O(n_samples) per feature, or O(stored values) for sparse X.

    References
    ----------
    A. J. Ferreira and M. A. T. Figueiredo, "Efficient feature selection filters for high-dimensional
    data", Pattern Recognition Letters, 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher import RFS
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> RFS(relevance="mad").fit(X).get_feature_names_out().tolist()
    ['mean area', 'area error', 'worst perimeter', 'worst area']
    """

    _reads_blocks = True

    relevance: Relevance = param(Options(*RELEVANCES), default="mean-median")

    @all_or_nothing
    def fit(self, X: DataLike, y: TargetLike = None, **remote: Unpack[RemoteOptions]) -> Self:
        """Select features.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), default=None
            Required if the relevance needs a target, otherwise ignored.
        **remote
            Options for files, if X is a path: `memory_limit` and `scratch`; see :doc:`/scaling`.

        Returns
        -------
        self : RFS
        """
        self._release_rows(X)
        with self._open(X, y, remote) as training:
            name = self.relevance_measure_
            names = (name,) if name in KINDS else ()
            measures = make_measures(training, names, self.discretize, BINS)
            relevance, mass = self._relevance(training, measures)
            self.bins_ = measures.bins
        self._record_pass_counts(training)
        columns = training.features
        return self._finish_ranking(columns, relevance, self._target_count(columns, mass))


def difficulty_ratio(X: DataLike, y: TargetLike) -> float:
    """Return the samples per class and typical level, R_FS = n / (a C): low if selection is difficult.

    Parameters
    ----------
    X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Classes.

    Returns
    -------
    ratio : float
        n is the number of samples, a the median over features of the number of levels after binning into 8 bins of
        equal frequency, and C the number of classes.

    References
    ----------
    G. Brown et al., "Conditional likelihood maximisation", 2012, as used by Ferreira and Figueiredo.

    Examples
    --------
    >>> from thresher import difficulty_ratio
    >>> difficulty_ratio([[1, 0], [2, 0], [3, 1], [4, 0], [10, 0], [4, 3]], [0, 0, 0, 1, 1, 1])
    0.75
    """
    training = read_training(
        reader_named("difficulty_ratio"), X, y, None, InputRules(classes_only=True)
    )
    table = training.table
    discretizer = make_discretizer(BINS)
    if table.is_sparse:
        everything = np.ones(table.n_features, dtype=bool)
        learned = [discretizer.learn_sparse_cuts(stored_columns(table), everything, None, None, 1)]
    else:
        learned = [
            discretizer.learn_cuts(to_feature_major(table.matrix[:, block]), None, None, 1)
            for block in feature_blocks(table.n_features, table.n_rows)
        ]
    arity = float(np.median(np.concatenate([np.diff(offsets) + 1 for _, offsets in learned])))
    return training.n_rows / (arity * training.labels.n_classes)

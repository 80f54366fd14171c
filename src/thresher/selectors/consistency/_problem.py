"""Common parts of the consistency-based selectors: risk, order of the features, threshold."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Self, Unpack

import numpy as np
import numpy.typing as npt

from thresher import _core
from thresher._utils.checks import warn
from thresher._utils.long_calls import report
from thresher._utils.params import Interval, ThreadCount, estimator, param
from thresher._utils.types import (
    Array,
    BinRule,
    DataLike,
    DeltaMode,
    Floats,
    Indices,
    Infeasible,
    Mask,
    Risk,
    TargetLike,
    Values,
    WeightsLike,
)
from thresher.data import LocalData, RemoteOptions
from thresher.discretize import EqualFrequencyBins
from thresher.measures import Codes, code_features
from thresher.selectors._base import (
    BaseSelector,
    CommonParameters,
    Selection,
    all_or_nothing,
    rank_in_order,
    spread,
)
from thresher.selectors._explain import Needed

Features = npt.NDArray[np.uint32]

# Supervised binning would leave one bin for features that matter only in combination, so the default is unsupervised.
N_BINS = 5

# A column with more distinct values than this share of the samples distinguishes them alone.
NEARLY_UNIQUE = 0.9


@dataclass
class Problem:
    """The risk of feature sets on one training set.

    Attributes
    ----------
    core : _core.Consistency
        The searches, with unnormalised risks.
    relevance : ndarray of float
        Symmetrical uncertainty with the target, per feature.
    order : ndarray of uint32
        Features that can be removed, least relevant first, then lowest column index; constant ones
        come first.
    n_constant : int
        How many of them are constant.
    kept : ndarray of uint32
        Forced-in features, which are in every set.
    unit : float
        The divisor of an unnormalised risk.
    tolerance : float
        Unnormalised risks closer than this are equal; 0 if they are integers.
    pair_tolerance : float
        The same for numbers of pairs.
    """

    core: _core.Consistency
    relevance: Floats
    order: Features
    n_constant: int
    kept: Features
    unit: float
    tolerance: float
    pair_tolerance: float

    @property
    def step(self) -> float:
        """The smallest difference of unnormalised risks that is not a tie."""
        return 1.0 if self.tolerance == 0 else 2 * self.tolerance

    def threshold(self, delta: float) -> float:
        """Return the largest unnormalised risk within `delta`."""
        bound = delta * self.unit
        return float(math.floor(bound + 1e-9)) if self.tolerance == 0 else bound

    def risk(self, features: Sequence[int] | Features) -> float:
        """Return the risk of a set, from 0 to 1. Forced-in features are not added."""
        return self.core.risk(np.asarray(features, dtype=np.uint32)) / self.unit

    def by_relevance(self, features: Sequence[int] | Features) -> list[int]:
        """Return the forced-in features, then these by decreasing relevance, then column index."""
        rest = np.setdiff1d(np.asarray(features, dtype=np.intp), self.kept)
        ordered = rest[np.lexsort((rest, -self.relevance[rest]))]
        return [*self.kept.tolist(), *ordered.tolist()]


def build_problem(
    training: LocalData,
    codes: Codes,
    measure: str,
    rows: Mask | None = None,
    *,
    by_position: bool = False,
) -> Problem:
    """Rank the features and prepare the rows for the search.

    `rows` restricts it to some samples; `by_position` orders the features by column index, not relevance.
    """
    target, table, weights = training.labels, codes.table, training.weights
    classes, n_classes = target.class_codes, target.n_classes
    if rows is not None:
        classes = classes[rows]
        weights = None if weights is None else weights[rows]
        table = table.take(np.flatnonzero(rows), training.n_threads)
    relevance: Floats = table.relevance(classes, n_classes, "su", training.n_threads)
    constant = table.constant | ~(training.candidates | training.excluded)
    is_removable = ~training.excluded
    is_removable[training.kept] = False
    key = np.where(constant, -1.0, 0.0 if by_position else relevance)
    ascending = _core.ascending(key)
    order = ascending[is_removable[ascending]].astype(np.uint32)
    kept = training.kept.astype(np.uint32)
    unit, tolerance = _unit_and_tolerance(measure, classes, weights)
    core = _core.Consistency(
        table,
        classes,
        n_classes,
        None if weights is None else weights.astype(np.float64),
        order,
        kept,
        relevance,
        measure,
        tolerance,
    )
    _, pair_tolerance = _unit_and_tolerance("pairs", classes, weights)
    n_constant = int(constant[order].sum())
    return Problem(core, relevance, order, n_constant, kept, unit, tolerance, pair_tolerance)


def _unit_and_tolerance(
    measure: str, classes: npt.NDArray[np.int32], weights: Array | None
) -> tuple[float, float]:
    """Return the largest possible risk, and the difference below which risks are equal."""
    total = float(len(classes) if weights is None else weights.sum())
    is_counted = weights is None or weights.dtype.kind != "f"
    unit = {
        "bayes": total,
        "binary": 1.0,
        # Weights that are not integers have no number of pairs, so pairs are drawn with replacement.
        "pairs": total * (total - (1 if is_counted else 0)) / 2,
        "entropy": total * math.log2(len(np.unique(classes))),
    }[measure]
    tolerance = 1e-10 * unit if measure == "entropy" else 0.0
    return unit, tolerance if is_counted else max(tolerance, 1e-9 * unit)


@estimator
class ConsistencySelector(CommonParameters, BaseSelector):
    """Base class of the consistency-based selectors."""

    min_features: int = param(Interval(0, integer=True), default=0)
    discretize: BinRule = param(default="auto")
    missing: Literal["error", "category"] = param(default="error")
    n_jobs: int | None = param(ThreadCount(), default=None)

    _classes_only = True

    def _codes(self, training: LocalData) -> Codes:
        rule = self.discretize
        is_default = isinstance(rule, str) and rule == "auto"
        codes = code_features(
            training, EqualFrequencyBins(N_BINS, keep_discrete=True) if is_default else rule
        )
        if is_default and codes.bins.is_binned.any():
            codes.bins.rule = "equal-frequency"
        self.bins_ = codes.bins
        if rule is None:
            _warn_of_unique_columns(training, codes)
        return codes

    def _conclude(
        self,
        training: LocalData,
        problem: Problem,
        chosen: Sequence[int] | Features,
        *,
        n_evaluations: int,
        removed: Sequence[int] | Features | None = None,
        selected: list[int] | None = None,
        trace: Values | None = None,
    ) -> Self:
        """Set the fitted attributes: `chosen` is without forced-in features, `removed` in order of removal."""
        if selected is None:
            selected = problem.by_relevance(self._at_least(problem, chosen))
        features = np.array(selected, dtype=np.uint32)
        value, without = problem.core.leave_one_out(features)
        self.risk_ = value / problem.unit
        self.full_risk_ = problem.core.full_risk / problem.unit
        self.n_useless_ = problem.core.border
        contribution = (np.asarray(without) - value) / problem.unit
        report(self, "risk %.4g (all features %.4g)", self.risk_, self.full_risk_)
        return self._finish(
            training.features,
            Selection(
                selected=selected,
                scores=spread(training.n_features, selected, contribution),
                relevance=problem.relevance,
                ranking=_backward_ranking(training.n_features, selected, removed),
                n_evaluations=n_evaluations,
                trace=trace or {},
                explanation=Needed(self.risk_),
                shortfall=f"the risk without any feature, {self.risk_:.4g}, is low enough or cannot be reduced",
            ),
        )

    def _at_least(self, problem: Problem, chosen: Sequence[int] | Features) -> list[int]:
        """Return `chosen`, with the most relevant other features added up to `min_features` in total."""
        features = [int(feature) for feature in chosen]
        n_missing = int(self.min_features) - len(features) - len(problem.kept)
        if n_missing > 0:
            varying = np.setdiff1d(problem.order[problem.n_constant :], features)
            most_relevant = varying[np.lexsort((varying, problem.relevance[varying]))][::-1]
            features += most_relevant[:n_missing].tolist()
        return features


if TYPE_CHECKING:
    _Mixed = ConsistencySelector  # of which all classes with this mixin are subclasses
else:
    _Mixed = object


class RiskFit(_Mixed):
    """The ``fit`` of selectors that select by the risks of one problem, in `_select`."""

    measure: Risk

    @all_or_nothing
    def fit(
        self,
        X: DataLike,
        y: TargetLike,
        sample_weight: WeightsLike = None,
        **remote: Unpack[RemoteOptions],
    ) -> Self:
        """Select features.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or strNone
            Classes; or the name of a column of the dataframe X.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight of 2 counts exactly like the same sample passed twice; 0 drops the sample.
        **remote
            Options for files, if X is a path: `memory_limit` and `scratch`; see :doc:`/scaling`.

        Returns
        -------
        self : object
        """
        training = self._read_rows(X, y, sample_weight, remote)
        return self._select(training, self._problem(training))

    def _problem(self, training: LocalData) -> Problem:
        by_position = getattr(self, "tie", "relevance") == "first"
        return build_problem(training, self._codes(training), self.measure, by_position=by_position)

    @abstractmethod
    def _select(self, training: LocalData, problem: Problem) -> Self: ...


@estimator
class RiskBound:
    """The parameters of an upper bound on the risk; a subclass declares `delta`."""

    measure: Risk = param(default="bayes")
    delta_mode: DeltaMode = param(default="absolute")
    infeasible: Infeasible = param(default="clip")

    def _bound(self, problem: Problem, delta: float) -> float:
        """Return the largest unnormalised risk allowed, by `delta_mode` and `infeasible`."""
        bound = problem.threshold(delta)
        full = problem.core.full_risk
        if self.delta_mode == "relative":
            return full + bound
        if full <= bound + problem.tolerance:
            return bound
        least = full / problem.unit
        inconsistent = (
            f"delta={delta:g} cannot be reached: samples with equal values but different classes "
            f"leave a risk of {least:.4g} even with all features"
        )
        remedy = 'set a larger delta or delta_mode="relative"'
        if self.infeasible == "raise":
            raise ValueError(f'{inconsistent}; {remedy}, or infeasible="clip"')
        warn(f"{inconsistent}, which is used as the bound; {remedy} for another bound")
        return full


def _backward_ranking(
    n_features: int, selected: list[int], removed: Sequence[int] | Features | None
) -> Indices | None:
    """Rank the selected features first, then the others in reverse order of removal; the rest share the last rank."""
    if removed is None:
        return None
    last_first = np.asarray(removed, dtype=np.intp)[::-1]
    is_remaining = np.ones(n_features, dtype=bool)
    is_remaining[selected] = False
    remaining = last_first[is_remaining[last_first]]
    return rank_in_order(np.concatenate([np.array(selected, dtype=np.intp), remaining]), n_features)


def _warn_of_unique_columns(training: LocalData, codes: Codes) -> None:
    unique = training.candidates & (codes.levels > NEARLY_UNIQUE * training.n_rows)
    if unique.any() and training.n_rows > 10:
        first = int(np.argmax(unique))
        warn(
            f"column {training.schema.label(first)} has {int(codes.levels[first])} distinct values "
            f"in {training.n_rows} samples: it distinguishes nearly all of them, even if unrelated to the target. "
            'Set discretize="equal-frequency" to bin it'
        )

"""Minimum redundancy, maximum relevance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from thresher import _core
from thresher._utils.checks import warn
from thresher._utils.params import FeatureCount, Fitted, Interval, estimator, param
from thresher._utils.types import Auto, BinRule, Measure, PairMeasureName
from thresher.data import TrainingData
from thresher.measures import KINDS, MeasureName
from thresher.search import (
    ForwardSearch,
    PartsResult,
    SearchResult,
    greedy_ensemble,
    greedy_forward,
)
from thresher.selectors._base import Selection
from thresher.selectors._criterion import ForwardCriterion, SearchTask
from thresher.selectors._filter import FilterSelector

# With fewer samples, a quotient of information causes a warning.
ENOUGH_FOR_RATIOS = 100


@estimator
class MRMR(FilterSelector):
    """Select features by minimum redundancy and maximum relevance (mRMR).

    The first feature is the most relevant one. Each further step adds the feature whose relevance R
    best outweighs B/k, its mean redundancy with the k features already selected.

    Parameters
    ----------
    n_features_to_select : int or float, default=10
        Number of features, or fraction of the features that are not excluded.
    relevance : str, default="auto"
        Measure of a feature and the target.
        Discrete: ``"mi"``, ``"su"``, ``"nmi"``, ``"chi2"``. Numeric, with a target of classes or numbers: ``"r2"``,
        ``"f"``. Numeric, with a target of numbers or two classes: ``"pearson"``, ``"spearman"``, ``"cosine"``. Of every
        column: ``"association"``.

        ``"auto"``: ``"mi"`` if all candidates are discrete or some are not numbers, else
        ``"r2"``: the share of the feature's variance that the classes, or the target, explain.
        ``"mi"`` is mutual information in bits, ``"su"`` symmetrical uncertainty, ``"nmi"`` information over the
        smaller entropy, ``"f"`` the F statistic. `Univariate` describes the others.
    redundancy : str, default="auto"
        Measure of two features.
        Discrete: ``"mi"``, ``"su"``, ``"nmi"``, ``"chi2"``. Numeric: ``"pearson"``, ``"spearman"``, ``"cosine"``,
        ``"r2"``. Of every column: ``"association"``.

        ``"auto"``: the measure of the relevance, or ``"pearson"`` if that is ``"f"``.
    objective : {"auto", "difference", "quotient", "sum", "product"}, default="auto"
        ``R - w B/k``, ``R / (B/k + o)``, ``R - w B`` (Battiti's MIFS, with w as its beta), or
        relevance times novelty, ``R * prod (1 - A)**(w/2)`` over the redundancies A with the features selected
        so far, which must be at most 1. The product does not depend on the scale of R.
        ``"auto"``: the quotient if the relevance is ``"f"``, which is unbounded, else the difference.
        A quotient of ``"mi"`` is usually less stable and no more accurate; below 100 samples there is a warning.
    redundancy_weight : float, default=1.0
        The weight w. It must be 1 with the quotient.
    redundancy_offset : float, default=0.0
        The offset o, in bits for ``"mi"``; 1e-4 reproduces Peng's program.
    target : {"auto", "nominal", "numeric"}, default="auto"
        ``"auto"`` reads text, Booleans, and integer values with 5 rows each as classes, other numbers as
        numbers; see :ref:`target-kind`.
    discretize : str, transformer or None, default="auto"
        Binning of features that are not discrete, for discrete measures: ``"mean-sd"`` (the
        default), ``"equal-frequency"``, ``"equal-width"``, ``"mdl"``, or a transformer of
        `thresher.discretize`. None treats every column as integer codes. `bins_` records the bins.
    strategy : {"lazy", "scan", "naive"}, default="lazy"
        How the search is executed; the result is the same. ``"lazy"`` evaluates only pairs that
        can still matter, ``"scan"`` is MRMR+ of Pino Angulo's thesis, ``"naive"`` evaluates all pairs.
    keep, exclude : list of str or int, default=None
        Forced-in features, from which the search starts, and features never to select, by name or position.
    missing : {"error", "category", "pairwise", "drop_rows"}, default="error"
        Missing values raise an error, are a separate category (discrete measures only), are ignored
        pair by pair, or their samples are dropped.
    n_jobs : int, default=None
        Number of threads. The result does not depend on it.
    verbose : int, default=0
        1 prints a line per step and one at the end; the logger ``thresher`` gets the same lines at level INFO.

    Attributes
    ----------
    selected_ : ndarray of int
        Features in order of selection.
    support_ : ndarray of bool of shape (n_features,)
        True for the selected features.
    ranking_ : ndarray of int of shape (n_features,)
        1 for the feature selected first; features not selected share the rank after the last.
    scores_ : ndarray of float of shape (n_features,)
        Score when selected; nan for features not selected.
    relevance_, redundancy_ : ndarray of float of shape (n_features,)
        Relevance of every feature; mean redundancy at the step of selection, nan for features not selected.
        With the product, redundancies are in bits: ``-log2(1 - A) / 2``, 32 for a copy.
    n_evaluations_ : int
        Feature pairs whose redundancy was computed. Rows in blocks need more pairs, in fewer request rounds.
    trace_ : dict of str to ndarray
        Per step: ``feature``, ``relevance``, ``redundancy``, ``score``; with the product, ``novelty``: the
        share of the relevance that is left.
    bins_ : Bins
        The features that were binned, the rule and the bin edges.
    relevance_measure_, redundancy_measure_, objective_ : str
        The values in use; they resolve ``"auto"``.
    target_kind_ : {"nominal", "numeric"}
        How y was read: as classes or as numbers.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        Only if all column names of X are strings.

    See Also
    --------
    NMIFS : mRMR with normalised information as redundancy.
    JMI : Joint information of feature pairs instead of redundancy.
    CFS : Finds the number of features automatically.
    Ensemble : Makes the selection more stable.

    Notes
    -----
    Ties in the computed score go to the lowest column index. Constant features, including those constant after
    binning, are never selected unless named in `keep`. Time: one pass over the data for the
    relevances and O(n_samples) per evaluated pair; there are at most ``n_features_to_select * n_features``
    pairs. Memory: one packed copy of the data and a few numbers per feature.

    ``relevance="f"`` is the F-test correlation quotient (FCQ) of other packages: F over the mean absolute
    correlation. It fails where that mean is near 0, as with many independent features. The quotient then selects
    the feature that correlates least with the first one, even if it carries almost no information about the
    target. If all features are highly correlated, F alone decides.

    References
    ----------
    H. Peng, F. Long and C. Ding, "Feature selection based on mutual information: criteria of
    max-dependency, max-relevance, and min-redundancy", 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher import MRMR
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = MRMR(n_features_to_select=3).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['mean texture', 'worst radius', 'worst concave points']
    """

    _nested = True

    relevance_measure_ = Fitted[str]()
    redundancy_measure_ = Fitted[str]()
    objective_ = Fitted[str]()

    n_features_to_select: int | float = param(FeatureCount(), default=10, kw_only=False)
    relevance: Auto | Measure = param(MeasureName(), default="auto")
    redundancy: Auto | PairMeasureName = param(MeasureName(symmetric=True), default="auto")
    discretize: BinRule = param(default="auto")
    objective: Literal["auto", "difference", "quotient", "sum", "product"] = param(default="auto")
    redundancy_weight: float = param(Interval(low=0), default=1.0)
    redundancy_offset: float = param(Interval(low=0), default=0.0)
    strategy: Literal["lazy", "scan", "naive"] = param(default="lazy")

    def make_criterion(self, data: TrainingData) -> MRMRCriterion:
        relevance, redundancy = self._resolve_measures(data)
        objective: str = self.objective
        if objective == "auto":
            objective = "quotient" if relevance == "f" else "difference"
        self._check_objective(objective, relevance, redundancy, data)
        weight, offset = self.redundancy_weight, self.redundancy_offset
        return MRMRCriterion(relevance, redundancy, objective, weight, offset, self.strategy)

    def _resolve_measures(self, data: TrainingData) -> tuple[str, str]:
        if self.relevance == "auto":
            _warn_of_categories(data)
            relevance = redundancy = default_measure(data)
        else:
            relevance = redundancy = self.relevance
            if not KINDS[relevance].is_symmetric:
                redundancy = "mi" if KINDS[relevance].is_discrete else "pearson"
        return relevance, redundancy if self.redundancy == "auto" else self.redundancy

    def _check_objective(
        self, objective: str, relevance: str, redundancy: str, data: TrainingData
    ) -> None:
        is_quotient = objective == "quotient"
        if objective == "product" and KINDS[redundancy].maximum > 1:
            raise ValueError(
                f'objective="product" needs a redundancy of at most 1, but redundancy="{redundancy}" is not bounded '
                f"by 1. Set redundancy={_bounded_measures(redundancy)}"
            )
        if relevance == "f" and objective in ("difference", "sum"):
            warn(
                f'objective="{objective}" with relevance="f": F is unbounded and swamps a redundancy of at most 1. '
                'Use objective="quotient"'
            )
        if is_quotient and self.redundancy_weight != 1:
            raise ValueError(
                f"redundancy_weight must be 1 with the quotient, got {self.redundancy_weight}. "
                'Use objective="difference" or "sum" for another weight'
            )
        if not is_quotient and self.redundancy_offset != 0:
            raise ValueError(
                f'redundancy_offset is for objective="quotient", got {self.redundancy_offset} '
                f'with "{objective}". Set it to 0'
            )
        numeric = [
            m for m in (relevance, redundancy) if not (KINDS[m].is_discrete or KINDS[m].is_mixed)
        ]
        if numeric and data.missing == "category" and data.schema.has_missing.any():
            raise ValueError(
                f'missing="category" is for discrete measures, but "{numeric[0]}" is numeric. '
                'Use "mi" or missing="pairwise"'
            )
        if is_quotient and redundancy == "mi" and data.n_rows < ENOUGH_FOR_RATIOS:
            warn(
                f'objective="quotient" divides by mutual information estimated from {data.n_rows} samples, which is '
                'usually less stable and less accurate. Use objective="difference"'
            )


@dataclass(frozen=True)
class MRMRCriterion(ForwardCriterion):
    """Greedy forward selection by relevance and redundancy."""

    relevance: str
    redundancy: str
    objective: str
    weight: float
    offset: float
    strategy: str

    @property
    def measures(self) -> tuple[str, str]:
        return self.relevance, self.redundancy

    @property
    def pairs_in_bits(self) -> bool:
        return self.objective == "product"

    @property
    def settings(self) -> Mapping[str, str]:
        return {
            "relevance_measure_": self.relevance,
            "redundancy_measure_": self.redundancy,
            "objective_": self.objective,
        }

    def start(self, task: SearchTask) -> ForwardSearch[SearchResult]:
        return greedy_forward(
            task.pairs,
            task.relevance,
            task.required_count,
            objective=self.objective,
            weight=self.weight,
            offset=self.offset * task.scale,
            unit=float(task.scale),
            strategy=self.strategy,
            **task.choices,
        )

    def describe(self, task: SearchTask, result: SearchResult) -> Selection:
        scores = result.scores / task.scale
        # Ratios and products are of means already; only the first score is a relevance.
        if self.objective in ("quotient", "product"):
            scores[1:] = result.scores[1:]
        if self.objective != "product":
            is_comparable = self.relevance == self.redundancy
            return task.selection(result, scores, explanation=task.nearest(result, is_comparable))
        bits = result.redundancy * np.arange(len(scores)) / task.scale
        novelty = [_core.novelty(self.weight * shared) for shared in bits.tolist()]
        more = {"novelty": np.array(novelty)}
        return task.selection(result, scores, more=more, explanation=task.nearest(result, False))

    def search_replicates(
        self, task: SearchTask, replicates: Sequence[int], memory_limit: int
    ) -> PartsResult:
        chosen = np.array(replicates, dtype=np.uint32)
        result = greedy_ensemble(
            task.pairs,
            np.ascontiguousarray(task.relevance[chosen]),
            task.required_count,
            objective=self.objective,
            weight=self.weight,
            offset=self.offset,
            strategy="dense" if self.strategy == "naive" else self.strategy,
            replicates=chosen,
            candidates=np.ascontiguousarray(task.candidates[chosen]).view(np.uint8),
            kept=task.data.kept.astype(np.uint32),
            memory_limit=memory_limit,
        )
        lists = [replicate.selected.tolist() for replicate in result.replicates]
        return PartsResult(lists, result.n_evaluations, result.cache_full)


def _bounded_measures(redundancy: str) -> str:
    """Return the measures of at most 1 of the same kind of features, as words of a message."""
    names = [
        f'"{name}"'
        for name, kind in KINDS.items()
        if kind.is_symmetric
        and kind.maximum <= 1
        and (kind.is_mixed or kind.is_discrete == KINDS[redundancy].is_discrete)
    ]
    return f"{', '.join(names[:-1])} or {names[-1]}"


def _warn_of_categories(data: TrainingData) -> None:
    """Warn that all numeric columns are binned because there is a categorical one."""
    schema = data.schema
    categories = data.candidates & schema.is_category
    n_binned = int(np.sum(data.candidates & ~schema.is_discrete))
    if categories.any() and n_binned:
        binned = "1 numeric column is" if n_binned == 1 else f"{n_binned} numeric columns are"
        warn(
            f'column {schema.label(int(np.argmax(categories)))} contains categories, so relevance="auto" is "mi" and '
            f"{binned} binned. Encode the categories as numbers or add them to exclude to avoid the bins, "
            'or set relevance="mi" to accept them'
        )


def default_measure(data: TrainingData) -> str:
    """Return the measure of relevance and redundancy that ``"auto"`` resolves to on these data."""
    schema, candidates = data.schema, data.candidates
    as_category = data.missing == "category" and schema.has_missing[candidates].any()
    if as_category or schema.is_category[candidates].any() or schema.is_discrete[candidates].all():
        return "mi"
    return "r2"

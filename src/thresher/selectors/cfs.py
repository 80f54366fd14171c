"""Correlation-based feature selection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from thresher._utils.params import FeatureCount, Fitted, Options, estimator, param
from thresher._utils.types import BinRule
from thresher.data import TrainingData
from thresher.measures import measures_of
from thresher.search import ForwardSearch, SearchResult
from thresher.search.forward import Features, add_locally_predictive, cfs_best_first, cfs_forward
from thresher.selectors._base import CountOrAuto, Selection
from thresher.selectors._criterion import Criterion, ForwardCriterion, SearchTask
from thresher.selectors._filter import FilterSelector


@estimator
class CFS(FilterSelector):
    r"""Select the set of features with the best merit (Hall's correlation-based feature selection).

    The merit of a set S of k features is

    .. math:: \frac{\sum_{f \in S} r_f}{\sqrt{k + 2 \sum_{f < g \in S} r_{fg}}}

    where r is the symmetrical uncertainty of a feature and the class, or of two features. It is large for sets
    that are relevant and not redundant. The search stops when no feature raises the merit.

    Parameters
    ----------
    n_features_to_select : int, float or "auto", default="auto"
        Largest number of features; ``"auto"`` runs to the natural stop. It must be ``"auto"`` with
        ``search="best-first"``.
    search : {"forward", "best-first"}, default="forward"
        Greedy forward search, or Weka's best-first search, which expands the best of a few open sets until five
        expansions in a row bring no improvement. It evaluates 1.04 to 1.4 times as many sets and mostly selects the
        same one.
    strategy : {"lazy", "cached", "naive"}, default="lazy"
        How ``"forward"`` is executed; the result is the same. ``"lazy"`` evaluates only pairs that can still
        matter (CFS+ of Pino Angulo's thesis, best bounds first), ``"cached"`` evaluates every candidate at every step
        with accumulated sums (FCFS), ``"naive"`` computes the sums again at every step.
    measure : {"su", "pearson", "association"}, default="su"
        Symmetrical uncertainty of discrete or binned features; or the absolute Pearson correlation, the form for
        regression: numeric features and a numeric target or two classes; or the association, which takes numbers
        and categories without bins, and any target.
    discretize : str, transformer or None, default="auto"
        Binning of features that are not discrete, for ``"su"``: ``"mdl"`` (the default; Fayyad and Irani),
        ``"mean-sd"``, ``"equal-frequency"``, ``"equal-width"``, or a transformer of `thresher.discretize`, such as
        ``MDLBins(cuts="weka")``, which counts cut points as Weka does. None treats every column as integer codes.
        `bins_` records the bins.
    locally_predictive : bool, default=False
        After the search, add each feature that is not more redundant with any selected feature than it is relevant,
        in order of decreasing relevance. Weka does so by default.
    zero_as_one : bool, default=False
        Reproduce a quirk of Weka: a redundancy of zero between two features counts as one. Only for
        ``search="best-first"``.
    target : {"auto", "nominal", "numeric"}, default="auto"
        ``"auto"`` reads text, Booleans, and integer values with 5 rows each as classes, other numbers as
        numbers, which are binned into three classes at the mean ± one standard deviation for ``"su"``; see
        :ref:`target-kind`.
    keep, exclude : list of str or int, default=None
        Forced-in features, from which the search starts, and features never to select, by name or position.
    missing : {"error", "category", "pairwise", "drop_rows"}, default="error"
        Missing values raise an error, are a separate category (``"su"`` only), are ignored pair by pair, or their
        samples are dropped.
    n_jobs : int, default=None
        Number of threads. The result does not depend on it.
    verbose : int, default=0
        1 prints a line per step and one at the end; the logger ``thresher`` gets the same lines at level INFO.

    Attributes
    ----------
    selected_ : ndarray of int
        Features in order of selection; after ``"best-first"`` by decreasing relevance.
    support_ : ndarray of bool of shape (n_features,)
        True for the selected features.
    ranking_ : ndarray of int of shape (n_features,)
        1 for the feature selected first; features not selected share the rank after the last.
    scores_ : ndarray of float of shape (n_features,)
        Merit of the set with the feature, at the step that added it; nan for features not selected, and for those
        added without a merit (``"best-first"``, the locally predictive step).
    merit_ : float
        Merit of the selected set, before the locally predictive step.
    relevance_, redundancy_ : ndarray of float of shape (n_features,)
        Relevance of every feature; mean redundancy at the step of selection, nan if unknown.
    n_evaluations_ : int
        Feature pairs whose redundancy was computed.
    trace_ : dict of str to ndarray
        Per step: ``feature``, ``relevance``, ``redundancy``, ``score``.
    bins_ : Bins
        The features that were binned, the rule and the bin edges.
    target_kind_ : {"nominal", "numeric"}
        How y was read: as classes or as numbers.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        Only if all column names of X are strings.

    See Also
    --------
    FCBF : Compares features in pairs instead of sets.
    MRMR : Selects a given number of features.

    Notes
    -----
    Ties in the computed score go to the lowest column index. Constant features, including those for which MDL finds
    no cut point, are never selected unless named in `keep`. If no feature is relevant, none is selected, with a
    warning. The merit can exceed 1. Time: one pass over the data for bins and relevances and O(n_samples) per
    evaluated pair. Memory: one packed copy of the data and a few numbers per feature, never a table of all pairs.

    References
    ----------
    M. A. Hall, "Correlation-based feature selection for machine learning", 1999.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher import CFS
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = CFS().fit(X, y)
    >>> X.columns[selector.selected_[:3]].tolist(), len(selector.selected_)
    (['worst perimeter', 'worst concave points', 'worst area'], 9)
    """

    _stops_by_itself = True
    default_bins = "mdl"

    merit_ = Fitted[float]()

    n_features_to_select: CountOrAuto = param(
        FeatureCount(auto=True), default="auto", kw_only=False
    )
    search: Literal["forward", "best-first"] = param(default="forward")
    strategy: Literal["lazy", "cached", "naive"] = param(default="lazy")
    measure: Literal["su", "pearson", "association"] = param(
        Options(*measures_of("CFS")), default="su"
    )
    discretize: BinRule = param(default="auto")
    locally_predictive: bool = param(default=False)
    zero_as_one: bool = param(default=False)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.search == "best-first" and self.n_features_to_select != "auto":
            raise ValueError(
                'n_features_to_select must be "auto" with search="best-first", which determines the number itself, '
                f'got {self.n_features_to_select!r}. Use search="forward"'
            )
        if self.zero_as_one and self.search != "best-first":
            raise ValueError('zero_as_one is for search="best-first". Set it to False')

    def make_criterion(self, data: TrainingData) -> Criterion:
        if self.search == "best-first":
            return BestFirstCriterion(self.measure, self.locally_predictive, self.zero_as_one)
        return MeritCriterion(self.measure, self.locally_predictive, self.strategy)


@dataclass(frozen=True)
class CFSCriterion(Criterion):
    """One measure for relevance and redundancy; optionally Weka's locally predictive step at the end."""

    measure: str
    locally_predictive: bool

    @property
    def measures(self) -> tuple[str]:
        return (self.measure,)


@dataclass(frozen=True)
class MeritCriterion(CFSCriterion, ForwardCriterion):
    """Greedy forward selection by merit."""

    strategy: str

    def start(self, task: SearchTask) -> ForwardSearch[SearchResult]:
        return cfs_forward(
            task.pairs,
            task.relevance,
            n_select=task.n_features,
            strategy=self.strategy,
            unit=task.scale,
            **task.choices,
        )

    def describe(self, task: SearchTask, result: SearchResult) -> Selection:
        chosen, relevance = result.selected, task.relevance
        merits = result.scores / np.sqrt(task.scale)
        n_evaluations = result.n_evaluations
        added: Features = np.empty(0, dtype=np.intp)
        if self.locally_predictive:
            added = add_locally_predictive(task.pairs, relevance, task.candidates, chosen)
            n_evaluations += (len(chosen) + len(added)) * (len(relevance) - 1)
        unknown = np.full(len(added), np.nan)
        selected = np.concatenate([chosen, added])
        return Selection.of_steps(
            selected,
            np.concatenate([merits, unknown]),
            relevance / task.scale,
            np.concatenate([result.redundancy, unknown]) / task.scale,
            n_evaluations=n_evaluations,
            explanation=task.nearest(result, added=added),
            shortfall=_why_it_stopped(len(selected)),
            attributes={"merit_": float(merits[-1]) if len(chosen) else 0.0},
        )


@dataclass(frozen=True)
class BestFirstCriterion(CFSCriterion):
    """Weka's best-first search: expand the best open set until five expansions in a row bring no improvement."""

    zero_as_one: bool

    def search(self, task: SearchTask) -> Selection:
        kept = task.data.kept
        result = cfs_best_first(
            task.pairs,
            task.relevance,
            zero_to_one=self.zero_as_one,
            locally_predictive=self.locally_predictive,
            unit=task.scale,
            candidates=task.choices["candidates"],
            kept=task.choices["kept"],
        )
        relevance = task.relevance / task.scale
        chosen = np.setdiff1d(result.selected, kept)
        chosen = chosen[np.lexsort((chosen, -relevance[chosen]))]
        selected = np.concatenate([kept, chosen])
        return Selection(
            selected=selected,
            scores=np.full(len(relevance), np.nan),
            relevance=relevance,
            n_evaluations=result.n_evaluations,
            explanation=task.nearest(result),
            trace={"feature": selected, "relevance": relevance[selected]},
            shortfall=_why_it_stopped(len(selected)),
            attributes={"merit_": float(result.merit / np.sqrt(task.scale))},
        )


def _why_it_stopped(n_selected: int) -> str:
    if n_selected == 0:
        return "no feature has any relevance to the target"
    return "no other feature raises the merit"

"""Correlation-based feature selection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from thresher._utils.params import Boolean, FeatureCount, Fitted, Options, estimator, param
from thresher._utils.types import BinRule
from thresher.data import TrainingData
from thresher.measures import measures_of
from thresher.search import ForwardSearch, SearchResult
from thresher.search.forward import (
    Features,
    add_locally_predictive,
    cfs_best_first,
    cfs_forward,
)
from thresher.selectors._base import Selection
from thresher.selectors._criterion import Criterion, ForwardCriterion, SearchTask
from thresher.selectors._filter import FilterSelector
from thresher.selectors._parameters import CountOrAuto


@estimator
class CFS(FilterSelector):
    r"""Correlation-based feature selection (Hall): the set with the best merit.

    The merit of a set S of k features is

    .. math:: \frac{\sum_{f \in S} r_f}{\sqrt{k + 2 \sum_{f < g \in S} r_{fg}}}

    with r the symmetrical uncertainty with the class and between two features: large for sets that are
    relevant together and not redundant. The search stops by itself when no feature raises the merit.

    Parameters
    ----------
    n_features_to_select : int, float or "auto", default="auto"
        At most this many; ``"auto"`` goes to the natural stop. Must be ``"auto"`` with ``search="best-first"``.
    search : {"forward", "best-first"}, default="forward"
        Greedy forward; or Weka's best-first search, which expands the best of a few open sets until five
        expansions in a row bring no progress. It judges 1.04 to 1.4 times as many sets and mostly ends in the same one.
    strategy : {"lazy", "cached", "naive"}, default="lazy"
        How ``"forward"`` is executed; the answer is the same. ``"lazy"`` evaluates only pairs that could still
        matter (CFS+ of Pino Angulo's thesis, best bounds first), ``"cached"`` every candidate at every step with
        accumulated sums (FCFS), ``"naive"`` computes the sums anew.
    measure : {"su", "pearson"}, default="su"
        Symmetrical uncertainty of (binned) features; or the absolute Pearson correlation, the form for
        regression: numeric features and a numeric target or two classes.
    discretize : str, transformer or None, default="auto"
        How features that are not discrete are binned for ``"su"``: ``"mdl"`` (the default; Fayyad and Irani),
        ``"mean-sd"``, ``"equal-frequency"``, ``"equal-width"``, or a transformer of `thresher.discretize`:
        ``MDLBins(cuts="weka")`` counts cuts as Weka does. None takes every column as codes. `bins_` tells what was
        done.
    locally_predictive : bool, default=False
        Afterwards add, by falling relevance, each feature that no chosen one is more redundant with than it is
        relevant. Weka does so by default.
    zero_as_one : bool, default=False
        Weka's quirk: a redundancy of zero between two features is taken as one. For ``"best-first"``.
    target : {"auto", "nominal", "numeric"}, default="auto"
        ``"auto"`` takes floats with more than two values as numbers, which are cut into three classes at
        mean -+ sd for ``"su"``.
    keep, exclude : list of str or int, default=None
        Features to start from, and features never to choose, by name or position.
    missing : {"error", "category", "pairwise", "drop_rows"}, default="error"
        Missing values are refused, are a level of their own (``"su"``), leave out the pairs of values they are
        in, or the samples.
    n_jobs : int, default=None
        Number of threads; the result does not depend on it.
    verbose : int, default=0
        1 prints a line per step and one at the end; the logger ``thresher`` gets the same at level INFO.

    Attributes
    ----------
    selected_ : ndarray of int
        Features in order of choice; after ``"best-first"`` by falling relevance.
    support_ : ndarray of bool of shape (n_features,)
    ranking_ : ndarray of int of shape (n_features,)
        1 for the first chosen; features not chosen share the rank after the last.
    scores_ : ndarray of float of shape (n_features,)
        Merit of the set when the feature joined it; nan if never chosen, or chosen with no merit of its own
        (``"best-first"``, the locally predictive step).
    merit_ : float
        Merit of the set that the search found, before the locally predictive step.
    relevance_, redundancy_ : ndarray of float of shape (n_features,)
        Relevance of every feature; mean redundancy at the time of choice, nan if not known.
    n_evaluations_ : int
        Feature pairs whose redundancy was computed.
    trace_ : dict of str to ndarray
        Per step: ``feature``, ``relevance``, ``redundancy``, ``score``.
    bins_ : Bins
        Which features were binned, by which rule, at which cuts.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if X has feature names that are all strings.

    Notes
    -----
    Of equal computed scores that of the lowest position wins. Constant features, also those that MDL finds no cut
    for, are never chosen unless named in `keep`. If no feature is relevant nothing is chosen, with a warning. The
    merit may exceed 1. Time: one pass over the data for bins and relevances and O(n_samples) per evaluated pair;
    memory: one packed copy of the data and a few numbers per feature, never a table of all pairs.

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
    search: Literal["forward", "best-first"] = param(
        Options("forward", "best-first"), default="forward"
    )
    strategy: Literal["lazy", "cached", "naive"] = param(
        Options("lazy", "cached", "naive"), default="lazy"
    )
    measure: Literal["su", "pearson"] = param(Options(*measures_of("CFS")), default="su")
    discretize: BinRule = param(default="auto")
    locally_predictive: bool = param(Boolean(), default=False)
    zero_as_one: bool = param(Boolean(), default=False)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.search == "best-first" and self.n_features_to_select != "auto":
            raise ValueError(
                'n_features_to_select must be "auto" with search="best-first", which finds its own number, '
                f'got {self.n_features_to_select!r}; use search="forward"'
            )
        if self.zero_as_one and self.search != "best-first":
            raise ValueError('zero_as_one is for search="best-first"; leave it False')

    def make_criterion(self, data: TrainingData) -> Criterion:
        if self.search == "best-first":
            return BestFirstCriterion(self.measure, self.locally_predictive, self.zero_as_one)
        return MeritCriterion(self.measure, self.locally_predictive, self.strategy)


@dataclass(frozen=True)
class CFSCriterion(Criterion):
    """One measure of relevance and redundancy; then perhaps Weka's locally predictive features."""

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

    def describe(self, task: SearchTask, found: SearchResult) -> Selection:
        chosen, relevance = found.selected, task.relevance
        merits = found.scores / np.sqrt(task.scale)
        n_evaluations = found.n_evaluations
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
            np.concatenate([found.redundancy, unknown]) / task.scale,
            n_evaluations=n_evaluations,
            explanation=task.nearest(found, added=added),
            shortfall=_why_it_stopped(len(selected)),
            attributes={"merit_": float(merits[-1]) if len(chosen) else 0.0},
        )


@dataclass(frozen=True)
class BestFirstCriterion(CFSCriterion):
    """Weka's best-first search: expand the best open set until five expansions in a row bring no improvement."""

    zero_as_one: bool

    def search(self, task: SearchTask) -> Selection:
        kept = task.data.kept
        found = cfs_best_first(
            task.pairs,
            task.relevance,
            zero_as_one=self.zero_as_one,
            locally_predictive=self.locally_predictive,
            unit=task.scale,
            candidates=task.candidates,
            kept=kept,
        )
        relevance = task.relevance / task.scale
        chosen = np.setdiff1d(found.selected, kept)
        chosen = chosen[np.lexsort((chosen, -relevance[chosen]))]
        selected = np.concatenate([kept, chosen])
        return Selection(
            selected=selected,
            scores=np.full(len(relevance), np.nan),
            relevance=relevance,
            n_evaluations=found.n_evaluations,
            explanation=task.nearest(found),
            trace={"feature": selected, "relevance": relevance[selected]},
            shortfall=_why_it_stopped(len(selected)),
            attributes={"merit_": float(found.merit / np.sqrt(task.scale))},
        )


def _why_it_stopped(n_selected: int) -> str:
    if n_selected == 0:
        return "no feature has any relevance to the target"
    return "no other feature raises the merit"

"""The fast correlation-based filter."""

from __future__ import annotations

from dataclasses import dataclass

from thresher._utils.params import FeatureCount, Interval, estimator, param
from thresher._utils.types import BinRule
from thresher.data import TrainingData
from thresher.search import ForwardSearch, SearchResult, fcbf
from thresher.selectors._base import Selection
from thresher.selectors._criterion import ForwardCriterion, SearchTask
from thresher.selectors._filter import FilterSelector
from thresher.selectors._parameters import CountOrAuto


@estimator
class FCBF(FilterSelector):
    """Fast correlation-based filter (Yu and Liu).

    Features are sorted by falling symmetrical uncertainty (SU) with the class. The first is chosen
    and deletes every later one that is at least as redundant with it as relevant, ``SU(f,g) >= SU(g;C)``; then the
    first that is left, and so on. A deleted feature deletes nothing.

    Parameters
    ----------
    threshold : float, default=0.0
        Only features with a larger SU with the class take part.
    n_features_to_select : int, float or "auto", default="auto"
        At most this many; ``"auto"`` goes to the natural stop.
    target : {"auto", "nominal", "numeric"}, default="auto"
        ``"auto"`` takes floats with more than two values as numbers, which are cut into three classes at
        mean -+ sd.
    discretize : str, transformer or None, default="auto"
        How features that are not discrete are binned: ``"mdl"`` (the default; Fayyad and Irani), ``"mean-sd"``,
        ``"equal-frequency"``, ``"equal-width"``, or a transformer of `thresher.discretize`. None takes every column as
        codes. `bins_` tells what was done.
    keep, exclude : list of str or int, default=None
        Features that come first and are never deleted, and features never to choose, by name or position.
    missing : {"error", "category", "pairwise", "drop_rows"}, default="error"
        Missing values are refused, are a level of their own, leave out the pairs of values they are in, or the samples.
    n_jobs : int, default=None
        Number of threads; the result does not depend on it.
    verbose : int, default=0
        1 prints a line per step and one at the end; the logger ``thresher`` gets the same at level INFO.

    Attributes
    ----------
    selected_ : ndarray of int
        Features in order of choice.
    support_ : ndarray of bool of shape (n_features,)
    ranking_ : ndarray of int of shape (n_features,)
        1 for the first chosen; features not chosen share the rank after the last.
    scores_ : ndarray of float of shape (n_features,)
        SU with the class of the chosen features, nan for others.
    relevance_ : ndarray of float of shape (n_features,)
        SU with the class.
    redundancy_ : ndarray of float of shape (n_features,)
        Largest SU of a chosen feature with one chosen before it, nan for features not chosen.
    n_evaluations_ : int
        Feature pairs whose SU was computed.
    trace_ : dict of str to ndarray
        Per step: ``feature``, ``relevance``, ``redundancy``, ``score``.
    bins_ : Bins
        Which features were binned, by which rule, at which cuts.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if X has feature names that are all strings.

    Notes
    -----
    Features of equal relevance are walked by position, so that of exact duplicates the first stays. Constant features
    are never chosen unless named in `keep`. `reason` tells which chosen feature deleted another. Time: one pass over
    the data for bins and relevances and O(n_samples) per evaluated pair (of large sparse data: their entries), of which
    there can be half the square of the number of features where little is redundant; memory: one packed copy of the
    data.

    Several packages that offer this method compute something else; the user guide shows how to tell.

    References
    ----------
    L. Yu and H. Liu, "Efficient feature selection via analysis of relevance and redundancy", 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher import FCBF
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = FCBF().fit(X, y)
    >>> X.columns[selector.selected_[:3]].tolist(), len(selector.selected_)
    (['worst perimeter', 'worst concave points', 'radius error'], 7)
    """

    _nested = True
    _stops_by_itself = True
    default_bins = "mdl"

    threshold: float = param(Interval(low=0), default=0.0, kw_only=False)
    n_features_to_select: CountOrAuto = param(FeatureCount(auto=True), default="auto")
    discretize: BinRule = param(default="auto")

    def make_criterion(self, data: TrainingData) -> FCBFCriterion:
        return FCBFCriterion(self.threshold)


@dataclass(frozen=True)
class FCBFCriterion(ForwardCriterion):
    """Features in the order of their relevance, without those that a selected one is more correlated with."""

    threshold: float

    measures = ("su",)
    visits_pairs_once = True

    def start(self, task: SearchTask) -> ForwardSearch[SearchResult]:
        threshold = self.threshold * task.scale
        return fcbf(task.pairs, task.relevance, threshold, n_select=task.n_features, **task.choices)

    def describe(self, task: SearchTask, found: SearchResult) -> Selection:
        why = f"no feature has a relevance above threshold={self.threshold:g}"
        if len(found.selected):
            why = "the others are redundant with those selected"
        return task.selection(
            found,
            task.relevance[found.selected] / task.scale,
            explanation=task.nearest(found, threshold=float(self.threshold)),
            shortfall=why,
        )

"""The fast correlation-based filter."""

from __future__ import annotations

from dataclasses import dataclass

from thresher._utils.params import FeatureCount, Interval, estimator, param
from thresher._utils.types import BinRule
from thresher.data import TrainingData
from thresher.search import ForwardSearch, SearchResult, fcbf
from thresher.selectors._base import CountOrAuto, Selection
from thresher.selectors._criterion import ForwardCriterion, SearchTask
from thresher.selectors._filter import FilterSelector


@estimator
class FCBF(FilterSelector):
    """Select features by the fast correlation-based filter (Yu and Liu).

    Features are sorted by decreasing symmetrical uncertainty (SU) with the class C. The first feature f is selected and
    removes every later feature g that is at least as redundant with it as relevant, ``SU(f,g) >= SU(g;C)``. Then the
    first remaining feature is selected, and so on. A removed feature removes nothing.

    Parameters
    ----------
    threshold : float, default=0.0
        Only features with a larger SU with the class are considered.
    n_features_to_select : int, float or "auto", default="auto"
        Largest number of features; ``"auto"`` runs to the natural stop.
    target : {"auto", "nominal", "numeric"}, default="auto"
        ``"auto"`` reads text, Booleans, and integer values with 5 rows each as classes, other numbers as
        numbers, which are binned into three classes at the mean ± one standard deviation; see :ref:`target-kind`.
    discretize : str, transformer or None, default="auto"
        Binning of features that are not discrete: ``"mdl"`` (the default; Fayyad and Irani), ``"mean-sd"``,
        ``"equal-frequency"``, ``"equal-width"``, or a transformer of `thresher.discretize`. None treats every column as
        integer codes. `bins_` records the bins.
    keep, exclude : list of str or int, default=None
        Forced-in features, which come first and are never removed, and features never to select, by name or position.
    missing : {"error", "category", "pairwise", "drop_rows"}, default="error"
        Missing values raise an error, are a separate category, are ignored pair by pair, or their samples are dropped.
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
        SU of the selected features with the class; nan for others.
    relevance_ : ndarray of float of shape (n_features,)
        SU of every feature with the class.
    redundancy_ : ndarray of float of shape (n_features,)
        Largest SU of a selected feature with an earlier one; nan for features not selected.
    n_evaluations_ : int
        Feature pairs whose SU was computed.
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
    CFS : Evaluates sets of features instead of pairs.
    MRMR : Selects a given number of features.

    Notes
    -----
    Features of equal relevance are visited by column index, so the first of several duplicates stays. Constant features
    are never selected unless named in `keep`. `reason` names the selected feature that removed another one. Time: one
    pass over the data for bins and relevances and O(n_samples) per evaluated pair (for large sparse data: per stored
    entry). Where little is redundant, up to half the square of the number of features are evaluated. Memory: one packed
    copy of the data.

    Several packages that offer this method compute something else; the user guide shows how to recognise them.

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
    """Features by decreasing relevance, without those that are redundant with a selected one."""

    threshold: float

    measures = ("su",)
    visits_pairs_once = True

    def start(self, task: SearchTask) -> ForwardSearch[SearchResult]:
        threshold = self.threshold * task.scale
        return fcbf(task.pairs, task.relevance, threshold, n_select=task.n_features, **task.choices)

    def describe(self, task: SearchTask, result: SearchResult) -> Selection:
        why = f"no relevance is above threshold={self.threshold:g}"
        if len(result.selected):
            why = "the others are redundant with the selected ones"
        return task.selection(
            result,
            task.relevance[result.selected] / task.scale,
            explanation=task.nearest(result, threshold=float(self.threshold)),
            shortfall=why,
        )

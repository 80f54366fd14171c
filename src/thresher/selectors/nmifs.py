"""Normalised mutual information feature selection."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from thresher._utils.params import FeatureCount, estimator, param
from thresher._utils.types import BinRule, Floats
from thresher.data import TrainingData
from thresher.measures.rounding import round_bounded
from thresher.search import ForwardSearch, SearchResult, greedy_forward
from thresher.selectors._base import Selection
from thresher.selectors._criterion import ForwardCriterion, SearchTask
from thresher.selectors._filter import FilterSelector


@estimator
class NMIFS(FilterSelector):
    r"""Select features by normalised mutual information (Estévez and others).

    Each step adds the feature with the largest

    .. math:: I(f;C) - \frac{1}{k} \sum_{g \in S} \frac{I(f;g)}{\min(H(f), H(g))}

    over the k features S selected so far. It subtracts a ratio without a unit from an amount of information, so the
    order depends on the unit of information, which is the **nat**.

    Parameters
    ----------
    n_features_to_select : int or float, default=10
        Number of features, or fraction of the features that are not excluded.
    target : {"auto", "nominal", "numeric"}, default="auto"
        ``"auto"`` reads text, Booleans, and integer values with 5 rows each as classes, other numbers as
        numbers, which are binned like a feature; see :ref:`target-kind`.
    discretize : str, transformer or None, default="auto"
        Binning of features that are not discrete: ``"mean-sd"`` (three bins, the default),
        ``"equal-frequency"``, ``"equal-width"``, ``"mdl"``, or a transformer of `thresher.discretize`.
        None treats every column as integer codes. `bins_` records the bins.
    strategy : {"lazy", "scan", "naive"}, default="lazy"
        How the search is executed, as in `MRMR`; the result is the same.
    keep, exclude : list of str or int, default=None
        Forced-in features, from which the search starts, and features never to select, by name or position.
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
        Score when selected; nan for features not selected.
    relevance_, redundancy_ : ndarray of float of shape (n_features,)
        I(f;C) in nats; mean redundancy at the step of selection, nan for features not selected.
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
    MRMR : Redundancy that is not normalised, and other measures.

    Notes
    -----
    Ties in the computed score go to the lowest column index. Constant features, including those constant after
    binning, are never selected unless named in `keep`. Time: one pass over the data for the relevances and
    O(n_samples) per evaluated pair. Memory: one packed copy of the data and a few numbers per feature.

    References
    ----------
    P. A. Estévez, M. Tesmer, C. A. Perez and J. M. Zurada, "Normalized mutual information feature
    selection", 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from thresher import NMIFS
    >>> X, y = load_wine(return_X_y=True)
    >>> NMIFS(n_features_to_select=3).fit(X, y).selected_.tolist()
    [6, 0, 11]
    """

    _nested = True

    n_features_to_select: int | float = param(FeatureCount(), default=10, kw_only=False)
    discretize: BinRule = param(default="auto")
    strategy: Literal["lazy", "scan", "naive"] = param(default="lazy")

    def make_criterion(self, data: TrainingData) -> NMIFSCriterion:
        return NMIFSCriterion(self.strategy)


@dataclass(frozen=True)
class NMIFSCriterion(ForwardCriterion):
    """Information in nats minus the mean normalised information with the selected features."""

    strategy: str

    measures = ("mi", "nmi")
    visits_pairs_once = True

    def start(self, task: SearchTask) -> ForwardSearch[SearchResult]:
        return greedy_forward(
            task.pairs,
            in_nats(task.relevance),
            task.required_count,
            strategy=self.strategy,
            **task.choices,
        )

    def describe(self, task: SearchTask, result: SearchResult) -> Selection:
        return task.selection(
            result,
            result.scores / task.scale,
            in_nats(task.relevance),
            explanation=task.nearest(result, comparable=False),
        )


def in_nats(bits: Floats) -> Floats:
    """Return information in nats, rounded like all bounded measures to a multiple of 2^-40."""
    return round_bounded(bits * math.log(2))

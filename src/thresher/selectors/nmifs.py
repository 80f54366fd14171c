"""Normalised mutual information feature selection."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from thresher._utils.params import FeatureCount, Options, estimator, param
from thresher._utils.types import BinRule, Floats
from thresher.data import TrainingData
from thresher.measures.rounding import round_bounded
from thresher.search import ForwardSearch, SearchResult, greedy_forward
from thresher.selectors._base import Selection
from thresher.selectors._criterion import ForwardCriterion, SearchTask
from thresher.selectors._filter import FilterSelector


@estimator
class NMIFS(FilterSelector):
    r"""Normalised mutual information feature selection (Estévez and others).

    Each step adds the feature with the largest

    .. math:: I(f;C) - \frac{1}{k} \sum_{g \in S} \frac{I(f;g)}{\min(H(f), H(g))}

    A ratio without unit is taken from an information, so the order depends on the unit of the latter: it is **nats**.

    Parameters
    ----------
    n_features_to_select : int or float, default=10
        A number, or a fraction of the features not excluded.
    target : {"auto", "nominal", "numeric"}, default="auto"
        ``"auto"`` takes floats with more than two values as numbers, which are cut like a feature.
    discretize : str, transformer or None, default="auto"
        How features that are not discrete are binned: ``"mean-sd"`` (three levels, the default),
        ``"equal-frequency"``, ``"equal-width"``, ``"mdl"``, or a transformer of `thresher.discretize`.
        None takes every column as codes. `bins_` tells what was done.
    strategy : {"lazy", "scan", "naive"}, default="lazy"
        How the search is executed, as in `MRMR`; the answer is the same.
    keep, exclude : list of str or int, default=None
        Features to start from, and features never to choose, by name or position.
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
        Score when chosen, nan if never chosen.
    relevance_, redundancy_ : ndarray of float of shape (n_features,)
        I(f;C) in nats; mean redundancy at the time of choice, nan if never chosen.
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
    Of equal computed scores that of the lowest position wins. Constant features, also those constant after
    binning, are never chosen unless named in `keep`. Time: one pass over the data for the relevances and
    O(n_samples) per evaluated pair; memory: one packed copy of the data and a few numbers per feature.

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
    strategy: Literal["lazy", "scan", "naive"] = param(
        Options("lazy", "scan", "naive"), default="lazy"
    )

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

    def describe(self, task: SearchTask, found: SearchResult) -> Selection:
        return task.selection(
            found,
            found.scores / task.scale,
            in_nats(task.relevance),
            explanation=task.nearest(found, comparable=False),
        )


def in_nats(bits: Floats) -> Floats:
    """Information in nats, rounded like all bounded measures to a multiple of 2^-40."""
    return round_bounded(bits * math.log(2))

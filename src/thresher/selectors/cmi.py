"""The one-pass filter by conditional mutual information."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from thresher._utils.checks import warn
from thresher._utils.params import FeatureCount, Fitted, Options, estimator, param
from thresher._utils.types import BinRule
from thresher.data import MOST_DISCRETE_VALUES, TrainingData
from thresher.search import ForwardSearch, SearchResult
from thresher.search.forward import cmi_walk
from thresher.selectors._base import Selection, spread
from thresher.selectors._criterion import ForwardCriterion, SearchTask
from thresher.selectors._explain import Walked
from thresher.selectors._filter import FilterSelector
from thresher.selectors._parameters import CountOrAuto, MissingDiscrete


@estimator
class CMIFilter(FilterSelector):
    """One pass over the ranked features by conditional mutual information (Lee and Kim).

    Features are ranked once by I(f;C). The list is then walked once: a feature is chosen if, given
    those chosen before, it tells more about the class than the next feature of the list does. The
    walk ends by itself when the chosen features determine the class of every sample.

    Parameters
    ----------
    n_features_to_select : int, float or "auto", default="auto"
        At most this many; ``"auto"`` walks to the natural stop. The result for k is the first k of
        the result for ``"auto"``.
    last : {"positive", "never"}, default="positive"
        The last feature of the list has no successor: it is chosen if it tells anything at all, or never.
    target : {"auto", "nominal", "numeric"}, default="auto"
        ``"auto"`` takes floats with more than two values as numbers, which are cut like a feature.
    discretize : str, transformer or None, default="auto"
        How features that are not discrete are binned: ``"mean-sd"`` (three levels, the default),
        ``"equal-frequency"``, ``"equal-width"``, ``"mdl"``, or a transformer of `thresher.discretize`.
        None takes every column as codes. `bins_` tells what was done.
    keep, exclude : list of str or int, default=None
        Features to start from, and features never to choose, by name or position.
    missing : {"error", "category", "drop_rows"}, default="error"
        Missing values are refused, are a level of their own, or leave out their samples.
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
        Conditional information in bits when chosen, nan if never chosen. The scores of the
        chosen features add up to I(S;C).
    relevance_ : ndarray of float of shape (n_features,)
        I(f;C) in bits.
    redundancy_ : ndarray of float of shape (n_features,)
        nan: the method has none of its own.
    n_evaluations_ : int
        Values of conditional information computed up to the stop.
    n_walked_ : int
        Features of the list looked at.
    trace_ : dict of str to ndarray
        Per step: ``feature``, ``relevance``, ``score``, ``unknown`` (H(C|S) in bits) and ``n_blocks``, the number
        of groups of samples that the chosen features tell apart. With nearly as many groups as
        samples, plug-in information says little: it grows with every feature, noise too.
    bins_ : Bins
        Which features were binned, by which rule, at which cuts.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if X has feature names that are all strings.

    Notes
    -----
    The test compares a feature with one neighbour, not with all candidates: it is fast, not
    greedy-optimal, and of interchangeable noise features about every second one passes. "More" means by more
    than 1e-10 bits. Features of equal relevance are walked by position. Constant features are never chosen
    unless named in `keep`.

    `sample_weight` takes whole numbers only.

    Time: O(n_samples) per feature for the relevances and per step of the walk; samples whose class is
    settled are dropped on the way. Memory: one packed copy of the data.

    References
    ----------
    J. Lee and D.-W. Kim, "Efficient multivariate feature filter using conditional mutual information", 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher import CMIFilter
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = CMIFilter(n_features_to_select=3).fit(X, y)
    >>> X.columns[selector.selected_].tolist()
    ['worst concave points', 'mean perimeter', 'worst radius']
    """

    _nested = True
    _stops_by_itself = True
    _reads_blocks = False

    n_walked_ = Fitted[int]()

    n_features_to_select: CountOrAuto = param(
        FeatureCount(auto=True), default="auto", kw_only=False
    )
    last: Literal["positive", "never"] = param(Options("positive", "never"), default="positive")
    discretize: BinRule = param(default="auto")
    missing: MissingDiscrete = param(Options("error", "category", "drop_rows"), default="error")

    def make_criterion(self, data: TrainingData) -> WalkCriterion:
        if data.weight_kind == "real":
            raise ValueError(
                "CMIFilter takes whole-number sample_weight only (as repeats of rows, at most 2^50 in all); "
                "round the weights"
            )
        return WalkCriterion(self.last == "positive")


@dataclass(frozen=True)
class WalkCriterion(ForwardCriterion):
    """A walk down the features by relevance; it partitions the rows, so replicates cannot share its sums."""

    takes_last: bool

    measures = ("mi",)
    uses_pairs = False

    def start(self, task: SearchTask) -> ForwardSearch[SearchResult]:
        rows, weights = task.measures.whole.coded_rows(), task.measures.row_weights()
        return cmi_walk(
            rows.codes.table,
            *rows.target_codes,
            task.relevance,
            n_select=task.n_features,
            take_last=self.takes_last,
            weights=None if weights is None else weights.astype(np.int64, copy=False),
            **task.choices,
        )

    def describe(self, task: SearchTask, found: SearchResult) -> Selection:
        walk = found.walk
        _warn_of_identifier(task.data, task.measures.whole.levels, found)
        why = "no other feature of the list told more than its successor"
        if len(found.selected) and walk.unknown[-1] == 0:
            why = "they determine the class of every sample"
        p = task.data.n_features
        return Selection.of_steps(
            found.selected,
            found.scores,
            task.relevance / task.scale,
            more={"unknown": walk.unknown, "n_blocks": walk.n_blocks},
            n_evaluations=found.n_evaluations,
            explanation=Walked(
                spread(p, walk.examined, walk.value),
                spread(p, walk.examined, walk.successor_value),
                walk.n_walked,
            ),
            shortfall=why,
            attributes={"n_walked_": walk.n_walked},
        )


def _warn_of_identifier(
    training: TrainingData, levels_of: npt.NDArray[np.int32], found: SearchResult
) -> None:
    """A feature with a level for nearly every sample settles all classes and tells nothing."""
    levels = levels_of[found.selected]
    for feature, left, n_levels in zip(found.selected, found.walk.unknown, levels, strict=True):
        if left == 0 and n_levels > max(MOST_DISCRETE_VALUES, training.n_rows / 2):
            warn(
                f"column {training.schema.label(int(feature))} has {n_levels} levels in {training.n_rows} samples and "
                "ended the walk; if it is an identifier, name it in exclude"
            )

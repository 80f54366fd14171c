"""The one-pass filter by conditional mutual information."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from thresher._utils.checks import warn
from thresher._utils.params import FeatureCount, Fitted, estimator, param
from thresher._utils.types import BinRule
from thresher.data import MOST_DISCRETE_VALUES, TrainingData
from thresher.search import ForwardSearch, SearchResult
from thresher.search.forward import cmi_walk
from thresher.selectors._base import CountOrAuto, MissingDiscrete, Selection, spread
from thresher.selectors._criterion import ForwardCriterion, SearchTask
from thresher.selectors._explain import Walked
from thresher.selectors._filter import FilterSelector


@estimator
class CMIFilter(FilterSelector):
    """Select features in one pass by conditional mutual information (Lee and Kim).

    Features are ranked once by I(f;C). One pass goes down this list. A feature is selected if, given the features
    selected so far, its information about the class exceeds that of the next feature in the list. The pass stops when
    the selected features determine the class of every sample.

    Parameters
    ----------
    n_features_to_select : int, float or "auto", default="auto"
        Largest number of features; ``"auto"`` runs to the natural stop. The result for k features is the first k of
        the result for ``"auto"``.
    last : {"positive", "never"}, default="positive"
        The last feature of the list has no successor. It is selected if its information is positive, or never.
    target : {"auto", "nominal", "numeric"}, default="auto"
        ``"auto"`` reads text, Booleans, and integer values with 5 rows each as classes, other numbers as
        numbers, which are binned like a feature; see :ref:`target-kind`.
    discretize : str, transformer or None, default="auto"
        Binning of features that are not discrete: ``"mean-sd"`` (three bins, the default),
        ``"equal-frequency"``, ``"equal-width"``, ``"mdl"``, or a transformer of `thresher.discretize`.
        None treats every column as integer codes. `bins_` records the bins.
    keep, exclude : list of str or int, default=None
        Forced-in features, from which the search starts, and features never to select, by name or position.
    missing : {"error", "category", "drop_rows"}, default="error"
        Missing values raise an error, are a separate category, or their samples are dropped.
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
        Conditional information in bits when selected; nan for features not selected. The scores of the
        selected features add up to I(S;C).
    relevance_ : ndarray of float of shape (n_features,)
        I(f;C) in bits.
    redundancy_ : ndarray of float of shape (n_features,)
        nan: the method computes no redundancy.
    n_evaluations_ : int
        Values of conditional information that were computed.
    n_walked_ : int
        Features of the list that were examined.
    trace_ : dict of str to ndarray
        Per step: ``feature``, ``relevance``, ``score``, ``unknown`` (H(C|S) in bits) and ``n_blocks``, the number
        of groups of samples that the selected features distinguish. With nearly as many groups as samples the
        information is unreliable: it grows with every feature, including noise.
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
    CMIM : Compares all candidates at every step, given one selected feature at a time.
    JMI : Joint information of feature pairs.

    Notes
    -----
    A feature is compared with one neighbour, not with all candidates. This is fast but not greedy-optimal, and about
    every second one of several interchangeable noise features is selected. To exceed means by more than 1e-10 bits.
    Features of equal relevance are visited by column index. Constant features are never selected unless named in
    `keep`. `sample_weight` must be integers.

    Time: O(n_samples) per feature for the relevances and per examined feature; samples whose class is already
    determined are dropped on the way. Memory: one packed copy of the data.

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
    last: Literal["positive", "never"] = param(default="positive")
    discretize: BinRule = param(default="auto")
    missing: MissingDiscrete = param(default="error")

    def make_criterion(self, data: TrainingData) -> OnePassCriterion:
        if data.weight_kind == "real":
            raise ValueError(
                "CMIFilter needs integer sample_weight (repeats of rows, at most 2^50 in total). Round the weights"
            )
        return OnePassCriterion(self.last == "positive")


@dataclass(frozen=True)
class OnePassCriterion(ForwardCriterion):
    """A pass down the features by relevance; it partitions the rows, so replicates cannot share its sums."""

    selects_last: bool

    measures = ("mi",)
    uses_pairs = False

    def start(self, task: SearchTask) -> ForwardSearch[SearchResult]:
        rows, weights = task.measures.whole.coded_rows(), task.measures.row_weights()
        return cmi_walk(
            rows.codes.table,
            *rows.target_codes,
            task.relevance,
            n_select=task.n_features,
            take_last=self.selects_last,
            weights=None if weights is None else weights.astype(np.int64, copy=False),
            **task.choices,
        )

    def describe(self, task: SearchTask, result: SearchResult) -> Selection:
        steps = result.walk
        _warn_of_identifier(task.data, task.measures.whole.levels, result)
        why = "no other feature has more information than its successor"
        if len(result.selected) and steps.unknown[-1] == 0:
            why = "they determine the class of every sample"
        p = task.data.n_features
        return Selection.of_steps(
            result.selected,
            result.scores,
            task.relevance / task.scale,
            more={"unknown": steps.unknown, "n_blocks": steps.n_blocks},
            n_evaluations=result.n_evaluations,
            explanation=Walked(
                spread(p, steps.examined, steps.value),
                spread(p, steps.examined, steps.successor_value),
                steps.n_walked,
            ),
            shortfall=why,
            attributes={"n_walked_": steps.n_walked},
        )


def _warn_of_identifier(
    training: TrainingData, levels_of: npt.NDArray[np.int32], result: SearchResult
) -> None:
    """Warn if a feature with a value for nearly every sample determines all classes, which means nothing."""
    levels = levels_of[result.selected]
    for feature, unknown, n_levels in zip(
        result.selected, result.walk.unknown, levels, strict=True
    ):
        if unknown == 0 and n_levels > max(MOST_DISCRETE_VALUES, training.n_rows / 2):
            warn(
                f"column {training.schema.label(int(feature))} has {n_levels} levels in {training.n_rows} samples and "
                "ended the search. If it is an identifier, add it to exclude"
            )

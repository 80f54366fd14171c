"""Forward selection by Gram-Schmidt orthogonalisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from thresher._utils.params import FeatureCount, estimator, param
from thresher.data import TrainingData, rescaled
from thresher.search import ForwardSearch, SearchResult
from thresher.search.forward import gso
from thresher.selectors._base import Selection
from thresher.selectors._criterion import ForwardCriterion, SearchTask
from thresher.selectors._explain import Outscored
from thresher.selectors._filter import FilterSelector
from thresher.selectors._partial import class_indicators, safe_columns, uses_indicators


@estimator
class GSO(FilterSelector):
    """Select features by Gram-Schmidt orthogonalisation.

    Each step adds the feature with the largest squared partial correlation with the target: the correlation after the
    selected features have been regressed out of both. Forward stepwise least squares selects the same features.

    Parameters
    ----------
    n_features_to_select : int or float, default=10
        Number of features, or fraction of the features that are not excluded.
    target : {"auto", "nominal", "numeric"}, default="auto"
        ``"auto"`` reads text, Booleans, and integer values with 5 rows each as classes, other numbers as
        numbers; see :ref:`target-kind`. Two classes become 0 and 1. More than two become indicators, and
        correlations become multiple ones.
    keep, exclude : list of str or int, default=None
        Forced-in features, from which the search starts, and features never to select, by name or position.
    missing : {"error", "drop_rows"}, default="error"
        Missing values raise an error, or their samples are dropped.
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
        Squared partial correlation when selected; nan for features not selected.
    relevance_ : ndarray of float of shape (n_features,)
        Squared correlation with the target.
    redundancy_ : ndarray of float of shape (n_features,)
        nan: the method computes no redundancy.
    n_evaluations_ : int
        Products of a feature with a direction that were computed.
    trace_ : dict of str to ndarray
        Per step: ``feature``, ``relevance``, ``score``.
    target_kind_ : {"nominal", "numeric"}
        How y was read: as classes or as numbers.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        Only if all column names of X are strings.

    See Also
    --------
    RRCT : Adds redundancy to relevance and partial correlation.
    LassoPath : Features in the order in which the lasso adds them.

    Notes
    -----
    Among candidates within 1e-10 of the best score, the one with the lowest column index is selected. Constant features
    and linear combinations of selected ones are never selected. Sample weights enter all means and products; integer
    weights count as repeats. Selection stops with a warning when ``n_samples - 2`` features are selected, or when they
    explain the target completely.

    Time O(n_features n_samples n_features_to_select), with one read-only product per step. Memory O(n_features) in
    addition to the data.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from thresher import GSO
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> selector = GSO(n_features_to_select=3).fit(X, y)
    >>> X.columns[selector.selected_].tolist()
    ['bmi', 's5', 'bp']
    """

    _nested = True
    n_features_to_select: int | float = param(FeatureCount(), default=10, kw_only=False)
    missing: Literal["error", "drop_rows"] = param(default="error")

    _takes_sparse = False
    _reads_blocks = False
    default_bins = None

    def make_criterion(self, data: TrainingData) -> GSOCriterion:
        return GSOCriterion(uses_indicators(data, self.target))


@dataclass(frozen=True)
class GSOCriterion(ForwardCriterion):
    """The squared correlation with the residual of the target, given the selected features."""

    by_class: bool

    measures = ("pearson",)
    uses_pairs = False

    def start(self, task: SearchTask) -> ForwardSearch[SearchResult]:
        data = task.rows
        weights = task.measures.row_weights()
        target = data.labels.values.astype(np.float64, copy=False)
        return gso(
            safe_columns(type(task.owner).__name__, data),
            class_indicators(data)
            if self.by_class
            else np.ascontiguousarray(rescaled(target[:, None]).T),
            task.required_count,
            weights=None if weights is None else weights.astype(np.float64),
            n_threads=data.n_threads,
            **task.choices_among(data.candidates),
        )

    def describe(self, task: SearchTask, result: SearchResult) -> Selection:
        selected, partials = result.selected, result.partials
        if partials.exhausted_at is not None:
            why = f"they leave no residual of the target in {task.data.n_rows} samples"
        else:
            why = "all others are linear combinations of the selected ones" if len(selected) else ""
        return Selection.of_steps(
            selected,
            result.scores,
            partials.relevance,
            n_evaluations=result.n_evaluations,
            explanation=Outscored(
                partials.last_score, "squared partial correlation", partials.collinear
            ),
            shortfall=why,
        )

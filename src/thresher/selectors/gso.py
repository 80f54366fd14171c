"""Forward selection by Gram-Schmidt orthogonalisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from thresher._utils.params import FeatureCount, Options, estimator, param
from thresher._utils.types import Floats
from thresher.data import LocalData, TrainingData, rescaled
from thresher.search import ForwardSearch, SearchResult
from thresher.search.forward import gso
from thresher.selectors._base import Selection
from thresher.selectors._criterion import ForwardCriterion, SearchTask
from thresher.selectors._explain import Outscored
from thresher.selectors._filter import FilterSelector
from thresher.selectors._partial import class_indicators, safe_columns, uses_indicators


@estimator
class GSO(FilterSelector):
    """Gram-Schmidt orthogonalisation: the feature with the largest partial correlation, step by step.

    Each step adds the feature with the largest squared correlation with the target once the chosen
    features have been regressed out of both. Forward stepwise least squares makes the same choices.

    Parameters
    ----------
    n_features_to_select : int or float, default=10
        A number, or a fraction of the features not excluded.
    target : {"auto", "nominal", "numeric"}, default="auto"
        ``"auto"`` takes floats with more than two values as numbers and all else as classes. Two
        classes are 0 and 1; more enter as indicators, and correlations become multiple ones.
    keep, exclude : list of str or int, default=None
        Features to start from, and features never to choose, by name or position.
    missing : {"error", "drop_rows"}, default="error"
        Missing values are refused, or samples that have any are left out.
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
        Squared partial correlation when chosen, nan if never chosen.
    relevance_ : ndarray of float of shape (n_features,)
        Squared correlation with the target.
    redundancy_ : ndarray of float of shape (n_features,)
        nan: the method has none of its own.
    n_evaluations_ : int
        Products of a feature with a direction.
    trace_ : dict of str to ndarray
        Per step: ``feature``, ``relevance``, ``score``.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if X has feature names that are all strings.

    Notes
    -----
    Among candidates within 1e-10 of the best score the one with the lowest position is taken. Constant features
    and linear combinations of chosen ones are never chosen. Sample weights enter all means and products;
    whole numbers count as repeats. When ``n_samples - 2`` features are chosen, or
    they explain the target entirely, nothing is left to rank by: selection stops, with a warning.

    Time O(n_features n_samples n_features_to_select), by one read-only product per step; memory O(n_features) beyond
    the data.

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
    missing: Literal["error", "drop_rows"] = param(Options("error", "drop_rows"), default="error")

    _takes_sparse = False
    _reads_blocks = False
    default_bins = None

    def make_criterion(self, data: TrainingData) -> GSOCriterion:
        return GSOCriterion(uses_indicators(data, self.target))


@dataclass(frozen=True)
class GSOCriterion(ForwardCriterion):
    """The squared correlation with what the selected features leave of the target."""

    by_class: bool

    measures = ("pearson",)
    uses_pairs = False

    def start(self, task: SearchTask) -> ForwardSearch[SearchResult]:
        data = task.rows
        weights = task.measures.row_weights()
        return gso(
            safe_columns(type(task.owner).__name__, data),
            class_indicators(data) if self.by_class else _safe_target(data),
            task.required_count,
            weights=None if weights is None else weights.astype(np.float64),
            n_threads=data.n_threads,
            **task.choices_among(data.candidates),
        )

    def describe(self, task: SearchTask, found: SearchResult) -> Selection:
        selected, partials = found.selected, found.partials
        if partials.exhausted_at is not None:
            why = f"they leave nothing of the target to explain in {task.data.n_rows} samples"
        else:
            why = "all others are linear combinations of those selected" if len(selected) else ""
        return Selection.of_steps(
            selected,
            found.scores,
            partials.relevance,
            n_evaluations=found.n_evaluations,
            explanation=Outscored(
                partials.last_score, "squared partial correlation", partials.collinear
            ),
            shortfall=why,
        )


def _safe_target(training: LocalData) -> Floats:
    """The target as one row, rescaled."""
    values = training.labels.values.astype(np.float64, copy=False)
    return np.ascontiguousarray(rescaled(values[:, None]).T)

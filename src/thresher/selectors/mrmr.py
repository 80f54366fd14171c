"""Minimum redundancy, maximum relevance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from thresher._utils.checks import warn
from thresher._utils.params import FeatureCount, Fitted, Interval, Options, estimator, param
from thresher._utils.types import Auto, BinRule, Measure, PairMeasureName
from thresher.data import TrainingData
from thresher.measures import KINDS, MeasureName
from thresher.search import ForwardSearch, FoundParts, SearchResult, greedy_ensemble, greedy_forward
from thresher.selectors._base import Selection
from thresher.selectors._criterion import ForwardCriterion, SearchTask
from thresher.selectors._filter import FilterSelector

# Samples below which a quotient of information is warned of.
ENOUGH_FOR_RATIOS = 100


@estimator
class MRMR(FilterSelector):
    """Minimum redundancy, maximum relevance: greedy forward selection, exact and fast.

    The first feature is the most relevant one. Each further step adds the feature whose relevance R
    best outweighs its mean redundancy B/k with the k features already chosen.

    Parameters
    ----------
    n_features_to_select : int or float, default=10
        A number, or a fraction of the features not excluded.
    relevance : str, default="auto"
        Measure of a feature with the target.
        Discrete: ``"mi"``, ``"su"``, ``"nmi"``, ``"chi2"``. Numeric, with a target of classes or numbers: ``"r2"``,
        ``"f"``. Numeric, with a target of numbers or two classes: ``"pearson"``, ``"spearman"``, ``"cosine"``.

        ``"auto"``: ``"mi"`` if all candidates are discrete or some are not numbers, else
        ``"r2"``: the share of the feature's scatter that the classes, or the target, explain.
    redundancy : str, default="auto"
        Measure between two features.
        Discrete: ``"mi"``, ``"su"``, ``"nmi"``, ``"chi2"``. Numeric: ``"pearson"``, ``"spearman"``, ``"cosine"``,
        ``"r2"``.

        ``"auto"``: ``"mi"`` where the
        relevance is taken on discrete features by default, ``"pearson"`` beside ``"f"``, else the
        measure of the relevance.
    objective : {"auto", "difference", "quotient", "sum"}, default="auto"
        ``R - w B/k``, ``R / (B/k + o)``, or ``R - w B`` (Battiti's MIFS, w being its beta).
        ``"auto"``: the quotient if relevance is ``"f"``, which is unbounded, else the difference.
        The quotient by ``"mi"`` is usually less stable and no more accurate, and warns on fewer than 100 samples.
    redundancy_weight : float, default=1.0
        w above; must be 1 with the quotient.
    redundancy_offset : float, default=0.0
        o above, in bits for ``"mi"``; 1e-4 reproduces Peng's program.
    target : {"auto", "nominal", "numeric"}, default="auto"
        ``"auto"`` takes floats with more than two values as numbers and all else as classes.
    discretize : str, transformer or None, default="auto"
        How features that are not discrete are binned for discrete measures: ``"mean-sd"`` (the
        default), ``"equal-frequency"``, ``"equal-width"``, ``"mdl"``, or a transformer of
        `thresher.discretize`. None takes every column as codes. `bins_` tells what was done.
    strategy : {"lazy", "scan", "naive"}, default="lazy"
        How the search is executed; the answer is the same. ``"lazy"`` evaluates only pairs that
        could still matter, ``"scan"`` is MRMR+ of Pino Angulo's thesis, ``"naive"`` evaluates all.
    keep, exclude : list of str or int, default=None
        Features to start from, and features never to choose, by name or position.
    missing : {"error", "category", "pairwise", "drop_rows"}, default="error"
        Missing values are refused, are a level of their own (discrete measures), leave out the
        pairs of values they are in, or the samples.
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
        Relevance of every feature; mean redundancy at the time of choice, nan if never chosen.
    n_evaluations_ : int
        Feature pairs whose redundancy was computed; rows in blocks request more of them in fewer rounds.
    trace_ : dict of str to ndarray
        Per step: ``feature``, ``relevance``, ``redundancy``, ``score``.
    bins_ : Bins
        Which features were binned, by which rule, at which cuts.
    relevance_measure_, redundancy_measure_, objective_ : str
        What ``"auto"`` came to.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if X has feature names that are all strings.

    Notes
    -----
    Of equal computed scores that of the lowest position wins. Constant features, also those constant after
    binning, are never chosen unless named in `keep`. Time: one pass over the data for the
    relevances and O(n_samples) per evaluated pair, at most ``n_features_to_select * n_features``
    of them; memory: one packed copy of the data and a few numbers per feature.

    ``relevance="f"`` is the F-test correlation quotient (FCQ) of other packages: F over the mean absolute
    correlation. It fails where that mean is near 0, as on many independent features: the quotient then takes
    whatever correlates least with the first choice, however little it tells of the target. Where all features
    are much alike, F alone decides.

    References
    ----------
    H. Peng, F. Long and C. Ding, "Feature selection based on mutual information: criteria of
    max-dependency, max-relevance, and min-redundancy", 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher import MRMR
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = MRMR(n_features_to_select=3).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['mean texture', 'worst radius', 'worst concave points']
    """

    _nested = True

    relevance_measure_ = Fitted[str]()
    redundancy_measure_ = Fitted[str]()
    objective_ = Fitted[str]()

    n_features_to_select: int | float = param(FeatureCount(), default=10, kw_only=False)
    relevance: Auto | Measure = param(MeasureName(), default="auto")
    redundancy: Auto | PairMeasureName = param(MeasureName(symmetric=True), default="auto")
    discretize: BinRule = param(default="auto")
    objective: Literal["auto", "difference", "quotient", "sum"] = param(
        Options("auto", "difference", "quotient", "sum"), default="auto"
    )
    redundancy_weight: float = param(Interval(low=0), default=1.0)
    redundancy_offset: float = param(Interval(low=0), default=0.0)
    strategy: Literal["lazy", "scan", "naive"] = param(
        Options("lazy", "scan", "naive"), default="lazy"
    )

    def make_criterion(self, data: TrainingData) -> MRMRCriterion:
        relevance, redundancy = self._resolve_measures(data)
        objective: str = self.objective
        if objective == "auto":
            objective = "quotient" if relevance == "f" else "difference"
        self._check_objective(objective, relevance, redundancy, data)
        weight, offset = self.redundancy_weight, self.redundancy_offset
        return MRMRCriterion(relevance, redundancy, objective, weight, offset, self.strategy)

    def _resolve_measures(self, data: TrainingData) -> tuple[str, str]:
        if self.relevance == "auto":
            _warn_of_categories(data)
            relevance = redundancy = default_measure(data)
        else:
            relevance = redundancy = self.relevance
            if not KINDS[relevance].is_symmetric:
                redundancy = "mi" if KINDS[relevance].is_discrete else "pearson"
        return relevance, redundancy if self.redundancy == "auto" else self.redundancy

    def _check_objective(
        self, objective: str, relevance: str, redundancy: str, data: TrainingData
    ) -> None:
        is_quotient = objective == "quotient"
        if relevance == "f" and not is_quotient:
            warn(
                f'objective="{objective}" with relevance="f": F is unbounded and swamps a redundancy of at most 1; '
                'use objective="quotient"'
            )
        if is_quotient and self.redundancy_weight != 1:
            raise ValueError(
                f"redundancy_weight must be 1 with the quotient, got {self.redundancy_weight}; "
                'use objective="difference" or "sum" for another weight'
            )
        if not is_quotient and self.redundancy_offset != 0:
            raise ValueError(
                f'redundancy_offset is for objective="quotient", got {self.redundancy_offset} '
                f'with "{objective}"; leave it 0'
            )
        numeric = [m for m in (relevance, redundancy) if not KINDS[m].is_discrete]
        if numeric and data.missing == "category" and data.schema.has_missing.any():
            raise ValueError(
                f'missing="category" has no meaning for the measure "{numeric[0]}" of numbers; '
                'use "mi", or missing="pairwise"'
            )
        if is_quotient and redundancy == "mi" and data.n_rows < ENOUGH_FOR_RATIOS:
            warn(
                f'objective="quotient" divides by mutual information estimated from {data.n_rows} samples; its '
                'choice is usually less stable and less accurate than that of objective="difference"'
            )


@dataclass(frozen=True)
class MRMRCriterion(ForwardCriterion):
    """Greedy forward selection by relevance and redundancy."""

    relevance: str
    redundancy: str
    objective: str
    weight: float
    offset: float
    strategy: str

    @property
    def measures(self) -> tuple[str, str]:
        return self.relevance, self.redundancy

    @property
    def settings(self) -> Mapping[str, str]:
        return {
            "relevance_measure_": self.relevance,
            "redundancy_measure_": self.redundancy,
            "objective_": self.objective,
        }

    def start(self, task: SearchTask) -> ForwardSearch[SearchResult]:
        return greedy_forward(
            task.pairs,
            task.relevance,
            task.required_count,
            objective=self.objective,
            weight=self.weight,
            offset=self.offset * task.scale,
            strategy=self.strategy,
            **task.choices,
        )

    def describe(self, task: SearchTask, found: SearchResult) -> Selection:
        scores = found.scores / task.scale
        if self.objective == "quotient":  # a ratio does not scale; the first score is a relevance
            scores[1:] = found.scores[1:]
        is_comparable = self.relevance == self.redundancy
        return task.selection(found, scores, explanation=task.nearest(found, is_comparable))

    def search_replicates(
        self, task: SearchTask, replicates: Sequence[int], memory_limit: int
    ) -> FoundParts:
        return greedy_ensemble(
            task.pairs,
            task.relevance,
            task.required_count,
            objective=self.objective,
            weight=self.weight,
            offset=self.offset,
            strategy=self.strategy,
            replicates=replicates,
            candidates=task.candidates,
            kept=task.data.kept,
            memory_limit=memory_limit,
        )


def _warn_of_categories(data: TrainingData) -> None:
    """Warn that one category has all numbers binned."""
    schema = data.schema
    categories = data.candidates & schema.is_category
    n_binned = int(np.sum(data.candidates & ~schema.is_discrete))
    if categories.any() and n_binned:
        binned = "1 numeric column is" if n_binned == 1 else f"{n_binned} numeric columns are"
        warn(
            f'column {schema.label(int(np.argmax(categories)))} holds categories, so relevance="auto" is "mi" and '
            f"{binned} cut into bins; code the categories as numbers, or name them in exclude, "
            'to compare numbers as they are, or give relevance="mi"'
        )


def default_measure(data: TrainingData) -> str:
    """Return the measure of relevance and redundancy that ``"auto"`` stands for on these data."""
    schema, may = data.schema, data.candidates
    as_category = data.missing == "category" and schema.has_missing[may].any()
    if as_category or schema.is_category[may].any() or schema.is_discrete[may].all():
        return "mi"
    return "r2"

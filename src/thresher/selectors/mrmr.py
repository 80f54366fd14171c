"""Minimum redundancy, maximum relevance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from thresher._checks import check_choice, check_number
from thresher._types import Auto, Measure, Missing, PairMeasureName, TargetKind
from thresher._warn import warn
from thresher.measures import KINDS, Measures, are_discrete, check_measure
from thresher.search import (
    ForwardSearch,
    FoundParts,
    SearchResult,
    greedy_ensemble,
    greedy_forward,
)
from thresher.selectors._base import Selection
from thresher.selectors._forward import MeasureSelector, Task
from thresher.sources import Training

# Samples below which a quotient of information is warned of.
ENOUGH_FOR_RATIOS = 100
OBJECTIVES = ("auto", "difference", "quotient", "sum")
STRATEGIES = ("lazy", "scan", "naive")


class MRMR(MeasureSelector[int]):
    """Minimum redundancy, maximum relevance: greedy forward selection, exact and fast.

    The first feature is the most relevant one. Each further step adds the feature whose relevance R
    best outweighs its mean redundancy B/k with the k features already chosen.

    Parameters
    ----------
    n_features_to_select : int or float, default=10
        A number, or a fraction of the features not excluded.
    relevance : str, default="auto"
        Measure of a feature with the target: ``"mi"``, ``"su"``, ``"nmi"``, ``"chi2"`` (discrete),
        ``"f"``, ``"r2"``, ``"pearson"``, ``"spearman"``, ``"cosine"`` (numeric; the first two take classes
        or numbers). ``"auto"``: ``"mi"`` if all candidates are discrete or some are not numbers, else
        ``"r2"``: the share of the feature's scatter that the classes, or the target, explain.
    redundancy : str, default="auto"
        Measure between two features, any of the above but ``"f"``. ``"auto"``: ``"mi"`` where the
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

    _missing_options = ("error", "category", "pairwise", "drop_rows")
    _nested = True

    def __init__(
        self,
        n_features_to_select: int | float = 10,
        *,
        relevance: Auto | Measure = "auto",
        redundancy: Auto | PairMeasureName = "auto",
        objective: Literal["auto", "difference", "quotient", "sum"] = "auto",
        redundancy_weight: float = 1.0,
        redundancy_offset: float = 0.0,
        target: TargetKind = "auto",
        discretize: Any = "auto",
        strategy: Literal["lazy", "scan", "naive"] = "lazy",
        keep: Any = None,
        exclude: Any = None,
        missing: Missing = "error",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.relevance = relevance
        self.redundancy = redundancy
        self.objective = objective
        self.redundancy_weight = redundancy_weight
        self.redundancy_offset = redundancy_offset
        self.target = target
        self.discretize = discretize
        self.strategy = strategy
        self.keep = keep
        self.exclude = exclude
        self.missing = missing
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _takes_codes(self) -> bool:
        redundancy = self.relevance if self.redundancy == "auto" else self.redundancy
        return are_discrete(self.relevance, redundancy)

    def _measure_names(self) -> tuple[str, str]:
        return self.relevance_measure_, self.redundancy_measure_

    def _begin(self, task: Task[int]) -> ForwardSearch[SearchResult]:
        return greedy_forward(
            task.pairs,
            task.relevance,
            task.wanted,
            objective=self.objective_,
            weight=self.redundancy_weight,
            offset=self.redundancy_offset * task.measures.scale,
            strategy=self.strategy,
            **task.choices,
        )

    def _told(self, task: Task[int], found: SearchResult) -> Selection:
        scores = found.scores / task.measures.scale
        if self.objective_ == "quotient":  # a ratio, but for the first feature's relevance
            scores[1:] = found.scores[1:]
        is_comparable = self.relevance_measure_ == self.redundancy_measure_
        return task.selection(found, scores, explanation=task.nearest(found, is_comparable))

    def _search_parts(
        self,
        training: Training,
        measures: Measures,
        wanted: int,
        usable: Sequence[int],
        memory_limit: int,
    ) -> tuple[FoundParts, npt.NDArray[np.float64]]:
        """The lists of all replicates of measures with parts in one search, and their relevances."""
        relevance = measures.relevance(self.relevance_measure_)
        found = greedy_ensemble(
            measures.pairs(self.redundancy_measure_),
            relevance,
            wanted,
            objective=self.objective_,
            weight=self.redundancy_weight,
            offset=self.redundancy_offset,
            strategy=self.strategy,
            replicates=usable,
            candidates=measures.candidates(*self._measure_names()),
            kept=training.kept,
            memory_limit=memory_limit,
        )
        return found, relevance

    def _resolve(self, training: Training) -> None:
        """Settle the measures and the objective, and check that they go together."""
        check_choice("strategy", self.strategy, STRATEGIES)
        check_measure("relevance", self.relevance)
        check_measure("redundancy", self.redundancy, symmetric=True)
        check_choice("objective", self.objective, OBJECTIVES)
        check_number("redundancy_weight", self.redundancy_weight, minimum=0)
        check_number("redundancy_offset", self.redundancy_offset, minimum=0)
        relevance, redundancy = default_measures(training)
        if self.relevance != "auto":
            relevance = self.relevance
        else:
            _warn_of_categories(training)
        if self.redundancy != "auto":
            redundancy = self.redundancy
        elif self.relevance != "auto":
            redundancy = "pearson" if relevance == "f" else relevance
        objective = self.objective
        if objective == "auto":
            objective = "quotient" if relevance == "f" else "difference"
        elif objective != "quotient" and relevance == "f":
            warn(
                f'objective="{objective}" with relevance="f": F is unbounded and swamps a redundancy of at most 1; '
                'use objective="quotient"'
            )
        if objective == "quotient" and self.redundancy_weight != 1:
            raise ValueError(
                f"redundancy_weight must be 1 with the quotient, got {self.redundancy_weight}; "
                'use objective="difference" or "sum" for another weight'
            )
        if objective != "quotient" and self.redundancy_offset != 0:
            raise ValueError(
                f'redundancy_offset is for objective="quotient", got {self.redundancy_offset} '
                f'with "{objective}"; leave it 0'
            )
        numeric = [m for m in (relevance, redundancy) if not KINDS[m].is_discrete]
        if numeric and training.missing == "category" and training.table.has_missing.any():
            raise ValueError(
                f'missing="category" has no meaning for the measure "{numeric[0]}" of numbers; '
                'use "mi", or missing="pairwise"'
            )
        if objective == "quotient" and redundancy == "mi" and training.n_rows < ENOUGH_FOR_RATIOS:
            warn(
                f'objective="quotient" divides by mutual information estimated from {training.n_rows} samples; its '
                'choice is usually less stable and less accurate than that of objective="difference"'
            )
        self.relevance_measure_ = relevance
        self.redundancy_measure_ = redundancy
        self.objective_ = objective


def _warn_of_categories(training: Training) -> None:
    """A category makes codes of all numbers beside it."""
    table = training.table
    categories = training.candidates & table.is_category
    n_binned = int(np.sum(training.candidates & ~table.is_discrete))
    if categories.any() and n_binned:
        binned = "1 numeric column is" if n_binned == 1 else f"{n_binned} numeric columns are"
        warn(
            f'column {table.name(int(np.argmax(categories)))} holds categories, so relevance="auto" is "mi" and '
            f"{binned} cut into bins; code the categories as numbers, or name them in exclude, "
            'to compare numbers as they are, or give relevance="mi"'
        )


def default_measures(training: Training) -> tuple[str, str]:
    """Relevance and redundancy that ``"auto"`` stands for on these data."""
    table = training.table
    may = training.candidates
    as_category = training.missing == "category" and table.has_missing[may].any()
    if as_category or table.is_category[may].any() or table.is_discrete[may].all():
        return "mi", "mi"
    return "r2", "r2"

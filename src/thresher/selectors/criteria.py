"""Greedy criteria from counts of two features and the target: MIM, JMI, JMIM, CMIM, DISR, CIFE, ICAP."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np

from thresher._checks import check_choice
from thresher._types import Missing, TargetKind
from thresher.measures import RowMeasures
from thresher.search import ForwardSearch, SearchResult, greedy_accumulate, order_by_relevance
from thresher.selectors._base import Selection
from thresher.selectors._criteria_doc import documented
from thresher.selectors._explain import Nearest, TermsSeen
from thresher.selectors._forward import MeasureSelector, Task
from thresher.sources import Training


class InformationCriterion(MeasureSelector[int]):
    """The parameters that all greedy criteria of information have."""

    _strategies: ClassVar[tuple[str, ...]]
    _nested = True

    def __init__(
        self,
        n_features_to_select: int | float = 10,
        *,
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
        self.target = target
        self.discretize = discretize
        self.strategy = strategy
        self.keep = keep
        self.exclude = exclude
        self.missing = missing
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _resolve(self, training: Training) -> None:
        check_choice("strategy", self.strategy, self._strategies)


class _Criterion(InformationCriterion):
    """A criterion that adds up, or takes the smallest of, one term per chosen feature."""

    # The term of `_core.ThreeWayMeasure`, and how `greedy_accumulate` gathers it.
    _term: ClassVar[str]
    _accumulation: ClassVar[str]
    _strategies = ("lazy", "naive")
    _missing_options = ("error", "category", "drop_rows")
    _asks_triples = True

    def _measure_names(self) -> tuple[str, ...]:
        return ("mi",)

    def _begin(self, task: Task[int]) -> ForwardSearch[SearchResult]:
        return greedy_accumulate(
            task.measures.triples(self._term),
            task.relevance,
            task.wanted,
            accumulation=self._accumulation,
            strategy=self.strategy,
            **task.choices,
        )

    def _told(self, task: Task[int], found: SearchResult) -> Selection:
        scale = task.measures.scale
        return Selection.of_steps(
            found.selected,
            found.scores / scale,
            task.relevance / scale,
            n_evaluations=found.n_evaluations,
            explanation=TermsSeen(found.nearest, found.nearest_value / scale, self._term),
        )


@documented
class MIM(_Criterion):
    """Mutual information maximisation: the features with the largest ``I(f;C)``, each on its own.

    Redundancy plays no part; it is the baseline of the other criteria.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher import MIM
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = MIM(n_features_to_select=3).fit(X, y)
    >>> X.columns[selector.selected_].tolist()
    ['worst concave points', 'worst perimeter', 'mean perimeter']
    """

    _asks_triples = False

    def _search(self, training: Training, measures: RowMeasures, wanted: int) -> Selection:
        task = self._task(training, measures, wanted)
        may = measures.candidates("mi").copy()
        may[training.kept] = False
        order = order_by_relevance(task.relevance, may)
        selected = np.concatenate([training.kept, order])[:wanted]
        relevance = task.relevance / measures.scale
        show = task.choices["progress"]
        if show is not None:
            for step, feature in enumerate(selected, 1):
                show(step, feature, relevance[feature])
        p = training.n_features
        alone = Nearest(np.full(p, -1), np.full(p, np.nan), True, task.noise())
        return Selection.of_steps(selected, relevance[selected], relevance, explanation=alone)


@documented
class JMI(_Criterion):
    """Joint mutual information (Yang and Moody).

    Each step adds the feature f with the largest ``sum_g I(f,g;C)`` over the chosen features g.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher import JMI
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = JMI(n_features_to_select=3).fit(X, y)
    >>> X.columns[selector.selected_].tolist()
    ['worst concave points', 'mean perimeter', 'mean concave points']
    """

    _term = "joint"
    _accumulation = "sum"


@documented
class JMIM(_Criterion):
    """Joint mutual information maximisation (Bennasar, Hicks and Setchi).

    Each step adds the feature f with the largest ``min_g I(f,g;C)`` over the chosen features g.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher import JMIM
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = JMIM(n_features_to_select=3).fit(X, y)
    >>> X.columns[selector.selected_].tolist()
    ['worst concave points', 'mean perimeter', 'mean concave points']
    """

    _term = "joint"
    _accumulation = "smallest"


@documented
class CMIM(_Criterion):
    """Conditional mutual information maximisation (Fleuret).

    Each step adds the feature f with the largest ``min(I(f;C), min_g I(f;C|g))`` over the chosen features g.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher import CMIM
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = CMIM(n_features_to_select=3).fit(X, y)
    >>> X.columns[selector.selected_].tolist()
    ['worst concave points', 'mean perimeter', 'mean concave points']
    """

    _term = "conditional"
    _accumulation = "smallest-and-relevance"


@documented
class DISR(_Criterion):
    """Double input symmetrical relevance (Meyer and Bontempi).

    Each step adds the feature f with the largest ``sum_g I(f,g;C) / H(f,g,C)`` over the chosen features g.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher import DISR
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = DISR(n_features_to_select=3).fit(X, y)
    >>> X.columns[selector.selected_].tolist()
    ['worst concave points', 'area error', 'mean perimeter']
    """

    _term = "disr"
    _accumulation = "sum"


@documented
class CIFE(_Criterion):
    """Conditional infomax feature extraction (Lin and Tang).

    Each step adds the feature f with the largest ``I(f;C) - sum_g [I(f;g) - I(f;g|C)]`` over the chosen features g.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher import CIFE
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = CIFE(n_features_to_select=3).fit(X, y)
    >>> X.columns[selector.selected_].tolist()
    ['worst concave points', 'mean perimeter', 'mean fractal dimension']
    """

    _term = "interaction"
    _accumulation = "minus-sum"


@documented
class ICAP(_Criterion):
    """Interaction capping (Jakulin).

    Each step adds the feature f with the largest ``I(f;C) - sum_g max(0, I(f;g) - I(f;g|C))`` over the chosen
    features g.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher import ICAP
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = ICAP(n_features_to_select=3).fit(X, y)
    >>> X.columns[selector.selected_].tolist()
    ['worst concave points', 'mean perimeter', 'mean fractal dimension']
    """

    _term = "interaction"
    _accumulation = "minus-positive-sum"

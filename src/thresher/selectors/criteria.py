"""Greedy criteria from counts of two features and the target: MIM, JMI, JMIM, CMIM, DISR, CIFE, ICAP."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from thresher._utils.params import FeatureCount, Options, estimator, param
from thresher.data import Training
from thresher.search import ForwardSearch, SearchResult, greedy_accumulate, order_by_relevance
from thresher.selectors._base import Selection
from thresher.selectors._criteria_doc import documented
from thresher.selectors._criterion import Criterion, ForwardCriterion, SearchTask
from thresher.selectors._explain import Nearest, TermsSeen
from thresher.selectors._filter import FilterSelector

Term = Literal["joint", "conditional", "disr", "interaction"]
Accumulation = Literal[
    "sum", "smallest", "smallest-and-relevance", "minus-sum", "minus-positive-sum"
]


@estimator
class InformationSelector(FilterSelector):
    """The parameters that all selectors by information have."""

    _nested = True
    # The term of two features and the target, and how the terms of a candidate become its score.
    term: ClassVar[Term]
    accumulation: ClassVar[Accumulation]

    n_features_to_select: int | float = param(FeatureCount(), default=10, kw_only=False)
    discretize: Any = param(default="auto")
    strategy: Literal["lazy", "naive"] = param(Options("lazy", "naive"), default="lazy")
    missing: Literal["error", "category", "drop_rows"] = param(
        Options("error", "category", "drop_rows"), default="error"
    )

    def uses_codes(self) -> bool:
        return True

    def make_criterion(self, data: Training) -> Criterion:
        return TermCriterion(self.term, self.accumulation, self.strategy)


@dataclass(frozen=True)
class TermCriterion(ForwardCriterion):
    """The sum, or the smallest, of one term for each selected feature."""

    term: str
    accumulation: str
    strategy: str

    measures = ("mi",)
    uses_triples = True

    def start(self, task: SearchTask) -> ForwardSearch[SearchResult]:
        return greedy_accumulate(
            task.measures.triples(self.term),
            task.relevance,
            task.required_count,
            accumulation=self.accumulation,
            strategy=self.strategy,
            **task.choices,
        )

    def describe(self, task: SearchTask, found: SearchResult) -> Selection:
        return Selection.of_steps(
            found.selected,
            found.scores / task.scale,
            task.relevance / task.scale,
            n_evaluations=found.n_evaluations,
            explanation=TermsSeen(found.nearest, found.nearest_value / task.scale, self.term),
        )


class RelevanceCriterion(Criterion):
    """The relevance of each feature by itself."""

    measures = ("mi",)

    def search(self, task: SearchTask) -> Selection:
        kept = task.data.kept
        may = task.candidates.copy()
        may[kept] = False
        order = order_by_relevance(task.relevance, may)
        selected = np.concatenate([kept, order])[: task.n_features]
        relevance = task.relevance / task.scale
        show = task.choices["progress"]
        if show is not None:
            for step, feature in enumerate(selected, 1):
                show(step, feature, relevance[feature])
        p = task.data.n_features
        alone = Nearest(np.full(p, -1), np.full(p, np.nan), True, task.noise())
        return Selection.of_steps(selected, relevance[selected], relevance, explanation=alone)


@documented
class MIM(InformationSelector):
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

    def make_criterion(self, data: Training) -> Criterion:
        return RelevanceCriterion()


@documented
class JMI(InformationSelector):
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

    term = "joint"
    accumulation = "sum"


@documented
class JMIM(InformationSelector):
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

    term = "joint"
    accumulation = "smallest"


@documented
class CMIM(InformationSelector):
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

    term = "conditional"
    accumulation = "smallest-and-relevance"


@documented
class DISR(InformationSelector):
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

    term = "disr"
    accumulation = "sum"


@documented
class CIFE(InformationSelector):
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

    term = "interaction"
    accumulation = "minus-sum"


@documented
class ICAP(InformationSelector):
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

    term = "interaction"
    accumulation = "minus-positive-sum"

"""Information criteria that add one term for each selected feature."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import cleandoc
from typing import ClassVar, Literal, TypeVar

import numpy as np

from thresher._utils.params import FeatureCount, Options, estimator, param
from thresher._utils.types import BinRule
from thresher.data import TrainingData
from thresher.search import ForwardSearch, SearchResult, greedy_accumulate, order_by_relevance
from thresher.selectors._base import Selection
from thresher.selectors._criterion import Criterion, ForwardCriterion, SearchTask
from thresher.selectors._explain import Nearest, TermsSeen
from thresher.selectors._filter import FilterSelector
from thresher.selectors._parameters import MissingDiscrete

CriterionClass = TypeVar("CriterionClass", bound=type)

# It goes before the examples.
_COMMON_DOC = """\
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
    strategy : {"lazy", "naive"}, default="lazy"
        ``"lazy"`` leaves out terms that cannot matter, where the criterion gives a bound (JMIM, CMIM,
        ICAP); the answer is the same.
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
        Score when chosen, in bits, nan if never chosen; that of the first feature is I(f;C).
    relevance_ : ndarray of float of shape (n_features,)
        I(f;C) in bits.
    redundancy_ : ndarray of float of shape (n_features,)
        nan: the criterion does not have it apart.
    n_evaluations_ : int
        Terms of two features and the target that were computed.
    trace_ : dict of str to ndarray
        Per step: ``feature``, ``relevance``, ``score``.
    bins_ : Bins
        Which features were binned, by which rule, at which cuts.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if X has feature names that are all strings.

    Notes
    -----
    The first feature is the one with the largest I(f;C). Information is plug-in, from counts, in bits.
    Of equal computed scores that of the lowest position wins. Constant features, also those constant after
    binning, are never chosen unless named in `keep`. Time: O(n_samples) per feature for the relevances
    and per term, at most ``n_features_to_select * n_features`` of them; memory: one packed copy of the data and
    a few numbers per feature.

"""


def documented(criterion: CriterionClass) -> CriterionClass:
    """Put what all criteria have in common before the examples of the docstring."""
    if criterion.__doc__:  # there is none where Python leaves docstrings out
        # Python indents docstrings as they are written, up to 3.12, or not at all.
        summary, heading, examples = cleandoc(criterion.__doc__).partition("Examples\n")
        criterion.__doc__ = f"{summary}{cleandoc(_COMMON_DOC)}\n\n{heading}{examples}\n"
    return criterion


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
    discretize: BinRule = param(default="auto")
    strategy: Literal["lazy", "naive"] = param(Options("lazy", "naive"), default="lazy")
    missing: MissingDiscrete = param(Options("error", "category", "drop_rows"), default="error")

    def make_criterion(self, data: TrainingData) -> Criterion:
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

    def make_criterion(self, data: TrainingData) -> Criterion:
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

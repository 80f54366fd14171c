"""Selectors by information criteria with one term per selected feature: JMI and related methods."""

from __future__ import annotations

import re
from dataclasses import dataclass
from inspect import cleandoc
from typing import ClassVar, Literal, TypeVar

import numpy as np

from thresher._utils.params import FeatureCount, estimator, param
from thresher._utils.types import BinRule
from thresher.data import TrainingData
from thresher.search import ForwardSearch, SearchResult, greedy_accumulate, order_by_relevance
from thresher.selectors._base import MissingDiscrete, Selection
from thresher.selectors._criterion import Criterion, ForwardCriterion, SearchTask
from thresher.selectors._explain import Nearest, TermsSeen
from thresher.selectors._filter import FilterSelector

CriterionClass = TypeVar("CriterionClass", bound=type)


@estimator
class InformationSelector(FilterSelector):
    """Base class of the selectors by information criteria.

    Parameters
    ----------
    n_features_to_select : int or float, default=10
        Number of features, or fraction of the features that are not excluded.
    target : {"auto", "nominal", "numeric"}, default="auto"
        ``"auto"`` reads text, Booleans, and integer values with 5 rows each as classes, other numbers as
        numbers, which are binned like a feature; see :ref:`target-kind`.
    discretize : str, transformer or None, default="auto"
        Binning of features that are not discrete: ``"mean-sd"`` (three bins, the default),
        ``"equal-frequency"``, ``"equal-width"``, ``"mdl"``, or a transformer of `thresher.discretize`.
        None treats every column as integer codes. `bins_` records the bins.
    strategy : {"lazy", "naive"}, default="lazy"
        How the search is executed; the result is the same. ``"lazy"`` skips terms that cannot matter, if the
        criterion has a bound (JMIM, CMIM, ICAP).
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
        Score when selected, in bits; nan for features not selected. That of the first feature is I(f;C).
    relevance_ : ndarray of float of shape (n_features,)
        I(f;C) in bits.
    redundancy_ : ndarray of float of shape (n_features,)
        nan: these criteria have no separate redundancy.
    n_evaluations_ : int
        Terms of two features and the target that were computed.
    trace_ : dict of str to ndarray
        Per step: ``feature``, ``relevance``, ``score``.
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
    MRMR : Uses pairs of features only, which needs fewer samples.
    CMIFilter : One pass over the ranked features, given all selected ones.

    Notes
    -----
    The first feature is the one with the largest I(f;C). Information is estimated from counts (plug-in), in bits.
    Ties in the computed score go to the lowest column index. Constant features, including those constant after
    binning, are never selected unless named in `keep`. Time: O(n_samples) per feature for the relevances and
    per term; there are at most ``n_features_to_select * n_features`` terms. Memory: one packed copy of the data and
    a few numbers per feature.
    """

    _nested = True
    # The term of two features and the target, and how a candidate's terms make its score.
    term: ClassVar[str]
    accumulation: ClassVar[str]

    n_features_to_select: int | float = param(FeatureCount(), default=10, kw_only=False)
    discretize: BinRule = param(default="auto")
    strategy: Literal["lazy", "naive"] = param(default="lazy")
    missing: MissingDiscrete = param(default="error")

    def make_criterion(self, data: TrainingData) -> Criterion:
        return TermCriterion(self.term, self.accumulation, self.strategy)


def documented(criterion: CriterionClass) -> CriterionClass:
    """Insert the common documentation of all criteria before the references and examples of the docstring."""
    if criterion.__doc__:  # python -OO removes docstrings
        # Up to 3.12 Python keeps the indentation of docstrings, later it removes it.
        text = cleandoc(criterion.__doc__)
        end = re.search(r"^(References|Examples)$", text, re.MULTILINE)
        start = len(text) if end is None else end.start()
        _, _, common = cleandoc(InformationSelector.__doc__ or "").partition("\n\n")
        criterion.__doc__ = f"{text[:start]}{common}\n\n{text[start:]}\n"
    return criterion


@dataclass(frozen=True)
class TermCriterion(ForwardCriterion):
    """The sum or the smallest of the terms of a candidate, one for each selected feature."""

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

    def describe(self, task: SearchTask, result: SearchResult) -> Selection:
        return Selection.of_steps(
            result.selected,
            result.scores / task.scale,
            task.relevance / task.scale,
            n_evaluations=result.n_evaluations,
            explanation=TermsSeen(result.nearest, result.nearest_value / task.scale, self.term),
        )


class RelevanceCriterion(Criterion):
    """The relevance of each feature alone."""

    measures = ("mi",)

    def search(self, task: SearchTask) -> Selection:
        kept = task.data.kept
        others = task.candidates.copy()
        others[kept] = False
        order = order_by_relevance(task.relevance, others)
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
    """Select the features with the largest mutual information with the class, ``I(f;C)``.

    Mutual information maximisation ignores redundancy. It is the baseline of the other criteria.

    References
    ----------
    D. D. Lewis, "Feature selection and feature extraction for text categorization", 1992.

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
    """Select features by joint mutual information (Yang and Moody).

    Each step adds the feature f with the largest ``sum_g I(f,g;C)`` over the selected features g.

    References
    ----------
    H. H. Yang and J. Moody, "Data visualization and feature selection: new algorithms for nongaussian data", 1999.

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
    """Select features by joint mutual information maximisation (Bennasar, Hicks and Setchi).

    Each step adds the feature f with the largest ``min_g I(f,g;C)`` over the selected features g.

    References
    ----------
    M. Bennasar, Y. Hicks and R. Setchi, "Feature selection using joint mutual information maximisation", 2015.

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
    """Select features by conditional mutual information maximisation (Fleuret).

    Each step adds the feature f with the largest ``min(I(f;C), min_g I(f;C|g))`` over the selected features g.

    References
    ----------
    F. Fleuret, "Fast binary feature selection with conditional mutual information", 2004.

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
    """Select features by double input symmetrical relevance (Meyer and Bontempi).

    Each step adds the feature f with the largest ``sum_g I(f,g;C) / H(f,g,C)`` over the selected features g.

    References
    ----------
    P. E. Meyer and G. Bontempi, "On the use of variable complementarity for feature selection in cancer
    classification", 2006.

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
    """Select features by conditional infomax feature extraction (Lin and Tang).

    Each step adds the feature f with the largest ``I(f;C) - sum_g [I(f;g) - I(f;g|C)]`` over the selected features g.

    References
    ----------
    D. Lin and X. Tang, "Conditional infomax learning: an integrated framework for feature extraction and fusion", 2006.

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
    """Select features by interaction capping (Jakulin).

    Each step adds the feature f with the largest ``I(f;C) - sum_g max(0, I(f;g) - I(f;g|C))`` over the selected
    features g.

    References
    ----------
    A. Jakulin, "Machine learning based on attribute interactions", doctoral thesis, 2005.

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

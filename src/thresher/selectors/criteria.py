"""Greedy criteria from counts of two features and the target: MIM, JMI, JMIM, CMIM, DISR, CIFE, ICAP."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from thresher import _core
from thresher._checks import check_choice
from thresher.measures import Measures
from thresher.selectors._base import BaseSelector, Selection, all_or_nothing, spread
from thresher.selectors._explain import TermsSeen, step_printer
from thresher.sources import Training

Floats = npt.NDArray[np.float64]

STRATEGIES = ("lazy", "naive")


# What the classes of this module say alike; it goes before their examples.
_COMMON_DOC = """\
    Parameters
    ----------
    n_features_to_select : int or float, default=10
        A number, or a fraction of all features.
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
        1 prints a line per step.

    Attributes
    ----------
    selected_ : ndarray of int
        Features in order of choice.
    support_ : ndarray of bool of shape (n_features_in_,)
    ranking_ : ndarray of int of shape (n_features_in_,)
        1 for the first chosen; features not chosen share the rank after the last.
    scores_ : ndarray of float of shape (n_features_in_,)
        Score when chosen, in bits, nan if never chosen; that of the first feature is I(f;C).
    relevance_ : ndarray of float of shape (n_features_in_,)
        I(f;C) in bits.
    redundancy_ : ndarray of float of shape (n_features_in_,)
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
    Ties go to the feature with the lowest position. Constant features, also those constant after
    binning, are never chosen unless named in `keep`. Time: O(n_samples) per feature for the relevances
    and per term, at most ``n_features_to_select * n_features`` of them; memory: one packed copy of the data and
    a few numbers per feature.

"""


def _documented(criterion: type) -> type:
    """Put what all criteria have in common before the examples of the docstring."""
    summary, examples = (criterion.__doc__ or "").split("    Examples\n", 1)
    criterion.__doc__ = f"{summary}{_COMMON_DOC}    Examples\n{examples}"
    return criterion


class _Criterion(BaseSelector):
    """A criterion that adds up, or takes the smallest of, one term per chosen feature."""

    # The term of `_core.ThreeWayMeasure`, and how `_core.greedy_accumulate` gathers it.
    _term: ClassVar[str]
    _accumulation: ClassVar[str]
    _missing_options = ("error", "category", "drop_rows")
    _nested = True

    def __init__(
        self,
        n_features_to_select: int | float = 10,
        *,
        target: str = "auto",
        discretize: Any = "auto",
        strategy: str = "lazy",
        keep: Any = None,
        exclude: Any = None,
        missing: str = "error",
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

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Choose features.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Classes or numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight of 2 counts exactly like the same sample given twice; 0 leaves it out.

        Returns
        -------
        self : object
        """
        training = self._read(X, y, sample_weight)
        self._resolve(training)
        wanted = self._count(training)
        measures = self._measures(training)
        selection = self._search(training, measures, wanted)
        self.bins_ = measures.bins
        return self._finish(training, selection, wanted)

    def _resolve(self, training: Training) -> None:
        check_choice("strategy", self.strategy, STRATEGIES)

    def _measure_names(self) -> tuple[str, ...]:
        return ("mi",)

    def _measures(self, training: Training, parts: Any = None) -> Measures:
        return Measures(training, discretize=self.discretize, parts=parts)

    def _search(self, training: Training, measures: Any, wanted: int) -> Selection:
        relevance = measures.relevance("mi")
        found = _core.greedy_accumulate(
            measures.triples(self._term),
            relevance,
            wanted,
            accumulation=self._accumulation,
            strategy=self.strategy,
            candidates=measures.candidates("mi").view(np.uint8),
            kept=training.kept.astype(np.uint32),
            progress=step_printer(self, training, wanted) if self.verbose else None,
        )
        return _selection(
            relevance / measures.scale,
            found["selected"].astype(np.intp),
            found["scores"] / measures.scale,
            found["n_evaluations"],
            TermsSeen(
                found["partner"].astype(np.int64), found["extreme"] / measures.scale, self._term
            ),
        )


def _selection(
    relevance: Floats,
    selected: npt.NDArray[np.intp],
    scores: Floats,
    n_evaluations: int,
    seen: TermsSeen,
) -> Selection:
    return Selection(
        selected=selected,
        scores=spread(len(relevance), selected, scores),
        relevance=relevance,
        n_evaluations=n_evaluations,
        trace={"feature": selected, "relevance": relevance[selected], "score": scores},
        nearest=seen,
    )


@_documented
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

    def _search(self, training: Training, measures: Any, wanted: int) -> Selection:
        relevance = measures.relevance("mi")
        may = measures.candidates("mi")
        may[training.kept] = False
        order = _core.order_by_relevance(relevance, may.view(np.uint8)).astype(np.intp)
        selected = np.concatenate([training.kept, order])[:wanted]
        relevance = relevance / measures.scale
        nothing = TermsSeen(np.full(len(relevance), -1), np.full(len(relevance), np.nan), "")
        return _selection(relevance, selected, relevance[selected], 0, nothing)


@_documented
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


@_documented
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


@_documented
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


@_documented
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


@_documented
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


@_documented
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

"""Relevance, redundancy and complementarity trade-off."""

from __future__ import annotations

import math
from functools import partial
from typing import Literal, Self, Unpack

import numpy as np
from scipy.stats import rankdata

from thresher import _core
from thresher._utils.checks import warn
from thresher._utils.params import FeatureCount, ThreadCount, estimator, param
from thresher._utils.types import Array, DataLike, Floats, TargetKind, TargetLike
from thresher.data import LocalData, RemoteOptions
from thresher.measures.power import power_columns
from thresher.search import ForwardSearch, SearchResult
from thresher.search.forward import rrct
from thresher.selectors._base import BaseSelector, CommonParameters, Selection, all_or_nothing
from thresher.selectors._explain import LastSeen
from thresher.selectors._partial import class_indicators, safe_columns, uses_indicators

# Entropy of a standard normal in nats: the paper's divisor of the redundancy.
NORMAL_ENTROPY = 0.5 * math.log(2 * math.pi * math.e)

# With this many classes or more there is a warning.
MANY_CLASSES = 5


@estimator
class RRCT(CommonParameters, BaseSelector):
    r"""Select features by relevance, redundancy and complementarity (RRCT; Tsanas, Little and McSharry).

    The score of a candidate j, given the k features S selected so far, is

    .. math:: I(r_j) - \frac{1}{k} \sum_{s \in S} I(\rho_{js}) / H \pm I(p_j)

    with r its Spearman correlation with the target, rho its Pearson correlation with a selected feature,
    p its partial rank correlation with the target given S, I(r) = -1/2 ln(1 - r^2), and H the entropy of a
    standard normal. The last term is the complementarity. It is positive if the selected features strengthen the
    candidate's correlation with the target, and negative if they explain it away.

    Parameters
    ----------
    n_features_to_select : int or float, default=10
        Number of features, or fraction of the features that are not excluded.
    power : {None, "box-cox", "box-cox-shift", "yeo-johnson"}, default=None
        Transform of each feature for the redundancy, with its maximum likelihood exponent. Relevance and
        complementarity use ranks and do not change. Box-Cox needs positive values; ``"box-cox-shift"`` first maps
        other columns to ``(x - min) / sd + 1``.
    information : bool, default=True
        False uses the absolute correlations instead of I, without H (RRCT_0).
    complementarity : bool, default=True
        False omits the last term (mRMR_ITL).
    normalize : bool, default=True
        Divide the redundancy by H, as the paper does.
    sign_rule : {"signed", "magnitude"}, default="signed"
        Sign of the complementarity: ``sign(p) sign(p - r)`` as in the paper's equation, or ``sign(|p| - |r|)`` as in
        its text. They differ if a correlation changes sign and becomes weaker.
    target : {"auto", "nominal", "numeric"}, default="auto"
        ``"auto"`` reads text, Booleans, and integer values with 5 rows each as classes, other numbers as
        numbers; see :ref:`target-kind`. Two classes become 0 and 1. More than two, and any with ``"nominal"``,
        become indicators: r and p are then multiple correlations and the sign rule is ``"magnitude"``, so the
        coding of the classes does not matter. ``"numeric"`` uses the labels as numbers, as the paper does. With
        five classes or more, the selection is usually worse than that of `MRMR`, and there is a warning.
    redundancy : {"pearson", "spearman"}, default="pearson"
        Correlation for the redundancy. ``redundancy="spearman", normalize=False`` is the authors' program of 2022.
    keep, exclude : list of str or int, default=None
        Forced-in features, from which the search starts, and features never to select, by name or position.
    missing : {"error", "drop_rows"}, default="error"
        Missing values raise an error, or their samples are dropped. There is no pairwise treatment: partial
        correlations could then exceed 1.
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
        Score when selected; nan for features not selected.
    relevance_ : ndarray of float of shape (n_features,)
        I(r) of every feature, or its absolute correlation with ``information=False``.
    redundancy_ : ndarray of float of shape (n_features,)
        Mean redundancy at the step of selection; for features not selected, with all selected ones but the last.
    n_evaluations_ : int
        Redundancies that were computed.
    trace_ : dict of str to ndarray
        Per step: ``feature``, ``relevance``, ``redundancy``, ``complementarity``, ``score``; see
        `thresher.plots.plot_tradeoff`.
    exponents_ : ndarray of float of shape (n_features,)
        Exponents of the power transform; nan for features that were not transformed.
    target_kind_ : {"nominal", "numeric"}
        How y was read: as classes or as numbers.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        Only if all column names of X are strings.

    See Also
    --------
    MRMR : Relevance and redundancy only; other measures.
    GSO : Partial correlations only.

    Notes
    -----
    Among candidates within ``1e-10 max(1, |best|)`` of the best score, the one with the lowest column index is
    selected. A candidate whose ranks are a linear combination of those of the selected features is selected only if no
    other is left. Constant features are never selected unless named in `keep`.

    Partial correlations need more samples than selected features. Once ``n_samples - 2`` features are selected, or
    they explain the target completely, selection continues without complementarity, with a warning. Partial
    correlations are mostly noise much earlier: there is a warning from half the number of samples on.

    Time O(n_features n_samples (log n_samples + n_features_to_select)): the features are ranked once, and one product
    per step updates all partial correlations. Memory: the data and their ranks (2 bytes per value up to 32,768
    samples).

    References
    ----------
    A. Tsanas, M. A. Little and P. E. McSharry, "A simple filter benchmark for feature selection", 2010.
    A. Tsanas, "Relevance, redundancy and complementarity trade-off (RRCT)", Patterns, 2022.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher import RRCT
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = RRCT(n_features_to_select=3).fit(X, y)
    >>> X.columns[selector.selected_].tolist()
    ['worst perimeter', 'worst concavity', 'area error']
    """

    _takes_sparse = False
    _nested = True

    n_features_to_select: int | float = param(FeatureCount(), default=10, kw_only=False)
    power: Literal["box-cox", "box-cox-shift", "yeo-johnson"] | None = param(default=None)
    information: bool = param(default=True)
    complementarity: bool = param(default=True)
    normalize: bool = param(default=True)
    sign_rule: Literal["signed", "magnitude"] = param(default="signed")
    redundancy: Literal["pearson", "spearman"] = param(default="pearson")
    target: TargetKind = param(default="auto")
    missing: Literal["error", "drop_rows"] = param(default="error")
    n_jobs: int | None = param(ThreadCount(), default=None)

    @all_or_nothing
    def fit(self, X: DataLike, y: TargetLike, **remote: Unpack[RemoteOptions]) -> Self:
        """Select features.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or strNone
            Classes or numbers; or the name of a column of the dataframe X.
        **remote
            Options for files, if X is a path: `memory_limit` and `scratch`; see :doc:`/scaling`.

        Returns
        -------
        self : RRCT
        """
        training = self._read_rows(X, y, remote=remote)
        n_select = self._count(training.features)
        return self._finish(training.features, self._start(training, n_select).result(), n_select)

    def _start(self, training: LocalData, n_select: int) -> ForwardSearch[Selection]:
        columns = safe_columns(type(self).__name__, training)
        ranks = _core.doubled_ranks(columns, training.n_threads)
        by_class = uses_indicators(training, self.target)
        if by_class and training.labels.n_classes >= MANY_CLASSES:
            warn(
                f"y has {training.labels.n_classes} classes: with {MANY_CLASSES} or more, features selected by RRCT "
                "are usually worse than those of MRMR, and can be worse than random ones. Compare with MRMR or JMI"
            )
        scale = NORMAL_ENTROPY if self.normalize and self.information else 1.0
        search = rrct(
            ranks,
            self._redundancy_columns(training, columns, ranks),
            class_indicators(training) if by_class else _ranked_target(training),
            n_select,
            information=self.information,
            complementarity=self.complementarity,
            magnitude_rule=by_class or self.sign_rule == "magnitude",
            redundancy_scale=scale,
            n_threads=training.n_threads,
            **self._choices(training, training.candidates, n_select),
        )
        return search.reported(partial(self._selection, training, scale))

    def _selection(self, training: LocalData, scale: float, result: SearchResult) -> Selection:
        _warn_of_few_samples(training, result, self.complementarity)
        selected, partials = result.selected, result.partials
        # With all features selected before this one, or before the last.
        redundancy = partials.mean_redundancy.copy()
        redundancy[selected] = result.redundancy
        selection = Selection.of_steps(
            selected,
            result.scores,
            partials.relevance,
            result.redundancy,
            more={"complementarity": partials.complementarity},
            n_evaluations=result.n_evaluations,
            explanation=LastSeen(
                partials.last_score,
                partials.collinear,
                result.nearest,
                result.nearest_value / scale,
            ),
        )
        selection.redundancy = redundancy
        return selection

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.power is not None and self.redundancy == "spearman":
            warn(
                f'power="{self.power}" has no effect with redundancy="spearman": '
                "the transform does not change ranks. Set power=None"
            )

    def _redundancy_columns(self, training: LocalData, columns: Array, ranks: Array) -> Array:
        """Return the columns whose correlations are the redundancy."""
        self.exponents_ = np.full(training.n_features, np.nan)
        if self.redundancy == "spearman":
            return ranks
        if self.power is None:
            return columns
        features = np.union1d(np.flatnonzero(training.candidates), training.kept)
        names = [training.schema.label(int(feature)) for feature in features]
        transformed, self.exponents_ = power_columns(columns, self.power, features, names)
        return transformed


def _ranked_target(training: LocalData) -> Floats:
    """Return the doubled centred ranks of the target as one row."""
    ranks = 2 * rankdata(training.labels.values) - (training.n_rows + 1)
    return np.ascontiguousarray(ranks, dtype=np.float64)[None, :]


def _warn_of_few_samples(training: LocalData, result: SearchResult, complementarity: bool) -> None:
    exhausted = result.partials.exhausted_at
    n_selected = len(result.selected)
    if exhausted is not None:
        warn(
            f"{exhausted} selected features leave no residual of the target in {training.n_rows} samples; later ones "
            "were selected without complementarity. Select fewer"
        )
    elif complementarity and n_selected - 1 > (training.n_rows - 1) / 2:
        warn(
            f"{n_selected} features were selected on {training.n_rows} samples: given more than half as "
            "many features as samples, partial correlations are mostly noise. Select fewer"
        )

"""Relevance filters of Ferreira and Figueiredo, with and without a check for redundancy."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher._checks import ThresherWarning, check_bool, check_choice, check_number
from thresher.discretize import make_discretizer
from thresher.measures import KINDS, Measures
from thresher.measures.columns import (
    DISPERSIONS,
    SEPARATIONS,
    SIMILARITIES,
    dispersion,
    separation,
    similarity,
)
from thresher.search.walk import count_by_cumulative_relevance, redundancy_walk
from thresher.selectors._base import Selection, all_or_nothing, spread
from thresher.selectors._explain import feature_label
from thresher.selectors._ranking import Ranking, rank_by_score
from thresher.sources import Training, read_training, to_feature_major

Floats = npt.NDArray[np.float64]

RELEVANCES = (*DISPERSIONS, *SEPARATIONS, *KINDS)
BINS = "equal-frequency"
# Pairs of features looked at to see whether a similarity can tell features apart.
N_PROBED_PAIRS = 200
# Columns binned at a time.
BLOCK = 1024


class RelevanceFilter(Ranking):
    """What `RFS` and `RRFS` share: relevance by any measure, and how many features that asks for."""

    _missing_options = ("error", "pairwise", "drop_rows")

    @property
    def _needs_target(self) -> bool:  # type: ignore[override]
        return self.relevance not in DISPERSIONS  # type: ignore[attr-defined]

    def _check_relevance(self) -> None:
        check_choice("relevance", self.relevance, RELEVANCES)  # type: ignore[attr-defined]
        check_number(
            "cumulative",
            self.cumulative,  # type: ignore[attr-defined]
            minimum=0,
            maximum=1,
            exclusive_minimum=True,
        )

    def _relevance(self, training: Training, measures: Measures) -> tuple[Floats, Floats]:
        """Relevance of every feature, and its mass: the same but for a ratio that starts at 1."""
        name: str = self.relevance  # type: ignore[attr-defined]
        if name in DISPERSIONS:
            values = dispersion(training, name)
            if name == "iqr" and not values[training.candidates].any():
                warnings.warn(
                    'relevance="iqr" is 0 for every feature: the middle half of each column is one '
                    'value (more than 3/4 zeros?); use "mean-median" or "mad"',
                    ThresherWarning,
                    stacklevel=4,
                )
            return values, np.log(values) if name == "am/gm" else values
        if name in SEPARATIONS:
            values = separation(training, name)
        else:
            values = measures.relevance(name)
        return values, values

    def _target_count(self, training: Training, mass: Floats) -> int:
        """Number asked for, or the number that the share `cumulative` of all relevance needs."""
        wanted = self._count(training, auto=True)
        if wanted is not None:
            return wanted
        can = training.candidates.copy()
        can[training.kept] = True
        try:
            found = count_by_cumulative_relevance(
                mass[can],
                self.cumulative,  # type: ignore[attr-defined]
            )
        except ValueError as error:
            raise ValueError(
                f'relevance="{self.relevance}": {error}'  # type: ignore[attr-defined]
            ) from None
        return max(found, len(training.kept), 1)


class RFS(RelevanceFilter):
    """Relevance filter: the most relevant features, without labels unless the relevance needs them.

    Algorithm 1 of Ferreira and Figueiredo: rank by relevance and take the first m.

    Parameters
    ----------
    n_features_to_select : int, float or "auto", default="auto"
        A number, a fraction of all features, or as many as make up the share `cumulative` of the sum
        of all relevances.
    relevance : str, default="mean-median"
        Without labels: ``"variance"``, ``"mad"`` (mean absolute deviation), ``"mean-median"``
        (their distance; 0 for symmetric columns however wide), ``"iqr"``, ``"am/gm"`` (arithmetic over
        geometric mean, positive columns only), ``"amgm"`` (logarithm of the mean of exp(x - mean)).
        With labels: ``"fir"`` (two-class Fisher ratio), ``"fisher"`` (Fisher score), and the measures
        ``"mi"``, ``"su"``, ``"nmi"``, ``"chi2"``, ``"f"``, ``"pearson"``, ``"spearman"``, ``"cosine"``.
    cumulative : float in (0, 1], default=0.95
        Share of relevance for ``"auto"``. Ferreira and Figueiredo advise 0.7 to 0.9.
    target : {"auto", "nominal", "numeric"}, default="auto"
    discretize : str, transformer or None, default="auto"
        Bins for measures of discrete features: equal frequency, 8 bins.
    keep, exclude : list of str or int, default=None
    missing : {"error", "pairwise", "drop_rows"}, default="error"
        ``"pairwise"``: relevance over the values present.
    n_jobs : int, default=None
        Number of threads; the result does not depend on it.

    Attributes
    ----------
    greater_is_better : bool
        True: large relevance is good.
    selected_, support_, ranking_, scores_, relevance_, n_evaluations_, trace_
        See `MRMR`; ``scores_`` is the relevance of every feature, ``ranking_`` ranks all features.
    bins_ : Bins

    Notes
    -----
    Dispersion depends on units: features on larger scales rank first, except by ``"am/gm"``. Constant
    features have relevance 0 and are never chosen. Ties go to the lowest position; relevances are rounded
    to 40 significant bits. Sparse X is never made dense by measures of numbers. Time O(n_samples) per
    feature, or its stored values.

    References
    ----------
    A. J. Ferreira and M. A. T. Figueiredo, "Efficient feature selection filters for high-dimensional
    data", Pattern Recognition Letters, 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher import RFS
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> RFS(relevance="mad").fit(X).get_feature_names_out().tolist()
    ['mean area', 'worst area']
    """

    def __init__(
        self,
        n_features_to_select: int | float | str = "auto",
        *,
        relevance: str = "mean-median",
        cumulative: float = 0.95,
        target: str = "auto",
        discretize: Any = "auto",
        keep: Any = None,
        exclude: Any = None,
        missing: str = "error",
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.relevance = relevance
        self.cumulative = cumulative
        self.target = target
        self.discretize = discretize
        self.keep = keep
        self.exclude = exclude
        self.missing = missing
        self.n_jobs = n_jobs

    @all_or_nothing
    def fit(self, X: Any, y: Any = None) -> Any:
        """Choose features.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), default=None
            Needed if the relevance is one with labels, else ignored.

        Returns
        -------
        self : RFS
        """
        self._check_relevance()
        training = self._read(X, y)
        measures = Measures(training, discretize=self.discretize, default=BINS)
        relevance, mass = self._relevance(training, measures)
        self.bins_ = measures.bins
        return self._finish_ranking(training, relevance, self._target_count(training, mass))


class RRFS(RelevanceFilter):
    """Relevance-redundancy filter: down the ranking, dropping features too similar to the last kept.

    Algorithm 2 of Ferreira and Figueiredo, with its misprints repaired.

    Parameters
    ----------
    n_features_to_select : int, float or "auto", default="auto"
        Most features to keep; see `RFS`.
    relevance : str, default="mean-median"
        See `RFS`.
    similarity : {"cosine", "pearson", "mici", "su"}, default="cosine"
        Absolute cosine (the paper's), absolute correlation, 1 - smaller eigenvalue of the covariance over the
        smaller variance (the maximal information compression index turned into a similarity), or symmetrical
        uncertainty of binned columns. On positive columns whose spread is small against their mean any two
        features look alike to the cosine; a warning says so.
    max_similarity : float, default=0.8
        A feature is kept if its similarity is strictly below. 1 does not promise to remove copies, whose
        similarity may come out just below 1.
    cumulative : float in (0, 1], default=0.95
        See `RFS`.
    against : {"last", "all"}, default="last"
        Compare with the last kept feature (the paper's: kept features may still be alike) or with all of them.
    scan : {"all", "top"}, default="all"
        Candidates: the whole ranking, or only its first `n_features_to_select`.
    stop_mass : float in (0, 1], default=None
        Stop once the kept features hold this share of all relevance.
    drop_zero : bool, default=True
        Leave features of relevance 0.
    target, discretize, keep, exclude, missing, n_jobs
        See `RFS`. With ``missing="pairwise"`` similarities are over the samples where both values are
        present; cosines over different samples are not strictly comparable.

    Attributes
    ----------
    selected_, support_, ranking_, scores_, relevance_, n_evaluations_
        See `MRMR`; ``scores_`` is the relevance of chosen features, ``n_evaluations_`` counts similarities.
    trace_ : dict of str to ndarray
        Per kept feature: ``feature``, ``relevance``, ``similarity`` (largest met, nan for the first).
    n_scanned_ : int
        Features looked at.
    bins_ : Bins

    Notes
    -----
    Ties go to the lowest position. Similarities are multiples of 2^-40. Time: the relevances, then O(n_samples),
    or the stored values of the candidate, per feature looked at; usually all of them. Sparse X is never made dense
    by measures of numbers. The walk is a chain: a change near `max_similarity` changes all that follows.

    References
    ----------
    A. J. Ferreira and M. A. T. Figueiredo, "Efficient feature selection filters for high-dimensional
    data", Pattern Recognition Letters, 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher import RRFS
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = RRFS(5, relevance="fisher", similarity="pearson").fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['mean radius', 'mean concavity', 'worst radius', 'worst concavity', 'worst concave points']
    >>> selector.reason("worst perimeter")
    'too similar to worst concave points, 0.82; relevance 1.581'
    """

    def __init__(
        self,
        n_features_to_select: int | float | str = "auto",
        *,
        relevance: str = "mean-median",
        similarity: str = "cosine",
        max_similarity: float = 0.8,
        cumulative: float = 0.95,
        against: str = "last",
        scan: str = "all",
        stop_mass: float | None = None,
        drop_zero: bool = True,
        target: str = "auto",
        discretize: Any = "auto",
        keep: Any = None,
        exclude: Any = None,
        missing: str = "error",
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.relevance = relevance
        self.similarity = similarity
        self.max_similarity = max_similarity
        self.cumulative = cumulative
        self.against = against
        self.scan = scan
        self.stop_mass = stop_mass
        self.drop_zero = drop_zero
        self.target = target
        self.discretize = discretize
        self.keep = keep
        self.exclude = exclude
        self.missing = missing
        self.n_jobs = n_jobs

    @all_or_nothing
    def fit(self, X: Any, y: Any = None) -> Any:
        """Choose features.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), default=None
            Needed if the relevance is one with labels, else ignored.

        Returns
        -------
        self : RRFS
        """
        self._check_parameters()
        training = self._read(X, y)
        measures = Measures(training, discretize=self.discretize, default=BINS)
        relevance, mass = self._relevance(training, measures)
        wanted = self._target_count(training, mass)
        pairs = (
            measures.pairs("su")
            if self.similarity == "su"
            else similarity(training, self.similarity)
        )
        can = training.candidates & ~np.isnan(relevance)
        if self.drop_zero:
            can &= mass > 0
        order = rank_by_score(relevance, can, training.kept)
        order = order[: int(can.sum()) + int((~can[training.kept]).sum())]
        if self.scan == "top":
            order = order[:wanted]
        if self.similarity == "cosine":
            warn_if_all_alike(training, pairs, order, self.max_similarity)
        walk = redundancy_walk(
            pairs,
            order,
            mass,
            max_kept=wanted,
            max_similarity=self.max_similarity,
            against=self.against,
            stop_mass=None if self.stop_mass is None else self.stop_mass * float(mass[can].sum()),
            n_kept_before=len(training.kept),
            n_threads=training.n_threads,
        )
        p = training.n_features
        scanned = order[: walk.n_scanned]
        self.bins_ = measures.bins
        self.n_scanned_ = walk.n_scanned
        self._similarity_met = spread(p, scanned, walk.similarity)
        self._rival = np.full(p, -1, dtype=np.int64)
        self._rival[scanned] = walk.rival
        asked_for = self.n_features_to_select != "auto" and self.stop_mass is None
        return self._finish(
            training,
            Selection(
                selected=walk.kept,
                scores=spread(p, walk.kept, relevance[walk.kept]),
                relevance=relevance,
                n_evaluations=walk.n_evaluations,
                trace={
                    "feature": walk.kept,
                    "relevance": relevance[walk.kept],
                    "similarity": self._similarity_met[walk.kept],
                },
                shortfall=f"the others have relevance 0 or a similarity of at least {self.max_similarity}",
            ),
            wanted if asked_for else None,
        )

    def _check_parameters(self) -> None:
        self._check_relevance()
        check_choice("similarity", self.similarity, (*SIMILARITIES, "su"))
        check_number("max_similarity", self.max_similarity, minimum=0, exclusive_minimum=True)
        check_choice("against", self.against, ("last", "all"))
        check_choice("scan", self.scan, ("all", "top"))
        check_bool("drop_zero", self.drop_zero)
        if self.stop_mass is not None:
            check_number(
                "stop_mass", self.stop_mass, minimum=0, maximum=1, exclusive_minimum=True
            )

    def _why_left(self, position: int) -> str:
        relevance = self.relevance_[position]
        rival = int(self._rival[position])
        if rival >= 0:
            names = getattr(self, "feature_names_in_", None)
            label = feature_label(names, rival)
            met = self._similarity_met[position]
            return f"too similar to {label}, {met:.2f}; relevance {relevance:.4g}"
        if not relevance > 0:
            return f"left: relevance {relevance:.4g}"
        return f"not reached: the walk stopped before relevance {relevance:.4g}"


def warn_if_all_alike(
    training: Training, cosine: Any, order: npt.NDArray[np.intp], max_similarity: float
) -> None:
    """Warn if the cosine takes most pairs of positive features for copies and correlation does not."""
    table = training.table
    if len(order) < 3 or max_similarity >= 1 or (table.scan.minimum[order] < 0).any():
        return
    rng = np.random.default_rng(0)
    first = rng.integers(len(order), size=N_PROBED_PAIRS)
    second = (first + rng.integers(1, len(order), size=N_PROBED_PAIRS)) % len(order)
    correlation = similarity(training, "pearson")
    share = [
        float(
            np.mean(
                [
                    measure.values(int(a), np.array([b], dtype=np.uint32))[0, 0] >= max_similarity
                    for a, b in zip(order[first], order[second], strict=True)
                ]
            )
        )
        for measure in (cosine, correlation)
    ]
    if share[0] >= 0.5 and share[1] <= share[0] / 4:
        warnings.warn(
            f'similarity="cosine" cannot tell these features apart: they are not centred and never negative, '
            f"and {share[0]:.0%} of {N_PROBED_PAIRS} random pairs have a cosine of at least "
            f"{max_similarity:g}, but only {share[1]:.1%} a correlation of that size; "
            'use similarity="pearson", or centre the columns',
            ThresherWarning,
            stacklevel=4,
        )


class _Reader(Ranking):
    """Reads data for a function."""


def difficulty_ratio(X: Any, y: Any) -> float:
    """Samples per class and typical level: R_FS = n / (a C), low where selection is hard.

    Parameters
    ----------
    X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Classes.

    Returns
    -------
    ratio : float
        a is the median over features of the number of levels after binning into 8 bins of equal
        frequency, C the number of classes.

    References
    ----------
    G. Brown et al., "Conditional likelihood maximisation", 2012, as used by Ferreira and Figueiredo.

    Examples
    --------
    >>> from thresher import difficulty_ratio
    >>> difficulty_ratio([[1, 0], [2, 0], [3, 1], [4, 0], [10, 0], [4, 3]], [0, 0, 0, 1, 1, 1])
    0.75
    """
    training = read_training(_Reader(), X, y, classes_only=True)
    table = training.table
    discretizer = make_discretizer(BINS)
    arities = []
    for start in range(0, table.n_features, BLOCK):
        block = table.matrix[:, start : start + BLOCK]
        columns = to_feature_major(block.toarray() if table.is_sparse else block)
        _, offsets = discretizer.learn_cuts(columns, None, None, 1)
        arities.append(np.diff(offsets) + 1)
    arity = float(np.median(np.concatenate(arities)))
    return training.n_rows / (arity * training.labels.n_classes)

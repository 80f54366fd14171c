"""Relevance-redundancy filter of Ferreira and Figueiredo: a pass down the ranking that drops similar features."""

from __future__ import annotations

from typing import Literal, Self, Unpack

import numpy as np

from thresher import _core
from thresher._utils.checks import resolve_count, warn
from thresher._utils.params import Interval, NoneOr, Options, estimator, param
from thresher._utils.types import DataLike, Floats, TargetLike
from thresher.blocks import make_measures
from thresher.data import FeatureRoles, LocalData, RemoteOptions, TargetSummary
from thresher.measures import DISPERSIONS, KINDS, SIMILARITIES, Measures, are_discrete, measures_of
from thresher.measures.columns import similarity
from thresher.search.forward import Features
from thresher.search.subsets import Walk, redundancy_walk
from thresher.selectors._base import Selection, all_or_nothing, spread
from thresher.selectors._explain import Similar
from thresher.selectors._ranking import rank_by_score
from thresher.selectors.rfs import BINS, ColumnGroups, RelevanceFilter

# Limits of the check that a similarity can distinguish features: pairs of features, and values read.
N_PROBED_PAIRS = 200
N_PROBED_VALUES = 40_000_000


@estimator
class RRFS(RelevanceFilter):
    """Select relevant features in order, skipping those too similar to the last one selected.

    This is algorithm 2 of Ferreira and Figueiredo, with its misprints corrected.

    Parameters
    ----------
    n_features_to_select : int, float or "auto", default="auto"
        Largest number of features to select; see `RFS`.
    relevance : str, default="auto"
        ``"auto"``: the Fisher score if `fit` gets classes, the absolute correlation if it gets numbers, and the
        dispersion ``"mean-median"`` without y. For others see `RFS`. Dispersion ignores the target: it is for data
        without one, or for selecting the most variable features.
    similarity : {"auto", "cosine", "pearson", "mici", "su", "association"}, default="auto"
        Absolute cosine (the paper's), absolute correlation, 1 minus the smaller eigenvalue of the covariance over the
        smaller variance (the maximal information compression index as a similarity), or symmetrical uncertainty of
        binned columns. ``"auto"``: ``"cosine"`` if the relevance is a dispersion, ``"pearson"`` if it uses a target. If
        positive columns vary little compared with their mean, the cosine of any two is near 1; there is a warning.
    max_similarity : float, default=0.8
        A feature is selected if its similarity is strictly below this. 1 is not guaranteed to remove copies: their
        similarity can be rounded to just below 1.
    cumulative : float in (0, 1], default=0.95
        See `RFS`.
    against : {"last", "all"}, default="last"
        Compare with the last selected feature (the paper's; selected features can still be similar) or with all.
    scan : {"all", "top"}, default="all"
        Candidates: the whole ranking, or only its first `n_features_to_select`.
    stop_mass : float in (0, 1], default=None
        Stop when the selected features have this share of the total relevance.
    drop_zero : bool, default=True
        Never select features of relevance 0.
    target, discretize, keep, exclude, missing, n_jobs, verbose
        See `RFS`. With ``missing="pairwise"``, similarities are computed from the samples where both values are
        present; cosines from different samples are not strictly comparable.

    Attributes
    ----------
    selected_, support_, ranking_, scores_, relevance_, n_evaluations_, target_kind_
        See `MRMR`; ``scores_`` is the relevance of selected features, ``n_evaluations_`` counts similarities.
    trace_ : dict of str to ndarray
        Per selected feature: ``feature``, ``relevance``, ``similarity`` (the largest computed; nan for the first).
    n_scanned_ : int
        Features that were examined.
    relevance_measure_, similarity_measure_ : str
        The values in use; they resolve ``"auto"``.
    bins_ : Bins
        The features that were binned, the rule and the bin edges.

    See Also
    --------
    RFS : The same ranking without a check of redundancy.
    MRMR : Weighs relevance against redundancy at every step.

    Notes
    -----
    Ties go to the lowest column index. Similarities are multiples of 2^-40. Time: the relevances, then O(n_samples), or
    O(stored values of the candidate), per examined feature; usually all are examined. Numeric measures never make
    sparse X dense. The selection is a chain: a change near `max_similarity` changes everything after it.

    References
    ----------
    A. J. Ferreira and M. A. T. Figueiredo, "Efficient feature selection filters for high-dimensional
    data", Pattern Recognition Letters, 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher import RRFS
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = RRFS(5).fit(X, y)
    >>> selector.relevance_measure_, selector.similarity_measure_
    ('fisher', 'pearson')
    >>> selector.get_feature_names_out().tolist()
    ['mean concavity', 'radius error', 'worst radius', 'worst compactness', 'worst concave points']
    >>> selector.reason("worst perimeter")
    'too similar to worst concave points (similarity 0.82); relevance 1.584'
    """

    similarity: Literal["auto", "su", "pearson", "cosine", "association", "mici"] = param(
        Options("auto", *measures_of("RRFS"), *SIMILARITIES), default="auto"
    )
    max_similarity: float = param(Interval(0, open_low=True), default=0.8)
    against: Literal["last", "all"] = param(default="last")
    scan: Literal["all", "top"] = param(default="all")
    drop_zero: bool = param(default=True)
    stop_mass: float | None = param(NoneOr(Interval(0, 1, open_low=True)), default=None)

    def _resolve_measures(self, target: TargetSummary | None) -> None:
        super()._resolve_measures(target)
        self.similarity_measure_: str = self.similarity
        if self.similarity == "auto":
            is_dispersion = self.relevance_measure_ in DISPERSIONS
            self.similarity_measure_ = "cosine" if is_dispersion else "pearson"

    @all_or_nothing
    def fit(self, X: DataLike, y: TargetLike = None, **remote: Unpack[RemoteOptions]) -> Self:
        """Select features.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), default=None
            Classes or numbers. Required if the relevance needs a target, used by ``"auto"``, otherwise ignored.
        **remote
            Options for files, if X is a path: `memory_limit` and `scratch`; see :doc:`/scaling`.

        Returns
        -------
        self : RRFS
        """
        training = self._open(X, y, remote).local
        assert training is not None
        measures = make_measures(training, (), self.discretize, BINS)
        relevance, mass = self._relevance(training, measures)
        n_select = self._target_count(training.features, mass)
        order, stop = self._order(training.features, relevance, mass, n_select)
        pairs = self._pairs(training, measures)
        self._warn_if_all_alike(training, pairs, order)
        result = redundancy_walk(
            pairs,
            order,
            mass,
            max_kept=n_select,
            max_similarity=self.max_similarity,
            against=self.against,
            stop_mass=stop,
            n_kept_before=len(training.kept),
            n_threads=training.n_threads,
        )
        self.bins_ = measures.bins
        return self._describe(training.features, relevance, order, result, n_select)

    def _order(
        self, columns: FeatureRoles, relevance: Floats, mass: Floats, n_select: int
    ) -> tuple[Features, float | None]:
        """Return the features in the order of the scan, and the mass of relevance that stops it."""
        can = columns.candidates & ~np.isnan(relevance)
        if self.drop_zero:
            can &= mass > 0
        order = rank_by_score(relevance, can, columns.kept)
        order = order[: int(can.sum()) + int((~can[columns.kept]).sum())]
        if self.scan == "top":
            order = order[:n_select]
        stop = None if self.stop_mass is None else self.stop_mass * float(mass[can].sum())
        return order, stop

    def _pairs(self, training: LocalData, measures: Measures) -> _core.PairMeasure:
        name = self.similarity_measure_
        if are_discrete(name) or (name in KINDS and KINDS[name].is_mixed):
            return measures.pairs(self.similarity_measure_)
        return similarity(training, self.similarity_measure_)

    def _select(
        self, columns: FeatureRoles, relevance: Floats, mass: Floats, groups: ColumnGroups
    ) -> Self:
        """Scan groups of columns; the last selected column is added to the next group."""
        if self.against == "all":
            raise ValueError(
                'against="all" needs every selected column in memory. Use against="last" with chunks'
            )
        n_select = self._target_count(columns, mass)
        order, stop = self._order(columns, relevance, mass, n_select)
        kept: list[int] = []
        similarities, rivals = np.empty(0), np.empty(0, dtype=np.int64)
        n_evaluations = 0
        for start in range(0, len(order), groups.size):
            last = kept[-1:]
            features = np.array([*last, *order[start : start + groups.size]], dtype=np.intp)
            part = groups.training(features)
            pairs = self._pairs(part, make_measures(part, (), self.discretize, BINS))
            positions = np.arange(len(features))
            if start == 0:
                self._warn_if_all_alike(part, pairs, positions)
            before = float(mass[kept[:-1]].sum())
            result = redundancy_walk(
                pairs,
                positions,
                mass[features],
                max_kept=n_select - max(0, len(kept) - 1),
                max_similarity=self.max_similarity,
                stop_mass=None if stop is None else max(0.0, stop - before),
                n_kept_before=len(last) + max(0, len(columns.kept) - start),
                n_threads=groups.source.n_threads,
            )
            kept += features[result.kept[len(last) :]].tolist()
            similarities = np.append(similarities, result.similarity[len(last) :])
            rival = result.rival[len(last) :]
            rivals = np.append(rivals, np.where(rival >= 0, features[np.maximum(rival, 0)], -1))
            n_evaluations += result.n_evaluations
            if result.n_scanned < len(features):
                break
        chosen = np.array(kept, dtype=np.intp)
        result = Walk(chosen, similarities, rivals, len(similarities), n_evaluations)
        return self._describe(columns, relevance, order, result, n_select)

    def _describe(
        self, columns: FeatureRoles, relevance: Floats, order: Features, result: Walk, n_select: int
    ) -> Self:
        p = columns.n_features
        scanned = order[: result.n_scanned]
        self.n_scanned_ = result.n_scanned
        similarities = spread(p, scanned, result.similarity)
        rival = np.full(p, -1, dtype=np.int64)
        rival[scanned] = result.rival
        # There was a warning already if more features than candidates were requested.
        requested = resolve_count(self.n_features_to_select, columns.n_eligible, auto=True)
        is_short = requested == n_select and self.stop_mass is None
        return self._finish(
            columns,
            Selection(
                selected=result.kept,
                scores=spread(p, result.kept, relevance[result.kept]),
                relevance=relevance,
                n_evaluations=result.n_evaluations,
                trace={
                    "feature": result.kept,
                    "relevance": relevance[result.kept],
                    "similarity": similarities[result.kept],
                },
                explanation=Similar(rival, similarities, result.n_scanned),
                shortfall=f"the others have relevance 0 or a similarity of at least {self.max_similarity}",
            ),
            n_select if is_short else None,
        )

    def _warn_if_all_alike(
        self, training: LocalData, pairs: _core.PairMeasure, order: Features
    ) -> None:
        """Warn if most pairs of positive features are copies by the cosine, but not by the correlation."""
        if self.similarity_measure_ != "cosine" or self.max_similarity >= 1 or len(order) < 3:
            return
        if (training.table.schema.minimum[order] < 0).any():
            return
        rng = np.random.default_rng(0)
        n_pairs = max(20, min(N_PROBED_PAIRS, N_PROBED_VALUES // (2 * training.n_rows)))
        first = rng.integers(len(order), size=n_pairs)
        second = (first + rng.integers(1, len(order), size=n_pairs)) % len(order)

        def share_of_copies(measure: _core.PairMeasure) -> float:
            """Return the share of pairs that are copies by this measure."""
            partners = order[second].astype(np.uint32)[:, None]
            probed = zip(order[first].tolist(), partners, strict=True)
            values = np.array([measure.values(a, b)[0, 0] for a, b in probed])
            return float(np.mean(values >= self.max_similarity))

        by_cosine = share_of_copies(pairs)
        if by_cosine < 0.5:
            return
        by_correlation = share_of_copies(similarity(training, "pearson"))
        if by_correlation <= by_cosine / 4:
            warn(
                f'similarity="cosine" cannot distinguish these features: they are not centred and never negative, '
                f"and {by_cosine:.0%} of {n_pairs} random pairs have a cosine of at least "
                f"{self.max_similarity:g}, but only {by_correlation:.1%} a correlation of that size. "
                'Use similarity="pearson", or centre the columns'
            )

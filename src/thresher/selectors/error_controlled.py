"""Selections with a bound on false features, by a significance filter before the search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from thresher._utils.checks import check_choice, resolve_count
from thresher._utils.long_calls import report, reporting_for
from thresher._utils.params import Interval, NoneOr, estimator, param
from thresher._utils.random import Purpose, stream
from thresher._utils.types import (
    BinRule,
    DataLike,
    Estimator,
    Floats,
    Mask,
    TargetLike,
    Values,
    WeightsLike,
)
from thresher.blocks import reject_blocks
from thresher.data import (
    FeatureRoles,
    reject_files,
    rows_and_columns,
    separate_columns,
    take,
    with_shuffled_copies,
)
from thresher.discretize import uses_target
from thresher.measures import TESTED
from thresher.search.ensemble import draw_seed
from thresher.selectors._base import BaseSelector, Selection, all_or_nothing
from thresher.selectors._filter import FilterSelector
from thresher.selectors._reason import Reason
from thresher.selectors._third_party import (
    MetaSelector,
    attribute_per_feature,
    excluded_by,
    kept_by,
    order_of_choice,
)
from thresher.selectors.univariate import Univariate


@dataclass(frozen=True)
class SignificanceFilter:
    """The features with a p-value that is small enough for a search of `n_features` of them.

    Attributes
    ----------
    passed : ndarray of bool
    n_features : int
        Largest number of features that the search may select; 0 if no feature passes.
    level : float
        The largest p-value that passes.
    """

    passed: Mask
    n_features: int
    level: float


def filter_by_fdr(pvalues: Floats, fdr: float, most: int) -> SignificanceFilter:
    """Find the largest k of at most `most` for which k p-values are at most ``fdr * k / len(pvalues)``.

    If a search then selects any k of the features that pass, the expected share of false ones is at most `fdr` under
    the condition of Benjamini and Hochberg on the p-values.

    Examples
    --------
    >>> filter_by_fdr(np.array([0.01, 0.02, 0.03, 0.5]), 0.1, 2)
    SignificanceFilter(passed=array([ True,  True,  True, False]), n_features=2, level=0.05)
    """
    p = len(pvalues)
    levels = fdr * np.arange(1, most + 1) / max(p, 1)
    n_below = np.searchsorted(np.sort(pvalues), levels, side="right")
    reached = np.flatnonzero(n_below >= np.arange(1, most + 1))
    if not reached.size:
        return SignificanceFilter(np.zeros(p, dtype=bool), 0, fdr / max(p, 1))
    level = float(levels[reached[-1]])
    return SignificanceFilter(pvalues <= level, int(reached[-1]) + 1, level)


def filter_by_pfer(pvalues: Floats, pfer: float, most: int) -> SignificanceFilter:
    """Find all features with a p-value of at most ``pfer / p``: at most `pfer` false ones are expected among them."""
    level = pfer / max(len(pvalues), 1)
    passed = pvalues <= level
    return SignificanceFilter(passed, min(most, int(passed.sum())), level)


def harmonic(k: int) -> float:
    """Return 1 + 1/2 + ... + 1/k, the factor for p-values that depend on each other in any way."""
    return float(np.sum(1.0 / np.arange(1, k + 1)))


Positions = npt.NDArray[np.intp]

# X, features of it and a number of features to the selected features and the fitted selector.
Search = Callable[[DataLike, Positions, int | None], tuple[Positions, Estimator]]

METHODS = ("gate", "compete")
PVALUES = ("permutation", "analytic")


@estimator
class ErrorControlled(MetaSelector):
    """Select features with a bound on the expected share of false ones.

    A significance filter precedes the search: only features with significant relevance are candidates. The level of
    the filter follows from the number of features that the search may then select (*gate, then search*).

    Parameters
    ----------
    selector : selector, default=None
        Any selector with a number of features, which is an upper limit here. None is ``MRMR()``.
    fdr : float, default=0.1
        Level: upper bound on the expected share of false features among those selected.
    pfer : float, default=None
        If set, an upper bound on the expected *number* of false features, used instead of `fdr`.
    method : {"gate", "compete"}, default="gate"
        ``"gate"``
            A filter by p-values before the search.
        ``"compete"``
            A permuted copy of every feature takes part in the search. The list ends where the share of copies becomes
            too large. For rankings, and for selectors whose relevance is not a measure.
    pvalues : {"permutation", "analytic"} or array-like of shape (n_features,), default="permutation"
        P-values of the relevance, computed as by `Univariate`, or passed as an array.
    n_permutations : int, default=100
        Number of permutations of ``pvalues="permutation"``.
    dependence : {"positive", "any"}, default="positive"
        Assumed dependence between the p-values. ``"any"`` divides the level by 1 + 1/2 + ... + 1/K for K requested
        features; the bound then needs no condition.
    random_state : int, RandomState or None, default=None
        Seed of the permutations.
    verbose : int, default=0
        1 prints a line for the filter and one at the end; the logger ``thresher`` gets the same at level INFO.

    Attributes
    ----------
    pvalues_ : ndarray of float of shape (n_features,)
        1 for constant and excluded features; nan with ``method="compete"``.
    gate_ : ndarray of bool of shape (n_features,)
        Whether each feature passed the filter.
    gate_level_ : float
        The largest p-value that passes.
    relevance_name_ : str
        The measure of the p-values; ``"given"`` if they were passed.
    selector_ : selector or None
        The selector, fitted on the features that passed; None if none did.
    selected_, support_, ranking_, scores_, relevance_, redundancy_, n_evaluations_, trace_, target_kind_
        See `MRMR`.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    Univariate : Select by p-values alone.
    Ensemble : With ``kind="halves"``, another selection with an error bound.
    thresher.evaluate.probe_select : Select by random probe features.

    Notes
    -----
    **The guarantee**: the expected share of features *independent of y* among those selected is at most `fdr`. It
    requires valid p-values that fulfil Benjamini and Hochberg's condition (positive dependence), or any valid ones with
    ``dependence="any"``. For F and correlations of correlated features this condition is an empirical finding, as it is
    for Benjamini and Hochberg's procedure itself. **No guarantee**: that a feature has an effect, or adds information
    to the others. Features that matter only together have no relevance alone and never pass, with any criterion.

    A selector that chooses the number of features itself gets the level of ``dependence="any"``, since it may select
    fewer features than the filter allows. The filter is then tightened until the selection fits. ``keep`` raises an
    error. ``sample_weight`` is passed on by metadata routing, as in `Ensemble`, but not with permutations, because
    weighted samples are not exchangeable. Missing values and ties are treated as by the selector. If the selector bins
    by y, the p-values use equal frequencies. Time: one product of all features with `n_permutations` permuted targets
    (for measures of counts, one count of the packed features for each), and the search on the features that passed.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher import MRMR, ErrorControlled
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> careful = ErrorControlled(MRMR(5), fdr=0.05, random_state=0).fit(X, y)
    >>> int(careful.gate_.sum()), len(careful.selected_)
    (25, 5)
    """

    fdr: float = param(Interval(), default=0.1, kw_only=False)
    pfer: float | None = param(NoneOr(Interval(0, open_low=True)), default=None)
    method: Literal["gate", "compete"] = param(default="gate")
    pvalues: Literal["permutation", "analytic"] | Floats | Sequence[float] = param(
        default="permutation"
    )
    n_permutations: int = param(Interval(20, integer=True), default=100)
    dependence: Literal["positive", "any"] = param(default="positive")

    _fitted_too = ("gate_", "gate_level_", "pvalues_", "relevance_name_")

    @all_or_nothing
    def fit(self, X: DataLike, y: TargetLike, **params: object) -> Self:
        """Select features.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or strNone
            Classes or numbers; or the name of a column of the dataframe X.
        **params
            Passed to the selector's ``fit`` by metadata routing.

        Returns
        -------
        self : ErrorControlled
        """
        self._check_parameters()
        routed = self._routed(params)
        selector = self._given_selector()
        if keep := kept_by(selector):
            raise ValueError(f"{keep} selects untested features. Remove it from the selector")
        reject_files(X, self)
        reject_blocks(self, X)
        X, y, weights = separate_columns(X, y, routed.get("sample_weight"))
        routed = {**routed, "sample_weight": weights} if "sample_weight" in routed else routed
        X = rows_and_columns(X)
        X = X.tocsc() if hasattr(X, "tocsc") else X  # the search takes columns
        ranking = self._rank(selector, X, y, routed.get("sample_weight"))
        self._copy_names(ranking)
        candidates = np.flatnonzero(~ranking._constant & ~ranking._excluded)
        wanted = _count_of(selector, len(candidates))
        self.relevance_name_: str = ranking.measure
        self._record_target(ranking.target_kind_)
        search = partial(_search_among, selector, y, routed)
        if self.method == "compete":
            selected = self._compete(search, X, candidates, wanted)
        else:
            self.pvalues_ = self._pvalues(ranking)
            selected = self._filter_and_search(search, X, candidates, wanted)
        return self._describe(ranking, selected)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if isinstance(self.pvalues, str):
            check_choice("pvalues", self.pvalues, PVALUES)
        if not 0 < self.fdr < 1:
            raise ValueError(f"fdr must be between 0 and 1, got {self.fdr}")
        if self.pfer is not None and self.method == "compete":
            raise ValueError(
                'pfer needs method="gate", got method="compete". Set method="gate", or pass fdr instead of pfer'
            )

    def _rank(
        self, selector: Estimator, X: DataLike, y: TargetLike, sample_weight: WeightsLike
    ) -> Univariate:
        """Fit p-values of the relevance of the selector, on input that is read like its input."""
        known = ("target", "missing", "n_jobs")
        options = {name: getattr(selector, name) for name in known if hasattr(selector, name)}
        options |= {"measure": "f", "exclude": excluded_by(selector)[1]}
        if isinstance(selector, FilterSelector):
            resolved = clone(selector)
            training = resolved._read(X, y, sample_weight)
            name = resolved.make_criterion(training).measures[0]
            if name == "pearson" and training.labels.n_classes > 2:
                name = "r2"  # the generalization to classes
            options["measure"] = name if name in TESTED else "mi"
            options["discretize"] = _unsupervised(selector)
        kind = self.pvalues if isinstance(self.pvalues, str) else "analytic"
        ranking = Univariate(
            1,
            pvalues="analytic" if self.method == "compete" else kind,
            n_permutations=self.n_permutations,
            random_state=self.random_state,
            **options,
        )
        with reporting_for():
            return ranking.fit(X, y, sample_weight)

    def _pvalues(self, ranking: Univariate) -> Floats:
        if isinstance(self.pvalues, str):
            return ranking.pvalues_
        try:
            given = np.asarray(self.pvalues, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(
                f"pvalues must be numbers, one for each feature, got {self.pvalues!r}"
            ) from None
        if given.shape != (self.n_features_in_,):
            raise ValueError(
                f"pvalues must contain {self.n_features_in_} p-values, one per feature, got shape {given.shape}"
            )
        bad = np.flatnonzero(~((given >= 0) & (given <= 1)))
        if bad.size:
            raise ValueError(f"pvalues must be in [0, 1], got {given[bad[0]]} for feature {bad[0]}")
        self.relevance_name_ = "given"
        return np.where(ranking._constant | ranking._excluded, 1.0, given)

    def _filter_and_search(
        self, search: Search, X: DataLike, candidates: Positions, wanted: int | None
    ) -> Positions:
        pvalues = self.pvalues_[candidates]
        most = len(candidates) if wanted is None else wanted
        level = self.fdr
        if self.dependence == "any" or wanted is None:
            level /= harmonic(most)
        while True:
            if self.pfer is not None:
                filtered = filter_by_pfer(pvalues, self.pfer, most)
            else:
                filtered = filter_by_fdr(pvalues, level, most)
            passed = candidates[filtered.passed]
            selected, fitted = search(X, passed, None if wanted is None else filtered.n_features)
            # A search that stops early selects fewer features than its filter is valid for.
            if self.pfer is not None or len(selected) >= filtered.n_features or not len(selected):
                self._set_filter(passed, filtered.level, fitted)
                return selected
            most = len(selected)

    def _compete(
        self, search: Search, X: DataLike, candidates: Positions, wanted: int | None
    ) -> Positions:
        """Return the real features of the longest prefix of the search with few enough permuted copies."""
        p = len(candidates)
        rng = stream(draw_seed(self.random_state), Purpose.COMPETING_COPIES)
        both = with_shuffled_copies(take(X, candidates, axis=1), rng)
        # Ties go to the lowest position, so positions must be random.
        columns = rng.permutation(2 * p)
        mixed = take(both, columns, axis=1)
        most = p if wanted is None else wanted
        n_requested = None if wanted is None else min(2 * most, 2 * p)
        order, fitted = search(mixed, np.arange(2 * p), n_requested)
        is_real = columns[order] < p
        n_real, n_copies = np.cumsum(is_real), np.cumsum(~is_real)
        fits = (p / (p + 1)) * (1 + n_copies) <= self.fdr * n_real
        fits &= n_real <= most
        end = int(np.flatnonzero(fits)[-1]) + 1 if fits.any() else 0
        self.pvalues_ = np.full(self.n_features_in_, np.nan)
        self._set_filter(candidates, np.nan, fitted)
        return candidates[columns[order[:end]][is_real[:end]]]

    def _set_filter(self, passed: Positions, level: float, fitted: Estimator) -> None:
        self.gate_ = np.isin(np.arange(self.n_features_in_), passed)
        self.gate_level_ = level
        self.selector_ = fitted
        report(self, "%d of %d features pass the filter", len(passed), self.n_features_in_)

    def _describe(self, ranking: Univariate, selected: Positions) -> Self:
        p = self.n_features_in_
        passed = np.flatnonzero(self.gate_)
        fitted = self.selector_ if self.method == "gate" else None
        names = getattr(self, "feature_names_in_", None)
        columns = FeatureRoles(
            names, ~ranking._constant & ~ranking._excluded, np.empty(0, np.intp), ranking._excluded
        )
        selection = Selection(
            selected,
            attribute_per_feature(fitted, "scores_", passed, p),
            ranking.scores_,
            attribute_per_feature(fitted, "redundancy_", passed, p),
            n_evaluations=int(getattr(self.selector_, "n_evaluations_", 0)),
            trace={
                "feature": selected,
                "relevance": ranking.scores_[selected],
                "p-value": self.pvalues_[selected],
            },
            shortfall="no feature is significant at this level",
        )
        return self._finish(columns, selection)

    def _check_state(self) -> None:
        super()._check_state()
        check_choice("method", self.method, METHODS)
        searched, n_searched = vars(self).get("selector_"), int(self.gate_.sum())
        if self.method == "compete":
            n_searched *= 2
        n_fitted = 0 if searched is None else getattr(searched, "n_features_in_", None)
        if n_fitted != n_searched:
            raise ValueError("selector_ and gate_ of ErrorControlled disagree")

    def _account(self) -> Callable[[int], Reason]:
        """Return the reason of the search for features that passed the filter, else the p-value."""
        outer = super()._account()
        searched = self.selector_ if self.method == "gate" else None
        inner = searched._account() if isinstance(searched, BaseSelector) else None
        passed = np.flatnonzero(self.gate_)
        indices = {int(feature): i for i, feature in enumerate(passed)}

        def explain(position: int) -> Reason:
            reason = outer(position)
            if position in indices and inner is not None:
                inside = inner(indices[position])
                partner = None if inside.partner is None else int(passed[inside.partner])
                return replace(inside, partner=partner, step=reason.step, rank=reason.rank)
            if reason.kind == "unexplained" and self.pvalues_[position] > self.gate_level_:
                pvalue, level = float(self.pvalues_[position]), self.gate_level_
                return replace(reason, kind="not significant", value=pvalue, against=level)
            return reason

        return explain


def _search_among(
    selector: Estimator,
    y: TargetLike,
    params: Values,
    X: DataLike,
    features: Positions,
    n_features: int | None,
) -> tuple[Positions, Estimator]:
    """Return the selection of a clone of the selector among these features, and the clone."""
    if not features.size:
        return features, None
    fitted = clone(selector)
    name, exclude = excluded_by(fitted)
    if exclude is not None:
        fitted.set_params(**{name: None})
    if n_features is not None:
        name = "n_features_to_select" if hasattr(fitted, "n_features_to_select") else "k"
        fitted.set_params(**{name: n_features})
    with reporting_for():
        fitted.fit(take(X, features, axis=1), y, **params)
    return features[order_of_choice(fitted)], fitted


def _count_of(selector: Estimator, n_candidates: int) -> int | None:
    """Return the number of features requested from the selector; None if it decides itself."""
    for name in ("n_features_to_select", "k"):
        value = getattr(selector, name, None)
        if value is not None:
            wanted = None if value in ("auto", "all") else resolve_count(value, n_candidates)
            return None if wanted is None else min(wanted, n_candidates)
    return None


def _unsupervised(selector: FilterSelector) -> BinRule:
    """Return the bins of the selector, or equal frequencies if they depend on y."""
    rule = selector.bin_rule()
    return "equal-frequency" if rule is not None and uses_target(rule) else rule

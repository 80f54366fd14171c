"""Values that a search computed for each feature, from which reasons are made on request."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher._utils.lazy import cached
from thresher._utils.types import Estimator, Floats, Mask
from thresher.selectors._reason import Kind, Reason

# For each feature the chosen one it was compared with, -1 for none; counts per feature; a set of features.
Positions = npt.NDArray[np.int64]
Counts = npt.NDArray[np.int64]
FeatureSet = npt.NDArray[np.intp]

# Least redundancy in [0, 1] of a redundant feature, if the relevance is another measure or no more than noise.
CLEARLY_REDUNDANT = 0.5

# A feature is called irrelevant if it has at most this share of the largest relevance.
NEGLIGIBLE = 0.01

# The formulas of the terms of `_core.ThreeWayMeasure`.
TERM_NAMES = {
    "joint": "I(f,g;C)",
    "conditional": "I(f;C|g)",
    "disr": "I(f,g;C)/H(f,g,C)",
    "interaction": "I(f;g) - I(f;g|C)",
}


class Account:
    """The reasons of a fitted selector, feature by feature.

    Attributes
    ----------
    relevance, scores : ndarray of float of shape (n_features,)
    """

    def __init__(self, selector: Estimator) -> None:
        self.relevance: Floats = selector.relevance_
        self.scores: Floats = selector.scores_
        self._selector = selector
        self._steps = {int(f): step for step, f in enumerate(selector.selected_, 1)}

    @cached
    def largest_relevance(self) -> float:
        known = self.relevance[np.isfinite(self.relevance)]
        return float(known.max()) if known.size else 0.0

    def reason(self, feature: int) -> Reason:
        """Return why the feature was or was not selected."""
        step = self._steps.get(feature)
        if step is None and self._selector._excluded[feature]:
            return Reason("excluded")
        if step is None and self._selector._constant[feature]:
            return Reason("constant")
        explanation: Explanation = self._selector._explanation
        explain = explanation.left if step is None else explanation.chosen
        reason = explain(feature, self)
        return dataclasses.replace(
            reason,
            step=step,
            is_kept=feature in self._selector._kept,
            rank=int(self._selector.ranking_[feature]),
            score=reason.score if step is None else known(self.scores[feature]),
            relevance=known(self.relevance[feature]),
            redundancy=known(self._selector.redundancy_[feature]),
        )


def known(value: float) -> float | None:
    """Return the number, or None for nan."""
    return None if np.isnan(value) else float(value)


@dataclass
class Explanation:
    """The values of a search that explain its result; this base class has none."""

    def chosen(self, feature: int, account: Account) -> Reason:
        """Return why a feature was selected."""
        return Reason("chosen")

    def left(self, feature: int, account: Account) -> Reason:
        """Return why a candidate was not selected."""
        return Reason("unexplained")

    def fits_together(self) -> bool:
        """Return whether fields of the right types also agree with each other."""
        return True


@dataclass
class Nearest(Explanation):
    """The largest redundancy that a search computed for each feature.

    Attributes
    ----------
    partner : ndarray of int of shape (n_features,)
        The chosen feature with this redundancy; -1 if none was computed.
    value : ndarray of float of shape (n_features,)
        The redundancy.
    comparable : bool
        Whether relevance and redundancy are the same measure.
    noise : ndarray of bool of shape (n_features,)
        Whether one in twenty features of noise has a larger relevance.
    threshold : float or None
        The search considered only larger relevances.
    added : ndarray of int or None
        Features that the locally predictive step added.
    in_bits : bool
        Whether redundancies are the bits that two features share.
    """

    partner: Positions
    value: Floats
    comparable: bool
    noise: Mask
    threshold: float | None = None
    added: FeatureSet | None = None
    in_bits: bool = False

    def chosen(self, feature: int, account: Account) -> Reason:
        if self.added is not None and feature in self.added:
            return Reason("locally predictive")
        return self._with_partner("chosen", feature)

    def _with_partner(self, kind: Kind, feature: int) -> Reason:
        what = "bits" if self.in_bits else "largest redundancy"
        return _with_partner(kind, self.partner, self.value, feature, what)

    def left(self, feature: int, account: Account) -> Reason:
        relevance = account.relevance[feature]
        if self.threshold is not None and not relevance > self.threshold:
            return Reason("irrelevant", against=self.threshold)
        is_compared = self.partner[feature] >= 0
        # A copy of a chosen feature is redundant with it, even if both are hardly informative.
        is_noise = self.noise[feature] and not (
            is_compared and self.value[feature] >= CLEARLY_REDUNDANT
        )
        if is_noise or relevance <= NEGLIGIBLE * account.largest_relevance:
            return Reason("irrelevant")
        if not is_compared:
            return Reason("not competitive")
        bound = relevance if self.comparable else CLEARLY_REDUNDANT
        kind: Kind = "redundant" if self.value[feature] >= bound else "outscored"
        return self._with_partner(kind, feature)


@dataclass
class LastSeen(Explanation):
    """The last values of each feature in a search that evaluates all candidates in every step.

    Attributes
    ----------
    score : ndarray of float of shape (n_features,)
    collinear : ndarray of bool
        Whether the feature is a linear combination of chosen ones.
    partner : ndarray of int
        The chosen feature that it is most redundant with; -1 if no redundancy was computed.
    redundancy : ndarray of float
        This redundancy.
    """

    score: Floats
    collinear: Mask
    partner: Positions
    redundancy: Floats

    def chosen(self, feature: int, account: Account) -> Reason:
        return _with_partner("chosen", self.partner, self.redundancy, feature)

    def left(self, feature: int, account: Account) -> Reason:
        if self.collinear[feature]:
            return Reason("collinear")
        reason = _with_partner("outscored", self.partner, self.redundancy, feature)
        return dataclasses.replace(reason, score=known(self.score[feature]))


@dataclass
class Walked(Explanation):
    """The values with which `CMIFilter` rejected features on its way down the ranking.

    Attributes
    ----------
    value, successor : ndarray of float of shape (n_features,)
        Conditional information of the feature, and of the next in the list; nan if not compared.
    n_walked : int
        Number of features that were evaluated.
    """

    value: Floats
    successor: Floats
    n_walked: int

    def left(self, feature: int, account: Account) -> Reason:
        if np.isnan(self.value[feature]):
            return Reason("not reached", against=float(self.n_walked))
        return Reason(
            "passed over", value=float(self.value[feature]), against=float(self.successor[feature])
        )


@dataclass
class TermsSeen(Explanation):
    """The least favourable term of each feature.

    It is the smallest term, or the largest one of a criterion that subtracts terms.

    Attributes
    ----------
    partner : ndarray of int of shape (n_features,)
        The chosen feature g of this term; -1 if none was computed.
    value : ndarray of float of shape (n_features,)
        The term.
    term : str
        Its name, a key of `TERM_NAMES`.
    """

    partner: Positions
    value: Floats
    term: str

    def chosen(self, feature: int, account: Account) -> Reason:
        if self.partner[feature] < 0:
            return Reason("chosen")
        end = "largest" if self.term == "interaction" else "smallest"
        what = f"{end} {TERM_NAMES[self.term]}"
        return _with_partner("chosen", self.partner, self.value, feature, what)

    def left(self, feature: int, account: Account) -> Reason:
        kind: Kind = "outscored" if self.partner[feature] >= 0 else "not competitive"
        return dataclasses.replace(self.chosen(feature, account), kind=kind)

    def fits_together(self) -> bool:
        return self.term in TERM_NAMES or bool((self.partner < 0).all())


@dataclass
class Outscored(Explanation):
    """The score of each feature in the last step that evaluated it.

    Attributes
    ----------
    score : ndarray of float of shape (n_features,)
    what : str
        The name of the score.
    """

    score: Floats
    what: str
    collinear: Mask | None = None

    def left(self, feature: int, account: Account) -> Reason:
        if self.collinear is not None and self.collinear[feature]:
            return Reason("collinear")
        if np.isnan(self.score[feature]):
            return Reason("not evaluated")
        return Reason("outscored", value=float(self.score[feature]), what=f"last {self.what}")


@dataclass
class Similar(Explanation):
    """The similarity of each feature with the chosen feature that excludes it.

    Attributes
    ----------
    rival : ndarray of int of shape (n_features,)
        The chosen feature with this similarity; -1 for none.
    similarity : ndarray of float of shape (n_features,)
    n_walked : int
        Number of features that were evaluated.
    """

    rival: Positions
    similarity: Floats
    n_walked: int

    def chosen(self, feature: int, account: Account) -> Reason:
        return _with_partner("chosen", self.rival, self.similarity, feature, "similarity")

    def left(self, feature: int, account: Account) -> Reason:
        if self.rival[feature] >= 0:
            return _with_partner("too similar", self.rival, self.similarity, feature, "similarity")
        if not account.relevance[feature] > 0:
            return Reason("irrelevant")
        return Reason("not reached", against=float(self.n_walked))


@dataclass
class Represented(Explanation):
    """The cluster of each feature (-1: none), and the medoids."""

    clusters: Positions
    medoids: FeatureSet

    def left(self, feature: int, account: Account) -> Reason:
        cluster = int(self.clusters[feature])
        if cluster < 0:
            return Reason("unexplained")
        return Reason("represented", int(self.medoids[cluster]), float(cluster))

    def fits_together(self) -> bool:
        return bool((self.clusters < len(self.medoids)).all())


@dataclass
class Entered(Explanation):
    """The penalty at which each feature entered the path of the lasso; nan if it did not."""

    penalty: Floats

    def chosen(self, feature: int, account: Account) -> Reason:
        return Reason("filled up" if np.isnan(self.penalty[feature]) else "chosen")

    def left(self, feature: int, account: Account) -> Reason:
        if np.isnan(self.penalty[feature]):
            return Reason("not entered")
        return Reason("entered later", value=float(self.penalty[feature]))


@dataclass
class Ranked(Explanation):
    """The rank of a feature.

    Attributes
    ----------
    best : str
        The scores that come first: ``"largest"`` or ``"smallest"``.
    pvalues : ndarray of float or None
        Corrected p-values, if they decide.
    alpha : float
        The largest p-value of a selected feature.
    """

    best: str
    pvalues: Floats | None = None
    alpha: float = 1.0

    def left(self, feature: int, account: Account) -> Reason:
        score = known(account.scores[feature])
        if score is None:
            return Reason("undefined")
        reason = Reason("outranked", what=self.best, score=score)
        if self.pvalues is None:
            return reason
        value = float(self.pvalues[feature])
        return dataclasses.replace(reason, kind="insignificant", value=value, against=self.alpha)


@dataclass
class Needed(Explanation):
    """The rise of the risk without each chosen feature, which is its score.

    Attributes
    ----------
    risk : float
        The risk of the chosen set.
    """

    risk: float

    def chosen(self, feature: int, account: Account) -> Reason:
        return Reason("needed", value=float(account.scores[feature]), against=self.risk)

    def left(self, feature: int, account: Account) -> Reason:
        return Reason("not needed", value=self.risk)


@dataclass
class Teamed(Explanation):
    """The role of each feature in a search for sets.

    Attributes
    ----------
    share : ndarray of float of shape (n_features,)
        Share of the good sets that contain the feature; nan outside the pool.
    n_good : int
        Number of sets within one standard error of the best.
    """

    share: Floats
    n_good: int

    def chosen(self, feature: int, account: Account) -> Reason:
        return Reason("teamed", value=float(self.share[feature]), against=float(self.n_good))

    def left(self, feature: int, account: Account) -> Reason:
        if np.isnan(self.share[feature]):
            n_pool = int(np.sum(~np.isnan(self.share)))
            return Reason("not in the pool", against=float(n_pool))
        return dataclasses.replace(self.chosen(feature, account), kind="left out")


@dataclass
class Ballot(Explanation):
    """The votes of the replicates of an ensemble for each feature.

    Attributes
    ----------
    votes : ndarray of int of shape (n_features,)
    n_replicates : int
    needed : int
        Number of votes that selects a feature; 0 if the most votes do.
    """

    votes: Counts
    n_replicates: int
    needed: int = 0

    def chosen(self, feature: int, account: Account) -> Reason:
        what = f"{self.needed} needed" if self.needed else ""
        votes = float(self.votes[feature])
        return Reason("voted", value=votes, against=float(self.n_replicates), what=what)

    def left(self, feature: int, account: Account) -> Reason:
        return dataclasses.replace(self.chosen(feature, account), kind="outvoted")


def _with_partner(
    kind: Kind, partner: Positions, value: Floats, feature: int, what: str = "largest redundancy"
) -> Reason:
    """Return a reason about the partner of a feature, if it has one."""
    if partner[feature] < 0:
        return Reason(kind)
    return Reason(kind, int(partner[feature]), float(value[feature]), what=what)

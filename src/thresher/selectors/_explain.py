"""What a search saw of each feature; a reason is made of it when someone asks."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher._utils.lazy import cached
from thresher._utils.types import Estimator, Floats, Mask
from thresher.selectors._reason import Kind, Reason

# The chosen feature that each feature met, -1 for none; how often each was chosen; some features.
Positions = npt.NDArray[np.int64]
Counts = npt.NDArray[np.int64]
FeatureSet = npt.NDArray[np.intp]

# From here on a redundancy in [0, 1] is called one, where it cannot be compared with the relevance, or that is noise.
CLEARLY_REDUNDANT = 0.5

# A feature is called irrelevant if it has at most this share of the largest relevance.
NEGLIGIBLE = 0.01

# What the terms of `_core.ThreeWayMeasure` are called.
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
    relevance, redundancy, scores : ndarray of float of shape (n_features,)
    ranking : ndarray of int of shape (n_features,)
    """

    def __init__(self, selector: Estimator) -> None:
        self.relevance: Floats = selector.relevance_
        self.redundancy: Floats = selector.redundancy_
        self.scores: Floats = selector.scores_
        self.ranking: npt.NDArray[np.intp] = selector.ranking_
        self._selector = selector
        self._steps = {int(f): step for step, f in enumerate(selector.selected_, 1)}

    @cached
    def largest_relevance(self) -> float:
        known = self.relevance[np.isfinite(self.relevance)]
        return float(known.max()) if known.size else 0.0

    def reason(self, feature: int) -> Reason:
        """Why the feature was chosen or left."""
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
            rank=int(self.ranking[feature]),
            score=reason.score if step is None else known(self.scores[feature]),
            relevance=known(self.relevance[feature]),
            redundancy=known(self.redundancy[feature]),
        )


def known(value: float) -> float | None:
    """A number, or None for nan."""
    return None if np.isnan(value) else float(value)


@dataclass
class Explanation:
    """What a search saw, and can say of features; this one says nothing."""

    def chosen(self, feature: int, account: Account) -> Reason:
        """Why a feature was chosen."""
        return Reason("chosen")

    def left(self, feature: int, account: Account) -> Reason:
        """Why a feature was left that could have been chosen."""
        return Reason("unexplained")

    def fits_together(self) -> bool:
        """Whether fields of the right types also agree with each other."""
        return True


@dataclass
class Nearest(Explanation):
    """The largest redundancy that a search met, per feature.

    Attributes
    ----------
    partner : ndarray of int of shape (n_features,)
        The chosen feature it was met with; -1 where none was evaluated.
    value : ndarray of float of shape (n_features,)
    comparable : bool
        Relevance and redundancy are the same measure.
    noise : ndarray of bool of shape (n_features,)
        Relevances that one in twenty features of noise exceeds.
    threshold : float or None
        Relevances up to this were not considered.
    added : ndarray of int or None
        Features that the locally predictive step added.
    """

    partner: Positions
    value: Floats
    comparable: bool
    noise: Mask
    threshold: float | None = None
    added: FeatureSet | None = None

    def chosen(self, feature: int, account: Account) -> Reason:
        if self.added is not None and feature in self.added:
            return Reason("locally predictive")
        return _with_partner("chosen", self.partner, self.value, feature)

    def left(self, feature: int, account: Account) -> Reason:
        relevance = account.relevance[feature]
        if self.threshold is not None and not relevance > self.threshold:
            return Reason("irrelevant", against=self.threshold)
        is_met = self.partner[feature] >= 0
        # What repeats a chosen feature is redundant with it, however little the two tell.
        is_noise = self.noise[feature] and not (is_met and self.value[feature] >= CLEARLY_REDUNDANT)
        if is_noise or relevance <= NEGLIGIBLE * account.largest_relevance:
            return Reason("irrelevant")
        if not is_met:
            return Reason("never near")
        bound = relevance if self.comparable else CLEARLY_REDUNDANT
        kind: Kind = "redundant" if self.value[feature] >= bound else "outscored"
        return _with_partner(kind, self.partner, self.value, feature)


@dataclass
class LastSeen(Explanation):
    """What a search that looks at every candidate in every step last saw of each feature.

    Attributes
    ----------
    score : ndarray of float of shape (n_features,)
    collinear : ndarray of bool
        The feature is a linear combination of chosen ones.
    partner : ndarray of int
        The chosen feature it was most redundant with; -1 where no redundancy was computed.
    redundancy : ndarray of float
        That redundancy.
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
    """What the walk saw of the features it passed over.

    Attributes
    ----------
    value, successor : ndarray of float of shape (n_features,)
        Conditional information of the feature, and of the next of the list; nan if not compared.
    n_walked : int
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
    """The term that spoke most against each feature.

    It is the smallest term, or for a criterion that takes terms away the largest.

    Attributes
    ----------
    partner : ndarray of int of shape (n_features,)
        The chosen feature g of that term; -1 where none was computed.
    value : ndarray of float of shape (n_features,)
    term : str
    """

    partner: Positions
    value: Floats
    term: str

    def chosen(self, feature: int, account: Account) -> Reason:
        return self._met("chosen", feature)

    def left(self, feature: int, account: Account) -> Reason:
        return self._met("outscored" if self.partner[feature] >= 0 else "never near", feature)

    def _met(self, kind: Kind, feature: int) -> Reason:
        if self.partner[feature] < 0:
            return Reason(kind)
        end = "largest" if self.term == "interaction" else "smallest"
        what = f"{end} {TERM_NAMES[self.term]}"
        return _with_partner(kind, self.partner, self.value, feature, what)

    def fits_together(self) -> bool:
        return self.term in TERM_NAMES or bool((self.partner < 0).all())


@dataclass
class Outscored(Explanation):
    """The score of each feature in the last step that looked at it.

    Attributes
    ----------
    score : ndarray of float of shape (n_features,)
    what : str
        What the score is called.
    """

    score: Floats
    what: str
    collinear: Mask | None = None

    def left(self, feature: int, account: Account) -> Reason:
        if self.collinear is not None and self.collinear[feature]:
            return Reason("collinear")
        if np.isnan(self.score[feature]):
            return Reason("not looked at")
        return Reason("outscored", value=float(self.score[feature]), what=f"last {self.what}")


@dataclass
class Similar(Explanation):
    """The similarity that a walk met, per feature.

    Attributes
    ----------
    rival : ndarray of int of shape (n_features,)
        The chosen feature it was met with; -1 where there was none.
    similarity : ndarray of float of shape (n_features,)
    n_walked : int
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
    """A place among all features.

    Attributes
    ----------
    best : str
        Which scores come first, ``"largest"`` or ``"smallest"``.
    pvalues : ndarray of float or None
        Corrected p-values, where they decide.
    alpha : float
        The largest of them that is good enough.
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
    """What the risk of the chosen set rises by without each feature.

    Attributes
    ----------
    risk : float
        Of the chosen set.
    """

    risk: float

    def chosen(self, feature: int, account: Account) -> Reason:
        return Reason("needed", value=float(account.scores[feature]), against=self.risk)

    def left(self, feature: int, account: Account) -> Reason:
        return Reason("not needed", value=self.risk)


@dataclass
class Teamed(Explanation):
    """The place of each feature in a search for sets.

    Attributes
    ----------
    share : ndarray of float of shape (n_features,)
        Share of the good sets that have the feature; nan outside the pool.
    n_good : int
        Sets within one standard error of the best.
    """

    share: Floats
    n_good: int

    def chosen(self, feature: int, account: Account) -> Reason:
        return self._counted("teamed", feature)

    def left(self, feature: int, account: Account) -> Reason:
        if np.isnan(self.share[feature]):
            n_pool = int(np.sum(~np.isnan(self.share)))
            return Reason("not in the pool", against=float(n_pool))
        return self._counted("left out", feature)

    def _counted(self, kind: Kind, feature: int) -> Reason:
        return Reason(kind, value=float(self.share[feature]), against=float(self.n_good))


@dataclass
class Ballot(Explanation):
    """How many replicates of an ensemble chose each feature.

    Attributes
    ----------
    votes : ndarray of int of shape (n_features,)
    n_replicates : int
    needed : int
        Votes that select a feature; 0 if the most votes do.
    """

    votes: Counts
    n_replicates: int
    needed: int = 0

    def chosen(self, feature: int, account: Account) -> Reason:
        return self._counted("voted", feature)

    def left(self, feature: int, account: Account) -> Reason:
        return self._counted("outvoted", feature)

    def _counted(self, kind: Kind, feature: int) -> Reason:
        what = f"{self.needed} needed" if self.needed else ""
        found = float(self.votes[feature])
        return Reason(kind, value=found, against=float(self.n_replicates), what=what)


def _with_partner(
    kind: Kind, partner: Positions, value: Floats, feature: int, what: str = "largest redundancy"
) -> Reason:
    """A reason about the partner of a feature, if it has one."""
    if partner[feature] < 0:
        return Reason(kind)
    return Reason(kind, int(partner[feature]), float(value[feature]), what=what)

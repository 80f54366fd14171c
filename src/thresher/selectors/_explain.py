"""Sentences and progress lines, from what a search saw."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from thresher.sources import Training

# From here on a redundancy in [0, 1] is called one, where it cannot be compared with the relevance.
CLEARLY_REDUNDANT = 0.5

# What the terms of `_core.ThreeWayMeasure` are called.
TERM_NAMES = {
    "joint": "I(f,g;C)",
    "conditional": "I(f;C|g)",
    "disr": "I(f,g;C)/H(f,g,C)",
    "interaction": "I(f;g) - I(f;g|C)",
}


def feature_label(names: npt.NDArray[np.object_] | None, feature: int) -> str:
    """What a sentence calls a feature."""
    return str(names[feature]) if names is not None else f"feature {feature}"


class Explanation(Protocol):
    """What a search saw, and can say of the features it left."""

    def sentence(
        self, feature: int, relevance: float, names: npt.NDArray[np.object_] | None
    ) -> str:
        """Why this feature was left."""


@dataclass
class Nearest:
    """The largest redundancy that a search met, per feature.

    Attributes
    ----------
    partner : ndarray of int of shape (n_features,)
        The chosen feature it was met with; -1 where none was evaluated.
    value : ndarray of float of shape (n_features,)
    comparable : bool
        Relevance and redundancy are the same measure.
    """

    partner: npt.NDArray[np.int64]
    value: npt.NDArray[np.float64]
    comparable: bool

    def sentence(
        self, feature: int, relevance: float, names: npt.NDArray[np.object_] | None
    ) -> str:
        """Why this feature was left."""
        partner = int(self.partner[feature])
        if partner < 0:
            return f"never came near: relevance {relevance:.4g}"
        value = float(self.value[feature])
        label = feature_label(names, partner)
        if value >= (relevance if self.comparable else CLEARLY_REDUNDANT):
            return f"redundant with {label}, {value:.2f}; relevance {relevance:.4g}"
        return f"outscored: relevance {relevance:.4g}, largest redundancy {value:.2f} with {label}"


@dataclass
class LastSeen:
    """What a search that looks at every candidate in every step last saw of each feature.

    Attributes
    ----------
    score : ndarray of float of shape (n_features,)
    what : str
        What the score is called.
    collinear : ndarray of bool
        The feature is a linear combination of chosen ones.
    partner : ndarray of int
        The chosen feature it was most redundant with; -1 where no redundancy was computed.
    redundancy : ndarray of float
        That redundancy.
    """

    score: npt.NDArray[np.float64]
    what: str
    collinear: npt.NDArray[np.bool_]
    partner: npt.NDArray[np.int64]
    redundancy: npt.NDArray[np.float64]

    def sentence(
        self, feature: int, relevance: float, names: npt.NDArray[np.object_] | None
    ) -> str:
        """Why this feature was left."""
        if self.collinear[feature]:
            return f"collinear with the chosen features; relevance {relevance:.4g}"
        text = f"outscored: relevance {relevance:.4g}, last {self.what} {self.score[feature]:.4g}"
        partner = int(self.partner[feature])
        if partner < 0:
            return text
        label = feature_label(names, partner)
        return f"{text}, largest redundancy {self.redundancy[feature]:.4g} with {label}"


@dataclass
class Walked:
    """What the walk saw of the features it passed over.

    Attributes
    ----------
    value, successor : ndarray of float of shape (n_features,)
        Conditional information of the feature, and of the next of the list; nan if not compared.
    n_walked : int
    """

    value: npt.NDArray[np.float64]
    successor: npt.NDArray[np.float64]
    n_walked: int

    def sentence(
        self, feature: int, relevance: float, names: npt.NDArray[np.object_] | None
    ) -> str:
        """Why this feature was left."""
        if np.isnan(self.value[feature]):
            return f"not reached: the walk ended after {self.n_walked} features; relevance {relevance:.4g}"
        return (
            f"passed over: given those chosen it told {self.value[feature]:.4g} bits, "
            f"the next of the list {self.successor[feature]:.4g}; relevance {relevance:.4g}"
        )


@dataclass
class TermsSeen:
    """The term that spoke most against each feature.

    It is the smallest term, or for a criterion that takes terms away the largest.

    Attributes
    ----------
    partner : ndarray of int of shape (n_features,)
        The chosen feature g of that term; -1 where none was computed.
    value : ndarray of float of shape (n_features,)
    term : str
    """

    partner: npt.NDArray[np.int64]
    value: npt.NDArray[np.float64]
    term: str

    def sentence(
        self, feature: int, relevance: float, names: npt.NDArray[np.object_] | None
    ) -> str:
        """Why this feature was left."""
        partner = int(self.partner[feature])
        if partner < 0:
            return f"never came near: relevance {relevance:.4g}"
        end = "largest" if self.term == "interaction" else "smallest"
        return (
            f"outscored: relevance {relevance:.4g}, {end} {TERM_NAMES[self.term]} "
            f"{self.value[feature]:.4g} with {feature_label(names, partner)}"
        )


@dataclass
class Outscored:
    """The score of each feature in the last step that looked at it.

    Attributes
    ----------
    score : ndarray of float of shape (n_features,)
    what : str
        What the score is called.
    """

    score: npt.NDArray[np.float64]
    what: str

    def sentence(
        self, feature: int, relevance: float, names: npt.NDArray[np.object_] | None
    ) -> str:
        """Why this feature was left."""
        if np.isnan(self.score[feature]):
            return "not looked at: enough features were kept"
        return f"outscored: last {self.what} {self.score[feature]:.4g}"


@dataclass
class Ballot:
    """How many replicates of an ensemble chose each feature.

    Attributes
    ----------
    votes : ndarray of int of shape (n_features,)
    n_replicates : int
    """

    votes: npt.NDArray[np.int64]
    n_replicates: int

    def result(self, feature: int) -> str:
        """The votes of one feature in words."""
        return f"chosen by {self.votes[feature]} of {self.n_replicates} replicates"

    def sentence(
        self, feature: int, relevance: float, names: npt.NDArray[np.object_] | None
    ) -> str:
        """Why this feature was left."""
        if self.votes[feature]:
            return f"outvoted: {self.result(feature)}"
        return f"chosen by none of {self.n_replicates} replicates"


def step_printer(
    selector: Any, training: Training, wanted: int | None
) -> Callable[[int, int, float], None]:
    """A function that prints one line per step of a search."""
    total = "" if wanted is None else f"/{wanted}"

    def show(step: int, feature: int, score: float) -> None:
        name = feature_label(training.names, feature)
        print(f"[{type(selector).__name__}] {step}{total} {name}, score {score:.4g}", flush=True)

    return show

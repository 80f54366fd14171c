"""Why a feature was chosen or left: as data, and the sentence made of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from thresher._utils.checks import readable

Names = npt.NDArray[np.object_]

Kind = Literal[
    # chosen
    "chosen",
    "filled up",
    "locally predictive",
    "needed",
    "teamed",
    "voted",
    # left
    "collinear",
    "constant",
    "entered later",
    "excluded",
    "insignificant",
    "irrelevant",
    "left out",
    "never near",
    "not entered",
    "not in the pool",
    "not looked at",
    "not needed",
    "not reached",
    "not significant",
    "outranked",
    "outscored",
    "outvoted",
    "passed over",
    "redundant",
    "represented",
    "too similar",
    "undefined",
    "unexplained",
]


@dataclass(frozen=True)
class Reason:
    """Why a feature was chosen or left.

    Attributes
    ----------
    kind : str
        What happened to it.
    partner : int or None
        Position of the other feature that the reason is about.
    value : float or None
        The number that spoke for or against the feature, together with `partner` if there is one.
    against : float or None
        What `value` was compared with: a bound, the value of a rival, a total.
    what : str
        What `value` is called, where the kind leaves it open.
    step : int or None
        When it was chosen, from 1; None if it was left.
    is_kept : bool
        The parameter ``keep`` names it.
    rank : int or None
    score, relevance, redundancy : float or None
        What the selector knows of the feature.
    stages : tuple of str
        The selectors of a chain that decided, outermost first.
    """

    kind: Kind
    partner: int | None = None
    value: float | None = None
    against: float | None = None
    what: str = ""
    step: int | None = None
    is_kept: bool = False
    rank: int | None = None
    score: float | None = None
    relevance: float | None = None
    redundancy: float | None = None
    stages: tuple[str, ...] = ()

    def sentence(self, names: Names | None) -> str:
        """The reason in words, with the names of all features."""
        where = ", ".join(self.stages)
        if self.step is not None:
            text = _chosen(self, names)
            return f"{where}: {text}" if where else text
        text = _LEFT[self.kind](self, names)
        if where:
            return f"left by {where}: {text}" if text else f"left by {where}"
        if not text:
            return "not chosen"
        return f"left: {text}" if self.kind in _NOT_A_VERB else text


def feature_label(names: Names | None, feature: int) -> str:
    """What a sentence calls a feature."""
    return readable(names[feature]) if names is not None else f"feature {feature}"


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.4g}"


def _similarity(value: float | None) -> str:
    """Two digits after the point, or of those that are not 0."""
    if value is None:
        return "unknown"
    return f"{value:.2f}" if abs(value) >= 0.01 else f"{value:.2g}"


def _with(reason: Reason, names: Names | None) -> str:
    """What the reason says of the value and the partner."""
    text = f"{reason.what} {_number(reason.value)}"
    return text if reason.partner is None else f"{text} with {feature_label(names, reason.partner)}"


def _votes(reason: Reason) -> str:
    count = f"{reason.value:.0f}" if reason.value else "none"
    noun = f"halves, {reason.what}" if reason.what else "replicates"
    return f"chosen by {count} of {reason.against:.0f} {noun}"


def _teams(reason: Reason) -> str:
    share = f"{reason.value:.0%}" if reason.value else "none"
    return f"in {share} of the {reason.against:.0f} sets within one standard error of the best"


def _rank(reason: Reason) -> str:
    return f"rank {reason.rank} ({reason.what} first), score {_number(reason.score)}"


_CHOSEN: dict[str, Callable[[Reason], str]] = {
    "chosen": lambda reason: "",
    "filled up": lambda reason: "never entered the path",
    "locally predictive": lambda reason: "by the locally predictive step",
    "needed": lambda reason: (
        f"without it the risk rises from {_number(reason.against)} by {_number(reason.value)}"
    ),
    "teamed": _teams,
    "voted": _votes,
}


def _chosen(reason: Reason, names: Names | None) -> str:
    text = f"chosen at step {reason.step}"
    if reason.score is not None and reason.kind != "teamed":  # whose score is the share told below
        text += f", score {_number(reason.score)}"
    more = ["kept by the parameter keep"] if reason.is_kept else []
    more.append(_CHOSEN[reason.kind](reason))
    if reason.relevance is not None and reason.relevance != reason.score:
        more.append(f"relevance {_number(reason.relevance)}")
    if reason.partner is not None:
        if reason.redundancy not in (None, reason.value):
            more.append(f"mean redundancy {_number(reason.redundancy)}")
        more.append(_with(reason, names))
    known = ", ".join(clause for clause in more if clause)
    return f"{text}; {known}" if known else text


def _irrelevant(reason: Reason, names: Names | None) -> str:
    text = f"irrelevant: relevance {_number(reason.relevance)}"
    return (
        text if reason.against is None else f"{text} is not above the threshold {reason.against:g}"
    )


def _outscored(reason: Reason, names: Names | None) -> str:
    known = []
    if reason.relevance is not None:
        known.append(f"relevance {_number(reason.relevance)}")
    if reason.score is not None:
        known.append(f"last score {_number(reason.score)}")
    if reason.what:
        known.append(_with(reason, names))
    return f"outscored: {', '.join(known)}"


def _redundant(words: str) -> Callable[[Reason, Names | None], str]:
    def say(reason: Reason, names: Names | None) -> str:
        assert reason.partner is not None
        label = feature_label(names, reason.partner)
        return (
            f"{words} {label}, {_similarity(reason.value)}; relevance {_number(reason.relevance)}"
        )

    return say


def _represented(reason: Reason, names: Names | None) -> str:
    assert reason.partner is not None
    return (
        f"cluster {reason.value:.0f} is represented by its medoid {feature_label(names, reason.partner)} "
        f"and one companion; relevance {_number(reason.relevance)}"
    )


# Sentences that would not say by themselves that the feature was left.
_NOT_A_VERB = ("insignificant", "outranked", "represented", "undefined")

_LEFT: dict[str, Callable[[Reason, Names | None], str]] = {
    "collinear": lambda reason, names: (
        f"collinear with the chosen features; relevance {_number(reason.relevance)}"
    ),
    "constant": lambda reason, names: "constant",
    "entered later": lambda reason, names: f"entered later, at penalty {_number(reason.value)}",
    "excluded": lambda reason, names: "excluded by the parameter exclude",
    "insignificant": lambda reason, names: (
        f"{_rank(reason)}, corrected p-value {_number(reason.value)} above {_number(reason.against)}"
    ),
    "irrelevant": _irrelevant,
    "left out": lambda reason, names: (
        f"not in the best set, {'though' if reason.value else 'and'} {_teams(reason)}"
    ),
    "never near": lambda reason, names: f"never came near: relevance {_number(reason.relevance)}",
    "not entered": lambda reason, names: "did not enter the part of the path that was followed",
    "not in the pool": lambda reason, names: (
        f"not among the {reason.against:.0f} features of the pool; relevance {_number(reason.relevance)}"
    ),
    "not looked at": lambda reason, names: "not looked at: enough features were kept",
    "not needed": lambda reason, names: (
        f"not needed: the risk of the chosen features is {_number(reason.value)} without it"
    ),
    "not reached": lambda reason, names: (
        f"not reached: the walk ended after {reason.against:.0f} features; relevance {_number(reason.relevance)}"
    ),
    "not significant": lambda reason, names: (
        f"not significant: p-value {_number(reason.value)}, at most {_number(reason.against)} passes the gate"
    ),
    "outranked": lambda reason, names: _rank(reason),
    "outscored": _outscored,
    "outvoted": lambda reason, names: (
        f"outvoted: {_votes(reason)}" if reason.value else _votes(reason)
    ),
    "passed over": lambda reason, names: (
        f"passed over: given those chosen it told {_number(reason.value)} bits, "
        f"the next of the list {_number(reason.against)}; relevance {_number(reason.relevance)}"
    ),
    "redundant": _redundant("redundant with"),
    "represented": _represented,
    "too similar": _redundant("too similar to"),
    "undefined": lambda reason, names: "its score is undefined",
    "unexplained": lambda reason, names: "",
}

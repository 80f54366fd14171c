"""Reasons why features were or were not selected: as data, and as sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from thresher._utils.checks import readable
from thresher._utils.types import Names

Kind = Literal[
    # selected
    "chosen",
    "filled up",
    "locally predictive",
    "needed",
    "teamed",
    "voted",
    # not selected
    "collinear",
    "constant",
    "entered later",
    "excluded",
    "insignificant",
    "irrelevant",
    "left out",
    "not competitive",
    "not entered",
    "not in the pool",
    "not evaluated",
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
    """The reason why a feature was or was not selected.

    Attributes
    ----------
    kind : str
        The decision.
    partner : int or None
        Index of the other feature that the reason is about.
    value : float or None
        The number that decided, together with `partner` if there is one.
    against : float or None
        The number that `value` was compared with: a bound, the value of a competing feature, a total.
    what : str
        The name of `value`, if it does not follow from the kind.
    step : int or None
        The step that selected the feature, from 1; None if it was not selected.
    is_kept : bool
        Whether the parameter ``keep`` contains it.
    rank : int or None
    score, relevance, redundancy : float or None
        The values of the feature, as far as the selector computes them.
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
        """Return the reason in words, with the names of all features."""
        where = ", ".join(self.stages)
        if self.step is not None:
            text = _selected(self, names)
            return f"{where}: {text}" if where else text
        text = _not_selected(self, names)
        if where:
            return f"dropped by {where}: {text}" if text else f"dropped by {where}"
        if not text:
            return "not selected"
        return f"not selected: {text}" if self.kind in _NEEDS_PREFIX else text


def feature_label(names: Names | None, feature: int) -> str:
    """Return the name of a feature as it appears in a sentence."""
    return readable(names[feature]) if names is not None else f"feature {feature}"


def _number(value: float | None, form: str = ".4g") -> str:
    return "unknown" if value is None else f"{value:{form}}"


def _similarity(value: float | None) -> str:
    """Return two digits after the point, or two significant digits if these would be 0."""
    return _number(value, ".2g" if value is not None and abs(value) < 0.01 else ".2f")


def _fields(reason: Reason, names: Names | None) -> dict[str, str]:
    """Return the texts for the placeholders of the templates."""
    count, total = _number(reason.value, ".0f"), _number(reason.against, ".0f")
    share = _number(reason.value, ".0%") if reason.value else "none"
    score = _number(reason.score)
    return {
        "against": _number(reason.against),
        "cluster": count,
        "outvoted": "outvoted: " if reason.value else "",
        "partner": "" if reason.partner is None else feature_label(names, reason.partner),
        "rank": f"rank {reason.rank} ({reason.what} first), score {score}",
        "relevance": _number(reason.relevance),
        "sets": f"in {share} of the {total} sets within one standard error of the best",
        "similarity": _similarity(reason.value),
        "though": "though" if reason.value else "and",
        "total": total,
        "value": _number(reason.value),
        "votes": f"selected by {count if reason.value else 'none'} of {total} "
        + (f"halves, {reason.what}" if reason.what else "replicates"),
    }


_SELECTED = {
    "filled up": "never entered the path",
    "locally predictive": "by the locally predictive step",
    "needed": "without it the risk rises from {against} by {value}",
    "teamed": "{sets}",
    "voted": "{votes}",
}


def _selected(reason: Reason, names: Names | None) -> str:
    text = f"selected at step {reason.step}"
    if reason.score is not None and reason.kind != "teamed":  # its score is the share that follows
        text += f", score {_number(reason.score)}"
    more = ["forced in by the parameter keep"] if reason.is_kept else []
    if reason.kind in _SELECTED:
        more.append(_SELECTED[reason.kind].format(**_fields(reason, names)))
    if reason.relevance is not None and reason.relevance != reason.score:
        more.append(f"relevance {_number(reason.relevance)}")
    if reason.partner is not None:
        if reason.redundancy not in (None, reason.value):
            unit = " bits" if reason.what == "bits" else ""
            more.append(f"mean redundancy {_number(reason.redundancy)}{unit}")
        more.append(_value(reason, names))
    return f"{text}; {', '.join(more)}" if more else text


def _value(reason: Reason, names: Names | None) -> str:
    """Return the value with its name and the partner."""
    if reason.what == "bits" and reason.partner is not None:
        partner = feature_label(names, reason.partner)
        return f"shares {_number(reason.value, '.2g')} bits with {partner}"
    text = f"{reason.what} {_number(reason.value)}"
    return text if reason.partner is None else f"{text} with {feature_label(names, reason.partner)}"


# Reasons that need the prefix "not selected:" to be understood.
_NEEDS_PREFIX = ("insignificant", "outranked", "represented", "undefined")

_NOT_SELECTED = {
    "collinear": "collinear with the selected features; relevance {relevance}",
    "constant": "constant",
    "entered later": "entered later, at penalty {value}",
    "excluded": "excluded by the parameter exclude",
    "insignificant": "{rank}, corrected p-value {value} above {against}",
    "irrelevant": "irrelevant: relevance {relevance}",
    "left out": "not in the best set, {though} {sets}",
    "not competitive": "not competitive at any step; relevance {relevance}",
    "not entered": "did not enter the computed part of the path",
    "not in the pool": "not among the {total} features of the pool; relevance {relevance}",
    "not evaluated": "not evaluated: the features of keep are enough",
    "not needed": "not needed: the risk of the selected features is {value} without it",
    "not reached": "not reached: the search ended after {total} features; relevance {relevance}",
    "not significant": "not significant: p-value {value}, at most {against} passes the filter",
    "outranked": "{rank}",
    "outvoted": "{outvoted}{votes}",
    "passed over": "passed over: given the selected features it adds {value} bits, the next feature in the list "
    "{against}; relevance {relevance}",
    "redundant": "redundant with {partner} (redundancy {similarity}); relevance {relevance}",
    "represented": "cluster {cluster} is represented by its medoid {partner} and one companion; "
    "relevance {relevance}",
    "too similar": "too similar to {partner} (similarity {similarity}); relevance {relevance}",
    "undefined": "its score is undefined",
    "unexplained": "",
}


def _not_selected(reason: Reason, names: Names | None) -> str:
    if reason.kind == "outscored":
        numbers = (("relevance", reason.relevance), ("last score", reason.score))
        known = [f"{what} {_number(value)}" for what, value in numbers if value is not None]
        return f"outscored: {', '.join([*known, _value(reason, names)] if reason.what else known)}"
    if reason.kind == "redundant" and reason.what == "bits":
        return f"{_value(reason, names)}; relevance {_number(reason.relevance)}"
    text = _NOT_SELECTED[reason.kind].format(**_fields(reason, names))
    if reason.kind == "irrelevant" and reason.against is not None:
        text += f" is not above the threshold {reason.against:g}"
    return text

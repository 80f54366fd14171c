"""A fitted selector as a table, and as HTML for notebooks."""

from __future__ import annotations

from html import escape
from unicodedata import east_asian_width

import numpy as np

from thresher._utils.types import Estimator, Floats, Indices, Values
from thresher.selectors._reason import feature_label

MOST_SHOWN = 20
_WIDTH, _ROW, _BARS, _SIZE = 560, 20, 240, 12


def draw(selector: Estimator) -> str:
    """Return HTML with one SVG, without scripts and styles; all text is escaped."""
    chosen = selector.selected_[:MOST_SHOWN]
    values, what = _bars(selector, chosen)
    largest = np.max(np.abs(values), initial=0) or 1.0
    names = getattr(selector, "feature_names_in_", None)
    rows = []
    for i, (feature, value) in enumerate(zip(chosen.tolist(), values, strict=True)):
        name = escape(fit_name(feature_label(names, feature), _BARS - 10, _SIZE))
        why = escape(selector.reason(feature))
        y = i * _ROW
        width = (_WIDTH - _BARS) * max(0.0, value / largest)
        rows.append(
            f'<g><title>{why}</title><text x="{_BARS - 8}" y="{y + 14}" text-anchor="end" font-size="{_SIZE}" '
            f'fill="currentColor">{name}</text><rect x="{_BARS}" y="{y + 4}" width="{width:.1f}" height="12" '
            f'rx="2" fill="#1f77b4"/></g>'
        )
    n_more = len(selector.selected_) - len(chosen)
    more = f" The first {len(chosen)}:" if n_more > 0 else ""
    return (
        f"<div><p><b>{escape(type(selector).__name__)}</b>: {len(selector.selected_)} of {selector.n_features_in_} "
        f"features, bars are the {what}.{more}</p>"
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{len(chosen) * _ROW + 4}" role="img" '
        f'aria-label="selected features">{"".join(rows)}</svg></div>'
    )


def fit_name(name: str, width: float, size: float = 11) -> str:
    """Return a name of at most this width; the middle of a longer one is omitted."""
    longest = min(len(name), 200)
    while longest > 10 and _width(_shortened(name, longest), size) > width:
        longest -= 1
    return _shortened(name, longest)


def _shortened(name: str, longest: int) -> str:
    return name if len(name) <= longest else f"{name[: longest - 9]}…{name[-8:]}"


def _width(text: str, size: float) -> float:
    """Estimate the width of a text in the wide, bold letters of system fonts."""
    wide, capital, other = 1.11 * size, 0.84 * size, 0.7 * size
    return sum(
        wide if c in "mwMW%@…" or east_asian_width(c) in "WF" else capital if c.isupper() else other
        for c in text
    )


def _bars(selector: Estimator, chosen: Indices) -> tuple[Floats, str]:
    """Return the values to draw and their name: votes, else relevances, else scores; zeros without any."""
    for attribute, what in (("votes_", "votes"), ("relevance_", "relevance"), ("scores_", "score")):
        values = getattr(selector, attribute, None)
        if values is not None and np.isfinite(values[chosen]).any():
            return np.nan_to_num(values[chosen], posinf=0, neginf=0), what
    return np.zeros(len(chosen)), "scores, which are unknown"


def feature_table(selector: Estimator) -> Values:
    """Return the columns of `BaseSelector.table`."""
    p = selector.n_features_in_
    given = getattr(selector, "feature_names_in_", None)
    names = [f"x{feature}" for feature in range(p)] if given is None else given.tolist()
    account = selector._account()
    reasons = [account(feature) for feature in range(p)]
    partners = [None if reason.partner is None else names[reason.partner] for reason in reasons]
    unknown = np.full(p, np.nan)
    return {
        "name": np.array(names, dtype=object),
        "selected": selector.support_.copy(),
        "rank": selector.ranking_.copy(),
        "score": selector.scores_.copy(),
        "relevance": selector.relevance_.copy(),
        "redundancy": selector.redundancy_.copy(),
        "votes": np.array(getattr(selector, "votes_", unknown)),
        "pvalue": np.array(getattr(selector, "pvalues_", unknown)),
        "partner": np.array(partners, dtype=object),
        "reason": np.array([reason.sentence(given) for reason in reasons], dtype=object),
    }

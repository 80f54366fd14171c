"""Relevance, redundancy and complementarity of the features, step by step."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from thresher.plots._axes import COLOURS, LINES, axes_or_new, feature_labels, take_literally

_TERMS = ("relevance", "redundancy", "complementarity")
_MARKERS = ("o", "s", "^")


def plot_tradeoff(
    selector: Any, *, ax: Any = None, title: str | None = None, shares: bool | None = None
) -> Any:
    """The terms of a greedy search at each step, as in figure 6 of the RRCT paper.

    To contrast two methods, as the paper does, draw each on axes of its own with ``sharey=True``.

    Parameters
    ----------
    selector : fitted selector
        One whose ``trace_`` has ``relevance`` and ``redundancy``, and perhaps ``complementarity``:
        `RRCT`, `MRMR`, `NMIFS` and others.
    ax : matplotlib axes, default=None
        Drawn on; None makes a new figure.
    title : str, default=None
        None: the name of the selector.
    shares : bool, default=None
        Draw each term as a share of its largest value. None does so where relevance and redundancy are different
        measures, such as F and Pearson's correlation, whose units have nothing in common.

    Returns
    -------
    ax : matplotlib axes

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher import RRCT
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> ax = plot_tradeoff(RRCT(n_features_to_select=6).fit(X, y))
    """
    check_is_fitted(selector)
    trace = selector.trace_
    lacking = [term for term in _TERMS[:2] if term not in trace]
    if lacking:
        raise ValueError(
            f"{type(selector).__name__} has no {lacking[0]} per step to plot; "
            "give a selector such as RRCT or MRMR"
        )
    if shares is None:
        pair = [getattr(selector, f"{term}_measure_", None) for term in _TERMS[:2]]
        shares = pair[0] != pair[1]
    ax = axes_or_new(ax)
    steps = np.arange(1, len(trace["feature"]) + 1)
    for i, term in enumerate(term for term in _TERMS if term in trace):
        values = np.asarray(trace[term], dtype=np.float64)
        if shares:
            values = values / (np.max(np.abs(values), initial=0) or 1.0)
        ax.plot(steps, values, LINES[i], color=COLOURS[i], marker=_MARKERS[i], label=term)
    ax.axhline(0, color="0.7", linewidth=0.8, zorder=0)
    labels = feature_labels(selector, trace["feature"])
    ax.set_xticks(steps, labels, rotation=90 if len(steps) > 8 else 30, ha="right")
    take_literally(ax.get_xticklabels())
    ax.set_xlabel("feature, in order of choice")
    ax.set_ylabel("share of the largest" if shares else "term of the score")
    ax.set_title(type(selector).__name__ if title is None else title)
    ax.legend()
    return ax

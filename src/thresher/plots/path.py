"""The path of a selection."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from thresher.plots._axes import COLOURS, axes_or_new, feature_labels, take_literally


def plot_path(selector: Any, *, ax: Any = None) -> Any:
    """The score at which each feature was chosen, step by step: where it drops, more features add little.

    Parameters
    ----------
    selector : fitted selector
        One whose ``trace_`` has ``feature`` and ``score``.
    ax : matplotlib axes, default=None
        Drawn on; None makes a new figure.

    Returns
    -------
    ax : matplotlib axes

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher import JMI
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> ax = plot_path(JMI(6).fit(X, y))
    """
    check_is_fitted(selector)
    trace = selector.trace_
    if not {"feature", "score"} <= set(trace):
        raise ValueError(
            f"{type(selector).__name__} has no score per step to plot; give a selector such as MRMR or JMI"
        )
    scores = np.asarray(trace["score"], dtype=np.float64)
    ax = axes_or_new(ax, height=1.2 + 0.26 * max(len(scores), 4))
    steps = np.arange(len(scores))
    ax.hlines(steps, 0, scores, color="0.8", linewidth=1)
    ax.plot(scores, steps, "o-", color=COLOURS[0], linewidth=1)
    labels = feature_labels(selector, trace["feature"])
    ax.set_yticks(steps, [f"{label}  {step}" for step, label in enumerate(labels, 1)])
    take_literally(ax.get_yticklabels())
    ax.invert_yaxis()
    ax.axvline(0, color="0.7", linewidth=0.8, zorder=0)
    ax.set_xlabel("score when chosen")
    ax.set_title(type(selector).__name__)
    return ax

"""Who is redundant with whom."""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher.evaluate.redundancy import redundancy_map
from thresher.plots._axes import axes_or_new, feature_labels, take_literally


def plot_redundancy(
    selector: Any, X: Any, *, n_chosen: int = 24, n_left: int = 12, ax: Any = None
) -> Any:
    """A map of what the first features of a selection tell of each other, alike ones side by side.

    Names of selected features are bold; the others are the most relevant of those left.

    Parameters
    ----------
    selector : fitted selector
    X
        What it was fitted on.
    n_chosen, n_left : int, default=24, 12
        So many features at most of those chosen, and of those left.
    ax : matplotlib axes, default=None
        Drawn on; None makes a new figure.

    Returns
    -------
    ax : matplotlib axes

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher import MRMR
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> ax = plot_redundancy(MRMR(5).fit(X, y), X)
    """
    found = redundancy_map(selector, X, n_chosen=n_chosen, n_left=n_left)
    if found is None:
        raise ValueError("a map needs at least three features that were chosen or are relevant")
    n = len(found.features)
    ax = axes_or_new(ax, width=2.6 + 0.22 * n, height=1.8 + 0.22 * n)
    image = ax.imshow(found.values, vmin=0, vmax=1, cmap="Blues")
    ax.figure.colorbar(image, ax=ax, label=found.measure, shrink=0.6)
    labels = feature_labels(selector, found.features.tolist())
    ax.set_xticks(np.arange(n), labels, rotation=90, fontsize=8)
    ax.set_yticks(np.arange(n), labels, fontsize=8)
    for ticks in (ax.get_xticklabels(), ax.get_yticklabels()):
        take_literally(ticks)
        for feature, text in zip(found.features.tolist(), ticks, strict=True):
            text.set_fontweight("bold" if selector.support_[feature] else "normal")
    return ax

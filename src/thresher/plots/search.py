"""The search of a wrapper: its scores cycle by cycle, and against the size of sets."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from thresher.plots._axes import COLOURS, axes_or_new, count_along_x, finish, write_above


def plot_fitness(selector: Any, *, ax: Any = None) -> Any:
    """Best and mean score of a search, cycle by cycle, and the size of the best set.

    Parameters
    ----------
    selector : fitted GBC or MRMRGA
    ax : matplotlib axes, default=None
        Drawn on; None makes a new figure.

    Returns
    -------
    ax : matplotlib axes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from thresher import GBC
    >>> X, y = load_iris(return_X_y=True)
    >>> ax = plot_fitness(GBC(population=4, max_cycles=3, random_state=0).fit(X, y))
    """
    check_is_fitted(selector)
    trace = getattr(selector, "trace_", {})
    if "mean" not in trace:
        raise ValueError(
            f"{type(selector).__name__} has no best and mean score per cycle to plot; give a fitted GBC or MRMRGA "
            "that has ended a cycle"
        )
    ax = axes_or_new(ax)
    cycles = trace["cycle"]
    mean = np.where(np.isfinite(trace["mean"]), trace["mean"], np.nan)
    ax.plot(cycles, trace["best"], color=COLOURS[0], marker="o", markersize=4, label="best")
    ax.plot(cycles, mean, "--", color=COLOURS[1], marker="s", markersize=3, label="mean")
    sizes = np.asarray(trace["n_features"])
    for i in [0, *(np.flatnonzero(np.diff(sizes)) + 1)]:
        write_above(ax, str(sizes[i]), (cycles[i], trace["best"][i]))
    count_along_x(ax)
    ax.set_title(f"{type(selector).__name__}, ended by {selector.stopped_by_}")
    ax.margins(y=0.1)
    cycle = "cycle (where it changes, the size of the best set is above)"
    return finish(ax, cycle, "cross-validated score")


def plot_front(selector: Any, *, ax: Any = None) -> Any:
    """Score against size of all sets that a search has scored, with the front: sets that no smaller one equals.

    Parameters
    ----------
    selector : fitted GBC, MRMRGA or SALCC
    ax : matplotlib axes, default=None
        Drawn on; None makes a new figure.

    Returns
    -------
    ax : matplotlib axes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from thresher import GBC
    >>> X, y = load_iris(return_X_y=True)
    >>> ax = plot_front(GBC(population=4, max_cycles=3, random_state=0).fit(X, y))
    """
    check_is_fitted(selector)
    if not hasattr(selector, "set_scores_"):
        raise ValueError(
            f"{type(selector).__name__} has no scored sets to plot; give a fitted GBC, MRMRGA or SALCC"
        )
    ax = axes_or_new(ax)
    scores = selector.set_scores_
    sizes = np.array([len(features) for features in selector.sets_])
    usable = np.isfinite(scores)
    sizes, scores = sizes[usable], scores[usable]
    front = _front(sizes, scores)
    ax.scatter(sizes, scores, s=10, color=COLOURS[5], alpha=0.4, linewidths=0, label="sets scored")
    ax.step(sizes[front], scores[front], where="post", color=COLOURS[0], linewidth=1)
    ax.plot(sizes[front], scores[front], "o", color=COLOURS[0], markersize=5, label="front")
    chosen = {tuple(sorted(selector.selected_.tolist()))}
    at = [i for i, s in enumerate(selector.sets_) if tuple(sorted(s.tolist())) in chosen]
    if at:
        found = {"marker": "x", "s": 90, "color": "black", "linewidths": 2, "zorder": 4}
        size, score = len(selector.sets_[at[0]]), selector.set_scores_[at[0]]
        ax.scatter([size], [score], label="chosen", **found)
    count_along_x(ax)
    if sizes.max() > 20:  # a pool as a whole is a set, too
        ticks = [size for size in (1, 2, 5, 10, 20, 50, 100, 200, 500) if size <= sizes.max()]
        ax.set_xscale("log")
        ax.set_xticks(ticks, [str(size) for size in ticks])
        ax.minorticks_off()
    return finish(ax, "features of the set", "cross-validated score", loc="lower right")


def _front(sizes: Any, scores: Any) -> list[int]:
    """Sets that score more than every smaller one, and not less than any of the same size; smallest first."""
    front: list[int] = []
    for i in np.lexsort((-scores, sizes)):
        if not front or scores[i] > scores[front[-1]]:
            front.append(int(i))
    return front

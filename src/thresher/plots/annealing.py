"""The search of SALCC: sets of LCC, their risks and their scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher.plots._axes import COLOURS, axes_or_new, finish, write_above


def plot_annealing(selector: Any, *, ax: Any = None, moves: bool = True) -> Any:
    """Score of the classifier against the risk of every set that `SALCC` looked at.

    The set found is marked by a cross, as in Fig. 3.16 of Pino Angulo's thesis. With
    ``search="path"`` the line is the whole search space.

    Parameters
    ----------
    selector : fitted SALCC
    ax : matplotlib axes, default=None
        Drawn on; None makes a new figure.
    moves : bool, default=True
        Draw the sets in the order of the moves as a thin line.

    Returns
    -------
    ax : matplotlib axes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from thresher import SALCC
    >>> X, y = load_iris(return_X_y=True)
    >>> ax = plot_annealing(SALCC(search="path").fit(X, y))
    """
    ax = axes_or_new(ax)
    risks, scores = selector.set_risks_, selector.set_scores_
    sizes = np.array([len(features) for features in selector.sets_])
    ax.plot(risks, scores, "-", color=COLOURS[0], linewidth=1, label="sets of LCC")
    ax.scatter(risks, scores, s=12 + 4 * sizes, color=COLOURS[0], zorder=3)
    for risk, score, size in zip(risks, scores, sizes, strict=True):
        write_above(ax, str(size), (risk, score))
    trace = selector.trace_
    if moves and "risk" in trace:
        path = {"color": COLOURS[4], "linewidth": 0.6, "alpha": 0.7}
        ax.plot(trace["risk"], trace["score"], label="moves", **path)
    if np.isfinite(selector.best_score_):
        found = {"marker": "x", "s": 120, "color": "black", "linewidths": 2, "zorder": 4}
        ax.scatter([selector.risk_], [selector.best_score_], label="found", **found)
    ax.margins(y=0.1)
    risk = "risk of the set (the number of its features is beside it)"
    return finish(ax, risk, "cross-validated score")

"""How sure a selection is: the gate of p-values, and the bound of a vote over halves."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from thresher.evaluate.errors import error_bound
from thresher.plots._axes import COLOURS, LINES, axes_or_new, finish

_ASSUMPTIONS = ("none", "unimodal", "r-concave")


def plot_gate(selector: Any, *, n_features: int | None = None, ax: Any = None) -> Any:
    """Sorted p-values and the line they must stay below, with what passed and what the search chose.

    Parameters
    ----------
    selector : fitted ErrorControlled
        With ``method="gate"``.
    n_features : int, default=None
        How many of the smallest p-values to show; None shows those that passed and as many others, at least 20.
    ax : matplotlib axes, default=None
        Drawn on; None makes a new figure.

    Returns
    -------
    ax : matplotlib axes

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher import MRMR, ErrorControlled
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> ax = plot_gate(ErrorControlled(MRMR(5), fdr=0.05, random_state=0).fit(X, y))
    """
    check_is_fitted(selector, "gate_")
    if selector.method != "gate":
        raise ValueError(f'method="{selector.method}" has no gate to plot; fit with method="gate"')
    pvalues, passed = selector.pvalues_, selector.gate_
    chosen = np.zeros(len(pvalues), dtype=bool)
    chosen[selector.selected_] = True
    if n_features is None:
        n_features = max(20, 2 * int(passed.sum()))
    order = np.argsort(pvalues, kind="stable")[:n_features]
    ranks = np.arange(1, len(order) + 1)
    ax = axes_or_new(ax)
    kinds = (
        ("chosen by the search", chosen, COLOURS[0], "o"),
        ("passed", passed & ~chosen, COLOURS[5], "s"),
        ("not significant", ~passed, "#999999", "x"),
    )
    for label, some, colour, marker in kinds:
        held = some[order]
        if held.any():
            style = {"linestyle": "none", "markersize": 5, "color": colour, "marker": marker}
            style["zorder"] = 3 if some is chosen else 2
            ax.plot(ranks[held], pvalues[order][held], label=label, **style)
    level = selector.gate_level_
    if selector.pfer is None:
        # The gate is as high as the line where it ends, at the number of features chosen.
        end = max(1, len(selector.selected_))
        ax.plot([0, end], [0, level], color=COLOURS[1], label=f"line of level {selector.fdr:g}")
    ax.axhline(level, color=COLOURS[1], linestyle="--", label=f"gate, {level:.2g}")
    top = max(float(level), float(pvalues[order].max()))
    ax.set_ylim(-0.03 * top, 1.05 * top)
    ax.set_xlim(0, len(order) + 1)
    pvalue = f"p-value of the relevance ({selector.relevance_name_})"
    return finish(ax, "rank of the p-value", pvalue)


def plot_error_bound(
    p: int, q: float, *, n_pairs: int = 50, cutoff: float | None = None, ax: Any = None
) -> Any:
    """Most rarely chosen features to expect among those selected by halves, against the cutoff.

    One line per assumption; see :func:`thresher.evaluate.error_bound`.

    Parameters
    ----------
    p : int
        Features that can be chosen.
    q : float
        Mean number chosen on a half.
    n_pairs : int, default=50
        Pairs of halves.
    cutoff : float, default=None
        Marked, with the bound of each assumption there.
    ax : matplotlib axes, default=None
        Drawn on; None makes a new figure.

    Returns
    -------
    ax : matplotlib axes

    Examples
    --------
    >>> ax = plot_error_bound(200, 10, n_pairs=10, cutoff=0.75)
    """
    cutoffs = np.arange(n_pairs + 1, 2 * n_pairs + 1) / (2 * n_pairs)
    lines = {
        name: [error_bound(p, q, float(c), n_pairs=n_pairs, assumption=name) for c in cutoffs]
        for name in _ASSUMPTIONS
    }
    at = dict.fromkeys(_ASSUMPTIONS, "")
    if cutoff is not None:
        for name in _ASSUMPTIONS:
            bound = error_bound(p, q, cutoff, n_pairs=n_pairs, assumption=name)
            at[name] = f": {bound:.3g}"
    ax = axes_or_new(ax)
    for i, (name, bounds) in enumerate(lines.items()):
        label = ("no assumption" if name == "none" else name) + at[name]
        ax.plot(cutoffs, bounds, LINES[i], color=COLOURS[i], label=label)
    if cutoff is not None:
        ax.axvline(cutoff, color="0.5", linewidth=0.8, zorder=0)
    ax.set_yscale("log")
    ax.set_title(f"{q:g} of {p} features on each of {2 * n_pairs} halves")
    share = "cutoff: share of the halves that must choose a feature"
    title = None if cutoff is None else f"bound at cutoff {cutoff:g}"
    return finish(ax, share, "expected rarely chosen features, at most", title=title)

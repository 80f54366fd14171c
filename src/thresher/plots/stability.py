"""Stability against k, the map of parts and k, and the votes of an ensemble."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from thresher._utils.checks import readable
from thresher.evaluate.stability import StabilityCurve, StabilityGrid
from thresher.plots._axes import (
    COLOURS,
    axes_or_new,
    count_along_x,
    draw_line,
    feature_labels,
    finish,
    take_literally,
)

_INDEX_LABELS = {
    "jaccard": "mean Jaccard index",
    "kuncheva": "Kuncheva index",
    "nogueira": "Nogueira stability",
    "relative-weighted-consistency": "relative weighted consistency",
}


def plot_stability(
    curves: StabilityCurve | Iterable[StabilityCurve], *, ax: Any = None, spread: bool = True
) -> Any:
    """Stability against the number of selected features, one line per selector.

    Parameters
    ----------
    curves : StabilityCurve or iterable of them
        From :func:`thresher.evaluate.stability.stability_curve`; the ``name`` is the label.
    ax : matplotlib axes, default=None
        Drawn on; None makes a new figure.
    spread : bool, default=True
        Shade one standard deviation of the repetitions on each side.

    Returns
    -------
    ax : matplotlib axes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.feature_selection import SelectKBest
    >>> from thresher.evaluate.stability import stability_curve
    >>> X, y = load_iris(return_X_y=True)
    >>> curve = stability_curve(SelectKBest(), X, y, k=[1, 2, 3], n_repeats=2, random_state=0)
    >>> ax = plot_stability(curve)
    """
    drawn = [curves] if isinstance(curves, StabilityCurve) else list(curves)
    if not drawn:
        raise ValueError("curves must hold at least one curve, got none")
    ax = axes_or_new(ax)
    for i, curve in enumerate(drawn):
        marker = "o" if len(curve.k) == 1 else None
        is_wide = spread and len(curve.values) > 1
        band = (curve.mean - curve.std, curve.mean + curve.std) if is_wide else None
        draw_line(ax, i, curve.k, curve.mean, band, marker=marker, label=curve.name)
    ax.set_ylim(min(0.0, ax.get_ylim()[0]), 1.0)
    count_along_x(ax)
    names = dict.fromkeys(_INDEX_LABELS[curve.index] for curve in drawn)
    return finish(ax, "selected features", " / ".join(names))


def plot_stability_grid(grid: StabilityGrid, *, ax: Any = None) -> Any:
    """Mean stability for every number of parts and of features; the brighter, the more stable.

    Parameters
    ----------
    grid : StabilityGrid
        From :func:`thresher.evaluate.stability.stability_grid`.
    ax : matplotlib axes, default=None
        Drawn on; None makes a new figure.

    Returns
    -------
    ax : matplotlib axes
    """
    ax = axes_or_new(ax)
    # One equal cell per measured value: the numbers of parts are rarely evenly spaced.
    image = ax.imshow(grid.values, origin="lower", aspect="auto", cmap="viridis")
    _label_some(ax.set_xticks, grid.k.tolist(), most=10)
    _label_some(ax.set_yticks, grid.n_parts.tolist(), most=20)
    ax.set_xlabel("selected features")
    ax.set_ylabel("parts")
    ax.set_title(grid.name)
    ax.figure.colorbar(image, ax=ax, label=_INDEX_LABELS[grid.index])
    return ax


def plot_votes(
    ensemble: Any,
    *,
    n_features: int = 30,
    names: Sequence[str] | None = None,
    ax: Any = None,
) -> Any:
    """Share of the parts that chose each feature, most votes at the top.

    Votes over halves have their cutoff drawn and its bound on errors written above.

    Parameters
    ----------
    ensemble : fitted Ensemble
        Selected features are drawn in full colour, others pale.
    n_features : int, default=30
        How many features to show: the selected ones in their order, then others with votes.
    names : sequence of str, default=None
        One name per input feature; None takes those seen in ``fit``, else ``x0``, ``x1``, ...
    ax : matplotlib axes, default=None
        Drawn on; None makes a new figure.

    Returns
    -------
    ax : matplotlib axes
    """
    votes = np.asarray(ensemble.votes_, dtype=np.float64)
    selected = [int(feature) for feature in ensemble.selected_]
    chosen = set(selected)
    others = np.lexsort((np.arange(len(votes)), -votes))
    order = [*selected, *(int(f) for f in others if votes[f] > 0 and int(f) not in chosen)]
    order = order[:n_features]
    ax = axes_or_new(ax, height=max(2.4, 0.9 + 0.22 * len(order)))
    colours = [COLOURS[0] if feature in chosen else "#b8c9d6" for feature in order]
    ax.barh(range(len(order)), votes[order], color=colours)
    labels = (
        feature_labels(ensemble, order) if names is None else [readable(names[f]) for f in order]
    )
    ax.set_yticks(range(len(order)), labels)
    take_literally(ax.get_yticklabels())
    ax.invert_yaxis()
    ax.set_xlim(0.0, 1.0)
    ax.set_xlabel("share of parts that chose the feature")
    ax.grid(axis="x", alpha=0.3)
    ax.set_axisbelow(True)
    if len(chosen) < len(order):
        from matplotlib.patches import Patch

        keys = [Patch(color=COLOURS[0]), Patch(color="#b8c9d6")]
        ax.legend(keys, ["selected", "not selected"], frameon=False, loc="lower right")
    if hasattr(ensemble, "cutoff_"):
        ax.axvline(ensemble.cutoff_, color=COLOURS[1], linestyle="--")
        ax.set_xlabel("share of the halves that chose the feature")
        ax.set_title(
            f"cutoff {ensemble.cutoff_:g}: at most {ensemble.error_bound_:.2g} rarely chosen features expected",
            fontsize="medium",
        )
    return ax


def _label_some(set_ticks: Any, labels: list[int], *, most: int) -> None:
    step = -(-len(labels) // most)
    places = list(range(0, len(labels), step))
    set_ticks(places, [str(labels[i]) for i in places])

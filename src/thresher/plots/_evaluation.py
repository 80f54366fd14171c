"""Plots of stability, error control and random probe features."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np
from sklearn.utils.validation import check_is_fitted

from thresher._utils.types import Axes, Estimator
from thresher.evaluate.errors import error_bound
from thresher.evaluate.probes import ProbeBenchmark
from thresher.evaluate.stability import StabilityCurve, StabilityGrid
from thresher.plots._axes import (
    COLOURS,
    LINES,
    axes_or_new,
    count_along_x,
    draw_line,
    feature_labels,
    finish,
    name_ticks,
)

_INDEX_LABELS = {
    "jaccard": "mean Jaccard index",
    "kuncheva": "Kuncheva index",
    "nogueira": "Nogueira stability",
    "relative-weighted-consistency": "relative weighted consistency",
}


def plot_stability(
    curves: StabilityCurve | Iterable[StabilityCurve], *, ax: Axes = None, spread: bool = True
) -> Axes:
    """Plot the stability against the number of selected features, one line per selector.

    Parameters
    ----------
    curves : StabilityCurve or iterable of them
        From :func:`thresher.evaluate.stability.stability_curve`; the ``name`` is the label.
    ax : matplotlib axes, default=None
        Axes to draw on. None creates a new figure.
    spread : bool, default=True
        Whether to shade one standard deviation of the repetitions on each side.

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
        raise ValueError("curves is empty. Pass at least one curve")
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


def plot_stability_grid(grid: StabilityGrid, *, ax: Axes = None) -> Axes:
    """Plot the mean stability for every number of parts and of features; brighter is more stable.

    Parameters
    ----------
    grid : StabilityGrid
        From :func:`thresher.evaluate.stability.stability_grid`.
    ax : matplotlib axes, default=None
        Axes to draw on. None creates a new figure.

    Returns
    -------
    ax : matplotlib axes
    """
    ax = axes_or_new(ax)
    # All cells have the same size, because the numbers of parts are rarely evenly spaced.
    image = ax.imshow(grid.values, origin="lower", aspect="auto", cmap="viridis")
    _label_some(ax.set_xticks, grid.k.tolist(), most=10)
    _label_some(ax.set_yticks, grid.n_parts.tolist(), most=20)
    ax.set(xlabel="selected features", ylabel="parts", title=grid.name)
    ax.figure.colorbar(image, ax=ax, label=_INDEX_LABELS[grid.index])
    return ax


def plot_votes(
    ensemble: Estimator,
    *,
    n_features: int = 30,
    names: Sequence[str] | None = None,
    ax: Axes = None,
) -> Axes:
    """Plot the share of the replicates that selected each feature, most votes at the top.

    For votes over halves, the cutoff is drawn and its error bound is the title.

    Parameters
    ----------
    ensemble : fitted Ensemble
        Selected features are drawn in full colour, others in a pale one.
    n_features : int, default=30
        Number of features to show: the selected ones in their order, then others with votes.
    names : sequence of str, default=None
        One name per input feature. None uses those seen in ``fit``, or ``x0``, ``x1``, ...
    ax : matplotlib axes, default=None
        Axes to draw on. None creates a new figure.

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
    name_ticks(ax.yaxis, range(len(order)), feature_labels(ensemble, order, names))
    ax.invert_yaxis()
    ax.set(xlim=(0.0, 1.0), xlabel="share of replicates that selected the feature")
    ax.grid(axis="x", alpha=0.3)
    ax.set_axisbelow(True)
    if len(chosen) < len(order):
        from matplotlib.patches import Patch

        keys = [Patch(color=COLOURS[0]), Patch(color="#b8c9d6")]
        ax.legend(keys, ["selected", "not selected"], frameon=False, loc="lower right")
    if hasattr(ensemble, "cutoff_"):
        ax.axvline(ensemble.cutoff_, color=COLOURS[1], linestyle="--")
        ax.set_xlabel("share of the halves that selected the feature")
        ax.set_title(
            f"cutoff {ensemble.cutoff_:g}: at most {ensemble.error_bound_:.2g} rarely chosen features expected",
            fontsize="medium",
        )
    return ax


def _label_some(
    set_ticks: Callable[[list[int], list[str]], object], labels: list[int], *, most: int
) -> None:
    shown = list(range(0, len(labels), -(-len(labels) // most)))
    set_ticks(shown, [str(labels[i]) for i in shown])


_ASSUMPTIONS = ("none", "unimodal", "r-concave")


def plot_gate(selector: Estimator, *, n_features: int | None = None, ax: Axes = None) -> Axes:
    """Plot sorted p-values and their threshold, with the features that passed and those that were selected.

    Parameters
    ----------
    selector : fitted ErrorControlled
        With ``method="gate"``.
    n_features : int, default=None
        Number of smallest p-values to show. None shows those that passed and as many others, at least 20.
    ax : matplotlib axes, default=None
        Axes to draw on. None creates a new figure.

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
        raise ValueError(f'method="{selector.method}" has no gate to plot. Fit with method="gate"')
    pvalues, passed = selector.pvalues_, selector.gate_
    chosen = np.zeros(len(pvalues), dtype=bool)
    chosen[selector.selected_] = True
    if n_features is None:
        n_features = max(20, 2 * int(passed.sum()))
    order = np.argsort(pvalues, kind="stable")[:n_features]
    ranks = np.arange(1, len(order) + 1)
    ax = axes_or_new(ax)
    kinds = (
        ("chosen by the search", chosen[order], COLOURS[0], "o", 3),
        ("passed", (passed & ~chosen)[order], COLOURS[5], "s", 2),
        ("not significant", ~passed[order], "#999999", "x", 2),
    )
    for label, is_kind, colour, marker, zorder in kinds:
        if is_kind.any():
            style = {"linestyle": "none", "markersize": 5, "color": colour, "marker": marker}
            points = ranks[is_kind], pvalues[order][is_kind]
            ax.plot(*points, label=label, zorder=zorder, **style)
    level = selector.gate_level_
    if selector.pfer is None:
        # The gate equals the height of the line at its end, the number of selected features.
        end = max(1, len(selector.selected_))
        ax.plot([0, end], [0, level], color=COLOURS[1], label=f"line of level {selector.fdr:g}")
    ax.axhline(level, color=COLOURS[1], linestyle="--", label=f"gate, {level:.2g}")
    top = max(float(level), float(pvalues[order].max()))
    ax.set(ylim=(-0.03 * top, 1.05 * top), xlim=(0, len(order) + 1))
    pvalue = f"p-value of the relevance ({selector.relevance_name_})"
    return finish(ax, "rank of the p-value", pvalue)


def plot_error_bound(
    p: int, q: float, *, n_pairs: int = 50, cutoff: float | None = None, ax: Axes = None
) -> Axes:
    """Plot the bound on the expected number of rarely selected features against the cutoff of votes over halves.

    There is one line per assumption; see :func:`thresher.evaluate.error_bound`.

    Parameters
    ----------
    p : int
        Number of features that can be selected.
    q : float
        Mean number of features selected on a half.
    n_pairs : int, default=50
        Number of pairs of halves.
    cutoff : float, default=None
        Cutoff to mark, with the bound of each assumption in the legend.
    ax : matplotlib axes, default=None
        Axes to draw on. None creates a new figure.

    Returns
    -------
    ax : matplotlib axes

    Examples
    --------
    >>> ax = plot_error_bound(200, 10, n_pairs=10, cutoff=0.75)
    """
    cutoffs = np.arange(n_pairs + 1, 2 * n_pairs + 1) / (2 * n_pairs)
    lines = {}
    for name in _ASSUMPTIONS:
        bound = partial(error_bound, p, q, n_pairs=n_pairs, assumption=name)
        label = "no assumption" if name == "none" else name
        label += "" if cutoff is None else f": {bound(cutoff):.3g}"
        lines[label] = [bound(float(c)) for c in cutoffs]
    ax = axes_or_new(ax)
    for i, (label, bounds) in enumerate(lines.items()):
        ax.plot(cutoffs, bounds, LINES[i], color=COLOURS[i], label=label)
    if cutoff is not None:
        ax.axvline(cutoff, color="0.5", linewidth=0.8, zorder=0)
    ax.set_yscale("log")
    ax.set_title(f"{q:g} of {p} features on each of {2 * n_pairs} halves")
    share = "cutoff: share of the halves that must choose a feature"
    title = None if cutoff is None else f"bound at cutoff {cutoff:g}"
    return finish(ax, share, "expected rarely chosen features, at most", title=title)


def plot_false_selections(benchmark: ProbeBenchmark, *, ax: Axes = None) -> Axes:
    """Plot the mean number of random columns among the first features, one line per selector.

    Bands are one standard deviation on each side.

    Parameters
    ----------
    benchmark : ProbeBenchmark
        From :func:`thresher.evaluate.probe_fdr`.
    ax : matplotlib axes, default=None
        Axes to draw on. None creates a new figure.

    Returns
    -------
    ax : matplotlib axes

    Notes
    -----
    The papers call these curves FDR. The dotted line is a selector that selects random columns only.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher import GSO
    >>> from thresher.evaluate import probe_fdr
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> ax = plot_false_selections(probe_fdr(GSO(), X, y, n_repeats=2, random_state=0))
    """
    ax = axes_or_new(ax)
    steps = np.arange(1, benchmark.n_steps + 1)
    for i, (name, mean) in enumerate(benchmark.mean_false_selected.items()):
        counts, band = benchmark.counts[name], None
        if len(counts) > 1:
            sd = counts.std(axis=0, ddof=1)
            band = (np.maximum(mean - sd, 0), mean + sd)
        draw_line(ax, i, steps, mean, band, label=name)
    ax.plot(steps, steps, ":", color="0.6", label="random columns only")
    count_along_x(ax)
    ax.set(xlabel="first features", ylabel="random columns among them, mean")
    ax.legend()
    return ax

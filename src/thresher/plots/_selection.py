"""Plots of one selection."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from thresher._utils.types import Array, Axes, DataLike, Estimator, Floats
from thresher.evaluate.redundancy import redundancy_map
from thresher.plots._axes import (
    COLOURS,
    LINES,
    axes_or_new,
    count_along_x,
    feature_labels,
    finish,
    name_ticks,
    write_above,
)
from thresher.search.forward import Features


def plot_path(selector: Estimator, *, ax: Axes = None) -> Axes:
    """Plot the score of each step; where it drops, more features add little.

    Parameters
    ----------
    selector : fitted selector
        A selector whose ``trace_`` has ``feature`` and ``score``.
    ax : matplotlib axes, default=None
        Axes to draw on. None creates a new figure.

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
    trace = _trace_with(("score", "feature"), selector, "MRMR or JMI")
    scores = np.asarray(trace["score"], dtype=np.float64)
    ax = axes_or_new(ax, height=1.2 + 0.26 * max(len(scores), 4))
    steps = np.arange(len(scores))
    ax.hlines(steps, 0, scores, color="0.8", linewidth=1)
    ax.plot(scores, steps, "o-", color=COLOURS[0], linewidth=1)
    labels = feature_labels(selector, trace["feature"])
    name_ticks(ax.yaxis, steps, [f"{label}  {step}" for step, label in enumerate(labels, 1)])
    ax.invert_yaxis()
    ax.axvline(0, color="0.7", linewidth=0.8, zorder=0)
    ax.set(xlabel="score when chosen", title=type(selector).__name__)
    return ax


def _trace_with(terms: tuple[str, ...], selector: Estimator, others: str) -> dict[str, Array]:
    """Return the trace of the selector, or raise ValueError if it lacks one of the terms."""
    check_is_fitted(selector)
    trace: dict[str, Array] = selector.trace_
    for term in terms:
        if term not in trace:
            raise ValueError(
                f"{type(selector).__name__} has no {term} per step to plot. Use a selector such as {others}"
            )
    return trace


_TERMS = ("relevance", "redundancy", "complementarity")
_MARKERS = ("o", "s", "^")


def plot_tradeoff(
    selector: Estimator, *, ax: Axes = None, title: str | None = None, shares: bool | None = None
) -> Axes:
    """Plot the terms of a greedy search at each step, as in figure 6 of the RRCT paper.

    To compare two methods as the paper does, draw each on separate axes with ``sharey=True``.

    Parameters
    ----------
    selector : fitted selector
        A selector whose ``trace_`` has ``relevance`` and ``redundancy``, optionally ``complementarity``: `RRCT`,
        `MRMR`, `NMIFS` and others.
    ax : matplotlib axes, default=None
        Axes to draw on. None creates a new figure.
    title : str, default=None
        Title of the plot. None: the name of the selector.
    shares : bool, default=None
        Whether to draw each term as a share of its largest value. None does so if relevance and redundancy are
        different measures, such as F and Pearson's correlation, which have no common unit.

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
    trace = _trace_with(_TERMS[:2], selector, "RRCT or MRMR")
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
    name_ticks(ax.xaxis, steps, labels, rotation=90 if len(steps) > 8 else 30, ha="right")
    ax.set_xlabel("feature, in order of choice")
    ax.set_ylabel("share of the largest" if shares else "term of the score")
    ax.set_title(type(selector).__name__ if title is None else title)
    ax.legend()
    return ax


def plot_redundancy(
    selector: Estimator, X: DataLike, *, n_chosen: int = 24, n_left: int = 12, ax: Axes = None
) -> Axes:
    """Plot the redundancy of the first features of a selection as a map, similar features next to each other.

    Names of selected features are bold. The others are the most relevant features that were not selected.

    Parameters
    ----------
    selector : fitted selector
    X
        The data it was fitted on.
    n_chosen, n_left : int, default=24, 12
        Largest number of selected features, and of features that were not selected.
    ax : matplotlib axes, default=None
        Axes to draw on. None creates a new figure.

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
    redundancy = redundancy_map(selector, X, n_chosen=n_chosen, n_left=n_left)
    if redundancy is None:
        raise ValueError(
            "a map needs at least three features that were selected or are relevant. Select more features"
        )
    n = len(redundancy.features)
    ax = axes_or_new(ax, width=2.6 + 0.22 * n, height=1.8 + 0.22 * n)
    image = ax.imshow(redundancy.values, vmin=0, vmax=1, cmap="Blues")
    ax.figure.colorbar(image, ax=ax, label=redundancy.measure, shrink=0.6)
    labels = feature_labels(selector, redundancy.features.tolist())
    for axis, rotation in ((ax.xaxis, 90), (ax.yaxis, 0)):
        texts = name_ticks(axis, range(n), labels, rotation=rotation, fontsize=8)
        for feature, text in zip(redundancy.features.tolist(), texts, strict=True):
            text.set_fontweight("bold" if selector.support_[feature] else "normal")
    return ax


def plot_annealing(selector: Estimator, *, ax: Axes = None, moves: bool = True) -> Axes:
    """Plot the score of the classifier against the risk of every set that `SALCC` scored.

    A cross marks the selected set, as in Fig. 3.16 of Pino Angulo's thesis. With ``search="path"`` the line is the
    whole search space.

    Parameters
    ----------
    selector : fitted SALCC
    ax : matplotlib axes, default=None
        Axes to draw on. None creates a new figure.
    moves : bool, default=True
        Whether to connect the sets by a thin line in the order of the moves.

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
        cross = {"marker": "x", "s": 120, "color": "black", "linewidths": 2, "zorder": 4}
        ax.scatter([selector.risk_], [selector.best_score_], label="selected", **cross)
    ax.margins(y=0.1)
    risk = "risk of the set (labels: number of features)"
    return finish(ax, risk, "cross-validated score")


def plot_fitness(selector: Estimator, *, ax: Axes = None) -> Axes:
    """Plot the best and the mean score of each cycle of a search, and the size of the best set.

    Parameters
    ----------
    selector : fitted GBC or MRMRGA
    ax : matplotlib axes, default=None
        Axes to draw on. None creates a new figure.

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
            f"{type(selector).__name__} has no best and mean score per cycle to plot. Use a fitted GBC or MRMRGA "
            "that has completed a cycle"
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


def plot_front(selector: Estimator, *, ax: Axes = None) -> Axes:
    """Plot score against size of all sets that a search has scored, with the front of the best ones.

    A set is on the front if no smaller set has at least its score.

    Parameters
    ----------
    selector : fitted GBC, MRMRGA or SALCC
    ax : matplotlib axes, default=None
        Axes to draw on. None creates a new figure.

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
            f"{type(selector).__name__} has no scored sets to plot. Use a fitted GBC, MRMRGA or SALCC"
        )
    ax = axes_or_new(ax)
    scores = selector.set_scores_
    sizes = np.array([len(features) for features in selector.sets_])
    usable = np.isfinite(scores)
    sizes, scores = sizes[usable], scores[usable]
    front = _front(sizes, scores)
    ax.scatter(sizes, scores, s=10, color=COLOURS[5], alpha=0.4, linewidths=0, label="scored sets")
    ax.step(sizes[front], scores[front], where="post", color=COLOURS[0], linewidth=1)
    ax.plot(sizes[front], scores[front], "o", color=COLOURS[0], markersize=5, label="front")
    chosen = {tuple(sorted(selector.selected_.tolist()))}
    at = [i for i, s in enumerate(selector.sets_) if tuple(sorted(s.tolist())) in chosen]
    if at:
        cross = {"marker": "x", "s": 90, "color": "black", "linewidths": 2, "zorder": 4}
        size, score = len(selector.sets_[at[0]]), selector.set_scores_[at[0]]
        ax.scatter([size], [score], label="selected", **cross)
    count_along_x(ax)
    if sizes.max() > 20:  # the whole pool is a set, too
        ticks = [size for size in (1, 2, 5, 10, 20, 50, 100, 200, 500) if size <= sizes.max()]
        ax.set_xscale("log")
        ax.set_xticks(ticks, [str(size) for size in ticks])
        ax.minorticks_off()
    return finish(ax, "features of the set", "cross-validated score", loc="lower right")


def _front(sizes: Features, scores: Floats) -> list[int]:
    """Return the sets that score more than all smaller ones and not less than those of their size, smallest first."""
    front: list[int] = []
    for i in np.lexsort((-scores, sizes)):
        if not front or scores[i] > scores[front[-1]]:
            front.append(int(i))
    return front

"""Plots of comparisons."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from thresher._utils.checks import check_choice, readable, warn
from thresher._utils.types import Axes, Floats
from thresher.evaluate.comparison import Comparison
from thresher.evaluate.significance import PairwiseTests
from thresher.plots._axes import COLOURS, axes_or_new, count_along_x, draw_line, finish

# The scores in each fold, one per number of features, by data set and selector.
Folds = dict[tuple[int, int], list[Floats]]


def plot_critical_difference(tests: PairwiseTests | Comparison, *, ax: Axes = None) -> Axes:
    """Plot the mean ranks of methods, the best on the left; bars join those that do not differ significantly.

    Parameters
    ----------
    tests : PairwiseTests or Comparison
        From :func:`thresher.evaluate.wilcoxon_holm` or a similar function. Of a comparison, its ``wilcoxon()``.
    ax : matplotlib axes, default=None
        Axes to draw on. None creates a new figure.

    Returns
    -------
    ax : matplotlib axes

    Examples
    --------
    >>> from thresher.evaluate import nemenyi
    >>> scores = {"a": [0.9, 0.8, 0.9, 0.7], "b": [0.8, 0.7, 0.7, 0.6], "c": [0.7, 0.6, 0.8, 0.5]}
    >>> ax = plot_critical_difference(nemenyi(scores))
    """
    if isinstance(tests, Comparison):
        tests = tests.wilcoxon()
    n = len(tests.methods)
    order = np.argsort(tests.mean_ranks, kind="stable")
    ranks = tests.mean_ranks[order]
    names = [tests.methods[i] for i in order]
    cliques = tests.cliques
    n_left = (n + 1) // 2
    # From the top down: the axis at 0, the bars of the cliques, then one line per label.
    first_label = 0.6 + 0.35 * len(cliques)
    depth = first_label + 0.8 * (n_left - 1) + 0.6
    ax = axes_or_new(ax, width=7.2, height=1.1 + 0.32 * depth)
    low, high = 1.0, float(n)
    margin = 0.06 * (high - low)
    ax.hlines(0, low, high, color="black", linewidth=1)
    for rank in range(1, n + 1):
        ax.vlines(rank, -0.2, 0, color="black", linewidth=1)
        ax.text(rank, -0.3, str(rank), ha="center", va="bottom", fontsize=8)
    for i, (name, rank) in enumerate(zip(names, ranks, strict=True)):
        is_left = i < n_left
        y = first_label + 0.8 * (i if is_left else n - 1 - i)
        end = low - margin if is_left else high + margin
        weight = "bold" if name == tests.control else "normal"
        ax.plot([rank, rank, end], [0, y, y], color="#555555", linewidth=0.8)
        side = {"ha": "right", "x": end - margin / 3} if is_left else {"x": end + margin / 3}
        ax.text(y=y, s=f"{name}  {rank:.2f}", va="center", fontsize=9, weight=weight, **side)
    by_name = dict(zip(names, ranks, strict=True))
    for i, clique in enumerate(cliques):
        y = 0.35 + 0.35 * i
        ends = [by_name[clique[0]] - 0.04, by_name[clique[-1]] + 0.04]
        ax.plot(ends, [y, y], color=COLOURS[0], linewidth=4, solid_capstyle="round", label="clique")
    reach = tests.critical_difference
    if not math.isnan(reach):
        ax.plot([low, low + reach], [-1.2, -1.2], color=COLOURS[1], linewidth=2, label="CD")
        label = f"CD = {reach:.2f}"
        ax.text(low + reach / 2, -1.3, label, ha="center", va="bottom", fontsize=8)
    kind = {"wilcoxon": "Wilcoxon, Holm", "nemenyi": "Nemenyi"}.get(tests.test, "Bonferroni-Dunn")
    ax.set_title(
        f"mean ranks on {tests.n_sets} data sets; bars: no difference at {tests.alpha:g} ({kind})",
        fontsize=9,
    )
    ax.set(xlim=(low - 6 * margin, high + 6 * margin), ylim=(depth, -1.9))
    ax.axis("off")
    return ax


def plot_scores(
    comparison: Comparison,
    *,
    data: str | None = None,
    estimator: str | None = None,
    ax: Axes = None,
) -> Axes:
    """Plot the score against the number of features, one line per selector, with bands.

    Parameters
    ----------
    comparison : Comparison
        From :func:`thresher.evaluate.compare`.
    data : str, default=None
        Name of one data set. Bands are one standard error over the folds on each side; failed folds are ignored. None:
        the mean over all data sets that have all numbers of features and a score of every selector, with standard
        errors over the data sets.
    estimator : str, default=None
        Name of one estimator. None: the mean over all estimators.
    ax : matplotlib axes, default=None
        Axes to draw on. None creates a new figure.

    Returns
    -------
    ax : matplotlib axes

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from thresher import MRMR, Univariate
    >>> from thresher.evaluate import compare
    >>> comparison = compare(
    ...     {"MRMR": MRMR(), "F": Univariate()},
    ...     {"wine": load_wine()},
    ...     {"naive Bayes": GaussianNB()},
    ...     k=[2, 4, 8],
    ...     progress=False,
    ... )
    >>> ax = plot_scores(comparison, data="wine")
    """
    names = [entry.name for entry in comparison.data]
    if data is not None:
        check_choice("data", data, names)
    if estimator is not None:
        check_choice("estimator", estimator, comparison.estimators)
    estimators = comparison.estimators if estimator is None else (estimator,)
    n_sizes = [len(entry.sizes) for entry in comparison.data]
    sets = [d for d, n in enumerate(n_sizes) if n == max(n_sizes)]
    if data is not None:
        sets = [names.index(data)]
    folds: Folds = {(d, s): [] for d in sets for s in range(len(comparison.selectors))}
    for (d, s, _), cell in comparison.cells.items():
        if d in sets:
            folds[d, s].append(np.mean([cell.scores[name] for name in estimators], axis=0))
    drawn = _means_of_sets(comparison, sets, folds) if data is None else _folds_of(folds)
    if not any(len(values) for values in drawn.values()):
        raise ValueError(
            "comparison has no data set on which all selectors have a score. Call errors() to see what failed"
        )
    for s in set(range(len(comparison.selectors))) - drawn.keys():
        warn(
            f"{readable(comparison.selectors[s])} has no score on {readable(str(data))} and is not drawn. Call "
            "errors() to see what failed"
        )
    sizes = np.array(comparison.data[sets[0]].sizes)
    ax = axes_or_new(ax)
    for s, values in drawn.items():
        mean = values.mean(axis=0)
        band = None
        if len(values) > 1:
            error = values.std(axis=0, ddof=1) / math.sqrt(len(values))
            band = (mean - error, mean + error)
        style = {"marker": "o", "markersize": 3, "label": comparison.selectors[s]}
        draw_line(ax, s, sizes, mean, band, alpha=0.12, **style)
    n_sets = max(len(values) for values in drawn.values())
    count_along_x(ax)
    ax.set_title(data if data is not None else f"mean over {n_sets} data sets", fontsize=10)
    score = "score" if estimator is None else f"score of {estimator}"
    n_columns = 1 + len(comparison.selectors) // 7
    return finish(ax, "selected features", score, fontsize=8, ncols=n_columns)


def _means_of_sets(comparison: Comparison, sets: list[int], folds: Folds) -> dict[int, Floats]:
    """Return for each selector the means over the folds, one row per data set on which all selectors have them."""
    selectors = range(len(comparison.selectors))
    complete = [d for d in sets if not any(np.isnan(folds[d, s]).any() for s in selectors)]
    without = [readable(comparison.data[d].name) for d in sets if d not in complete]
    if without and complete:
        warn(
            f"{', '.join(without)}: not every selector has a score, so the means exclude it. Call errors() to see what "
            "failed"
        )
    return {s: np.array([np.mean(folds[d, s], axis=0) for d in complete]) for s in selectors}


def _folds_of(folds: Folds) -> dict[int, Floats]:
    """Return for each selector the folds of one data set that did not fail, if there are any."""
    complete = {
        s: [row for row in rows if not np.isnan(row).any()] for (_, s), rows in folds.items()
    }
    return {s: np.array(rows) for s, rows in complete.items() if rows}


def plot_rank_heatmap(
    comparison: Comparison, *, k: int | None = None, estimator: str | None = None, ax: Axes = None
) -> Axes:
    """Plot the rank of every selector on every data set, the best selector at the top; dark is good.

    Parameters
    ----------
    comparison : Comparison
        From :func:`thresher.evaluate.compare`.
    k : int, default=None
        Number of features. None: ranks of the mean score over all numbers.
    estimator : str, default=None
        Name of one estimator. None: the mean over all estimators.
    ax : matplotlib axes, default=None
        Axes to draw on. None creates a new figure.

    Returns
    -------
    ax : matplotlib axes
    """
    scores = comparison.scores(k, estimator, output="dict")
    names = np.array(scores.pop("data"))
    matrix = np.array(list(scores.values()))  # selectors by data sets
    is_complete = ~np.isnan(matrix).any(axis=0)
    if not is_complete.any():
        raise ValueError(
            "no data set has a score of every selector. Call errors() to see what failed"
        )
    matrix, names = matrix[:, is_complete], names[is_complete]
    ranks = stats.rankdata(-matrix, axis=0)
    order = np.argsort(ranks.mean(axis=1), kind="stable")
    n_selectors, n_sets = ranks.shape
    ax = axes_or_new(ax, width=2.6 + 0.5 * n_sets, height=1.8 + 0.34 * n_selectors)
    ax.imshow(ranks[order], aspect="auto", cmap="viridis")
    for row, s in enumerate(order):
        for column in range(n_sets):
            rank = ranks[s, column]
            colour = "white" if rank < 0.6 * n_selectors else "black"
            ax.text(column, row, f"{rank:g}", ha="center", va="center", fontsize=7, color=colour)
    selectors = list(scores)
    labels = [f"{selectors[s]}  {ranks[s].mean():.2f}" for s in order]
    ax.set_yticks(range(n_selectors), labels, fontsize=8)
    ax.set_xticks(range(n_sets), names, rotation=45, ha="right", fontsize=8)
    ax.set_title("rank on each data set, and its mean (1 is best)", fontsize=10)
    return ax

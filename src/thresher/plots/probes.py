"""False selections step by step."""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher.evaluate.probes import ProbeBenchmark
from thresher.plots._axes import axes_or_new, count_along_x, draw_line


def plot_false_selections(benchmark: ProbeBenchmark, *, ax: Any = None) -> Any:
    """Mean number of random columns among the first features, one line per selector; shaded one standard deviation.

    Parameters
    ----------
    benchmark : ProbeBenchmark
        From :func:`thresher.evaluate.probe_fdr`.
    ax : matplotlib axes, default=None
        Drawn on; None makes a new figure.

    Returns
    -------
    ax : matplotlib axes

    Notes
    -----
    The papers call these curves FDR. The dotted line is a selector that takes nothing but random columns.

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
    ax.plot(steps, steps, ":", color="0.6", label="random columns alone")
    count_along_x(ax)
    ax.set_xlabel("first features")
    ax.set_ylabel("random columns among them, mean")
    ax.legend()
    return ax

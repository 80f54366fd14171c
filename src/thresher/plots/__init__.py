"""Plots of selections; they need matplotlib (the extra ``plots``)."""

from __future__ import annotations

from thresher.plots._comparison import plot_critical_difference, plot_rank_heatmap, plot_scores
from thresher.plots._evaluation import (
    plot_error_bound,
    plot_false_selections,
    plot_gate,
    plot_stability,
    plot_stability_grid,
    plot_votes,
)
from thresher.plots._selection import (
    plot_annealing,
    plot_fitness,
    plot_front,
    plot_path,
    plot_redundancy,
    plot_tradeoff,
)

__all__ = [
    "plot_annealing",
    "plot_critical_difference",
    "plot_error_bound",
    "plot_false_selections",
    "plot_fitness",
    "plot_front",
    "plot_gate",
    "plot_path",
    "plot_rank_heatmap",
    "plot_redundancy",
    "plot_scores",
    "plot_stability",
    "plot_stability_grid",
    "plot_tradeoff",
    "plot_votes",
]

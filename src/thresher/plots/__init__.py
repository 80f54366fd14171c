"""Pictures of selections; they need matplotlib (the extra ``plots``)."""

from __future__ import annotations

from thresher.plots.annealing import plot_annealing
from thresher.plots.comparison import (
    plot_critical_difference,
    plot_rank_heatmap,
    plot_scores,
)
from thresher.plots.errors import plot_error_bound, plot_gate
from thresher.plots.path import plot_path
from thresher.plots.probes import plot_false_selections
from thresher.plots.redundancy import plot_redundancy
from thresher.plots.search import plot_fitness, plot_front
from thresher.plots.stability import plot_stability, plot_stability_grid, plot_votes
from thresher.plots.tradeoff import plot_tradeoff

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

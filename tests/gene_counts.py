"""Counts of generated cells."""

from __future__ import annotations

import numpy as np


def simulated(seed=0, n_cells=400, n_genes=1200, n_markers=150):
    """Return the counts of cells of five kinds and of different depth; the first genes mark one kind each."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 5, n_cells)
    mean = np.clip(np.exp(rng.normal(-0.5, 1.5, n_genes)), 0.02, 200)
    rate = np.tile(mean, (n_cells, 1)) * np.exp(rng.normal(0, 0.3, n_cells))[:, None]
    for gene in range(n_markers):
        rate[kind == gene % 5, gene] *= 4.0
    spread = 0.1 + 0.3 / np.sqrt(mean + 1)
    return rng.poisson(rng.gamma(1 / spread, rate * spread)).astype(np.float32), kind

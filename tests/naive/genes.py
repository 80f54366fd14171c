"""Rankings of genes by dispersion, written from their definitions: slow, plain and obviously right.

A matrix is cells x genes.
"""

from __future__ import annotations

import math

import numpy as np


def local_quadratic(points, at, span=0.3):
    """Return value and slope at `at` of a quadratic through (x, y) points, weighted by nearness (tricube)."""
    n_nearest = min(len(points), max(3, math.floor(span * len(points) + 1e-5)))
    reach = sorted(abs(x - at) for x, _ in points)[n_nearest - 1]
    rows, values = [], []
    for x, y in points:
        weight = (1 - min(abs(x - at) / reach, 1) ** 3) ** 3
        rows.append([math.sqrt(weight) * (x - at) ** power for power in range(3)])
        values.append(math.sqrt(weight) * y)
    return np.linalg.lstsq(np.array(rows), np.array(values), rcond=None)[0][:2]


def split(xs, below, above, most):
    """Return the borders of the cells of a k-d tree of ascending points between two borders."""
    if len(xs) <= most:
        return set()
    middle = (len(xs) - 1) // 2
    for step in sorted(range(-len(xs), len(xs)), key=lambda step: (abs(step), -step)):
        if not 0 <= middle + step < len(xs) - 1:
            last = middle
            break
        if xs[middle + step] != xs[middle + step + 1]:
            last = middle + step
            break
    cut = xs[last]
    if cut in (below, above):
        return set()
    low, high = xs[: last + 1], xs[last + 1 :]
    return {cut} | split(low, below, cut, most) | split(high, cut, above, most)


def loess(points, span=0.3, cell=0.2):
    """Return fitted values: local quadratics at the borders of cells, cubics with their values and slopes between."""
    xs = sorted(x for x, _ in points)
    margin = 0.005 * (xs[-1] - xs[0])
    first, last = xs[0] - margin, xs[-1] + margin
    borders = sorted({first, last} | split(xs, first, last, math.floor(len(xs) * span * cell)))
    fits = {border: local_quadratic(points, border, span) for border in borders}
    fitted = []
    for x, _ in points:
        right = next(border for border in borders[1:] if x <= border)
        left = borders[borders.index(right) - 1]
        width = right - left
        t = (x - left) / width
        (value, slope), (next_value, next_slope) = fits[left], fits[right]
        fitted.append(
            value * (1 + 2 * t) * (1 - t) ** 2
            + slope * width * t * (1 - t) ** 2
            + next_value * t**2 * (3 - 2 * t)
            + next_slope * width * t**2 * (t - 1)
        )
    return fitted


def trend_dispersion(counts):
    """Return the variance of clipped counts over the variance expected of the mean."""
    counts = np.asarray(counts, dtype=float)
    n = len(counts)
    mean, spread = counts.mean(axis=0), counts.var(axis=0, ddof=1)
    varies = np.flatnonzero(spread > 0)
    trend = loess([(math.log10(mean[g]), math.log10(spread[g])) for g in varies])
    scores = np.zeros(counts.shape[1])
    for g, logarithm in zip(varies, trend, strict=True):
        expected = 10**logarithm
        clipped = np.minimum(counts[:, g], mean[g] + math.sqrt(n * expected))
        scores[g] = ((clipped - mean[g]) ** 2).sum() / (n - 1) / expected
    return scores


def binned_dispersion(logarithms, base=math.e, expressed_only=False):
    """Return the logarithm of variance over mean of the counts, standardised among genes of similar mean."""
    counts = base ** np.asarray(logarithms, dtype=float) - 1
    means, dispersions = [], []
    for gene in counts.T:
        varies = gene.min() < gene.max()
        means.append(math.log(1 + gene.mean()))
        dispersions.append(math.log(gene.var(ddof=1) / gene.mean()) if varies else math.nan)
    genes = [g for g in range(len(means)) if not expressed_only or means[g] > 0]
    lowest, highest = min(means[g] for g in genes), max(means[g] for g in genes)
    bins = {}
    for g in genes:
        number = max(1, math.ceil((means[g] - lowest) / (highest - lowest) * 20 - 1e-9))
        bins.setdefault(number, []).append(g)
    scores = np.zeros(len(means)) if expressed_only else np.full(len(means), math.nan)
    for members in bins.values():
        known = [dispersions[g] for g in members if not math.isnan(dispersions[g])]
        for g in members:
            if len(known) == 1:
                scores[g] = dispersions[g] / known[0]
            elif known:
                scores[g] = (dispersions[g] - np.mean(known)) / np.std(known, ddof=1)
    return scores


def merge(scores, n_top, order):
    """Return the genes of several batches, best first, from one list of scores for each batch."""
    ranks = []
    for batch in scores:
        best = sorted(range(len(batch)), key=lambda g: (-np.nan_to_num(batch[g], nan=-np.inf), g))
        ranks.append({g: rank for rank, g in enumerate(best[:n_top])})
    times = [sum(g in batch for batch in ranks) for g in range(len(scores[0]))]
    chosen = [g for g in range(len(times)) if times[g] > 0]
    median = {g: np.median([batch[g] for batch in ranks if g in batch]) for g in chosen}
    keys = {
        "seurat": lambda g: (-times[g], -np.nanmean([batch[g] for batch in scores]), g),
        "seurat_v3": lambda g: (median[g], -times[g], g),
        "seurat_v3_paper": lambda g: (-times[g], median[g], g),
    }
    return sorted(chosen, key=keys[order])[:n_top], times, median

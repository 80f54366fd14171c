"""Gate, then search, written from the definition."""

from __future__ import annotations


def open_gate(pvalues, fdr, most):
    """Return the largest k and its level; 0 if there is none."""
    p = len(pvalues)
    for k in range(most, 0, -1):
        if sum(value <= fdr * k / p for value in pvalues) >= k:
            return k, fdr * k / p
    return 0, None


def longest_prefix(is_probe, p, n_probes, fdr, most):
    """Return the length of the longest prefix with p/(m0+1) (1+V)/R <= fdr and a limited number of real features."""
    best = 0
    for length in range(1, len(is_probe) + 1):
        probes = sum(is_probe[:length])
        real = length - probes
        if 0 < real <= most and p / (n_probes + 1) * (1 + probes) / real <= fdr:
            best = length
    return best

"""The largest tail of r-concave laws, by trying many laws one after the other."""

from __future__ import annotations

import math


def law(a, k, power):
    """Return masses proportional to (a + i) ** -power on 0..k, not yet divided by their sum."""
    return [(a / (a + i)) ** power for i in range(k + 1)]


def mean_of(masses):
    return sum(i * mass for i, mass in enumerate(masses)) / sum(masses)


def offset_for_mean(mu, k, power):
    """Return the a whose law on 0..k has the mean mu, found in log a; None where no law reaches it."""
    if k <= 2 * mu:
        return None
    low, high = -60.0, 40.0
    for _ in range(200):
        middle = (low + high) / 2
        if mean_of(law(math.exp(middle), k, power)) < mu:
            low = middle
        else:
            high = middle
    return high


def largest_tail(t, mu, m, power, n_steps=40):
    """Maximize over laws with one smaller mass at k + 1 and mean exactly mu, every k and a grid of a."""
    best = 0.0
    for k in range(max(math.ceil(2 * mu), t - 1), m):
        low = offset_for_mean(mu, k + 1, power)
        high = offset_for_mean(mu, k, power)
        high = 40.0 if high is None else high
        for step in range(n_steps + 1):
            masses = law(math.exp(low + (high - low) * step / n_steps), k, power)
            scale = (k + 1 - mu) / sum((k + 1 - i) * mass for i, mass in enumerate(masses))
            best = max(best, 1.0 - scale * sum(masses[:t]))
    return best

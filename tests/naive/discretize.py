"""Cut points and codes from their definitions, exact where it counts."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import pairwise


def repeated(x, weights=None, y=None):
    """Return the present values (and classes), each repeated by its weight."""
    out = []
    for i, value in enumerate(x):
        if not math.isnan(value):
            times = 1 if weights is None else int(weights[i])
            out += [float(value) if y is None else (float(value), int(y[i]))] * times
    return out


def between(a, b):
    middle = (a + b) / 2 if math.isfinite(a + b) else a / 2 + b / 2
    return middle if middle < b else a


def cuts_where_levels_change(values, level):
    distinct = sorted(set(values))
    return [between(a, b) for a, b in pairwise(distinct) if level(a) != level(b)]


def equal_frequency(x, n_bins, weights=None):
    values = repeated(x, weights)

    def level(value):
        less = sum(v < value for v in values)
        equal = sum(v == value for v in values)
        return n_bins * (2 * less + equal) // (2 * len(values))

    return cuts_where_levels_change(values, level)


def equal_width(x, n_bins, weights=None):
    values = [float(v) for v in repeated(x, weights)]
    if not values:
        return []
    low, high = min(values), max(values)

    def threshold(k):
        """Return a double: its rounding decides which values are above it."""
        if max(abs(low), abs(high)) > 1e300:
            return low * ((n_bins - k) / n_bins) + high * (k / n_bins)
        return (low * (n_bins - k) + high * k) / n_bins

    def level(value):
        return sum(threshold(k) < value for k in range(1, n_bins))

    return cuts_where_levels_change(values, level)


def mean_sd(x, t, weights=None):
    values = [Fraction(v) for v in repeated(x, weights)]
    if len(set(values)) < 2:
        return []
    mean = sum(values) / len(values)
    sd = math.sqrt(sum((v - mean) ** 2 for v in values) / len(values))
    slack = 1e-12 * (abs(mean) + t * sd)

    def level(value):
        return (value > float(mean) - t * sd + slack) + (value > float(mean) + t * sd + slack)

    return cuts_where_levels_change([float(v) for v in values], level)


def entropy(labels):
    n = len(labels)
    return -sum(c / n * math.log2(c / n) for c in Counter(labels).values())


def mdl(x, y, *, weka=False, weights=None):
    rows = sorted(repeated(x, weights, y))

    def split(rows):
        labels = [label for _, label in rows]
        n, h = len(rows), entropy(labels) if rows else 0.0
        indices = [i for i in range(1, n) if rows[i - 1][0] < rows[i][0]]
        best = None
        for i in indices:
            rest = i / n * entropy(labels[:i]) + (n - i) / n * entropy(labels[i:])
            if best is None or rest < best[0] - 1e-12:
                best = (rest, i)
        if best is None:
            return []
        rest, i = best
        k, k1, k2 = (len(set(part)) for part in (labels, labels[:i], labels[i:]))
        h1, h2 = entropy(labels[:i]), entropy(labels[i:])
        choices = len(indices) if weka else n - 1
        price = math.log2(choices) + math.log2(3**k - 2) - (k * h - k1 * h1 - k2 * h2)
        gain = h - rest
        if gain <= 1e-14 or gain * n <= price:
            return []
        cut = between(rows[i - 1][0], rows[i][0])
        return [*split(rows[:i]), cut, *split(rows[i:])]

    return split(rows)


def codes(x, cuts):
    return [255 if math.isnan(v) else sum(cut < v for cut in cuts) for v in x]

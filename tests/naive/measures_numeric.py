"""Measures of continuous features from their definitions, in exact rational arithmetic.

Every number is turned into a ``Fraction``, so means and sums carry no rounding at all; the one
rounding that the definitions ask for comes last. Slow and plain.
"""

from __future__ import annotations

import math
from fractions import Fraction

GRID = 2**40


def to_grid(value):
    """Nearest multiple of 2^-40, ties to even."""
    scaled = Fraction(value) * GRID
    return float(Fraction(round(scaled), GRID))


def to_significant(value, bits=40):
    """Nearest number of ``bits`` significant binary digits, ties to even."""
    if value == 0:
        return 0.0
    value = Fraction(value)
    exponent = math.floor(math.log2(value)) - bits + 1
    while value / Fraction(2) ** exponent >= 2**bits:
        exponent += 1
    while value / Fraction(2) ** exponent < 2 ** (bits - 1):
        exponent -= 1
    return float(round(value / Fraction(2) ** exponent) * Fraction(2) ** exponent)


def root(value):
    """Square root of a fraction, good to far more digits than a double."""
    scale = 2**240
    return Fraction(math.isqrt(int(value * scale * scale)), scale)


def _bounded(numerator, square):
    """|numerator| / sqrt(square) as every correlation is reported."""
    if square == 0:
        return 0.0
    # Bring tiny products up so that the integer root keeps its digits.
    shift = 0
    while square < 1:
        square *= 4
        shift += 1
    value = abs(numerator) * 2**shift / root(square)
    if value < Fraction(1, 10**12):
        return 0.0
    return to_grid(min(value, Fraction(1)))


def _rows(columns, weights, kept):
    """Tuples of fractions and weights for the kept rows without missing values."""
    n = len(columns[0])
    weights = [1] * n if weights is None else weights
    kept = range(n) if kept is None else kept
    for row in kept:
        values = [float(column[row]) for column in columns]
        if weights[row] == 0 or any(math.isnan(value) for value in values):
            continue
        yield [Fraction(value) for value in values], Fraction(float(weights[row])), row


def pearson(x, y, weights=None, kept=None):
    rows = list(_rows((x, y), weights, kept))
    n = sum(w for _, w, _ in rows)
    if n == 0:
        return 0.0
    mean_x = sum(w * v[0] for v, w, _ in rows) / n
    mean_y = sum(w * v[1] for v, w, _ in rows) / n
    xy = sum(w * (v[0] - mean_x) * (v[1] - mean_y) for v, w, _ in rows)
    xx = sum(w * (v[0] - mean_x) ** 2 for v, w, _ in rows)
    yy = sum(w * (v[1] - mean_y) ** 2 for v, w, _ in rows)
    return _bounded(xy, xx * yy)


def cosine(x, y, weights=None, kept=None):
    rows = list(_rows((x, y), weights, kept))
    xy = sum(w * v[0] * v[1] for v, w, _ in rows)
    xx = sum(w * v[0] ** 2 for v, w, _ in rows)
    yy = sum(w * v[1] ** 2 for v, w, _ in rows)
    return _bounded(xy, Fraction(xx * yy))


def average_ranks(x):
    """Ranks 1..n, equal values share their mean rank."""
    x = [float(value) for value in x]
    return [
        Fraction(2 * sum(v < value for v in x) + sum(v == value for v in x) + 1, 2) for value in x
    ]


def doubled_ranks(x, weights=None):
    x = [float(value) for value in x]
    weights = [1] * len(x) if weights is None else [int(w) for w in weights]
    n = sum(weights)
    return [
        2 * sum(w for v, w in zip(x, weights, strict=True) if v < value)
        + sum(w for v, w in zip(x, weights, strict=True) if v == value)
        - n
        for value in x
    ]


def spearman(x, y):
    ranks_x, ranks_y = average_ranks(x), average_ranks(y)
    n = len(ranks_x)
    mean = Fraction(n + 1, 2)
    xy = sum((a - mean) * (b - mean) for a, b in zip(ranks_x, ranks_y, strict=True))
    xx = sum((a - mean) ** 2 for a in ranks_x)
    yy = sum((b - mean) ** 2 for b in ranks_y)
    return _bounded(xy, xx * yy)


def f_statistic(x, classes, weights=None, kept=None):
    rows = [(v[0], w, int(classes[row])) for v, w, row in _rows((x,), weights, kept)]
    if not rows:
        return 0.0
    n = sum(w for _, w, _ in rows)
    labels = sorted({label for _, _, label in rows})
    if len({value for value, _, _ in rows}) < 2 or len(labels) < 2 or n <= len(labels):
        return 0.0
    mean = sum(w * value for value, w, _ in rows) / n
    between = within = Fraction(0)
    for label in labels:
        own = [(value, w) for value, w, other in rows if other == label]
        size = sum(w for _, w in own)
        centre = sum(w * value for value, w in own) / size
        between += size * (centre - mean) ** 2
        within += sum(w * (value - centre) ** 2 for value, w in own)
    if between < Fraction(1, 10**24) * within:
        return 0.0
    cap = Fraction(10**12)
    ratio = cap if within == 0 else min(between / within, cap)
    return to_significant((n - len(labels)) / (len(labels) - 1) * ratio)


def left_out(parts):
    """For every part, the rows that the replicate without it keeps."""
    return [
        [row for row, part in enumerate(parts) if part != left] for left in range(max(parts) + 1)
    ]

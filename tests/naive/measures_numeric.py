"""Measures of continuous features from their definitions, in exact rational arithmetic.

Every number is turned into a ``Fraction``, so means and sums carry no rounding at all; the one
rounding that the definitions require comes last. Slow and plain.
"""

from __future__ import annotations

import math
from fractions import Fraction

GRID = 2**40


def to_grid(value):
    """Return the nearest multiple of 2^-40, ties to even."""
    scaled = Fraction(value) * GRID
    return float(Fraction(round(scaled), GRID))


def to_significant(value, bits=40):
    """Return the nearest number of ``bits`` significant binary digits, ties to even."""
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
    """Return the square root of a fraction, accurate to many more digits than a double."""
    scale = 2**240
    return Fraction(math.isqrt(int(value * scale * scale)), scale)


def _bounded(numerator, square):
    """Return |numerator| / sqrt(square) as every correlation is reported."""
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
    """Yield the tuples of fractions and weights for the kept rows without missing values."""
    n = len(columns[0])
    weights = [1] * n if weights is None else weights
    kept = range(n) if kept is None else kept
    for row in kept:
        values = [float(column[row]) for column in columns]
        if weights[row] == 0 or any(math.isnan(value) for value in values):
            continue
        yield [Fraction(value) for value in values], Fraction(float(weights[row])), row


def _scatter(x, y, weights, kept):
    """Weight of the rows, and sums of products about the means."""
    rows = list(_rows((x, y), weights, kept))
    n = sum(w for _, w, _ in rows)
    if n == 0:
        return 0, 0, 0, 0
    mean_x = sum(w * v[0] for v, w, _ in rows) / n
    mean_y = sum(w * v[1] for v, w, _ in rows) / n
    xy = sum(w * (v[0] - mean_x) * (v[1] - mean_y) for v, w, _ in rows)
    xx = sum(w * (v[0] - mean_x) ** 2 for v, w, _ in rows)
    yy = sum(w * (v[1] - mean_y) ** 2 for v, w, _ in rows)
    return n, xy, xx, yy


def pearson(x, y, weights=None, kept=None):
    _, xy, xx, yy = _scatter(x, y, weights, kept)
    return _bounded(xy, Fraction(xx * yy))


def _rounded(value):
    """Return a bounded value as it is reported."""
    return 0.0 if value < Fraction(1, 10**12) else to_grid(min(value, Fraction(1)))


def r2(x, y, weights=None, kept=None):
    _, xy, xx, yy = _scatter(x, y, weights, kept)
    return _rounded(xy * xy / (xx * yy)) if xx * yy else 0.0


def mici(x, y, weights=None, kept=None):
    """Return 1 - smaller eigenvalue of the covariance / smaller variance."""
    _, xy, xx, yy = _scatter(x, y, weights, kept)
    if xx * yy == 0:
        return 0.0
    xx, yy, xy = xx / max(xx, yy), yy / max(xx, yy), xy / max(xx, yy)
    smaller = (xx + yy - root((xx - yy) ** 2 + 4 * xy * xy)) / 2
    return _rounded(1 - smaller / min(xx, yy))


SMALLEST, LARGEST = Fraction(1, 10**24), Fraction(10**12)


def regression_f(x, y, weights=None, kept=None):
    n, xy, xx, yy = _scatter(x, y, weights, kept)
    if n <= 2 or xx * yy == 0:
        return 0.0
    square = xy * xy / (xx * yy)
    if square < SMALLEST:
        return 0.0
    ratio = LARGEST if square == 1 else min(square / (1 - square), LARGEST)
    return to_significant((n - 2) * ratio)


def cosine(x, y, weights=None, kept=None):
    rows = list(_rows((x, y), weights, kept))
    xy = sum(w * v[0] * v[1] for v, w, _ in rows)
    xx = sum(w * v[0] ** 2 for v, w, _ in rows)
    yy = sum(w * v[1] ** 2 for v, w, _ in rows)
    return _bounded(xy, Fraction(xx * yy))


def average_ranks(x, weights):
    """Return ranks 1..n; equal values share their mean rank; a weight w counts as w samples."""
    x = [float(value) for value in x]
    return [
        sum(w for v, w in zip(x, weights, strict=True) if v < value)
        + (sum(w for v, w in zip(x, weights, strict=True) if v == value) + 1) / Fraction(2)
        for value in x
    ]


def spearman(x, y, weights=None):
    weights = [Fraction(w) for w in ([1] * len(x) if weights is None else weights.tolist())]
    mean = (sum(weights) + 1) / Fraction(2)
    centred_x = [rank - mean for rank in average_ranks(x, weights)]
    centred_y = [rank - mean for rank in average_ranks(y, weights)]
    rows = list(zip(centred_x, centred_y, weights, strict=True))
    xy = sum(w * a * b for a, b, w in rows)
    xx = sum(w * a**2 for a, _, w in rows)
    yy = sum(w * b**2 for _, b, w in rows)
    return _bounded(xy, xx * yy)


def _by_class(x, classes, weights, kept):
    """Weight, mean and sum of squares about it of every class that occurs."""
    rows = [(v[0], w, int(classes[row])) for v, w, row in _rows((x,), weights, kept)]
    out = []
    for label in sorted({label for _, _, label in rows}):
        own = [(value, w) for value, w, other in rows if other == label]
        size = sum(w for _, w in own)
        mean = sum(w * value for value, w in own) / size
        out.append((size, mean, sum(w * (value - mean) ** 2 for value, w in own)))
    return out


def _between_and_within(groups):
    n = sum(size for size, _, _ in groups)
    mean = sum(size * centre for size, centre, _ in groups) / n
    between = sum(size * (centre - mean) ** 2 for size, centre, _ in groups)
    return between, sum(within for _, _, within in groups)


def _class_measure(formula):
    def measure(x, classes, weights=None, kept=None):
        groups = _by_class(x, classes, weights, kept)
        if len(groups) < 2:
            return 0.0
        between, within = _between_and_within(groups)
        return 0.0 if between <= SMALLEST * within else formula(groups, between, within)

    return measure


@_class_measure
def f_statistic(groups, between, within):
    n = sum(size for size, _, _ in groups)
    if n <= len(groups):
        return 0.0
    ratio = LARGEST if within == 0 else min(between / within, LARGEST)
    return to_significant((n - len(groups)) / (len(groups) - 1) * ratio)


@_class_measure
def one_way_r2(_, between, within):
    return _rounded(between / (between + within))


@_class_measure
def fisher(_, between, within):
    return math.inf if within <= SMALLEST * between else to_significant(between / within)


@_class_measure
def fir(groups, *_):
    (n_0, mean_0, within_0), (n_1, mean_1, within_1) = groups
    spread = within_0 / n_0 + within_1 / n_1
    distance = (mean_0 - mean_1) ** 2
    if spread <= SMALLEST * distance:
        return math.inf
    return to_significant(root(distance / spread))


def left_out(parts):
    """Return the rows that the replicate without each part keeps."""
    return [
        [row for row, part in enumerate(parts) if part != left] for left in range(max(parts) + 1)
    ]

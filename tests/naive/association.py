"""The association of two columns from its definition: explicit projections, chance, one rounding."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np

from tests.naive.rounding import round_grid


def span(column, is_category, root):
    """An orthonormal basis of the centred column, or of its centred indicators, in the weighted inner product."""
    n = float((root**2).sum())
    if is_category:
        block = np.array([column == level for level in np.unique(column)], dtype=float).T
    else:
        block = np.asarray(column, dtype=float)[:, None]
        block = block / max(np.abs(block - block[0]).max(), 1e-300)
    means = (root[:, None] ** 2 * block).sum(axis=0) / n
    centred = (block - means) * root[:, None]
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    d = block.shape[1] - 1 if is_category else int(np.ptp(column) > 0)
    assert (sizes > 1e-9 * max(sizes.max(initial=0.0), 1e-300)).sum() == d
    return left[:, :d]


def parts(a, b, a_is_category=False, b_is_category=False, weights=None):
    """The trace of the product of both projections, their dimensions, and the sum of the weights."""
    weights = np.ones(len(a)) if weights is None else np.asarray(weights, dtype=float)
    used = weights > 0
    root = np.sqrt(weights[used])
    one = span(np.asarray(a)[used], a_is_category, root)
    other = span(np.asarray(b)[used], b_is_category, root)
    trace = float(((one @ one.T) * (other @ other.T)).sum())
    return trace, one.shape[1], other.shape[1], float(weights.sum())


def corrected(t, d_a, d_b, n):
    """From the trace to the association, not yet rounded."""
    most = min(d_a, d_b)
    if most == 0 or n <= 1:
        return 0.0
    chance = d_a * d_b / (n - 1)
    if most - chance <= 0:
        return 0.0
    return min(max((t - chance) / (most - chance), 0.0), 1.0)


def association(a, b, a_is_category=False, b_is_category=False, weights=None):
    """The association before its rounding: two values that agree differ by the errors of linear algebra alone."""
    return corrected(*parts(a, b, a_is_category, b_is_category, weights))


def plain(weights, n):
    """The weights as Python's numbers."""
    return [1] * n if weights is None else np.asarray(weights).tolist()


def exact_tables(a, b, weights=None):
    """The association of two categories, with its rounding, from the contingency table in fractions."""
    weights = plain(weights, len(a))
    cells, rows, columns, n = {}, {}, {}, Fraction(0)
    for x, y, w in zip(a, b, weights, strict=True):
        w = Fraction(w)
        if w == 0:
            continue
        n += w
        cells[x, y] = cells.get((x, y), 0) + w
        rows[x] = rows.get(x, 0) + w
        columns[y] = columns.get(y, 0) + w
    t = sum(cell**2 / (rows[x] * columns[y]) for (x, y), cell in cells.items()) - 1
    return rounded(t, len(rows) - 1, len(columns) - 1, n)


def exact_groups(x, c, weights=None):
    """The association of a number and a category, with its rounding, from sums in fractions."""
    weights = plain(weights, len(x))
    rows = [
        (Fraction(float(v)), g, Fraction(w)) for v, g, w in zip(x, c, weights, strict=True) if w > 0
    ]
    n = sum(w for _, _, w in rows)
    mean = sum(v * w for v, _, w in rows) / n
    total = sum((v - mean) ** 2 * w for v, _, w in rows)
    groups = {g for _, g, _ in rows}
    if total == 0:
        return 0.0
    between = Fraction(0)
    for group in groups:
        weight = sum(w for _, g, w in rows if g == group)
        between += sum((v - mean) * w for v, g, w in rows if g == group) ** 2 / weight
    return rounded(between / total, 1, len(groups) - 1, n)


def exact_numbers(x, z, weights=None):
    """The association of two numbers, with its rounding, from sums in fractions."""
    weights = plain(weights, len(x))
    rows = [
        (Fraction(float(u)), Fraction(float(v)), Fraction(w))
        for u, v, w in zip(x, z, weights, strict=True)
        if w > 0
    ]
    n = sum(w for _, _, w in rows)
    mean_u = sum(u * w for u, _, w in rows) / n
    mean_v = sum(v * w for _, v, w in rows) / n
    uu = sum((u - mean_u) ** 2 * w for u, _, w in rows)
    vv = sum((v - mean_v) ** 2 * w for _, v, w in rows)
    if uu == 0 or vv == 0:
        return 0.0
    uv = sum((u - mean_u) * (v - mean_v) * w for u, v, w in rows)
    return rounded(uv * uv / (uu * vv), 1, 1, n)


def rounded(t, d_a, d_b, n):
    """`corrected` in fractions, with the rounding of every bounded measure: below 1e-12 is 0."""
    most = min(d_a, d_b)
    if most == 0 or n <= 1:
        return 0.0
    chance = Fraction(d_a * d_b) / (n - 1)
    if most - chance <= 0:
        return 0.0
    value = (t - chance) / (most - chance)
    if value < Fraction(1, 10**12):
        return 0.0
    return 1.0 if value >= 1 else round_grid(value)


def exact(a, b, a_is_category=False, b_is_category=False, weights=None):
    """The association with its rounding, from sums in fractions."""
    if a_is_category and b_is_category:
        return exact_tables(a, b, weights)
    if a_is_category:
        return exact_groups(b, a, weights)
    if b_is_category:
        return exact_groups(a, b, weights)
    return exact_numbers(a, b, weights)


def in_bits(association):
    """-1/2 log2(1 - A), a multiple of 2^-40, 32 at most."""
    if association >= 1:
        return 32.0
    return -log2(1 - association, halves=True)


def log2(x, halves=False):
    """log2(x), or half of it, as a multiple of 2^-40."""
    with localcontext() as context:
        context.prec = 60
        value = Decimal(x).ln() / Decimal(2).ln() / (2 if halves else 1)
        return float(Fraction(int((value * 2**40).to_integral_value()), 2**40))

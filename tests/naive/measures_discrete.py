"""Measures of discrete columns by their definitions, from tables counted one row at a time."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from tests.naive.measures_numeric import to_significant
from tests.naive.rounding import XLogX, in_bits, round_grid, unit_ratio


def contingency(a, b, a_levels: int, b_levels: int, weights=None) -> np.ndarray:
    """Count rows; those where either code is negative are left out."""
    real = weights is not None and np.asarray(weights).dtype.kind == "f"
    table = np.zeros((a_levels, b_levels), dtype=float if real else np.int64)
    for i in range(len(a)):
        if a[i] >= 0 and b[i] >= 0:
            table[a[i], b[i]] += 1 if weights is None else weights[i]
    return table


def measure_of_table(table: np.ndarray, measure: str, xlogx: XLogX) -> float:
    """Return the published value of "mi", "su", "nmi" or "chi2"."""
    n = int(table.sum())
    if n == 0:
        return 0.0
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    if measure == "chi2":
        return _chi2(table, rows, columns, n)
    whole = xlogx(n)
    mutual = whole + xlogx.sum(table.ravel()) - xlogx.sum(rows) - xlogx.sum(columns)
    entropy_a = whole - xlogx.sum(rows)
    entropy_b = whole - xlogx.sum(columns)
    if measure == "mi":
        return in_bits(mutual, n, xlogx.shift)
    if measure == "su":
        return unit_ratio(2.0 * float(mutual), float(entropy_a + entropy_b))
    if measure == "nmi":
        return unit_ratio(float(mutual), float(min(entropy_a, entropy_b)))
    raise ValueError(measure)


def _chi2(table, rows, columns, n) -> float:
    total = Fraction(0)
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            expected = Fraction(int(rows[i]) * int(columns[j]), n)
            if expected > 0:
                total += (int(table[i, j]) - expected) ** 2 / expected
    return to_significant(total)


def measure(a, b, measure_name: str, a_levels: int, b_levels: int, xlogx: XLogX | None = None):
    """Return the value for two code columns; negative codes are missing, pairwise left out."""
    if xlogx is None:
        xlogx = XLogX(len(a))
    return measure_of_table(contingency(a, b, a_levels, b_levels), measure_name, xlogx)


def real_weight_mi(a, b, weights, a_levels: int, b_levels: int) -> float:
    """Return the mutual information in bits for real weights, accurate to about 1e-12."""
    table = contingency(a, b, a_levels, b_levels, np.asarray(weights, dtype=float))
    total = table.sum()
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    value = 0.0
    for i in range(a_levels):
        for j in range(b_levels):
            if table[i, j] > 0:
                share = table[i, j] / total
                value += share * math.log2(table[i, j] * total / (rows[i] * columns[j]))
    return max(value, 0.0)


def three_way(f, g, c, f_levels: int, g_levels: int, n_classes: int, xlogx: XLogX | None = None):
    """Return all four terms of a triple as a dict: "joint", "conditional", "disr", "interaction"."""
    if xlogx is None:
        xlogx = XLogX(len(f))
    cube = np.zeros((f_levels, g_levels, n_classes), dtype=np.int64)
    for i in range(len(f)):
        if f[i] >= 0 and g[i] >= 0:
            cube[f[i], g[i], c[i]] += 1
    n = int(cube.sum())
    if n == 0:
        return dict.fromkeys(("joint", "conditional", "disr", "interaction"), 0.0)
    whole = xlogx(n)

    def logs(*axes: int) -> int:
        return xlogx.sum(cube.sum(axis=axes).ravel())

    fgc, fg, fc, gc = logs(), logs(2), logs(1), logs(0)
    f_sum, g_sum, c_sum = logs(1, 2), logs(0, 2), logs(0, 1)
    joint = whole + fgc - fg - c_sum
    plain = whole + fg - f_sum - g_sum
    given = fgc + c_sum - fc - gc
    return {
        "joint": in_bits(joint, n, xlogx.shift),
        "conditional": in_bits(fgc + g_sum - fg - gc, n, xlogx.shift),
        "disr": unit_ratio(float(joint), float(whole - fgc)),
        "interaction": round_grid(float(plain - given) / (float(n) * 2.0**xlogx.shift)),
    }


def ranks_of_values(column) -> tuple[np.ndarray, np.ndarray]:
    """Return the codes (rank among sorted distinct values, NaN = -1) and the distinct values."""
    column = np.asarray(column, dtype=float)
    values = sorted({float(v) for v in column if not math.isnan(v)})
    code_of = {v: i for i, v in enumerate(values)}
    codes = [-1 if math.isnan(v) else code_of[float(v)] for v in column]
    return np.array(codes, dtype=np.int64), np.array(values)

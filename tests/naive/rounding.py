"""The numbers every measure is built from, in exact Python arithmetic."""

from __future__ import annotations

import math
import struct
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache

GRID = 2**40


def shift_for(n: int) -> int:
    """Return ``60 - ceil(log2(n log2 n))``; 59 for n <= 2, where there is nothing to measure."""
    if n <= 2:
        return 59
    with localcontext() as context:
        context.prec = 60
        product = Decimal(n) * _log2(n)
        k = 1
        while Decimal(2) ** k < product:
            k += 1
    return 60 - k


def _log2(c: int) -> Decimal:
    if c & (c - 1) == 0:
        return Decimal(c.bit_length() - 1)
    return Decimal(c).ln() / Decimal(2).ln()


@cache
def xlogx_fixed(c: int, shift: int) -> int:
    """Return ``round(c log2(c) 2**shift)``, an integer."""
    if c <= 1:
        return 0
    with localcontext() as context:
        context.prec = 60
        return int((Decimal(c) * _log2(c) * 2**shift).to_integral_value())


class XLogX:
    """L(c) of one fit: the shift belongs to the number of all rows."""

    def __init__(self, n: int):
        self.n = n
        self.shift = shift_for(n)

    def __call__(self, c: int) -> int:
        return xlogx_fixed(int(c), self.shift)

    def sum(self, counts) -> int:
        return sum(self(c) for c in counts)


def round_grid(x: float) -> float:
    """Round to the nearest multiple of 2**-40, halves to even."""
    if not math.isfinite(x):
        return x
    return float(Fraction(round(Fraction(x) * GRID), GRID))


def bits_of(x: float) -> int:
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def unit_ratio(numerator: float, denominator: float) -> float:
    """Return the ratio clamped to [0, 1] and rounded; 0 without a denominator."""
    if denominator <= 0 or numerator <= 0:
        return 0.0
    return round_grid(min(numerator / denominator, 1.0))


def in_bits(total: int, n: int, shift: int) -> float:
    """Return a fixed-point sum as bits, clamped at 0 and rounded."""
    if n == 0 or total <= 0:
        return 0.0
    return round_grid(float(total) / (float(n) * 2.0**shift))

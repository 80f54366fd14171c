"""Arithmetic of double-doubles: numbers as the sum of a high and a low double."""

from __future__ import annotations

from functools import reduce

import numpy as np

from thresher import _core
from thresher._utils.types import Floats

_SPLITTER = 134217729.0  # 2^27 + 1


def add(*terms: Floats) -> Floats:
    """Return the sum of double-doubles."""
    return reduce(_core.add_sums, (np.ascontiguousarray(term) for term in terms))


def difference(a: Floats, b: Floats) -> Floats:
    """Return ``a - b`` of doubles as an exact double-double."""
    high = a - b
    back = high - a
    return np.stack([high, (a - (high - back)) - (b + back)], axis=-1)


def product(a: Floats, b: Floats) -> Floats:
    """Return the product of double-doubles."""
    high = a[..., 0] * b[..., 0]
    a1, a2 = _halves(a[..., 0])
    b1, b2 = _halves(b[..., 0])
    low = ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2
    low = low + (a[..., 0] * b[..., 1] + a[..., 1] * b[..., 0])
    total = high + low
    return np.stack([total, low - (total - high)], axis=-1)


def as_words(values: Floats) -> Floats:
    """Return doubles as double-doubles."""
    return np.stack([values, np.zeros_like(values)], axis=-1)


def quotient(a: Floats, b: Floats) -> Floats:
    """Return double-doubles divided by doubles."""
    first = a[..., 0] / b
    rest = add(a, product(as_words(-first), as_words(b)))
    return add(as_words(first), as_words(rest[..., 0] / b))


def _halves(values: Floats) -> tuple[Floats, Floats]:
    scaled = values * _SPLITTER
    high = scaled - (scaled - values)
    return high, values - high

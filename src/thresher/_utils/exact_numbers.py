"""Whole and decimal numbers of any size as doubles that tell them apart."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher._utils.checks import is_missing

LARGEST_EXACT = 1 << 53  # whole numbers beyond it have no double of their own


def are_exact(values: list[Any]) -> bool:
    return all(
        isinstance(value, int | np.integer | Decimal) or is_missing(value) for value in values
    )


def from_smallest(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Numbers that doubles cannot tell apart as their distance from the smallest, where that is exact.

    Objects must be whole numbers of Python or decimal ones; what is missing becomes NaN.
    """
    if values.dtype.kind == "O":
        return _from_smallest_object(values)
    if values.dtype.kind not in "iu" or int(values.max()) - int(values.min()) >= LARGEST_EXACT:
        return values
    return np.asarray(values - values.min())


def _from_smallest_object(values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    is_there = np.array([not is_missing(value) for value in values], dtype=bool)
    present = [int(v) if isinstance(v, np.integer) else v for v in values[is_there]]
    lowest, highest = min(present, default=0), max(present, default=0)
    origin = lowest if highest - lowest < LARGEST_EXACT else 0
    numbers = np.full(len(values), np.nan)
    numbers[is_there] = [as_double(value - origin) for value in present]
    return numbers


def as_double(number: Any) -> float:
    """The nearest double; infinity where there is none."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf

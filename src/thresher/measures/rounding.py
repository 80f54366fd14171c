"""The rounding of measures that are computed in Python; for the core see ``cpp/core/rounding.hpp``."""

from __future__ import annotations

import numpy as np

from thresher._utils.types import Floats


def round_bounded(values: Floats) -> Floats:
    """Round to multiples of 2^-40, so that sums of values in a range do not depend on their order."""
    return np.rint(values * 2.0**40) / 2.0**40


def round_significant(values: Floats, bits: int = 40) -> Floats:
    """Round to this many significant bits, so that values that are equal in exact arithmetic tie."""
    mantissa, exponent = np.frexp(values)
    rounded: Floats = np.ldexp(np.rint(np.ldexp(mantissa, bits)), exponent - bits)
    return rounded

"""Columns of extreme size, brought near 1 by powers of two, which is exact and leaves room for squares."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

# Squares of numbers beyond this, or below its inverse, are not safe in double precision.
LARGEST_SAFE = 1e120


def powers_of_two(sizes: Any, largest: float = LARGEST_SAFE) -> npt.NDArray[np.intc]:
    """Return the exponents that bring extreme sizes near 1; 0 for others.

    Parameters
    ----------
    sizes : array of float
        Largest absolute values of columns.
    largest : float, default=LARGEST_SAFE
        Sizes beyond this, or below its inverse, are extreme.
    """
    sizes = np.asarray(sizes, dtype=np.float64)
    extreme = ((sizes > largest) & np.isfinite(sizes)) | ((sizes > 0) & (sizes < 1 / largest))
    return np.where(extreme, -np.frexp(sizes)[1], 0).astype(np.intc)


def rescaled(columns: Floats, largest: float = LARGEST_SAFE) -> Floats:
    """Return the columns, those of extreme size times a power of two."""
    powers = powers_of_two(np.fmax.reduce(np.abs(columns), axis=0, initial=0.0), largest)
    scaled: Floats = np.ldexp(columns, powers) if powers.any() else columns
    return scaled

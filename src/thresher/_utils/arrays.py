"""Conversion of arrays of other libraries, and of integers that doubles cannot distinguish."""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import ParamSpec, TypeVar

import numpy as np

from thresher._utils.checks import first_line, is_missing
from thresher._utils.types import Array, DataLike, Floats

P = ParamSpec("P")
R = TypeVar("R")


def as_numpy(values: DataLike) -> DataLike:
    """Return an array of the array API standard, or a tensor of PyTorch, as a NumPy array; anything else unchanged.

    With ``array_api_dispatch``, scikit-learn would not convert such arrays.
    """
    kind = type(values)
    if isinstance(values, np.ndarray | np.generic) or not _is_array(kind):
        return values
    try:
        return np.asarray(values)
    except Exception as error:
        # An array may support the exchange protocol alone.
        with contextlib.suppress(Exception):
            return np.from_dlpack(values)
        raise ValueError(
            f"an array of {kind.__module__} cannot be read as a NumPy array: {first_line(error)}. Pass a NumPy array"
        ) from error


def _is_array(kind: type) -> bool:
    return hasattr(kind, "__array_namespace__") or kind.__module__.partition(".")[0] == "torch"


def takes_arrays(function: Callable[P, R]) -> Callable[P, R]:
    """Convert all arguments of a function with `as_numpy`."""
    called: Callable[..., R] = function

    @functools.wraps(function)
    def converted(*args: P.args, **kwargs: P.kwargs) -> R:
        named = {name: as_numpy(value) for name, value in kwargs.items()}
        return called(*map(as_numpy, args), **named)

    return converted


LARGEST_EXACT = 1 << 53  # larger integers may share a double


def are_exact(values: Iterable[object]) -> bool:
    """Return whether all values are integers, decimals or missing."""
    return all(
        isinstance(value, int | np.integer | Decimal) or is_missing(value) for value in values
    )


def from_smallest(values: Array) -> Array:
    """Return numbers as their distance from the smallest, if that is exact; otherwise unchanged.

    Doubles cannot distinguish large integers, but they can distinguish such distances. Objects must be integers of
    Python or decimals; missing values become NaN.
    """
    if values.dtype.kind == "O":
        return _from_smallest_object(values)
    if values.dtype.kind not in "iu" or int(values.max()) - int(values.min()) >= LARGEST_EXACT:
        return values
    return np.asarray(values - values.min())


def _from_smallest_object(values: Array) -> Floats:
    is_present = np.array([not is_missing(value) for value in values], dtype=bool)
    present = [int(v) if isinstance(v, np.integer) else v for v in values[is_present]]
    lowest, highest = min(present, default=0), max(present, default=0)
    origin = lowest if highest - lowest < LARGEST_EXACT else 0
    numbers = np.full(len(values), np.nan)
    numbers[is_present] = [as_double(value - origin) for value in present]
    return numbers


def as_double(number: float | Decimal) -> float:
    """Return the nearest double, or infinity beyond the range of doubles."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf

"""Arrays of other libraries as NumPy arrays."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy as np

from thresher._utils.checks import first_line

P = ParamSpec("P")
R = TypeVar("R")


def as_numpy(values: Any) -> Any:
    """Return an array of the array API standard, or a tensor of PyTorch, as a NumPy array; all else unchanged.

    Where ``array_api_dispatch`` is set, scikit-learn would hand such arrays on as they are.
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
    """Make a function take arrays of other libraries, by `as_numpy`."""
    called: Any = function

    @functools.wraps(function)
    def converted(*args: P.args, **kwargs: P.kwargs) -> R:
        named = {name: as_numpy(value) for name, value in kwargs.items()}
        result: R = called(*map(as_numpy, args), **named)
        return result

    return converted

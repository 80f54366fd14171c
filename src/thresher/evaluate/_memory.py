"""How much more memory a call holds at its peak than before it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any


def call_and_measure(function: Callable[[], Any]) -> tuple[Any, float]:
    """What the function returns, and the growth of the process's resident memory at its peak, in megabytes.

    Memory that the process got earlier and has not given back is not seen. nan where the system does not tell
    (it has to be Linux).
    """
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")  # the peak starts anew
        before = _kilobytes("VmRSS")
    except OSError:
        return function(), math.nan
    result = function()
    return result, max(0, _kilobytes("VmHWM") - before) / 1024


def _kilobytes(key: str) -> int:
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(key))

"""How many random inputs a property test draws."""

from __future__ import annotations

import os
from typing import Any

from hypothesis import settings

# The gate draws fewer, the same ones every time; nightly runs draw all of them, and `make fuzz` new ones.
SHARE = float(os.environ.get("THRESHER_EXAMPLES", "0.4"))


def examples(count: int, **more: Any) -> settings:
    """Return settings for a property test of `count` inputs, times the share that THRESHER_EXAMPLES names."""
    return settings(max_examples=max(2, round(count * SHARE)), deadline=None, **more)

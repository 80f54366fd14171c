"""Numbers of random inputs of property tests, and of cases that the full gate checks."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable
from typing import Any

from hypothesis import settings

# The gate draws fewer, the same ones every time; nightly runs draw all of them, and `make fuzz` new ones.
SHARE = float(os.environ.get("THRESHER_EXAMPLES", "0.25"))


def examples(count: int, **more: Any) -> settings:
    """Return settings for a property test of `count` inputs, times the share that THRESHER_EXAMPLES names."""
    return settings(max_examples=max(2, round(count * SHARE)), deadline=None, **more)


def some(cases: Iterable[Any], step: int = 2) -> list[Any]:
    """Return every `step`-th case for the gate, always the same ones, and all of them for nightly runs."""
    return list(cases)[:: 1 if SHARE >= 1 else step]


def pairs(first: Iterable[Any], second: Iterable[Any]) -> list[tuple[Any, Any]]:
    """Return all pairs for nightly runs; for the gate fewer, with every value of both lists in at least one."""
    first, second = list(first), list(second)
    if SHARE >= 1:
        return list(itertools.product(first, second))
    longer = max(len(first), len(second))
    return [(first[i % len(first)], second[i % len(second)]) for i in range(longer)]

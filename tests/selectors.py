"""One instance of every public selector, fast enough for tests, and lists by property."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import thresher
from thresher import MRMR, RFS
from thresher._registry import SELECTORS
from thresher.selectors._criterion import ForwardCriterion
from thresher.selectors._filter import FilterSelector

# Settings of selectors that cannot do without, take seconds with their defaults, or find nothing in a few rows.
QUICK: dict[str, dict[str, Any]] = {
    "ABB": {"delta": 0.05},
    "Chain": {"selectors": [RFS(), MRMR()]},
    "Ensemble": {"n_parts": 4},
    "ErrorControlled": {"fdr": 0.9, "n_permutations": 20},
    "Focus": {"delta": 0.05},
    "GBC": {"population": 3, "max_cycles": 2, "cv": 2},
    "LVF": {"max_tries": 50},
    "MRMRGA": {"population": 4, "generations": 2, "cv": 2},
    "QBB": {"delta": 0.05, "max_tries": 50},
    "SALCC": {"max_iterations": 5},
    "SPEC": {"form": "phi3", "n_eigenvectors": 5},
    "SVMRFE": {"step": 0.3},
}


def quick(name: str, **settings: Any) -> Any:
    """Return the selector of this name with quick settings and the given ones."""
    cls = getattr(thresher, name)
    own = dict(QUICK.get(name, {}))
    if name in QUICK and "random_state" in inspect.signature(cls).parameters:
        own["random_state"] = 0
    return cls(**{**own, **settings})


def others(written: Iterable[Any], is_of_kind: Callable[[Any], bool], **settings: Any) -> list[Any]:
    """Return an instance of each selector of a kind whose class is not in a list that a test has written.

    So a list of chosen settings contains every selector of its kind, including future ones.
    """
    classes = {type(selector) for selector in written}
    found = []
    for name in SELECTORS:
        cls = getattr(thresher, name)
        if cls not in classes:
            known = inspect.signature(cls).parameters
            selector = quick(name, **{key: v for key, v in settings.items() if key in known})
            if is_of_kind(selector):
                found.append(selector)
    return found


def made_of_sums(selector: Any) -> bool:
    """Return whether an ensemble counts all its replicates in one pass."""
    return isinstance(selector, FilterSelector)


def searches_forward(selector: Any) -> bool:
    """Return whether features are added one by one, so that a search can be continued."""
    if not isinstance(selector, FilterSelector):
        return False
    data = selector._read(np.eye(4), np.array([0, 1, 0, 1]))
    return isinstance(selector.make_criterion(data), ForwardCriterion)


def reads_blocks(selector: Any) -> bool:
    """Return whether rows may be in blocks, and may be added and removed."""
    return bool(selector._reads_blocks)


def by_class(selectors: Iterable[Any]) -> dict[str, Any]:
    """Return the selectors under the names of their classes."""
    return {type(selector).__name__: selector for selector in selectors}

"""Forward searches that can be asked for more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Generic, Self, TypedDict, TypeVar

import numpy as np
from numpy.typing import NDArray

from thresher import _core

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Features = NDArray[np.intp]
Progress = Callable[[int, int, float], object]
Found = TypeVar("Found")
Report = TypeVar("Report")

# What the core calls fields that have another name here.
_NAMES = {
    "nearest": "partner",
    "nearest_value": "extreme",
    "relevance": "feature_relevance",
    "mean_redundancy": "feature_redundancy",
    "last_score": "feature_score",
}


@dataclass(frozen=True)
class Result:
    """What a search of the core found."""

    @classmethod
    def read(cls, found: dict[str, Any]) -> Self:
        """The fields of this class from what the core says; its numbers of 32 bits become NumPy's indices."""
        values = {}
        for field in fields(cls):
            value = found[_NAMES.get(field.name, field.name)]
            is_features = isinstance(value, np.ndarray) and value.dtype == np.uint32
            values[field.name] = value.astype(np.intp) if is_features else value
        return cls(**values)


class Choices(TypedDict, total=False):
    """What every forward search takes: features to choose from and to start from, and whom to tell of each step."""

    candidates: Mask | None
    kept: Features | None
    progress: Progress | None


def in_core(
    candidates: Mask | None = None, kept: Features | None = None, **others: Progress | None
) -> dict[str, Any]:
    """The features to choose from and to start from, as the core takes them."""
    return {
        "candidates": None if candidates is None else candidates.view(np.uint8),
        "kept": None if kept is None else kept.astype(np.uint32),
        **others,
    }


class ForwardSearch(Generic[Found]):
    """A forward search in progress.

    Parameters
    ----------
    core : _core.ForwardSearch
    read : callable
        What to tell of the core's findings.

    Notes
    -----
    However a search is cut in pieces, it finds what one longer search would have found, for the same evaluations. If
    it is interrupted between two steps it can go on; if in the middle of one, what it found before stands, and to ask
    for more is an error.
    """

    def __init__(self, core: _core.ForwardSearch, read: Callable[[dict[str, Any]], Found]) -> None:
        self._core = core
        self._read = read

    def extend(self, n_more: int | None = None) -> None:
        """Take so many features more, or less if there are no more; all there are, if None."""
        self._core.extend(n_more)

    @property
    def exhausted(self) -> bool:
        """Whether the search has found that there is no further feature to take."""
        return self._core.exhausted

    def found(self) -> Found:
        """What was found so far."""
        return self._read(self._core.result())

    def reported(self, report: Callable[[Found], Report]) -> ForwardSearch[Report]:
        """The same search, telling `report` of what it found."""
        return ForwardSearch(self._core, lambda found: report(self._read(found)))

"""Forward searches that can be asked for more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypedDict, TypeVar

import numpy as np
from numpy.typing import NDArray

from thresher import _core

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Features = NDArray[np.intp]
Progress = Callable[[int, int, float], object]
Found = TypeVar("Found")
Report = TypeVar("Report")


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
        Returns what the search has found so far.

    Notes
    -----
    However a search is cut in pieces, it finds what one longer search would have found, for the same evaluations. If
    it is interrupted between two steps it can go on; if in the middle of one, what it found before stands, and to ask
    for more is an error.
    """

    def __init__(self, core: _core.ForwardSearch, read: Callable[[], Found]) -> None:
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
        """Return what was found so far."""
        return self._read()

    def reported(self, report: Callable[[Found], Report]) -> ForwardSearch[Report]:
        """Return the same search, which passes what it found through `report`."""
        return ForwardSearch(self._core, lambda: report(self._read()))

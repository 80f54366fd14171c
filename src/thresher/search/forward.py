"""Forward searches that can be asked for more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from thresher import _core

Found = TypeVar("Found")
Report = TypeVar("Report")


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

"""Rows of dask arrays and dataframes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from thresher.blocks._dask_cluster import Cluster
from thresher.blocks._dask_local import Local
from thresher.blocks._dask_rows import check_sizes, dask_rows
from thresher.blocks._dask_work import Done, delay
from thresher.blocks._protocol import Answer, Packed, Progress, RowBlock
from thresher.data import Far

T = TypeVar("T")


class DaskEngine:
    """An engine of blocks that dask reads.

    Work is done on the workers of the given client, else of the active one. Where there is none, dask's local scheduler
    reads the rows, and packed blocks stay in this process.

    Parameters
    ----------
    X : dask array or dask dataframe
    y, sample_weight : str, dask array or dask series, default=None
        Names of columns of X, or values in the same blocks as its rows.
    far : Far, default=None
        ``client`` of it.
    """

    def __init__(
        self, X: Any, y: Any = None, sample_weight: Any = None, far: Far | None = None
    ) -> None:
        client = _find_client(None if far is None else far.get("client"))
        self._rows = dask_rows(X, y, sample_weight)
        self._place = Local() if client is None else Cluster(client)

    @property
    def names(self) -> Sequence[str] | None:
        return self._rows.names

    @property
    def n_features(self) -> int | None:
        return self._rows.n_features

    def read(self, task: Callable[[int, RowBlock], T], progress: Progress) -> list[T]:
        return _said(self._place.read(delay(self._rows, task, False), progress))

    def pack(
        self, task: Callable[[int, RowBlock], tuple[Packed, T]], progress: Progress
    ) -> list[T]:
        return _said(self._place.pack(delay(self._rows, task, True), progress))

    def ask(
        self,
        task: Callable[[Packed], Answer],
        add: Callable[[Answer, Answer], Answer],
        progress: Progress,
    ) -> Answer:
        return self._place.ask(task, add, progress)

    def close(self) -> None:
        self._place.close()


def _said(done: Sequence[Done]) -> list[Any]:
    check_sizes(block.sizes for block in done)
    return [block.said for block in done]


def _find_client(given: Any) -> Any:
    """The client to work with, by dask's own rule where none is given; None for a local scheduler."""
    try:
        from distributed import Client
    except ImportError:
        if given is not None:
            raise ImportError('client= needs distributed: pip install "thresher[dask]"') from None
        return None
    if given is None:
        from dask.base import get_scheduler

        given = getattr(get_scheduler(), "__self__", None)
        return given if isinstance(given, Client) else None
    if not isinstance(given, Client):
        raise ValueError(f"client must be a distributed.Client, got {type(given).__name__}")
    return given

"""Dask as an execution backend: arrays and dataframes of this process or of a cluster.

On a cluster a packed block is the result of a task, so Dask computes it again from its rows if its worker is lost. One
more task makes the blocks of a worker one group. A request is one task for each group.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, TypeVar

from thresher._utils.types import DataLike, TargetLike, WeightsLike
from thresher.blocks.dask_rows import DaskRows, dask_rows
from thresher.blocks.dask_work import (
    add_results,
    call_scheduler,
    check_connected,
    delay,
    gather,
    group_blocks,
    map_blocks,
    results_of,
    without_block,
)
from thresher.blocks.engine import (
    Add,
    Engine,
    LocalEngine,
    PackTask,
    Progress,
    R,
    ReadTask,
    RequestTask,
    check_packed,
    counted,
)

if TYPE_CHECKING:
    from distributed import Client, Future

T = TypeVar("T")


def dask_engine(
    X: DataLike, y: TargetLike, sample_weight: WeightsLike, client: object
) -> LocalDask | DaskCluster:
    """Return the backend of blocks that Dask reads.

    Tasks run on the workers of the given client, else of the active one. Without any client the local scheduler of Dask
    reads the rows, and packed blocks stay in this process.

    Parameters
    ----------
    X : dask array or dask dataframe
    y, sample_weight : str, dask array or dask series, or None
        Names of columns of X, or values in the same blocks as its rows.
    client : distributed.Client or None
    """
    connected = _find_client(client)
    rows = dask_rows(X, y, sample_weight)
    return LocalDask(rows) if connected is None else DaskCluster(rows, connected)


def _find_client(given: object) -> Client | None:
    """Return the given client or the active one, which Dask's configuration decides; None for a local scheduler."""
    try:
        from distributed import Client
    except ImportError:
        if given is not None:
            raise ImportError(
                "client needs distributed, which is not installed. Install it with: pip install 'thresher[dask]'"
            ) from None
        return None
    if given is None:
        from dask.base import get_scheduler

        given = getattr(get_scheduler(), "__self__", None)
        return given if isinstance(given, Client) else None
    if not isinstance(given, Client):
        raise ValueError(f"client must be a distributed.Client, got {type(given).__name__}")
    return given


class _DaskEngine(Engine):
    def __init__(self, rows: DaskRows) -> None:
        self._rows = rows

    @property
    def names(self) -> list[str] | None:
        return self._rows.names

    @property
    def n_features(self) -> int | None:
        return self._rows.n_features


class LocalDask(_DaskEngine, LocalEngine):
    """Dask without a cluster: threads, unless the configuration of Dask names another scheduler."""

    def __init__(self, rows: DaskRows) -> None:
        super().__init__(rows)
        self._packed = []

    def read(self, task: ReadTask[T], progress: Progress) -> list[T]:
        import dask
        from dask.callbacks import Callback

        tasks = delay(self._rows, task, is_packing=False)
        open_keys = {task.key for task in tasks}

        def count(key: str, *_: object) -> None:
            if key in open_keys:
                open_keys.remove(key)
                progress(len(tasks) - len(open_keys), len(tasks))

        with Callback(posttask=count):
            return results_of(dask.compute(*tasks))

    def request(self, task: RequestTask[R], add: Add[R], progress: Progress) -> R:
        from dask.system import CPU_COUNT

        check_packed(self._packed)
        results = map_blocks(self._packed, task, CPU_COUNT)
        return reduce(add, counted(results, len(self._packed), progress))


# From this number of groups, or this number of bytes of a result, results are added on the workers, 8 at a time.
_MANY_RESULTS = 16
_LARGE_RESULT = 1 << 20
_FAN_IN = 8


@dataclass(frozen=True)
class _BlockGroup:
    """Blocks that were packed on one worker, which may be lost by now."""

    blocks: Future
    n_blocks: int
    worker: str | None


class DaskCluster(_DaskEngine):
    """The workers of a client of `distributed`."""

    def __init__(self, rows: DaskRows, client: Client) -> None:
        super().__init__(rows)
        check_connected(client)
        if client.asynchronous:
            raise ValueError(
                "client is asynchronous, so fit cannot wait for it. Pass a client without asynchronous=True"
            )
        _leave_pool()
        self._client = client
        self._groups: list[_BlockGroup] = []
        self._result_bytes = 0

    def read(self, task: ReadTask[T], progress: Progress) -> list[T]:
        check_connected(self._client)
        with _released(self._client.compute(delay(self._rows, task, is_packing=False))) as futures:
            return results_of(gather(self._client, futures, dict.fromkeys(futures, 1), progress))

    def pack(self, task: PackTask[T], progress: Progress) -> list[T]:
        import dask

        check_connected(self._client)
        self.close()
        tasks = delay(self._rows, task, is_packing=True)
        strip = dask.delayed(without_block, pure=False)
        with _released(self._client.compute([*tasks, *map(strip, tasks)])) as futures:
            blocks, results = futures[: len(tasks)], futures[len(tasks) :]
            done = gather(self._client, results, dict.fromkeys(results, 1), progress)
            self._group_by_worker(blocks)
        return results_of(done)

    def _group_by_worker(self, blocks: Sequence[Future]) -> None:
        """Submit one task per worker that keeps its blocks, so that their futures can be released."""
        keys = [block.key for block in blocks]
        workers = call_scheduler(self._client, self._client.scheduler.who_has(keys=keys))
        by_worker = defaultdict(list)
        for block in blocks:
            by_worker[next(iter(workers.get(block.key, ())), None)].append(block)
        for worker, some in by_worker.items():
            group = self._submit("group", worker, group_blocks, some)
            self._groups.append(_BlockGroup(group, len(some), worker))

    def request(self, task: RequestTask[R], add: Add[R], progress: Progress) -> R:
        check_packed(self._groups)
        check_connected(self._client)
        n_blocks = {
            self._submit(
                "request", group.worker, add_results, group.blocks, task, add
            ): group.n_blocks
            for group in self._groups
        }
        with _released(n_blocks) as results:
            # The size of the previous result predicts that of this one.
            if len(results) >= _MANY_RESULTS or self._result_bytes >= _LARGE_RESULT:
                results = [self._add_on_workers(results, add)]
            total: R = reduce(add, gather(self._client, results, n_blocks, progress))
        self._result_bytes = total.nbytes
        return total

    def _add_on_workers(self, results: list[Future], add: Add[R]) -> Future:
        while len(results) > 1:
            starts = range(0, len(results), _FAN_IN)
            batches = [results[start : start + _FAN_IN] for start in starts]
            results = [self._submit("add", None, reduce, add, batch) for batch in batches]
        return results[0]

    def _submit(
        self, label: str, worker: str | None, function: Callable[..., object], *args: object
    ) -> Future:
        """Submit a task for that worker, or for any if it is lost."""
        return self._client.submit(
            function,
            *args,
            key=f"thresher-{label}-{uuid.uuid4().hex}",
            workers=worker,
            allow_other_workers=worker is not None,
        )

    def close(self) -> None:
        for group in self._groups:
            group.blocks.release()
        self._groups = []


def _leave_pool() -> None:
    """Leave the thread pool of a worker if `fit` runs in a task, which would wait for tasks that wait for it."""
    from distributed import secede

    with suppress(ValueError):  # not in a task
        secede()


@contextmanager
def _released(futures: Collection[Future]) -> Iterator[list[Future]]:
    """Yield the futures and release them at the end, also after an error or Ctrl-C."""
    try:
        yield list(futures)
    finally:
        for future in futures:
            future.release()

"""Dask as an execution backend: arrays and dataframes of this process or of a cluster.

On a cluster a packed block is the result of a task, so Dask makes it again from its rows when the worker that had it is
gone. The blocks of one worker are held together by one more task, their group: a round is one task for each group.
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
    """The engine of blocks that dask reads.

    Work is done on the workers of the given client, else of the active one. Where there is none, dask's local scheduler
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
    """Dask without a cluster: threads, unless dask's configuration says otherwise."""

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


# Answers of as many holders, or of as many bytes, are added on the workers, by as many at a time.
_MANY_RESULTS = 16
_LARGE_RESULT = 1 << 20
_FAN_IN = 8


@dataclass(frozen=True)
class _BlockGroup:
    """Blocks that were made on one worker, which may be gone by now."""

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
                "client is asynchronous, which fit cannot wait for; give one made without asynchronous=True"
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
        tell = dask.delayed(without_block, pure=False)
        with _released(self._client.compute([*tasks, *map(tell, tasks)])) as futures:
            blocks, results = futures[: len(tasks)], futures[len(tasks) :]
            done = gather(self._client, results, dict.fromkeys(results, 1), progress)
            self._group_by_worker(blocks)
        return results_of(done)

    def _group_by_worker(self, blocks: Sequence[Future]) -> None:
        """Bind blocks of one worker together; from now on they are wanted only as parts of their group."""
        keys = [block.key for block in blocks]
        places = call_scheduler(self._client, self._client.scheduler.who_has(keys=keys))
        together = defaultdict(list)
        for block in blocks:
            together[next(iter(places.get(block.key, ())), None)].append(block)
        for worker, held in together.items():
            group = self._submit("hold", worker, group_blocks, held)
            self._groups.append(_BlockGroup(group, len(held), worker))

    def request(self, task: RequestTask[R], add: Add[R], progress: Progress) -> R:
        check_packed(self._groups)
        check_connected(self._client)
        requested = {
            self._submit(
                "request", group.worker, add_results, group.blocks, task, add
            ): group.n_blocks
            for group in self._groups
        }
        with _released(requested) as answers:
            # The round before tells how large an answer is.
            if len(answers) >= _MANY_RESULTS or self._result_bytes >= _LARGE_RESULT:
                answers = [self._add_on_workers(answers, add)]
            total: R = reduce(add, gather(self._client, answers, requested, progress))
        self._result_bytes = total.nbytes
        return total

    def _add_on_workers(self, answers: list[Future], add: Add[R]) -> Future:
        while len(answers) > 1:
            answers = [
                self._submit("add", None, reduce, add, answers[i : i + _FAN_IN])
                for i in range(0, len(answers), _FAN_IN)
            ]
        return answers[0]

    def _submit(
        self, label: str, worker: str | None, function: Callable[..., object], *args: object
    ) -> Future:
        """A task for that worker while it is there, else for any."""
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
    """In a task, give its place to others: it would wait for tasks that wait for it."""
    from distributed import secede

    with suppress(ValueError):  # no task
        secede()


@contextmanager
def _released(futures: Collection[Future]) -> Iterator[list[Future]]:
    """Futures that nobody wants afterwards, be it because of an error or Ctrl-C."""
    try:
        yield list(futures)
    finally:
        for future in futures:
            future.release()

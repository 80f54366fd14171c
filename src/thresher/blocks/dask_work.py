"""The tasks that Dask workers run on their blocks, and their results gathered."""

from __future__ import annotations

import asyncio
import concurrent.futures
import time
import uuid
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeVar

from thresher._utils.types import DataLike, TargetLike, WeightsLike
from thresher.blocks.dask_rows import DaskRows, check_sizes
from thresher.blocks.engine import (
    Add,
    Packed,
    Progress,
    R,
    RequestTask,
    RowBlock,
    check_versions,
    split_columns,
    versions_here,
)

if TYPE_CHECKING:
    from dask.delayed import Delayed
    from distributed import Client, Future

T = TypeVar("T")


@dataclass(frozen=True)
class TaskResult:
    """The result of a task for one block.

    Attributes
    ----------
    sizes : dict of str to int
        The numbers of rows of X, y and the weights.
    result : object
        What the task returned; None if the sizes differ.
    packed : Packed or None
    """

    sizes: dict[str, int]
    result: Any = None
    packed: Any = None


@dataclass(frozen=True)
class _Work:
    task: Callable[[int, RowBlock], Any]
    is_packing: bool
    columns: tuple[str | None, str | None]
    versions: tuple[str, str]


def delay(
    rows: DaskRows, task: Callable[[int, RowBlock], object], is_packing: bool
) -> list[Delayed]:
    """Return the task on each block, as delayed values of `TaskResult`."""
    import dask

    work = _Work(task, is_packing, rows.columns, versions_here())
    # As a value of the graph it is sent once, not with each block.
    shared = dask.delayed(work, pure=False, traverse=False)
    run = dask.delayed(_run, pure=False, traverse=False)
    name = f"thresher-{'pack' if is_packing else 'read'}-{uuid.uuid4().hex}"
    return [
        run(shared, number, *block, dask_key_name=f"{name}-{number}")
        for number, block in enumerate(rows.blocks)
    ]


def _run(work: _Work, number: int, X: DataLike, y: TargetLike, weights: WeightsLike) -> TaskResult:
    check_versions(work.versions, "Dask")
    block = RowBlock(X, y, weights)
    if any(work.columns):
        columns = split_columns(X, *work.columns)
        y = columns.y if y is None else y
        block = RowBlock(columns.X, y, columns.weights if weights is None else weights)
    parts = {"X": block.X, "y": block.y, "sample_weight": block.weights}
    sizes = {name: int(part.shape[0]) for name, part in parts.items() if part is not None}
    if len(set(sizes.values())) > 1:
        return TaskResult(sizes)
    result = work.task(number, block)
    return TaskResult(sizes, result[1], result[0]) if work.is_packing else TaskResult(sizes, result)


def results_of(done: Sequence[TaskResult]) -> list[Any]:
    """Return the result of the task for each block. Raise if y or weights do not fit the blocks of X."""
    check_sizes(block.sizes for block in done)
    return [block.result for block in done]


def without_block(done: TaskResult) -> TaskResult:
    """Return the result without the packed block, which stays on its worker."""
    return TaskResult(done.sizes, done.result)


def group_blocks(blocks: Sequence[TaskResult]) -> list[Packed]:
    """Return the packed blocks of one worker as one value."""
    return [block.packed for block in blocks]


def add_results(blocks: Sequence[Packed], task: RequestTask[R], add: Add[R]) -> R:
    """Return the sum of the results of a worker's blocks, computed with its threads."""
    from distributed import get_worker

    return reduce(add, map_blocks(blocks, task, get_worker().state.nthreads))


def map_blocks(blocks: Sequence[Packed], task: RequestTask[R], n_threads: int) -> Iterator[R]:
    """Yield the results of the blocks, in order."""
    with ThreadPoolExecutor(min(n_threads, len(blocks))) as threads:
        yield from threads.map(task, blocks)


# Seconds between two reports of progress, between two checks of the workers, until the scheduler must respond, and
# until a cluster without workers is an error.
_PROGRESS_INTERVAL = 0.1
_WATCH_INTERVAL = 1.0
_SCHEDULER_TIMEOUT = 10.0
_NO_WORKER_TIMEOUT = 30.0


def gather(
    client: Client, futures: Sequence[Future], counted: Mapping[Future, int], progress: Progress
) -> list[Any]:
    """Return the results of the futures. Report progress by the numbers of blocks in `counted`.

    A future whose workers are lost stays pending forever. So half a minute without a worker, or a lost scheduler, is
    an error.
    """
    from distributed import KilledWorker

    total = sum(counted.values())
    watchdog = _Watchdog(client)
    waiting = asyncio.run_coroutine_threadsafe(
        client.gather(list(futures), asynchronous=True), client.loop.asyncio_loop
    )
    shown = 0
    try:
        while not concurrent.futures.wait([waiting], timeout=_PROGRESS_INTERVAL).done:
            done = sum(blocks for future, blocks in counted.items() if future.done())
            if done > shown:
                shown = done
                progress(done, total)
            watchdog.check()
        results: list[Any] = waiting.result()
    except concurrent.futures.CancelledError as error:
        check_connected(client)
        raise RuntimeError(
            "the Dask cluster lost running tasks, or rows that it cannot compute again, such as those of "
            "client.scatter. Build X from files or tasks and fit again"
        ) from error
    except KilledWorker as error:
        raise RuntimeError(
            "a block of rows killed several Dask workers, probably because they ran out of memory. Use smaller blocks"
        ) from error
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "thresher":
            raise
        raise RuntimeError(
            "the Dask workers cannot import thresher. Install the version of this process on all of them"
        ) from error
    finally:
        waiting.cancel()
    if shown < total:
        progress(total, total)
    return results


def call_scheduler(client: Client, call: Coroutine[object, object, T]) -> T:
    """Return the response of the scheduler. `client.sync` would wait forever for a client closed during the call."""
    response = asyncio.run_coroutine_threadsafe(call, client.loop.asyncio_loop)
    try:
        return response.result(timeout=_SCHEDULER_TIMEOUT)
    except (OSError, TimeoutError) as error:
        check_connected(client)
        raise ConnectionError(
            f"the Dask scheduler did not respond within {_SCHEDULER_TIMEOUT:.0f} s. Check that it runs and fit again"
        ) from error
    finally:
        response.cancel()


def check_connected(client: Client) -> None:
    """Raise if the client has no scheduler: it would wait without a message, or fail in one of many ways."""
    if client.status != "running":
        raise RuntimeError(
            f"the Dask client has no scheduler: it is {client.status}. Connect a new distributed.Client and fit again"
        )


class _Watchdog:
    """Raises if the scheduler or all workers are lost."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._checked = self._last_worker = time.monotonic()

    def check(self) -> None:
        now = time.monotonic()
        if now - self._checked < _WATCH_INTERVAL:
            return
        self._checked = now
        check_connected(self._client)
        if self._has_workers():
            self._last_worker = now
        elif now - self._last_worker > _NO_WORKER_TIMEOUT:
            raise RuntimeError(
                f"the Dask cluster has had no worker for {_NO_WORKER_TIMEOUT:.0f} s. Start workers and fit again"
            )

    def _has_workers(self) -> bool:
        try:
            return bool(call_scheduler(self._client, self._client.scheduler.ncores()))
        except ConnectionError:  # a scheduler that does not respond counts as one without workers
            return False

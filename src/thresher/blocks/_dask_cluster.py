"""Blocks on the workers of a Dask cluster.

A packed block is the result of a task, so that Dask makes it again from its rows when the worker that had it is gone.
Blocks that lie on one worker are held together by one more task, their holder: a round is one task for each holder,
not for each block.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import reduce
from typing import Any

from thresher.blocks._dask_gather import ask_scheduler, check_connected, gather
from thresher.blocks._dask_work import (
    Add,
    Done,
    add_answers,
    ask_holder,
    hold_blocks,
    without_packed,
)
from thresher.blocks._protocol import Answer, Packed, Progress

# Answers of as many holders, or of as many bytes, are added on the workers, by as many at a time.
_MANY_ANSWERS = 16
_LARGE_ANSWER = 1 << 20
_FAN_IN = 8


@dataclass(frozen=True)
class _Holder:
    """Blocks that were made on one worker, which may be gone by now."""

    blocks: Any
    n_blocks: int
    worker: str | None


class Cluster:
    """The workers of a client of `distributed`."""

    def __init__(self, client: Any) -> None:
        check_connected(client)
        if client.asynchronous:
            raise ValueError(
                "client is asynchronous, which fit cannot wait for; give one made without asynchronous=True"
            )
        _leave_pool()
        self._client = client
        self._holders: list[_Holder] = []
        self._answer_bytes = 0

    def read(self, tasks: Sequence[Any], progress: Progress) -> list[Done]:
        check_connected(self._client)
        with _released(self._client.compute(list(tasks))) as futures:
            return gather(self._client, futures, dict.fromkeys(futures, 1), progress)

    def pack(self, tasks: Sequence[Any], progress: Progress) -> list[Done]:
        import dask

        check_connected(self._client)
        self.close()
        tell = dask.delayed(without_packed, pure=False)
        with _released(self._client.compute([*tasks, *map(tell, tasks)])) as futures:
            blocks, told = futures[: len(tasks)], futures[len(tasks) :]
            done = gather(self._client, told, dict.fromkeys(told, 1), progress)
            self._hold(blocks)
        return done

    def _hold(self, blocks: Sequence[Any]) -> None:
        """Bind blocks of one worker together; from now on they are wanted only as parts of their holder."""
        keys = [block.key for block in blocks]
        places = ask_scheduler(self._client, self._client.scheduler.who_has, keys=keys)
        together = defaultdict(list)
        for block in blocks:
            together[next(iter(places.get(block.key, ())), None)].append(block)
        for worker, held in together.items():
            holder = self._submit("hold", worker, hold_blocks, held)
            self._holders.append(_Holder(holder, len(held), worker))

    def ask(self, task: Callable[[Packed], Answer], add: Add, progress: Progress) -> Answer:
        if not self._holders:
            raise RuntimeError("nothing was packed, so nothing can be asked")
        check_connected(self._client)
        asked = {
            self._submit(
                "ask", holder.worker, ask_holder, holder.blocks, task, add
            ): holder.n_blocks
            for holder in self._holders
        }
        with _released(asked):
            answers = list(asked)
            # The round before tells how large an answer is.
            if len(answers) >= _MANY_ANSWERS or self._answer_bytes >= _LARGE_ANSWER:
                answers = [self._add_on_workers(answers, add)]
            total: Answer = reduce(add, gather(self._client, answers, asked, progress))
        self._answer_bytes = total.nbytes
        return total

    def _add_on_workers(self, answers: list[Any], add: Add) -> Any:
        while len(answers) > 1:
            answers = [
                self._submit("add", None, add_answers, answers[i : i + _FAN_IN], add)
                for i in range(0, len(answers), _FAN_IN)
            ]
        return answers[0]

    def _submit(
        self, label: str, worker: str | None, function: Callable[..., Any], *args: Any
    ) -> Any:
        """A task for that worker while it is there, else for any."""
        return self._client.submit(
            function,
            *args,
            key=f"thresher-{label}-{uuid.uuid4().hex}",
            workers=worker,
            allow_other_workers=worker is not None,
        )

    def close(self) -> None:
        for holder in self._holders:
            holder.blocks.release()
        self._holders = []


def _leave_pool() -> None:
    """In a task, give its place to others: it would wait for tasks that wait for it."""
    from distributed import secede

    with suppress(ValueError):  # no task
        secede()


@contextmanager
def _released(futures: Iterable[Any]) -> Iterator[Any]:
    """Futures that nobody wants afterwards, be it because of an error or Ctrl-C."""
    try:
        yield futures
    finally:
        for future in futures:
            future.release()

"""Blocks that a scheduler of dask in this process reads; packed, they stay here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from thresher.blocks._dask_work import Add, Done, answers
from thresher.blocks._protocol import Answer, Packed, Progress


class Local:
    """Dask without a cluster: threads, unless dask's configuration says otherwise."""

    def __init__(self) -> None:
        self._packed: list[Packed] = []

    def read(self, tasks: Sequence[Any], progress: Progress) -> list[Done]:
        import dask
        from dask.callbacks import Callback

        open_keys = {task.key for task in tasks}

        def count(key: Any, *_: object) -> None:
            if key in open_keys:
                open_keys.remove(key)
                progress(len(tasks) - len(open_keys), len(tasks))

        with Callback(posttask=count):
            return list(dask.compute(*tasks))

    def pack(self, tasks: Sequence[Any], progress: Progress) -> list[Done]:
        done = self.read(tasks, progress)
        self._packed = [block.packed for block in done]
        return done

    def ask(self, task: Callable[[Packed], Answer], add: Add, progress: Progress) -> Answer:
        from dask.system import CPU_COUNT

        if not self._packed:
            raise RuntimeError("nothing was packed, so nothing can be asked")
        total: Answer | None = None
        for number, answer in enumerate(answers(self._packed, task, CPU_COUNT), start=1):
            total = answer if total is None else add(total, answer)
            progress(number, len(self._packed))
        assert total is not None
        return total

    def close(self) -> None:
        self._packed = []

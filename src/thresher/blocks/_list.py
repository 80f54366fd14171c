"""Blocks of rows in the memory of this process."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import narwhals.stable.v2 as nw
import numpy as np

from thresher.blocks._protocol import Answer, Packed, Progress, RowBlock

T = TypeVar("T")


class LocalEngine(ABC):
    """What engines whose packed blocks are in this process share: they bring `names`, `n_features` and `read`."""

    _packed: list[Any]

    @property
    @abstractmethod
    def names(self) -> list[str] | None: ...

    @property
    @abstractmethod
    def n_features(self) -> int: ...

    @abstractmethod
    def read(self, task: Callable[[int, RowBlock], T], progress: Progress) -> list[T]: ...

    def pack(
        self, task: Callable[[int, RowBlock], tuple[Packed, T]], progress: Progress
    ) -> list[T]:
        packed, receipts = zip(*self.read(task, progress), strict=True)
        self._packed = list(packed)
        return list(receipts)

    def ask(
        self,
        task: Callable[[Packed], Answer],
        add: Callable[[Answer, Answer], Answer],
        progress: Progress,
    ) -> Answer:
        total: Answer | None = None
        for number, block in enumerate(self._packed):
            answer = task(block)
            total = answer if total is None else add(total, answer)
            progress(number + 1, len(self._packed))
        if total is None:
            raise RuntimeError("nothing was packed, so nothing can be asked")
        return total

    def close(self) -> None:
        self._packed = []


class ListEngine(LocalEngine):
    """An engine of blocks in a list.

    Parameters
    ----------
    blocks : iterable of RowBlock
        At least one.
    """

    def __init__(self, blocks: Iterable[RowBlock]) -> None:
        self._blocks = list(blocks)
        if not self._blocks:
            raise ValueError("there is no block of rows; give at least one, be it empty")
        self._packed: list[Packed] = []

    @property
    def names(self) -> list[str] | None:
        X = self._blocks[0].X
        frame = nw.from_native(X, eager_only=True, pass_through=True)
        return list(frame.columns) if isinstance(frame, nw.DataFrame) else None

    @property
    def n_features(self) -> int:
        return int(np.shape(self._blocks[0].X)[1])

    def read(self, task: Callable[[int, RowBlock], T], progress: Progress) -> list[T]:
        found = []
        for number, block in enumerate(self._blocks):
            found.append(task(number, block))
            progress(number + 1, len(self._blocks))
        return found

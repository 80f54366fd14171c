"""What dask is given to do with a block of rows, where it lies."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import reduce
from typing import Any

from thresher.blocks._dask_rows import DaskRows
from thresher.blocks._protocol import Answer, Packed, RowBlock
from thresher.blocks._same_versions import check_versions, versions_here
from thresher.blocks._split import split_columns

Add = Callable[[Answer, Answer], Answer]


@dataclass(frozen=True)
class Done:
    """What came of a block: how many rows it has of what, what the task said, and what it packed."""

    sizes: dict[str, int]
    said: Any = None
    packed: Any = None


@dataclass(frozen=True)
class _Work:
    task: Callable[[int, RowBlock], Any]
    is_packing: bool
    columns: tuple[str | None, str | None]
    versions: tuple[str, str]


def delay(rows: DaskRows, task: Callable[[int, RowBlock], Any], is_packing: bool) -> list[Any]:
    """The task on each block, as delayed values of `Done`."""
    import dask

    work = _Work(task, is_packing, rows.columns, versions_here())
    # A value of the graph: it travels once, not with each block.
    shared = dask.delayed(work, pure=False, traverse=False)
    run = dask.delayed(_run, pure=False, traverse=False)
    name = f"thresher-{'pack' if is_packing else 'read'}-{uuid.uuid4().hex}"
    return [
        run(shared, number, *block, dask_key_name=f"{name}-{number}")
        for number, block in enumerate(rows.blocks)
    ]


def _run(work: _Work, number: int, X: Any, y: Any, weights: Any) -> Done:
    check_versions(work.versions, "Dask")
    block = RowBlock(X, y, weights)
    if any(work.columns):
        named = split_columns(X, *work.columns)
        block = RowBlock(
            named.X,
            named.y if y is None else y,
            named.weights if weights is None else weights,
        )
    parts = {"X": block.X, "y": block.y, "sample_weight": block.weights}
    sizes = {name: int(part.shape[0]) for name, part in parts.items() if part is not None}
    if len(set(sizes.values())) > 1:
        return Done(sizes)
    result = work.task(number, block)
    return Done(sizes, result[1], result[0]) if work.is_packing else Done(sizes, result)


def without_packed(done: Done) -> Done:
    """What comes back of a block that stays where it is."""
    return Done(done.sizes, done.said)


def hold_blocks(blocks: Sequence[Done]) -> list[Packed]:
    """The packed blocks of one worker, as one value."""
    return [block.packed for block in blocks]


def ask_holder(blocks: Sequence[Packed], task: Callable[[Packed], Answer], add: Add) -> Answer:
    """The sum of the answers of the blocks of one worker, with its threads."""
    from distributed import get_worker

    return reduce(add, answers(blocks, task, get_worker().state.nthreads))


def answers(
    blocks: Sequence[Packed], task: Callable[[Packed], Answer], n_threads: int
) -> Iterator[Answer]:
    """What the blocks answer, in their order."""
    with ThreadPoolExecutor(min(n_threads, len(blocks))) as threads:
        yield from threads.map(task, blocks)


def add_answers(answers: Sequence[Answer], add: Add) -> Answer:
    return reduce(add, answers)

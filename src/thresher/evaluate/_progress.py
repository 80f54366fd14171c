"""A progress bar for long work: tqdm where it is installed, else one line on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TextIO, TypeVar

Item = TypeVar("Item")
_WIDTH = 30


def track(
    items: Iterable[Item], total: int, label: str, *, show: bool, stream: TextIO | None = None
) -> Iterator[Item]:
    """Pass `items` through, showing how many of `total` have come."""
    if not show:
        yield from items
        return
    if stream is None:
        try:
            from tqdm.auto import tqdm  # type: ignore[import-untyped,unused-ignore]
        except ImportError:
            stream = sys.stderr
        else:
            yield from tqdm(items, total=total, desc=label)
            return
    start = last = time.monotonic()
    _draw(stream, label, 0, total, 0.0)
    for done, item in enumerate(items, start=1):
        yield item
        now = time.monotonic()
        if done == total or now - last > 0.1:
            _draw(stream, label, done, total, now - start)
            last = now
    stream.write("\n")
    stream.flush()


def _draw(stream: TextIO, label: str, done: int, total: int, elapsed: float) -> None:
    filled = _WIDTH * done // max(total, 1)
    left = f", {elapsed / done * (total - done):.0f} s left" if 0 < done < total else ""
    bar = "#" * filled + "." * (_WIDTH - filled)
    stream.write(f"\r{label} [{bar}] {done}/{total}{left}   ")
    stream.flush()

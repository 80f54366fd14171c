"""Progress of long work: lines for ``verbose`` and for the logger ``thresher``, and a bar."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TextIO, TypeVar

from thresher._checks import readable

log = logging.getLogger("thresher")
Item = TypeVar("Item")
_WIDTH = 30


# On whose behalf a search runs: it reports for both. None outside of any other.
_speaker: ContextVar[object] = ContextVar("thresher_speaker", default=None)


@dataclass(frozen=True)
class Voice:
    """Who reports for a function: its name, and whether it shall print."""

    name: str
    verbose: int = 0


@contextmanager
def on_behalf(owner: object = True) -> Iterator[None]:
    """What is done inside serves another, perhaps `owner`, who reports it: all else speak only if asked to."""
    token = _speaker.set(owner)
    try:
        yield
    finally:
        _speaker.reset(token)


def _listeners(owner: Any) -> tuple[bool, bool]:
    """Whether to print, and whether to log."""
    verbose = bool(getattr(owner, "verbose", 0))
    speaker = _speaker.get()
    may_log = verbose or speaker is None or speaker is owner
    return verbose, log.isEnabledFor(logging.INFO) and may_log


def is_heard(owner: Any) -> bool:
    """Whether anybody listens to what `owner` reports."""
    return any(_listeners(owner))


def report(owner: Any, text: str, *details: object) -> None:
    """Tell what `owner` has done, as ``text % details``: print it if ``owner.verbose``, and log it.

    Nothing is formatted where nobody listens.
    """
    is_printed, is_logged = _listeners(owner)
    if not (is_logged or is_printed):
        return
    name = owner.name if isinstance(owner, Voice) else type(owner).__name__
    line = f"[{name}] {text % details}"
    if is_printed:
        print(line, flush=True)
    if is_logged:
        log.info("%s", line)


def step_reporter(
    owner: Any, names: Any, wanted: int | None
) -> Callable[[int, int, float], None] | None:
    """A function that reports each step of a search; None where nobody listens."""
    if not is_heard(owner):
        return None
    total = "" if wanted is None else f"/{wanted}"

    def show(step: int, feature: int, score: float) -> None:
        name = f"feature {feature}" if names is None else readable(names[feature])
        report(owner, "%d%s %s, score %.4g", step, total, name, score)

    return show


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

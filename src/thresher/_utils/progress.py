"""Progress of long work: lines for ``verbose`` and for the logger ``thresher``, and a bar."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Self, TextIO, TypeVar

from thresher._utils.checks import readable

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
    with Bar(label, total, stream) as bar:
        for done, item in enumerate(items, start=1):
            yield item
            bar.show(done)


class Bar:
    """A progress bar, of tqdm where that is installed and no stream is given."""

    def __init__(self, label: str, total: int, stream: TextIO | None = None) -> None:
        self._label, self._total = label, total
        self._bar: Any = None
        if stream is None:
            try:
                from tqdm.auto import tqdm  # type: ignore[import-untyped,unused-ignore]
            except ImportError:
                stream = sys.stderr
            else:
                self._bar = tqdm(total=total, desc=label)
        self._stream = stream
        self._start = self._last = time.monotonic()
        self._shown = (0, "")
        if stream is not None:
            self._redraw()

    def show(self, done: int, note: str = "") -> None:
        """Show how many are done, and a note; at most every tenth of a second."""
        self._shown = (done, note)
        if self._stream is None:
            self._bar.set_postfix_str(note, refresh=False)
            self._bar.update(done - self._bar.n)
        elif done == self._total or time.monotonic() - self._last > 0.1:
            self._redraw()

    def _redraw(self) -> None:
        assert self._stream is not None
        self._last = time.monotonic()
        (done, note), total = self._shown, self._total
        filled = _WIDTH * done // max(total, 1)
        seconds = (self._last - self._start) / max(done, 1) * (total - done)
        left = f", {seconds:.0f} s left" if 0 < done < total else ""
        bar = "#" * filled + "." * (_WIDTH - filled)
        more = f", {note}" if note else ""
        self._stream.write(f"\r{self._label} [{bar}] {done}/{total}{left}{more}   ")
        self._stream.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        if self._stream is None:
            self._bar.close()
            return
        self._redraw()
        self._stream.write("\n")
        self._stream.flush()

"""Long calls: their progress, Ctrl-C during them, and one thread at a time for an estimator.

The locks of estimators are kept here, not in the estimators, which are copied and pickled.
"""

from __future__ import annotations

import contextvars
import ctypes
import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain, islice
from typing import Any, Self, TextIO, TypeVar
from weakref import WeakKeyDictionary

import sklearn
from joblib import Parallel, cpu_count
from threadpoolctl import ThreadpoolController

from thresher import _core
from thresher._utils.checks import readable, resolve_threads
from thresher._utils.types import Estimator, FeatureNames, Values

R = TypeVar("R")

_registering = threading.Lock()
_locks: WeakKeyDictionary[Estimator, threading.RLock] = WeakKeyDictionary()


@contextmanager
def one_thread(estimator: Estimator) -> Iterator[None]:
    """Wait until no other thread is inside such a block of this estimator."""
    with _registering:
        lock = _locks.setdefault(estimator, threading.RLock())
    with lock:
        yield


def _in_child() -> None:
    """Forget the locks of threads that a forked child does not have."""
    global _registering
    _registering = threading.Lock()
    _locks.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
    os.register_at_fork(after_in_child=_core.forget_calls)


@dataclass(eq=False)
class _Watched:
    """A function whose calls end when the stop is requested; counts them.

    In another process there is nothing to watch: joblib ends its processes itself.
    """

    function: Callable[..., object]
    stop: _core.Stop
    running: list[None]
    context: contextvars.Context

    def __call__(self, *args: object, **kwargs: object) -> object:
        before = _core.exchange_stop(self.stop)
        self.running.append(None)
        try:
            if self.stop.requested:
                raise KeyboardInterrupt
            return self.context.run(self.function, *args, **kwargs)
        finally:
            self.running.pop()
            _core.exchange_stop(before)

    def __reduce__(self) -> tuple[type[partial[object]], tuple[Callable[..., object]]]:
        return partial, (self.function,)


def run_in_threads(
    calls: Iterable[tuple[Callable[..., R], tuple[object, ...], Values]],
    n_jobs: int | None,
    *,
    return_as: str = "list",
) -> Iterator[R]:
    """What the calls (joblib's ``delayed``) return, in their order.

    When one fails, or Ctrl-C is pressed, or nobody wants the rest, those under way are ended and waited for.
    No more threads are started than there are calls.
    """
    calls = iter(calls)
    first = list(islice(calls, resolve_threads(n_jobs)))
    n_threads = max(1, len(first))
    stop = _core.Stop()
    running: list[None] = []
    context = contextvars.copy_context()  # so that warnings know who called
    watched = (
        (_Watched(function, stop, running, context.copy()), *given)
        for function, *given in chain(first, calls)
    )
    try:
        yield from Parallel(n_jobs=n_threads, prefer="threads", return_as=return_as)(watched)
    except BaseException as error:
        stop.request()
        while running:
            time.sleep(0.01)
        if is_without_threads(error):
            raise MemoryError(
                f"the system has no memory for {n_threads} threads: n_jobs={n_jobs}. Set a smaller n_jobs"
            ) from None
        raise


def is_without_threads(error: BaseException) -> bool:
    """Whether Python could not start a thread; joblib then fails over ending those that it has."""
    causes = (error, error.__context__)
    return any(isinstance(e, RuntimeError) and "start new thread" in str(e) for e in causes)


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


@contextmanager
def blas_threads(n_threads: int | None) -> Iterator[None]:
    """BLAS on so many threads meanwhile, but not more than there are processors; None: as ever."""
    if n_threads is None:
        yield
        return
    with _controller().limit(limits=min(n_threads, cpu_count()), user_api="blas"):
        yield


def call_interruptibly(function: Callable[..., R], *args: object, n_threads: int | None = 1) -> R:
    """Call a function of another library that may run long without asking for signals.

    It runs in a thread of its own while this one waits and hears Ctrl-C (in a thread of `run_in_threads`, that it
    is to end). Then what was called is ended too, once it runs Python again: a compiled call runs on unheard to its
    end, for which the interpreter waits when it exits.
    Elsewhere it is simply called. BLAS uses no more than `n_threads` threads meanwhile: by default (None: as ever) it
    takes all processors, and is slow where these are busy.
    """
    with blas_threads(n_threads):
        is_main = threading.current_thread() is threading.main_thread()
        if not is_main and not _core.has_stop():
            return function(*args)
        return _call_and_wait(function, args)


def _call_and_wait(function: Callable[..., R], args: tuple[object, ...]) -> R:
    config = sklearn.get_config()  # scikit-learn keeps one per thread
    context = contextvars.copy_context()
    result: list[R] = []
    failure: list[BaseException] = []

    def work() -> None:
        try:
            with sklearn.config_context(**config):
                result.append(context.run(function, *args))
        except BaseException as error:  # handed over to the waiting thread
            failure.append(error)

    # Not a daemon: at exit what is still called is waited for, since an interpreter that ends under it may crash.
    thread = threading.Thread(target=work, daemon=False)
    try:
        thread.start()
    except RuntimeError:  # no memory for a thread; Ctrl-C is then heard at the end of the call
        return function(*args)
    try:
        while thread.is_alive():
            thread.join(0.1)
            if _core.stop_requested():
                raise KeyboardInterrupt
    except BaseException:
        # KeyboardInterrupt there where the thread next runs Python: loops end, compiled calls run on to their end.
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread.ident or 0), ctypes.py_object(KeyboardInterrupt)
        )
        raise
    if failure:
        raise failure[0]
    return result[0]


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


def _listeners(owner: object) -> tuple[bool, bool]:
    """Whether to print, and whether to log."""
    verbose = bool(getattr(owner, "verbose", 0))
    speaker = _speaker.get()
    may_log = verbose or speaker is None or speaker is owner
    return verbose, log.isEnabledFor(logging.INFO) and may_log


def is_heard(owner: object) -> bool:
    """Whether anybody listens to what `owner` reports."""
    return any(_listeners(owner))


def report(owner: object, text: str, *details: object) -> None:
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
    owner: object, names: FeatureNames, wanted: int | None
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

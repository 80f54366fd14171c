"""Progress of long calls, Ctrl-C during long calls, and locks of estimators.

The locks are stored here, not in the estimators, because estimators are copied and pickled.
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
    """Run the block while no other thread runs such a block for the same estimator."""
    with _registering:
        lock = _locks.setdefault(estimator, threading.RLock())
    with lock:
        yield


def _in_child() -> None:
    """Discard the locks of threads that a forked child does not have."""
    global _registering
    _registering = threading.Lock()
    _locks.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
    os.register_at_fork(after_in_child=_core.forget_calls)


@dataclass(eq=False)
class _Watched:
    """A function whose calls end when a stop is requested, with the number of running calls.

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
    """Yield the results of calls (joblib's ``delayed``), in their order.

    If a call fails, Ctrl-C is pressed or the generator is closed, this function stops the running calls and waits for
    them. It starts at most one thread per call.
    """
    calls = iter(calls)
    first = list(islice(calls, resolve_threads(n_jobs)))
    n_threads = max(1, len(first))
    stop = _core.Stop()
    running: list[None] = []
    context = contextvars.copy_context()  # so that warnings name the caller
    watched = (
        (_Watched(function, stop, running, context.copy()), *arguments)
        for function, *arguments in chain(first, calls)
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
    """Return whether Python could not start a thread; joblib then fails while ending those it started."""
    causes = (error, error.__context__)
    return any(isinstance(e, RuntimeError) and "start new thread" in str(e) for e in causes)


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


@contextmanager
def blas_threads(n_threads: int | None) -> Iterator[None]:
    """Limit the threads of BLAS in the block, to the number of processors at most; None: no limit."""
    if n_threads is None:
        yield
        return
    with _controller().limit(limits=min(n_threads, cpu_count()), user_api="blas"):
        yield


def call_interruptibly(function: Callable[..., R], *args: object, n_threads: int | None = 1) -> R:
    """Call a function of another library that may run long without checking for signals.

    The function runs in a separate thread, while this one waits for Ctrl-C (a thread of `run_in_threads`: for a stop).
    An interrupted function ends as soon as it runs Python code. A compiled call continues to its end, and the
    interpreter waits for it at exit. In all other threads the function is simply called.

    BLAS uses at most `n_threads` threads during the call (None: no limit). Its own default is all processors, which is
    slow if these are busy.
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
        except BaseException as error:  # passed to the waiting thread
            failure.append(error)

    # Not a daemon: the interpreter waits for the call at exit, since ending during the call may crash.
    thread = threading.Thread(target=work, daemon=False)
    try:
        thread.start()
    except RuntimeError:  # no memory for a thread: Ctrl-C takes effect at the end of the call
        return function(*args)
    try:
        while thread.is_alive():
            thread.join(0.1)
            if _core.stop_requested():
                raise KeyboardInterrupt
    except BaseException:
        # The thread raises KeyboardInterrupt when it next runs Python code.
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


# The object that reports for the current call and all calls inside it; None outside of `reporting_for`.
_reporter: ContextVar[object] = ContextVar("thresher_reporter", default=None)


@dataclass(frozen=True)
class Reporter:
    """Reporter of a function: its name, and whether it prints."""

    name: str
    verbose: int = 0


@contextmanager
def reporting_for(owner: object = True) -> Iterator[None]:
    """Let `owner` report for the block: everything else reports only if it is verbose."""
    token = _reporter.set(owner)
    try:
        yield
    finally:
        _reporter.reset(token)


def _outputs(owner: object) -> tuple[bool, bool]:
    """Return whether to print, and whether to log."""
    verbose = bool(getattr(owner, "verbose", 0))
    reporter = _reporter.get()
    may_log = verbose or reporter is None or reporter is owner
    return verbose, log.isEnabledFor(logging.INFO) and may_log


def is_reporting(owner: object) -> bool:
    """Return whether a report of `owner` is printed or logged."""
    return any(_outputs(owner))


def report(owner: object, text: str, *details: object) -> None:
    """Report what `owner` has done, as ``text % details``: print it if ``owner.verbose``, and log it.

    The text is formatted only if it is printed or logged.
    """
    is_printed, is_logged = _outputs(owner)
    if not (is_logged or is_printed):
        return
    name = owner.name if isinstance(owner, Reporter) else type(owner).__name__
    line = f"[{name}] {text % details}"
    if is_printed:
        print(line, flush=True)
    if is_logged:
        log.info("%s", line)


def step_reporter(
    owner: object, names: FeatureNames, wanted: int | None
) -> Callable[[int, int, float], None] | None:
    """Return a function that reports each step of a search, or None if `owner` does not report."""
    if not is_reporting(owner):
        return None
    total = "" if wanted is None else f"/{wanted}"

    def show(step: int, feature: int, score: float) -> None:
        name = f"feature {feature}" if names is None else readable(names[feature])
        report(owner, "%d%s %s, score %.4g", step, total, name, score)

    return show


def track(
    items: Iterable[Item], total: int, label: str, *, show: bool, stream: TextIO | None = None
) -> Iterator[Item]:
    """Yield the items, and show how many of `total` are done."""
    if not show:
        yield from items
        return
    with Bar(label, total, stream) as bar:
        for done, item in enumerate(items, start=1):
            yield item
            bar.show(done)


class Bar:
    """A progress bar: tqdm's, if it is installed and no stream is given."""

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
        """Show how many are done, and a note; at most ten times a second."""
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

"""One thread at a time for an estimator, and Ctrl-C during long calls of the core."""

from __future__ import annotations

import contextvars
import ctypes
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain, islice
from typing import Any
from weakref import WeakKeyDictionary

import sklearn
from joblib import Parallel, cpu_count
from threadpoolctl import ThreadpoolController

from thresher import _core
from thresher._utils.checks import resolve_threads

_registering = threading.Lock()
_locks: WeakKeyDictionary[Any, threading.RLock] = WeakKeyDictionary()


@contextmanager
def one_thread(estimator: Any) -> Iterator[None]:
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


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_core.forget_calls)


@dataclass(eq=False)
class _Watched:
    """A function whose calls end when the stop is requested; counts them.

    In another process there is nothing to watch: joblib ends its processes itself.
    """

    function: Callable[..., Any]
    stop: _core.Stop
    running: list[None]
    context: contextvars.Context

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        before = _core.exchange_stop(self.stop)
        self.running.append(None)
        try:
            if self.stop.requested:
                raise KeyboardInterrupt
            return self.context.run(self.function, *args, **kwargs)
        finally:
            self.running.pop()
            _core.exchange_stop(before)

    def __reduce__(self) -> Any:
        return partial, (self.function,)


def run_in_threads(
    calls: Iterable[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]],
    n_jobs: int | None,
    *,
    return_as: str = "list",
) -> Iterator[Any]:
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


def blas_threads(n_threads: int | None) -> AbstractContextManager[Any]:
    """BLAS on so many threads meanwhile, but not more than there are processors; None: as ever."""
    if n_threads is None:
        return nullcontext()
    limit = min(n_threads, cpu_count())
    limited: AbstractContextManager[Any] = _controller().limit(limits=limit, user_api="blas")
    return limited


def call_interruptibly(function: Callable[..., Any], *args: Any, n_threads: int | None = 1) -> Any:
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


def _call_and_wait(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    config = sklearn.get_config()  # scikit-learn keeps one per thread
    context = contextvars.copy_context()
    result: list[Any] = []
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

"""Ctrl-C during compiled code of others, which does not ask for it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache
from typing import Any

import sklearn
from threadpoolctl import ThreadpoolController


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def call_interruptibly(function: Callable[..., Any], *args: Any, n_threads: int = 1) -> Any:
    """Call a function of another library that may run long without asking for signals.

    It runs in a thread of its own while this one waits and hears Ctrl-C, after which what was called runs on
    unheard to its end. Where signals go to another thread anyway it is simply called. BLAS uses no more than
    `n_threads` threads meanwhile: by default it takes all processors, and is slow where these are busy.
    """
    with _controller().limit(limits=n_threads, user_api="blas"):
        if threading.current_thread() is not threading.main_thread():
            return function(*args)
        return _call_and_wait(function, args)


def _call_and_wait(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    config = sklearn.get_config()  # scikit-learn keeps one per thread
    result: list[Any] = []
    failure: list[BaseException] = []

    def work() -> None:
        try:
            with sklearn.config_context(**config):
                result.append(function(*args))
        except BaseException as error:  # handed over to the waiting thread
            failure.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.1)
    if failure:
        raise failure[0]
    return result[0]

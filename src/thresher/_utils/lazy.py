"""Attributes that are computed, and modules that are imported, on first use.

Python locks a module while importing it. A child that another thread forks in that time inherits the lock but not the
thread that releases it, and would wait forever. So forks wait for the imports that this module does.
"""

from __future__ import annotations

# These two hold locks across a fork, and imports below need one of them. The module that registers last takes its lock
# first, so both have to be imported before this module registers.
import concurrent.futures.thread  # noqa: F401
import importlib
import logging  # noqa: F401
import os
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Generic, TypeVar, overload

S = TypeVar("S")
T = TypeVar("T")


class cached(Generic[S, T]):
    """A property computed once and stored in the object's ``__dict__``.

    Unlike ``functools.cached_property`` of Python 3.11 it takes no lock. That one is shared by all objects of a class:
    two fits would wait for each other, and a child forked during one of them would wait forever.
    """

    def __init__(self, compute: Callable[[S], T]) -> None:
        self.compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type) -> cached[S, T]: ...
    @overload
    def __get__(self, instance: S, owner: type) -> T: ...
    def __get__(self, instance: S | None, owner: type) -> T | cached[S, T]:
        if instance is None:
            return self
        value = self.compute(instance)
        vars(instance)[self.name] = value
        return value


# Limited, because the import may wait for the thread that forks.
SECONDS_TO_WAIT = 60.0

_loading = threading.RLock()
_forking = threading.local()


def load(module: str) -> ModuleType:
    """Import a module; no fork happens during the import."""
    with _loading:
        return importlib.import_module(module)


def _before_fork() -> None:
    _forking.waited = _loading.acquire(timeout=SECONDS_TO_WAIT)


def _after_fork() -> None:
    if _forking.waited:
        _loading.release()


def _in_child() -> None:
    global _loading
    _loading = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_in_child)

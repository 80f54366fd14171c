"""Modules that are imported on first use, while other threads may fork.

Python locks a module while it is made. A child forked meanwhile by another thread inherits the lock and not the thread,
and would wait for it forever. Forks therefore wait for such imports: not for others, which are Python's own affair.
"""

from __future__ import annotations

# These two hold locks of their own across a fork, and imports below need one of them. Who registers last holds its lock
# first, so they have to be there before this module.
import concurrent.futures.thread  # noqa: F401
import importlib
import logging  # noqa: F401
import os
import threading
from types import ModuleType

# Not forever: what is being imported may wait for the thread that forks.
SECONDS_TO_WAIT = 60.0

_loading = threading.RLock()
_forking = threading.local()


def load(module: str) -> ModuleType:
    """The module of this name; no fork happens while it is made."""
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

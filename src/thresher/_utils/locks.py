"""One thread at a time for each estimator: the others wait.

The locks are kept here, not in the estimators, which are copied and pickled.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

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

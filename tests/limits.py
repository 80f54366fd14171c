"""Limits of the system that simulate a full disk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def largest_file(n_bytes: int) -> Iterator[None]:
    """Limit the files of this process to a number of bytes; skip where the system has no such limit."""
    resource = pytest.importorskip("resource", reason="needs limits of processes")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

"""Warnings that come once and point at the line of the caller, however deep in the package they are noticed."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from thresher._utils.checks import ThresherWarning

# Packages between a caller and what is noticed: ours, and those that call us on the caller's behalf.
_BETWEEN = {"thresher", "sklearn", "joblib", "threading", "contextlib", "concurrent"}


@dataclass
class _Call:
    """A call of ours from outside: where from, and what it was told already."""

    place: tuple[str, int, str, dict[Any, Any]]  # file, line, module and its registry of warnings
    said: set[str] = field(default_factory=set)


_call: ContextVar[_Call | None] = ContextVar("thresher_call", default=None)


def warn(message: str, category: type[Warning] = ThresherWarning) -> None:
    """Warn whoever called the package from outside, once per call for the same words."""
    call = _call.get() or _caller()
    if message not in call.said:
        call.said.add(message)
        warnings.warn_explicit(message, category, *call.place)


@contextmanager
def one_call() -> Iterator[None]:
    """Make all that happens inside one call of the package, also in threads that copy the context."""
    if _call.get() is not None:
        yield
        return
    token = _call.set(_caller())
    try:
        yield
    finally:
        _call.reset(token)


def _caller() -> _Call:
    frame = sys._getframe(1)
    while frame.f_back is not None and _top_package(frame.f_globals) in _BETWEEN:
        frame = frame.f_back
    names = frame.f_globals
    registry = names.setdefault("__warningregistry__", {})
    module = names.get("__name__") or "<string>"
    return _Call((frame.f_code.co_filename, frame.f_lineno, module, registry))


def _top_package(names: dict[str, Any]) -> str:
    return str(names.get("__name__", "")).partition(".")[0]

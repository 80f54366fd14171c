"""What goes wrong, as one sentence and an exit code."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

BAD_INPUT = 2


class BadInput(Exception):
    """Something a user gave cannot be used; the text says what, and what to do."""


@contextmanager
def unless_unread() -> Iterator[None]:
    """Go on if whoever read the standard output has seen enough; nothing more is written to it, at exit neither."""
    try:
        yield
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def sentences() -> Iterator[None]:
    """End the program with exit code 2 and one sentence for whatever the input is to blame for.

    All else is a mistake of ours and keeps its traceback, with exit code 1.
    """
    try:
        with unless_unread():
            yield
    except (BadInput, ValueError, TypeError, ImportError) as error:
        _end(str(error) or type(error).__name__)
    except MemoryError:
        _end("the data do not fit into memory; give fewer rows or columns")
    except OSError as error:
        _end(describe(error))


def describe(error: OSError) -> str:
    """What the system refused, and for which file."""
    reason = error.strerror or str(error)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        reason = "the disk is full"
    return f"{error.filename}: {reason}" if error.filename else reason


def _end(text: str) -> None:
    line = " ".join(text.split())
    printable = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)
    print(f"thresher: {printable}", file=sys.stderr)
    sys.exit(BAD_INPUT)

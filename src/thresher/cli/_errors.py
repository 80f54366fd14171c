"""What goes wrong, as one sentence and an exit code."""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

BAD_INPUT = 2
_FULL = (errno.ENOSPC, errno.EDQUOT)
# Words of messages for Python, and for a shell.
_OPTIONS = {
    "the parameter missing": "--missing",
    "to exclude": "to --exclude",
    "name it in exclude": "name it in --exclude",
    "name them in exclude": "name them in --exclude",
    "n_features_to_select=": "-k ",
    'see kind="bagging" or stability_curve': "see `thresher stability`",
    "n_jobs must be None or": "--jobs must be",
    "memory_limit=": "--memory ",
    "pass the matrix itself as X": "give more --memory",
    "give a folder with more room as scratch": "set TMPDIR to a folder with more room, "
    "or give more --memory",
}


class BadInput(Exception):
    """Something a user gave cannot be used; the text says what, and what to do."""


def as_options(text: str) -> str:
    """A message of the package in the words of the command line."""
    for parameter, option in _OPTIONS.items():
        text = text.replace(parameter, option)
    text = re.sub(r'\bmissing="(\w+)"', r"--missing \1", text)
    return re.sub(r'\btarget="(\w+)"', r"--target-kind \1", text)


@contextmanager
def unless_unread() -> Iterator[None]:
    """Go on if whoever read the standard output has seen enough; nothing more is written to it, at exit neither."""
    try:
        yield
    except OSError as error:
        if not _is_unread(error):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _is_unread(error: OSError) -> bool:
    """Return whether the error says that nobody reads the standard output; Windows has no error of its own for that."""
    is_closed = sys.platform == "win32" and error.errno == errno.EINVAL and error.filename is None
    return is_closed or isinstance(error, BrokenPipeError)


@contextmanager
def leave_at_once() -> Iterator[None]:
    """End the process after bad input without taking the interpreter down.

    Threads of a parser may still read ahead in a file that is refused, and abort the process if it ends under them.
    """
    try:
        yield
    except SystemExit as end:
        if end.code != BAD_INPUT:
            raise
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(BAD_INPUT)


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
    except Exception as error:
        if not re.search("start new thread|launch worker thread", str(error)):
            raise
        _end(
            "the system has no memory for another thread. Set a smaller --jobs, or a higher limit (ulimit -v)"
        )


def describe(error: OSError) -> str:
    """What the system refused, and for which file."""
    reason = error.strerror or str(error)
    if error.errno in _FULL and reason == os.strerror(error.errno):
        reason = "the disk is full"
    return f"{error.filename}: {reason}" if error.filename else reason


def _end(text: str) -> None:
    line = " ".join(as_options(text).split())
    printable = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)
    print(f"thresher: {printable}", file=sys.stderr)
    sys.exit(BAD_INPUT)

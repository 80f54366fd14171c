"""Errors as one sentence and an exit code."""

from __future__ import annotations

import ast
import errno
import os
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

BAD_INPUT = 2
_FULL = (errno.ENOSPC, errno.EDQUOT)
# Options of the commands for the parameters of Python.
_OPTIONS = {
    "n_features_to_select": "-k",
    "n_steps": "-k",
    "n_repeats": "--repeats",
    "n_jobs": "--jobs",
    "n_parts": "--ensemble",
    "n_splits": "--folds",
    "memory_limit": "--memory",
    "budget_s": "--budget",
}
# Parameters that are common words, with the text around them; and remedies that a shell does not have.
_PHRASES = {
    r"\bn_jobs must be None or": "--jobs must be",
    r"\bthe parameter (missing|exclude|keep)\b": r"--\1",
    r"\b(in|to|[Ss]et) (exclude|missing)\b": r"\1 --\2",
    r'\b(exclude|keep|missing)="?([^\s"]+)"?': r"--\1 \2",
    r'\btarget="(\w+)"': r"--target-kind \1",
    r"^data\['([^']*)'\]:": r"\1:",
    r"^k must": "-k must",
    r"^missing must": "--missing must",
    r"^cv must": "--folds must",
    r"\bSet fewer folds, or a stratified splitter, in cv\b": "Set fewer --folds",
    r"\bPass X\.toarray\(\), or use .*, which supports? sparse X": "Write the file dense, or use a method that "
    "accepts sparse data (see `thresher methods`)",
    r"\bSet discretize=\"[a-z-]+\" to bin it": "Use --exclude if it is an identifier",
    r', or set relevance="mi" to accept them': "",
    r"\bpass rows in memory, or files with a larger memory_limit and no checkpoint": "set a larger --memory",
    r"\bPass rows in memory, or files with a larger memory_limit and no checkpoint": "Set a larger --memory",
    r'see kind="bagging" or stability_curve': "see `thresher stability`",
    r"\bpass the matrix itself as X": "set a larger --memory",
    r"\bPass the matrix itself as X": "Set a larger --memory",
    r"\b[Ss]et scratch to a folder with more space": "Set TMPDIR to a folder with more space, "
    "or set a larger --memory",
}


class BadInput(Exception):
    """An input or an option that cannot be used; the text names it and the remedy."""


# The code in a message that drops columns, see `thresher.data.bad_columns`.
_NAMES = r"(\[.*?\]|error\.columns)"
_DROPPING = re.compile(rf"X = X\.drop\w*\((?:columns=)?{_NAMES}\)|\bexclude={_NAMES}(?=$|[),.])")


def _as_exclude(code: re.Match[str]) -> str:
    """Return the option that excludes the columns dropped by the code."""
    names = code[1] or code[2]
    if names == "error.columns":
        return "--exclude"
    quoted = (f'"{name}"' if "," in str(name) else str(name) for name in ast.literal_eval(names))
    return f"--exclude {shlex.quote(','.join(quoted))}"


def as_options(text: str) -> str:
    """Return a message of the package with options in place of parameters."""
    text = _DROPPING.sub(_as_exclude, text)
    for pattern, replacement in _PHRASES.items():
        text = re.sub(pattern, replacement, text)
    for parameter, option in _OPTIONS.items():
        text = re.sub(rf"\b{parameter}=", f"{option} ", text)
        text = re.sub(rf"\b{parameter}\b", option, text)
    return text


@contextmanager
def ignoring_closed_pipe() -> Iterator[None]:
    """Continue if the reader of the standard output has closed it; write nothing more to it, not even at exit."""
    try:
        yield
    except OSError as error:
        if not _is_closed_pipe(error):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _is_closed_pipe(error: OSError) -> bool:
    """Return whether the reader has closed the standard output; Windows has no separate error for that."""
    is_closed = sys.platform == "win32" and error.errno == errno.EINVAL and error.filename is None
    return is_closed or isinstance(error, BrokenPipeError)


@contextmanager
def exiting_at_once() -> Iterator[None]:
    """End the process after bad input without finalizing the interpreter.

    Threads of a parser may still read ahead in a rejected file. They would abort the process during finalization.
    """
    try:
        yield
    except SystemExit as exit_request:
        if exit_request.code != BAD_INPUT:
            raise
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(BAD_INPUT)


@contextmanager
def sentences() -> Iterator[None]:
    """End the program with exit code 2 and one sentence for errors that the input causes.

    Any other error is a bug and keeps its traceback, with exit code 1.
    """
    try:
        with ignoring_closed_pipe():
            yield
    except (BadInput, ValueError, TypeError, ImportError) as error:
        _end(str(error) or type(error).__name__)
    except MemoryError:
        _end("the data do not fit into memory. Use --sample, or a file with fewer columns")
    except OSError as error:
        _end(describe(error))
    except Exception as error:
        if not re.search("start new thread|launch worker thread", str(error)):
            raise
        _end(
            "the system has no memory for another thread. Set a smaller --jobs, or a higher limit (ulimit -v)"
        )


def describe(error: OSError) -> str:
    """Return the error of the system as text, with the file."""
    reason = error.strerror or str(error)
    if error.errno in _FULL and reason == os.strerror(error.errno):
        reason = "the disk is full"
    return f"{error.filename}: {reason}" if error.filename else reason


def _end(text: str) -> None:
    line = " ".join(as_options(text).split())
    printable = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)
    print(f"thresher: {printable}", file=sys.stderr)
    sys.exit(BAD_INPUT)

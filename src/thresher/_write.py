"""Files that appear whole or not at all, and logs that one process appends to at a time."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

# How names of files that are not complete yet begin.
UNFINISHED = ".thresher-"


def atomic_write(path: Path, content: bytes, *, overwrite: bool = True) -> None:
    """Write a file whole or not at all; `overwrite`: a file of this name is replaced."""
    temporary = write_temporary(path, content)
    try:
        place(temporary, path, overwrite)
    except FileExistsError:
        raise
    except OSError as error:
        raise not_written(path, error) from None
    finally:
        temporary.unlink(missing_ok=True)


def place(temporary: Path, path: Path, overwrite: bool) -> None:
    """Give a file its name."""
    if not overwrite:
        # A link, unlike a move, fails where another process was faster. File systems without links raise many errors.
        try:
            os.link(temporary, path)
            return
        except FileExistsError:
            raise
        except (OSError, NotImplementedError):
            if path.exists():
                raise FileExistsError(errno.EEXIST, "it exists already", str(path)) from None
    os.replace(temporary, path)


def write_temporary(path: Path, content: bytes) -> Path:
    """Write a file of a new name in the folder of `path`, on the disk when this returns.

    The name is unique, and mode "x" follows no link.
    """
    temporary = path.with_name(f"{UNFINISHED}{secrets.token_hex(8)}.part")
    try:
        try:
            with open(temporary, "xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise not_written(path, error) from None
    return temporary


def open_log(path: Path) -> BinaryIO:
    """Open a file for reading and appending, which is made if there is none.

    While another process has it open, this waits.
    """
    options = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | options, 0o666)
    file = open(handle, "r+b", buffering=0)  # noqa: SIM115
    try:
        _lock(handle)
    except BaseException:
        file.close()
        raise
    return file


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep out other processes that call this for the same folder."""
    handle = None
    with contextlib.suppress(OSError):  # some systems open no folders
        handle = os.open(folder, os.O_RDONLY)
    try:
        if handle is not None:
            _lock(handle)
        yield
    finally:
        if handle is not None:
            os.close(handle)


def _lock(handle: int) -> None:
    """Wait for a lock that lasts until this is closed, where the system and the file system know locks."""
    try:
        import fcntl
    except ImportError:
        return
    with contextlib.suppress(OSError):
        fcntl.flock(handle, fcntl.LOCK_EX)


def append(file: BinaryIO, path: Path, record: bytes) -> None:
    """Append all of a record to a log that `open_log` opened; it is on the disk when this returns."""
    left = memoryview(record)
    try:
        while left:
            left = left[file.write(left) :]
        os.fsync(file.fileno())
    except OSError as error:
        raise not_written(path, error) from None


def not_written(path: Path, error: OSError) -> OSError:
    """Return the error as a sentence that names the file."""
    reason = error.strerror or str(error)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        reason = "the disk is full. Free some space, or name another folder"
    return OSError(error.errno, f"{path} was not written: {reason}")

"""Files that survive a kill at any moment: logs of results, and files that are written whole or not at all."""

from __future__ import annotations

import base64
import contextlib
import errno
import json
import os
import secrets
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from thresher._utils.checks import readable
from thresher._utils.types import Values

T = TypeVar("T")

# Start of a log; 1 is the version of the format.
_SIGNATURE = b'{"thresher journal": 1, '


class Journal:
    """A file to which results are appended one by one, each under a key and on the disk when `append` returns.

    A line contains JSON, the base64 of an array in little-endian bytes, and a CRC-32, separated by tabs. On opening,
    the file is cut off at the first incomplete or damaged line: this is the file of an earlier moment, from which the
    work continues. Other processes that open the file wait until it is closed, if the system and the file system have
    locks.

    Parameters
    ----------
    path : Path
    identity : mapping of str to str
        Everything that the results depend on, as values or digests. A file of another identity is rejected.
    kind : str
        The parameter that names the file, for messages.
    """

    def __init__(self, path: Path, *, identity: Mapping[str, str], kind: str) -> None:
        self._path, self._kind = path, kind
        self._lines: dict[str, tuple[int, int]] = {}  # start and length by key
        with _naming_file(path):
            self._file = open(path, "ab", buffering=0)  # noqa: SIM115
        try:
            _lock(self._file.fileno())
            self._read_existing({"kind": kind, **identity})
        except BaseException:
            self._file.close()
            raise

    def _read_existing(self, identity: dict[str, str]) -> None:
        """Find the results in the file, or write its first line."""
        with open(self._path, "rb") as file:
            start = file.read(len(_SIGNATURE))
            file.seek(0)
            first = file.readline() if start == _SIGNATURE else start
            header = _parse(first)
            if not _SIGNATURE.startswith(start) or (first.endswith(b"\n") and header is None):
                raise ValueError(
                    f"{self._name} is damaged, or not a {self._kind} of this version of thresher. {self._remedy}"
                )
            if header is not None:
                self._compare(header["identity"], identity)
            end = 0 if header is None else len(first)
            for line in file:
                record = _parse(line)
                if record is None:
                    break
                self._lines[record["key"]] = end, len(line)
                end += len(line)
        with _naming_file(self._path):
            self._file.truncate(end)
        if header is None:
            self._write({"thresher journal": 1, "identity": identity})

    def append(self, key: str, value: object) -> None:
        """Append an array of numbers or a JSON value; it is on the disk when this returns."""
        if isinstance(value, np.ndarray | np.generic):
            if value.dtype.kind not in "biufc":
                raise TypeError(f"a journal cannot store arrays of {value.dtype}")
            array = np.asarray(value, value.dtype.newbyteorder("<"), order="C")
            head = {"key": key, "type": array.dtype.str, "shape": array.shape}
            self._lines[key] = self._write(head, base64.b64encode(array.data))
        else:
            self._lines[key] = self._write({"key": key, "value": value})

    def get(self, key: str) -> Any:
        """Return the value of a key, or None; arrays are read from the file each time."""
        if key not in self._lines:
            return None
        start, length = self._lines[key]
        with open(self._path, "rb") as file:
            file.seek(start)
            text, numbers, _ = file.read(length).split(b"\t")
        record = json.loads(text)
        if "value" in record:
            return record["value"]
        dtype = np.dtype(record["type"])
        array = np.ndarray(record["shape"], dtype, base64.b64decode(numbers))
        return array.astype(dtype.newbyteorder("="))

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def settle(self, name: str, value: T, *, is_given: bool = True) -> T:
        """Return the value that the file has for a name; a file without one gets `value`.

        If `is_given` and the file has another value, it is rejected like a file of another identity.
        """
        stored: T | None = self.get(name)
        if stored is None:
            self.append(name, value)
            return value
        if is_given:
            self._compare({name: str(stored)}, {name: str(value)})
        return stored

    def close(self) -> None:
        self._file.close()

    @property
    def _name(self) -> str:
        return f"{self._kind} {readable(str(self._path))}"

    @property
    def _remedy(self) -> str:
        return f"Pass another {self._kind}, or delete this file to start over"

    def _compare(self, stored: Mapping[str, str], given: Mapping[str, str]) -> None:
        if [*stored.items()] == [*given.items()]:
            return
        left = [
            f"with {readable(name)}, which is not given" for name in stored if name not in given
        ]
        new = [f"without {readable(name)}" for name in given if name not in stored]
        # Digests have 32 characters and would not help a reader.
        other = [
            readable(name) + (f" ({readable(stored[name])})" if len(stored[name]) < 32 else "")
            for name in stored
            if name in given and stored[name] != given[name]
        ]
        both = [f"with other {' and '.join(other)}"] if other else ["in another order"]
        raise ValueError(f"{self._name} was written {(left + new + both)[0]}. {self._remedy}")

    def _write(self, record: Values, numbers: bytes = b"") -> tuple[int, int]:
        line = b"%s\t%s\t" % (json.dumps(record).encode(), numbers)
        line += b"%08x\n" % zlib.crc32(line)
        left = memoryview(line)
        with _naming_file(self._path):
            while left:
                left = left[self._file.write(left) :]
            os.fsync(self._file.fileno())
        return self._file.tell() - len(line), len(line)


def _parse(line: bytes) -> Values | None:
    """Return the JSON of a complete line, None for any other."""
    if line[-9:] != b"%08x\n" % zlib.crc32(memoryview(line)[:-9]):
        return None
    record: Values = json.loads(line.partition(b"\t")[0])
    return record


def _lock(handle: int) -> None:
    """Wait for a lock that lasts until the file is closed."""
    try:
        import fcntl
    except ImportError:
        return
    with contextlib.suppress(OSError):
        fcntl.flock(handle, fcntl.LOCK_EX)


def make_folder(parameter: str, folder: str | os.PathLike[str]) -> Path:
    """Return the folder that a parameter names, after creating it if it does not exist."""
    path = Path(folder)
    with _naming_file(path):
        try:
            path.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise ValueError(
                f"{parameter} must name a folder, got the file {str(folder)!r}"
            ) from None
    return path


def atomic_write(path: Path, content: bytes, *, overwrite: bool = True) -> None:
    """Write a file whole or not at all; with `overwrite`, replace a file of this name."""
    with writing({path: content}, overwrite=overwrite):
        pass


@contextlib.contextmanager
def writing(contents: Mapping[Path, bytes], *, overwrite: bool) -> Iterator[None]:
    """Write all of these files, or none.

    Each file is complete under a unique temporary name in the same folder before the block starts. The files get their
    final names after the block. If the block raises, they are removed.
    """
    written: dict[Path, Path] = {}
    renamed: list[Path] = []
    try:
        for path, content in contents.items():
            temporary = path.with_name(f".thresher-{secrets.token_hex(8)}.part")
            # Mode "x" follows no link.
            with _naming_file(path), open(temporary, "xb") as file:
                written[path] = temporary
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        yield
        for path, temporary in written.items():
            with _naming_file(path):
                _rename(temporary, path, overwrite)
            renamed.append(path)
    except BaseException:
        for path in [] if overwrite else renamed:
            path.unlink(missing_ok=True)
        raise
    finally:
        for temporary in written.values():
            temporary.unlink(missing_ok=True)


def _rename(temporary: Path, path: Path, overwrite: bool) -> None:
    if not overwrite:
        # Unlike a move, a link fails if another process was faster. File systems without links raise various errors.
        try:
            os.link(temporary, path)
            return
        except (OSError, NotImplementedError):
            if path.exists():
                raise FileExistsError(errno.EEXIST, "it exists already") from None
    os.replace(temporary, path)


@contextlib.contextmanager
def _naming_file(path: Path) -> Iterator[None]:
    """Raise errors of the system as one sentence that names the file."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            reason = "the disk is full. Free some space, or pass another folder"
        raise OSError(error.errno, f"{path} was not written: {reason}") from None

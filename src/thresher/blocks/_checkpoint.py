"""The answers of a fit in a folder, from which it goes on after it was killed.

A search is a function of its answers. So a fit that starts again reads and packs its rows, is given the answers that
were written down, and asks for the rest: the result has the same bytes. A record that was torn is cut off.
"""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import numpy.typing as npt

from thresher._write import append, atomic_write, not_written, open_log

_HEAD = struct.Struct("<Q32sBB")  # bytes of the numbers, what was asked, their type and dimensions
_TYPES: tuple[Any, ...] = (np.dtype("<i8"), np.dtype("<f8"))
_CRC = struct.Struct("<I")
# What does not change an answer.
_UNIMPORTANT = ("n_jobs", "verbose", "memory_limit")


class Checkpoint:
    """The log of the rounds of one fit.

    Parameters
    ----------
    folder : str or Path
        Made if there is none.
    """

    def __init__(self, folder: str | Path) -> None:
        self._folder = Path(folder)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise ValueError(
                f"checkpoint must name a folder, and {str(folder)!r} is a file; give another name"
            ) from None
        except OSError as error:
            raise not_written(self._folder, error) from None
        self._told: list[tuple[bytes, npt.NDArray[Any]]] = []
        self._key = b""
        self._n_rounds = 0
        self._log: Any = None

    def begin(self, owner: Any, parts: Any, blocks: list[tuple[int, int]]) -> None:
        """Take up what was written down of this fit; of another one it is refused.

        `blocks`: rows and fingerprint of each packed block.
        """
        parameters = {
            name: value
            for name, value in owner.get_params(deep=True).items()
            if name.rpartition("__")[2] not in _UNIMPORTANT
        }
        plan = {
            "selector": type(owner).__name__,
            "parameters": joblib.hash([parameters, parts]),
            "blocks": [list(block) for block in blocks],
        }
        text = json.dumps(plan, indent=1)
        path, self._path = self._folder / "plan.json", self._folder / "rounds.log"
        self.close()
        try:
            self._log = open_log(self._path)
        except OSError as error:
            raise not_written(self._path, error) from None
        if path.exists():
            self._compare(plan, path)
        else:
            self._log.truncate(0)
            atomic_write(path, text.encode())
        self._key = hashlib.sha256(text.encode()).digest()
        self._told, end = _records(self._log.read())
        self._log.truncate(end)
        self._log.seek(end)

    def _compare(self, plan: dict[str, Any], path: Path) -> None:
        try:
            known = json.loads(path.read_text())
        except ValueError:
            known = {}
        for name in plan:
            if known.get(name) != plan[name]:
                other = "data" if name == "blocks" else name
                raise ValueError(
                    f"checkpoint {str(self._folder)!r} is of a fit with other {other}; give another folder or delete it"
                )

    def recall(self, task: Any) -> npt.NDArray[Any] | None:
        """The answer of the next round if it was written down."""
        if self._n_rounds >= len(self._told):
            return None
        asked, answer = self._told[self._n_rounds]
        if asked != self._mark(task):
            raise ValueError(
                f"checkpoint {str(self._folder)!r} answers other questions than round {self._n_rounds + 1} asks; "
                "delete it"
            )
        self._n_rounds += 1
        return answer

    def note(self, task: Any, answer: npt.NDArray[Any]) -> None:
        """Write an answer down before it is used."""
        kind = 0 if answer.dtype.kind == "i" else 1
        numbers = np.ascontiguousarray(answer, dtype=_TYPES[kind])
        shape = struct.pack(f"<{numbers.ndim}Q", *numbers.shape)
        head = _HEAD.pack(numbers.nbytes, self._mark(task), kind, numbers.ndim)
        record = head + shape + numbers.tobytes()
        append(self._log, self._path, record + _CRC.pack(zlib.crc32(record)))
        self._n_rounds += 1

    def _mark(self, task: Any) -> bytes:
        asked = f"{type(task).__name__} {self._n_rounds} {joblib.hash(vars(task))}"
        return hashlib.sha256(self._key + asked.encode()).digest()

    def close(self) -> None:
        if self._log is not None:
            self._log.close()


def _records(text: bytes) -> tuple[list[tuple[bytes, npt.NDArray[Any]]], int]:
    """The whole records at the beginning, and where they end."""
    found = []
    start = 0
    while start + _HEAD.size <= len(text):
        n_bytes, asked, kind, n_dimensions = _HEAD.unpack_from(text, start)
        first = start + _HEAD.size + 8 * n_dimensions
        end = first + n_bytes
        if kind >= len(_TYPES) or end + _CRC.size > len(text):
            break
        if _CRC.unpack_from(text, end)[0] != zlib.crc32(text[start:end]):
            break
        shape = struct.unpack_from(f"<{n_dimensions}Q", text, start + _HEAD.size)
        numbers = np.frombuffer(text[first:end], dtype=_TYPES[kind]).reshape(shape).copy()
        found.append((asked, numbers))
        start = end + _CRC.size
    return found, start

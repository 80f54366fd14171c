"""Scored sets in a file, so that a search that was killed can go on."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from thresher._checks import readable
from thresher._write import append, open_log
from thresher.selectors._judge import Key, Outcome

FORMAT = 1


class Checkpoint:
    """A file to which each scored set is appended at once.

    A search with the same seed asks for the same sets, so that the scores are all it takes to resume one. Every
    line has a checksum. A last line without an end was being written when the process died, and is dropped.

    Parameters
    ----------
    path : str or path-like
    fingerprints : dict of str to str
        Of everything that a score or the search depends on, by what it is of.
    seed : int or None
        None takes that of the file, if there is one.
    new_seed : int
        For a new file if `seed` is None.

    Attributes
    ----------
    seed : int
    restored : dict of tuple to list
        The outcomes of each set.
    """

    def __init__(
        self, path: Any, fingerprints: dict[str, str], seed: int | None, new_seed: int
    ) -> None:
        self.path = Path(path)
        self.restored: dict[Key, list[Outcome]] = {}
        try:
            self._file = open_log(self.path)
        except OSError as error:
            raise ValueError(f"checkpoint {self._name} cannot be written: {error}") from error
        try:
            self._begin(self._file, fingerprints, seed, new_seed)
        except BaseException:
            self._file.close()
            raise

    def _begin(
        self, file: BinaryIO, fingerprints: dict[str, str], seed: int | None, new_seed: int
    ) -> None:
        """Take over what the file has, or write the first line."""
        stored = file.read()
        header: dict[str, Any] = {
            "thresher checkpoint": FORMAT,
            "seed": new_seed if seed is None else seed,
            "fingerprints": fingerprints,
        }
        whole = stored[: stored.rfind(b"\n") + 1]
        if whole:
            self.seed = self._read(whole, fingerprints, seed)
        elif stored and not _line(header).startswith(stored[: len('{"thresher checkpoint"')]):
            raise ValueError(self._damaged(1))
        else:
            self.seed = int(header["seed"])
        file.truncate(len(whole))
        file.seek(len(whole))
        if not whole:
            append(file, self.path, _line(header))

    def add(self, key: Key, outcomes: Sequence[Outcome]) -> None:
        """Append a scored set, unless the file has it."""
        if key not in self.restored:
            written = [o.hex() if isinstance(o, float) else {"failed": o} for o in outcomes]
            append(self._file, self.path, _line({"set": key, "outcomes": written}))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    @property
    def _name(self) -> str:
        return readable(str(self.path))

    def _damaged(self, number: int) -> str:
        return (
            f"checkpoint {self._name} is damaged, or no checkpoint, from line {number} on; "
            "delete the file to start over, or give another one"
        )

    def _read(self, stored: bytes, fingerprints: dict[str, str], seed: int | None) -> int:
        records = []
        for number, line in enumerate(stored.splitlines(), start=1):
            try:
                text, checksum = line.rsplit(b"\t", 1)
                if int(checksum, 16) != zlib.crc32(text):
                    raise ValueError
                records.append(json.loads(text))
            except ValueError:
                raise ValueError(self._damaged(number)) from None
        try:
            header, *sets = records
            other = [
                name
                for name, found in header["fingerprints"].items()
                if fingerprints.get(name) != found
            ]
            if header["thresher checkpoint"] != FORMAT:
                other = ["version of thresher"]
            if seed is not None and header["seed"] != seed:
                other.append("random_state")
            restored = {
                tuple(entry["set"]): [
                    o["failed"] if isinstance(o, dict) else float.fromhex(o)
                    for o in entry["outcomes"]
                ]
                for entry in sets
            }
            stored_seed = int(header["seed"])
        except (AttributeError, KeyError, TypeError, ValueError):
            raise ValueError(self._damaged(1)) from None
        if other:
            raise ValueError(
                f"checkpoint {self._name} was written with other {' and '.join(other)}; "
                "give another file, or delete it to start over"
            )
        self.restored = restored
        return stored_seed


def _line(record: dict[str, Any]) -> bytes:
    text = json.dumps(record).encode()
    return b"%s\t%08x\n" % (text, zlib.crc32(text))

"""Finished cells of an experiment in a folder: what is there is not computed again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import joblib
import narwhals.stable.v2 as nw
import numpy as np
from scipy import sparse

from thresher._checks import readable
from thresher._write import UNFINISHED, atomic_write, locked, not_written
from thresher.evaluate._runs import Cell
from thresher.sources import is_frame

_EXPERIMENT = "experiment.json"
# Parts of an experiment that are lists of pairs, name and digest: cells are numbered in their order.
NAMED = ("versions", "data", "selectors", "estimators", "folds")

Experiment = dict[str, Any]


class Store:
    """A folder with the description of one experiment and a file for every finished cell.

    Files appear whole or not at all, so whatever a killed process leaves behind can be gone on with.
    """

    def __init__(self, folder: Any) -> None:
        self.folder = Path(folder)
        if self.folder.exists() and not self.folder.is_dir():
            raise ValueError(f"store must name a folder, got the file {str(folder)!r}")

    @contextmanager
    def starting(self) -> Iterator[None]:
        """Let one process at a time find out what is stored, and begin."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise not_written(self.folder, error) from None
        with locked(self.folder):
            yield

    def seed(self, drawn: int) -> int:
        """The seed of the experiment that is stored here, or `drawn` for a new one."""
        return int((self._stored() or {"seed": drawn})["seed"])

    def open(self, experiment: Experiment) -> None:
        """Begin an experiment, or go on with it; another one is refused."""
        stored = self._stored()
        if stored is None:
            # What a process killed in its first moment leaves behind is ours.
            if any(not path.name.startswith(UNFINISHED) for path in self.folder.iterdir()):
                raise ValueError(
                    f"store={str(self.folder)!r} holds files of something else; name another folder"
                )
            self._write(_EXPERIMENT, experiment)
            return
        difference = _first_difference(stored, json.loads(json.dumps(experiment)))
        if difference:
            raise ValueError(
                f"store={str(self.folder)!r} holds another experiment: {difference}; name another folder"
            )

    def load(self, place: int) -> Cell | None:
        """A finished cell; None if there is none, or none that can be read."""
        path = self.folder / _file_name(place)
        try:
            return Cell(**json.loads(path.read_text(encoding="utf-8")))
        except (FileNotFoundError, ValueError, TypeError):
            return None

    def save(self, place: int, cell: Cell) -> None:
        self._write(_file_name(place), asdict(cell))

    def _stored(self) -> Experiment | None:
        path = self.folder / _EXPERIMENT
        if not path.exists():
            return None
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            stored = None
        if not isinstance(stored, dict) or not {"seed", *NAMED} <= set(stored):
            raise ValueError(f"{str(path)!r} does not describe an experiment; name another folder")
        return stored

    def _write(self, name: str, content: Any) -> None:
        atomic_write(self.folder / name, json.dumps(content).encode())


def _file_name(place: int) -> str:
    return f"cell-{place:06d}.json"


def _first_difference(stored: Experiment, given: Experiment) -> str:
    for part in given:
        if stored.get(part) == given[part]:
            continue
        if part not in NAMED:
            return f"its {part} is {stored.get(part)!r}, not {given[part]!r}"
        there, here = dict(stored[part]), dict(given[part])
        for name in [*there, *here]:
            if name not in here:
                return f"it has {part} {readable(name)}, which is not given"
            if name not in there:
                return f"it has no {part} {readable(name)}"
            if there[name] != here[name]:
                return f"its {part} {readable(name)} is another"
        return f"its {part} come in another order"
    return ""


def digest(thing: Any) -> str:
    """A text that differs for different things: data of any kind, estimators, functions."""
    if is_frame(thing):
        frame = nw.from_native(thing, eager_only=True)
        thing = [(name, frame[name].to_numpy()) for name in frame.columns]
    elif sparse.issparse(thing):
        rows = thing.tocsr().sorted_indices()
        thing = (rows.shape, rows.data, rows.indices, rows.indptr)
    try:
        return str(joblib.hash(thing))
    except Exception as error:
        raise ValueError(
            f"store needs things that can be pickled, got {type(thing).__name__}: {error}"
        ) from error


def digest_folds(folds: Any) -> str:
    return digest([(np.asarray(train), np.asarray(test)) for train, test in folds])

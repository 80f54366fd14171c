"""A file and a target as features and labels, checked."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from thresher._checks import readable
from thresher.cli._errors import BadInput
from thresher.cli._formats import Content, Opener, reader_of

# Longer ones come of a wrong separator rather than of a person.
LONGEST_NAME = 1000


@dataclass(frozen=True)
class Data:
    """What selectors are given.

    Attributes
    ----------
    name : str
        Of the file.
    X : pyarrow.Table, ndarray or sparse matrix
    names : list of str
    y : ndarray or None
    target : str
    notes : tuple of str
        What was decided while reading.
    """

    name: str
    X: Any
    names: list[str]
    y: Any
    target: str
    notes: tuple[str, ...]

    def name_column(self, found: re.Match[str]) -> str:
        """What a message that names a column by its number, the first group, should say."""
        return f"column {readable(self.names[int(found[1])])}"

    def places(self, parameter: str, names: Sequence[str]) -> list[int] | None:
        """Positions of features, None for none; a name that there is not is refused with the nearest."""
        place = {name: i for i, name in enumerate(self.names)}
        for name in names:
            if name not in place:
                raise BadInput(_unknown(f"--{parameter} {readable(name)}", name, self.names))
        return [place[name] for name in names] or None


def read_data(
    path: Path,
    target: str | None,
    *,
    needs_target: bool = True,
    exclude: Sequence[str] = (),
    open_file: Opener | None = None,
) -> Data:
    """Read a file and take the target out of it."""
    if path.is_dir():
        raise BadInput(f"{path} is a folder; name a file")
    if not path.exists():
        raise BadInput(_no_file(path))
    read = reader_of(path)
    if path.stat().st_size == 0:
        raise BadInput(f"{path} is empty")
    content = read(path, open_file or _open)
    names = [f"x{i}" for i in range(content.X.shape[1])]
    names = content.names if content.names is not None else names
    _check_names(path, names)
    if content.X.shape[0] == 0:
        raise BadInput(f"{path} has no rows, only the names of {len(names)} columns")
    target = _find_target(path, target, content, names, needs_target)
    y = None if target is None else _values(content, names, target)
    if not hasattr(content.X, "column_names"):
        X, names = _without(content.X, names, target if target not in content.beside else None)
        notes = content.notes
    else:
        X, names, notes = _features(path, content.X, target, exclude)
        notes = content.notes + notes
    if not names:
        raise BadInput(f"{path} has no column beside the target {readable(target)}")
    return Data(path.name, X, names, y, target or "", notes)


def _open(path: Path) -> BinaryIO:
    return path.open("rb")


def _no_file(path: Path) -> str:
    folder = path.parent
    there = [entry.name for entry in folder.iterdir()] if folder.is_dir() else []
    return _unknown(f"there is no file {path}", path.name, there, said=True)


def _unknown(what: str, name: str, known: Sequence[str], *, said: bool = False) -> str:
    text = what if said else f"{what}: there is no such column"
    # Comparing takes long where names are many or long.
    nearest = difflib.get_close_matches(name[:100], [n[:100] for n in known[:50_000]], n=1)
    return f"{text}; did you mean {readable(nearest[0])}?" if nearest else text


def _check_names(path: Path, names: list[str]) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        places = [str(i + 1) for i, name in enumerate(names) if name == twice[0]]
        raise BadInput(
            f"{path}: columns {' and '.join(places[:2])} are both named {readable(twice[0])}; rename one"
        )
    for i, name in enumerate(names):
        if len(name) > LONGEST_NAME:
            raise BadInput(
                f"{path}: the name of column {i + 1}, {readable(name)}, has {len(name)} characters, more than "
                f"{LONGEST_NAME}; is the separator right?"
            )


def _find_target(
    path: Path, target: str | None, content: Content, names: list[str], needs_target: bool
) -> str | None:
    known = [*content.beside, *names]
    if target is None and list(content.beside) == ["target"]:
        return "target"
    if target is None:
        if not needs_target:
            return None
        some = ", ".join(readable(name) for name in known[:5])
        more = ", ..." if len(known) > 5 else ""
        raise BadInput(f"--target is needed; {path} has the columns {some}{more}")
    if target not in known:
        raise BadInput(_unknown(f"--target {readable(target)}", target, known))
    return target


def _values(content: Content, names: list[str], target: str) -> Any:
    if target in content.beside:
        return content.beside[target]
    place = names.index(target)
    if isinstance(content.X, np.ndarray):
        return content.X[:, place]
    if not hasattr(content.X, "column_names"):
        values = content.X[:, [place]].toarray().ravel()
        return values.astype(np.int64) if np.all(values == np.floor(values)) else values
    import pyarrow as pa

    column = content.X.column(place)
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        return column.to_numpy()
    return np.array(column.to_pylist(), dtype=object)


def _without(X: Any, names: list[str], target: str | None) -> tuple[Any, list[str]]:
    if target is None:
        return X, names
    rest = [i for i, name in enumerate(names) if name != target]
    return X[:, rest], [names[i] for i in rest]


def _features(
    path: Path, table: Any, target: str | None, exclude: Sequence[str]
) -> tuple[Any, list[str], tuple[str, ...]]:
    """A table without the target and without what tells nothing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    table = table if target is None else table.drop_columns([target])
    n_rows = table.num_rows
    useless = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        if name in exclude:
            continue
        if column.null_count == n_rows:
            raise BadInput(
                f"{path}: column {readable(name)} holds nothing but missing values; drop it, or give --exclude"
            )
        is_text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
        if is_text and n_rows > 1 and pc.count_distinct(column).as_py() == n_rows:
            useless.append(name)
    notes = tuple(
        f"column {readable(name)} has another text in every row, which tells nothing of other rows: it is left out"
        for name in useless
    )
    table = table.drop_columns(useless)
    return table, table.column_names, notes

"""A file and a target as features and labels, checked."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from thresher._checks import readable
from thresher._streams import Purpose, stream
from thresher.cli._errors import BadInput
from thresher.cli._options import Source, split
from thresher.cli._stream import (
    check_entries,
    column_without_values,
    informative,
    is_identifier,
    left_out,
    no_values,
    place_for,
)
from thresher.io.arff import dense_column
from thresher.io.file_columns import FileColumns
from thresher.io.formats import kind_of
from thresher.io.mapped_sparse import MappedMatrix, SparseColumns
from thresher.io.sparse_structure import check_sparse
from thresher.io.table import Content, numbered
from thresher.io.temporary import total_memory
from thresher.sources import read_target, take

if TYPE_CHECKING:
    from thresher.cli._show import Voice

# Longer ones come of a wrong separator rather than of a person.
LONGEST_NAME = 1000
# What a row and a column take at least, even if nothing is stored of them.
_ROW_BYTES, _COLUMN_BYTES = 16, 256


@dataclass(frozen=True)
class Data:
    """What selectors are given.

    Attributes
    ----------
    name : str
        Of the file.
    X : pyarrow.Table, ndarray, sparse matrix, perhaps mapped, or FileColumns
    names : list of str
    y : ndarray or None
    target : str
    """

    name: str
    X: Any
    names: list[str]
    y: Any
    target: str

    @property
    def is_files(self) -> bool:
        """Whether columns are read from files as they are needed."""
        return isinstance(self.X, FileColumns)

    @property
    def is_large(self) -> bool:
        """Whether the rows are not in memory."""
        return isinstance(self.X, FileColumns | MappedMatrix)

    def places(self, parameter: str, names: Sequence[str]) -> list[int] | None:
        """Positions of features, None for none; a name that there is not is refused with the nearest."""
        place = {name: i for i, name in enumerate(self.names)}
        for name in names:
            if name not in place:
                raise BadInput(_unknown(f"--{parameter} {readable(name)}", name, self.names))
        return [place[name] for name in names] or None


def read_data(
    path: Path,
    source: Source,
    voice: Voice,
    *,
    needs_target: bool = True,
    memory: str | None = None,
    may_stay: bool = False,
) -> Data:
    """Read a file, take the target out of it, and leave out what is no feature; tell what was left out.

    A table larger than the memory stays out of it where it may.
    """
    if path.is_dir():
        raise BadInput(f"{path} is a folder; name a file")
    if not path.exists():
        raise BadInput(_no_file(path))
    kind = kind_of(path)
    if path.stat().st_size == 0:
        raise BadInput(f"{path} is empty")
    scratch = place_for(path, memory, may_stay or source.sample is not None, voice)
    if scratch is None:
        content = kind.read(path, voice.open_file, None)
    else:
        with voice.working(f"opening {path.name}"):
            content = kind.read(path, lambda name: name.open("rb"), scratch)
    content = _sound(path, content)
    for note in content.notes:
        voice.note(note)
    names = numbered(content.X.shape[1]) if content.names is None else content.names
    _check_names(path, names)
    if content.X.shape[0] == 0:
        raise BadInput(f"{path} has no rows, only the names of {len(names)} columns")
    target = _find_target(path, source.target, content, names, needs_target)
    y = None if target is None else _values(content, names, target)
    if target is not None:
        _check_target(target, y, source.target_kind, voice)
    dropped = _excluded(split(source.exclude), target, names, content.beside)
    if target is not None:
        dropped.add(target)
    left = [i for i, name in enumerate(names) if name not in dropped]
    X, names = _taken(content.X, left), [names[i] for i in left]
    _note_categories(content.by_number, names, voice)
    if isinstance(X, FileColumns):
        X = informative(path, X, voice)
        names = list(X.kinds)
    elif hasattr(X, "column_names"):
        X = _informative(path, X, voice)
        names = X.column_names
    elif isinstance(X, SparseColumns):
        check_entries(path, X, names)
    else:
        _check_columns(path, X, names)
    if not names:
        raise BadInput(f"{path} has no column beside the target {readable(target)}")
    if source.sample is not None and source.sample < X.shape[0]:
        voice.note(f"{source.sample} of {X.shape[0]} rows are taken, drawn at random")
        rows = _drawn(X.shape[0], source.sample, source.seed)
        X = X.rows(rows) if isinstance(X, FileColumns | SparseColumns) else take(X, rows)
        y = None if y is None else y[rows]
        if target is not None:
            _check_target(target, y, source.target_kind, voice)
    if isinstance(X, SparseColumns):
        X = X.matrix()
    return Data(path.name, X, names, y, target or "")


def _sound(path: Path, content: Content) -> Content:
    """Return the content, of which a sparse matrix has been checked and has rows and columns to take."""
    n_rows, n_columns = content.X.shape
    if n_rows * _ROW_BYTES + n_columns * _COLUMN_BYTES > total_memory():
        raise BadInput(
            f"{path} has {n_rows} rows and {n_columns} columns, too many for the memory of this machine. Check the "
            "largest index"
        )
    if content.names is not None and len(content.names) != n_columns:
        raise BadInput(
            f"{path} cannot be read: it names {len(content.names)} columns, but has {n_columns}"
        )
    if not sparse.issparse(content.X):
        return content
    X = check_sparse(content.X, str(path))
    return content if X.format in ("csr", "csc") else replace(content, X=X.tocsr())


def _drawn(n_rows: int, n_drawn: int, seed: int) -> Any:
    """Rows in their order."""
    drawn = stream(seed, Purpose.SAMPLED_ROWS).choice(n_rows, n_drawn, replace=False)
    return np.sort(drawn)


def _excluded(
    exclude: Sequence[str], target: str | None, names: list[str], beside: Mapping[str, Any]
) -> set[str]:
    """The columns to leave out; what lies beside the matrix is none, and may be named."""
    for name in exclude:
        if name == target:
            raise BadInput(f"--exclude {readable(name)}: it is the target")
        if name not in names and name not in beside:
            raise BadInput(_unknown(f"--exclude {readable(name)}", name, names))
    return set(exclude)


def _note_categories(by_number: frozenset[str], names: list[str], voice: Voice) -> None:
    found = [name for name in names if name in by_number]
    if found:
        others = "" if len(found) == 1 else f", and so {len(found) - 1} more"
        voice.note(
            f"column {readable(found[0])} has three categories or more, which a sparse file gives by their numbers: "
            f"it is taken for one{others}; if their order says nothing, write the file dense, or give --exclude"
        )


def _taken(X: Any, columns: list[int]) -> Any:
    if len(columns) == X.shape[1]:
        return X
    if isinstance(X, FileColumns):
        names = list(X.kinds)
        return X.without(set(names) - {names[i] for i in columns})
    if isinstance(X, SparseColumns):
        return X.take(columns)
    return X.select(columns) if hasattr(X, "column_names") else X[:, columns]


def _no_file(path: Path) -> str:
    folder = path.parent
    there = [entry.name for entry in folder.iterdir()] if folder.is_dir() else []
    return _unknown(f"there is no file {path}", path.name, there, said=True)


def _unknown(what: str, name: str, known: Sequence[str], *, said: bool = False) -> str:
    text = what if said else f"{what}: there is no such column"
    # Comparing takes long where names are many or long.
    short = {n[:100].lower(): n[:100] for n in reversed(known[:50_000])}
    nearest = difflib.get_close_matches(name[:100].lower(), short, n=1)
    return f"{text}; did you mean {readable(short[nearest[0]])}?" if nearest else text


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


def _check_target(name: str, y: Any, kind: str | None, voice: Voice) -> None:
    """Refuse what no selector could tell apart."""
    try:
        with voice.working("reading the target"):
            found = read_target(y, len(y), kind=kind or "auto")
    except ValueError as error:
        raise BadInput(f"--target {readable(name)}: {error}") from error
    if found.classes is not None and len(found.classes) < 2:
        label = readable(found.classes[0])
        raise BadInput(
            f"--target {readable(name)}: y has one class ({label}); at least 2 classes are needed"
        )


def _values(content: Content, names: list[str], target: str) -> Any:
    if target in content.beside:
        values = content.beside[target]
        return values() if callable(values) else values
    place = names.index(target)
    if isinstance(content.X, np.ndarray):
        return content.X[:, place]
    if isinstance(content.X, FileColumns):
        return _labels(content.X.column(target))
    if not hasattr(content.X, "column_names"):
        values = dense_column(content.X, place)
        return values.astype(np.int64) if np.all(values == np.floor(values)) else values
    return _labels(content.X.column(place))


def _labels(column: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        return column.to_numpy()
    return np.array(column.to_pylist(), dtype=object)


def _check_columns(path: Path, X: Any, names: list[str]) -> None:
    """Refuse a column of a matrix without any value."""
    if X.dtype.kind != "f":
        return
    if isinstance(X, np.ndarray):
        is_empty = np.isnan(X).all(axis=0)
        place = int(np.argmax(is_empty)) if is_empty.any() else None
    else:
        place = column_without_values(X)
    if place is not None:
        raise BadInput(no_values(path, names[place]))


def _informative(path: Path, table: Any, voice: Voice) -> Any:
    """A table without text that tells nothing; a column without any value is refused."""
    useless = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        if column.null_count == table.num_rows:
            raise BadInput(no_values(path, name))
        if is_identifier(column):
            useless.append(name)
            voice.note(left_out(name))
    return table.drop_columns(useless)

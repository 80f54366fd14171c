"""What the commands read: tables in files, with their target."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from thresher._utils.checks import readable
from thresher._utils.random import Purpose, stream
from thresher._utils.types import Array, DataLike, Mask, TargetLike
from thresher.cli._errors import BadInput
from thresher.cli._options import InputOptions, split
from thresher.cli._output import Console
from thresher.data import read_target, take
from thresher.io import open_table, size_in_memory
from thresher.io.sparse import MappedMatrix, SparseColumns
from thresher.io.table import FileColumns, TableSource
from thresher.io.temporary import Scratch, resolve_memory_limit, total_memory

# Longer ones come of a wrong separator rather than of a person.
LONGEST_NAME = 1000


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
    X: DataLike
    names: list[str]
    y: TargetLike
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
    source: InputOptions,
    console: Console,
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
    if path.stat().st_size == 0:
        raise BadInput(f"{path} is empty")
    scratch = place_for(path, memory, may_stay or source.sample is not None, console)
    if scratch is None:
        content = open_table(path, open_file=console.open_file)
    else:
        with console.working(f"opening {path.name}"):
            content = open_table(path, scratch=scratch)
    for note in content.notes:
        console.note(note)
    names = content.names
    _check_names(path, names)
    if content.shape[0] == 0:
        raise BadInput(f"{path} has no rows, only the names of {len(names)} columns")
    _check_text(path, content.columns)
    if scratch is None and isinstance(content.columns, FileColumns):
        content = content.in_memory()
    target = _find_target(path, source.target, content, needs_target)
    y = None if target is None else _labels(content.column(target))
    if target is not None:
        _check_target(target, y, source.target_kind, console)
    dropped = {target, *_excluded(split(source.exclude), target, content)}
    content = content.select([name for name in names if name not in dropped])
    _note_categories(content.by_number, content.names, console)
    if content.is_typed:
        content = informative(path, content, console)
    else:
        check_values(path, content.columns, content.names)
    X, names = content.columns, content.names
    if not names:
        raise BadInput(f"{path} has no column beside the target {readable(target)}")
    if source.sample is not None and source.sample < X.shape[0]:
        console.note(f"{source.sample} of {X.shape[0]} rows are taken, drawn at random")
        random = stream(source.seed, Purpose.SAMPLED_ROWS)
        rows = np.sort(random.choice(X.shape[0], source.sample, replace=False))
        X = X.rows(rows) if isinstance(X, FileColumns | SparseColumns) else take(X, rows)
        y = None if y is None else y[rows]
        if target is not None:
            _check_target(target, y, source.target_kind, console)
    if isinstance(X, SparseColumns):
        X = X.matrix()
    return Data(path.name, X, names, y, target or "")


def _excluded(exclude: Sequence[str], target: str | None, content: TableSource) -> Sequence[str]:
    """The columns to leave out; extra values are none, and may be named."""
    for name in exclude:
        if name == target:
            raise BadInput(f"--exclude {readable(name)}: it is the target")
        if name not in content.names and name not in content.extra:
            raise BadInput(_unknown(f"--exclude {readable(name)}", name, content.names))
    return exclude


def _note_categories(by_number: frozenset[str], names: list[str], console: Console) -> None:
    found = [name for name in names if name in by_number]
    if found:
        others = "" if len(found) == 1 else f", and so {len(found) - 1} more"
        console.note(
            f"column {readable(found[0])} has three categories or more, which a sparse file gives by their numbers: "
            f"it is taken for one{others}; if their order says nothing, write the file dense, or give --exclude"
        )


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
    for i, name in enumerate(names):
        if len(name) > LONGEST_NAME:
            raise BadInput(
                f"{path}: the name of column {i + 1}, {readable(name)}, has {len(name)} characters, more than "
                f"{LONGEST_NAME}; is the separator right?"
            )


def _check_text(path: Path, columns: DataLike) -> None:
    """Refuse columns of text that is not UTF-8."""
    for name, kind in columns.kinds.items() if isinstance(columns, FileColumns) else ():
        if kind == "Binary":
            raise BadInput(f"{path}: column {readable(name)} is not UTF-8 text; convert the file")


def _find_target(
    path: Path, target: str | None, content: TableSource, needs_target: bool
) -> str | None:
    known = [*content.extra, *content.names]
    if target is None and list(content.extra) == ["target"]:
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


def _check_target(name: str, y: TargetLike, kind: str | None, console: Console) -> None:
    """Refuse what no selector could tell apart."""
    try:
        with console.working("reading the target"):
            found = read_target(y, len(y), kind=kind or "auto")
    except ValueError as error:
        raise BadInput(f"--target {readable(name)}: {error}") from error
    if found.classes is not None and len(found.classes) < 2:
        label = readable(found.classes[0])
        raise BadInput(
            f"--target {readable(name)}: y has one class ({label}); at least 2 classes are needed"
        )


def _labels(column: TargetLike) -> Array:
    """A target as an array."""
    import pyarrow as pa

    if isinstance(column, np.ndarray):
        return column
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        return np.asarray(column.to_numpy())
    return np.array(column.to_pylist(), dtype=object)


# What reads a table whole has it and a copy of it, such as the rows of a fold.
_COPIES = 2


def place_for(path: Path, memory: str | None, may_stay: bool, console: Console) -> Scratch | None:
    """Where rows go that are more than the memory: None, if they are not, for memory.

    What has to be read whole is refused if it cannot fit.
    """
    limit = resolve_memory_limit(memory, "--memory")
    size = size_in_memory(path)
    if size <= limit:
        return None
    if may_stay:
        console.note(f"{path.name} is larger than the memory to be used, and is not read into it")
        return Scratch(memory_limit=limit)
    if _COPIES * size > total_memory():
        raise BadInput(
            f"{path} takes about {size / 1e9:.3g} GB as a table, which with a copy is more than the "
            f"{total_memory() / 1e9:.3g} GB of memory, and is read whole here; give --sample N, of so many rows, "
            "or a file of fewer columns"
        )
    return None


def informative(path: Path, content: TableSource, console: Console) -> TableSource:
    """The table without text that tells nothing; a column without any value is refused.

    Of columns that are not in memory, only those of text are read.
    """
    useful = []
    kinds = getattr(content.columns, "kinds", {})
    for name in content.names:
        kind = kinds.get(name, "text")
        column = content.columns.column(name) if kind == "text" else None
        if kind == "null" or (column is not None and column.null_count == content.shape[0]):
            raise BadInput(no_values(path, name))
        if column is not None and is_identifier(column):
            console.note(
                f"column {readable(name)} has another text in every row, which tells nothing of other rows: "
                "it is left out"
            )
        else:
            useful.append(name)
    return content.select(useful)


def check_values(path: Path, X: DataLike, names: list[str]) -> None:
    """Refuse a column of a matrix without any value."""
    done = 0
    for columns in X.column_groups() if isinstance(X, SparseColumns) else [X]:
        is_empty = _without_values(columns)
        if is_empty.any():
            raise BadInput(no_values(path, names[done + int(np.argmax(is_empty))]))
        done += columns.shape[1]


def _without_values(X: DataLike) -> Mask:
    """Which columns of a matrix hold nothing but missing values."""
    if isinstance(X, np.ndarray):
        return np.asarray(np.isnan(X).all(axis=0))
    if not np.isnan(X.data).any():
        return np.zeros(X.shape[1], dtype=bool)
    columns = X.tocsc()
    of_entries = np.repeat(np.arange(X.shape[1]), np.diff(columns.indptr))
    missing = of_entries[np.isnan(columns.data)]
    return np.asarray(np.bincount(missing, minlength=X.shape[1]) == X.shape[0])


def no_values(path: Path, name: str) -> str:
    """What is said of an empty column."""
    return f"{path}: column {readable(name)} holds nothing but missing values; drop it, or give --exclude"


def is_identifier(column: TargetLike) -> bool:
    """Whether a column is text, and another one in every row."""
    import pyarrow as pa
    import pyarrow.compute as pc

    is_text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    return is_text and len(column) > 1 and pc.count_distinct(column).as_py() == len(column)

"""Input of the commands: a table in a file, with its target."""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from thresher._utils.checks import ThresherWarning, readable
from thresher._utils.random import Purpose, stream
from thresher._utils.types import Array, DataLike, Estimator, Mask, TargetLike
from thresher.cli._errors import BadInput
from thresher.cli._options import InputOptions, split
from thresher.cli._output import Console
from thresher.data import read_target, take
from thresher.data.bad_columns import MOST_NAMED, drop_code
from thresher.io import open_table, size_in_memory
from thresher.io.sparse import MappedMatrix, SparseColumns
from thresher.io.table import FileColumns, TableSource, column_kind
from thresher.io.temporary import TemporaryStore, resolve_memory_limit, total_memory

# Longer names usually mean a wrong separator.
LONGEST_NAME = 1000


@dataclass(frozen=True)
class Data:
    """Features and target of a file.

    Attributes
    ----------
    name : str
        Name of the file.
    X : pyarrow.Table, ndarray, sparse matrix (perhaps mapped) or FileColumns
    names : list of str
        Names of the features.
    y : ndarray or None
    target : str
        Name of the target, empty if there is none.
    target_kind : {"auto", "nominal", "numeric"}
        As requested.
    """

    name: str
    X: DataLike
    names: list[str]
    y: TargetLike
    target: str
    target_kind: str = "auto"

    @property
    def is_file_input(self) -> bool:
        """Whether columns are read from files as they are needed."""
        return isinstance(self.X, FileColumns)

    def target_line(self, selector: Estimator = None) -> str:
        """Return a line with the kind of the target; empty without a target.

        The kind is that of a fitted selector, if it has one.
        """
        kind = getattr(selector, "target_kind_", None)
        if self.y is None or (selector is not None and kind is None):
            return ""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ThresherWarning)
            target = read_target(self.y, len(self.y), kind=kind or self.target_kind)
        return f"target: {target.describe()}"

    @property
    def is_large(self) -> bool:
        """Whether the rows are not in memory."""
        return isinstance(self.X, FileColumns | MappedMatrix)

    def positions(self, option: str, names: Sequence[str]) -> list[int] | None:
        """Return the positions of features, None for no names; reject unknown names."""
        position = {name: i for i, name in enumerate(self.names)}
        for name in names:
            if name not in position:
                raise BadInput(_unknown_column(f"{option} {readable(name)}", name, self.names))
        return [position[name] for name in names] or None


def read_data(
    path: Path,
    options: InputOptions,
    console: Console,
    *,
    needs_target: bool = True,
    memory: str | None = None,
    may_stay: bool = False,
) -> Data:
    """Read a file, separate the target, and leave out columns that are not features, with a note.

    With `may_stay`, a table that is larger than the memory stays in its file.
    """
    if path.is_dir():
        raise BadInput(f"{path} is a folder. Pass a file")
    if not path.exists():
        raise BadInput(_missing_file(path))
    if path.stat().st_size == 0:
        raise BadInput(f"{path} is empty")
    scratch = scratch_for(path, memory, may_stay or options.sample is not None, console)
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
    target = _find_target(path, options.target, content, needs_target)
    y = None if target is None else _labels(content.column(target))
    if target is not None:
        _check_target(target, y, options.target_kind, console)
    dropped = {target, *_excluded(split(options.exclude), target, content)}
    content = content.select([name for name in names if name not in dropped])
    _note_categories(content.by_number, content.names, console)
    if content.is_typed:
        content = only_features(path, content, console)
    else:
        check_values(path, content.columns, content.names)
    X, names = content.columns, content.names
    if not names:
        raise BadInput(f"{path} has no column except the target {readable(target)}")
    if options.sample is not None and options.sample < X.shape[0]:
        console.note(f"{options.sample} of {X.shape[0]} rows are used, drawn at random")
        random = stream(options.seed, Purpose.SAMPLED_ROWS)
        rows = np.sort(random.choice(X.shape[0], options.sample, replace=False))
        X = X.rows(rows) if isinstance(X, FileColumns | SparseColumns) else take(X, rows)
        y = None if y is None else y[rows]
        if target is not None:
            _check_target(target, y, options.target_kind, console)
    if isinstance(X, SparseColumns):
        X = X.matrix()
    return Data(path.name, X, names, y, target or "", options.target_kind or "auto")


def _excluded(exclude: Sequence[str], target: str | None, content: TableSource) -> Sequence[str]:
    """Return the columns to leave out. Extra values of the file may be named, too."""
    for name in exclude:
        if name == target:
            raise BadInput(f"--exclude {readable(name)}: the column is the target")
        if name not in content.names and name not in content.extra:
            raise BadInput(_unknown_column(f"--exclude {readable(name)}", name, content.names))
    return exclude


def _note_categories(by_number: frozenset[str], names: list[str], console: Console) -> None:
    numbered = [name for name in names if name in by_number]
    if numbered:
        others = "" if len(numbered) == 1 else f", and {len(numbered) - 1} more"
        console.note(
            f"column {readable(numbered[0])}{others}: categories of a sparse file are read as integer codes. "
            "If their order has no meaning, write the file dense, or use --exclude"
        )


def _missing_file(path: Path) -> str:
    folder = path.parent
    files = [entry.name for entry in folder.iterdir()] if folder.is_dir() else []
    return _with_nearest(f"there is no file {path}", path.name, files)


def _unknown_column(option: str, name: str, known: Sequence[str]) -> str:
    return _with_nearest(f"{option}: there is no such column", name, known)


def _with_nearest(text: str, name: str, known: Sequence[str]) -> str:
    # Comparing is slow if there are many names or long ones.
    short = {n[:100].lower(): n[:100] for n in reversed(known[:50_000])}
    nearest = difflib.get_close_matches(name[:100].lower(), short, n=1)
    return f"{text}; did you mean {readable(short[nearest[0]])}?" if nearest else text


def _check_names(path: Path, names: list[str]) -> None:
    for i, name in enumerate(names):
        if len(name) > LONGEST_NAME:
            raise BadInput(
                f"{path}: the name of column {i + 1}, {readable(name)}, has {len(name)} characters, more than "
                f"{LONGEST_NAME}. Check the separator"
            )


def _check_text(path: Path, columns: DataLike) -> None:
    """Reject columns of text that is not UTF-8."""
    for name, kind in columns.kinds.items() if isinstance(columns, FileColumns) else ():
        if kind == "Binary":
            raise BadInput(f"{path}: column {readable(name)} is not UTF-8 text. Convert the file")


def _find_target(
    path: Path, target: str | None, content: TableSource, needs_target: bool
) -> str | None:
    known = [*content.extra, *content.names]
    if target is None and list(content.extra) == ["target"]:
        return "target"
    if target is None:
        if not needs_target:
            return None
        first = ", ".join(readable(name) for name in known[:5])
        more = ", ..." if len(known) > 5 else ""
        raise BadInput(f"--target is missing. Set it to a column of {path}: {first}{more}")
    if target not in known:
        raise BadInput(_unknown_column(f"--target {readable(target)}", target, known))
    return target


def _check_target(name: str, y: TargetLike, kind: str | None, console: Console) -> None:
    """Reject a target that no selector can use."""
    try:
        with console.working("reading the target"):
            target = read_target(y, len(y), kind=kind or "auto")
    except ValueError as error:
        raise BadInput(f"--target {readable(name)}: {error}") from error
    if target.classes is not None and len(target.classes) < 2:
        label = readable(target.classes[0])
        raise BadInput(
            f"--target {readable(name)}: y has one class ({label}). Pass a column with at least 2 classes"
        )


def _labels(column: TargetLike) -> Array:
    """Return the target as an array."""
    import pyarrow as pa

    if isinstance(column, np.ndarray):
        return column
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        return np.asarray(column.to_numpy())
    values = column.to_pylist()
    if pa.types.is_dictionary(column.type):  # categories are classes, even those of numbers
        values = [None if value is None else str(value) for value in values]
    return np.array(values, dtype=object)


# Commands that read the whole table also need a copy of it, such as the rows of a fold.
_COPIES = 2


def scratch_for(
    path: Path, memory: str | None, may_stay: bool, console: Console
) -> TemporaryStore | None:
    """Return temporary files for a table that is larger than the memory to use; None if it is not.

    A table that must be in memory is rejected if it does not fit into the machine.
    """
    limit = resolve_memory_limit(memory, "--memory")
    size = size_in_memory(path)
    if size <= limit:
        return None
    if may_stay:
        console.note(f"{path.name} is larger than the memory limit: its rows stay in the file")
        return TemporaryStore(memory_limit=limit)
    if _COPIES * size > total_memory():
        raise BadInput(
            f"{path} takes about {size / 1e9:.3g} GB as a table, which with a copy is more than the "
            f"{total_memory() / 1e9:.3g} GB of memory. Use --sample N to read N rows, or a file with fewer columns"
        )
    return None


def only_features(path: Path, content: TableSource, console: Console) -> TableSource:
    """Return the table without identifiers, dates and times; reject columns without any value.

    Of columns that are not in memory, only text columns are read.
    """
    useful, empty, temporal = [], [], []
    kinds, in_memory = _kinds(content), not isinstance(content.columns, FileColumns)
    for name in content.names:
        kind = kinds[name]
        column = content.columns.column(name) if kind == "text" or in_memory else None
        if kind == "null" or (column is not None and column.null_count == content.shape[0]):
            empty.append(name)
        elif kind.startswith(_TEMPORAL):
            temporal.append(name)
        elif column is not None and is_identifier(column):
            console.note(
                f"column {readable(name)} has a different text in every row, like an identifier: it is left out"
            )
        else:
            useful.append(name)
    if empty:
        raise BadInput(_no_values(path, empty))
    if temporal:
        have = "column {} has" if len(temporal) == 1 else "columns {} have"
        what = f"{have.format(_shortened(temporal))} dates, times or durations"
        if not useful:
            raise BadInput(f"{path}: no feature is left: {what}. Convert one to numbers")
        console.note(f"{what}: left out")
    return content.select(useful)


# How the kinds of dates, times and durations begin.
_TEMPORAL = ("Date", "Time", "Duration")


def _kinds(content: TableSource) -> dict[str, str]:
    """Return the kind of every column, as in `FileColumns`."""
    if isinstance(content.columns, FileColumns):
        return content.columns.kinds
    schema = content.columns.schema
    return {name: column_kind(schema.field(name).type) for name in content.names}


def _shortened(names: Sequence[str]) -> str:
    """Return the names for a message, shortened if they are many."""
    more = len(names) - MOST_NAMED
    shown = ", ".join(map(readable, names[:MOST_NAMED]))
    return f"{shown} and {more} more" if more > 0 else shown


def check_values(path: Path, X: DataLike, names: list[str]) -> None:
    """Reject columns of a matrix without any value."""
    first, empty = 0, []
    for columns in X.column_groups() if isinstance(X, SparseColumns) else [X]:
        empty += [names[first + i] for i in np.flatnonzero(_without_values(columns))]
        first += columns.shape[1]
    if empty:
        raise BadInput(_no_values(path, empty))


def _without_values(X: DataLike) -> Mask:
    """Return a mask of the columns of a matrix that contain only missing values."""
    if isinstance(X, np.ndarray):
        return np.asarray(np.isnan(X).all(axis=0))
    if not np.isnan(X.data).any():
        return np.zeros(X.shape[1], dtype=bool)
    columns = X.tocsc()
    of_entries = np.repeat(np.arange(X.shape[1]), np.diff(columns.indptr))
    missing = of_entries[np.isnan(columns.data)]
    return np.asarray(np.bincount(missing, minlength=X.shape[1]) == X.shape[0])


def _no_values(path: Path, names: Sequence[str]) -> str:
    what = drop_code(names)
    if len(names) == 1:
        text = f"column {readable(names[0])} contains only missing values. Remove it, or use {what}"
    else:
        text = (
            f"columns {_shortened(names)} contain only missing values. Remove them, or use {what}"
        )
    return f"{path}: {text}"


def is_identifier(column: TargetLike) -> bool:
    """Return whether a column is text, with a different value in every row."""
    import pyarrow as pa
    import pyarrow.compute as pc

    is_text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    return is_text and len(column) > 1 and pc.count_distinct(column).as_py() == len(column)

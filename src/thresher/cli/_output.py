"""Output of the commands: tables, notes, progress and files."""

from __future__ import annotations

import io
import json
import logging
import math
import os
import re
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

import numpy as np
from rich.console import Console as Terminal
from rich.progress import open as open_with_progress
from rich.table import Table
from rich.text import Text

from thresher._utils.checks import ThresherWarning, printable
from thresher._utils.journal import writing
from thresher.cli._errors import BadInput, as_options, ignoring_closed_pipe
from thresher.data import named_columns

# Width of a terminal, in characters, that is enough for the table of methods.
WIDE = 130

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import JustifyMethod
    from rich.status import Status

    from thresher._utils.types import Values
    from thresher.cli._input import Data

# A value of JSON.
Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"


def plain(text: object) -> str:
    """Return text without escape sequences and other control characters."""
    return printable(str(text))


@dataclass
class Console:
    """The standard output and error of a command.

    Attributes
    ----------
    quiet : bool
        Print neither notes nor progress.
    as_json : bool
        Print tables as JSON.
    notes : list of str
        The notes so far.
    """

    quiet: bool = False
    as_json: bool = False
    notes: list[str] = field(default_factory=list)

    @property
    def is_watched(self) -> bool:
        """Whether progress is shown: the standard error is a terminal, and not quiet."""
        return sys.stderr.isatty() and not self.quiet

    def open_file(self, path: Path) -> AbstractContextManager[BinaryIO]:
        """Open a file, with a progress bar until it is read."""
        if not self.is_watched:
            return path.open("rb")
        terminal = Terminal(stderr=True)
        label = f"reading {plain(path.name)}"
        return open_with_progress(path, "rb", console=terminal, description=label, transient=True)

    def note(self, text: str) -> None:
        """Print a note to the standard error, once."""
        if text in self.notes:
            return
        self.notes.append(text)
        if not self.quiet:
            print(f"note: {plain(text)}", file=sys.stderr)

    @contextmanager
    def working(
        self, text: str, data: Data | None = None, *, has_bar: bool = False
    ) -> Iterator[None]:
        """Show a spinner, unless the work has a progress bar; print warnings as notes, with the names of columns."""
        names = [] if data is None else data.names
        with named_columns(names), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", ThresherWarning)
            if self.is_watched and not has_bar:
                with Terminal(stderr=True).status(text) as status, _showing_log(status):
                    yield
            else:
                yield
        for warning in caught:
            self.note(as_options(str(warning.message)))

    def table(self, rows: Sequence[Values], *titles: str) -> None:
        """Print rows as a table below its titles, or as JSON."""
        if self.as_json:
            print_json(rows)
            return
        for title in filter(None, titles):
            print(plain(title))
        table = Table(box=None)
        columns = list(rows[0]) if rows else []
        for name in columns:
            value = rows[0][name]
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            justify: JustifyMethod = "right" if is_number else "left"
            table.add_column(Text(name), justify=justify, overflow="fold", no_wrap=is_number)
        for row in rows:
            table.add_row(*(Text(_cell(row[name])) for name in columns))
        width = None if sys.stdout.isatty() else 160
        _Screen(width=width).print(table)

    def catalogue(self, rows: Sequence[Values], name: str, about: str) -> None:
        """Print rows as a table, or as paragraphs on a narrow terminal."""
        width = Terminal().width
        if self.as_json or not sys.stdout.isatty() or width >= WIDE:
            self.table(rows)
            return
        fill = partial(textwrap.fill, width=width, initial_indent="    ", subsequent_indent="    ")
        for row in rows:
            facts = [f"{key}: {_cell(row[key])}" for key in row if key not in (name, about)]
            print(f"{plain(row[name])}\n{fill(plain(row[about]))}\n{fill('; '.join(facts))}")


class _Screen(Terminal):
    """The standard output; raises BrokenPipeError instead of exiting when the reader closes it."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def print_json(value: object) -> None:
    """Print a value as JSON, with null for nan and infinities."""
    print(json.dumps(as_plain(value), ensure_ascii=True, indent=1))


def as_plain(value: object) -> Json:
    """Return a value with types of JSON only; nan and infinities become None."""
    if isinstance(value, Mapping):
        return {str(key): as_plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return as_plain(value.tolist())
    if isinstance(value, list | tuple):
        return [as_plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def _cell(value: object) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else plain(value)


@contextmanager
def _showing_log(status: Status) -> Iterator[None]:
    """Show each message that the package logs."""

    class StatusHandler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            status.update(Text(plain(record.getMessage()), no_wrap=True, overflow="ellipsis"))

    log = logging.getLogger("thresher")
    handler, level = StatusHandler(), log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(level)


# The beginning of text that a spreadsheet executes as a formula. The last four are full-width forms of the first.
FORMULA = re.compile(r"[\s\x00-\x1f]*[=+\-@\uff1d\uff0b\uff0d\uff20]")


def check_output(path: Path | None, force: bool, suffixes: tuple[str, ...]) -> None:
    """Reject a file that cannot be written, before any work is done."""
    if path is None:
        return
    if path.suffix.lower() not in suffixes:
        endings = " or ".join(", ".join(suffixes).rsplit(", ", 1))
        raise BadInput(f"{path}: the name must end in {endings}")
    if path.is_dir():
        raise BadInput(f"{path} is a folder. Pass a file in it")
    if path.exists() and not force:
        raise BadInput(f"{path} exists. Use --force to overwrite it, or another name")
    folder = path.parent
    if not folder.is_dir():
        raise BadInput(f"{path} cannot be written: there is no folder {folder}")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise BadInput(f"{path} cannot be written: no permission for the folder {folder}")


def encode_table(path: Path, table: pa.Table) -> bytes:
    """Return an Arrow table as CSV or Parquet, by the name of the file."""
    from pyarrow import csv, parquet

    buffer = io.BytesIO()
    if path.suffix.lower() == ".csv":
        csv.write_csv(_without_formulas(table), buffer)
    else:
        parquet.write_table(table, buffer)
    return buffer.getvalue()


def _without_formulas(table: pa.Table) -> pa.Table:
    """Return the Arrow table with an apostrophe before each name and text that a spreadsheet would execute."""
    import pyarrow as pa

    for i, column in enumerate(table.schema):
        if pa.types.is_string(column.type):
            text = [_as_text(value) for value in table.column(i).to_pylist()]
            table = table.set_column(i, column, pa.array(text, column.type))
    return table.rename_columns([_as_text(name) for name in table.column_names])


def _as_text(value: str | None) -> str | None:
    return f"'{value}" if value is not None and FORMULA.match(value) else value


def write_all(
    contents: Mapping[Path, bytes], force: bool, show: Callable[[], None] | None = None
) -> None:
    """Write all files, or none, and show the result.

    The files are complete under temporary names before the result is shown, and are renamed afterwards. So a result
    that cannot be shown is not written either. A reader that closes the standard output early causes no error.
    """
    with writing(contents, overwrite=force):
        if show is not None:
            with ignoring_closed_pipe():
                show()
                sys.stdout.flush()

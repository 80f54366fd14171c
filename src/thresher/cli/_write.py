"""Files written whole or not at all, and never over another without leave."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from thresher._utils.journal import writing
from thresher.cli._errors import BadInput, unless_unread

# The beginning of text that a spreadsheet takes as a formula; the last four are the full-width forms of the first.
FORMULA = re.compile(r"[\s\x00-\x1f]*[=+\-@\uff1d\uff0b\uff0d\uff20]")


def check_output(path: Path | None, force: bool, suffixes: tuple[str, ...]) -> None:
    """Refuse, before any work is done, a file that could not be written at its end."""
    if path is None:
        return
    if path.suffix.lower() not in suffixes:
        raise BadInput(f"{path}: the name must end in {_either(suffixes)}")
    if path.is_dir():
        raise BadInput(f"{path} is a folder; name a file in it")
    if path.exists() and not force:
        raise BadInput(f"{path} exists already; give --force to write over it, or another name")
    folder = path.parent
    if not folder.is_dir():
        raise BadInput(f"{path} cannot be written: there is no folder {folder}")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise BadInput(f"{path} cannot be written: the folder {folder} takes no new files from you")


def encode_table(path: Path, table: Any) -> bytes:
    """Encode an Arrow table as CSV or Parquet, by the name of the file."""
    from pyarrow import csv, parquet

    buffer = io.BytesIO()
    if path.suffix.lower() == ".csv":
        csv.write_csv(_without_formulas(table), buffer)
    else:
        parquet.write_table(table, buffer)
    return buffer.getvalue()


def _without_formulas(table: Any) -> Any:
    """Return the Arrow table with an apostrophe before each name and text that a spreadsheet would execute."""
    import pyarrow as pa

    for i, field in enumerate(table.schema):
        if pa.types.is_string(field.type):
            text = [_as_text(value) for value in table.column(i).to_pylist()]
            table = table.set_column(i, field, pa.array(text, field.type))
    return table.rename_columns([_as_text(name) for name in table.column_names])


def _as_text(value: str | None) -> str | None:
    return f"'{value}" if value is not None and FORMULA.match(value) else value


def write_all(
    contents: Mapping[Path, bytes], force: bool, show: Callable[[], None] | None = None
) -> None:
    """Write all of these files, or none; show the result in between.

    Each is complete under another name before the result is shown, and that before the first gets its own: what
    cannot be shown is not written either. Whoever stops reading what is shown has seen enough of it.
    """
    with writing(contents, overwrite=force):
        if show is not None:
            with unless_unread():
                show()
                sys.stdout.flush()


def _either(suffixes: tuple[str, ...]) -> str:
    return " or ".join([", ".join(suffixes[:-1]), suffixes[-1]] if suffixes[1:] else suffixes)

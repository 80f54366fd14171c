"""Files that are larger than the memory that may be used: opened, and read column by column."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from thresher._checks import readable
from thresher.cli._errors import BadInput
from thresher.cli._show import Voice
from thresher.sources import COMPRESSED, FileColumns, Scratch, open_files, resolve_memory_limit

_TABLES = (".parquet", ".arrow", ".feather", ".csv", ".tsv", ".txt")
# How much larger compressed text may become.
_EXPANSION = 4


def open_large(path: Path, memory: str | None, voice: Voice) -> FileColumns | None:
    """The file, opened, if it holds more than the memory; None if it does not, or is of a kind that is read whole."""
    try:
        limit = resolve_memory_limit(memory)
    except ValueError as error:
        raise BadInput(str(error).replace("memory_limit", "--memory")) from None
    suffix = Path(path.stem).suffix if path.suffix.lower() in COMPRESSED else path.suffix
    if suffix.lower() not in _TABLES or _size(path) <= limit:
        return None
    voice.note(f"{path.name} is larger than the memory to be used, and is read column by column")
    with voice.working(f"opening {path.name}"):
        return open_files(path, Scratch(memory_limit=limit))


def _size(path: Path) -> int:
    """Bytes that a table takes in memory, about."""
    import pyarrow as pa
    from pyarrow import parquet

    if path.suffix.lower() == ".parquet":
        try:
            metadata = parquet.read_metadata(path)
        except (pa.ArrowInvalid, OSError):
            return 0  # whoever reads it tells what is wrong
        return int(metadata.num_rows * metadata.num_columns * 8)
    compressed = path.suffix.lower() in COMPRESSED
    return path.stat().st_size * (_EXPANSION if compressed else 1)


def informative(path: Path, files: FileColumns, voice: Voice) -> FileColumns:
    """The files without text that tells nothing; a column without any value is refused."""
    useless = set()
    for name, kind in files.kinds.items():
        column: Any = files.column(name) if kind == "text" else None
        if kind == "null" or (column is not None and column.null_count == files.n_rows):
            raise BadInput(no_values(path, name))
        if column is not None and is_identifier(column):
            useless.add(name)
            voice.note(left_out(name))
    return files.without(useless)


def no_values(path: Path, name: str) -> str:
    """What is said of an empty column."""
    return f"{path}: column {readable(name)} holds nothing but missing values; drop it, or give --exclude"


def left_out(name: str) -> str:
    """What is said of an identifier."""
    return f"column {readable(name)} has another text in every row, which tells nothing of other rows: it is left out"


def is_identifier(column: Any) -> bool:
    """Whether a column of text has another one in every row."""
    import pyarrow.compute as pc

    return len(column) > 1 and pc.count_distinct(column).as_py() == len(column)

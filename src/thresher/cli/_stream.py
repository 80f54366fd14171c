"""Files that are larger than the memory that may be used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from thresher._checks import readable
from thresher.cli._errors import BadInput
from thresher.cli._show import Voice
from thresher.io.file_columns import FileColumns
from thresher.io.formats import size_in_memory
from thresher.io.mapped_sparse import SparseColumns
from thresher.io.temporary import Scratch, resolve_memory_limit, total_memory

# What reads a table whole has it and a copy of it, such as the rows of a fold.
_COPIES = 2


def place_for(path: Path, memory: str | None, may_stay: bool, voice: Voice) -> Scratch | None:
    """Where rows go that are more than the memory: None, if they are not, for memory.

    What has to be read whole is refused if it cannot fit.
    """
    limit = resolve_memory_limit(memory, "--memory")
    size = size_in_memory(path)
    if size <= limit:
        return None
    if may_stay:
        voice.note(f"{path.name} is larger than the memory to be used, and is not read into it")
        return Scratch(memory_limit=limit)
    if _COPIES * size > total_memory():
        raise BadInput(
            f"{path} takes about {size / 1e9:.3g} GB as a table, which with a copy is more than the "
            f"{total_memory() / 1e9:.3g} GB of memory, and is read whole here; give --sample N, of so many rows, "
            "or a file of fewer columns"
        )
    return None


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


def check_entries(path: Path, X: SparseColumns, names: list[str]) -> None:
    """Refuse a column of a sparse matrix without any value."""
    done = 0
    for slab in X.slabs():
        place = column_without_values(slab)
        if place is not None:
            raise BadInput(no_values(path, names[done + place]))
        done += slab.shape[1]


def column_without_values(X: Any) -> int | None:
    """The first column of a sparse matrix that has none, if there is one."""
    if X.dtype.kind != "f" or not np.isnan(X.data).any():
        return None
    columns = X.tocsc()
    without = np.repeat(np.arange(X.shape[1]), np.diff(columns.indptr))[np.isnan(columns.data)]
    is_empty = np.bincount(without, minlength=X.shape[1]) == X.shape[0]
    return int(np.argmax(is_empty)) if is_empty.any() else None


def no_values(path: Path, name: str) -> str:
    """What is said of an empty column."""
    return f"{path}: column {readable(name)} holds nothing but missing values; drop it, or give --exclude"


def left_out(name: str) -> str:
    """What is said of an identifier."""
    return f"column {readable(name)} has another text in every row, which tells nothing of other rows: it is left out"


def is_identifier(column: Any) -> bool:
    """Whether a column is text, and another one in every row."""
    import pyarrow as pa
    import pyarrow.compute as pc

    is_text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    return is_text and len(column) > 1 and pc.count_distinct(column).as_py() == len(column)

"""Files that are larger than the memory that may be used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from thresher._utils.checks import readable
from thresher.cli._errors import BadInput
from thresher.cli._show import Voice
from thresher.io import size_in_memory
from thresher.io.mapped_sparse import SparseColumns
from thresher.io.table import TableSource
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


def informative(path: Path, content: TableSource, voice: Voice) -> TableSource:
    """The table without text that tells nothing; a column without any value is refused.

    Of columns that are not in memory, only those of text are read.
    """
    useful = []
    kinds = getattr(content.columns, "kinds", {})
    for name in content.names:
        kind = kinds.get(name, "text")
        column: Any = content.columns.column(name) if kind == "text" else None
        if kind == "null" or (column is not None and column.null_count == content.shape[0]):
            raise BadInput(no_values(path, name))
        if column is not None and is_identifier(column):
            voice.note(left_out(name))
        else:
            useful.append(name)
    return content.select(useful)


def check_values(path: Path, X: Any, names: list[str]) -> None:
    """Refuse a column of a matrix without any value."""
    done = 0
    for columns in X.slabs() if isinstance(X, SparseColumns) else [X]:
        is_empty = _without_values(columns)
        if is_empty.any():
            raise BadInput(no_values(path, names[done + int(np.argmax(is_empty))]))
        done += columns.shape[1]


def _without_values(X: Any) -> Any:
    """Which columns of a matrix hold nothing but missing values."""
    if isinstance(X, np.ndarray):
        return np.isnan(X).all(axis=0)
    is_missing = np.isnan(X.data)
    if not is_missing.any():
        return is_missing
    columns = X.tocsc()
    of_entries = np.repeat(np.arange(X.shape[1]), np.diff(columns.indptr))
    missing = of_entries[np.isnan(columns.data)]
    return np.bincount(missing, minlength=X.shape[1]) == X.shape[0]


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

"""Tables in files: which files they are, and which columns they have."""

from __future__ import annotations

import difflib
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw

from thresher._checks import readable
from thresher.io.arrow import ArrowPart, DatasetPart, ParquetPart, Part, text_parts
from thresher.io.arrow_data import reading, validated
from thresher.io.temporary import LARGEST_BLOCK, Scratch
from thresher.io.text import COMPRESSED

_PARQUET = (".parquet", ".pq", ".parq")
_ARROW = (".feather", ".arrow", ".ipc", ".arrows")
_TEXT = (".csv", ".tsv", ".txt")
_KINDS = "Parquet (.parquet), Feather or Arrow (.feather, .arrow) or text (.csv, .tsv)"
# Files that stay open while they are read again and again.
MOST_OPEN = 64
# What the types of a column in several files must share.
_WORDS = {"number": "a number", "truth": "a truth value", "text": "text"}


def is_files(X: Any) -> bool:
    """Whether X is a path, a dataset of pyarrow or what `open_files` made of them; nothing is imported to find out."""
    module = type(X).__module__
    return isinstance(X, str | os.PathLike | FileColumns) or module.startswith("pyarrow._dataset")


@dataclass(frozen=True)
class FileColumns:
    """The columns of some files with the same columns, one below the other.

    Attributes
    ----------
    parts : sequence of Part
    kinds : dict of str to str
        What each column holds: "number", "truth", "decimal", "text", "null", or the name of a type that is none of
        them.
    types : dict of str to set
        The types that each column has in the files.
    n_rows : int
    """

    parts: Sequence[Part]
    kinds: dict[str, str]
    types: dict[str, set[Any]]
    n_rows: int

    def read(self, columns: list[str], use_threads: bool = False) -> Iterator[Any]:
        """Yield checked tables or batches with these columns, which have all rows together."""
        for part in self.parts:
            n_rows = 0
            for piece in validated(part.name, part.read(columns, use_threads)):
                n_rows += piece.num_rows
                yield piece
            if n_rows != part.n_rows:
                raise ValueError(
                    f"{part.name} cannot be read: its columns have {n_rows} rows, not {part.n_rows}"
                )

    @property
    def shape(self) -> tuple[int, int]:
        return self.n_rows, len(self.kinds)

    def table(self, columns: list[str]) -> Any:
        """Some columns, whole."""
        import pyarrow as pa

        tables = [
            pa.table({name: piece.column(name) for name in columns})
            for piece in self.read(columns)
            if piece.num_rows
        ]
        return pa.concat_tables(tables, promote_options="permissive")

    def column(self, name: str) -> Any:
        """One column, whole."""
        return self.table([name]).column(name)

    def rows(self, rows: Any) -> Any:
        """Some rows of all columns, in memory; of these some are read at a time."""
        import pyarrow as pa

        names = list(self.kinds)
        together = max(1, LARGEST_BLOCK // (16 * self.n_rows))
        found: dict[str, Any] = {}
        for first in range(0, len(names), together):
            table = self.table(names[first : first + together]).take(rows)
            found.update(zip(table.column_names, table.columns, strict=True))
        return pa.table(found)

    def without(self, columns: set[str]) -> FileColumns:
        """The same files, with some columns not looked at."""
        kinds = {name: kind for name, kind in self.kinds.items() if name not in columns}
        return replace(self, kinds=kinds)


def open_files(X: Any, scratch: Scratch | None) -> FileColumns:
    """What a path or a dataset of pyarrow holds; one sentence where that cannot be read.

    Text is parsed into the scratch; without one it is refused.
    """
    if isinstance(X, FileColumns):
        return X
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise ImportError(
            "tables in files are read with pyarrow, which is not installed; install it with: "
            "pip install 'thresher[arrow]'"
        ) from error
    is_path = isinstance(X, str | os.PathLike)
    with reading(str(X) if is_path else "the dataset"):
        return columns_of(_parts_of_path(Path(X), scratch) if is_path else _parts_of(X))


def columns_of(parts: Sequence[Part]) -> FileColumns:
    """The columns of parts, which must be the same."""
    import pyarrow as pa

    for part in parts:
        name, count = Counter(part.schema.names).most_common(1)[0] if len(part.schema) else ("", 0)
        if count > 1:
            raise ValueError(f"{part.name} has more than one column named {name!r}; rename them")
    first, *others = (
        dict(zip(part.schema.names, part.schema.types, strict=True)) for part in parts
    )
    kinds: dict[str, str] = {}
    for place, (name, kind) in enumerate(first.items()):
        # What pandas keeps of its index is no feature; nor are names of rows, which have no name themselves.
        if not re.fullmatch(r"__index_level_\d+__", name) and (place > 0 or name != ""):
            kinds[name] = _kind_of(kind, pa)
    types = {name: {kind} for name, kind in first.items()}
    for part, more in zip(parts[1:], others, strict=True):
        _join(kinds, (parts[0].name, first), (part.name, more), pa)
        for name, kind in more.items():
            types[name].add(kind)
    return FileColumns(parts, kinds, types, sum(part.n_rows for part in parts))


def _join(
    kinds: dict[str, str],
    first: tuple[str, dict[str, Any]],
    part: tuple[str, dict[str, Any]],
    pa: Any,
) -> None:
    """Bring the kinds of columns up to another part, which must have the same columns."""
    for (one, has), (other, lacks) in ((first, part), (part, first)):
        missing = [name for name in has if name not in lacks]
        if missing:
            raise ValueError(
                f"the files of X differ in their columns: {one} has {readable(missing[0])!r}, {other} "
                "has not; give files with the same columns"
            )
    for name, known in kinds.items():
        kind = _kind_of(part[1][name], pa)
        if known == "null":
            kinds[name] = kind
        elif kind not in ("null", known):
            if {kind, known} == {"number", "decimal"}:
                kinds[name] = "decimal"
                continue
            a, b = (_WORDS.get(k, f"of the type {k}") for k in (known, kind))
            raise ValueError(
                f"column {readable(name)!r} is {a} in {first[0]} and {b} in {part[0]}; make it the same in all files"
            )


def _kind_of(kind: Any, pa: Any) -> str:
    types = pa.types
    if types.is_integer(kind) or types.is_floating(kind):
        return "number"
    if types.is_boolean(kind):
        return "truth"
    if types.is_dictionary(kind) or types.is_string(kind) or types.is_large_string(kind):
        return "text"
    if types.is_decimal(kind):
        return "decimal"
    if types.is_null(kind):
        return "null"
    column = nw.from_native(pa.schema([("column", kind)]).empty_table()).schema["column"]
    return "text" if column == nw.String else str(column)


def _parts_of(dataset: Any) -> list[Part]:
    """The files of a dataset, where it is nothing but Parquet files."""
    is_plain = type(dataset).__name__ == "FileSystemDataset" and not dataset._scan_options
    if is_plain and type(dataset.format).__name__ == "ParquetFileFormat" and dataset.files:
        few = len(dataset.files) <= MOST_OPEN
        parts: list[Part] = [ParquetPart(name, dataset.filesystem, few) for name in dataset.files]
        if all(part.schema.equals(dataset.schema) for part in parts):
            return parts
    return [DatasetPart(dataset)]


def _parts_of_path(path: Path, scratch: Scratch | None) -> list[Part]:
    if not path.exists():
        there = next(folder for folder in path.absolute().parents if folder.is_dir())
        lost, *rest = path.absolute().relative_to(there).parts
        near = difflib.get_close_matches(lost, os.listdir(there), n=1)
        hint = f"; did you mean {str(there.joinpath(near[0], *rest))!r}?" if near else ""
        raise FileNotFoundError(f"X names {str(path)!r}, and there is no such file or folder{hint}")
    if path.is_file():
        return _parts_of_file(path, scratch)
    files = sorted(file for file in path.rglob("*") if file.is_file() and _is_seen(file, path))
    if not files:
        raise ValueError(f"X names the folder {str(path)!r}, which holds no files")
    kinds = {_format(file) for file in files}
    if len(kinds) > 1:
        raise ValueError(
            f"the folder {str(path)!r} holds files of several kinds ({', '.join(sorted(kinds))}); give one kind"
        )
    if any("=" in folder for file in files for folder in file.relative_to(path).parts[:-1]):
        return [DatasetPart(_partitioned(path, kinds.pop()))]
    few = len(files) <= MOST_OPEN
    return [part for file in files for part in _parts_of_file(file, scratch, few)]


def _is_seen(file: Path, folder: Path) -> bool:
    """Names that begin with a point or an underscore are notes of those who wrote the files."""
    return not any(name.startswith((".", "_")) for name in file.relative_to(folder).parts)


def _partitioned(path: Path, kind: str) -> Any:
    from pyarrow import dataset

    formats = {"parquet": "parquet", "arrow": "ipc", "text": "csv"}
    return dataset.dataset(path, format=formats[kind], partitioning="hive")


def _format(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix in COMPRESSED:
        suffix = Path(path.stem).suffix.lower()
    for kind, suffixes in (("parquet", _PARQUET), ("arrow", _ARROW), ("text", _TEXT)):
        if suffix in suffixes:
            return kind
    with path.open("rb") as file:
        begin = file.read(6)
    if begin[:4] == b"PAR1" or begin == b"ARROW1":
        return "parquet" if begin[:4] == b"PAR1" else "arrow"
    raise ValueError(f"X names {str(path)!r}, which is no table that can be read; give {_KINDS}")


def _parts_of_file(path: Path, scratch: Scratch | None, stays_open: bool = True) -> list[Part]:
    kind = _format(path)
    if kind == "text":
        if scratch is None:
            raise ValueError(
                f"X names {str(path)!r}, which is text, and client reads Parquet files only; write it as Parquet, or "
                "give the frame that client reads from it"
            )
        return text_parts(path, scratch)
    with reading(str(path)):
        if kind == "arrow":
            return [ArrowPart(str(path))]
        return [ParquetPart(str(path), stays_open=stays_open)]

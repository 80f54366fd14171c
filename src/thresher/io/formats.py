"""Files of every kind as a table of columns or a matrix with what lies beside it, in memory or not."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from thresher._checks import readable
from thresher.io.arff import read_arff, read_svmlight
from thresher.io.arrow import parsed_blocks
from thresher.io.arrow_data import open_arrow, reading
from thresher.io.errors import BadFile
from thresher.io.file_columns import open_files
from thresher.io.matlab import read_matlab, size_of_matlab
from thresher.io.numpy_files import read_h5ad, read_numpy, size_of_h5ad, size_of_numpy
from thresher.io.table import Content, Opener, Reader
from thresher.io.temporary import LARGEST_BLOCK, Scratch
from thresher.io.text import COMPRESSED, decompressed, dialect_of, parsing

# How much larger compressed text may become.
_EXPANSION = 4


def _read_files(path: Path, scratch: Scratch) -> Content:
    """A table that is read by columns."""
    files = open_files(path, scratch)
    return Content(files, list(files.kinds))


def _read_text(path: Path, open_file: Opener, scratch: Scratch | None) -> Content:
    """CSV and TSV, in blocks, by as many threads as there are."""
    if scratch is not None:
        return _read_files(path, scratch)
    import pyarrow as pa
    from pyarrow import csv

    try:
        separator, decimal = dialect_of(path)
    except (OSError, ValueError) as error:
        raise BadFile(f"{path} cannot be read: {error}") from None

    with reading(str(path)):
        try:
            with open_file(path) as file:
                table = csv.read_csv(
                    decompressed(file, path.suffix),
                    read_options=csv.ReadOptions(block_size=LARGEST_BLOCK),
                    **parsing(separator, decimal),
                )
            names = table.column_names
        except UnicodeDecodeError:
            raise BadFile(
                f"{path}: the names of the columns are not UTF-8 text; convert it"
            ) from None
        except pa.ArrowInvalid:
            for _ in parsed_blocks(path, LARGEST_BLOCK):
                pass  # a block that cannot be parsed is named with its row
            raise
    for name, kind in zip(names, table.schema.types, strict=True):
        if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
            raise BadFile(f"{path}: column {readable(name)} is not UTF-8 text; convert the file")
    notes: tuple[str, ...] = (
        () if separator in ",\t" else (f"columns are separated by {separator!r}",)
    )
    if decimal == ",":
        notes += ("numbers are written with a decimal comma",)
    if len(names) > 1 and names[0] == "":
        table, names = table.remove_column(0), names[1:]
        notes += ("the first column has no name and is taken for names of rows, not for a feature",)
    return Content(table, names, notes=notes)


def _read_arrow(path: Path, open_file: Opener, scratch: Scratch | None) -> Content:
    if scratch is not None:
        return _read_files(path, scratch)
    import pyarrow as pa
    from pyarrow import parquet

    with reading(str(path)):
        if ".parquet" in _endings(path):
            with open_file(path) as file:
                table = parquet.read_table(pa.PythonFile(file, mode="r"))
        else:
            with pa.memory_map(str(path)) as source:
                table = open_arrow(str(path), source).read_all()
        table.validate(full=True)
        # What pandas keeps of its index is no feature.
        index = [n for n in table.column_names if re.fullmatch(r"__index_level_\d+__", n)]
    return Content(table.drop_columns(index), [n for n in table.column_names if n not in index])


def _size_of_parquet(path: Path) -> int:
    from pyarrow import parquet

    metadata = parquet.read_metadata(path)
    return int(metadata.num_rows * metadata.num_columns * 8)


def _size_of_text(path: Path) -> int:
    is_compressed = path.suffix.lower() in COMPRESSED
    return path.stat().st_size * (_EXPANSION if is_compressed else 1)


@dataclass(frozen=True)
class Kind:
    """How a kind of file is read, and what its table takes of memory, about."""

    read: Reader
    size: Callable[[Path], int] = _size_of_text
    may_be_compressed: bool = False


_TEXT = Kind(_read_text, may_be_compressed=True)
_ARROW = Kind(_read_arrow)
_SVMLIGHT = Kind(read_svmlight, may_be_compressed=True)
KINDS = {
    ".csv": _TEXT,
    ".tsv": _TEXT,
    ".txt": _TEXT,
    ".parquet": Kind(_read_arrow, _size_of_parquet),
    ".arrow": _ARROW,
    ".feather": _ARROW,
    ".npz": Kind(read_numpy, size_of_numpy),
    ".mat": Kind(read_matlab, size_of_matlab),
    ".arff": Kind(read_arff),
    ".svm": _SVMLIGHT,
    ".svmlight": _SVMLIGHT,
    ".libsvm": _SVMLIGHT,
    ".h5ad": Kind(read_h5ad, size_of_h5ad),
}


def _endings(path: Path) -> list[str]:
    return [suffix.lower() for suffix in path.suffixes]


def kind_of(path: Path) -> Kind:
    """The kind of file by the ending of its name."""
    suffix = path.suffix.lower()
    is_compressed = suffix in COMPRESSED and len(path.suffixes) > 1
    if is_compressed:
        suffix = path.suffixes[-2].lower()
    if suffix not in KINDS and not is_compressed:
        raise BadFile(f"{path}: the name must end in one of {', '.join(KINDS)}")
    if is_compressed and (suffix not in KINDS or not KINDS[suffix].may_be_compressed):
        raise BadFile(f"{path}: only text may be compressed; unpack it first")
    return KINDS[suffix]


def size_in_memory(path: Path) -> int:
    """Bytes that the table takes in memory, about; 0 for what cannot be read, of which its reader tells."""
    with suppress(Exception):  # whatever the parsers of headers meet
        return kind_of(path).size(path)
    return 0

"""What is common to all who read tables from text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from thresher._checks import first_line
from thresher.io.temporary import LARGEST_BLOCK

NULLS = ["", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL", "None", "?"]
# Bytes of text that tell how it is written.
_HEAD = 1 << 20
_WITH_COMMA = re.compile(rb"[+-]?\d+,(\d+)(?:[eE][+-]?\d+)?")
_WITH_POINT = re.compile(rb"[+-]?\d*\.\d+(?:[eE][+-]?\d+)?")
_SEPARATORS = (",", ";", "\t", "|")
# Bytes of a row that is not UTF-8 would be an error where pyarrow reports the row.
_ASCII = bytes(range(128)) + b"?" * 128
COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}


def separator_of(head: bytes) -> str:
    """The mark that is most frequent in the first line; UTF-16 is refused."""
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise ValueError("it is not UTF-8 text but UTF-16; convert it")
    first = head.split(b"\n", 1)[0]
    return max(_SEPARATORS, key=lambda mark: first.count(mark.encode()))


def decompressed(file: Any, suffix: str) -> Any:
    """A binary stream of what the file holds, by the last part of its name."""
    kind = COMPRESSED.get(suffix.lower())
    if kind is None:
        return file
    import pyarrow as pa

    return pa.CompressedInputStream(pa.PythonFile(file, mode="r"), kind)


def dialect_of(path: Path) -> tuple[str, str]:
    """What separates the columns of a text file, and the decimal mark of its numbers."""
    with path.open("rb") as file:
        head = decompressed(file, path.suffix).read(_HEAD)
    if not head.strip(b"\r\n"):
        raise ValueError("it is empty")
    is_by_tabs = ".tsv" in [suffix.lower() for suffix in path.suffixes]
    separator = "\t" if is_by_tabs else separator_of(head)
    return separator, decimal_of(head, separator)


def decimal_of(head: bytes, separator: str) -> str:
    """A comma, if numbers are written with it in the first lines; three digits after it may be thousands."""
    if separator == "," or b"," not in head:
        return "."
    lines = head.splitlines()[1:]
    fields = [field.strip(b' "') for line in lines for field in line.split(separator.encode())]
    fractions = [found[1] for field in fields if (found := _WITH_COMMA.fullmatch(field))]
    is_mark = any(len(digits) != 3 for digits in fractions)
    return "," if is_mark and not any(map(_WITH_POINT.fullmatch, fields)) else "."


def parsing(separator: str, decimal: str) -> dict[str, Any]:
    """How text is parsed and which words stand for missing values, as arguments of pyarrow's readers."""
    from pyarrow import csv

    return {
        "parse_options": csv.ParseOptions(delimiter=separator, newlines_in_values=True),
        "convert_options": csv.ConvertOptions(
            strings_can_be_null=True, null_values=NULLS, decimal_point=decimal
        ),
    }


def why_unparsed(
    error: Exception, block: bytes, separator: str, names: list[str] | None, rows_before: int
) -> str:
    """Return why text cannot be read; the block comes after that many rows, and has a header if there are no names."""
    import pyarrow as pa
    from pyarrow import csv

    ragged: list[Any] = []

    def note(row: Any) -> str:
        ragged.append(row)
        return "error"

    with suppress(pa.ArrowInvalid):
        csv.read_csv(
            pa.py_buffer(block.translate(_ASCII)),
            read_options=csv.ReadOptions(
                column_names=names, block_size=len(block) + 1, use_threads=False
            ),
            parse_options=csv.ParseOptions(
                delimiter=separator, newlines_in_values=True, invalid_row_handler=note
            ),
        )
    if not ragged:
        return first_line(error)
    row = ragged[0]
    return (
        f"row {rows_before + row.number} has {row.actual_columns} values, but the header {row.expected_columns}; "
        "mend the row or the separators"
    )


def whole_rows(stream: BinaryIO, size: int) -> Iterator[bytes]:
    """Blocks of text that end where a row ends; a line may end inside quotes."""
    rest = stream.read(size)
    while rest:
        more = stream.read(size)
        end = len(rest) if not more else _last_row_end(rest)
        if end == 0:
            if len(rest) > LARGEST_BLOCK:
                most = LARGEST_BLOCK >> 20
                raise ValueError(
                    f"a row is longer than {most} MB; is it text with one row per line?"
                )
            rest += more
            continue
        yield rest[:end]
        rest = rest[end:] + more


def _last_row_end(block: bytes) -> int:
    end = len(block)
    while (end := block.rfind(b"\n", 0, end)) >= 0:
        if block.count(b'"', 0, end) % 2 == 0:
            return end + 1
    return 0

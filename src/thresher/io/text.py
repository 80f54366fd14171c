"""Text files with separated columns: CSV and TSV."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
from pyarrow import csv

from thresher._utils.checks import first_line
from thresher._utils.types import Values
from thresher.io import COMPRESSED, BadFile, check_names, open_binary
from thresher.io.table import Opener, Part, TableSource, column_kind, join_parts, reading
from thresher.io.temporary import LARGEST_BLOCK, TemporaryStore
from thresher.io.temporary_parts import TableBlock, write_tables

NULLS = ["", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL", "None", "?"]
# Size of decompressed text, as a multiple of the compressed size.
_EXPANSION = 4
# Bytes of text from which separator and decimal mark are derived.
_HEAD = 1 << 20
_WITH_COMMA = re.compile(rb"[+-]?\d+,(\d+)(?:[eE][+-]?\d+)?")
_WITH_POINT = re.compile(rb"[+-]?\d*\.\d+(?:[eE][+-]?\d+)?")
_SEPARATORS = (",", ";", "\t", "|")
# Translates bytes outside ASCII to "?", as they would be an error when pyarrow reports the row.
_ASCII = bytes(range(128)) + b"?" * 128


def find_separator(head: bytes) -> str:
    """Return the separator that is most frequent in the first line; raise ValueError for UTF-16."""
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise ValueError("it is UTF-16 text. Convert it to UTF-8")
    first = head.split(b"\n", 1)[0]
    return max(_SEPARATORS, key=lambda mark: first.count(mark.encode()))


def decompress(file: BinaryIO, suffix: str) -> BinaryIO | pa.NativeFile:
    """Return a binary stream of the decompressed file; `suffix` is the last part of its name."""
    kind = COMPRESSED.get(suffix.lower())
    if kind is None:
        return file
    return pa.CompressedInputStream(pa.PythonFile(file, mode="r"), kind)


def find_dialect(path: Path) -> tuple[str, str]:
    """Return the separator of a text file and the decimal mark of its numbers."""
    with path.open("rb") as file:
        head = decompress(file, path.suffix).read(_HEAD)
    if not head.strip(b"\r\n"):
        raise ValueError("it is empty")
    is_by_tabs = ".tsv" in [suffix.lower() for suffix in path.suffixes]
    separator = "\t" if is_by_tabs else find_separator(head)
    return separator, find_decimal_mark(head, separator)


def find_decimal_mark(head: bytes, separator: str) -> str:
    """Return a comma if numbers have one in the first lines, else a point; three digits after it may be thousands."""
    if separator == "," or b"," not in head:
        return "."
    lines = head.splitlines()[1:]
    fields = [field.strip(b' "') for line in lines for field in line.split(separator.encode())]
    fractions = [match[1] for field in fields if (match := _WITH_COMMA.fullmatch(field))]
    is_mark = any(len(digits) != 3 for digits in fractions)
    return "," if is_mark and not any(map(_WITH_POINT.fullmatch, fields)) else "."


def parsing_options(separator: str, decimal: str) -> Values:
    """Return the options of pyarrow's reader for text, including the strings for missing values."""
    return {
        "parse_options": csv.ParseOptions(delimiter=separator, newlines_in_values=True),
        "convert_options": csv.ConvertOptions(
            strings_can_be_null=True, null_values=NULLS, decimal_point=decimal
        ),
    }


def _in_one_block(block: bytes, names: list[str] | None, use_threads: bool) -> csv.ReadOptions:
    """Return options for reading all of a block at once, with a header if there are no names."""
    return csv.ReadOptions(column_names=names, block_size=len(block) + 1, use_threads=use_threads)


def explain_parse_error(
    error: Exception, block: bytes, separator: str, names: list[str] | None, rows_before: int
) -> str:
    """Return why a block after `rows_before` rows cannot be read; it has a header if `names` is None."""
    ragged: list[csv.InvalidRow] = []

    def record(row: csv.InvalidRow) -> str:
        ragged.append(row)
        return "error"

    with suppress(pa.ArrowInvalid):
        csv.read_csv(
            pa.py_buffer(block.translate(_ASCII)),
            read_options=_in_one_block(block, names, use_threads=False),
            parse_options=csv.ParseOptions(
                delimiter=separator, newlines_in_values=True, invalid_row_handler=record
            ),
        )
    if not ragged:
        return first_line(error)
    row = ragged[0]
    return (
        f"row {rows_before + row.number} has {row.actual_columns} values, but the header has {row.expected_columns}. "
        "Correct the row or the separators"
    )


def split_rows(stream: BinaryIO, size: int) -> Iterator[bytes]:
    """Yield blocks of whole rows; a line break inside quotes does not end a row."""
    rest = stream.read(size)
    while rest:
        more = stream.read(size)
        end = len(rest) if not more else _last_row_end(rest)
        if end == 0:
            if len(rest) > LARGEST_BLOCK:
                most = LARGEST_BLOCK >> 20
                raise ValueError(f"a row is longer than {most} MB. Write one row per line")
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


def read(path: Path, open_file: Opener, scratch: TemporaryStore | None) -> TableSource:
    """Read a text file in blocks, which stay in memory or in a temporary file."""
    with reading(str(path)):
        parts = read_text_parts(path, scratch, open_file)
        columns = join_parts(parts)
    separator, decimal = find_dialect(path)
    notes = []
    if separator not in ",\t":
        notes.append(f"columns are separated by {separator!r}")
    if decimal == ",":
        notes.append("numbers are written with a decimal comma")
    if parts[0].schema.names[0] == "":
        notes.append("the first column has no name, so it is read as row names, not as a feature")
    return TableSource(columns, notes=tuple(notes))


def size(path: Path) -> int:
    """Return about how many bytes the table takes in memory."""
    return path.stat().st_size * (_EXPANSION if path.suffix.lower() in COMPRESSED else 1)


def read_text_parts(
    path: Path, scratch: TemporaryStore | None, open_file: Opener = open_binary
) -> list[Part]:
    """Return the blocks of a text file, in memory or written to a temporary file that is mapped.

    Types are those of the whole file: a column that is text in some block is text in all.
    """

    def blocks_of(texts: list[str] | None = None) -> list[pa.Table]:
        size = LARGEST_BLOCK if scratch is None else scratch.block_bytes
        return write_tables(
            parse_blocks(path, size, open_file, texts, use_threads=scratch is None), scratch
        )

    tables = blocks_of()
    check_names(path, tables[0].column_names)
    blocks = [TableBlock(f"{path}, block {i}", table) for i, table in enumerate(tables, 1)]
    kinds: dict[str, set[str]] = {}
    for block in blocks:
        for field in block.schema:
            kinds.setdefault(field.name, set()).add(column_kind(field.type))
    mixed = [name for name, types in kinds.items() if len(types - {"null"}) > 1]
    if mixed:
        for block, table in zip(blocks, blocks_of(mixed), strict=True):
            block.add(table)
    return list(blocks)


def parse_blocks(
    path: Path, size: int, open_file: Opener, texts: list[str] | None, use_threads: bool
) -> Iterator[pa.Table]:
    """Yield the tables of blocks of about `size` bytes; with `texts`, only these columns, as text."""
    names: list[str] = []
    rows_before = 0  # the header is a row
    block, is_first, separator = b"", True, ","
    with open_file(path) as file:
        try:
            separator, decimal = find_dialect(path)
            options = parsing_options(separator, decimal)
            if texts is not None:
                options["convert_options"].include_columns = texts
                options["convert_options"].column_types = dict.fromkeys(texts, pa.string())
            for block in split_rows(decompress(file, path.suffix), size):
                is_first, names = not names, names or _read_header(block, options["parse_options"])
                table = csv.read_csv(
                    pa.py_buffer(block),
                    read_options=_in_one_block(block, None if is_first else names, use_threads),
                    **options,
                )
                rows_before += len(table) + is_first
                yield table
        except UnicodeDecodeError:
            raise BadFile(
                f"{path}: the names of the columns are not UTF-8 text. Convert the file"
            ) from None
        except (pa.ArrowInvalid, ValueError) as error:
            reason = explain_parse_error(
                error, block, separator, None if is_first else names, rows_before
            )
            raise ValueError(f"{path} cannot be read: {reason}") from None


def _read_header(block: bytes, parse_options: csv.ParseOptions) -> list[str]:
    """Return the names in the first row."""
    end = block.find(b"\n")
    while end >= 0 and block.count(b'"', 0, end) % 2:
        end = block.find(b"\n", end + 1)
    first = block if end < 0 else block[: end + 1]
    read = csv.read_csv(pa.py_buffer(first), parse_options=parse_options)
    names: list[str] = read.column_names
    return names

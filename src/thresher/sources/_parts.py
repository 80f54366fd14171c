"""Files with some rows each, of which columns can be read: Parquet, Arrow and text."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from thresher.sources._arrow_data import open_arrow, reading, validated
from thresher.sources._scratch import Scratch
from thresher.sources._spool import PIECE, TableBlock, spool_tables
from thresher.sources._text import (
    decompressed,
    dialect_of,
    parsing,
    whole_rows,
    why_unparsed,
)


class Part(Protocol):
    """Some rows, and what their columns are.

    Attributes
    ----------
    name : str
        What messages call it.
    schema : pyarrow.Schema
    n_rows : int
    is_columnar : bool
        Whether few columns at a time take no longer to read than many.
    """

    name: str
    schema: Any
    n_rows: int
    is_columnar: bool

    def read(self, columns: list[str], use_threads: bool) -> Iterator[Any]:
        """Tables or batches of some of the rows each, in order, with these columns."""


class ParquetPart:
    """A Parquet file: its footer is parsed once, and some row groups are read at a time; one column is read whole.

    Of many files each is open only while it is read (`stays_open`).
    """

    is_columnar = True

    def __init__(self, name: str, filesystem: Any = None, stays_open: bool = True) -> None:
        self.name = name
        self.filesystem = filesystem
        self._metadata: Any = None
        file = self._open()
        self._metadata = file.metadata
        self.schema = file.schema_arrow
        self.n_rows = self._metadata.num_rows
        self.n_row_groups = self._metadata.num_row_groups
        self._sizes = [self._metadata.row_group(i).num_rows for i in range(self.n_row_groups)]
        self._places = {name: place for place, name in enumerate(self.schema.names)}
        self._file = file if stays_open else None

    def _open(self) -> Any:
        from pyarrow import parquet

        return parquet.ParquetFile(self.name, metadata=self._metadata, filesystem=self.filesystem)

    def read(self, columns: list[str], use_threads: bool) -> Iterator[Any]:
        import pyarrow as pa

        file = self._open() if self._file is None else self._file
        if len(columns) == 1:
            # The other calls hand every row group to another thread and wait for it, a fifth of their time.
            column = file.reader.read_column(self._places[columns[0]])
            yield pa.Table.from_arrays([column], names=columns)
            return
        groups: list[int] = []
        size = 0
        for group, n_rows in enumerate(self._sizes):
            groups.append(group)
            size += n_rows * len(columns)
            if group == self.n_row_groups - 1 or size >= PIECE:
                yield read_row_groups(file, groups, columns, use_threads)
                groups, size = [], 0


def read_row_groups(
    file: Any, groups: list[int], columns: list[str], use_threads: bool = False
) -> Any:
    """Some columns of some row groups of an open Parquet file."""
    # A name with a point may select more than itself.
    table = file.read_row_groups(groups, columns=columns, use_threads=use_threads)
    return table.select(columns)


class ArrowPart:
    """An Arrow (Feather) file, or a stream of batches, in a file or in a buffer."""

    is_columnar = True

    def __init__(self, name: str, buffer: Any = None) -> None:
        self.name = name
        self._buffer = buffer
        with self._open(None) as reader:
            self.schema = reader.schema
        first = self.schema.names[:1]
        self.n_rows = sum(batch.num_rows for batch in self.read(first, False)) if first else 0

    def _open(self, fields: list[int] | None, use_threads: bool = False) -> Any:
        import pyarrow as pa

        source = pa.memory_map(self.name) if self._buffer is None else pa.BufferReader(self._buffer)
        return open_arrow(self.name, source, included_fields=fields, use_threads=use_threads)

    def read(self, columns: list[str], use_threads: bool) -> Iterator[Any]:
        fields = [self.schema.get_field_index(name) for name in columns]
        with self._open(fields, use_threads) as reader:
            yield from (batch.select(columns) for batch in _batches(reader))


def _batches(reader: Any) -> Iterator[Any]:
    """The batches of what `open_arrow` returned."""
    if hasattr(reader, "get_batch"):
        yield from (reader.get_batch(i) for i in range(reader.num_record_batches))
    else:
        yield from reader


class DatasetPart:
    """A dataset of pyarrow that is more than its files: partitions, filters, tables in memory."""

    is_columnar = False

    def __init__(self, dataset: Any) -> None:
        self.name = "the dataset"
        _check_arrow_files(dataset)
        self.schema = dataset.schema
        self.n_rows = dataset.count_rows()
        self._dataset = dataset

    def read(self, columns: list[str], use_threads: bool) -> Iterator[Any]:
        yield self._dataset.to_table(columns=columns, use_threads=use_threads)


def _check_arrow_files(dataset: Any) -> None:
    """Read the Arrow files of a dataset in full: where one is damaged, the dataset may end the process."""
    for child in getattr(dataset, "children", ()):
        _check_arrow_files(child)
    if type(getattr(dataset, "format", None)).__name__ in ("IpcFileFormat", "FeatherFileFormat"):
        for name in dataset.files:
            with (
                reading(name),
                dataset.filesystem.open_input_file(name) as file,
                open_arrow(name, file) as reader,
            ):
                deque(validated(name, _batches(reader)), maxlen=0)


def text_parts(path: Path, scratch: Scratch) -> list[Part]:
    """The blocks of a text file, typed and written as Arrow; pages come back from there as columns are read.

    Types are those of the whole file: a column with words in some block is text in all.
    """
    import pyarrow as pa

    file = scratch.file()
    blocks = [
        TableBlock(f"{path}, block {number}", table)
        for number, table in enumerate(
            spool_tables(parsed_blocks(path, scratch.block_bytes), file), 1
        )
    ]
    kinds: dict[str, set[str]] = {}
    for block in blocks:
        for field in block.schema:
            if not pa.types.is_null(field.type):
                kinds.setdefault(field.name, set()).add(_kind(field.type))
    mixed = [name for name, found in kinds.items() if len(found) > 1]
    if mixed:
        as_text = spool_tables(parsed_blocks(path, scratch.block_bytes, mixed), scratch.file())
        for block, table in zip(blocks, as_text, strict=True):
            block.add(table)
    return list(blocks)


def _kind(kind: Any) -> str:
    import pyarrow as pa

    is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
    return "number" if is_number else str(kind)


def parsed_blocks(path: Path, size: int, texts: list[str] | None = None) -> Iterator[Any]:
    """Yield the tables of all blocks of about that many bytes, or some columns of them as text."""
    import pyarrow as pa
    from pyarrow import csv

    names: list[str] = []
    rows_before = 0  # the header is a row
    block, is_first, separator = b"", True, ","
    with path.open("rb") as file:
        try:
            separator, decimal = dialect_of(path)
            options = parsing(separator, decimal)
            if texts is not None:
                options["convert_options"].include_columns = texts
                options["convert_options"].column_types = dict.fromkeys(texts, pa.string())
            for block in whole_rows(decompressed(file, path.suffix), size):
                is_first, names = not names, names or _header(block, options["parse_options"])
                table = csv.read_csv(
                    pa.py_buffer(block),
                    read_options=csv.ReadOptions(
                        column_names=None if is_first else names,
                        block_size=len(block) + 1,
                        use_threads=False,
                    ),
                    **options,
                )
                rows_before += len(table) + is_first
                yield table
        except (pa.ArrowInvalid, ValueError) as error:
            why = why_unparsed(error, block, separator, None if is_first else names, rows_before)
            raise ValueError(f"{path} cannot be read: {why}") from None


def _header(block: bytes, parse_options: Any) -> list[str]:
    """The names in the first row."""
    import pyarrow as pa
    from pyarrow import csv

    end = block.find(b"\n")
    while end >= 0 and block.count(b'"', 0, end) % 2:
        end = block.find(b"\n", end + 1)
    first = block if end < 0 else block[: end + 1]
    read = csv.read_csv(pa.py_buffer(first), parse_options=parse_options)
    names: list[str] = read.column_names
    return names

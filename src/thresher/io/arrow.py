"""Files of Arrow and Parquet, folders of files with the same columns, and datasets of pyarrow."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from thresher._utils.types import DataLike
from thresher.io import format_of
from thresher.io.table import (
    Opener,
    Part,
    Piece,
    TableSource,
    group_by_size,
    join_parts,
    open_arrow,
    reading,
    validated,
)
from thresher.io.temporary import TemporaryStore
from thresher.io.temporary_parts import PIECE
from thresher.io.text import read_text_parts

if TYPE_CHECKING:
    from pyarrow import fs, parquet

# Formats that are read from folders, by their names in pyarrow.
_IN_FOLDERS = {"parquet": "parquet", "arrow": "ipc", "text": "csv"}
# Files that stay open between reads.
MOST_OPEN = 64


def read(path: Path, open_file: Opener, scratch: TemporaryStore | None) -> TableSource:
    """Open a file of Arrow or Parquet."""
    with reading(str(path)):
        return TableSource(join_parts(_open_parts(path, format_of(path), scratch)))


def size(path: Path) -> int:
    """Return about how many bytes the table takes in memory."""
    if format_of(path) == "arrow":
        return path.stat().st_size
    from pyarrow import parquet

    metadata = parquet.read_metadata(path)
    return int(metadata.num_rows * metadata.num_columns * 8)


def read_folder(path: Path, scratch: TemporaryStore | None) -> TableSource:
    """Open all files of a folder as one table; folders named ``key=value`` add a column."""
    with reading(str(path)):
        files, kind = list_files(path)
        if any("=" in folder for file in files for folder in file.relative_to(path).parts[:-1]):
            from pyarrow import dataset

            partitioned = dataset.dataset(path, format=_IN_FOLDERS[kind], partitioning="hive")
            return TableSource(join_parts([DatasetPart(partitioned)]))
        few = len(files) <= MOST_OPEN
        return TableSource(
            join_parts([part for file in files for part in _open_parts(file, kind, scratch, few)])
        )


def list_files(path: Path) -> tuple[list[Path], str]:
    """Return the files of a folder and their format."""
    files = sorted(file for file in path.rglob("*") if file.is_file() and _is_visible(file, path))
    if not files:
        raise ValueError(f"X names the folder {str(path)!r}, which contains no files")
    kinds = {format_of(file) for file in files}
    if len(kinds) > 1:
        raise ValueError(
            f"the folder {str(path)!r} contains files of several formats ({', '.join(sorted(kinds))}). Pass one format"
        )
    kind = kinds.pop()
    if kind not in _IN_FOLDERS:
        raise ValueError(
            f"the folder {str(path)!r} contains {kind} files, but only Parquet, Arrow and text are read from folders. "
            "Pass one file"
        )
    return files, kind


def _is_visible(file: Path, folder: Path) -> bool:
    """Return whether no name starts with a dot or an underscore, as names of metadata files do."""
    return not any(name.startswith((".", "_")) for name in file.relative_to(folder).parts)


def _open_parts(
    file: Path, kind: str, scratch: TemporaryStore | None, stays_open: bool = True
) -> list[Part]:
    if kind == "text":
        return read_text_parts(file, scratch)
    with reading(str(file)):
        if kind == "arrow":
            return [ArrowPart(str(file))]
        return [ParquetPart(str(file), stays_open=stays_open)]


def read_dataset(dataset: DataLike) -> TableSource:
    """Open a dataset of pyarrow."""
    with reading("the dataset"):
        return TableSource(join_parts(_open_dataset_parts(dataset)))


def _open_dataset_parts(dataset: DataLike) -> list[Part]:
    """Return the Parquet files of a dataset if it consists of them only, else the dataset."""
    is_plain = type(dataset).__name__ == "FileSystemDataset" and not dataset._scan_options
    if is_plain and type(dataset.format).__name__ == "ParquetFileFormat" and dataset.files:
        few = len(dataset.files) <= MOST_OPEN
        parts: list[Part] = [ParquetPart(name, dataset.filesystem, few) for name in dataset.files]
        if all(part.schema.equals(dataset.schema) for part in parts):
            return parts
    return [DatasetPart(dataset)]


class ParquetPart:
    """A Parquet file. Its footer is parsed once; columns are read by groups of row groups, a single column at once.

    With many files, each is open only while it is read (`stays_open`).
    """

    is_columnar = True

    def __init__(
        self, name: str, filesystem: fs.FileSystem | None = None, stays_open: bool = True
    ) -> None:
        self.name = name
        self.filesystem = filesystem
        self._metadata: parquet.FileMetaData | None = None
        file = self._open()
        self._metadata = file.metadata
        self.schema = file.schema_arrow
        self.n_rows = self._metadata.num_rows
        self.n_row_groups = self._metadata.num_row_groups
        self._sizes = [self._metadata.row_group(i).num_rows for i in range(self.n_row_groups)]
        self._index_of = {name: index for index, name in enumerate(self.schema.names)}
        self._file = file if stays_open else None

    def _open(self) -> parquet.ParquetFile:
        from pyarrow import parquet

        return parquet.ParquetFile(self.name, metadata=self._metadata, filesystem=self.filesystem)

    def read(self, columns: list[str], use_threads: bool) -> Iterator[Piece]:
        file = self._open() if self._file is None else self._file
        if len(columns) == 1:
            # The other calls pass every row group to another thread and wait, which takes a fifth of their time.
            column = file.reader.read_column(self._index_of[columns[0]])
            yield pa.Table.from_arrays([column], names=columns)
            return
        for groups in group_by_size((n_rows * len(columns) for n_rows in self._sizes), PIECE):
            yield read_row_groups(file, groups, columns, use_threads)


def read_row_groups(
    file: parquet.ParquetFile, groups: list[int], columns: list[str], use_threads: bool = False
) -> pa.Table:
    """Read some columns of some row groups of an open Parquet file."""
    # A name with a dot may select other columns too.
    table = file.read_row_groups(groups, columns=columns, use_threads=use_threads)
    return table.select(columns)


class ArrowPart:
    """An Arrow (Feather) file, or a file with a stream of batches."""

    is_columnar = True

    def __init__(self, name: str) -> None:
        self.name = name
        with self._open(None) as reader:
            self.schema = reader.schema
        first = self.schema.names[:1]
        self.n_rows = sum(batch.num_rows for batch in self.read(first, False)) if first else 0

    def _open(self, fields: list[int] | None, use_threads: bool = False) -> pa.RecordBatchReader:
        return open_arrow(self.name, pa.memory_map(self.name), fields, use_threads)

    def read(self, columns: list[str], use_threads: bool) -> Iterator[Piece]:
        fields = [self.schema.get_field_index(name) for name in columns]
        with self._open(fields, use_threads) as reader:
            yield from (batch.select(columns) for batch in _batches(reader))


def _batches(reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
    """Yield the batches of what `open_arrow` returned."""
    if hasattr(reader, "get_batch"):
        yield from (reader.get_batch(i) for i in range(reader.num_record_batches))
    else:
        yield from reader


class DatasetPart:
    """A dataset of pyarrow with partitions, filters or tables in memory."""

    is_columnar = False

    def __init__(self, dataset: DataLike) -> None:
        self.name = "the dataset"
        _check_arrow_files(dataset)
        self.schema = dataset.schema
        self.n_rows = dataset.count_rows()
        self._dataset = dataset

    def read(self, columns: list[str], use_threads: bool) -> Iterator[Piece]:
        yield self._dataset.to_table(columns=columns, use_threads=use_threads)


def _check_arrow_files(dataset: DataLike) -> None:
    """Read the Arrow files of a dataset in full, since reading a dataset with a damaged file may end the process."""
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

"""ARFF files, read in blocks of rows."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TextIO, TypeVar

import numpy as np
import pyarrow as pa
from scipy import sparse

from thresher._utils.types import Array, Matrix, Values
from thresher.io import BadFile, read_error
from thresher.io.sparse import write_rows
from thresher.io.table import Opener, TableSource, import_optional, join_parts, read_dense_column
from thresher.io.temporary import LARGEST_BLOCK, TemporaryStore
from thresher.io.temporary_parts import TableBlock, write_tables

T = TypeVar("T")

# Bytes of a value as a Python object, and the share of the memory limit for such objects.
_OBJECT = 40
_OBJECTS_SHARE = 8


def read(path: Path, open_file: Opener, scratch: TemporaryStore | None) -> TableSource:
    """Read dense or sparse rows."""
    arff = import_optional("arff", "liac-arff", "cli")
    with path.open(encoding="utf-8-sig") as file:
        lines = _CountedLines(file)
        try:
            with suppress(arff.BadLayout, _NotNumbers):  # rows are not sparse, or contain text
                content = arff.load(lines, encode_nominal=True, return_type=arff.LOD_GEN)
                return _read_sparse(content, scratch)
            lines.restart()
            return _read_dense(path, arff.load(lines, return_type=arff.DENSE_GEN), scratch)
        except UnicodeDecodeError:
            raise BadFile(f"{path} is not UTF-8 text. Convert it") from None
        except arff.ArffException as error:
            error.line = lines.number
            raise read_error(path, error) from None
        except (StopIteration, RuntimeError, csv.Error) as error:
            raise read_error(path, error) from None


class _NotNumbers(Exception):
    """A sparse file with text, which a matrix cannot contain."""


class _CountedLines:
    """The lines of a file, with the number of the last line read."""

    def __init__(self, file: TextIO) -> None:
        self._file, self.number = file, 0

    def __iter__(self) -> Iterator[str]:
        for line in self._file:
            self.number += 1
            yield line

    def restart(self) -> None:
        self._file.seek(0)
        self.number = 0


def _split_blocks(
    rows: Iterator[T], n_columns: int, scratch: TemporaryStore | None
) -> Iterator[list[T]]:
    """Yield blocks of rows that fit into memory as Python objects; at least one block, perhaps empty."""
    size = LARGEST_BLOCK
    if scratch is not None:
        size = min(size, scratch.memory_limit // _OBJECTS_SHARE)
    n_rows = max(1, size // (_OBJECT * max(1, n_columns)))
    block = list(islice(rows, n_rows))
    yield block
    while block := list(islice(rows, n_rows)):
        yield block


def _read_dense(path: Path, content: Values, scratch: TemporaryStore | None) -> TableSource:
    attributes = content["attributes"]
    names = [name for name, _ in attributes]
    kinds = [
        pa.float64() if str(kind).upper() in ("NUMERIC", "REAL", "INTEGER") else pa.string()
        for _, kind in attributes
    ]

    def tables() -> Iterator[pa.Table]:
        for rows in _split_blocks(iter(content["data"]), len(names), scratch):
            columns = zip(*rows, strict=True) if rows else [()] * len(names)
            yield pa.Table.from_arrays(list(map(pa.array, columns, kinds)), names)

    written = write_tables(tables(), scratch)
    return TableSource(join_parts([TableBlock(str(path), table) for table in written]))


def _read_sparse(content: Values, scratch: TemporaryStore | None) -> TableSource:
    """Read numbers, and categories as their indices in the list of values; the first value is not stored."""
    attributes = content["attributes"]
    if any(kind == "STRING" for _, kind in attributes):
        raise _NotNumbers
    blocks = (
        _sparse_block(rows, len(attributes))
        for rows in _split_blocks(iter(content["data"]), len(attributes), scratch)
    )
    if scratch is None:
        matrix = sparse.vstack(list(blocks), format="csr")
    else:
        matrix = write_rows(blocks, scratch)
    names = [name for name, _ in attributes]
    # A target gets the names of the categories.
    extra = {
        name: partial(_read_labels, matrix, index, kind)
        for index, (name, kind) in enumerate(attributes)
        if isinstance(kind, list)
    }
    many = frozenset(name for name, kind in attributes if isinstance(kind, list) and len(kind) > 2)
    return TableSource(matrix, names, extra, by_number=many)


def _sparse_block(rows: list[dict[int, float | None]], n_columns: int) -> sparse.csr_matrix:
    values = [np.nan if value is None else float(value) for row in rows for value in row.values()]
    indices = [index for row in rows for index in row]
    ends = np.cumsum([0, *(len(row) for row in rows)])
    return sparse.csr_matrix((values, indices, ends), shape=(len(rows), n_columns))


def _read_labels(matrix: Matrix, index: int, labels: list[str]) -> Array:
    codes = read_dense_column(matrix, index)
    known: Array = np.array([*labels, None], dtype=object)
    labels_of_rows: Array = known[np.where(np.isnan(codes), len(labels), codes).astype(int)]
    return labels_of_rows

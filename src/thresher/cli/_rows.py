"""ARFF and SVMlight: text that is read in blocks of rows."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from thresher.cli._content import Content, Opener, package
from thresher.cli._errors import BadInput, unreadable
from thresher.sources import (
    LARGEST_BLOCK,
    Scratch,
    SparseColumns,
    TableBlock,
    columns_of,
    decompressed,
    spool_rows,
    spool_tables,
)

# What a value takes as an object of Python, and how much of the memory limit such objects may take.
_OBJECT = 40
_OBJECTS_SHARE = 8


def read_arff(path: Path, open_file: Opener, scratch: Scratch | None) -> Content:
    """Attributes, of rows that may be sparse."""
    arff = package("arff", "liac-arff", "cli")
    with path.open(encoding="utf-8-sig") as file:
        lines = _Counted(file)
        try:
            with suppress(arff.BadLayout, _NotNumbers):  # of rows that are not sparse, or hold text
                found = arff.load(lines, encode_nominal=True, return_type=arff.LOD_GEN)
                return _sparse_arff(found, scratch)
            lines.restart()
            return _dense_arff(path, arff.load(lines, return_type=arff.DENSE_GEN), scratch)
        except UnicodeDecodeError:
            raise BadInput(f"{path} is not UTF-8 text; convert it") from None
        except arff.ArffException as error:
            error.line = lines.number
            raise unreadable(path, error) from None
        except (StopIteration, RuntimeError, csv.Error) as error:
            raise unreadable(path, error) from None


class _NotNumbers(Exception):
    """A sparse file with text, which no matrix can hold."""


class _Counted:
    """The lines of a file, and the number of the last one."""

    def __init__(self, file: Any) -> None:
        self._file, self.number = file, 0

    def __iter__(self) -> Iterator[str]:
        for line in self._file:
            self.number += 1
            yield line

    def restart(self) -> None:
        self._file.seek(0)
        self.number = 0


def _in_blocks(rows: Iterator[Any], n_columns: int, scratch: Scratch | None) -> Iterator[list[Any]]:
    """Rows, as many at a time as may be objects of Python; at least one block, perhaps empty."""
    size = LARGEST_BLOCK
    if scratch is not None:
        size = min(size, scratch.memory_limit // _OBJECTS_SHARE)
    n_rows = max(1, size // (_OBJECT * max(1, n_columns)))
    block = list(islice(rows, n_rows))
    yield block
    while block := list(islice(rows, n_rows)):
        yield block


def _dense_arff(path: Path, found: Any, scratch: Scratch | None) -> Content:
    import pyarrow as pa

    attributes = found["attributes"]
    names = [name for name, _ in attributes]
    kinds = [
        pa.float64() if str(kind).upper() in ("NUMERIC", "REAL", "INTEGER") else pa.string()
        for _, kind in attributes
    ]
    tables = (
        pa.Table.from_arrays(
            [
                pa.array(column, kind)
                for column, kind in zip(
                    zip(*rows, strict=True) if rows else [()] * len(names), kinds, strict=True
                )
            ],
            names,
        )
        for rows in _in_blocks(iter(found["data"]), len(names), scratch)
    )
    if scratch is None:
        return Content(pa.concat_tables(tables), names)
    spooled = spool_tables(tables, scratch.file())
    return Content(columns_of([TableBlock(str(path), table) for table in spooled]), names)


def _sparse_arff(found: Any, scratch: Scratch | None) -> Content:
    """Numbers as they are, categories by the places of their values, of which the first is not written."""
    attributes = found["attributes"]
    if any(kind == "STRING" for _, kind in attributes):
        raise _NotNumbers
    blocks = (
        _sparse_block(rows, len(attributes))
        for rows in _in_blocks(iter(found["data"]), len(attributes), scratch)
    )
    if scratch is None:
        matrix = sparse.vstack(list(blocks), format="csr")
    else:
        matrix = spool_rows(blocks, scratch)
    names = [name for name, _ in attributes]
    # As a target, categories are called by their names.
    beside = {
        name: partial(_labels, matrix, place, kind)
        for place, (name, kind) in enumerate(attributes)
        if isinstance(kind, list)
    }
    many = frozenset(name for name, kind in attributes if isinstance(kind, list) and len(kind) > 2)
    return Content(matrix, names, beside, by_number=many)


def _sparse_block(rows: list[Any], n_columns: int) -> Any:
    values = [np.nan if value is None else float(value) for row in rows for value in row.values()]
    places = [place for row in rows for place in row]
    ends = np.cumsum([0, *(len(row) for row in rows)])
    return sparse.csr_matrix((values, places, ends), shape=(len(rows), n_columns))


def _labels(matrix: Any, place: int, labels: list[str]) -> Any:
    codes = dense_column(matrix, place)
    known = np.array([*labels, None], dtype=object)
    return known[np.where(np.isnan(codes), len(labels), codes).astype(int)]


def dense_column(matrix: Any, place: int) -> Any:
    """A column of a sparse matrix as an array."""
    if isinstance(matrix, SparseColumns):
        return matrix.column(place)
    return matrix[:, [place]].toarray().ravel()


def read_svmlight(path: Path, open_file: Opener, scratch: Scratch | None) -> Content:
    """Labels and entries. Columns are counted from 0 if any entry is in column 0, from 1 otherwise."""
    labels: list[Any] = []
    smallest: list[int] = []

    def blocks() -> Iterator[Any]:
        for block, y in _parsed_rows(path, open_file, scratch):
            labels.append(y)
            if block.nnz:
                smallest.append(int(block.indices.min()))
            yield block

    try:
        if scratch is None:
            X: Any = _stacked(list(blocks()))
        else:
            X = spool_rows(blocks(), scratch)
    except (ValueError, OSError, OverflowError) as error:
        raise unreadable(path, error) from None
    if smallest and min(smallest) > 0:
        X = X.take(slice(1, None)) if scratch is not None else X[:, 1:]
    y = np.concatenate(labels)
    return Content(X, None, {"target": y.astype(np.int64) if np.all(y == np.floor(y)) else y})


def _stacked(blocks: list[Any]) -> Any:
    """Blocks below one another, as wide as the widest."""
    widest = max(block.shape[1] for block in blocks)
    for block in blocks:
        block.resize(block.shape[0], widest)
    return sparse.vstack(blocks, format="csr")


def _parsed_rows(
    path: Path, open_file: Opener, scratch: Scratch | None
) -> Iterator[tuple[Any, Any]]:
    from sklearn.datasets import load_svmlight_file

    size = LARGEST_BLOCK if scratch is None else scratch.block_bytes
    with open_file(path) as file:
        stream = decompressed(file, path.suffix)
        rest = b""
        while more := stream.read(size):
            end = more.rfind(b"\n") + 1
            if end:
                yield load_svmlight_file(io.BytesIO(rest + more[:end]), zero_based=True)
                rest = more[end:]
            else:
                rest += more
        yield load_svmlight_file(io.BytesIO(rest), zero_based=True)

"""SVMlight files, read in blocks of rows."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy import sparse

from thresher._utils.types import Array
from thresher.io import read_error
from thresher.io.sparse import write_rows
from thresher.io.table import Opener, TableSource
from thresher.io.temporary import LARGEST_BLOCK, TemporaryStore
from thresher.io.text import decompress, size

__all__ = ["read", "size"]


def read(path: Path, open_file: Opener, scratch: TemporaryStore | None) -> TableSource:
    """Read labels and entries. Columns start at 0 if any entry is in column 0, otherwise at 1."""
    labels: list[Array] = []
    smallest: list[int] = []

    def blocks() -> Iterator[sparse.csr_matrix]:
        for block, y in _parse_rows(path, open_file, scratch):
            labels.append(y)
            if block.nnz:
                smallest.append(int(block.indices.min()))
            yield block

    try:
        if scratch is None:
            X = _stack(list(blocks()))
        else:
            X = write_rows(blocks(), scratch)
    except (ValueError, OSError, OverflowError) as error:
        raise read_error(path, error) from None
    if smallest and min(smallest) > 0:
        X = X.take(slice(1, None)) if scratch is not None else X[:, 1:]
    y = np.concatenate(labels)
    return TableSource(X, extra={"target": y.astype(np.int64) if np.all(y == np.floor(y)) else y})


def _stack(blocks: list[sparse.csr_matrix]) -> sparse.csr_matrix:
    """Return the blocks of rows as one matrix, as wide as the widest."""
    widest = max(block.shape[1] for block in blocks)
    for block in blocks:
        block.resize(block.shape[0], widest)
    return sparse.vstack(blocks, format="csr")


def _parse_rows(
    path: Path, open_file: Opener, scratch: TemporaryStore | None
) -> Iterator[tuple[sparse.csr_matrix, Array]]:
    from sklearn.datasets import load_svmlight_file

    size = LARGEST_BLOCK if scratch is None else scratch.block_bytes
    with open_file(path) as file:
        stream = decompress(file, path.suffix)
        rest = b""
        while more := stream.read(size):
            end = more.rfind(b"\n") + 1
            if end:
                yield load_svmlight_file(io.BytesIO(rest + more[:end]), zero_based=True)
                rest = more[end:]
            else:
                rest += more
        yield load_svmlight_file(io.BytesIO(rest), zero_based=True)

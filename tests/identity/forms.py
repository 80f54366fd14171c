"""The forms in which rows are given to a selector: containers, files, blocks, Dask and pieces."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
from scipy import sparse

from tests.blocks_of_rows import in_blocks
from tests.identity.data import Table

Fit = Callable[[Any, Table, Path], Any]


def _frame(table: Table) -> pd.DataFrame:
    X = table.X
    if isinstance(X, pd.DataFrame):
        return X
    X = X.toarray() if sparse.issparse(X) else X
    return pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])


def full_frame(table: Table) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return the frame with the target, and the weights if there are any, and their names for ``fit``."""
    frame, named = _frame(table).assign(target=table.y), {"y": "target"}
    if table.weights is not None:
        frame, named["sample_weight"] = frame.assign(weight=table.weights), "weight"
    return frame, named


def _fit(selector: Any, X: Any, table: Table) -> Any:
    return selector.fit(X, table.y, **_weights(table))


def _weights(table: Table, rows: Any = slice(None)) -> dict[str, Any]:
    return {} if table.weights is None else {"sample_weight": table.weights[rows]}


def _polars(selector: Any, table: Table, folder: Path) -> Any:
    return _fit(selector, pl.from_pandas(_frame(table)), table)


def _arrow(selector: Any, table: Table, folder: Path) -> Any:
    return _fit(selector, pa.Table.from_pandas(_frame(table), preserve_index=False), table)


def _columns_first(selector: Any, table: Table, folder: Path) -> Any:
    return _fit(selector, np.asfortranarray(_frame(table).to_numpy()), table)


def _csc(selector: Any, table: Table, folder: Path) -> Any:
    return _fit(selector, sparse.csc_array(_frame(table).to_numpy(dtype=float)), table)


def _parquet(selector: Any, table: Table, folder: Path, **options: Any) -> Any:
    frame, named = full_frame(table)
    frame.to_parquet(folder / "table.parquet", row_group_size=50, index=False)
    return selector.fit(str(folder / "table.parquet"), **named, **options)


def _little_memory(selector: Any, table: Table, folder: Path) -> Any:
    return _parquet(selector, table, folder, memory_limit=2**20)


def _checkpoint(selector: Any, table: Table, folder: Path) -> Any:
    return _parquet(selector, table, folder, checkpoint=str(folder / "checkpoint"))


def _feather(selector: Any, table: Table, folder: Path) -> Any:
    frame, named = full_frame(table)
    pyarrow.feather.write_feather(frame, folder / "table.feather")
    return selector.fit(str(folder / "table.feather"), **named)


def _csv(selector: Any, table: Table, folder: Path) -> Any:
    frame, named = full_frame(table)
    frame.to_csv(folder / "table.csv", index=False)
    return selector.fit(str(folder / "table.csv"), **named)


def _parts(selector: Any, table: Table, folder: Path) -> Any:
    frame, named = full_frame(table)
    (folder / "table").mkdir()
    for i, start in enumerate(range(0, len(frame), 70)):
        frame.iloc[start : start + 70].to_parquet(folder / "table" / f"{i}.parquet", index=False)
    return selector.fit(str(folder / "table"), **named)


def _blocks(selector: Any, table: Table, folder: Path) -> Any:
    n = len(table.y)
    X = table.X.tocsr() if sparse.issparse(table.X) else table.X
    return selector.fit(in_blocks(X, table.y, table.weights, (n // 2, n // 2, n // 2 + 1)))


def _dask(selector: Any, table: Table, folder: Path) -> Any:
    import dask
    import dask.dataframe as dd

    frame, named = full_frame(table)
    with dask.config.set(scheduler="synchronous"):
        return selector.fit(dd.from_pandas(frame, npartitions=3, sort=False), **named)


def _pieces(selector: Any, table: Table, folder: Path) -> Any:
    """Add the rows in pieces, forget the first piece and add it again."""
    X = table.X.tocsr() if sparse.issparse(table.X) else table.X
    take = X.iloc.__getitem__ if isinstance(X, pd.DataFrame) else X.__getitem__
    pieces = np.array_split(np.arange(len(table.y)), 4)
    for rows in pieces:
        selector.partial_fit(take(rows), table.y[rows], **_weights(table, rows))
    rows = pieces[0]
    selector.forget(take(rows), table.y[rows], **_weights(table, rows))
    return selector.partial_fit(take(rows), table.y[rows], **_weights(table, rows))


FORMS: dict[str, Fit] = {
    "as it is": lambda selector, table, folder: _fit(selector, table.X, table),
    "columns first": _columns_first,
    "CSC": _csc,
    "polars": _polars,
    "arrow": _arrow,
    "parquet": _parquet,
    "parquet, little memory": _little_memory,
    "parquet, checkpoint": _checkpoint,
    "feather": _feather,
    "csv": _csv,
    "folder": _parts,
    "blocks": _blocks,
    "dask": _dask,
    "pieces": _pieces,
}

"""Training data in files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from thresher._utils.checks import resolve_features, resolve_threads
from thresher._utils.progress import report
from thresher.data.column_groups import SlabReader, bytes_for_one_column
from thresher.data.schema import FeatureRoles, Mask
from thresher.data.table import FileTable, Slabs, Table
from thresher.data.target import Target
from thresher.data.training import (
    InputRules,
    LocalData,
    RemoteOptions,
    TrainingData,
    check_remote_options,
    check_rows,
    check_training,
    column_names,
    complete_rows,
    read_training,
    rows_of_weight,
)
from thresher.data.weights import read_weights
from thresher.io import open_table
from thresher.io.file_columns import FileColumns
from thresher.io.table import TableSource, is_files
from thresher.io.temporary import Scratch


@dataclass(frozen=True)
class FileRows:
    """The rows of a table in files, which are known before its columns are read."""

    table: FileTable
    excluded: Mask
    target: Target | None
    weights: npt.NDArray[Any] | None
    missing: str


class SlabConsumer(Protocol):
    """Whoever makes something of columns as they are read, so that they need not be kept."""

    def add(self, slab: slice, table: Table) -> None: ...

    def finish(self) -> tuple[Any, Any]:
        """What `FileTable.packed` is to be."""


def read_files(
    selector: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    options: RemoteOptions,
    rules: InputRules,
    consumer: Callable[[FileRows], SlabConsumer] | None = None,
    read_tall: Callable[[FileColumns, Any, Any, Scratch], TrainingData] | None = None,
) -> TrainingData:
    """As `read_training`, of a table in files in one reading: columns go to a consumer, or else to a mapped file.

    Files with too many rows for one column in memory, and fits that write down their answers, are left to `read_tall`,
    to which the target and the weights are columns or values; without it they are refused.
    A second reading comes before it for ``missing="drop_rows"``.
    """
    check_remote_options(type(selector).__name__, options, in_memory=False)
    if options.get("client") is not None:
        raise ValueError(
            f"client={options['client']!r} reads no files; give what it reads from them, such as a dask dataframe, or "
            "leave it out"
        )
    scratch = Scratch(options.get("scratch"), options.get("memory_limit"))
    n_threads = resolve_threads(rules.n_jobs)
    source = open_table(X, scratch=scratch)
    named = column_names([*source.extra, *source.names], y, sample_weight)
    names = np.array([n for n in source.names if n not in named.values()], dtype=object)
    given = {"y": y, "sample_weight": sample_weight}
    for parameter, name in list(named.items()):
        if name in source.extra:
            given[parameter] = source.column(named.pop(parameter))
    used = {*names, *named.values()}
    source = source.select([name for name in source.names if name in used])
    _refuse_empty(X, source, names)
    files = source.columns
    if not isinstance(files, FileColumns):
        given.update({parameter: source.column(name) for parameter, name in named.items()})
        if options.get("checkpoint") is not None:
            raise ValueError(
                f"checkpoint={str(options['checkpoint'])!r} is for rows that are read in blocks, and those of X are "
                "not: it is a sparse matrix, or a file that is read whole. Leave checkpoint out"
            )
        matrix = source.select(names.tolist()).in_memory().columns
        return read_training(
            selector,
            matrix,
            given["y"],
            given["sample_weight"],
            rules,
            names=names,
        )
    is_tall = bytes_for_one_column(files.n_rows) > scratch.memory_limit
    if read_tall is not None and (is_tall or options.get("checkpoint") is not None):
        return read_tall(files, given["y"], given["sample_weight"], scratch)
    if options.get("checkpoint") is not None:
        raise ValueError(
            f"checkpoint={str(options['checkpoint'])!r} is for selectors that ask blocks of rows in rounds, such as "
            f"MRMR, which {type(selector).__name__} does not; leave it out"
        )
    given.update({parameter: source.column(name) for parameter, name in named.items()})
    selector.n_features_in_ = len(names)
    selector.feature_names_in_ = names
    labels = rules.read_target(given["y"], files.n_rows, selector)
    weights, rows = rows_of_weight(read_weights(given["sample_weight"], files.n_rows))
    excluded = np.zeros(len(names), dtype=bool)
    excluded[resolve_features("exclude", rules.exclude, names, len(names))] = True
    reader = SlabReader(files, names, excluded, scratch, n_threads)
    readings = _readings(selector, reader)
    if rules.missing == "drop_rows":
        rows = _complete_rows(readings, files.n_rows, rows)
    shape = (files.n_rows, len(names))
    table = FileTable(readings, names, reader.is_category, shape, reader.dtype, scratch, n_threads)
    if rows is not None:
        table = table.take(rows)
        labels = labels.take(rows) if labels is not None else None
        weights = weights[rows] if weights is not None else None
    check_rows(table.n_rows, labels)
    FeatureRoles.read(names, np.ones(len(names), dtype=bool), rules.keep, rules.exclude)
    in_files = FileRows(table, excluded, labels, weights, rules.missing)
    _read_slabs(table, None if consumer is None else consumer(in_files), rules.missing)
    features = check_training(table.schema, labels, rules)
    return LocalData(
        table.schema,
        features,
        labels,
        rules.missing,
        n_threads,
        table,
        table,
        weights,
        rows,
        files.n_rows,
    )


def refuse_files(X: Any, owner: Any) -> None:
    """Raise for a table in files, for those who need its rows in memory."""
    if is_files(X):
        raise ValueError(
            f"{type(owner).__name__} takes rows in memory only, got {X!r}; read them first, e.g. with "
            "pandas.read_parquet, perhaps only the columns that another selector has chosen from the file"
        )


def _readings(selector: Any, reader: SlabReader) -> Slabs:
    """Readings of all slabs, which are counted and reported."""
    selector.n_passes_ = 0

    def reading() -> Iterator[tuple[slice, Table]]:
        selector.n_passes_ += 1
        tenth, p = 0, len(reader.names)
        for slab, table in reader.read():
            yield slab, table
            if slab.stop * 10 // p > tenth:
                tenth = slab.stop * 10 // p
                report(selector, "reading %d: %d of %d columns", selector.n_passes_, slab.stop, p)

    return reading


def _read_slabs(table: FileTable, consumer: SlabConsumer | None, missing: str) -> None:
    """The reading that tells everything of the columns."""
    slabs = table.look(_usable(table.slabs(), missing))
    if consumer is None:
        table.keep(slab_table for _, slab_table in slabs)
        return
    for slab, slab_table in slabs:
        consumer.add(slab, slab_table)
    table.packed = consumer.finish()


def _usable(slabs: Iterator[tuple[slice, Table]], missing: str) -> Iterator[tuple[slice, Table]]:
    for slab, table in slabs:
        table.schema.refuse_unusable(allow_missing=missing != "error")
        yield slab, table


def _complete_rows(
    readings: Slabs, n_rows: int, rows: npt.NDArray[np.intp] | None
) -> npt.NDArray[np.intp] | None:
    complete = np.ones(n_rows, dtype=bool)
    for _, table in readings():
        for feature in np.flatnonzero(table.schema.has_missing):
            complete &= ~np.isnan(table.matrix[:, feature])
    return rows if complete.all() else complete_rows(complete, rows)


def _refuse_empty(X: Any, source: TableSource, names: npt.NDArray[np.object_]) -> None:
    parts: Any = getattr(source.columns, "parts", ())
    what = parts[0].name if len(parts) == 1 else str(X)
    if source.shape[0] == 0:
        raise ValueError(f"{what} holds no rows (0 samples); at least 2 are needed")
    if not len(names):
        raise ValueError(f"{what} holds no column but the target and the weights (0 features)")

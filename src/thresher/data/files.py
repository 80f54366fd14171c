"""Training data in files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from thresher._utils.checks import resolve_features, resolve_threads
from thresher._utils.lazy import cached
from thresher._utils.progress import report
from thresher.data.column_groups import SlabReader, bytes_for_one_column
from thresher.data.schema import Columns, Names
from thresher.data.table import ColumnScan, Table
from thresher.data.training import (
    Far,
    InputRules,
    Training,
    check_far,
    check_rows,
    checked_training,
    column_names,
    complete_rows,
    read_training,
    refuse_unusable_values,
    rows_of_weight,
)
from thresher.data.weights import read_weights
from thresher.io import open_table
from thresher.io.file_columns import FileColumns
from thresher.io.table import TableSource, is_files
from thresher.io.temporary import Scratch

# A slab of features, and its rows.
Slabs = Callable[[], Iterator[tuple[slice, Table]]]


class FileTable(Table):
    """A table of which some columns at a time are in memory.

    Whoever can, goes through `slabs`. All else get `matrix`, which is a mapped file: one more reading, if the columns
    were not kept when they were first read.

    Parameters
    ----------
    slabs : callable
        A reading of all slabs.
    names : ndarray of object
    is_category : ndarray of bool
    shape : (n_rows, n_features)
    dtype : dtype
        Of the columns as numbers.
    scratch : Scratch
    n_threads : int
    """

    def __init__(
        self,
        slabs: Slabs,
        names: Names | None,
        is_category: npt.NDArray[np.bool_],
        shape: tuple[int, int],
        dtype: np.dtype[Any],
        scratch: Scratch,
        n_threads: int,
    ) -> None:
        self.names, self.is_category, self.n_threads = names, is_category, n_threads
        self.scratch = scratch
        self._slabs, self._shape, self._dtype = slabs, shape, dtype
        # Codes that were made while the files were read, and by which rule.
        self.packed: tuple[Any, Any] | None = None

    @property
    def n_rows(self) -> int:
        return self._shape[0]

    @property
    def n_features(self) -> int:
        return self._shape[1]

    @property
    def is_sparse(self) -> bool:
        return False

    @property
    def matrix(self) -> npt.NDArray[Any]:
        return self._columns.T

    @cached
    def _columns(self) -> npt.NDArray[Any]:
        return self.keep(table for _, table in self._slabs())

    def keep(self, tables: Iterator[Table]) -> npt.NDArray[Any]:
        """All columns in a file, each as a row of one mapped array."""
        file = self.scratch.file()
        for table in tables:
            file.write(np.ascontiguousarray(table.matrix.T))
        columns = file.array(self._dtype, (self.n_features, self.n_rows))
        vars(self)["_columns"] = columns
        return columns

    def slabs(self) -> Iterator[tuple[slice, Table]]:
        """Features in slabs, from the mapped file if there is one."""
        if "_columns" not in vars(self):
            yield from self._slabs()
            return
        width = max(1, self.scratch.memory_limit // 64 // max(1, self.n_rows))
        for begin in range(0, self.n_features, width):
            slab = slice(begin, min(begin + width, self.n_features))
            yield slab, self.of_features(slab)

    def look(self, slabs: Iterator[tuple[slice, Table]]) -> Iterator[tuple[slice, Table]]:
        """Pass slabs through and note what their scans say."""
        found: dict[str, npt.NDArray[Any]] = {}
        for slab, table in slabs:
            for f in fields(ColumnScan):
                own = getattr(table.scan, f.name)
                whole = found.setdefault(f.name, np.empty(self.n_features, dtype=own.dtype))
                whole[slab] = own
            yield slab, table
        self.scan = ColumnScan(**found)

    def in_order(self, order: npt.NDArray[np.uint32]) -> npt.NDArray[Any]:
        return self.take(order).coded_columns()

    def take(self, rows: npt.NDArray[Any]) -> FileTable:
        return self._like(
            lambda: ((slab, table.take(rows)) for slab, table in self.slabs()),
            len(rows),
            self.is_category,
        )

    def without(self, features: npt.NDArray[np.bool_]) -> Table:
        if not features.any():
            return self
        return self._like(
            lambda: ((slab, table.without(features[slab])) for slab, table in self.slabs()),
            self.n_rows,
            self.is_category & ~features,
        )

    def _times(self, powers: npt.NDArray[np.intc]) -> FileTable:
        return self._like(
            lambda: ((slab, table._times(powers[slab])) for slab, table in self.slabs()),
            self.n_rows,
            self.is_category,
        )

    def _like(self, slabs: Slabs, n_rows: int, is_category: npt.NDArray[np.bool_]) -> FileTable:
        shape = (n_rows, self.n_features)
        return FileTable(
            slabs, self.names, is_category, shape, self._dtype, self.scratch, self.n_threads
        )


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
    far: Far,
    rules: InputRules,
    consumer: Callable[[Training], SlabConsumer] | None = None,
    read_tall: Callable[[FileColumns, Any, Any, Scratch], Training] | None = None,
    accept_sparse: bool = True,
) -> Training:
    """As `read_training`, of a table in files in one reading: columns go to a consumer, or else to a mapped file.

    Files with too many rows for one column in memory, and fits that write down their answers, are left to `read_tall`,
    to which the target and the weights are columns or values; without it they are refused.
    A second reading comes before it for ``missing="drop_rows"``.
    """
    check_far(type(selector).__name__, far, in_memory=False)
    if far.get("client") is not None:
        raise ValueError(
            f"client={far['client']!r} reads no files; give what it reads from them, such as a dask dataframe, or "
            "leave it out"
        )
    scratch = Scratch(far.get("scratch"), far.get("memory_limit"))
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
        if far.get("checkpoint") is not None:
            raise ValueError(
                f"checkpoint={str(far['checkpoint'])!r} is for rows that are read in blocks, and those of X are not: "
                "it is a sparse matrix, or a file that is read whole. Leave checkpoint out"
            )
        matrix = source.select(names.tolist()).in_memory().columns
        return read_training(
            selector,
            matrix,
            given["y"],
            given["sample_weight"],
            rules,
            accept_sparse=accept_sparse,
            names=names,
        )
    is_tall = bytes_for_one_column(files.n_rows) > scratch.memory_limit
    if read_tall is not None and (is_tall or far.get("checkpoint") is not None):
        return read_tall(files, given["y"], given["sample_weight"], scratch)
    if far.get("checkpoint") is not None:
        raise ValueError(
            f"checkpoint={str(far['checkpoint'])!r} is for selectors that ask blocks of rows in rounds, such as MRMR, "
            f"which {type(selector).__name__} does not; leave it out"
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
    check_rows(table, labels)
    columns = Columns.read(names, np.ones(len(names), dtype=bool), rules.keep, rules.exclude)
    training = Training(table, columns, labels, weights, rules.missing, rows)
    _read_slabs(table, None if consumer is None else consumer(training), rules.missing)
    training = checked_training(Training, table, labels, weights, rules, rows)
    return replace(training, n_given=files.n_rows)


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
        refuse_unusable_values(table, allow_missing=missing != "error")
        yield slab, table


def _complete_rows(
    readings: Slabs, n_rows: int, rows: npt.NDArray[np.intp] | None
) -> npt.NDArray[np.intp] | None:
    complete = np.ones(n_rows, dtype=bool)
    for _, table in readings():
        for feature in np.flatnonzero(table.has_missing):
            complete &= ~np.isnan(table.matrix[:, feature])
    return rows if complete.all() else complete_rows(complete, rows)


def _refuse_empty(X: Any, source: TableSource, names: npt.NDArray[np.object_]) -> None:
    parts: Any = getattr(source.columns, "parts", ())
    what = parts[0].name if len(parts) == 1 else str(X)
    if source.shape[0] == 0:
        raise ValueError(f"{what} holds no rows (0 samples); at least 2 are needed")
    if not len(names):
        raise ValueError(f"{what} holds no column but the target and the weights (0 features)")

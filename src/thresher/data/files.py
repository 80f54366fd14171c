"""Training data in files, read in groups of columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Protocol

import narwhals.stable.v2 as nw
import numpy as np

from thresher._utils.arrays import LARGEST_EXACT, from_smallest
from thresher._utils.checks import is_missing, resolve_threads
from thresher._utils.long_calls import report
from thresher._utils.types import (
    Array,
    BinRule,
    DataLike,
    Estimator,
    Indices,
    Mask,
    Names,
    TargetLike,
    WeightsLike,
)
from thresher.data.bad_columns import refusal, unusable_type
from thresher.data.frames import exact_values, is_exact_kind
from thresher.data.table import ColumnGroups, FeatureRoles, FileTable, Table, excluded_features
from thresher.data.target import Target, read_weights
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
    reject_no_complete_row,
    rows_of_weight,
)
from thresher.io import open_table
from thresher.io.table import FileColumns, TableSource, is_file_input
from thresher.io.temporary import TemporaryStore
from thresher.io.temporary_parts import PIECE

if TYPE_CHECKING:
    import pyarrow as pa

# One column group may take the memory limit divided by this, as reading and coding take memory too.
_GROUP_SHARE = 4
# Bytes that a value takes, within a column group and while it is read.
_BYTES = 16
# Least and largest number of columns that are decoded together.
_TOGETHER = (4, 256)
# Columns of more bytes are decoded one by one.
_LONG = 1 << 21
# Largest size in bytes of a group of several columns, so that it stays in the cache while it is coded.
_CACHED = 1 << 24
# Text takes more memory while it is read.
_TEXT_WEIGHT = 4

# Names of types in Arrow.
_EXACT_TYPES = ("int64", "uint64", "decimal")
_FLOATS = {np.dtype(np.float64): "double", np.dtype(np.float32): "float"}


def bytes_for_one_column(n_rows: int) -> int:
    """Return the memory limit that is needed to read columns one at a time."""
    return _GROUP_SHARE * _BYTES * n_rows


class ColumnGroupReader:
    """Reads features of files in groups, with the same values as from a dataframe.

    Parameters
    ----------
    files : FileColumns
    names : ndarray of object
        The features.
    excluded : ndarray of bool
        Features that are not read, but set to zero.
    scratch : TemporaryStore
    n_threads : int
    """

    def __init__(
        self,
        files: FileColumns,
        names: Names,
        excluded: Mask,
        scratch: TemporaryStore,
        n_threads: int,
    ) -> None:
        self.files, self.names = files, names
        self.n_threads = n_threads
        self._excluded = excluded
        kinds = np.array([files.kinds[name] for name in names], dtype=object)
        if bad := [
            unusable_type(names[feature], kinds[feature])
            for feature in np.flatnonzero(~excluded)
            if kinds[feature] not in ("number", "truth", "decimal", "text", "null")
        ]:
            raise refusal(bad)
        self._kinds = kinds
        self.is_category: Mask = (kinds == "text") & ~excluded
        read = names[~excluded].tolist()
        types = {name: {str(kind) for kind in files.types[name]} for name in read}
        is_single = all(distinct == {"float"} for distinct in types.values())
        # Columns of exact numbers that doubles may not represent.
        self._may_be_large = {
            name for name in types if any(t.startswith(_EXACT_TYPES) for t in types[name])
        }
        self.dtype = np.dtype(np.float32 if is_single else np.float64)
        self._together = self._count_decoded_together()
        self.column_groups = self._plan(scratch.memory_limit)
        # Memory that is reused is much faster than new memory from the system.
        widest = max(group.stop - group.start for group in self.column_groups)
        self._buffer = np.empty((widest, files.n_rows), dtype=self.dtype)

    def _count_decoded_together(self) -> int:
        """Return how many columns are decoded together, so that a piece of them is neither small nor large."""
        if not all(part.is_columnar for part in self.files.parts):
            return _TOGETHER[1]
        rows = max(1, self.files.n_rows // len(self.files.parts))
        if rows * self.dtype.itemsize > _LONG:
            return 1
        return min(max(_TOGETHER[0], PIECE // rows), _TOGETHER[1])

    def _plan(self, memory_limit: int) -> list[slice]:
        """Return the features that are read together."""
        needed = bytes_for_one_column(self.files.n_rows)
        if needed > memory_limit:
            raise ValueError(
                f"X has {self.files.n_rows} rows, too many for one column at a time within memory_limit="
                f"{memory_limit} bytes. Set memory_limit={needed} or more, or use a selector that "
                "reads rows in blocks, such as MRMR"
            )
        width = memory_limit // max(1, needed)
        cached = _CACHED // (self.dtype.itemsize * self.files.n_rows)
        width = min(width, 1 if self._together == 1 else max(self._together, cached))
        weights = np.where(self.is_category, _TEXT_WEIGHT, 1)
        groups, start, weight = [], 0, 0
        for feature, more in enumerate(weights.tolist()):
            if feature > start and weight + more > width:
                groups.append(slice(start, feature))
                start, weight = feature, 0
            weight += more
        return [*groups, slice(start, len(weights))]

    def read(self) -> Iterator[tuple[slice, Table]]:
        """Yield all column groups in one pass over the files; each is overwritten by the next."""
        for group in self.column_groups:
            yield group, self._table(group)

    def _table(self, group: slice) -> Table:
        columns = self._buffer[: group.stop - group.start]
        columns[self._excluded[group]] = 0
        features = (group.start + np.flatnonzero(~self._excluded[group])).tolist()
        if len(columns) == len(features) == 1:
            columns = self._read_column(columns, features[0])
        else:
            for first in range(0, len(features), self._together):
                some = features[first : first + self._together]
                self._read_columns(columns, group.start, some)
        return Table(columns.T, self.names[group], self.is_category[group], self.n_threads)

    def _read_column(self, columns: Array, feature: int) -> Array:
        """Return a feature in the only row of `columns`, or as decoded if that has the right type already."""
        pieces = self.files.read([str(self.names[feature])], self.n_threads > 1)
        first = next(pieces)
        if first.num_rows == self.files.n_rows:
            chunks = getattr(first.column(0), "chunks", [first.column(0)])
            chunk = chunks[0] if len(chunks) == 1 else None
            if (
                chunk is not None
                and not chunk.null_count
                and str(chunk.type) == _FLOATS[self.dtype]
            ):
                values: Array = chunk.to_numpy()
                return values[None]
        self._read_columns(columns, feature, [feature], chain([first], pieces))
        return columns

    def _read_columns(
        self,
        columns: Array,
        first: int,
        features: list[int],
        pieces: Iterator[pa.Table] | None = None,
    ) -> None:
        """Fill the rows of `columns`, of which the first belongs to the feature `first`."""
        texts = {f: _Texts() for f in features if self._kinds[f] == "text"}
        wanted = [str(self.names[f]) for f in features]
        row = 0
        for piece in pieces or self.files.read(wanted, self.n_threads > 1):
            for feature, name in zip(features, wanted, strict=True):
                out = columns[feature - first, row : row + piece.num_rows]
                self._fill(out, piece.column(name), self._kinds[feature], texts.get(feature))
            row += piece.num_rows
        for feature, texts_of_column in texts.items():
            texts_of_column.rank(columns[feature - first])
        for feature in features:
            self._restore_exact(columns[feature - first], feature)

    def _fill(self, out: Array, column: pa.Array, kind: str, texts: _Texts | None) -> None:
        import pyarrow as pa

        start = 0
        for chunk in getattr(column, "chunks", [column]):
            part = out[start : start + len(chunk)]
            if pa.types.is_null(chunk.type):
                part[:] = np.nan
            elif texts is not None:
                texts.number(part, chunk)
            elif kind == "truth":
                part[:] = chunk.cast(pa.uint8()).to_numpy(zero_copy_only=False)
            elif pa.types.is_decimal(chunk.type):
                part[:] = chunk.cast(pa.float64()).to_numpy(zero_copy_only=False)
            else:
                part[:] = chunk.to_numpy(zero_copy_only=False)
            start += len(chunk)

    def _restore_exact(self, values: Array, feature: int) -> None:
        """Read exact numbers again if doubles cannot represent them."""
        name = str(self.names[feature])
        if name not in self._may_be_large:
            return
        highest, lowest = (f.reduce(values, initial=0) for f in (np.fmax, np.fmin))
        if max(highest, -lowest) >= LARGEST_EXACT:
            column = nw.from_native(self.files.column(name), series_only=True)
            if is_exact_kind(column.dtype):  # parts of other types make it a column of floats
                values[:] = from_smallest(exact_values(column))


class _Texts:
    """Texts of a column: numbered in order of occurrence, then ranked when all are known."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, out: Array, chunk: pa.Array) -> None:
        """Write the numbers of the texts of a chunk, NaN for missing ones."""
        import pyarrow as pa

        coded = chunk if pa.types.is_dictionary(chunk.type) else chunk.dictionary_encode()
        codes = coded.indices.to_numpy(zero_copy_only=False)
        is_present = ~np.isnan(codes) if codes.dtype.kind == "f" else np.ones(len(codes), bool)
        present = codes[is_present].astype(np.intp)
        number_of = np.full(len(coded.dictionary), np.nan)
        texts = coded.dictionary.to_pylist()
        for code in np.flatnonzero(np.bincount(present, minlength=len(texts))):
            text = texts[code]
            if not is_missing(text):
                number_of[code] = self._numbers.setdefault(str(text), len(self._numbers))
        out[:] = np.nan
        out[is_present] = number_of[present]

    def rank(self, values: Array) -> None:
        """Replace numbers by ranks among the sorted texts."""
        rank_of = np.full(len(self._numbers) + 1, np.nan)  # the last is for missing values
        for rank, text in enumerate(sorted(self._numbers)):
            rank_of[self._numbers[text]] = rank
        numbers = np.where(np.isnan(values), len(self._numbers), values).astype(np.intp)
        values[:] = rank_of[numbers]


@dataclass(frozen=True)
class FileRows:
    """Facts about the rows of a table in files, known before its columns are read."""

    table: FileTable
    excluded: Mask
    target: Target | None
    weights: Array | None
    missing: str


class ColumnGroupConsumer(Protocol):
    """Processes column groups while they are read, so that they need not be stored."""

    def add(self, group: slice, table: Table) -> None: ...

    def finish(self) -> tuple[BinRule, object]:
        """Return the value of `FileTable.packed`."""


def read_files(
    selector: Estimator,
    X: DataLike,
    y: TargetLike,
    sample_weight: WeightsLike,
    options: RemoteOptions,
    rules: InputRules,
    consumer: Callable[[FileRows], ColumnGroupConsumer] | None = None,
    read_tall: Callable[[FileColumns, TargetLike, WeightsLike, TemporaryStore], TrainingData]
    | None = None,
) -> TrainingData:
    """Read a table in files in one pass; columns go to a consumer, or else to a mapped file.

    Files with too many rows for one column in memory, and fits with a checkpoint, are passed to `read_tall`, with
    target and weights as names of columns or as values; without it they raise ValueError. ``missing="drop_rows"``
    takes one more pass before.
    """
    check_remote_options(type(selector).__name__, options, in_memory=False)
    if options.get("client") is not None:
        raise ValueError(
            f"client={options['client']!r} does not read files. Pass X as a dask dataframe, or remove client"
        )
    scratch = TemporaryStore(options.get("scratch"), options.get("memory_limit"))
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
    _reject_empty(X, source, names)
    files = source.columns
    if not isinstance(files, FileColumns):
        given.update({parameter: source.column(name) for parameter, name in named.items()})
        if options.get("checkpoint") is not None:
            raise ValueError(
                f"checkpoint={str(options['checkpoint'])!r} is for rows that are read in blocks, but X is a sparse "
                "matrix, or a file that is read at once. Remove checkpoint"
            )
        matrix = source.select(names.tolist()).in_memory().columns
        values = given["y"], given["sample_weight"]
        return read_training(selector, matrix, *values, rules, names=names)
    is_tall = bytes_for_one_column(files.n_rows) > scratch.memory_limit
    if read_tall is not None and (is_tall or options.get("checkpoint") is not None):
        return read_tall(files, given["y"], given["sample_weight"], scratch)
    if options.get("checkpoint") is not None:
        raise ValueError(
            f"checkpoint={str(options['checkpoint'])!r} is for selectors that read rows in blocks, such as MRMR, which "
            f"{type(selector).__name__} does not. Remove checkpoint"
        )
    given.update({parameter: source.column(name) for parameter, name in named.items()})
    selector.n_features_in_ = len(names)
    selector.feature_names_in_ = names
    labels = rules.check_target(given["y"], files.n_rows, selector)
    weights, rows = rows_of_weight(read_weights(given["sample_weight"], files.n_rows))
    excluded = excluded_features(rules.exclude, names, len(names))
    reader = ColumnGroupReader(files, names, excluded, scratch, n_threads)
    column_groups = _counted_passes(selector, reader)
    if rules.missing == "drop_rows":
        rows = _complete_rows(column_groups, names, files.n_rows, rows)
    shape = (files.n_rows, len(names))
    table = FileTable(
        column_groups, names, reader.is_category, shape, reader.dtype, scratch, n_threads
    )
    if rows is not None:
        table = table.take(rows)
        labels = labels[rows] if labels is not None else None
        weights = weights[rows] if weights is not None else None
    target = rules.target_of(labels, weights, selector)
    check_rows(table.n_rows, target)
    FeatureRoles.read(names, np.ones(len(names), dtype=bool), rules.keep, rules.exclude)
    file_rows = FileRows(table, excluded, target, weights, rules.missing)
    _read_column_groups(table, None if consumer is None else consumer(file_rows), rules.missing)
    features = check_training(table.schema, target, rules)
    shared = table.schema, features, target, rules.missing, n_threads
    return LocalData(*shared, table, table, weights, rows, files.n_rows)


def reject_files(X: DataLike, owner: object) -> None:
    """Raise ValueError for a table in files, for methods that need its rows in memory."""
    if is_file_input(X):
        raise ValueError(
            f"{type(owner).__name__} takes rows in memory only, got {X!r}. Read them first, e.g. with "
            "pandas.read_parquet, perhaps only columns that another selector has selected from the file"
        )


def _counted_passes(selector: Estimator, reader: ColumnGroupReader) -> ColumnGroups:
    """Return a function that starts a pass over all column groups, which is counted and reported."""
    selector.n_passes_ = 0

    def read() -> Iterator[tuple[slice, Table]]:
        selector.n_passes_ += 1
        tenth, p = 0, len(reader.names)
        for group, table in reader.read():
            yield group, table
            if group.stop * 10 // p > tenth:
                tenth = group.stop * 10 // p
                report(selector, "pass %d: %d of %d columns", selector.n_passes_, group.stop, p)

    return read


def _read_column_groups(
    table: FileTable, consumer: ColumnGroupConsumer | None, missing: str
) -> None:
    """Make the pass over the files that consumes or stores the columns and sets the schema."""

    def usable() -> Iterator[tuple[slice, Table]]:
        is_usable, allow_missing = True, missing != "error"
        for group, columns in table.with_schema(table.column_groups()):
            is_usable = is_usable and not columns.schema.unusable(allow_missing).any()
            if is_usable:
                yield group, columns
        table.schema.reject_unusable(allow_missing=allow_missing)

    if consumer is None:
        table.store(columns for _, columns in usable())
        return
    for group, columns in usable():
        consumer.add(group, columns)
    table.packed = consumer.finish()


def _complete_rows(
    column_groups: ColumnGroups, names: Names, n_rows: int, rows: Indices | None
) -> Indices | None:
    complete = np.ones(n_rows, dtype=bool)
    n_missing = np.zeros(len(names), dtype=np.int64)
    for group, table in column_groups():
        n_missing[group] = table.schema.n_missing
        for feature in np.flatnonzero(table.schema.has_missing):
            complete &= ~np.isnan(table.matrix[:, feature])
    if complete.all():
        return rows
    rows = complete_rows(complete, rows)
    reject_no_complete_row(rows, n_missing, n_rows, lambda i: str(names[i]))
    return rows


def _reject_empty(X: DataLike, source: TableSource, names: Names) -> None:
    files = source.columns
    is_one = isinstance(files, FileColumns) and len(files.parts) == 1
    name = files.parts[0].name if is_one else str(X)
    if source.shape[0] == 0:
        raise ValueError(f"{name} contains no rows (0 samples). Pass at least 2")
    if not len(names):
        raise ValueError(
            f"{name} contains no column except the target and the weights (0 features). Add features"
        )

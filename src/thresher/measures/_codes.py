"""Discrete features: codes of discrete columns and bins of the others, for rows in parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from thresher import _core
from thresher._utils.types import Array, BinRule, Floats, Indices, Mask, Values
from thresher.data import (
    FileRows,
    FileTable,
    LocalData,
    Schema,
    Table,
    Target,
    feature_blocks,
    to_feature_major,
)
from thresher.discretize import Discretizer, GivenBins, MDLBins, make_discretizer
from thresher.io.sparse import MappedMatrix, runs_of
from thresher.io.temporary import StoreFile, TemporaryStore
from thresher.measures.columns import stored_columns


@dataclass(frozen=True)
class PartSets:
    """Parts of the rows, and replicates that contain the rows of some of the parts.

    Attributes
    ----------
    part : ndarray of int32 of shape (n_rows,)
        The part of every row.
    keeps : ndarray of bool of shape (n_replicates, n_parts)
        The parts that each replicate contains.
    """

    part: npt.NDArray[np.int32]
    keeps: Mask

    @property
    def n_replicates(self) -> int:
        return len(self.keeps)

    def rows(self, replicate: int) -> Indices:
        """Return the rows of a replicate."""
        return np.flatnonzero(self.keeps[replicate, self.part])

    def weights(self, replicates: Sequence[int], weights: Array | None) -> Array:
        """Return the weights of all rows, one line per replicate; without `weights` a row counts 0 or 1."""
        if weights is None:
            weights = np.ones(len(self.part), dtype=np.int64)
        return np.where(self.keeps[list(replicates)][:, self.part], weights, 0)

    def in_order(self, order: npt.NDArray[np.uint32]) -> PartSets:
        """Return the same parts for rows in another order."""
        return PartSets(self.part[order], self.keeps)

    def arguments(self) -> dict[str, Array]:
        """Return the parts as keyword arguments for tables of the core."""
        return {"parts": self.part, "sets": np.ascontiguousarray(self.keeps).view(np.uint8)}


class ColumnPacker:
    """Builds the packed table of features in column groups; uses a temporary file when memory is short.

    Parameters
    ----------
    table : Table
        The table whose rows and features are packed.
    weights : ndarray or None
    parts : dict of str to ndarray
        Keyword arguments for tables of the core.
    scratch : TemporaryStore or None
        None for no memory limit.
    missing : {"pairwise", "category"}, default="pairwise"
    """

    def __init__(
        self,
        table: Table,
        weights: Array | None,
        parts: Values,
        scratch: TemporaryStore | None,
        missing: str = "pairwise",
    ) -> None:
        self._scratch, self._n_threads = scratch, table.n_threads
        self._builder = _core.ColumnGroupBuilder(
            table.n_rows,
            table.n_features,
            weights=weights,
            missing=missing,
            dense_bytes=DENSE_BYTES,
            **parts,
        )
        self._file: StoreFile | None = None

    def add(
        self, codes: npt.NDArray[np.uint8], levels: npt.NDArray[np.int32], missing_code: int
    ) -> None:
        """Add features, with one row of codes for each."""
        self._builder.append(codes, levels, missing_code, self._n_threads, self._write())

    def add_sparse(self, starts: Array, rows: Array, values: Array) -> None:
        """Add features from columns of a CSC matrix whose values are codes, or a few distinct numbers."""
        self._builder.append_sparse(
            starts, rows, values, len(starts) - 1, self._n_threads, self._write()
        )

    def _write(self) -> Callable[..., object] | None:
        if self._scratch is None:
            return None
        if self._file is None and self._builder.n_bytes > self._scratch.memory_limit // 4:
            self._file = self._scratch.file()
        return None if self._file is None else self._file.write

    def finish(self) -> _core.CodedTable:
        return self._builder.finish(None if self._file is None else self._file.map())


MISSING_CODE = 255
# Sparse columns that would take more memory than this as bit-planes are stored as lists of rows if these are short.
DENSE_BYTES = 1 << 25
# Least number of entries of sparse columns that are coded at a time.
_GROUP_ENTRIES = 1 << 21


@dataclass
class Bins:
    """The bins of columns that are not discrete.

    Attributes
    ----------
    rule : str
        The discretizer, e.g. ``"mean-sd"``; ``"none"`` if no column was binned.
    is_binned : ndarray of bool of shape (n_features,)
    cuts : list of ndarray
        Cut points of the binned features, in order of position. The code of a value is the
        number of cuts strictly below it.
    """

    rule: str
    is_binned: Mask
    cuts: list[Floats] = field(default_factory=list)

    def __repr__(self) -> str:
        n_binned = int(self.is_binned.sum())
        return f"Bins({n_binned} of {len(self.is_binned)} features binned, rule={self.rule!r})"


@dataclass
class Codes:
    """The features of a training set as small integers."""

    table: _core.CodedTable
    bins: Bins

    def matrix(self, n_threads: int = 1) -> npt.NDArray[np.uint8]:
        """Return one row of codes per feature."""
        return self.table.matrix(n_threads=n_threads)

    @property
    def levels(self) -> npt.NDArray[np.int32]:
        return self.table.levels


def code_table(training: LocalData, rule: BinRule, parts: PartSets | None = None) -> Codes:
    """Code every feature of a table in memory; bin columns that are not discrete by the rule first."""
    table = training.table
    to_bin = columns_to_bin(training.schema, rule) & ~training.excluded
    missing = "pairwise" if training.missing == "pairwise" else "category"
    in_parts = {} if parts is None else parts.arguments()
    try:
        is_mapped = isinstance(table.matrix, MappedMatrix)
        if not to_bin.any() and not is_mapped:
            coded = _code_as_is(table, in_parts, training.weights, missing)
            return Codes(coded, _bins(rule, to_bin))
        discretizer = None if rule is None else make_discretizer(rule)
        if table.is_sparse:
            coded, cuts = _code_sparse(training, discretizer, to_bin, in_parts, missing)
            return Codes(coded, _bins(rule, to_bin, cuts))
        rows = RowFacts(
            training.real_weights, training.missing, _classes_of(training.target, training.weights)
        )
        codes, levels, cuts = code_mixed(table, rows, discretizer, to_bin)
        coded = _core.CodedTable.from_codes(
            codes,
            levels,
            weights=training.weights,
            n_threads=table.n_threads,
            missing_code=_missing_code(missing),
            **in_parts,
        )
        return Codes(coded, _bins(rule, to_bin, cuts))
    except _core.TooManyLevels as error:
        raise too_many_levels(table.schema, error.column) from None


def too_many_levels(schema: Schema, column: int) -> ValueError:
    """Return the error for a discrete column with too many values."""
    remedy = (
        "Merge rare categories, or add it to exclude"
        if schema.is_category[column]
        else 'Bin it (discretize="mean-sd" or "equal-frequency"), use a measure for numeric features, '
        "or add it to exclude"
    )
    return ValueError(
        f"column {schema.label(column)} has more than 256 levels, too many for a discrete feature. {remedy}"
    )


def columns_to_bin(schema: Schema, rule: BinRule) -> Mask:
    """Return which columns are binned.

    These are the columns that are not discrete; all but categories if the discretizer does not keep discrete columns;
    for given cut points, the columns that have some.
    """
    if rule is None:
        return np.zeros(schema.n_features, dtype=bool)
    if isinstance(rule, GivenBins):
        return _with_given_cuts(rule, schema)
    keeps = isinstance(rule, str) or getattr(rule, "keep_discrete", True)
    return ~(schema.is_discrete if keeps else schema.is_category)


def code_target(
    target: Target, weights: Array | None, discretize: BinRule = "auto"
) -> tuple[npt.NDArray[np.int32], int]:
    """Return the class codes of the target and their number; a numeric target is binned like a feature."""
    if target.codes is not None:
        return target.codes, target.n_classes
    rule = "mean-sd" if discretize is None or discretize == "auto" else discretize
    discretizer = make_discretizer(rule)
    # MDL needs classes, and given cut points belong to X.
    if isinstance(discretizer, MDLBins | GivenBins):
        discretizer = make_discretizer("mean-sd")
    values = target.values[:, None]
    column = Table(values, None, np.zeros(1, bool))
    if column.schema.is_discrete[0]:
        codes = np.unique(target.values, return_inverse=True)[1].astype(np.int32)
    else:
        row = np.ascontiguousarray(values.T)
        cuts, offsets = discretizer.learn_cuts(
            row, None, None if weights is None else weights.astype(np.float64), 1
        )
        codes = _core.apply_cuts(row, cuts, offsets, 1)[0].astype(np.int32)
    return codes, int(codes.max()) + 1


def _bins(rule: BinRule, is_binned: Mask, cuts: Iterable[Floats] = ()) -> Bins:
    name = rule if isinstance(rule, str) else type(rule).__name__
    return Bins(name if is_binned.any() else "none", is_binned, list(cuts))


def _classes_of(target: Target | None, weights: Array | None) -> npt.NDArray[np.int32] | None:
    """Return the classes for rules that use the target; None without a target."""
    return None if target is None else code_target(target, weights)[0]


def _code_as_is(
    table: Table, in_parts: Values, weights: Array | None, missing: str
) -> _core.CodedTable:
    options = dict(in_parts, weights=weights, n_threads=table.n_threads, missing=missing)
    if table.is_sparse:
        return _core.CodedTable.from_sparse(*table.stored, dense_bytes=DENSE_BYTES, **options)
    return _core.CodedTable.from_dense(table.matrix, **options)


def _code_sparse(
    training: LocalData,
    discretizer: Discretizer | None,
    to_bin: Mask,
    in_parts: Values,
    missing: str,
) -> tuple[_core.CodedTable, list[Floats]]:
    """Return codes and cut points from stored values and the number of zeros, without dense columns.

    Stored codes are relative to the code of zero, so that values that are not stored have it.
    """
    table = training.table
    weights = training.real_weights
    classes = _classes_of(training.target, training.weights)
    values, rows, starts, n_rows = stored_columns(table)
    scratch = getattr(table.matrix, "scratch", None)
    packer = ColumnPacker(table, training.weights, in_parts, scratch, missing)
    cuts_of_all: list[bytes] = []  # no arrays: see ColumnGroupCoder
    # Every column group costs one pass over all rows.
    for start, stop in runs_of(starts[1:] // max(_GROUP_ENTRIES, n_rows)):
        stored = slice(starts[start], starts[stop])
        columns = (values[stored], rows[stored], starts[start : stop + 1] - starts[start], n_rows)
        wanted = to_bin[start:stop]
        codes = columns[0]
        if wanted.any():
            learner = _for_features(discretizer, np.arange(start, stop), training.schema)
            cuts, offsets = learner.learn_sparse_cuts(
                columns, wanted, classes, weights, table.n_threads
            )
            codes = _core.apply_cuts_sparse(
                *columns, wanted.view(np.uint8), cuts, offsets, table.n_threads
            )
            pieces = np.split(cuts, offsets[1:-1])
            cuts_of_all += [pieces[feature].tobytes() for feature in np.flatnonzero(wanted)]
        packer.add_sparse(columns[2], columns[1], codes)
    return packer.finish(), [np.frombuffer(bytearray(cuts)) for cuts in cuts_of_all]


@dataclass(frozen=True)
class RowFacts:
    """Facts about the rows that coding uses: weights, treatment of missing values, and classes."""

    weights: Floats | None
    missing: str
    classes: npt.NDArray[np.int32] | None


def code_mixed(
    table: Table, rows: RowFacts, discretizer: Discretizer | None, to_bin: Mask
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int32], list[Floats]]:
    """Return codes and levels of every column of a dense table, and the cuts of those that are binned."""

    def binned(
        columns: Array, features: Indices
    ) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64], list[Floats]]:
        learner = _for_features(discretizer, features, table.schema)
        cuts, offsets = learner.learn_cuts(columns, rows.classes, rows.weights, table.n_threads)
        coded = _core.apply_cuts(columns, cuts, offsets, table.n_threads)
        return coded, np.diff(offsets) + 1, np.split(cuts, offsets[1:-1])

    if to_bin.all():
        columns = to_feature_major(table.matrix, table.n_threads)
        codes, n_levels, all_cuts = binned(columns, np.arange(table.n_features))
        levels = n_levels.astype(np.int32)
    else:
        codes = np.empty((table.n_features, table.n_rows), dtype=np.uint8)
        levels = np.ones(table.n_features, dtype=np.int32)
        all_cuts = []
        for features in _in_blocks(np.flatnonzero(~to_bin), table.n_rows):
            try:
                as_is = _code_as_is(table.of_features(features), {}, None, "category")
            except _core.TooManyLevels as error:
                error.column = int(features[error.column])
                raise
            codes[features] = as_is.matrix(n_threads=table.n_threads)
            levels[features] = as_is.levels
        for features in _in_blocks(np.flatnonzero(to_bin), table.n_rows):
            columns = to_feature_major(table.matrix[:, features], table.n_threads)
            codes[features], levels[features], cuts = binned(columns, features)
            all_cuts.extend(cuts)
    _code_missing(table.schema, codes, levels, to_bin, rows.missing)
    return codes, levels, all_cuts


def _for_features(
    discretizer: Discretizer | None, features: Indices, schema: Schema
) -> Discretizer:
    """Return the discretizer for some of the features; only given cut points depend on the feature."""
    assert discretizer is not None
    if isinstance(discretizer, GivenBins):
        return discretizer.for_features(features, schema.names, schema.n_features)
    return discretizer


def _with_given_cuts(rule: GivenBins, schema: Schema) -> Mask:
    cuts = rule.by_feature(schema.names, schema.n_features)
    has_cuts = np.array([cuts_of_one is not None for cuts_of_one in cuts], dtype=bool)
    texts = np.flatnonzero(has_cuts & schema.is_category)
    if texts.size:
        raise ValueError(
            f"cuts are given for column {schema.label(int(texts[0]))}, which contains categories. Remove it from cuts"
        )
    return has_cuts


def _in_blocks(features: Indices, n_rows: int) -> Iterator[Indices]:
    return (features[block] for block in feature_blocks(len(features), n_rows))


def _code_missing(
    schema: Schema,
    codes: npt.NDArray[np.uint8],
    levels: npt.NDArray[np.int32],
    to_bin: Mask,
    missing: str,
) -> None:
    """Code missing values as a separate last level, or for pairwise counting by the missing code."""
    for feature in np.flatnonzero(schema.has_missing):
        if to_bin[feature] and missing == "category":
            codes[feature][codes[feature] == MISSING_CODE] = levels[feature]
            levels[feature] += 1
        elif not to_bin[feature] and missing == "pairwise":
            levels[feature] -= 1
            codes[feature][codes[feature] == levels[feature]] = MISSING_CODE


def column_group_coder(discretize: BinRule, default: str) -> Callable[[FileRows], ColumnGroupCoder]:
    """Return the constructor of a coder for `read_files`, which codes while the files are read."""
    rule = default if isinstance(discretize, str) and discretize == "auto" else discretize
    return lambda rows: ColumnGroupCoder(rows, rule)


def _code_files(
    training: LocalData, table: FileTable, rule: BinRule, parts: PartSets | None
) -> Codes:
    """Return the codes made while the files were read if the rule is the same; else make one more pass."""
    rows = FileRows(table, training.excluded, training.target, training.weights, training.missing)
    if table.packed is None or not _is_same(table.packed[0], rule):
        coder = ColumnGroupCoder(rows, rule)
        for group, some in table.column_groups():
            coder.add(group, some)
        table.packed = coder.finish()
    codes = table.packed[1]
    assert isinstance(codes, Codes)
    return codes if parts is None else _in_parts(rows, codes, parts)


def _is_same(rule: BinRule, other: BinRule) -> bool:
    return rule is other or (isinstance(rule, str) and isinstance(other, str) and rule == other)


class ColumnGroupCoder:
    """Codes features in column groups; uses a temporary file when memory is short."""

    def __init__(self, rows: FileRows, rule: BinRule) -> None:
        self._rule, self._excluded, self._names = rule, rows.excluded, rows.table.names
        if rule is not None:
            make_discretizer(rule)  # rejects invalid rules before anything is read
        weights = rows.weights
        self._rows = RowFacts(
            None if weights is None else weights.astype(np.float64),
            rows.missing,
            _classes_of(rows.target, weights),
        )
        self._packer = ColumnPacker(rows.table, weights, {}, rows.table.scratch)
        self._is_binned = np.zeros(rows.table.n_features, dtype=bool)
        # Small Python objects: arrays would lie between the large ones that are allocated for each column group, and
        # prevent the reuse of their memory.
        self._cuts: list[bytes] = []

    def add(self, group: slice, table: Table) -> None:
        rule = self._rule
        if isinstance(rule, GivenBins):  # of all features
            rule = rule.for_features(
                np.arange(group.start, group.stop), self._names, len(self._is_binned)
            )
        to_bin = columns_to_bin(table.schema, rule) & ~self._excluded[group]
        discretizer = None if rule is None else make_discretizer(rule)
        try:
            codes, levels, cuts = code_mixed(table, self._rows, discretizer, to_bin)
        except _core.TooManyLevels as error:
            raise too_many_levels(table.schema, error.column) from None
        self._packer.add(codes, levels, _missing_code(self._rows.missing))
        self._is_binned[group] = to_bin
        self._cuts.extend(cuts_of_one.tobytes() for cuts_of_one in cuts)

    def finish(self) -> tuple[BinRule, Codes]:
        cuts = (np.frombuffer(bytearray(stored)) for stored in self._cuts)
        bins = _bins(self._rule, self._is_binned, cuts)
        return self._rule, Codes(self._packer.finish(), bins)


def _missing_code(missing: str) -> int:
    return MISSING_CODE if missing == "pairwise" else -1


def _in_parts(rows: FileRows, codes: Codes, parts: PartSets) -> Codes:
    """Return the same codes with rows in parts."""
    table = rows.table
    packer = ColumnPacker(table, rows.weights, parts.arguments(), table.scratch)
    levels = codes.levels
    for block in feature_blocks(table.n_features, table.n_rows, table.scratch.memory_limit // 8):
        features = np.arange(block.start, block.stop, dtype=np.uint32)
        matrix = codes.table.matrix(features, table.n_threads)
        packer.add(matrix, levels[block], _missing_code(rows.missing))
    return Codes(packer.finish(), codes.bins)


def code_features(
    training: LocalData,
    discretize: BinRule = "auto",
    *,
    default: str = "mean-sd",
    parts: PartSets | None = None,
) -> Codes:
    """Code every feature; bin columns that are not discrete by `discretize` first.

    Bins are learnt on all rows of the training data, with its weights, and are the same for all parts.
    """
    rule = default if isinstance(discretize, str) and discretize == "auto" else discretize
    if training.grouped is None:
        return code_table(training, rule, parts)
    return _code_files(training, training.grouped, rule, parts)

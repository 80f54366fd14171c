"""The training data of a fit: features, target and weights."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self, TypedDict

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, validate_data

from thresher import _core
from thresher._utils.arrays import LARGEST_EXACT, are_exact, as_numpy, from_smallest
from thresher._utils.checks import did_you_mean, resolve_features, resolve_threads, warn
from thresher._utils.types import (
    Array,
    BinRule,
    DataLike,
    Estimator,
    FeatureNames,
    Floats,
    Indices,
    Mask,
    Names,
    TargetLike,
    Values,
    WeightsLike,
)
from thresher.data.frames import (
    FrameColumns,
    is_frame,
    read_frame,
    sparse_frame,
    to_native,
    with_plain_names,
)
from thresher.data.table import FeatureRoles, FileTable, Matrix, Schema, Table, excluded_features
from thresher.data.target import (
    Target,
    TargetSummary,
    WeightKind,
    is_plain_array,
    native_bytes,
    read_target,
    read_weights,
)
from thresher.io.sparse import MappedMatrix, check_sparse


@dataclass(frozen=True)
class InputRules:
    """What the parameters of a selector say of its input.

    Attributes
    ----------
    target : {"auto", "nominal", "numeric"}
    classes_only : bool
        See `read_target`.
    needs_target : bool
        False where y is not looked at.
    missing : str
        One of the words that the selector takes.
    keep, exclude : list of int or str, or None
    n_jobs : int or None
    accept_sparse, accept_blocks : bool
        Whether the selector takes sparse matrices, and rows in blocks.
    discretize : str, transformer or None
    packing_rule : str or None
        The bins that ``discretize="auto"`` stands for if the selector uses discrete features only: files are then
        packed as they are read.
    """

    target: str = "auto"
    classes_only: bool = False
    needs_target: bool = True
    missing: str = "error"
    keep: FeatureNames = None
    exclude: FeatureNames = None
    n_jobs: int | None = None
    accept_sparse: bool = True
    accept_blocks: bool = False
    discretize: BinRule = "auto"
    packing_rule: str | None = None

    def read_target(self, y: TargetLike, n_rows: int, selector: Estimator) -> Target | None:
        """What y says of so many rows, where it is looked at."""
        if not self.needs_target:
            return None
        owner = type(selector).__name__
        return read_target(y, n_rows, kind=self.target, classes_only=self.classes_only, owner=owner)


class RemoteOptions(TypedDict, total=False):
    """What ``fit`` may be told of rows that are in files or with other processes.

    Attributes
    ----------
    memory_limit : int or str
        Bytes, or such as ``"2GB"``, that a fit from files may take of memory.
    client : object
        Who has the rows, e.g. a client of Dask, where that is not the active one.
    checkpoint : str or Path
        A folder from which a fit that was killed goes on.
    scratch : str or Path
        A folder for temporary files.
    """

    memory_limit: int | str
    client: object
    checkpoint: str | Path
    scratch: str | Path


def check_remote_options(
    owner: str, options: Mapping[str, object] | None, *, in_memory: bool
) -> None:
    """Raise for a name that ``fit`` does not have, and for an option that is not for rows in memory."""
    for name in options or ():
        if name not in RemoteOptions.__annotations__:
            hint = did_you_mean(name, RemoteOptions.__annotations__)
            raise TypeError(f"{owner}.fit() got an unexpected keyword argument {name!r}{hint}")
        if in_memory:
            raise ValueError(
                f"{name} is for rows that are in files or with other processes, but X is in memory; leave it out"
            )


def split_remote_options(params: Values) -> tuple[RemoteOptions, Values]:
    """Return the options among these that are for rows that are not in memory, and the rest."""
    known = {name: params[name] for name in RemoteOptions.__annotations__ if name in params}
    options = RemoteOptions(**known)  # type: ignore[typeddict-item]
    return options, {name: value for name, value in params.items() if name not in known}


def column_names(
    names: Sequence[str], y: TargetLike = None, sample_weight: WeightsLike = None
) -> dict[str, str]:
    """Which of the columns are target and weights: those given by name, each of which must be there."""
    given = {"y": y, "sample_weight": sample_weight}
    named = {parameter: name for parameter, name in given.items() if isinstance(name, str)}
    for parameter, name in named.items():
        if name not in names:
            hint = did_you_mean(name, map(str, names))
            raise ValueError(f"{parameter} names the column {name!r}, which X does not have{hint}")
    if len(named) == 2 and y == sample_weight:
        raise ValueError(f"y and sample_weight both name the column {y!r}; they must differ")
    return named


@dataclass(frozen=True)
class TrainingData(ABC):
    """What a fit learns from, wherever the rows are.

    Attributes
    ----------
    schema : Schema
    features : FeatureRoles
        Which features are candidates, forced in, and excluded.
    target : TargetSummary or None
    missing : {"error", "category", "pairwise", "drop_rows"}
        How missing values are treated.
    n_threads : int
    """

    schema: Schema
    features: FeatureRoles
    target: TargetSummary | None
    missing: str
    n_threads: int

    @property
    @abstractmethod
    def weight_kind(self) -> WeightKind:
        """Whether rows count once each, an integer number of times, or by real weights."""

    @property
    @abstractmethod
    def total_weight(self) -> float:
        """How many samples the rows count for."""

    @property
    @abstractmethod
    def local(self) -> LocalData | None:
        """The data with their rows; None if these are in blocks."""

    def pass_counts(self) -> dict[str, int]:
        """Return the fitted attributes that say how often rows in blocks were read and requested."""
        return {}

    @abstractmethod
    def report_as(self, owner: Estimator) -> None:
        """Report passes over the rows in the name of another estimator from now on."""

    @property
    def n_rows(self) -> int:
        return self.schema.n_rows

    @property
    def n_features(self) -> int:
        return self.schema.n_features

    @property
    def names(self) -> Names | None:
        return self.schema.names

    @property
    def candidates(self) -> Mask:
        return self.features.candidates

    @property
    def kept(self) -> Indices:
        return self.features.kept

    @property
    def excluded(self) -> Mask:
        return self.features.excluded

    @property
    def labels(self) -> TargetSummary:
        """The target, where there must be one."""
        assert self.target is not None
        return self.target

    def __enter__(self) -> Self:
        return self

    @abstractmethod
    def __exit__(self, *failure: object) -> None:
        """Release what is held outside this process."""


@dataclass(frozen=True)
class LocalData(TrainingData):
    """Training data whose rows are in this process, or in files that it reads.

    Attributes
    ----------
    target : Target or None
    table : Table
        The rows used: those of weight zero, and dropped ones, are gone.
    grouped : FileTable or None
        The table again if its columns are read from files in groups.
    weights : ndarray or None
        One positive weight per row; int64 if all were integers.
    rows : ndarray of int or None
        Positions of the rows used; None for all.
    n_given : int
        How many rows there were.
    """

    target: Target | None
    table: Table
    grouped: FileTable | None = None
    weights: Array | None = None
    rows: Indices | None = None
    n_given: int = 0

    @property
    def weight_kind(self) -> WeightKind:
        if self.weights is None:
            return "none"
        return "real" if self.weights.dtype.kind == "f" else "whole"

    @property
    def total_weight(self) -> float:
        return float(self.n_rows if self.weights is None else self.weights.sum())

    @property
    def real_weights(self) -> Floats | None:
        return None if self.weights is None else self.weights.astype(np.float64)

    @property
    def labels(self) -> Target:
        assert self.target is not None
        return self.target

    @property
    def local(self) -> LocalData:
        return self

    def report_as(self, owner: Estimator) -> None:
        """Do nothing: files were read before."""

    def __exit__(self, *failure: object) -> None:
        """Do nothing: temporary files end with the table."""

    def with_table(self, table: Table, features: FeatureRoles) -> LocalData:
        """Return the data of other columns, or other rows, in memory."""
        return replace(self, schema=table.schema, features=features, table=table, grouped=None)


def read_training(
    selector: Estimator,
    X: DataLike,
    y: TargetLike,
    sample_weight: WeightsLike,
    rules: InputRules,
    *,
    names: Names | None = None,
) -> LocalData:
    """Read and check everything a selector is given. The columns of a matrix may have names.

    Raises one clear ``ValueError`` for whatever cannot be used.
    """
    table = read_table(
        selector,
        X,
        n_threads=resolve_threads(rules.n_jobs),
        accept_sparse=rules.accept_sparse,
        exclude=rules.exclude,
        names=names,
    )
    n_given = table.n_rows
    labels = rules.read_target(y, n_given, selector)
    weights, rows = rows_of_weight(read_weights(sample_weight, n_given))
    if rules.missing == "drop_rows":
        rows = _complete_rows(table, rows)
    if rows is not None:
        table = table.take(rows)
        labels = labels.take(rows) if labels is not None else None
        weights = weights[rows] if weights is not None else None
    features = check_training(table.schema, labels, rules)
    shared = table.schema, features, labels, rules.missing, table.n_threads
    return LocalData(*shared, table, None, weights, rows, n_given)


def reader_named(name: str) -> Estimator:
    """Return an estimator in whose name a function reads data: scikit-learn's checks take one."""
    return type(name, (BaseEstimator,), {})()


def rows_of_weight(weights: Array | None) -> tuple[Array | None, Indices | None]:
    """The weights, None if all are 1, and the rows with a weight above 0, None if all have."""
    if weights is None:
        return None, None
    rows = np.flatnonzero(weights) if (weights == 0).any() else None
    return None if (weights == 1).all() else weights, rows


def check_training(schema: Schema, target: TargetSummary | None, rules: InputRules) -> FeatureRoles:
    """Return the roles of the features if a fit can learn from such data; else raise one clear ``ValueError``."""
    check_rows(schema.n_rows, target)
    schema.refuse_unusable(allow_missing=rules.missing != "error")
    varies = ~schema.is_constant
    if rules.missing == "category":
        varies |= schema.has_missing & (schema.n_missing < schema.n_rows)
    features = FeatureRoles.read(schema.names, varies, rules.keep, rules.exclude)
    if features.excluded.any() and not features.selectable.any():
        raise ValueError("exclude leaves no feature that varies; leave at least one of them in")
    if not varies.any():
        raise ValueError(
            "no column of X varies: every feature is constant, so there is nothing to select"
        )
    return features


def read_table(
    selector: Estimator,
    X: DataLike,
    *,
    n_threads: int = 1,
    accept_sparse: bool = True,
    exclude: FeatureNames = None,
    is_block: bool = False,
    names: Names | None = None,
) -> Table:
    """Read X, set ``n_features_in_`` and ``feature_names_in_`` on the selector.

    Excluded columns are zeros in the table, so that no method uses them. With `is_block` there are more rows
    elsewhere, to which values must be comparable.
    """
    X = np.asarray(X) if isinstance(X, list) else X
    table = _read(selector, X, n_threads, accept_sparse, exclude, is_block)
    if names is not None:
        table.names = selector.feature_names_in_ = names
    table = table if is_block else _exact(table, X)
    if exclude is None:
        return table
    return table.without(excluded_features(exclude, table.names, table.n_features))


def _read(
    selector: Estimator,
    X: DataLike,
    n_threads: int,
    accept_sparse: bool,
    exclude: FeatureNames,
    is_block: bool,
) -> Table:
    X = with_plain_names(as_numpy(to_native(X)))
    # What is mapped was checked when it was written.
    if sparse.issparse(X) and not isinstance(X, MappedMatrix):
        check_sparse(X)
    if is_frame(X):
        validate_data(selector, X, skip_check_array=True)
        matrix = sparse_frame(X) if accept_sparse and not is_block else None
        if matrix is not None:
            names = np.array([str(name) for name in X.columns], dtype=object)
            no_category = np.zeros(len(names), dtype=bool)
            columns = FrameColumns(_with_own_places(matrix), names, no_category)
        else:
            columns = read_frame(X, exclude, is_block=is_block)
            if 0 in columns.matrix.shape:
                validate_data(selector, columns.matrix)  # scikit-learn's words for empty data
        selector.n_features_in_ = columns.matrix.shape[1]
        selector.feature_names_in_ = columns.names
        return Table(columns.matrix, columns.names, columns.is_category, n_threads)
    kind = getattr(getattr(X, "dtype", None), "kind", "")
    if kind == "c":
        raise ValueError("Complex data not supported: X holds complex numbers; give real ones")
    if kind in ("M", "m"):
        raise ValueError(
            f"X holds dates or times ({X.dtype}), which are neither numbers nor categories; convert or drop them"
        )
    if sparse.issparse(X) and not accept_sparse:
        raise TypeError(
            f"{type(selector).__name__} does not take sparse X, which it would have to densify; "
            "use MRMR, which takes it as it is, or give X.toarray()"
        )
    X = unmasked(X)
    if isinstance(X, np.ndarray) and X.dtype == object and X.ndim == 2 and exclude is not None:
        X = X.copy()
        X[:, resolve_features("exclude", exclude, None, X.shape[1])] = 0
    if is_plain_array(X, 2) and X.size:
        matrix, selector.n_features_in_ = X, X.shape[1]
        selector.__dict__.pop("feature_names_in_", None)
    else:
        matrix = validate_data(
            selector, X, accept_sparse=("csc", "csr"), dtype="numeric", ensure_all_finite=False
        )
    if sparse.issparse(matrix):
        matrix = _with_own_places(matrix)
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
    elif matrix.dtype.kind not in "fiub" or matrix.dtype == np.float16 or matrix.dtype.itemsize > 8:
        matrix = matrix.astype(np.float64)
    else:
        matrix = native_bytes(matrix)
    return Table(matrix, None, np.zeros(matrix.shape[1], dtype=bool), n_threads)


def unmasked(X: DataLike) -> DataLike:
    """Masked arrays with NaN where a value is masked, as they are if none is; all else as it is."""
    if np.ma.is_masked(X):
        return np.ma.filled(X.astype(np.float64), np.nan)
    return np.ma.getdata(X) if isinstance(X, np.ma.MaskedArray) else X


def indexable(X: DataLike) -> DataLike:
    """X as something whose rows and columns can be taken, if it has both; a lazy frame is refused."""
    X = as_numpy(to_native(X))
    return X if is_frame(X) or sparse.issparse(check_sparse(X)) else np.asarray(unmasked(X))


def rows_and_columns(X: DataLike) -> DataLike:
    """X as something with rows and columns that can be taken; all else is refused in scikit-learn's words."""
    X = indexable(X)
    return X if len(X.shape) == 2 else check_array(X, dtype=None)


def _with_own_places(matrix: Matrix) -> Matrix:
    """The matrix with checked copies of where its entries are.

    Whoever changes X during a fit may change a result, but must not make anybody write elsewhere; what is mapped
    nobody can change.
    """
    if isinstance(matrix, MappedMatrix):
        return matrix
    indices, indptr = matrix.indices.copy(), matrix.indptr.copy()
    n_rows, n_columns = matrix.shape
    rise = _core.sparse_places_rise(
        indptr, indices, matrix.data, n_rows, n_columns, matrix.format == "csc"
    )
    own = type(matrix)((matrix.data, indices, indptr), shape=matrix.shape, copy=False)
    own.has_canonical_format = rise
    return own


def _exact(table: Table, X: DataLike) -> Table:
    """The table with exact numbers that doubles cannot tell apart as distances from the smallest of their column."""
    of_objects = isinstance(X, np.ndarray) and (X.dtype == object or np.ma.is_masked(X))
    given = X if of_objects else table.matrix
    if given.dtype.kind not in "iuO" or given.dtype.itemsize < 8:
        return table
    size = np.maximum(np.abs(table.schema.minimum), np.abs(table.schema.maximum))
    large = np.flatnonzero(size >= LARGEST_EXACT)
    if not large.size:
        return table
    matrix = table.matrix.tocsc(copy=True) if table.is_sparse else table.matrix.copy()
    for feature in large:
        if table.is_sparse:
            stored = slice(*matrix.indptr[feature : feature + 2])
            if stored.stop - stored.start == table.n_rows:  # else 0 is far away
                matrix.data[stored] = from_smallest(matrix.data[stored])
        elif not of_objects:
            matrix[:, feature] = from_smallest(matrix[:, feature])
        elif are_exact(values := given[:, feature].tolist()):
            matrix[:, feature] = from_smallest(np.array(values, dtype=object))
    return Table(matrix, table.names, table.is_category, table.n_threads)


def _complete_rows(table: Table, rows: Indices | None) -> Indices | None:
    """The rows without missing values, or `rows` as it is where none is missing."""
    if not table.schema.has_missing.any():
        return rows
    if table.is_sparse:
        entries = table.matrix.tocoo()
        complete = np.ones(table.n_rows, dtype=bool)
        complete[entries.row[np.isnan(entries.data)]] = False
    else:
        complete = ~np.isnan(table.matrix).any(axis=1)
    return complete_rows(complete, rows)


def complete_rows(complete: Mask, rows: Indices | None) -> Indices:
    """Those of the rows (None: of all) that are complete, with a warning of how many are not."""
    if rows is not None:
        used = np.zeros(len(complete), dtype=bool)
        used[rows] = True
        complete = complete & used
    warn(
        f'missing="drop_rows" left out {len(complete) - int(complete.sum())} of {len(complete)} samples'
    )
    return np.flatnonzero(complete)


def refuse_one_row(n_rows: int) -> None:
    """Raise if there is one row only, of which nothing can be learnt."""
    if n_rows == 1:
        raise ValueError("X has one sample (n_samples = 1); at least 2 are needed")


def check_rows(n_rows: int, target: TargetSummary | None) -> None:
    """Raise if rows or target are too few to learn from."""
    if n_rows == 0:
        raise ValueError("no sample is left: every row was dropped or has weight zero")
    refuse_one_row(n_rows)
    if target is not None:
        target.check_varies()

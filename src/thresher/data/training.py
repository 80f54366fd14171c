"""The training data of a fit: features, target and weights."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self, TypedDict

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
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
from thresher.data.bad_columns import BadColumn, UnusableColumns, drop_code, listed
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
    check_target,
    count_rows,
    is_plain_array,
    native_bytes,
    read_weights,
    target_of,
)
from thresher.io.sparse import MappedMatrix, check_sparse


@dataclass(frozen=True)
class InputRules:
    """The parameters of a selector that decide how its input is read.

    Attributes
    ----------
    target : {"auto", "nominal", "numeric"}
    classes_only : bool
        See `has_classes`.
    needs_target : bool
        False if y is ignored.
    missing : str
        One of the options of the selector.
    keep, exclude : list of int or str, or None
    n_jobs : int or None
    accept_sparse, accept_blocks : bool
        Whether the selector takes sparse matrices, and rows in blocks.
    discretize : str, transformer or None
    packing_rule : str or None
        The bins meant by ``discretize="auto"`` if the selector uses discrete features only: files are then packed while
        they are read.
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

    def check_target(self, y: TargetLike, n_rows: int, selector: Estimator) -> Array | None:
        """Return `y` as an array with one usable value per row, or None if y is ignored."""
        return check_target(y, n_rows, type(selector).__name__) if self.needs_target else None

    def target_of(
        self, labels: Array | None, weights: Array | None, selector: Estimator
    ) -> Target | None:
        """Return the target of the rows used, from their values and their weights."""
        if labels is None:
            return None
        owner = type(selector).__name__
        n_counted = count_rows(weights, len(labels))
        return target_of(labels, n_counted, self.target, self.classes_only, owner)


class RemoteOptions(TypedDict, total=False):
    """Options of ``fit`` for rows in files or in other processes.

    Attributes
    ----------
    memory_limit : int or str
        Memory that a fit from files may use, in bytes or as ``"2GB"``.
    client : object
        The connection to the rows, e.g. a client of Dask, if it is not the active one.
    checkpoint : str or Path
        A folder from which an interrupted fit continues.
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
    """Raise TypeError for an unknown option, and ValueError for one that does not apply to rows in memory."""
    for name in options or ():
        if name not in RemoteOptions.__annotations__:
            hint = did_you_mean(name, RemoteOptions.__annotations__)
            raise TypeError(f"{owner}.fit() got an unexpected keyword argument {name!r}{hint}")
        if in_memory:
            raise ValueError(
                f"{name} is for rows in files or in other processes, but X is in memory. Remove it"
            )


def split_remote_options(params: Values) -> tuple[RemoteOptions, Values]:
    """Return the options for rows that are not in memory, and the other parameters."""
    known = {name: params[name] for name in RemoteOptions.__annotations__ if name in params}
    options = RemoteOptions(**known)  # type: ignore[typeddict-item]
    return options, {name: value for name, value in params.items() if name not in known}


def column_names(
    names: Sequence[str], y: TargetLike = None, sample_weight: WeightsLike = None
) -> dict[str, str]:
    """Return the columns that are passed by name as target and weights; raise ValueError for unknown ones."""
    given = {"y": y, "sample_weight": sample_weight}
    named = {parameter: name for parameter, name in given.items() if isinstance(name, str)}
    for parameter, name in named.items():
        if name not in names:
            hint = did_you_mean(name, map(str, names))
            raise ValueError(f"{parameter} names the column {name!r}, which X does not have{hint}")
    if len(named) == 2 and y == sample_weight:
        raise ValueError(f"y and sample_weight both name the column {y!r}. Pass different columns")
    return named


def separate_columns(
    X: DataLike, y: TargetLike = None, sample_weight: WeightsLike = None
) -> tuple[DataLike, TargetLike, WeightsLike]:
    """Return X without the columns that are named as target and weights, and these columns.

    Without names everything is unchanged.
    """
    given = {"y": y, "sample_weight": sample_weight}
    name = next((name for name, value in given.items() if isinstance(value, str)), None)
    if name is None:
        return X, y, sample_weight
    X = to_native(X)
    if not is_frame(X):
        raise ValueError(
            f"{name}={given[name]!r} names a column, but X ({type(X).__name__}) has no column names. Pass {name} as an "
            "array, or X as a dataframe"
        )
    frame = nw.from_native(X, eager_only=True)
    named = column_names(list(frame.columns), y, sample_weight)
    given |= {parameter: frame[column].to_native() for parameter, column in named.items()}
    if len(named) == frame.shape[1]:
        raise ValueError("X has no column except the target and the weights. Add features")
    return frame.drop(list(named.values())).to_native(), given["y"], given["sample_weight"]


@dataclass(frozen=True)
class TrainingData(ABC):
    """The data of a fit, wherever the rows are.

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
        """The sum of the weights; the number of rows without weights."""

    @property
    @abstractmethod
    def local(self) -> LocalData | None:
        """These data if their rows are in this process; None if they are in blocks."""

    def pass_counts(self) -> dict[str, int]:
        """Return the fitted attributes that count passes and request rounds over rows in blocks."""
        return {}

    @abstractmethod
    def report_as(self, owner: Estimator) -> None:
        """Report passes over the rows under the name of another estimator from now on."""

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
        """The target, for methods that require one."""
        assert self.target is not None
        return self.target

    def __enter__(self) -> Self:
        return self

    @abstractmethod
    def __exit__(self, *failure: object) -> None:
        """Release the resources outside this process."""


@dataclass(frozen=True)
class LocalData(TrainingData):
    """Training data whose rows are in this process, or in files that are read by it.

    Attributes
    ----------
    target : Target or None
    table : Table
        The rows used, without dropped rows and rows of weight zero.
    grouped : FileTable or None
        The same table if its columns are read from files in groups.
    weights : ndarray or None
        One positive weight per row; int64 if all were integers.
    rows : ndarray of int or None
        Positions of the rows used; None for all rows.
    n_given : int
        Number of rows that were passed.
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
        """Do nothing: temporary files are removed with the table."""

    def with_table(self, table: Table, features: FeatureRoles) -> LocalData:
        """Return data with other columns, or other rows, in memory."""
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
    """Read and check the input of a selector; `names` are those of the columns of a matrix.

    Input that cannot be used raises one ``ValueError``.
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
    labels = rules.check_target(y, n_given, selector)
    weights, rows = rows_of_weight(read_weights(sample_weight, n_given))
    if rules.missing == "drop_rows":
        schema = table.schema
        rows = _complete_rows(table, rows)
        reject_no_complete_row(rows, schema.n_missing, n_given, schema.name_of)
    if rows is not None:
        table = table.take(rows)
        labels = labels[rows] if labels is not None else None
        weights = weights[rows] if weights is not None else None
    target = rules.target_of(labels, weights, selector)
    features = check_training(table.schema, target, rules)
    shared = table.schema, features, target, rules.missing, table.n_threads
    return LocalData(*shared, table, None, weights, rows, n_given)


def reader_named(name: str) -> Estimator:
    """Return an estimator under whose name a function reads data; checks of scikit-learn require one."""
    return type(name, (BaseEstimator,), {})()


def rows_of_weight(weights: Array | None) -> tuple[Array | None, Indices | None]:
    """Return the weights (None if all are 1) and the rows of positive weight (None for all rows)."""
    if weights is None:
        return None, None
    rows = np.flatnonzero(weights) if (weights == 0).any() else None
    return None if (weights == 1).all() else weights, rows


def check_training(schema: Schema, target: TargetSummary | None, rules: InputRules) -> FeatureRoles:
    """Return the roles of the features; raise ValueError if a fit cannot learn from such data."""
    check_rows(schema.n_rows, target)
    schema.reject_unusable(allow_missing=rules.missing != "error")
    varies = ~schema.is_constant
    if rules.missing == "category":
        varies |= schema.has_missing & (schema.n_missing < schema.n_rows)
    features = FeatureRoles.read(schema.names, varies, rules.keep, rules.exclude)
    if features.excluded.any() and not features.selectable.any():
        raise ValueError("exclude leaves no feature that varies. Remove features from exclude")
    if not varies.any():
        drops = rules.missing == "drop_rows"
        left = f' in the {schema.n_rows} samples left by missing="drop_rows"' if drops else ""
        raise ValueError(
            f"no column of X varies{left}: every feature is constant. Pass features with at least two values"
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
    """Read X, and set ``n_features_in_`` and ``feature_names_in_`` of the selector.

    Excluded columns are zeros in the table, so that no method uses them. With `is_block` values stay comparable with
    those of other blocks.
    """
    X = np.asarray(X) if isinstance(X, list) else X
    table = _read(selector, X, n_threads, accept_sparse, exclude, is_block)
    if names is not None:
        table.names = selector.feature_names_in_ = names
    table = table if is_block else _with_exact_numbers(table, X)
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
    # Mapped matrices were checked when they were written.
    if sparse.issparse(X) and not isinstance(X, MappedMatrix):
        check_sparse(X)
    if is_frame(X):
        validate_data(selector, X, skip_check_array=True)
        matrix = sparse_frame(X) if accept_sparse and not is_block else None
        if matrix is not None:
            names = np.array([str(name) for name in X.columns], dtype=object)
            no_category = np.zeros(len(names), dtype=bool)
            columns = FrameColumns(_with_copied_indices(matrix), names, no_category)
        else:
            columns = read_frame(X, exclude, is_block=is_block)
            if 0 in columns.matrix.shape:
                validate_data(selector, columns.matrix)  # raises the error for empty data
        selector.n_features_in_ = columns.matrix.shape[1]
        selector.feature_names_in_ = columns.names
        return Table(columns.matrix, columns.names, columns.is_category, n_threads)
    kind = getattr(getattr(X, "dtype", None), "kind", "")
    if kind == "c":
        raise ValueError("Complex data not supported: X contains complex numbers. Pass real ones")
    if kind in ("M", "m"):
        raise ValueError(
            f"X contains dates or times ({X.dtype}), which are neither numbers nor categories. Convert or drop them"
        )
    if sparse.issparse(X) and not accept_sparse:
        raise TypeError(
            f"{type(selector).__name__} needs dense X, got a sparse matrix. "
            "Pass X.toarray(), or use MRMR, which supports sparse X"
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
        matrix = _with_copied_indices(matrix)
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
    elif matrix.dtype.kind not in "fiub" or matrix.dtype == np.float16 or matrix.dtype.itemsize > 8:
        matrix = matrix.astype(np.float64)
    else:
        matrix = native_bytes(matrix)
    return Table(matrix, None, np.zeros(matrix.shape[1], dtype=bool), n_threads)


def unmasked(X: DataLike) -> DataLike:
    """Return a masked array with NaN for masked values, without its mask if none is; all else unchanged."""
    if np.ma.is_masked(X):
        return np.ma.filled(X.astype(np.float64), np.nan)
    return np.ma.getdata(X) if isinstance(X, np.ma.MaskedArray) else X


def indexable(X: DataLike) -> DataLike:
    """Return X as an object whose rows and columns can be taken; raise ValueError for a lazy frame."""
    X = as_numpy(to_native(X))
    return X if is_frame(X) or sparse.issparse(check_sparse(X)) else np.asarray(unmasked(X))


def rows_and_columns(X: DataLike) -> DataLike:
    """Return X as a two-dimensional object whose rows and columns can be taken; else raise as scikit-learn."""
    X = indexable(X)
    return X if len(X.shape) == 2 else check_array(X, dtype=None)


def _with_copied_indices(matrix: Matrix) -> Matrix:
    """Return the matrix with checked copies of the indices of its entries.

    A caller who changes X during a fit may change the result, but must not cause writes outside the arrays. Mapped
    matrices cannot be changed.
    """
    if isinstance(matrix, MappedMatrix):
        return matrix
    indices, indptr = matrix.indices.copy(), matrix.indptr.copy()
    n_rows, n_columns = matrix.shape
    is_sorted = _core.sparse_indices_rise(
        indptr, indices, matrix.data, n_rows, n_columns, matrix.format == "csc"
    )
    copy = type(matrix)((matrix.data, indices, indptr), shape=matrix.shape, copy=False)
    copy.has_canonical_format = is_sorted
    return copy


def _with_exact_numbers(table: Table, X: DataLike) -> Table:
    """Return the table with integers beyond doubles replaced by their distances from the smallest of a column."""
    of_objects = isinstance(X, np.ndarray) and (X.dtype == object or np.ma.is_masked(X))
    original = X if of_objects else table.matrix
    if original.dtype.kind not in "iuO" or original.dtype.itemsize < 8:
        return table
    size = np.maximum(np.abs(table.schema.minimum), np.abs(table.schema.maximum))
    large = np.flatnonzero(size >= LARGEST_EXACT)
    if not large.size:
        return table
    matrix = table.matrix.tocsc(copy=True) if table.is_sparse else table.matrix.copy()
    for feature in large:
        if table.is_sparse:
            stored = slice(*matrix.indptr[feature : feature + 2])
            if stored.stop - stored.start == table.n_rows:  # else 0 is too distant
                matrix.data[stored] = from_smallest(matrix.data[stored])
        elif not of_objects:
            matrix[:, feature] = from_smallest(matrix[:, feature])
        elif are_exact(values := original[:, feature].tolist()):
            matrix[:, feature] = from_smallest(np.array(values, dtype=object))
    return Table(matrix, table.names, table.is_category, table.n_threads)


def _complete_rows(table: Table, rows: Indices | None) -> Indices | None:
    """Return the rows without missing values; `rows` unchanged if none is missing."""
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
    """Return the complete ones of the rows (None: of all rows); warn how many are dropped."""
    if rows is not None:
        used = np.zeros(len(complete), dtype=bool)
        used[rows] = True
        complete = complete & used
    warn(
        f'missing="drop_rows" left out {len(complete) - int(complete.sum())} of {len(complete)} samples'
    )
    return np.flatnonzero(complete)


def reject_no_complete_row(
    rows: Indices | None,
    n_missing: npt.NDArray[np.int64],
    n_given: int,
    name_of: Callable[[int], str | int],
) -> None:
    """Raise ValueError if dropping rows leaves none; it names the columns with the most missing values.

    Parameters
    ----------
    rows : ndarray of int, or None
        The rows left; None for all.
    n_missing : ndarray of int
        How many of the given rows have no value, for each column.
    n_given : int
    name_of : callable
        Returns the name, or the position, of a feature.
    """
    if rows is None or len(rows) or not n_missing.any():
        return
    largest = int(n_missing.max())
    bad = [BadColumn(name_of(i), "", "") for i in np.flatnonzero(n_missing == largest).tolist()]
    names = [column.name for column in bad]
    one = len(bad) == 1
    every = "all" if largest == n_given else f"{largest} of {n_given}"
    raise UnusableColumns(
        f'missing="drop_rows" leaves no sample. Most missing values are in column{"" if one else "s"} '
        f"{listed(bad, repr)} ({every} samples{'' if one else ' each'}). Drop {'it' if one else 'them'} "
        f"({drop_code(names)}), fill the values in, or set another value of missing",
        names,
    )


def reject_one_row(n_rows: int) -> None:
    """Raise ValueError if there is only one row, from which nothing can be learnt."""
    if n_rows == 1:
        raise ValueError("X has one sample (n_samples = 1). Pass at least 2")


def check_rows(n_rows: int, target: TargetSummary | None) -> None:
    """Raise ValueError if there are too few rows, or the target does not vary."""
    if n_rows == 0:
        raise ValueError("no sample is left: every row was dropped or has weight zero")
    reject_one_row(n_rows)
    if target is not None:
        target.check_varies()

"""The training data of a fit: features, target and weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self, TypedDict, TypeVar

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils.validation import check_array, validate_data

from thresher import _core
from thresher._utils.arrays import LARGEST_EXACT, are_exact, as_numpy, from_smallest
from thresher._utils.checks import did_you_mean, resolve_features, resolve_threads
from thresher._utils.warnings import warn
from thresher.data.frames import (
    FrameColumns,
    is_frame,
    read_frame,
    sparse_frame,
    to_native,
    with_plain_names,
)
from thresher.data.schema import Columns, Mask, Names
from thresher.data.table import Table
from thresher.data.target import Target, is_plain_array, native_bytes, read_target
from thresher.data.weights import read_weights
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
    """

    target: str = "auto"
    classes_only: bool = False
    needs_target: bool = True
    missing: str = "error"
    keep: Any = None
    exclude: Any = None
    n_jobs: int | None = None

    def read_target(self, y: Any, n_rows: int, selector: Any) -> Target | None:
        """What y says of so many rows, where it is looked at."""
        if not self.needs_target:
            return None
        owner = type(selector).__name__
        return read_target(y, n_rows, kind=self.target, classes_only=self.classes_only, owner=owner)


class Far(TypedDict, total=False):
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
    client: Any
    checkpoint: str | Path
    scratch: str | Path


def check_far(owner: str, far: Mapping[str, Any] | None, *, in_memory: bool) -> None:
    """Raise for a name that ``fit`` does not know, and for one that says nothing of rows in memory."""
    for name in far or ():
        if name not in Far.__annotations__:
            hint = did_you_mean(name, Far.__annotations__)
            raise TypeError(f"{owner}.fit() got an unexpected keyword argument {name!r}{hint}")
        if in_memory:
            raise ValueError(
                f"{name} is for rows that are in files or with other processes, but X is in memory; leave it out"
            )


def split_far(params: Mapping[str, Any]) -> tuple[Far, dict[str, Any]]:
    """What of these is told of rows that are not in memory, and the rest."""
    far = Far(**{name: params[name] for name in Far.__annotations__ if name in params})  # type: ignore[typeddict-item]
    return far, {name: value for name, value in params.items() if name not in far}


def column_names(names: Sequence[str], y: Any = None, sample_weight: Any = None) -> dict[str, str]:
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


MISSING = ("error", "category", "pairwise", "drop_rows")
T = TypeVar("T")


@dataclass(frozen=True)
class Training:
    """What a selector learns from.

    Attributes
    ----------
    table : Table
        The rows used: those of weight zero, and dropped ones, are gone.
    columns : Columns
        What is known of the features whatever the rows.
    target : Target or None
    weights : ndarray or None
        One positive weight per row; int64 if all were whole numbers.
    missing : str
        How missing values are treated.
    rows : ndarray of int or None
        Positions of the rows used; None for all.
    n_given : int
        How many rows there were.
    """

    table: Table
    columns: Columns
    target: Target | None = None
    weights: npt.NDArray[Any] | None = None
    missing: str = "error"
    rows: npt.NDArray[np.intp] | None = None
    n_given: int = 0

    @property
    def n_threads(self) -> int:
        return self.table.n_threads

    @property
    def n_rows(self) -> int:
        return self.table.n_rows

    @property
    def n_features(self) -> int:
        return self.table.n_features

    @property
    def names(self) -> npt.NDArray[np.object_] | None:
        return self.columns.names

    @property
    def candidates(self) -> Mask:
        return self.columns.candidates

    @property
    def kept(self) -> npt.NDArray[np.intp]:
        return self.columns.kept

    @property
    def excluded(self) -> Mask:
        return self.columns.excluded

    @property
    def real_weights(self) -> npt.NDArray[np.float64] | None:
        return None if self.weights is None else self.weights.astype(np.float64)

    @property
    def labels(self) -> Target:
        """The target, where there must be one."""
        assert self.target is not None
        return self.target

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        """Let go of what is held elsewhere: of rows in memory nothing is."""


def read_training(
    selector: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    rules: InputRules,
    *,
    accept_sparse: bool = True,
    names: Names | None = None,
) -> Training:
    """Read and check everything a selector is given; see `Training`. The columns of a matrix may have names.

    Raises one clear ``ValueError`` for whatever cannot be used.
    """
    table = read_table(
        selector,
        X,
        n_threads=resolve_threads(rules.n_jobs),
        accept_sparse=accept_sparse,
        exclude=rules.exclude,
        names=names,
    )
    labels = rules.read_target(y, table.n_rows, selector)
    n_given = table.n_rows
    weights = read_weights(sample_weight, n_given)
    weights, rows = rows_of_weight(weights)
    if rules.missing == "drop_rows":
        rows = _complete_rows(table, rows)
    if rows is not None:
        table = table.take(rows)
        labels = labels.take(rows) if labels is not None else None
        weights = weights[rows] if weights is not None else None
    training = checked_training(Training, table, labels, weights, rules, rows)
    return replace(training, n_given=n_given)


def rows_of_weight(
    weights: npt.NDArray[Any] | None,
) -> tuple[npt.NDArray[Any] | None, npt.NDArray[np.intp] | None]:
    """The weights, None if all are 1, and the rows with a weight above 0, None if all have."""
    if weights is None:
        return None, None
    rows = np.flatnonzero(weights) if (weights == 0).any() else None
    return None if (weights == 1).all() else weights, rows


def checked_training(
    kind: Callable[..., T],
    table: Table,
    labels: Target | None,
    weights: npt.NDArray[Any] | None,
    rules: InputRules,
    rows: npt.NDArray[np.intp] | None = None,
) -> T:
    """What was read as a `Training` of some kind, if one can learn from it; else one clear ``ValueError``."""
    check_rows(table, labels)
    refuse_unusable_values(table, allow_missing=rules.missing != "error")
    varies = ~table.is_constant
    if rules.missing == "category":
        varies |= table.has_missing & (table.scan.n_missing < table.n_rows)
    columns = Columns.read(table.names, varies, rules.keep, rules.exclude)
    if columns.excluded.any() and not columns.selectable.any():
        raise ValueError("exclude leaves no feature that varies; leave at least one of them in")
    if not varies.any():
        raise ValueError(
            "no column of X varies: every feature is constant, so there is nothing to select"
        )
    return kind(table, columns, labels, weights, rules.missing, rows)


def read_table(
    selector: Any,
    X: Any,
    *,
    n_threads: int = 1,
    accept_sparse: bool = True,
    exclude: Any = None,
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
    dropped = np.zeros(table.n_features, dtype=bool)
    dropped[resolve_features("exclude", exclude, table.names, table.n_features)] = True
    return table.without(dropped)


def _read(
    selector: Any, X: Any, n_threads: int, accept_sparse: bool, exclude: Any, is_block: bool
) -> Table:
    X = with_plain_names(as_numpy(to_native(X)))
    if not isinstance(X, MappedMatrix):  # what is mapped was checked when it was written
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
        vars(selector).pop("feature_names_in_", None)
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


def unmasked(X: Any) -> Any:
    """Masked arrays with NaN where a value is masked, as they are if none is; all else as it is."""
    if np.ma.is_masked(X):
        return np.ma.filled(X.astype(np.float64), np.nan)
    return np.ma.getdata(X) if isinstance(X, np.ma.MaskedArray) else X


def indexable(X: Any) -> Any:
    """X as something whose rows and columns can be taken, if it has both; a lazy frame is refused."""
    X = as_numpy(to_native(X))
    return X if is_frame(X) or sparse.issparse(check_sparse(X)) else np.asarray(unmasked(X))


def rows_and_columns(X: Any) -> Any:
    """X as something with rows and columns that can be taken; all else is refused in scikit-learn's words."""
    X = indexable(X)
    return X if len(X.shape) == 2 else check_array(X, dtype=None)


def _with_own_places(matrix: Any) -> Any:
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


def _exact(table: Table, X: Any) -> Table:
    """The table with exact numbers that doubles cannot tell apart as distances from the smallest of their column."""
    of_objects = isinstance(X, np.ndarray) and (X.dtype == object or np.ma.is_masked(X))
    given = X if of_objects else table.matrix
    if given.dtype.kind not in "iuO" or given.dtype.itemsize < 8:
        return table
    size = np.maximum(np.abs(table.scan.minimum), np.abs(table.scan.maximum))
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


def _complete_rows(table: Table, rows: npt.NDArray[np.intp] | None) -> npt.NDArray[np.intp] | None:
    """The rows without missing values, or `rows` as it is where none is missing."""
    if not table.has_missing.any():
        return rows
    if table.is_sparse:
        entries = table.matrix.tocoo()
        complete = np.ones(table.n_rows, dtype=bool)
        complete[entries.row[np.isnan(entries.data)]] = False
    else:
        complete = ~np.isnan(table.matrix).any(axis=1)
    return complete_rows(complete, rows)


def complete_rows(complete: Mask, rows: npt.NDArray[np.intp] | None) -> npt.NDArray[np.intp]:
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


def check_rows(table: Table, labels: Target | None) -> None:
    if table.n_rows == 0:
        raise ValueError("no sample is left: every row was dropped or has weight zero")
    refuse_one_row(table.n_rows)
    if labels is None:
        return
    if labels.is_nominal and labels.n_classes < 2:
        raise ValueError(
            f"y has one class ({np.asarray(labels.classes).tolist()[0]!r}); at least 2 classes are needed"
        )
    if not labels.is_nominal and labels.values.min() == labels.values.max():
        raise ValueError(f"y is constant ({labels.values[0]:g}); a target that varies is needed")


def refuse_unusable_values(table: Table, *, allow_missing: bool) -> None:
    """Raise for infinite values and, unless they are allowed, for missing ones."""
    n_infinite, n_missing = table.scan.n_infinite, table.scan.n_missing
    if n_infinite.any():
        first = int(np.argmax(n_infinite > 0))
        raise ValueError(
            f"column {table.name(first)} of X contains infinity (inf) in "
            f"{int(n_infinite[first])} of {table.n_rows} samples; replace or drop those values"
        )
    if n_missing.any() and not allow_missing:
        first = int(np.argmax(n_missing > 0))
        count = int(n_missing[first])
        what = "only NaN" if count == table.n_rows else f"NaN in {count} of {table.n_rows} samples"
        raise ValueError(
            f"column {table.name(first)} of X contains {what}; fill the values in, drop the column, "
            "or see the parameter missing"
        )

"""Measures of single numeric features and similarities of pairs, dense or sparse."""

from __future__ import annotations

import numpy as np

from thresher import _core
from thresher._utils.types import Array, DataLike, Floats, TargetLike
from thresher.data import (
    LocalData,
    Table,
    Target,
    read_table,
    read_target,
    reader_named,
    resolve_threads,
)
from thresher.discretize import SparseColumns


def stored_columns(table: Table) -> SparseColumns:
    """Return values, rows and starts of the columns of a sparse table, in the types of the core."""
    matrix = table.matrix.tocsc()
    values = matrix.data
    if values.dtype not in (np.float32, np.float64):
        values = values.astype(np.float64)
    rows = matrix.indices.astype(np.int32, copy=False)
    return values, rows, matrix.indptr.astype(np.int64, copy=False), table.n_rows


def dispersion(training: LocalData, measure: str) -> Floats:
    """Return the dispersion of every feature: 0 for constant ones, 1 for them with "am/gm"."""
    table = training.table
    options = measure, training.missing == "pairwise", training.n_threads
    if table.is_sparse:
        values = _core.dispersion_sparse(*stored_columns(table), *options)
    else:
        values = _core.dispersion(table.feature_major(), *options)
    undefined = np.isnan(values) & training.candidates
    if undefined.any():
        first = int(np.argmax(undefined))
        raise ValueError(
            f'relevance="{measure}" needs positive values, but column {table.schema.label(first)} of X has '
            f'{table.schema.minimum[first]:g}. Shift or drop the column, or use "amgm"'
        )
    values[np.isnan(values)] = 1.0
    return values


def separation(training: LocalData, measure: str) -> Floats:
    """Return the Fisher score (``"fisher"``) or two-class Fisher ratio (``"fir"``) of every feature."""
    labels = training.labels
    if labels.codes is None:
        raise ValueError(
            f'"{measure}" needs classes, but y is numeric. Use "pearson", or set target="nominal"'
        )
    if measure == "fir" and labels.n_classes != 2:
        raise ValueError(
            f'relevance="fir" is for two classes, but y has {labels.n_classes}. Use "fisher"'
        )
    return class_values(training.table, labels, measure)


def class_values(table: Table, labels: Target, measure: str) -> Floats:
    """Return a measure of every feature with the classes, without weights; NaN for dense features with NaN."""
    options = measure, labels.class_codes, labels.n_classes, table.n_threads
    if table.is_sparse:
        return sparse_numbers(table).relevance_of_classes(*options)
    if reads_by_rows(table):
        return _core.separation_rows(table.matrix, *options)
    return _core.separation(table.feature_major(), *options)


def sparse_numbers(
    table: Table, weights: Floats | None = None, **parts: Array
) -> _core.SparseTable:
    """Return the core's table of the columns of a sparse table."""
    values, rows, starts, n_rows = stored_columns(table)
    values = values.astype(np.float64, copy=False)
    return _core.SparseTable(starts, rows, values, n_rows, weights=weights, **parts)


def reads_by_rows(table: Table) -> bool:
    """Return whether the rows are contiguous floats, so that no transposed copy is needed."""
    matrix = table.matrix
    return bool(
        not table.is_category.any()
        and matrix.dtype in (np.float32, np.float64)
        and matrix.flags.c_contiguous
    )


def anova_f(X: DataLike, y: TargetLike, *, n_jobs: int | None = None) -> Floats:
    """Compute the one-way F of every column: between-class over within-class mean squares.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Classes.
    n_jobs : int, default=None
        Number of threads; the result does not depend on it.

    Returns
    -------
    values : ndarray of float of shape (n_features,)
        ``(n - C) / (C - 1) * min(SSB / SSW, 1e12)``; 0 for constant columns.

    See Also
    --------
    f_statistic : The same for one column, with weights.
    Univariate : Selects features by F, with p-values.

    Notes
    -----
    The values are those of ``sklearn.feature_selection.f_classif``. C-ordered float32 or float64 data are read once,
    without a copy; every sum is in double precision. Missing or infinite values raise ``ValueError``.

    Examples
    --------
    >>> from thresher.measures import anova_f
    >>> anova_f([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0], [4.0, 5.0]], [0, 0, 1, 1]).tolist()
    [8.0, 0.0]
    """
    table = read_table(reader_named("anova_f"), X, n_threads=resolve_threads(n_jobs))
    labels = read_target(y, table.n_rows, classes_only=True, owner="anova_f")
    if labels.n_classes < 2:
        raise ValueError("y has one class. Pass at least 2 classes")
    if table.is_sparse and (table.schema.has_missing.any() or (table.schema.n_infinite > 0).any()):
        raise ValueError("X contains NaN or infinity. Fill in or drop those values")
    values = class_values(table, labels, "f")
    if np.isnan(values).any():
        first = int(np.argmax(np.isnan(values)))
        raise ValueError(
            f"column {table.schema.label(first)} of X contains NaN or infinity. Fill in or drop those values"
        )
    return values


def similarity(training: LocalData, measure: str) -> _core.PairMeasure:
    """Return the similarity of feature pairs as a ``_core.PairMeasure``."""
    table, n_threads = training.table, training.n_threads
    missing = "pairwise" if training.missing == "pairwise" else "error"
    if not table.is_sparse:
        numbers = _core.NumericTable(table.feature_major(), n_threads=n_threads, missing=missing)
        return _core.NumericPairMeasure(numbers, measure, n_threads)
    if missing == "pairwise" and table.schema.has_missing.any():
        raise ValueError(
            'missing="pairwise" compares values present in both columns, which needs dense X. '
            "Pass X.toarray(), or fill the values in"
        )
    return _core.SparsePairMeasure(sparse_numbers(table), measure, n_threads)

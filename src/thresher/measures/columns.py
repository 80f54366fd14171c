"""Measures of single numeric features, and similarities of two, dense or sparse."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from thresher import _core
from thresher.sources import Table, Training

Floats = npt.NDArray[np.float64]

DISPERSIONS = ("variance", "mad", "mean-median", "iqr", "am/gm", "amgm")
SEPARATIONS = ("fir", "fisher")
SIMILARITIES = ("cosine", "pearson", "mici")


def round_significant(values: Floats, bits: int) -> Floats:
    """To so many significant bits, so that values equal on paper tie."""
    mantissa, exponent = np.frexp(values)
    rounded: Floats = np.ldexp(np.rint(np.ldexp(mantissa, bits)), exponent - bits)
    return rounded


def stored_columns(table: Table) -> tuple[Any, Any, Any, int]:
    """Values, rows and starts of a sparse table by columns, in the types of the core."""
    matrix = table.matrix.tocsc()
    values = matrix.data
    if values.dtype not in (np.float32, np.float64):
        values = values.astype(np.float64)
    rows = matrix.indices.astype(np.int32, copy=False)
    return values, rows, matrix.indptr.astype(np.int64, copy=False), table.n_rows


def dispersion(training: Training, measure: str) -> Floats:
    """Dispersion of every feature: 0 for constant ones, for "am/gm" 1."""
    table = training.table
    skip = training.missing == "pairwise"
    if table.is_sparse:
        found = _core.dispersion_sparse(
            *stored_columns(table), measure, skip, n_threads=training.n_threads
        )
    else:
        found = _core.dispersion(table.feature_major(), measure, skip, n_threads=training.n_threads)
    values: Floats = found
    bad = np.isnan(values) & training.candidates
    if bad.any():
        first = int(np.argmax(bad))
        raise ValueError(
            f'relevance="{measure}" needs positive values, but column {table.name(first)} of X has '
            f'{table.scan.minimum[first]:g}; shift or drop the column, or use "amgm"'
        )
    values[np.isnan(values)] = 1.0
    return values


def separation(training: Training, measure: str) -> Floats:
    """Fisher score (``"fisher"``), or two-class Fisher ratio (``"fir"``), of every feature."""
    labels = training.labels
    if labels.codes is None:
        raise ValueError(
            f'"{measure}" needs classes, but y is numeric; use "pearson", or target="nominal"'
        )
    if measure == "fir" and labels.n_classes != 2:
        raise ValueError(
            f'relevance="fir" is for two classes, but y has {labels.n_classes}; use "fisher"'
        )
    target = (measure, labels.codes, labels.n_classes)
    table = training.table
    if table.is_sparse:
        found = _core.separation_sparse(
            *stored_columns(table), *target, n_threads=training.n_threads
        )
    else:
        found = _core.separation(table.feature_major(), *target, n_threads=training.n_threads)
    values: Floats = found
    return values


def similarity(training: Training, measure: str) -> Any:
    """Similarity of feature pairs as a ``_core.PairMeasure``."""
    table = training.table
    skip = training.missing == "pairwise"
    if not table.is_sparse:
        return _core.column_similarity(
            table.feature_major(), measure, skip, n_threads=training.n_threads
        )
    if skip and table.has_missing.any():
        raise ValueError(
            'missing="pairwise" compares values present in both columns, which needs dense X; '
            "give X.toarray() or fill the values in"
        )
    return _core.column_similarity_sparse(
        *stored_columns(table), measure, n_threads=training.n_threads
    )

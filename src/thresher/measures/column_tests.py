"""P-values of every column with the target, by one measure or by the types of both."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy import special, stats

from thresher import _core
from thresher._utils.types import Array, Floats, Names
from thresher.data import FeatureRoles, LocalData, TrainingData
from thresher.measures._local import LocalMeasures
from thresher.measures._names import KINDS
from thresher.measures._protocol import Measures
from thresher.measures.chance import minus_log_chi2, minus_log_f
from thresher.measures.rounding import round_significant


def analytic_pvalues(
    training: TrainingData, measures: Measures, measure: str, scores: Floats
) -> Floats:
    """Return the probability of a value at least as large if feature and target are independent."""
    n, law = training.total_weight, KINDS[measure].law
    if law == "association":
        return _of_association(training, measures)
    if law in ("f", "share"):
        n_means = training.labels.n_classes if training.labels.is_nominal else 2
        rest = max(n - n_means, 1e-9)
        if law == "share":
            with np.errstate(divide="ignore"):
                scores = scores / (1 - scores) * (rest / (n_means - 1))
        pvalues = special.fdtrc(n_means - 1, rest, scores)
    elif law == "correlation":
        if n < 3:
            return np.ones(len(scores))
        with np.errstate(divide="ignore"):
            t = scores * np.sqrt((n - 2) / np.maximum(1 - scores**2, 0))
        pvalues = 2 * stats.t.sf(t, n - 2)
    else:
        freedom = (measures.levels.astype(float) - 1) * (measures.n_target_levels - 1)
        statistic = scores
        if law == "information":
            information = scores if measure == "mi" else measures.relevance("mi")
            statistic = 2 * n * np.log(2) * information
        pvalues = np.where(freedom > 0, stats.chi2.sf(statistic, np.maximum(freedom, 1)), 1.0)
    return np.asarray(pvalues, dtype=np.float64)


def _of_association(training: TrainingData, measures: Measures) -> Floats:
    """Return F tests of numbers and of numeric targets; of two categories, (n - 1) t as chi-squared."""
    is_category, rows = training.schema.is_category, training.local
    if not is_category.any():
        return analytic_pvalues(training, measures, "f", measures.relevance("f"))
    if rows is None:  # blocks of categories and classes
        freedom = (measures.levels.astype(float) - 1) * (measures.n_target_levels - 1)
        n = training.total_weight
        minus_log = minus_log_chi2(
            (n - 1) / n * measures.relevance("chi2"), np.maximum(freedom, 1.0)
        )
        return np.exp(-minus_log)
    if training.missing == "pairwise" and training.schema.has_missing[is_category].any():
        raise ValueError(
            'p-values of the measure "association" need complete categories; set missing="category" or "drop_rows"'
        )
    pvalues = np.ones(training.n_features)
    for test, columns in (
        (_of_numbers, np.flatnonzero(~is_category & training.candidates)),
        (partial(_of_categories, unbiased=True), np.flatnonzero(is_category & training.candidates)),
    ):
        if columns.size:
            some = rows.table.of_features(columns)
            roles = FeatureRoles.read(some.names, np.ones(len(columns), bool))
            pvalues[columns] = np.exp(-test(rows.with_table(some, roles)))
    return pvalues


def test_names(training: TrainingData) -> Names:
    """Return the test of every column: ``"f"`` for numbers, ``"chi2"`` or ``"anova"`` for categories."""
    of_categories = "chi2" if training.labels.is_nominal else "anova"
    return np.where(training.schema.is_category, of_categories, "f").astype(object)


def evidence(training: LocalData) -> Floats:
    """Return ``-log10`` of the p-value of every column by the test of its type; 0 if it does not vary."""
    is_category = training.schema.is_category
    result = np.zeros(training.n_features)
    for test, columns in (
        (_of_numbers, np.flatnonzero(~is_category & training.candidates)),
        (_of_categories, np.flatnonzero(is_category & training.candidates)),
    ):
        if columns.size:
            some = training.table.of_features(columns)
            roles = FeatureRoles.read(some.names, np.ones(len(columns), bool))
            result[columns] = test(training.with_table(some, roles)) / np.log(10)
    return round_significant(result)


def _of_numbers(training: LocalData) -> Floats:
    n_means = training.labels.n_classes if training.labels.is_nominal else 2
    values = LocalMeasures(training).relevance("f")
    return _minus_log_f(values, np.full(len(values), n_means), training.total_weight)


def _of_categories(training: LocalData, *, unbiased: bool = False) -> Floats:
    """Return ``-log P`` of every category; `unbiased` makes the mean of chi-squared that of its distribution."""
    measures = LocalMeasures(training, discretize=None)
    levels = measures.levels
    if training.labels.is_nominal:
        freedom = np.maximum((levels - 1.0) * (training.labels.n_classes - 1), 1.0)
        n = training.total_weight
        factor = (n - 1) / n if unbiased else 1.0
        return minus_log_chi2(factor * measures.relevance("chi2"), freedom)
    target_row = np.ascontiguousarray(training.labels.values[None, :])
    target = _core.NumericTable(target_row, weights=training.real_weights)
    values = [
        target.relevance_of_classes("f", codes.astype(np.int32), int(n_levels))[0]
        for codes, n_levels in zip(measures.codes.matrix(training.n_threads), levels, strict=True)
    ]
    return _minus_log_f(np.array(values), levels, training.total_weight)


def _minus_log_f(values: Floats, n_means: Array, n: float) -> Floats:
    """Return ``-log P`` of F values; 0 if every sample has a separate mean, so that nothing can be tested."""
    above, below = n_means - 1.0, n - n_means
    minus_log = minus_log_f(values, np.maximum(above, 1.0), np.maximum(below, 1.0))
    return np.where((above > 0) & (below > 0), minus_log, 0.0)

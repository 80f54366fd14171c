"""P-values of relevances from permuted targets, for all features together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from scipy import stats

from thresher._utils.long_calls import call_interruptibly
from thresher._utils.random import Purpose, stream
from thresher._utils.types import Floats, Indices, Mask
from thresher.data import LocalData, feature_blocks, powers_of_two
from thresher.measures._names import KINDS
from thresher.measures._protocol import Measures
from thresher.measures.chance import minus_log_chi2
from thresher.measures.column_tests import evidence

Orders = Indices

# Correlations count as equal if they differ by less than the rounding of their sums, or by fewer standard deviations
# of the rounding of columns than this. So an exact tie never makes a p-value smaller.
_LEAST_SLACK, _DEVIATIONS = 2.0**-40, 8.0
# Bytes of permuted targets at a time.
_BLOCK_BYTES = 1 << 26


def permutation_pvalues(
    training: LocalData,
    measures: Measures,
    measure: str,
    candidates: Mask,
    *,
    n_permutations: int = 100,
    seed: int = 0,
) -> Floats:
    """Compute the share of relevances with a permuted target that are as large, over all features together.

    Parameters
    ----------
    training : LocalData
        Without weights.
    measures : Measures
        The measures of all rows.
    measure : str
        Measures of discrete features are compared by the probability of their statistic under the chi-squared
        distribution, as features with more levels have more information by chance. Other measures are compared by the
        share of the scatter of the feature that the target explains, and categories next to numbers by the
        probability under the test of each.
    candidates : ndarray of bool of shape (n_features,)
    n_permutations : int
    seed : int

    Returns
    -------
    pvalues : ndarray of float of shape (n_features,)
        ``(1 + #{T_i^m >= T_j}) / (1 + n_permutations * p)`` over the p candidates i and all permutations m; 1 for
        features that are not candidates.

    Notes
    -----
    Every statistic is a function of exact sums (counts, or products of integers), so that comparisons do not depend on
    threads or the processor. Statistics that differ by no more than rounding count as equal.
    """
    kind = KINDS[measure]
    if kind.is_mixed and training.schema.is_category.any():
        statistic = _by_tests(training, candidates)
    elif kind.is_discrete:
        statistic = _by_counts(training, measures, measure, candidates)
    else:
        statistic = _by_products(training, measure, candidates)
    n_rows = training.n_rows
    as_given = statistic(np.arange(n_rows)[None, :])
    observed = np.concatenate([values[0] - slack for values, slack in as_given])
    order = np.argsort(observed)
    n_reaching = np.zeros(len(order) + 1, dtype=np.int64)  # by the number of observed ones reached
    n_at_once = max(1, _BLOCK_BYTES // (8 * n_rows * max(training.labels.n_classes, 1)))
    for first in range(0, n_permutations, n_at_once):
        permutations = range(first, min(first + n_at_once, n_permutations))
        orders = np.stack(
            [stream(seed, Purpose.PERMUTED_TARGET, m).permutation(n_rows) for m in permutations]
        )
        for values, slack in statistic(orders):
            reached = np.searchsorted(observed[order], (values + slack).ravel(), side="right")
            n_reaching += np.bincount(reached, minlength=len(n_reaching))
    n_larger = np.cumsum(n_reaching[::-1])[::-1][1:]
    of_candidates = np.empty(len(order))
    of_candidates[order] = (1 + n_larger) / (1 + n_permutations * len(order))
    pvalues = np.ones(len(candidates))
    pvalues[candidates] = of_candidates
    return pvalues


# Takes orders of the rows, one line each. Yields blocks of features: statistics, one line per order, and their errors.
Statistic = Callable[[Orders], Iterator[tuple[Floats, Floats]]]


def _by_counts(
    training: LocalData, measures: Measures, measure: str, candidates: Mask
) -> Statistic:
    rows, n_threads = measures.coded_rows(), training.n_threads
    codes, n_classes = rows.target_codes
    table = rows.codes.table
    freedom = (measures.levels[candidates].astype(np.float64) - 1) * (n_classes - 1)
    name = "chi2" if KINDS[measure].law == "chi2" else "mi"
    unit = 1.0 if name == "chi2" else 2 * np.log(2) * training.n_rows

    def statistic(orders: Orders) -> Iterator[tuple[Floats, Floats]]:
        values = np.stack(
            [
                np.asarray(table.relevance(codes[order], n_classes, name, n_threads))[candidates]
                for order in orders
            ]
        )
        if (freedom != freedom[:1]).any():
            values = minus_log_chi2(unit * values, freedom)
        yield values, np.zeros(len(freedom))  # values of the core tie exactly

    return statistic


def _by_tests(training: LocalData, candidates: Mask) -> Statistic:
    """Return the evidence of every column by the test of its type: numbers and categories have no common statistic."""

    def statistic(orders: Orders) -> Iterator[tuple[Floats, Floats]]:
        targets = (training.labels.take(order) for order in orders)
        values = [evidence(replace(training, target=target))[candidates] for target in targets]
        yield np.stack(values), np.zeros(int(candidates.sum()))  # rounded, so that equal values tie

    return statistic


def _by_products(training: LocalData, measure: str, candidates: Mask) -> Statistic:
    """Return the correlation with the target or its classes, from integer columns with exact products."""
    target, table, n_rows = training.labels, training.table, training.n_rows
    chosen = np.flatnonzero(candidates)
    bits = 52 - int(n_rows).bit_length()
    if target.codes is not None:
        column_bits = min(bits, 40)
        lines = (target.codes == np.arange(target.n_classes)[:, None]).astype(np.float64)
        divisors = lines.sum(axis=1)
        target_slack = 0.0
    else:
        column_bits = bits // 2
        values = target.values[:, None]
        whole, rounded = _as_integers(
            _ranks(values) if measure == "spearman" else values, column_bits
        )
        lines, divisors = whole.T, _scatter(whole)
        target_slack = _slack(rounded, divisors)[0]

    def columns(block: slice) -> tuple[Floats, Mask]:
        some = table.matrix[:, chosen[block]]
        dense = np.asarray(some.toarray() if table.is_sparse else some, dtype=np.float64)
        return _as_integers(_ranks(dense) if measure == "spearman" else dense, column_bits)

    def statistic(orders: Orders) -> Iterator[tuple[Floats, Floats]]:
        permuted = [line[orders] for line in lines]
        for block in feature_blocks(len(chosen), n_rows):
            x, rounded = columns(block)
            sums, scatter = x.sum(axis=0), _scatter(x)
            explained = np.zeros((len(orders), x.shape[1]))
            for line, divisor in zip(permuted, divisors, strict=True):
                products = call_interruptibly(np.matmul, line, x, n_threads=training.n_threads)
                explained += (products - sums * (line[0].sum() / n_rows)) ** 2 / divisor
            slack = np.sqrt(len(lines)) * (_slack(rounded, scatter) + target_slack) + _LEAST_SLACK
            yield np.sqrt(explained / scatter), slack

    return statistic


def _scatter(columns: Floats) -> Floats:
    """Return the sums of squares about the mean."""
    return np.asarray(((columns - columns.mean(axis=0)) ** 2).sum(axis=0))


def _slack(rounded: Mask, scatter: Floats) -> Floats:
    """Return the error of a correlation from rounding a column to integers with this scatter."""
    return np.asarray(np.where(rounded, _DEVIATIONS / np.sqrt(12 * scatter), 0.0))


def _as_integers(columns: Floats, bits: int) -> tuple[Floats, Mask]:
    """Return the columns as integers of `bits` bits about the middle of their range, and which were rounded.

    Integers that fit are only shifted, so that exact ties of sums stay ties.
    """
    low, high = columns.min(axis=0), columns.max(axis=0)
    powers = powers_of_two(np.maximum(-low, high))
    if powers.any():
        columns, low, high = (np.ldexp(values, powers) for values in (columns, low, high))
    middle, width = low / 2 + high / 2, high / 2 - low / 2
    fits = (columns == np.floor(columns)).all(axis=0) & (width < 2.0 ** (bits - 2))
    step = np.where(fits, 1.0, width * 2.0 ** (2 - bits))
    whole = np.rint((columns - np.where(fits, np.floor(middle), middle)) / step)
    return np.asarray(whole), ~fits


def _ranks(columns: Floats) -> Floats:
    return np.asarray(2 * stats.rankdata(columns, axis=0))

"""Significance tests for the scores of several methods on several data sets.

Every function accepts a table of scores with one row per data set and one column per method: an array, a dataframe
whose columns are the methods, or a dict of method to scores. Large scores are better unless
``higher_is_better=False``. Methods with equal scores on a data set share the mean of their ranks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import stats

from thresher._utils.checks import check_choice, check_number
from thresher._utils.tables import Output, as_table, as_text
from thresher._utils.types import Floats, Frame
from thresher.evaluate._runs import Scores, ScoresLike

__all__ = [
    "FriedmanTest",
    "PairwiseTests",
    "bonferroni_dunn",
    "critical_difference",
    "friedman",
    "nemenyi",
    "wilcoxon_holm",
    "wins",
]


@dataclass(frozen=True)
class FriedmanTest:
    """Result of :func:`friedman`.

    Attributes
    ----------
    statistic, pvalue : float
        Chi-squared, corrected for ties, with n_methods - 1 degrees of freedom.
    f_statistic, f_pvalue : float
        Iman and Davenport's F of the same ranks, which is less conservative.
    methods : tuple of str
        Names of the methods.
    mean_ranks : ndarray of float of shape (n_methods,)
        Mean rank of each method; 1 is best.
    n_sets : int
        Number of data sets.
    """

    statistic: float
    pvalue: float
    f_statistic: float
    f_pvalue: float
    methods: tuple[str, ...]
    mean_ranks: Floats
    n_sets: int

    def __repr__(self) -> str:
        headline = (
            f"Friedman's test of {len(self.methods)} methods on {self.n_sets} data sets: p = {self.pvalue:.3g}, "
            f"by Iman and Davenport's F {self.f_pvalue:.3g}"
        )
        return as_text(headline, {"method": self.methods, "mean_rank": self.mean_ranks.tolist()})


@dataclass(frozen=True)
class PairwiseTests:
    """Tests of all pairs of methods, or of all methods against a control.

    Attributes
    ----------
    methods : tuple of str
        Names of the methods, in the order of the table.
    mean_ranks : ndarray of float of shape (n_methods,)
        Mean rank of each method; 1 is best.
    pvalues : ndarray of float of shape (n_methods, n_methods)
        P-values, corrected for the number of tests; 1 on the diagonal, nan for pairs that were not tested.
    alpha : float
        Significance level.
    test : str
        ``"wilcoxon"``, ``"nemenyi"`` or ``"bonferroni-dunn"``.
    n_sets : int
        Number of data sets.
    critical_difference : float
        Smallest significant difference of mean ranks; nan for ``"wilcoxon"``.
    control : str or None
        The method that all others are compared with, if there is one.
    """

    methods: tuple[str, ...]
    mean_ranks: Floats
    pvalues: Floats
    alpha: float
    test: str
    n_sets: int
    critical_difference: float = math.nan
    control: str | None = None

    @property
    def cliques(self) -> list[tuple[str, ...]]:
        """Maximal groups of methods, adjacent by mean rank, in which no pair differs significantly.

        Best first. A method that differs from all its neighbours is in no group. Methods that were only compared with
        a control form one group: the control and the methods that do not differ from it.
        """
        order = np.argsort(self.mean_ranks, kind="stable")
        if self.control is not None:
            row = self.pvalues[self.methods.index(self.control)]
            group = [self.methods[i] for i in order if not row[i] < self.alpha]
            return [tuple(group)] if len(group) > 1 else []
        differ = self.pvalues[np.ix_(order, order)] < self.alpha
        groups: list[tuple[int, int]] = []
        for first in range(len(order)):
            last = first
            while last + 1 < len(order) and not differ[first : last + 1, last + 1].any():
                last += 1
            if last > first and not (groups and groups[-1][1] >= last):
                groups.append((first, last))
        return [tuple(self.methods[i] for i in order[a : b + 1]) for a, b in groups]

    def table(self, output: Output = "pandas") -> Frame:
        """Return ``first``, ``second``, ``rank_difference``, ``pvalue`` and ``differ``, one row per tested pair."""
        rows, columns = np.nonzero(np.triu(~np.isnan(self.pvalues), k=1))
        pvalues = self.pvalues[rows, columns]
        table = {
            "first": [self.methods[i] for i in rows],
            "second": [self.methods[i] for i in columns],
            "rank_difference": self.mean_ranks[rows] - self.mean_ranks[columns],
            "pvalue": pvalues,
            "differ": pvalues < self.alpha,
        }
        return as_table(table, output)

    def __repr__(self) -> str:
        compared = f"{len(self.methods)} methods on {self.n_sets} data sets"
        headline = f"{self.test} tests of {compared}, alpha = {self.alpha:g}"
        return as_text(headline, self.table("dict"))


def friedman(scores: ScoresLike, *, higher_is_better: bool = True) -> FriedmanTest:
    """Test whether all methods are equally good, by Friedman's test.

    Parameters
    ----------
    scores : array-like, dataframe or dict of shape (n_sets, n_methods)
        At least two data sets and three methods.
    higher_is_better : bool, default=True
        Whether large scores are better.

    Returns
    -------
    test : FriedmanTest

    See Also
    --------
    wilcoxon_holm : Test all pairs of methods.
    nemenyi : Test the mean ranks of all pairs of methods.

    References
    ----------
    J. Demšar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7 (2006).

    Examples
    --------
    >>> test = friedman([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.7, 0.8], [0.7, 0.6, 0.5]])
    >>> test.mean_ranks.tolist(), round(test.pvalue, 4)
    ([1.0, 2.25, 2.75], 0.0388)
    """
    read = Scores.read(scores, least_methods=3, remedy="Use wilcoxon_holm for two methods")
    n, k = read.values.shape
    ranks = read.ranks(higher_is_better)
    # All methods tie on every data set: SciPy would divide by zero.
    if np.all(ranks == ranks[:, :1]):
        statistic, pvalue = 0.0, 1.0
    else:
        statistic, pvalue = map(float, stats.friedmanchisquare(*ranks.T))
    left = n * (k - 1) - statistic
    if left <= 1e-9 * n * (k - 1):  # the same order on all data sets
        f_statistic, f_pvalue = math.inf, 0.0
    else:
        f_statistic = (n - 1) * statistic / left
        f_pvalue = float(stats.f.sf(f_statistic, k - 1, (k - 1) * (n - 1)))
    return FriedmanTest(
        statistic, pvalue, f_statistic, f_pvalue, read.methods, ranks.mean(axis=0), n
    )


def wilcoxon_holm(
    scores: ScoresLike, *, alpha: float = 0.05, higher_is_better: bool = True
) -> PairwiseTests:
    """Test every pair of methods by Wilcoxon's signed-rank test, corrected by Holm.

    Unlike tests of mean ranks, the result for two methods depends on the other methods only by the correction.

    Parameters
    ----------
    scores : array-like, dataframe or dict of shape (n_sets, n_methods)
        At least two data sets and two methods.
    alpha : float, default=0.05
        Significance level of all tests together.
    higher_is_better : bool, default=True
        Whether large scores are better.

    Returns
    -------
    tests : PairwiseTests

    See Also
    --------
    nemenyi : Test the mean ranks of all pairs of methods.
    bonferroni_dunn : Test all methods against a control.

    Notes
    -----
    Data sets on which two methods are equal are left out of their test. Two methods that are always equal have the
    p-value 1. With fewer than six data sets no difference can be significant, not even with two methods.

    Examples
    --------
    >>> better = [0.80, 0.75, 0.91, 0.66, 0.70, 0.83, 0.59, 0.78]
    >>> worse = [value - 0.01 * i for i, value in enumerate(better, start=1)]
    >>> round(float(wilcoxon_holm({"a": better, "b": worse}).pvalues[0, 1]), 4)
    0.0078
    """
    _check_level(alpha)
    read = Scores.read(scores)
    k = len(read.methods)
    first, second = np.triu_indices(k, k=1)
    raw = [
        _signed_rank_pvalue(read.values[:, i] - read.values[:, j])
        for i, j in zip(first, second, strict=True)
    ]
    pvalues = np.eye(k)
    pvalues[first, second] = pvalues[second, first] = holm(np.array(raw))
    ranks = read.ranks(higher_is_better).mean(axis=0)
    return PairwiseTests(read.methods, ranks, pvalues, alpha, "wilcoxon", len(read.values))


def nemenyi(
    scores: ScoresLike, *, alpha: float = 0.05, higher_is_better: bool = True
) -> PairwiseTests:
    """Test the mean ranks of every pair of methods by Nemenyi's test.

    Parameters
    ----------
    scores, alpha, higher_is_better
        As in :func:`wilcoxon_holm`.

    Returns
    -------
    tests : PairwiseTests
        With ``critical_difference``.

    See Also
    --------
    wilcoxon_holm : Test all pairs of methods by signed ranks.

    Examples
    --------
    >>> tests = nemenyi([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.7, 0.8], [0.7, 0.6, 0.5]])
    >>> round(tests.critical_difference, 3), tests.cliques
    (1.657, [('0', '1'), ('1', '2')])
    """
    read = Scores.read(scores)
    n, k = read.values.shape
    reach = critical_difference(k, n, alpha)
    ranks = read.ranks(higher_is_better).mean(axis=0)
    distance = np.abs(ranks[:, None] - ranks[None, :]) / _rank_error(k, n)
    pvalues = np.asarray(stats.studentized_range.sf(distance * math.sqrt(2), k, math.inf))
    np.fill_diagonal(pvalues, 1.0)
    return PairwiseTests(read.methods, ranks, pvalues, alpha, "nemenyi", n, reach)


def bonferroni_dunn(
    scores: ScoresLike, control: str, *, alpha: float = 0.05, higher_is_better: bool = True
) -> PairwiseTests:
    """Test the mean rank of every method against that of a control, corrected by Bonferroni.

    Parameters
    ----------
    scores, alpha, higher_is_better
        As in :func:`wilcoxon_holm`.
    control : str
        The method that all others are compared with.

    Returns
    -------
    tests : PairwiseTests
        With ``critical_difference``. Only the row and the column of the control contain p-values.

    See Also
    --------
    wilcoxon_holm : Test all pairs of methods by signed ranks.

    Examples
    --------
    >>> scores = {"a": [0.9, 0.8, 0.9, 0.7], "b": [0.8, 0.7, 0.7, 0.6], "c": [0.7, 0.6, 0.8, 0.5]}
    >>> tests = bonferroni_dunn(scores, "a")
    >>> round(tests.critical_difference, 3), tests.cliques
    (1.585, [('a', 'b')])
    """
    read = Scores.read(scores)
    n, k = read.values.shape
    reach = critical_difference(k, n, alpha, "bonferroni-dunn")
    position = read.methods.index(check_choice("control", control, read.methods))
    ranks = read.ranks(higher_is_better).mean(axis=0)
    distance = np.abs(ranks - ranks[position]) / _rank_error(k, n)
    against = np.minimum(1.0, 2.0 * (k - 1) * stats.norm.sf(distance))
    pvalues = np.full((k, k), math.nan)
    pvalues[position, :] = pvalues[:, position] = against
    np.fill_diagonal(pvalues, 1.0)
    return PairwiseTests(read.methods, ranks, pvalues, alpha, "bonferroni-dunn", n, reach, control)


def critical_difference(
    n_methods: int,
    n_sets: int,
    alpha: float = 0.05,
    test: Literal["nemenyi", "bonferroni-dunn"] = "nemenyi",
) -> float:
    """Return the smallest difference of mean ranks that is significant.

    It is ``q sqrt(k (k + 1) / (6 N))`` for k methods on N data sets. For Nemenyi's test of all pairs, q is the quantile
    of the studentized range divided by the root of 2. For Bonferroni and Dunn's test of all methods against one, it
    is the quantile of the normal distribution at alpha / (2 (k - 1)).

    Parameters
    ----------
    n_methods, n_sets : int
        Numbers of methods and of data sets, at least two each.
    alpha : float, default=0.05
        Significance level.
    test : {"nemenyi", "bonferroni-dunn"}, default="nemenyi"
        The test that uses the difference.

    Returns
    -------
    difference : float

    Examples
    --------
    >>> round(critical_difference(4, 14), 3)
    1.254
    >>> round(critical_difference(4, 14, test="bonferroni-dunn"), 3)
    1.168
    """
    check_number("n_methods", n_methods, minimum=2, integer=True)
    check_number("n_sets", n_sets, minimum=2, integer=True)
    _check_level(alpha)
    if check_choice("test", test, ("nemenyi", "bonferroni-dunn")) == "nemenyi":
        quantile = stats.studentized_range.ppf(1 - alpha, n_methods, math.inf) / math.sqrt(2)
    else:
        quantile = stats.norm.isf(alpha / (2 * (n_methods - 1)))
    return float(quantile) * _rank_error(n_methods, n_sets)


def wins(scores: ScoresLike, *, higher_is_better: bool = True, output: Output = "pandas") -> Frame:
    """Count how often each method is better than, equal to and worse than each other one.

    Parameters
    ----------
    scores, higher_is_better
        As in :func:`wilcoxon_holm`.
    output : {"pandas", "polars", "dict"}, default="pandas"
        Type of the table.

    Returns
    -------
    table : DataFrame or dict
        ``first``, ``second``, ``wins``, ``ties`` and ``losses`` of the first method, one row per pair.

    Examples
    --------
    >>> wins({"a": [3, 2, 1], "b": [1, 2, 0]}, output="dict")
    {'first': ['a'], 'second': ['b'], 'wins': [2], 'ties': [1], 'losses': [0]}
    """
    read = Scores.read(scores)
    values = read.values if higher_is_better else -read.values
    first, second = np.triu_indices(len(read.methods), k=1)
    table = {
        "first": [read.methods[i] for i in first],
        "second": [read.methods[j] for j in second],
        "wins": (values[:, first] > values[:, second]).sum(axis=0),
        "ties": (values[:, first] == values[:, second]).sum(axis=0),
        "losses": (values[:, first] < values[:, second]).sum(axis=0),
    }
    return as_table(table, output)


def _check_level(alpha: float) -> None:
    if not 0 < check_number("alpha", alpha) < 1:
        raise ValueError(f"alpha must be between 0 and 1, got {alpha}")


def _rank_error(n_methods: int, n_sets: int) -> float:
    """Return the standard error of a difference of mean ranks if all methods are equal."""
    return math.sqrt(n_methods * (n_methods + 1) / (6 * n_sets))


def _signed_rank_pvalue(difference: Floats) -> float:
    if not difference.any():
        return 1.0
    return float(stats.wilcoxon(difference[difference != 0]).pvalue)


def holm(pvalues: Floats) -> Floats:
    """Return p-values corrected by Holm: the i-th smallest of n times n - i + 1, at least the one before it."""
    order = np.argsort(pvalues, kind="stable")
    factors = np.arange(len(pvalues), 0, -1)
    corrected = np.empty(len(pvalues))
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(factors * pvalues[order]))
    return corrected

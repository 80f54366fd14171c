"""Stability of a selector as a function of how many features it selects."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import delayed
from numpy.typing import NDArray
from scipy import stats
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold

from thresher._utils.arrays import takes_arrays
from thresher._utils.checks import check_choice, check_number, one_call, readable, warn
from thresher._utils.long_calls import run_in_threads, track
from thresher._utils.tables import Output, as_table, as_text
from thresher._utils.types import Array, DataLike, Estimator, Floats, Frame, RandomState, TargetLike
from thresher.data import rows_and_columns, take
from thresher.evaluate._runs import SelectionsLike, fit_sizes
from thresher.search.ensemble import draw_seed
from thresher.selectors._target import with_target_of
from thresher.selectors._third_party import resize

__all__ = [
    "CurveComparison",
    "StabilityCurve",
    "StabilityGrid",
    "compare_curves",
    "select_sizes",
    "stability_curve",
    "stability_grid",
]


@dataclass(frozen=True)
class StabilityCurve:
    """Stability for several numbers of features; see :func:`stability_curve`.

    Attributes
    ----------
    k : ndarray of shape (n_k,)
        Numbers of selected features.
    values : ndarray of shape (n_repeats, n_k)
        Stability of the ``n_splits`` selections of each repetition.
    index : str
        Name of the stability index.
    name : str
        Label for plots.
    seed : int
        Seed of the splits. Curves with equal seeds and shapes are paired.
    n_splits : int
        Number of selections per repetition.
    """

    k: NDArray[np.int64]
    values: Floats
    index: str
    name: str
    seed: int
    n_splits: int

    @property
    def _design(self) -> tuple[object, ...]:
        """The settings that two paired curves share."""
        return self.seed, self.n_splits, self.values.shape, self.k.tolist(), self.index

    @property
    def mean(self) -> Floats:
        """Mean over the repetitions, one value per k."""
        return np.asarray(self.values.mean(axis=0))

    @property
    def std(self) -> Floats:
        """Standard deviation over the repetitions, one value per k; nan with one repetition."""
        if len(self.values) < 2:
            return np.full(len(self.k), math.nan)
        return np.asarray(self.values.std(axis=0, ddof=1))

    def table(self, output: Output = "pandas") -> Frame:
        """Return ``k``, ``mean`` and ``std``, one row per k, as ``"pandas"``, ``"polars"`` or ``"dict"``."""
        return as_table({"k": self.k, "mean": self.mean, "std": self.std}, output)

    def __repr__(self) -> str:
        runs = f"{len(self.values)} times {self.n_splits} selections"
        headline = f"Stability of {readable(self.name)} ({self.index}), {runs}"
        return as_text(headline, self.table("dict"))


@dataclass(frozen=True)
class StabilityGrid:
    """Mean stability for several numbers of parts and of features; see :func:`stability_grid`."""

    n_parts: NDArray[np.int64]
    k: NDArray[np.int64]
    values: Floats
    index: str
    name: str

    def table(self, output: Output = "pandas") -> Frame:
        """Return ``n_parts``, ``k`` and ``mean``, one row per pair, as ``"pandas"``, ``"polars"`` or ``"dict"``."""
        columns = {
            "n_parts": np.repeat(self.n_parts, len(self.k)),
            "k": np.tile(self.k, len(self.n_parts)),
            "mean": self.values.ravel(),
        }
        return as_table(columns, output)

    def __repr__(self) -> str:
        return as_text(f"Stability of {readable(self.name)} ({self.index})", self.table("dict"))


@dataclass(frozen=True)
class CurveComparison:
    """Result of :func:`compare_curves`, one entry per k."""

    k: NDArray[np.int64]
    difference: Floats
    statistic: Floats
    pvalue: Floats

    def table(self, output: Output = "pandas") -> Frame:
        """Return ``k``, ``difference``, ``statistic`` and ``pvalue`` as ``"pandas"``, ``"polars"`` or ``"dict"``."""
        return as_table(vars(self), output)

    def __repr__(self) -> str:
        return as_text("Difference of two stability curves", self.table("dict"))


@one_call()
@takes_arrays
def stability_curve(
    selector: Estimator,
    X: DataLike,
    y: TargetLike = None,
    *,
    k: Iterable[int] = range(1, 51),
    n_splits: int = 10,
    n_repeats: int = 10,
    index: str = "jaccard",
    stratify: bool = False,
    n_jobs: int | None = None,
    random_state: RandomState = None,
    progress: bool = False,
    name: str | None = None,
) -> StabilityCurve:
    """Measure the stability of a selector for several numbers of features.

    The rows are split at random into `n_splits` folds. The selector runs on the training side of each split, and the
    index compares these selections. This is repeated `n_repeats` times.

    Parameters
    ----------
    selector : estimator
        A selector with ``n_features_to_select`` (or ``k``), or an ``Ensemble`` of one. It is cloned.
    X, y
        As in the selector's ``fit``.
    k : iterable of int, default=range(1, 51)
        Numbers of features. Numbers above the number of columns are left out with a warning.
    n_splits, n_repeats : int, default=10
        Number of folds, number of repetitions.
    index : {"jaccard", "kuncheva", "nogueira", "relative-weighted-consistency"}, default="jaccard"
        Stability index. ``"kuncheva"`` requires all selections to reach k features.
    stratify : bool, default=False
        Preserve the shares of the classes in every fold.
    n_jobs : int, default=None
        Number of folds that run at the same time, in threads.
    random_state : int, RandomState or None
        Seed of the splits. Equal integers give equal splits, which :func:`compare_curves` requires.
    progress : bool, default=False
        Show a progress bar (tqdm if installed).
    name : str, default=None
        Label for plots. None uses the name of the selector's class.

    Returns
    -------
    curve : StabilityCurve

    See Also
    --------
    stability_grid : Stability for several numbers of parts of an ensemble.
    compare_curves : Test whether two selectors are equally stable.

    Notes
    -----
    A selector whose runs are nested is fitted once per fold, at the largest k. For an ensemble, the lists of the parts
    are then truncated and the votes counted again. Other selectors are fitted once for each k.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.feature_selection import SelectKBest
    >>> X, y = load_iris(return_X_y=True)
    >>> curve = stability_curve(SelectKBest(), X, y, k=[1, 2], n_repeats=2, random_state=0)
    >>> curve.mean.tolist()
    [1.0, 1.0]
    """
    measure = _index_function(index)
    X = rows_and_columns(X)
    sizes = _sizes(k, X.shape[1])
    check_number("n_repeats", n_repeats, minimum=1, integer=True)
    seed = draw_seed(random_state)
    splitter = StratifiedKFold if stratify else KFold
    trains = [
        train
        for repeat in range(n_repeats)
        for train, _ in splitter(n_splits, shuffle=True, random_state=_derive(seed, repeat)).split(
            np.empty((X.shape[0], 0)), y
        )
    ]
    settled = with_target_of(selector, y)
    jobs = (delayed(_select_on)(settled, X, y, train, sizes) for train in trains)
    selections = run_in_threads(jobs, n_jobs, return_as="generator")
    label = type(selector).__name__ if name is None else name
    lists = list(track(selections, len(trains), label, show=progress))
    repeats = [lists[first : first + n_splits] for first in range(0, len(lists), n_splits)]
    values = np.array(
        [[measure(runs, X.shape[1]) for runs in zip(*folds, strict=True)] for folds in repeats]
    )
    return StabilityCurve(np.array(sizes), values, index, label, seed, n_splits)


@one_call()
@takes_arrays
def stability_grid(
    ensemble: Estimator,
    X: DataLike,
    y: TargetLike = None,
    *,
    n_parts: Iterable[int],
    **settings: Any,
) -> StabilityGrid:
    """Measure the mean stability of an ensemble for several numbers of parts and of features.

    Parameters
    ----------
    ensemble : Ensemble
        Its ``n_parts`` is set to each of the numbers of parts.
    X, y
        As in its ``fit``.
    n_parts : iterable of int
        Numbers of parts, each at least 2.
    **settings
        Passed to :func:`stability_curve`.

    Returns
    -------
    grid : StabilityGrid
        ``values`` has one row per number of parts and one column per k.

    Notes
    -----
    One stability curve per number of parts, all on the same splits.
    """
    if "n_parts" not in getattr(ensemble, "get_params", dict)():
        raise ValueError(
            f"ensemble must be an Ensemble with the parameter n_parts, got {readable(ensemble)}"
        )
    counts = [int(e) for e in n_parts]
    if not counts:
        raise ValueError("n_parts must contain at least one number of parts, got none")
    # The same splits for all rows of the grid, also with a RandomState or None.
    settings["random_state"] = draw_seed(settings.get("random_state"))
    curves = [
        stability_curve(clone(ensemble).set_params(n_parts=e), X, y, **settings) for e in counts
    ]
    first = curves[0]
    values = np.array([curve.mean for curve in curves])
    return StabilityGrid(np.array(counts), first.k, values, first.index, first.name)


def compare_curves(
    first: StabilityCurve,
    second: StabilityCurve,
    *,
    test: str = "paired-t",
    alternative: str = "two-sided",
) -> CurveComparison:
    """Test, for every k, whether two selectors are equally stable.

    Parameters
    ----------
    first, second : StabilityCurve
        Curves on the same splits (equal integer ``random_state``), for the same k.
    test : {"paired-t", "welch", "wilcoxon"}, default="paired-t"
        Test of the stabilities of the repetitions.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        ``"greater"`` means that the first selector is more stable.

    Returns
    -------
    comparison : CurveComparison
        ``difference`` of the means (first minus second), ``statistic`` and ``pvalue``, one per k.

    Notes
    -----
    All repetitions split the same rows. The test shows whether the difference is due to the choice of splits, not
    whether it would be found on another sample.
    """
    if first._design != second._design:
        raise ValueError(
            "the two curves must share index, k, splits and repetitions. "
            "Pass the same settings and the same integer random_state to stability_curve"
        )
    if len(first.values) < 2:
        raise ValueError("a test needs at least two repetitions. Set a larger n_repeats")
    tests: dict[str, Callable[[Floats, Floats], tuple[float, float]]] = {
        "paired-t": lambda a, b: stats.ttest_rel(a, b, alternative=alternative),
        "welch": lambda a, b: stats.ttest_ind(a, b, equal_var=False, alternative=alternative),
        "wilcoxon": lambda a, b: stats.wilcoxon(a, b, alternative=alternative),
    }
    check_choice("test", test, tuple(tests))
    results = [
        _constant_result(a - b, alternative) or tests[test](a, b)
        for a, b in zip(first.values.T, second.values.T, strict=True)
    ]
    return CurveComparison(
        k=first.k,
        difference=first.mean - second.mean,
        statistic=np.array([result[0] for result in results], dtype=np.float64),
        pvalue=np.array([result[1] for result in results], dtype=np.float64),
    )


def _constant_result(difference: Floats, alternative: str) -> tuple[float, float] | None:
    """Return statistic and p-value if all differences are equal and a t statistic would be x/0; else None."""
    if np.isnan(difference).any():
        return math.nan, math.nan
    if np.ptp(difference) > 0.0:
        return None
    shift = float(difference[0])
    if shift == 0.0:
        return 0.0, 1.0
    statistic = math.copysign(math.inf, shift)
    return statistic, 1.0 if alternative == ("less" if shift > 0 else "greater") else 0.0


def _index_function(index: str) -> Callable[[SelectionsLike, int], float]:
    from thresher.evaluate import stability

    functions: dict[str, Callable[[SelectionsLike, int], float]] = {
        "jaccard": lambda sets, p: stability.mean_jaccard(sets),
        "kuncheva": stability.kuncheva,
        "nogueira": stability.nogueira,
        "relative-weighted-consistency": stability.relative_weighted_consistency,
    }
    return functions[check_choice("index", index, tuple(functions))]


def _derive(seed: int, repeat: int) -> int:
    return int(np.random.SeedSequence((seed, repeat)).generate_state(1)[0])


def _sizes(k: Iterable[int], n_columns: int) -> list[int]:
    given = [int(size) for size in ([k] if isinstance(k, (int, np.integer)) else k)]
    sizes = [size for size in given if size <= n_columns]
    if not sizes or min(sizes) < 1:
        raise ValueError(
            f"k must contain numbers in 1..{n_columns} (the columns of X), got {given}"
        )
    if len(sizes) < len(given):
        warn(f"X has {n_columns} columns: the curve ends there, not at k={max(given)}")
    return sizes


@takes_arrays
def select_sizes(
    selector: Estimator, X: DataLike, y: TargetLike, sizes: Sequence[int]
) -> list[list[int]]:
    """Return the selection for each of several numbers of features.

    A selector whose runs are nested is fitted once, at the largest size. Others are fitted once per size.

    Parameters
    ----------
    selector : estimator
        As in :func:`stability_curve`. It is cloned.
    X, y
        As in its ``fit``.
    sizes : sequence of int
        Numbers of features to select.

    Returns
    -------
    selections : list of lists
        One per size, in the order of `sizes`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.feature_selection import SelectKBest
    >>> select_sizes(SelectKBest(), *load_iris(return_X_y=True), sizes=[1, 2])
    [[2], [2, 3]]
    """
    if resize(selector, max(sizes)) is None:
        raise ValueError(
            f"selector must have a parameter n_features_to_select or k, got {type(selector).__name__}"
        )
    return [features for features, _ in fit_sizes(selector, sizes, lambda model: model.fit(X, y))]


def _select_on(
    selector: Estimator, X: DataLike, y: TargetLike, rows: Array, sizes: Sequence[int]
) -> list[list[int]]:
    part_y = None if y is None else take(y, rows)
    return select_sizes(selector, take(X, rows), part_y, sizes)

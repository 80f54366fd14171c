"""The benchmark of false selections: how soon a selector selects columns that were drawn at random."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
from joblib import delayed
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import train_test_split

from thresher._utils.arrays import takes_arrays
from thresher._utils.checks import (
    ThresherWarning,
    check_bool,
    check_choice,
    check_number,
    one_call,
    readable,
    warn,
)
from thresher._utils.long_calls import reporting_for, run_in_threads, track
from thresher._utils.random import Purpose, stream
from thresher._utils.tables import Output, as_table, as_text
from thresher._utils.types import (
    DataLike,
    Estimator,
    Floats,
    Frame,
    Mask,
    RandomState,
    TargetKind,
    TargetLike,
)
from thresher.data import is_frame, read_target, take
from thresher.evaluate._candidates import Positions, widen
from thresher.evaluate._runs import Estimators, as_matrix, check_lengths, with_seed
from thresher.search.ensemble import draw_seed
from thresher.selectors._target import with_target_of
from thresher.selectors._third_party import order_of_choice, resize
from thresher.selectors.univariate import Univariate

__all__ = ["FAMILIES", "ProbeBenchmark", "count_false", "draw_probes", "probe_fdr"]

Counts = npt.NDArray[np.int64]

RELEVANCE_ONLY = "relevance only"


FAMILIES = {
    "normal": lambda rng, n: rng.standard_normal(n),
    "extreme value": lambda rng, n: -rng.gumbel(0.0, 1.0, n),
    "uniform": lambda rng, n: rng.random(n),
    "beta": lambda rng, n: rng.beta(2.0, 5.0, n),
    "chi-square": lambda rng, n: rng.chisquare(4.0, n),
    "gamma": lambda rng, n: rng.gamma(2.0, 1.0, n),
    "generalised extreme value": lambda rng, n: ((-np.log(rng.random(n))) ** -0.2 - 1) / 0.2,
    "Weibull": lambda rng, n: rng.weibull(1.5, n),
}


def draw_probes(rng: np.random.Generator, n_samples: int, n_probes: int) -> Floats:
    """Draw random columns, each from one of the eight `FAMILIES`, which is drawn at random, too.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.
    n_samples, n_probes : int
        Numbers of rows and of columns.

    Returns
    -------
    probes : ndarray of shape (n_samples, n_probes)
    """
    draws = list(FAMILIES.values())
    families = rng.integers(0, len(draws), n_probes)
    return np.column_stack(
        [np.empty((n_samples, 0)), *(draws[family](rng, n_samples) for family in families)]
    )


def count_false(orders: Sequence[ArrayLike], false: ArrayLike, n_steps: int) -> Counts:
    """Count the false features among the first 1, 2, ... features of each list.

    Parameters
    ----------
    orders : list of lists of int
        Features in order of choice, one list per repetition. The last count of a shorter list is repeated.
    false : array-like of bool
        Whether each feature is false.
    n_steps : int
        Number of first features to count in.

    Returns
    -------
    counts : ndarray of shape (n_repetitions, n_steps)

    Examples
    --------
    >>> orders = [[4, 7, 1, 9, 2], [0, 1, 2, 3, 5], [6, 5, 0, 1, 2], [0, 1, 2, 3, 4]]
    >>> counts = count_false(orders, [False] * 5 + [True] * 5, 5)
    >>> counts[0].tolist(), counts.mean(axis=0).tolist()
    ([0, 1, 1, 2, 2], [0.25, 0.75, 0.75, 1.0, 1.25])
    """
    is_false = np.asarray(false, dtype=bool)
    counts = np.zeros((len(orders), n_steps), dtype=np.int64)
    for row, order in zip(counts, orders, strict=True):
        steps = np.cumsum(is_false[np.asarray(order, dtype=np.intp)[:n_steps]])
        if len(steps):
            row[: len(steps)] = steps
            row[len(steps) :] = steps[-1]
    return counts


@dataclass(frozen=True)
class ProbeBenchmark:
    """Result of :func:`probe_fdr`.

    Attributes
    ----------
    selectors : tuple of str
        Names of the selectors. The last is ``"relevance only"``, the ranking by relevance.
    counts : dict of str to ndarray of shape (n_repeats, n_steps)
        Numbers of false features among the first 1, 2, ... selected ones.
    n_returned : dict of str to ndarray of shape (n_repeats,)
        Number of features that the selector returned, at most ``n_steps``.
    n_probes : int
        Number of random columns.
    """

    selectors: tuple[str, ...]
    counts: dict[str, Counts]
    n_returned: dict[str, Counts]
    n_probes: int

    @property
    def n_steps(self) -> int:
        return int(self.counts[self.selectors[0]].shape[1])

    @property
    def mean_false_selected(self) -> dict[str, Floats]:
        """Mean number of false features after each step, by selector. The papers call this count "FDR"."""
        return {name: self.counts[name].mean(axis=0) for name in self.selectors}

    @property
    def false_selected_fraction(self) -> dict[str, float]:
        """The last mean divided by the number of steps, by selector: the papers' "normalised FDR"."""
        return {name: float(m[-1]) / self.n_steps for name, m in self.mean_false_selected.items()}

    def table(self, output: Output = "pandas") -> Frame:
        """Return ``selector``, ``step``, ``mean_false_selected`` and its ``sd`` over the repetitions, one row each."""
        columns = {
            "selector": np.repeat(self.selectors, self.n_steps),
            "step": np.tile(np.arange(1, self.n_steps + 1), len(self.selectors)),
            "mean_false_selected": np.concatenate(list(self.mean_false_selected.values())),
            "sd": np.concatenate([_spread(self.counts[name]) for name in self.selectors]),
        }
        return as_table(columns, output)

    def summary(self, output: Output = "pandas") -> Frame:
        """Return ``selector``, ``false_selected_fraction``, its ``sd`` and the mean ``n_returned``, one row each."""
        columns = {
            "selector": list(self.selectors),
            "false_selected_fraction": list(self.false_selected_fraction.values()),
            "sd": [float(_spread(self.counts[n])[-1]) / self.n_steps for n in self.selectors],
            "n_returned": [float(self.n_returned[name].mean()) for name in self.selectors],
        }
        return as_table(columns, output)

    def __repr__(self) -> str:
        n_repeats = len(self.counts[self.selectors[0]])
        headline = f"False features among the first {self.n_steps}, {n_repeats} repetitions with {self.n_probes} probes"
        return as_text(headline, self.summary("dict"))


def _spread(counts: Counts) -> Floats:
    if len(counts) < 2:
        return np.full(counts.shape[1], np.nan)
    return np.asarray(counts.std(axis=0, ddof=1))


@dataclass
class _Settings:
    false: Mask
    steps: int | None
    n_distribution: int
    n_permuted: int
    holdout: float
    stratify: bool
    redraw: bool
    random_state: RandomState

    def __post_init__(self) -> None:
        for name in ("n_distribution", "n_permuted"):
            setattr(self, name, check_number(name, getattr(self, name), minimum=0, integer=True))
        if self.n_probes == 0 and not self.false.any():
            raise ValueError(
                "n_distribution and n_permuted are 0 and every feature is true. Set probes or truth, so that there are "
                "false features"
            )
        p = len(self.false)
        usual = int((~self.false).sum()) if self.false.any() else min(20, p)
        steps = usual if self.steps is None else self.steps
        most = p + self.n_probes
        self.n_steps = int(check_number("n_steps", steps, minimum=1, maximum=most, integer=True))
        if not 0 <= check_number("holdout", self.holdout) < 1:
            raise ValueError(
                f"holdout must be a share of at least 0 and below 1, got {self.holdout}"
            )
        self.holdout = float(self.holdout)
        check_bool("stratify", self.stratify)
        check_bool("redraw", self.redraw)
        self.seed = draw_seed(self.random_state)

    @property
    def n_probes(self) -> int:
        return self.n_distribution + self.n_permuted


@one_call()
@takes_arrays
def probe_fdr(
    selector: Estimator,
    X: DataLike,
    y: TargetLike,
    *,
    n_distribution: int = 100,
    n_permuted: int = 0,
    n_steps: int | None = None,
    n_repeats: int = 100,
    holdout: float = 0.1,
    truth: ArrayLike | None = None,
    stratify: bool = False,
    redraw: bool = True,
    relevance: str = "auto",
    target: TargetKind = "auto",
    random_state: RandomState = None,
    n_jobs: int | None = None,
    progress: bool = False,
) -> ProbeBenchmark:
    """Count the probes, which are random columns, among the first features that a selector selects.

    In each repetition probes are appended to X, the columns are shuffled, a tenth of the rows is left out at random,
    and the selector orders `n_steps` features. All selectors use the same columns and rows. A ranking by relevance
    is always included.

    Parameters
    ----------
    selector : selector or dict of str to selector
        Any selectors with ``fit`` and ``get_support``, without `keep` and `exclude`, because columns are shuffled.
    X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        Features.
    y : array-like of shape (n_samples,)
        Classes or numbers.
    n_distribution : int, default=100
        Number of probes from eight distributions: normal, extreme value, uniform, beta, chi-square, gamma, generalised
        extreme value, Weibull.
    n_permuted : int, default=0
        Number of probes that are permuted columns of X. The paper's two settings are (100, 0) and (100, 100).
    n_steps : int, default=None
        Number of first features. None: 20, or the number of features if that is smaller; with `truth` the number of
        true features.
    n_repeats : int, default=100
        Number of repetitions.
    holdout : float, default=0.1
        Share of the rows that is left out.
    truth : array-like of int, default=None
        Features that count as true. None: all of X, so selecting a useless column of X is no mistake.
    stratify : bool, default=False
        Leave out rows of each class in proportion.
    redraw : bool, default=True
        Draw new probes in every repetition. With False the repetitions share the probes, and the standard deviation
        does not show how much the mean depends on them.
    relevance : str, default="auto"
        Measure of the ranking by relevance, see `Univariate`. ``"auto"`` is Spearman's correlation, as in the paper; F
        with more than two classes and for sparse data; mutual information if there are categorical columns.
    target : {"auto", "nominal", "numeric"}, default="auto"
        Kind of y for the ranking by relevance. Selectors have their own parameters.
    random_state : int, RandomState or None, default=None
        Seed of probes and rows, and of selectors whose ``random_state`` is None.
    n_jobs : int, default=None
        Number of repetitions that run at the same time, in threads. The result does not depend on it.
    progress : bool, default=False
        Show a progress bar.

    Returns
    -------
    benchmark : ProbeBenchmark
        ``mean_false_selected`` by step, ``false_selected_fraction``, ``table()``, ``summary()``.

    See Also
    --------
    thresher.ErrorControlled : Select with an error bound.
    thresher.evaluate.probe_select : Select with an error bound, as a function.

    Notes
    -----
    The papers call the mean count *FDR* and its share of the steps *normalised FDR*, but no error rate is controlled.
    **The score rewards redundancy**: a copy of a column of X is never a mistake. So plain relevance is at or near the
    best, and methods that avoid redundant columns have poor scores by construction. Compare them with the row
    ``"relevance only"``, and consider accuracy, too. With 20 features or fewer the score is 0 only if every column of X
    comes before any probe: it measures the weakest column.

    References
    ----------
    A. Tsanas, M. A. Little and P. E. McSharry, "A simple filter benchmark for feature selection", 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher import GSO, RRCT
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> benchmark = probe_fdr({"RRCT": RRCT(), "GSO": GSO()}, X, y, n_repeats=5, random_state=0)
    >>> [round(share, 1) for share in benchmark.false_selected_fraction.values()]
    [0.0, 0.4, 0.0]
    """
    X = as_matrix(X)
    check_lengths(X, y)
    false = _false_features(truth, X.shape[1])
    settings = _Settings(
        false, n_steps, n_distribution, n_permuted, holdout, stratify, redraw, random_state
    )
    check_number("n_repeats", n_repeats, minimum=1, integer=True)
    selectors = dict(selector) if isinstance(selector, Mapping) else {"selector": selector}
    if RELEVANCE_ONLY in selectors or not selectors:
        raise ValueError(
            f"selector must be a selector or a dict without the name {RELEVANCE_ONLY!r}, got {selector!r:.60}"
        )
    for name, given in selectors.items():
        for parameter in ("keep", "exclude"):
            if getattr(given, parameter, None) is not None:
                raise ValueError(
                    f"{parameter} of {name!r} names columns, but columns are shuffled. Remove it"
                )
    selectors[RELEVANCE_ONLY] = _relevance_ranking(X, y, relevance, target)
    selectors = {name: with_target_of(selector, y) for name, selector in selectors.items()}
    jobs = (delayed(_repetition)(selectors, X, y, settings, t) for t in range(n_repeats))
    runs = run_in_threads(jobs, n_jobs, return_as="generator")
    results = list(track(runs, n_repeats, "probe_fdr", show=progress))
    counts = {name: np.array([result[name][0] for result in results]) for name in selectors}
    returned = {name: np.array([result[name][1] for result in results]) for name in selectors}
    for name, numbers in returned.items():
        if numbers.min() < settings.n_steps:
            warn(
                f"{name} returned {numbers.mean():.3g} features on average instead of {settings.n_steps}: "
                "its last count is repeated"
            )
    return ProbeBenchmark(tuple(selectors), counts, returned, settings.n_probes)


def _false_features(truth: ArrayLike | None, p: int) -> Mask:
    if truth is None:
        return np.zeros(p, dtype=bool)
    positions = np.asarray(truth)
    good = positions.ndim == 1 and len(positions) and positions.dtype.kind in "iu"
    if not good or positions.min() < 0 or positions.max() >= p:
        raise ValueError(
            f"truth must contain positions of features, 0 to {p - 1}, got {truth!r:.60}"
        )
    false = np.ones(p, dtype=bool)
    false[positions] = False
    return false


def _relevance_ranking(
    X: DataLike, y: TargetLike, relevance: str, target: TargetKind
) -> Univariate:
    check_choice("target", target, ("auto", "nominal", "numeric"))
    if relevance == "auto":
        labels = read_target(y, len(y), kind=target)
        numbers = not is_frame(X) or all(
            dtype.is_numeric() for dtype in nw.from_native(X, eager_only=True).schema.values()
        )
        if not numbers:
            relevance = "mi"
        elif sparse.issparse(X) or labels.n_classes > 2:
            relevance = "f"
        else:
            relevance = "spearman"
    # Missing values are rejected by the selectors that do not support them.
    return Univariate(measure=relevance, target=target, missing="drop_rows")  # type: ignore[arg-type]


def _repetition(
    selectors: Estimators, X: DataLike, y: TargetLike, settings: _Settings, t: int
) -> dict[str, tuple[Counts, int]]:
    """Return the counts of false features and the number of returned features, by selector."""
    n, p = X.shape
    rng = stream(settings.seed, Purpose.PROBES, t)
    probes = rng if settings.redraw else stream(settings.seed, Purpose.PROBES)
    more = draw_probes(probes, n, settings.n_distribution) if settings.n_distribution else None
    copies = [(int(i), probes.permutation(n)) for i in probes.integers(0, p, settings.n_permuted)]
    order = rng.permutation(p + settings.n_probes)
    table = widen(X, np.arange(p), copies, more, order)
    is_false = np.concatenate([settings.false, np.ones(settings.n_probes, dtype=bool)])[order]
    rows = _rows(rng, n, y, settings)
    some_X, some_y = take(table, rows), take(y, rows)
    counts: dict[str, tuple[Counts, int]] = {}
    with warnings.catch_warnings(), reporting_for():
        warnings.simplefilter("ignore", ThresherWarning)
        for name, selector in selectors.items():
            seeded = with_seed(selector, settings.seed)
            model = resize(seeded, settings.n_steps) or clone(seeded)
            try:
                model.fit(some_X, some_y)
            except ValueError as error:
                raise ValueError(
                    f"{readable(name)} failed: {_error_of(seeded, X, y, error)}"
                ) from error
            chosen: Positions = order_of_choice(model)[: settings.n_steps]
            counts[name] = (count_false([chosen], is_false, settings.n_steps)[0], len(chosen))
    return counts


def _error_of(selector: Estimator, X: DataLike, y: TargetLike, error: ValueError) -> ValueError:
    """Return the error of the selector on X itself, whose message names the right columns, if X is rejected, too."""
    try:
        clone(selector).fit(X, y)
    except ValueError as error_on_X:
        return error_on_X
    return error


def _rows(rng: np.random.Generator, n: int, y: TargetLike, settings: _Settings) -> Positions:
    n_out = round(settings.holdout * n)
    if settings.stratify and n_out:
        seed = int(rng.integers(np.iinfo(np.int32).max))
        kept, _ = train_test_split(np.arange(n), test_size=n_out, stratify=y, random_state=seed)
        return np.sort(kept)
    return np.sort(rng.choice(n, n - n_out, replace=False))

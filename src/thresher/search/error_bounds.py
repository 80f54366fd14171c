"""Bounds on the expected number of rarely chosen features that a vote over complementary halves selects.

They follow R. D. Shah and R. J. Samworth, "Variable selection with error control: another look at
stability selection".
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from thresher._utils.checks import check_choice, check_number
from thresher._utils.types import Floats

ASSUMPTIONS = ("none", "unimodal", "r-concave")


def exceeds(bound: float, pfer: float) -> bool:
    """Return whether a bound exceeds `pfer` by more than rounding."""
    return bound > pfer * (1.0 + 1e-12)


def error_bound(
    p: int,
    q: float | None = None,
    cutoff: float | None = None,
    pfer: float | None = None,
    n_pairs: int = 50,
    assumption: str = "none",
) -> float:
    """Compute the error bound, the cutoff or the number of features of a vote over halves, from the other two.

    The votes of ``Ensemble(kind="halves")`` select a feature that at least a share `cutoff` of the
    halves chose. Call a feature rarely chosen if a half chooses it with probability at most
    ``q / p``. The expected number of rarely chosen features selected is at most `pfer`.

    Parameters
    ----------
    p : int
        Features that can be chosen.
    q : float, default=None
        Mean number of features chosen on a half.
    cutoff : float, default=None
        Above 1/2 (with ``"r-concave"``, above ``q / p``) and at most 1; rounded up to a number of the ``2 * n_pairs``
        halves.
    pfer : float, default=None
        The bound: expected number of rarely chosen features selected.
    n_pairs : int, default=50
        Pairs of halves, at least 2.
    assumption : {"none", "unimodal", "r-concave"}, default="none"
        The assumption about the distribution of the votes of a feature. A stronger assumption gives a smaller bound;
        ``"none"`` is always valid.

    Returns
    -------
    third : float
        The one of `q`, `cutoff` and `pfer` that was not passed: the bound; the least cutoff such that it and all larger
        ones satisfy the bound; the largest integer `q` that satisfies it, 0 if none does.

    Notes
    -----
    The bound needs independent rows, and no assumption about the selector or the features. It is an expected number
    of rarely chosen features: neither "at most one false feature" nor "false" in any other sense.

    References
    ----------
    R. D. Shah and R. J. Samworth, "Variable selection with error control: another look at stability
    selection", 2013.

    Examples
    --------
    >>> from thresher.evaluate import error_bound
    >>> error_bound(200, q=10, cutoff=0.75)
    1.0
    >>> error_bound(200, q=10, pfer=1, assumption="unimodal")
    0.63
    >>> error_bound(2000, cutoff=0.9, pfer=0.5)
    28
    """
    check_number("p", p, minimum=1, integer=True)
    check_number("n_pairs", n_pairs, minimum=2, integer=True)
    check_choice("assumption", assumption, ASSUMPTIONS)
    given = {"q": q, "cutoff": cutoff, "pfer": pfer}
    names = [name for name, value in given.items() if value is not None]
    if len(names) != 2:
        raise ValueError(
            f"exactly two of q, cutoff and pfer must be given, got {', '.join(names) or 'none'}"
        )
    if q is not None:
        check_number("q", q, minimum=0, maximum=p)
    if pfer is not None:
        check_number("pfer", pfer, minimum=0)
    if cutoff is None:
        assert q is not None
        assert pfer is not None
        return least_cutoff(p, q, pfer, n_pairs, assumption) / (2 * n_pairs)
    wins = votes_needed(cutoff, n_pairs, above=0.0 if assumption == "r-concave" else 0.5)
    if q is None:
        assert pfer is not None
        return largest_q(p, wins, pfer, n_pairs, assumption)
    return bound_of(p, q, wins, n_pairs, assumption)


def votes_needed(cutoff: float, n_pairs: int, above: float = 0.5) -> int:
    """Return the cutoff as a number of halves, rounded up."""
    check_number("cutoff", cutoff, minimum=above, maximum=1, exclusive_minimum=True)
    return math.ceil(2 * n_pairs * cutoff - 1e-9)


def bound_of(p: int, q: float, wins: int, n_pairs: int, assumption: str) -> float:
    """Return the bound if at least `wins` of the halves must choose a feature."""
    if q == 0:
        return 0.0
    bounds = [2 * n_pairs * q / wins]  # Markov on the votes
    if wins > n_pairs:
        bounds.append(q * q * n_pairs / (p * (wins - n_pairs)))
    if assumption != "none":
        bounds.append(_unimodal(p, q, wins, n_pairs))
    if assumption == "r-concave":
        share = Fraction(q).limit_denominator(10**6) / p  # thresholds of integers are exact
        if wins > n_pairs:
            bounds.append(p * _largest_tail(wins - n_pairs, share**2 * n_pairs, n_pairs, 2))
        bounds.append(p * _largest_tail(wins, 2 * share * n_pairs, 2 * n_pairs, 4))
    return float(min(bounds))


def least_cutoff(p: int, q: float, pfer: float, n_pairs: int, assumption: str) -> int:
    """Return the least number of halves such that it and all larger ones satisfy the bound."""
    lowest = n_pairs + 1
    if assumption == "r-concave":
        lowest = math.floor(2 * n_pairs * q / p) + 1
    least = None
    for wins in range(2 * n_pairs, lowest - 1, -1):
        if exceeds(bound_of(p, q, wins, n_pairs, assumption), pfer):
            break
        least = wins
    if least is None:
        most = largest_q(p, 2 * n_pairs, pfer, n_pairs, assumption)
        remedy = f"Choose at most {counted(most)} on a half, or allow a larger pfer"
        if not most:
            smallest = bound_of(p, 1, 2 * n_pairs, n_pairs, assumption)
            remedy = f"Not even q=1 does. Set a pfer of at least {smallest:.3g}"
        raise ValueError(f"no cutoff keeps pfer={pfer:g} with q={q:g} of {p} features. {remedy}")
    return least


def counted(n_features: int) -> str:
    """Return a number of features in words."""
    return "1 feature" if n_features == 1 else f"{n_features} features"


def largest_q(p: int, wins: int, pfer: float, n_pairs: int, assumption: str) -> int:
    """Return the largest integer q that satisfies the bound, which increases with q."""
    low, high = 0, p
    while low < high:
        middle = (low + high + 1) // 2
        if exceeds(bound_of(p, middle, wins, n_pairs, assumption), pfer):
            high = middle - 1
        else:
            low = middle
    return low


def _unimodal(p: int, q: float, wins: int, n_pairs: int) -> float:
    share = q / p
    cutoff = wins / (2 * n_pairs)
    step = 1 / (2 * n_pairs)
    beyond = min(0.5 + share**2, 0.5 + step + 0.75 * share**2)
    if wins < n_pairs + 2 or 3 * share**2 > 1 or cutoff <= beyond:
        return math.inf
    if 4 * wins <= 6 * n_pairs:
        factor = 1 / (2 * (2 * cutoff - 1 - step))
    else:
        factor = 4 * (1 - cutoff + step) / (1 + 2 * step)
    return factor * q * q / p


@lru_cache(maxsize=4096)
def _largest_tail(t: int, mean: Fraction, m: int, power: int) -> float:
    """Return the largest P(X >= t) of X on 0..m with mean at most `mean` and r-concave masses.

    `power` is -1/r, 2 or 4. The extreme distributions have masses proportional to ``(a + i) ** -power`` on 0..k and a
    smaller one at k + 1. This mass follows the same law at ``a_(k+1)`` and is zero at ``a_k``; between them the tail is
    searched for its maximum, which is often at an end.
    """
    if t <= math.ceil(2 * mean):
        return 1.0
    if t > m or mean == 0:
        return 0.0
    mu = float(mean)
    lasts, ends = _intervals(mean, m, power)
    some = lasts >= t - 1
    k, low, high = lasts[some], ends[1:][some], ends[:-1][some]
    share = np.linspace(0.0, 1.0, 17)
    grid = low[:, None] + (high - low)[:, None] * share
    values = _tail(np.repeat(k, len(share)), grid.ravel(), mu, t, power).reshape(grid.shape)
    at = int(np.argmax(values))
    best = float(values.flat[at])
    last, row, column = k[at // len(share)], grid[at // len(share)], at % len(share)
    for _ in range(6):  # refine the grid around the best
        left, right = row[max(column - 1, 0)], row[min(column + 1, len(share) - 1)]
        row = left + (right - left) * share
        near = _tail(np.full(len(share), last), row, mu, t, power)
        column = int(np.argmax(near))
        best = max(best, float(near[column]))
    return min(max(best, 0.0), 1.0)


@lru_cache(maxsize=64)
def _intervals(mean: Fraction, m: int, power: int) -> tuple[NDArray[np.int64], Floats]:
    """Return the values of k, and log a_k for them and for one more."""
    lasts = np.arange(math.ceil(2 * mean), m)
    return lasts, _log_offsets(float(mean), np.append(lasts, m), power)


_LARGEST_LOG = 46.0  # beyond it all masses are equal in a double


def _log_offsets(mu: float, k: NDArray[np.int64], power: int) -> Floats:
    """Return log a for which masses (a + i) ** -power on 0..k have the mean mu, which increases with a to k/2."""
    low = np.full(len(k), -400.0)
    high = np.full(len(k), _LARGEST_LOG)
    for _ in range(70):
        middle = (low + high) / 2
        masses = _masses(k, middle, power)
        means = (masses * np.arange(masses.shape[1])).sum(axis=1) / masses.sum(axis=1)
        low, high = np.where(means < mu, middle, low), np.where(means < mu, high, middle)
    return high


def _masses(k: NDArray[np.int64], log_a: Floats, power: int) -> Floats:
    """Return ((a + i) / a) ** -power for i = 0..k, a row for each pair, padded with zeros."""
    i = np.arange(int(k.max()) + 1)
    with np.errstate(over="ignore"):
        ratio = 1.0 / (1.0 + i * np.exp(-log_a)[:, None])
    ratio *= i <= k[:, None]
    squares = np.asarray(ratio * ratio)
    return squares if power == 2 else squares * squares


def _tail(k: NDArray[np.int64], log_a: Floats, mu: float, t: int, power: int) -> Floats:
    masses = _masses(k, log_a, power)
    i = np.arange(masses.shape[1])
    weights = np.maximum(k[:, None] + 1 - i, 0)
    scale = (k + 1 - mu) / (masses * weights).sum(axis=1)
    return np.asarray(1.0 - scale * masses[:, :t].sum(axis=1))

"""The moves of bees and genes: how sets of pool positions are made from others."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
# Positions in the pool, ascending.
Solution = tuple[int, ...]
Scores = Callable[[Sequence[Solution]], list[float]]

# What a fitness must exceed the mean by to be good: the rounding of the mean makes no equal ones good.
ABOVE_ROUNDING = 1e-12


def geometric_weights(n: int, j: int) -> Floats:
    """Probabilities of the positions for the `j`-th solution, from 1: they fall by j / (j + 1) from each to the next.

    Examples
    --------
    >>> geometric_weights(3, 1).round(4).tolist()
    [0.5714, 0.2857, 0.1429]
    """
    gamma = 1 - 1 / (j + 1)
    weights = np.power(gamma, np.arange(n, dtype=np.float64))
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def draw_position(weights: Floats, taken: Solution, rng: np.random.Generator) -> int:
    """A position that is not taken, with a probability in proportion to its weight."""
    left = weights.copy()
    left[list(taken)] = 0.0
    sums = np.cumsum(left)
    drawn = int(np.searchsorted(sums, rng.random() * sums[-1], side="right"))
    return min(drawn, int(np.flatnonzero(left)[-1]))


def shift(position: int, distance: float, n: int) -> int:
    """The position so far away, by at least 1; the other way if that leaves the pool of `n`.

    Examples
    --------
    >>> shift(3, 2.4, 10), shift(8, 3.2, 10), shift(5, -0.3, 10)
    (5, 5, 4)
    """
    step = math.floor(abs(distance) + 0.5) or 1
    step = step if distance >= 0 else -step
    for moved in (position + step, position - step):
        if 0 <= moved < n:
            return moved
    return min(max(position + step, 0), n - 1)


def neighbour(own: Solution, partner: Solution, n: int, rng: np.random.Generator) -> Solution:
    """`own` with one position shifted by a share of its distance from the partner's."""
    i = int(rng.integers(len(own)))
    distance = rng.uniform(-1, 1) * (own[i] - partner[i % len(partner)])
    return tuple(sorted({*own[:i], *own[i + 1 :], shift(own[i], distance, n)}))


def crossover(one: Solution, other: Solution, rng: np.random.Generator) -> Solution:
    """What both have, and each position that one of them has with probability 1/2; it may be empty."""
    both = set(one) & set(other)
    single = sorted(set(one) ^ set(other))
    return tuple(sorted(both.union(position for position in single if rng.random() < 0.5)))


def mutate(
    solution: Solution, others: Sequence[Solution], rate: float, n: int, rng: np.random.Generator
) -> Solution:
    """Each position, with probability `rate`, shifted by a share of its distance from another solution's."""
    moved = []
    for i, position in enumerate(solution):
        if rng.random() < rate:
            other = others[int(rng.integers(len(others)))]
            distance = rng.uniform(-1, 1) * (position - other[i % len(other)])
            position = shift(position, distance, n)
        moved.append(position)
    return tuple(sorted(set(moved)))


def worths(fits: Sequence[float]) -> Floats:
    """Fitness values from 0 up: as they are, or above the least of them if that is negative; 0 for failures."""
    values = np.array(fits, dtype=np.float64)
    finite = np.isfinite(values)
    lowest = min(0.0, float(values[finite].min())) if finite.any() else 0.0
    return np.where(finite, values - lowest, 0.0)


def roulette(fits: Sequence[float]) -> Floats:
    """Probabilities in proportion to the fitness; equal ones if all are 0."""
    values = worths(fits)
    total = values.sum()
    return values / total if total > 0 else np.full(len(values), 1 / len(values))


def goodness(solutions: Sequence[Solution], fits: Sequence[float], n: int) -> Floats:
    """What each position has to do with good solutions, from -1 (in all bad ones) to 1 (in all good ones).

    A solution is good if its fitness is above the mean.
    """
    values = worths(fits)
    good = values > values.mean() + ABOVE_ROUNDING
    found = np.zeros(n)
    for side, sign in ((good, 1.0), (~good, -1.0)):
        total = values[side].sum()
        if total > 0:
            for i in np.flatnonzero(side).tolist():
                found[list(solutions[i])] += sign * values[i] / total
    return found


def intensify(
    solution: Solution, fit: float, promise: Floats, n_kept: int, scores: Scores
) -> tuple[Solution, float]:
    """Add the best position of positive promise while that helps, then remove the worst of the others.

    Of equal ones the position of larger absolute promise is taken, then the lower one. The first `n_kept` positions
    stay.
    """
    positive = [int(position) for position in np.flatnonzero(promise > 0)]

    def steepest(options: list[tuple[int, Solution]]) -> bool:
        nonlocal solution, fit
        found = scores([changed for _, changed in options])
        if not found or max(found) <= fit:
            return False
        best = max(
            range(len(options)),
            key=lambda i: (found[i], abs(promise[options[i][0]]), -options[i][0]),
        )
        solution, fit = options[best][1], found[best]
        return True

    while steepest([(f, tuple(sorted((*solution, f)))) for f in positive if f not in solution]):
        pass
    while steepest(
        [
            (f, tuple(position for position in solution if position != f))
            for f in solution
            if promise[f] <= 0 and f >= n_kept and len(solution) > 1
        ]
    ):
        pass
    return solution, fit

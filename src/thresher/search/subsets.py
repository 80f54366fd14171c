"""Searches over subsets by consistency, and by support vector machines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from thresher import _core

Features = NDArray[np.uint32]


@dataclass(frozen=True)
class Swept:
    """Places in the order of the features that stay, their risk, and how many risks were asked for."""

    stays: Features
    risk: float
    n_probes: int


@dataclass(frozen=True)
class Eliminated:
    """Places in the order of the features removed, one after the other, and the risks of the last ones."""

    removed: Features
    risks: NDArray[np.float64]
    n_evaluations: int


@dataclass(frozen=True)
class FoundSet:
    """A set of features; `is_counted` is False where `n_evaluations` is a lower bound."""

    features: Features
    n_evaluations: int
    is_counted: bool = True


def sweep(risks: _core.Consistency, rule: str, bound: float) -> Swept:
    """Decide once for each feature, in order: it goes if the rest does without it."""
    return Swept(*risks.sweep(rule, bound))


def eliminate(
    risks: _core.Consistency, strategy: str, bound: float, **options: float
) -> Eliminated:
    """Remove the feature that is missed least, one at a time, while the risk stays within `bound`."""
    return Eliminated(*risks.eliminate(strategy, bound, **options))


def search_sets(
    risks: _core.Consistency, method: str, bound: float, max_evaluations: int, among: Features
) -> FoundSet | None:
    """The smallest set within `bound`; None if that takes more than `max_evaluations`."""
    try:
        return FoundSet(*risks.search(method, bound, max_evaluations, among))
    except _core.TooManyEvaluations:
        return None


def cover(risks: _core.Consistency, bound: float, tolerance: float = 0.0) -> FoundSet:
    """Add the feature that tells most pairs of samples apart, until the risk is within `bound`."""
    return FoundSet(*risks.cover(bound, tolerance))


Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Dropped:
    """Features in the order in which they were dropped.

    Attributes
    ----------
    features : ndarray of int
    scores : ndarray of float of shape (n_features,)
        Squared weights over all machines, of the last round that the feature was in; nan for others.
    n_unfinished : int
        Machines that did not reach the tolerance.
    """

    features: npt.NDArray[np.intp]
    scores: Floats
    n_unfinished: int


def drop_by_weight(
    columns: Floats,
    signs: Floats,
    *,
    used: npt.NDArray[np.intp],
    never: npt.NDArray[np.bool_],
    counts: list[int],
    penalty: float,
    tolerance: float,
    n_threads: int = 1,
    progress: Callable[[int, int], object] | None = None,
) -> Dropped:
    """Round after round, fit the machines of all classes and drop the features of the smallest weights.

    Parameters
    ----------
    columns : ndarray of shape (n_features, n_rows)
        Standardised.
    signs : ndarray of shape (n_machines, n_rows)
        1 for rows of the machine's class, -1 for others.
    used : ndarray of int
        The features to begin with.
    never : ndarray of bool of shape (n_features,)
        Those that are not dropped.
    counts : list of int
        How many features each round drops.
    penalty, tolerance : float
    n_threads : int
    progress : callable, default=None
        Called after each round with its number and the features left.
    """
    found, scores, n_unfinished = _core.recursive_elimination(
        columns,
        signs,
        used.astype(np.uint32),
        never.view(np.uint8),
        np.array(counts, dtype=np.uint32),
        penalty,
        tolerance,
        n_threads,
        progress,
    )
    return Dropped(found.astype(np.intp), scores, n_unfinished)

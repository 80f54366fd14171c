"""Searches in the risks of feature sets on one table of rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
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

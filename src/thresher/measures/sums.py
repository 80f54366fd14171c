"""Sums over rows, the values that all measures are made of.

The sums of two blocks of rows, added, are the sums of all rows; subtracting a block leaves the rest. Counts do
so exactly, moments to rounding. Ensembles, out-of-core and streaming selection rest on this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher import _core
from thresher._checks import check_choice
from thresher.measures._names import KINDS

Floats = npt.NDArray[np.float64]
LARGEST_F_RATIO = 1e12


@dataclass(frozen=True)
class PairCounts:
    """Contingency counts of two discrete columns.

    Parameters
    ----------
    counts : ndarray of shape (n_levels_a, n_levels_b)
        Whole numbers, or sums of real weights.

    Examples
    --------
    >>> first = PairCounts.of([0, 0, 1], [0, 1, 1], 2, 2)
    >>> second = PairCounts.of([1, 0], [1, 0], 2, 2)
    >>> (first + second).counts.tolist()
    [[2, 1], [0, 2]]
    >>> ((first + second) - second).counts.tolist() == first.counts.tolist()
    True
    """

    counts: npt.NDArray[Any]

    @classmethod
    def of(
        cls,
        a: npt.ArrayLike,
        b: npt.ArrayLike,
        n_levels_a: int,
        n_levels_b: int,
        sample_weight: npt.ArrayLike | None = None,
    ) -> PairCounts:
        """Count the rows of two columns of codes."""
        cell = np.asarray(a, dtype=np.int64) * n_levels_b + np.asarray(b, dtype=np.int64)
        size = n_levels_a * n_levels_b
        if sample_weight is None:
            counts: npt.NDArray[Any] = np.bincount(cell, minlength=size)
        else:
            weights = np.asarray(sample_weight)
            counts = np.zeros(size, dtype=np.int64 if weights.dtype.kind in "iub" else np.float64)
            np.add.at(counts, cell, weights)
        return cls(counts.reshape(n_levels_a, n_levels_b))

    def __add__(self, other: PairCounts) -> PairCounts:
        return PairCounts(self.counts + other.counts)

    def __sub__(self, other: PairCounts) -> PairCounts:
        return PairCounts(self.counts - other.counts)

    def value(self, measure: str) -> float:
        """The measure ``"mi"``, ``"su"``, ``"nmi"`` or ``"chi2"`` of these counts."""
        check_choice("measure", measure, [name for name, kind in KINDS.items() if kind.is_discrete])
        counts = self.counts
        if counts.dtype.kind == "f":
            return float(_core.value_of_weighted_counts(np.ascontiguousarray(counts), measure))
        counts = np.ascontiguousarray(counts, dtype=np.int64)
        return float(_core.value_of_counts(counts, measure))


@dataclass(frozen=True)
class PairMoments:
    """Weight, means and centred second moments of two numeric columns.

    Examples
    --------
    >>> both = PairMoments.of([1.0, 2.0, 3.0], [1.0, 3.0, 2.0]) + PairMoments.of([5.0], [4.0])
    >>> round(both.value("pearson"), 6) == round(PairMoments.of([1, 2, 3, 5], [1, 3, 2, 4]).value("pearson"), 6)
    True
    """

    weight: float
    mean_a: float
    mean_b: float
    square_a: float
    square_b: float
    cross: float

    @classmethod
    def of(
        cls, a: npt.ArrayLike, b: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None
    ) -> PairMoments:
        """Moments of two columns, in two passes."""
        x = np.asarray(a, dtype=np.float64)
        y = np.asarray(b, dtype=np.float64)
        w = (
            np.ones_like(x)
            if sample_weight is None
            else np.asarray(sample_weight, dtype=np.float64)
        )
        weight = float(w.sum())
        if weight == 0:
            return cls(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        mean_a, mean_b = float((w * x).sum() / weight), float((w * y).sum() / weight)
        dx, dy = x - mean_a, y - mean_b
        return cls(
            weight,
            mean_a,
            mean_b,
            float((w * dx * dx).sum()),
            float((w * dy * dy).sum()),
            float((w * dx * dy).sum()),
        )

    def _combine(self, other: PairMoments, sign: float) -> PairMoments:
        weight = self.weight + sign * other.weight
        if weight <= 0:
            return PairMoments(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        mean_a = (self.weight * self.mean_a + sign * other.weight * other.mean_a) / weight
        mean_b = (self.weight * self.mean_b + sign * other.weight * other.mean_b) / weight
        # Both blocks about the common mean; a block that leaves takes its share along.
        own_a, own_b = self.mean_a - mean_a, self.mean_b - mean_b
        its_a, its_b = other.mean_a - mean_a, other.mean_b - mean_b
        return PairMoments(
            weight,
            mean_a,
            mean_b,
            self.square_a
            + self.weight * own_a**2
            + sign * (other.square_a + other.weight * its_a**2),
            self.square_b
            + self.weight * own_b**2
            + sign * (other.square_b + other.weight * its_b**2),
            self.cross
            + self.weight * own_a * own_b
            + sign * (other.cross + other.weight * its_a * its_b),
        )

    def __add__(self, other: PairMoments) -> PairMoments:
        return self._combine(other, 1.0)

    def __sub__(self, other: PairMoments) -> PairMoments:
        return self._combine(other, -1.0)

    def value(self, measure: str) -> float:
        """The absolute ``"pearson"`` correlation or ``"cosine"``."""
        check_choice("measure", measure, ("pearson", "cosine"))
        square_a, square_b, cross = self.square_a, self.square_b, self.cross
        if measure == "cosine":
            square_a += self.weight * self.mean_a**2
            square_b += self.weight * self.mean_b**2
            cross += self.weight * self.mean_a * self.mean_b
        if square_a <= 0 or square_b <= 0:
            return 0.0
        return round_bounded(abs(cross) / (np.sqrt(square_a) * np.sqrt(square_b)))


@dataclass(frozen=True)
class ClassMoments:
    """Weight, mean and centred second moment of a numeric column in every class.

    Examples
    --------
    >>> sums = ClassMoments.of([1, 2, 3, 4, 5, 7], [0, 0, 0, 1, 1, 1], 2)
    >>> round(sums.value("f"), 9)
    10.0
    """

    weight: Floats
    mean: Floats
    square: Floats

    @classmethod
    def of(
        cls,
        values: npt.ArrayLike,
        classes: npt.ArrayLike,
        n_classes: int,
        sample_weight: npt.ArrayLike | None = None,
    ) -> ClassMoments:
        """Moments of a column by class codes, in two passes."""
        x = np.asarray(values, dtype=np.float64)
        y = np.asarray(classes, dtype=np.int64)
        w = (
            np.ones_like(x)
            if sample_weight is None
            else np.asarray(sample_weight, dtype=np.float64)
        )
        weight: Floats = np.bincount(y, w, n_classes).astype(np.float64)
        mean = _ratio(np.bincount(y, w * x, n_classes).astype(np.float64), weight)
        square: Floats = np.bincount(y, w * (x - mean[y]) ** 2, n_classes).astype(np.float64)
        return cls(weight, mean, square)

    def _combine(self, other: ClassMoments, sign: float) -> ClassMoments:
        weight = self.weight + sign * other.weight
        mean = _ratio(self.weight * self.mean + sign * other.weight * other.mean, weight)
        square = (
            self.square
            + self.weight * (self.mean - mean) ** 2
            + sign * (other.square + other.weight * (other.mean - mean) ** 2)
        )
        return ClassMoments(weight, mean, np.where(weight > 0, square, 0.0))

    def __add__(self, other: ClassMoments) -> ClassMoments:
        return self._combine(other, 1.0)

    def __sub__(self, other: ClassMoments) -> ClassMoments:
        return self._combine(other, -1.0)

    def value(self, measure: str = "f") -> float:
        """The one-way F of the column against the classes."""
        check_choice("measure", measure, ("f",))
        present = self.weight > 0
        n, n_classes = float(self.weight.sum()), int(present.sum())
        if n_classes < 2 or n <= n_classes:
            return 0.0
        mean = float((self.weight * self.mean).sum() / n)
        between = float((self.weight * (self.mean - mean) ** 2).sum())
        within = float(self.square.sum())
        if between == 0:
            return 0.0
        ratio = min(between / within, LARGEST_F_RATIO) if within > 0 else LARGEST_F_RATIO
        return round_significant((n - n_classes) / (n_classes - 1) * ratio)


def round_bounded(value: float) -> float:
    """To a multiple of 2^-40 in [0, 1]; below 1e-12 is 0."""
    if not value >= 1e-12:
        return 0.0
    return min(float(np.rint(value * 2.0**40) * 2.0**-40), 1.0)


def round_significant(value: float) -> float:
    """To 40 significant bits."""
    fraction, exponent = np.frexp(value)
    return float(np.ldexp(np.rint(np.ldexp(fraction, 40)), exponent - 40))


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0)

"""Sums over rows, from which all measures are computed.

The sums of two blocks of rows add to the sums of all rows; subtracting a block leaves the sums of the rest. Integer
counts do so exactly, sums of real weights and moments with twice the digits to which a value is rounded. Ensembles,
out-of-core and streaming selection use this.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Generic, Self, TypeVar

import numpy as np
import numpy.typing as npt

from thresher import _core
from thresher._utils.checks import check_choice
from thresher._utils.types import Array, Floats
from thresher.measures._names import BY_CLASS, KINDS

# Measures made of the counts of two discrete columns.
COUNTED = tuple(name for name, kind in KINDS.items() if kind.is_discrete or kind.is_mixed)


@dataclass(frozen=True)
class PairCounts:
    """Contingency counts of two discrete columns.

    Parameters
    ----------
    counts : ndarray of shape (n_levels_a, n_levels_b)
        Integers, or sums of real weights.
    rest : ndarray of the same shape, default=None
        The digits of sums of real weights beyond those of ``counts``.

    Examples
    --------
    >>> first = PairCounts.of([0, 0, 1], [0, 1, 1], 2, 2)
    >>> second = PairCounts.of([1, 0], [1, 0], 2, 2)
    >>> (first + second).counts.tolist()
    [[2, 1], [0, 2]]
    >>> ((first + second) - second).counts.tolist() == first.counts.tolist()
    True
    """

    counts: Array
    rest: Floats | None = None

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
        shape = (n_levels_a, n_levels_b)
        if sample_weight is None:
            return cls(np.bincount(cell, minlength=size).reshape(shape))
        weights = np.asarray(sample_weight)
        if weights.dtype.kind in "iub":
            counts = np.zeros(size, dtype=np.int64)
            np.add.at(counts, cell, weights)
            return cls(counts.reshape(shape))
        order = np.argsort(cell)
        groups = np.split(weights[order], np.searchsorted(cell[order], np.arange(1, size)))
        sums = [math.fsum(group) for group in groups]
        rest = [math.fsum([*group, -total]) for group, total in zip(groups, sums, strict=True)]
        return cls(np.reshape(sums, shape), np.reshape(rest, shape))

    def __add__(self, other: PairCounts) -> PairCounts:
        return self._plus(other, 1)

    def __sub__(self, other: PairCounts) -> PairCounts:
        return self._plus(other, -1)

    def _plus(self, other: PairCounts, sign: int) -> PairCounts:
        if self.counts.dtype.kind != "f" and other.counts.dtype.kind != "f":
            return PairCounts(self.counts + sign * other.counts)
        words = _core.add_sums(self._words(), sign * other._words())
        return PairCounts(words[..., 0], words[..., 1])

    def _words(self) -> Floats:
        high = np.asarray(self.counts, dtype=np.float64)
        return np.stack([high, np.zeros_like(high) if self.rest is None else self.rest], axis=-1)

    def value(self, measure: str) -> float:
        """Return a measure of discrete features, by name, from these counts."""
        check_choice("measure", measure, COUNTED)
        if self.counts.dtype.kind == "f":
            return _core.value_of_weighted_counts(self._words(), measure)
        return _core.value_of_counts(np.ascontiguousarray(self.counts, dtype=np.int64), measure)


Sums = TypeVar("Sums", _core.PairSums, _core.ClassSums)


class _Moments(Generic[Sums]):
    """Sums of the core that add and subtract, and from which measures are computed."""

    _measures: ClassVar[tuple[str, ...]]

    def __init__(self, sums: Sums) -> None:
        self._sums: Sums = sums

    def __add__(self, other: Self) -> Self:
        return type(self)(self._sums + other._sums)

    def __sub__(self, other: Self) -> Self:
        return type(self)(self._sums - other._sums)

    def _value(self, measure: str) -> float:
        check_choice("measure", measure, self._measures)
        return self._sums.value(measure)


class PairMoments(_Moments[_core.PairSums]):
    """Sums of two numeric columns, in twice double precision about a centre near their means.

    Values do not depend on the split of rows into blocks.

    Examples
    --------
    >>> both = PairMoments.of([1.0, 2.0, 3.0], [1.0, 3.0, 2.0]) + PairMoments.of([5.0], [4.0])
    >>> both.value("pearson") == PairMoments.of([1, 2, 3, 5], [1, 3, 2, 4]).value("pearson")
    True
    """

    _measures = tuple(n for n, kind in KINDS.items() if kind.is_sum and not kind.is_discrete)

    @classmethod
    def of(
        cls, a: npt.ArrayLike, b: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None
    ) -> PairMoments:
        """Sum two columns of finite numbers."""
        return cls(_core.PairSums(_floats(a), _floats(b), _weights(sample_weight)))

    def value(self, measure: str) -> float:
        """Return ``"pearson"`` or ``"cosine"`` (absolute), ``"r2"``, or ``"f"`` of the linear regression."""
        return self._value(measure)


class ClassMoments(_Moments[_core.ClassSums]):
    """Sums of a numeric column by class, in twice double precision about a centre near its mean.

    Values do not depend on the split of rows into blocks.

    Examples
    --------
    >>> sums = ClassMoments.of([1, 2, 3, 4, 5, 7], [0, 0, 0, 1, 1, 1], 2)
    >>> sums.value("f")
    10.0
    """

    _measures = BY_CLASS

    @classmethod
    def of(
        cls,
        values: npt.ArrayLike,
        classes: npt.ArrayLike,
        n_classes: int,
        sample_weight: npt.ArrayLike | None = None,
    ) -> ClassMoments:
        """Sum a column of finite numbers by class codes."""
        codes = np.ascontiguousarray(classes, dtype=np.int32)
        return cls(_core.ClassSums(_floats(values), codes, n_classes, _weights(sample_weight)))

    def value(self, measure: str = "f") -> float:
        """Return the one-way ``"f"`` of the column and the classes, or ``"r2"``, their share of its scatter."""
        return self._value(measure)


def _floats(values: npt.ArrayLike) -> Floats:
    return np.ascontiguousarray(values, dtype=np.float64)


def _weights(sample_weight: npt.ArrayLike | None) -> Floats | None:
    return None if sample_weight is None else _floats(sample_weight)

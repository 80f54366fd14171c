"""How values become codes: the same in every block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher import _core
from thresher.blocks._rows import Rows
from thresher.blocks._summary import ColumnFacts
from thresher.data import to_feature_major
from thresher.discretize import EqualWidthBins, MeanSdBins

Floats = npt.NDArray[np.float64]
MISSING_CODE = 255
MOST_LEVELS = 256
MOST_CUTS = 254  # that the core applies
# Values within this of a threshold, relative to mean and deviation, are at the threshold.
SLACK = 1e-12


@dataclass(frozen=True)
class Coding:
    """The levels of every column.

    Attributes
    ----------
    borders : list of ndarray
        The code of a number is how many of these are below it; nothing for categories.
    texts : dict of int to list of str
        The levels of categories.
    with_missing : ndarray of bool
        Columns whose last level is that of missing values.
    thresholds : ndarray of bool
        Columns whose borders are no cuts yet: these lie midway between the values next to them.
    """

    borders: list[Floats]
    texts: dict[int, list[str]]
    with_missing: npt.NDArray[np.bool_]
    thresholds: npt.NDArray[np.bool_]

    @property
    def levels(self) -> npt.NDArray[np.int32]:
        """How many levels each column has, some of which may never occur."""
        n = np.array([len(own) + 1 for own in self.borders], dtype=np.int32)
        for column, own in self.texts.items():
            n[column] = len(own)
        return n + self.with_missing.astype(np.int32)

    def codes(self, rows: Rows) -> npt.NDArray[np.uint8]:
        """One row of codes per column; 255 for missing values that are no level."""
        if rows.n_rows == 0:
            return np.empty((len(self.borders), 0), dtype=np.uint8)
        columns = to_feature_major(rows.matrix)
        short = [own if len(own) <= MOST_CUTS else own[:0] for own in self.borders]
        offsets = np.cumsum([0, *map(len, short)], dtype=np.int64)
        codes = _core.apply_cuts(columns, np.concatenate([np.empty(0), *short]), offsets, 1)
        for column, own in enumerate(self.borders):
            if len(own) > MOST_CUTS:
                found = np.searchsorted(own, columns[column])
                codes[column] = np.where(np.isnan(columns[column]), MISSING_CODE, found)
        for column, texts in self.texts.items():
            place = {text: i for i, text in enumerate(texts)}
            of_rank = [place.get(text, MISSING_CODE) for text in rows.texts.get(column, [])]
            ranks = columns[column]
            table = np.array([*of_rank, MISSING_CODE], dtype=np.uint8)
            codes[column] = table[np.where(np.isnan(ranks), len(of_rank), ranks).astype(np.intp)]
        levels = self.levels
        for column in np.flatnonzero(self.with_missing).tolist():
            codes[column][codes[column] == MISSING_CODE] = levels[column] - 1
        return codes


def between(below: Floats, above: Floats) -> Floats:
    """Where cuts between neighbouring values lie: midway, at the lower one if the midpoint rounds to the other."""
    with np.errstate(over="ignore"):
        middle = (below + above) / 2.0
    middle = np.where(np.isfinite(middle), middle, below / 2.0 + above / 2.0)
    return np.where((middle >= below) & (middle < above), middle, below)


def level_borders(values: Floats) -> Floats:
    """Borders between distinct values, each a level of its own."""
    return between(values[:-1], values[1:])


def thresholds(rule: Any, facts: ColumnFacts, columns: Sequence[int]) -> list[Floats]:
    """Where equal-width or mean-sd bins of these columns begin."""
    if isinstance(rule, EqualWidthBins):
        return [
            _equal_width(float(facts.minimum[i]), float(facts.maximum[i]), rule.n_bins)
            for i in columns
        ]
    assert isinstance(rule, MeanSdBins)
    mean, variance = facts.moments()
    found = []
    for i in columns:
        if not facts.minimum[i] < facts.maximum[i]:
            found.append(np.empty(0))
            continue
        reach = float(rule.t) * float(np.sqrt(variance[i]))
        slack = SLACK * (abs(float(mean[i])) + reach)
        ends = np.array([mean[i] - reach + slack, mean[i] + reach + slack])
        found.append(np.ldexp(ends, -facts.powers[i]))
    return found


def _equal_width(lowest: float, highest: float, n_bins: int) -> Floats:
    if not lowest < highest:
        return np.empty(0)
    upper = np.arange(1, n_bins, dtype=np.float64)
    lower = n_bins - upper
    if max(abs(lowest), abs(highest)) > 1e300:  # the sum would overflow: divide first
        return lowest * (lower / n_bins) + highest * (upper / n_bins)
    return (lowest * lower + highest * upper) / n_bins

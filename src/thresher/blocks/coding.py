"""The levels of columns of rows in blocks, their cuts among them, and those of equal frequency.

Cuts of equal frequency are exact. A pass counts the values in buckets. Where all values of a bucket must fall into
one bin it is closed. An open one is split in the next pass, half of the new borders evenly by value and half by the
order of floating-point numbers, or its values are collected once they are few.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from thresher import _core
from thresher._utils.types import Array, BinRule, Floats, Mask
from thresher.blocks.engine import Counts, RowBlock, Session
from thresher.blocks.packed_rows import Texts
from thresher.blocks.rows import RowReader, Rows
from thresher.blocks.summary import ColumnFacts
from thresher.data import as_numbers, feature_blocks, to_feature_major
from thresher.discretize import EqualWidthBins, MeanSdBins

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
    texts: Texts
    with_missing: Mask
    thresholds: Mask

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
        codes, long = _count_borders(columns, self.borders)
        for column, found in long.items():
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


def _count_borders(
    columns: Array, borders: Sequence[Floats]
) -> tuple[npt.NDArray[np.uint8], dict[int, npt.NDArray[np.intp]]]:
    """How many borders of its column are below each value; apart for columns with more than the core applies."""
    short = [own if len(own) <= MOST_CUTS else own[:0] for own in borders]
    offsets = np.cumsum([0, *map(len, short)], dtype=np.int64)
    codes = _core.apply_cuts(columns, np.concatenate([np.empty(0), *short]), offsets, 1)
    long = [i for i, own in enumerate(borders) if len(own) > MOST_CUTS]
    return codes, {i: np.searchsorted(borders[i], columns[i]) for i in long}


def between(below: Floats, above: Floats) -> Floats:
    """Where cuts between neighbouring values lie: midway, at the lower one if the midpoint rounds to the other."""
    with np.errstate(over="ignore"):
        middle = (below + above) / 2.0
    middle = np.where(np.isfinite(middle), middle, below / 2.0 + above / 2.0)
    return np.where((middle >= below) & (middle < above), middle, below)


def level_borders(values: Floats) -> Floats:
    """Borders between distinct values, each a level of its own."""
    return between(values[:-1], values[1:])


def thresholds(rule: BinRule, facts: ColumnFacts, columns: Sequence[int]) -> list[Floats]:
    """Where equal-width or mean-sd bins of these columns begin."""
    if isinstance(rule, EqualWidthBins):
        return [
            _equal_width(float(facts.minimum[i]), float(facts.maximum[i]), rule.n_bins)
            for i in columns
        ]
    assert isinstance(rule, MeanSdBins)
    mean, variance = facts.sums.moments()
    found = []
    for i in columns:
        if not facts.minimum[i] < facts.maximum[i]:
            found.append(np.empty(0))
            continue
        reach = float(rule.t) * float(np.sqrt(variance[i]))
        slack = SLACK * (abs(float(mean[i])) + reach)
        ends = np.array([mean[i] - reach + slack, mean[i] + reach + slack])
        found.append(np.ldexp(ends, -facts.sums.powers[i]))
    return found


def _equal_width(lowest: float, highest: float, n_bins: int) -> Floats:
    if not lowest < highest:
        return np.empty(0)
    upper = np.arange(1, n_bins, dtype=np.float64)
    lower = n_bins - upper
    if max(abs(lowest), abs(highest)) > 1e300:  # the sum would overflow: divide first
        return lowest * (lower / n_bins) + highest * (upper / n_bins)
    return (lowest * lower + highest * upper) / n_bins


TARGET = -1  # stands for the target among the columns
# Borders a column gets in a pass; how many values of a column are few enough to be collected.
N_BORDERS = 254
FEW_VALUES = 4096


@dataclass(frozen=True)
class Buckets:
    """How many values lie in each bucket, and the smallest and the largest of them."""

    counts: Counts
    lowest: Floats
    highest: Floats


@dataclass(frozen=True)
class BucketRequest:
    """What a pass asks of a column.

    Attributes
    ----------
    ranges : ndarray of shape (n_ranges, 2)
        Where to count_buckets: values from the first to the second of each, in ascending order.
    borders : ndarray or None
        Ascending; values up to the first, between the first two, ... are counted. None: each value is.
    """

    ranges: Floats
    borders: Floats | None

    @property
    def edges(self) -> Floats:
        """Cuts such that values inside a range have odd codes."""
        with np.errstate(over="ignore"):  # -inf is below the smallest number
            below = np.nextafter(self.ranges[:, 0], -np.inf)
        return np.column_stack([below, self.ranges[:, 1]]).ravel()

    def count_buckets(self, values: Floats, weights: Array | None) -> Buckets:
        """The answer for the values of a block that lie inside the ranges."""
        order = np.argsort(values, kind="stable") if weights is not None else None
        values = np.sort(values) if order is None else values[order]
        if self.borders is None:
            starts = np.flatnonzero(np.diff(values, prepend=np.nan) != 0)
        else:
            starts = np.searchsorted(values, self.borders, side="right")
            starts = np.concatenate([[0], starts])
        ends = np.append(starts[1:], len(values)) if len(starts) else starts
        if order is None or weights is None:
            counts = ends - starts
        else:
            total = np.concatenate([[0], np.cumsum(weights[order].astype(np.int64))])
            counts = total[ends] - total[starts]
        some = ends > starts
        lowest, highest = np.full(len(starts), np.inf), np.full(len(starts), -np.inf)
        lowest[some], highest[some] = values[starts[some]], values[ends[some] - 1]
        return Buckets(counts.astype(np.int64), lowest, highest)


@dataclass(frozen=True)
class CountBuckets:
    """The task of a pass."""

    reader: RowReader
    columns: Sequence[int]
    requests: Sequence[BucketRequest]

    def __call__(self, number: int, block: RowBlock) -> list[Buckets]:
        rows = self.reader(number, block)
        found: list[Buckets] = []
        for some in feature_blocks(len(self.columns), max(rows.n_rows, 1), 1 << 22):
            requests = self.requests[some]
            if rows.n_rows == 0:
                found.extend(request.count_buckets(np.empty(0), None) for request in requests)
                continue
            columns = _columns(rows, self.columns[some])
            codes, long = _count_borders(columns, [request.edges for request in requests])
            for i, (column, request) in enumerate(zip(columns, requests, strict=True)):
                inside = (long.get(i, codes[i]) % 2 == 1) & ~np.isnan(column)
                weights = None if rows.weights is None else rows.weights[inside]
                found.append(request.count_buckets(column[inside], weights))
        return found


def _columns(rows: Rows, wanted: Sequence[int]) -> Floats:
    """Columns of a block as rows of float64, -0.0 as 0.0."""
    columns = np.empty((len(wanted), rows.n_rows))
    features = [i for i, column in enumerate(wanted) if column != TARGET]
    if features:
        columns[features] = to_feature_major(rows.matrix[:, [wanted[i] for i in features]])
    for i, column in enumerate(wanted):
        if column == TARGET:
            assert rows.labels is not None
            columns[i] = as_numbers(rows.of_used(rows.labels))
    columns += 0.0
    return columns


@dataclass
class Search:
    """What is known of the bins of one column.

    Attributes
    ----------
    n, n_bins : int
        Weight of all values present, and bins asked for.
    open : list of (lowest, highest, less, count)
        Buckets that may lie in more than one bin, ascending; `less` is the weight of all values below.
    closed : list of (lowest, highest, bin)
    """

    n: int
    n_bins: int
    open: list[tuple[float, float, int, int]] = field(default_factory=list)
    closed: list[tuple[float, float, int]] = field(default_factory=list)

    def file(self, lowest: float, highest: float, less: int, count: int) -> None:
        """Put a bucket where it belongs."""
        twice = 2 * self.n
        if lowest == highest:
            self.closed.append((lowest, highest, self.n_bins * (2 * less + count) // twice))
            return
        first = self.n_bins * (2 * less + 1) // twice
        if first == self.n_bins * (2 * (less + count) - 1) // twice:
            self.closed.append((lowest, highest, first))
        else:
            self.open.append((lowest, highest, less, count))

    def request(self) -> BucketRequest:
        """What to ask next."""
        ranges = np.array([(lowest, highest) for lowest, highest, _, _ in self.open])
        if sum(count for *_, count in self.open) <= FEW_VALUES:
            return BucketRequest(ranges, None)
        each = max(2, N_BORDERS // len(ranges))
        borders = [_split(lowest, highest, each) for lowest, highest in ranges]
        # The end of a range is a border, too, so that no bucket reaches into the next.
        return BucketRequest(ranges, np.unique(np.concatenate([*borders, ranges[:-1, 1]])))

    def update(self, told: Buckets) -> None:
        """Take in the answer of all blocks."""
        was, self.open = self.open, []
        filled = np.flatnonzero(told.counts)
        place = 0
        for _, highest, less, _ in was:
            while place < len(filled) and told.lowest[filled[place]] <= highest:
                i = filled[place]
                count = int(told.counts[i])
                self.file(float(told.lowest[i]), float(told.highest[i]), less, count)
                less += count
                place += 1

    def cuts(self) -> Floats:
        """Between neighbouring buckets of different bins."""
        facts = sorted(self.closed)
        below = np.array([highest for _, highest, _ in facts[:-1]])
        above = np.array([lowest for lowest, _, _ in facts[1:]])
        bins = np.array([own for _, _, own in facts])
        steps = np.flatnonzero(np.diff(bins))
        return between(below[steps], above[steps]) if len(steps) else np.empty(0)


def _split(lowest: float, highest: float, count: int) -> Floats:
    """Borders inside a range: half evenly by value, half evenly by the order of the numbers that exist."""
    half = count // 2
    shares = np.arange(1, half + 1) / (half + 1)
    by_value = lowest * (1 - shares) + highest * shares
    first, last = _key(lowest), _key(highest)
    steps = count - half
    keys = [first + (last - first) * i // (steps + 1) for i in range(1, steps + 1)]
    borders = np.concatenate([by_value, [_number(key) for key in keys]])
    return borders[(borders >= lowest) & (borders < highest)]


def _key(value: float) -> int:
    """Whole numbers in the order of the floating-point numbers."""
    bits = int(np.float64(value).view(np.uint64))
    return (1 << 64) - 1 - bits if bits >> 63 else bits | 1 << 63


def _number(key: int) -> float:
    bits = key ^ (1 << 63) if key >> 63 else (1 << 64) - 1 - key
    return float(np.uint64(bits).view(np.float64))


def merge_buckets(told: Sequence[Buckets], collects: bool) -> Buckets:
    """The answer of all blocks."""
    if not collects:
        return Buckets(
            np.sum([own.counts for own in told], axis=0),
            np.min([own.lowest for own in told], axis=0),
            np.max([own.highest for own in told], axis=0),
        )
    values, place = np.unique(np.concatenate([own.lowest for own in told]), return_inverse=True)
    counts = np.zeros(len(values), dtype=np.int64)
    np.add.at(counts, place, np.concatenate([own.counts for own in told]))
    return Buckets(counts, values, values)


def frequency_cuts(
    session: Session, reader: RowReader, n_bins: int, known: dict[int, tuple[float, float, int]]
) -> list[Floats]:
    """The cuts of `EqualFrequencyBins` of some columns, or of `TARGET`.

    `known`: the smallest and the largest value of each, and the weight of its values present.
    """
    searches = {column: Search(n, n_bins) for column, (_, _, n) in known.items()}
    for column, (lowest, highest, n) in known.items():
        if n > 0:
            searches[column].file(lowest + 0.0, highest + 0.0, 0, n)
    while left := [column for column, own in searches.items() if own.open]:
        requests = [searches[column].request() for column in left]
        told = session.read("equal-frequency cuts", CountBuckets(reader, left, requests))
        for column, request, of_column in zip(left, requests, zip(*told, strict=True), strict=True):
            searches[column].update(merge_buckets(of_column, request.borders is None))
    return [own.cuts() for own in searches.values()]

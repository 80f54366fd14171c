"""The levels and bin edges of columns of rows in blocks, and exact equal-frequency binning.

Each pass of equal-frequency binning counts the values in buckets. A bucket is closed if all its values must fall into
one bin. The next pass splits an open bucket, half of the new borders evenly by value and half by the order of
floating-point numbers, or collects its values once they are few.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from thresher import _core
from thresher._utils.types import Array, BinRule, Floats, Indices, Mask
from thresher.blocks.engine import Counts, RowBlock, Session
from thresher.blocks.packed_rows import Texts
from thresher.blocks.rows import RowReader, Rows
from thresher.blocks.summary import ColumnFacts
from thresher.data import as_numbers, feature_blocks, to_feature_major
from thresher.discretize import EqualWidthBins, MeanSdBins

MISSING_CODE = 255
MOST_LEVELS = 256
MOST_CUTS = 254  # the most cut points of a column that the core applies
# Values this close to a threshold, relative to mean and deviation, count as equal to it.
SLACK = 1e-12


@dataclass(frozen=True)
class Coding:
    """The levels of every column.

    Attributes
    ----------
    borders : list of ndarray
        The code of a number is the number of these below it. Empty for categories.
    texts : dict of int to list of str
        The levels of categorical features.
    with_missing : ndarray of bool
        Columns whose last level is missing values.
    thresholds : ndarray of bool
        Columns whose borders are not cut points yet: cut points lie midway between the values next to a border.
    """

    borders: list[Floats]
    texts: Texts
    with_missing: Mask
    thresholds: Mask

    @property
    def levels(self) -> npt.NDArray[np.int32]:
        """The number of levels of each column. Some levels may never occur."""
        n = np.array([len(borders) + 1 for borders in self.borders], dtype=np.int32)
        for column, texts in self.texts.items():
            n[column] = len(texts)
        return n + self.with_missing.astype(np.int32)

    @property
    def n_thresholds(self) -> Counts:
        """The number of borders of each column that are not cut points yet."""
        return np.array([len(borders) for borders in self.borders]) * self.thresholds

    def codes(self, rows: Rows) -> npt.NDArray[np.uint8]:
        """Return one row of codes per column, 255 for missing values that are not a level."""
        if rows.n_rows == 0:
            return np.empty((len(self.borders), 0), dtype=np.uint8)
        columns = to_feature_major(rows.matrix)
        codes, long = _count_borders(columns, self.borders)
        for column, counts in long.items():
            codes[column] = np.where(np.isnan(columns[column]), MISSING_CODE, counts)
        for column, texts in self.texts.items():
            code_of = {text: i for i, text in enumerate(texts)}
            of_rank = [code_of.get(text, MISSING_CODE) for text in rows.texts.get(column, [])]
            ranks = columns[column]
            table = np.array([*of_rank, MISSING_CODE], dtype=np.uint8)
            codes[column] = table[np.where(np.isnan(ranks), len(of_rank), ranks).astype(np.intp)]
        levels = self.levels
        for column in np.flatnonzero(self.with_missing).tolist():
            codes[column][codes[column] == MISSING_CODE] = levels[column] - 1
        return codes


def _count_borders(
    columns: Array, borders: Sequence[Floats]
) -> tuple[npt.NDArray[np.uint8], dict[int, Indices]]:
    """Count the borders below each value; separately for columns with more than the core applies."""
    short = [some if len(some) <= MOST_CUTS else some[:0] for some in borders]
    offsets = np.cumsum([0, *map(len, short)], dtype=np.int64)
    codes = _core.apply_cuts(columns, np.concatenate([np.empty(0), *short]), offsets, 1)
    long = [i for i, some in enumerate(borders) if len(some) > MOST_CUTS]
    return codes, {i: np.searchsorted(borders[i], columns[i]) for i in long}


def between(below: Floats, above: Floats) -> Floats:
    """Return cut points between neighbouring values: midway, or the lower value if the midpoint rounds to the other."""
    with np.errstate(over="ignore"):
        middle = (below + above) / 2.0
    middle = np.where(np.isfinite(middle), middle, below / 2.0 + above / 2.0)
    return np.where((middle >= below) & (middle < above), middle, below)


def level_borders(values: Floats) -> Floats:
    """Return the borders between distinct values, each of which is a level."""
    return between(values[:-1], values[1:])


def thresholds(rule: BinRule, facts: ColumnFacts, columns: Sequence[int]) -> list[Floats]:
    """Return the borders between the equal-width or mean-sd bins of these columns."""
    if isinstance(rule, EqualWidthBins):
        return [
            _equal_width(float(facts.minimum[i]), float(facts.maximum[i]), rule.n_bins)
            for i in columns
        ]
    assert isinstance(rule, MeanSdBins)
    mean, variance = facts.sums.moments()
    borders = []
    for i in columns:
        if not facts.minimum[i] < facts.maximum[i]:
            borders.append(np.empty(0))
            continue
        reach = float(rule.t) * float(np.sqrt(variance[i]))
        slack = SLACK * (abs(float(mean[i])) + reach)
        ends = np.array([mean[i] - reach + slack, mean[i] + reach + slack])
        borders.append(np.ldexp(ends, -facts.sums.powers[i]))
    return borders


def _equal_width(lowest: float, highest: float, n_bins: int) -> Floats:
    if not lowest < highest:
        return np.empty(0)
    upper = np.arange(1, n_bins, dtype=np.float64)
    lower = n_bins - upper
    if max(abs(lowest), abs(highest)) > 1e300:  # the sum would overflow: divide first
        return lowest * (lower / n_bins) + highest * (upper / n_bins)
    return (lowest * lower + highest * upper) / n_bins


TARGET = -1  # the index of the target among the columns
# How many borders a column gets in a pass, and up to how many of its values are collected.
N_BORDERS = 254
FEW_VALUES = 4096


@dataclass(frozen=True)
class Buckets:
    """The number of values in each bucket, and the smallest and the largest of them."""

    counts: Counts
    lowest: Floats
    highest: Floats


@dataclass(frozen=True)
class BucketRequest:
    """The buckets of a column that a pass counts.

    Attributes
    ----------
    ranges : ndarray of shape (n_ranges, 2)
        The first and the last value of each range to count, in ascending order.
    borders : ndarray or None
        Ascending upper ends of the buckets. None: every distinct value is a bucket.
    """

    ranges: Floats
    borders: Floats | None

    @property
    def edges(self) -> Floats:
        """Cut points such that values inside a range have odd codes."""
        with np.errstate(over="ignore"):  # -inf is below the smallest number
            below = np.nextafter(self.ranges[:, 0], -np.inf)
        return np.column_stack([below, self.ranges[:, 1]]).ravel()

    def count_buckets(self, values: Floats, weights: Array | None) -> Buckets:
        """Return the buckets of the values of a block inside the ranges."""
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
    """The task of a pass of equal-frequency binning."""

    reader: RowReader
    columns: Sequence[int]
    requests: Sequence[BucketRequest]

    def __call__(self, number: int, block: RowBlock) -> list[Buckets]:
        rows = self.reader(number, block)
        buckets: list[Buckets] = []
        for some in feature_blocks(len(self.columns), max(rows.n_rows, 1), 1 << 22):
            requests = self.requests[some]
            if rows.n_rows == 0:
                buckets.extend(request.count_buckets(np.empty(0), None) for request in requests)
                continue
            columns = _columns(rows, self.columns[some])
            codes, long = _count_borders(columns, [request.edges for request in requests])
            for i, (column, request) in enumerate(zip(columns, requests, strict=True)):
                inside = (long.get(i, codes[i]) % 2 == 1) & ~np.isnan(column)
                weights = None if rows.weights is None else rows.weights[inside]
                buckets.append(request.count_buckets(column[inside], weights))
        return buckets


def _columns(rows: Rows, wanted: Sequence[int]) -> Floats:
    """Return columns of a block as rows of float64, with -0.0 as 0.0."""
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
class CutSearch:
    """The search for the cut points of one column.

    Attributes
    ----------
    n, n_bins : int
        The weight of all values present, and the requested number of bins.
    open : list of (lowest, highest, less, count)
        Buckets whose values may fall into several bins, ascending. `less` is the weight of all smaller values.
    closed : list of (lowest, highest, bin)
        Buckets whose values fall into one bin.
    """

    n: int
    n_bins: int
    open: list[tuple[float, float, int, int]] = field(default_factory=list)
    closed: list[tuple[float, float, int]] = field(default_factory=list)

    def add_bucket(self, lowest: float, highest: float, less: int, count: int) -> None:
        """Add a bucket to the open or the closed ones."""
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
        """Return the request of the next pass."""
        ranges = np.array([(lowest, highest) for lowest, highest, _, _ in self.open])
        if sum(count for *_, count in self.open) <= FEW_VALUES:
            return BucketRequest(ranges, None)
        each = max(2, N_BORDERS // len(ranges))
        borders = [_split(lowest, highest, each) for lowest, highest in ranges]
        # The end of a range is a border too, so that no bucket extends into the next range.
        return BucketRequest(ranges, np.unique(np.concatenate([*borders, ranges[:-1, 1]])))

    def update(self, buckets: Buckets) -> None:
        """Replace the open buckets by the buckets that all blocks counted."""
        before, self.open = self.open, []
        filled = deque(np.flatnonzero(buckets.counts).tolist())
        for _, highest, less, _ in before:
            while filled and buckets.lowest[filled[0]] <= highest:
                i = filled.popleft()
                count = int(buckets.counts[i])
                self.add_bucket(float(buckets.lowest[i]), float(buckets.highest[i]), less, count)
                less += count

    def cuts(self) -> Floats:
        """Return the cut points between neighbouring buckets of different bins."""
        buckets = sorted(self.closed)
        below = np.array([highest for _, highest, _ in buckets[:-1]])
        above = np.array([lowest for lowest, _, _ in buckets[1:]])
        bins = np.array([number for _, _, number in buckets])
        steps = np.flatnonzero(np.diff(bins))
        return between(below[steps], above[steps]) if len(steps) else np.empty(0)


def _split(lowest: float, highest: float, count: int) -> Floats:
    """Return borders inside a range: half evenly by value, half evenly by the order of floating-point numbers."""
    half = count // 2
    shares = np.arange(1, half + 1) / (half + 1)
    by_value = lowest * (1 - shares) + highest * shares
    first, last = _to_key(lowest), _to_key(highest)
    steps = count - half
    keys = [first + (last - first) * i // (steps + 1) for i in range(1, steps + 1)]
    borders = np.concatenate([by_value, [_from_key(key) for key in keys]])
    return borders[(borders >= lowest) & (borders < highest)]


def _to_key(value: float) -> int:
    """Return an integer; integers of floating-point numbers have the order of the numbers."""
    bits = int(np.float64(value).view(np.uint64))
    return (1 << 64) - 1 - bits if bits >> 63 else bits | 1 << 63


def _from_key(key: int) -> float:
    bits = key ^ (1 << 63) if key >> 63 else (1 << 64) - 1 - key
    return float(np.uint64(bits).view(np.float64))


def merge_buckets(blocks: Sequence[Buckets], are_values: bool) -> Buckets:
    """Return the buckets of all blocks. With `are_values` every distinct value is a bucket."""
    if not are_values:
        return Buckets(
            np.sum([block.counts for block in blocks], axis=0),
            np.min([block.lowest for block in blocks], axis=0),
            np.max([block.highest for block in blocks], axis=0),
        )
    all_values = np.concatenate([block.lowest for block in blocks])
    values, index = np.unique(all_values, return_inverse=True)
    counts = np.zeros(len(values), dtype=np.int64)
    np.add.at(counts, index, np.concatenate([block.counts for block in blocks]))
    return Buckets(counts, values, values)


def frequency_cuts(
    session: Session, reader: RowReader, n_bins: int, known: dict[int, tuple[float, float, int]]
) -> list[Floats]:
    """Return the cut points of `EqualFrequencyBins` of some columns, or of `TARGET`.

    `known` contains the smallest and the largest value of each, and the weight of its values present.
    """
    searches = {column: CutSearch(n, n_bins) for column, (_, _, n) in known.items()}
    for column, (lowest, highest, n) in known.items():
        if n > 0:
            searches[column].add_bucket(lowest + 0.0, highest + 0.0, 0, n)
    while left := [column for column, search in searches.items() if search.open]:
        requests = [searches[column].request() for column in left]
        blocks = session.read("equal-frequency cuts", CountBuckets(reader, left, requests))
        for column, request, buckets in zip(left, requests, zip(*blocks, strict=True), strict=True):
            searches[column].update(merge_buckets(buckets, request.borders is None))
    return [search.cuts() for search in searches.values()]

"""Searches on the replicates of an ensemble: parts of the rows, searches, votes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from thresher import _core
from thresher._utils.checks import check_choice
from thresher._utils.random import Purpose, stream
from thresher._utils.types import Array, Indices, Mask, RandomState

PART_KINDS = ("round-robin", "contiguous", "shuffled", "stratified")


def draw_seed(random_state: RandomState) -> int:
    """Return one seed for all streams of a fit, from an int, a ``RandomState`` or None."""
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def assign_parts(
    n_rows: int,
    n_parts: int,
    kind: str = "round-robin",
    *,
    target: ArrayLike | None = None,
    seed: int = 0,
) -> NDArray[np.int32]:
    """Return the part, in 0..n_parts-1, of every row.

    Parameters
    ----------
    n_rows, n_parts : int
        ``2 <= n_parts <= n_rows``; every part gets at least one row.
    kind : {"round-robin", "contiguous", "shuffled", "stratified"}
        Row r goes to part ``r mod n_parts``; to part ``floor(r * n_parts / n_rows)``; round-robin
        over a permutation drawn from `seed`; round-robin over the rows sorted stably by `target`.
    target : array-like of shape (n_rows,), default=None
        Class codes or numbers, needed by ``"stratified"``.
    seed : int, default=0
        Used by ``"shuffled"`` alone.

    Examples
    --------
    >>> assign_parts(7, 3).tolist()
    [0, 1, 2, 0, 1, 2, 0]
    >>> assign_parts(7, 3, "contiguous").tolist()
    [0, 0, 0, 1, 1, 2, 2]
    """
    if not 2 <= n_parts <= n_rows:
        raise ValueError(
            f"n_parts must be between 2 and {n_rows} (the number of rows), got {n_parts}"
        )
    check_choice("parts", kind, PART_KINDS)
    rows = np.arange(n_rows, dtype=np.int64)
    if kind == "contiguous":
        return (rows * n_parts // n_rows).astype(np.int32)
    dealt = (rows % n_parts).astype(np.int32)
    if kind == "round-robin":
        return dealt
    if kind == "shuffled":
        order = stream(seed, Purpose.SHUFFLED_ROWS).permutation(n_rows)
    elif target is None:
        raise ValueError('parts="stratified" sorts rows by the target, but y is None. Pass y')
    else:
        order = np.argsort(np.asarray(target), kind="stable")
    part = np.empty(n_rows, dtype=np.int32)
    part[order] = dealt
    return part


@dataclass(frozen=True)
class NumberedParts:
    """Parts and replicates of numbered rows, as assigned by `assign_parts`.

    Attributes
    ----------
    kind : str
        As in `assign_parts`; for ``"stratified"`` rows must be numbered class after class.
    n_rows : int
    keeps : ndarray of bool of shape (n_replicates, n_parts)
        The parts that each replicate contains.
    seed : int
    """

    kind: str
    n_rows: int
    keeps: Mask
    seed: int = 0

    @property
    def by_class(self) -> bool:
        return self.kind == "stratified"

    def part_of(self, numbers: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the parts of the rows with these numbers."""
        n_parts = int(self.keeps.shape[1])
        if self.kind == "shuffled":
            part: Array = assign_parts(self.n_rows, n_parts, self.kind, seed=self.seed)[numbers]
        elif self.kind == "contiguous":
            part = numbers * n_parts // self.n_rows
        else:
            part = numbers % n_parts
        return np.asarray(part, dtype=np.int32)


def bootstrap_counts(n_rows: int, n_samples: int, seed: int = 0) -> NDArray[np.int32]:
    """Count how often each of `n_samples` bootstrap samples of `n_rows` rows contains each row.

    Examples
    --------
    >>> bootstrap_counts(6, 2).sum(axis=1).tolist()
    [6, 6]
    """
    counts = np.empty((n_samples, n_rows), dtype=np.int32)
    for i in range(n_samples):
        drawn = stream(seed, Purpose.BOOTSTRAP, i).integers(n_rows, size=n_rows)
        counts[i] = np.bincount(drawn, minlength=n_rows)
    return counts


def draw_halves(n_parts: int, n_pairs: int, seed: int = 0) -> Mask:
    """Return the parts in the first half of every pair; the second half contains the rest.

    Examples
    --------
    >>> draw_halves(6, 2).sum(axis=1).tolist()
    [3, 3]
    """
    halves = np.zeros((n_pairs, n_parts), dtype=np.bool_)
    for pair in range(n_pairs):
        order = stream(seed, Purpose.HALVES, pair).permutation(n_parts)
        halves[pair, order[: n_parts // 2]] = True
    return halves


def number_groups(groups: ArrayLike, n_rows: int) -> Indices:
    """Return the groups of rows, numbered by first occurrence.

    Examples
    --------
    >>> number_groups(["b", "a", "b", "c"], 4).tolist()
    [0, 1, 0, 2]
    """
    labels = np.asarray(groups)
    if labels.shape != (n_rows,):
        raise ValueError(
            f"groups must have one label per sample, ({n_rows},), got shape {labels.shape}"
        )
    _, first, code = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[code]


VOTE_KINDS = ("majority", "mean-rank")


def count_votes(lists: Sequence[Sequence[int]], n_features: int) -> NDArray[np.int64]:
    """Count the lists that contain each feature."""
    votes = np.zeros(n_features, dtype=np.int64)
    for entries in lists:
        votes[np.asarray(entries, dtype=np.intp)] += 1
    return votes


def combine_votes(
    lists: Sequence[Sequence[int]], n_features: int, k: int, vote: str = "majority"
) -> list[int]:
    """Return the `k` features on which the lists agree most, best first.

    ``"majority"`` sorts by votes (descending), sum of the 1-based positions in the lists that contain the feature
    (ascending), index (ascending). ``"mean-rank"`` sorts by the sum of positions over all lists, with ``k + 1`` for
    lists without the feature (ascending), votes (descending), index (ascending). A feature without a vote is never
    returned, so there may be fewer than `k`.

    Examples
    --------
    >>> combine_votes([[1, 3, 0], [1, 0, 4], [1, 0, 2]], 5, 3)
    [1, 0, 3]
    """
    check_choice("vote", vote, VOTE_KINDS)
    votes = count_votes(lists, n_features)
    positions = np.zeros(n_features, dtype=np.int64)
    for entries in lists:
        positions[np.asarray(entries, dtype=np.intp)] += np.arange(1, len(entries) + 1)
    if vote == "mean-rank":
        positions += (len(lists) - votes) * (k + 1)
        order = np.lexsort((np.arange(n_features), -votes, positions))
    else:
        order = np.lexsort((np.arange(n_features), positions, -votes))
    chosen: list[int] = order[votes[order] > 0][:k].tolist()
    return chosen


def membership(sets: Sequence[Sequence[Hashable]]) -> Mask:
    """Return a matrix with one row per set and one column per distinct member: True for members of the set."""
    column: dict[Hashable, int] = {}
    columns = [[column.setdefault(member, len(column)) for member in members] for members in sets]
    matrix = np.zeros((len(columns), len(column)), dtype=np.bool_)
    for row, members in zip(matrix, columns, strict=True):
        row[members] = True
    return matrix


def mean_jaccard_of(matrix: Mask) -> float:
    """Return the mean of ``|A and B| / |A or B|`` over the unordered pairs of rows.

    Two empty sets count 1, as does a single set.
    """
    if len(matrix) == 1:
        return 1.0
    members = matrix.astype(np.float64)  # counts below 2^53 are exact, and the product is fast
    first, second = np.triu_indices(len(matrix), k=1)
    common = (members @ members.T)[first, second]
    size = members.sum(axis=1)
    union = size[first] + size[second] - common
    return float(np.mean(np.where(union > 0, common / np.maximum(union, 1.0), 1.0)))


def count_pairs_plain(n_features: int, k: int) -> int:
    """Count the values computed by one plain greedy run: `n_features` relevances, then p-1, ..., p-k+1."""
    return n_features * k - k * (k - 1) // 2


def count_pairs_fast(lists: Sequence[Sequence[int]], n_features: int, k: int) -> int:
    """Count the distinct pairs that the eager Fast Ensemble computes, relevances included.

    Only the features among the first ``k - 1`` entries of any list are compared with all others: with u such features
    there are ``p + u p - u (u + 1) / 2``.
    """
    union = {int(feature) for entries in lists for feature in entries[: max(k - 1, 0)]}
    u = len(union)
    return n_features + u * n_features - u * (u + 1) // 2


@dataclass(frozen=True)
class PartsResult:
    """The result of a search over replicates.

    Attributes
    ----------
    lists : list of lists of int
        The selected features of each replicate, in order of selection.
    n_evaluations : int
        Number of distinct pairs that any replicate requested.
    full : bool
        Whether the memory limit was reached, so that values were computed again.
    """

    lists: list[list[int]]
    n_evaluations: int
    full: bool


# The results of `greedy_forward` on each replicate, with each pair computed once.
greedy_ensemble = _core.greedy_ensemble

"""How the lists of an ensemble's parts become one list, how alike they are, and what they cost."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

VOTE_KINDS = ("majority", "mean-rank")


def count_votes(lists: Sequence[Sequence[int]], n_features: int) -> NDArray[np.int64]:
    """In how many of the lists each feature occurs."""
    votes = np.zeros(n_features, dtype=np.int64)
    for entries in lists:
        votes[np.asarray(entries, dtype=np.intp)] += 1
    return votes


def combine_votes(
    lists: Sequence[Sequence[int]], n_features: int, k: int, vote: str = "majority"
) -> list[int]:
    """The `k` features the lists agree on most, best first.

    ``"majority"`` sorts by votes (falling), sum of the 1-based positions in the lists that hold the
    feature (rising), index (rising). ``"mean-rank"`` sorts by the sum of positions over all lists,
    ``k + 1`` where a list lacks the feature (rising), votes (falling), index (rising). A feature
    without a vote is never returned, so there may be fewer than `k`.

    Examples
    --------
    >>> combine_votes([[1, 3, 0], [1, 0, 4], [1, 0, 2]], 5, 3)
    [1, 0, 3]
    """
    votes = count_votes(lists, n_features)
    positions = np.zeros(n_features, dtype=np.int64)
    for entries in lists:
        positions[np.asarray(entries, dtype=np.intp)] += np.arange(1, len(entries) + 1)
    if vote == "mean-rank":
        positions += (len(lists) - votes) * (k + 1)
        order = np.lexsort((np.arange(n_features), -votes, positions))
    elif vote == "majority":
        order = np.lexsort((np.arange(n_features), positions, -votes))
    else:
        raise ValueError(f"vote must be one of {', '.join(map(repr, VOTE_KINDS))}, got {vote!r}")
    chosen: list[int] = order[votes[order] > 0][:k].tolist()
    return chosen


def membership(sets: Sequence[Sequence[Hashable]]) -> NDArray[np.bool_]:
    """One row per set, one column per distinct member, True where the set holds the member."""
    column: dict[Hashable, int] = {}
    columns = [[column.setdefault(member, len(column)) for member in members] for members in sets]
    matrix = np.zeros((len(columns), len(column)), dtype=np.bool_)
    for row, held in zip(matrix, columns, strict=True):
        row[held] = True
    return matrix


def mean_jaccard_of(matrix: NDArray[np.bool_]) -> float:
    """Mean of ``|A and B| / |A or B|`` over the unordered pairs of rows.

    Two empty sets count 1, and so does a single set.
    """
    if len(matrix) == 1:
        return 1.0
    held = matrix.astype(np.float64)  # counts below 2^53 are exact, and the product is a fast one
    first, second = np.triu_indices(len(matrix), k=1)
    common = (held @ held.T)[first, second]
    size = held.sum(axis=1)
    union = size[first] + size[second] - common
    return float(np.mean(np.where(union > 0, common / np.maximum(union, 1.0), 1.0)))


def count_pairs_plain(n_features: int, k: int) -> int:
    """Measures computed by one plain greedy run: `n_features` relevances, then p-1, ..., p-k+1."""
    return n_features * k - k * (k - 1) // 2


def count_pairs_fast(lists: Sequence[Sequence[int]], n_features: int, k: int) -> int:
    """Distinct pairs the eager Fast Ensemble computes, relevances included.

    Every feature among the first ``k - 1`` entries of any list is compared with all others, and
    nothing else is: with u such features, ``p + u p - u (u + 1) / 2``.
    """
    union = {int(feature) for entries in lists for feature in entries[: max(k - 1, 0)]}
    u = len(union)
    return n_features + u * n_features - u * (u + 1) // 2

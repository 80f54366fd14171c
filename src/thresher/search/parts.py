"""Parts of rows, halves of parts and bootstrap samples: the replicates of an ensemble."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from thresher._utils.random import Purpose, stream

PART_KINDS = ("round-robin", "contiguous", "shuffled", "stratified")


def draw_seed(random_state: Any) -> int:
    """One seed for all streams of a fit, from an int, a ``RandomState`` or None."""
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def assign_parts(
    n_rows: int,
    n_parts: int,
    kind: str = "round-robin",
    *,
    target: ArrayLike | None = None,
    seed: int = 0,
) -> NDArray[np.int32]:
    """The part, in 0..n_parts-1, of every row.

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
        raise ValueError(f"n_parts must lie in 2..{n_rows} (the number of rows), got {n_parts}")
    rows = np.arange(n_rows, dtype=np.int64)
    if kind == "contiguous":
        return (rows * n_parts // n_rows).astype(np.int32)
    dealt = (rows % n_parts).astype(np.int32)
    if kind == "round-robin":
        return dealt
    if kind == "shuffled":
        order = stream(seed, Purpose.SHUFFLED_ROWS).permutation(n_rows)
    elif kind == "stratified":
        if target is None:
            raise ValueError('parts="stratified" needs a target to sort the rows by')
        order = np.argsort(np.asarray(target), kind="stable")
    else:
        raise ValueError(f"parts must be one of {', '.join(map(repr, PART_KINDS))}, got {kind!r}")
    part = np.empty(n_rows, dtype=np.int32)
    part[order] = dealt
    return part


@dataclass(frozen=True)
class NumberedParts:
    """Parts and replicates of rows that are known by their numbers alone, as `assign_parts` deals them.

    Attributes
    ----------
    kind : str
        As of `assign_parts`; for ``"stratified"`` rows have to be numbered class after class.
    n_rows : int
    keeps : ndarray of bool of shape (n_replicates, n_parts)
        Which parts each replicate keeps.
    seed : int
    """

    kind: str
    n_rows: int
    keeps: NDArray[np.bool_]
    seed: int = 0

    @property
    def by_class(self) -> bool:
        return self.kind == "stratified"

    def part_of(self, numbers: NDArray[np.int64]) -> NDArray[np.int32]:
        """The parts of the rows with these numbers."""
        n_parts = int(self.keeps.shape[1])
        if self.kind == "shuffled":
            part: NDArray[Any] = assign_parts(self.n_rows, n_parts, self.kind, seed=self.seed)[
                numbers
            ]
        elif self.kind == "contiguous":
            part = numbers * n_parts // self.n_rows
        else:
            part = numbers % n_parts
        return np.asarray(part, dtype=np.int32)


def bootstrap_counts(n_rows: int, n_samples: int, seed: int = 0) -> NDArray[np.int32]:
    """How often each of `n_samples` bootstrap samples of `n_rows` rows drew each row.

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


def draw_halves(n_parts: int, n_pairs: int, seed: int = 0) -> NDArray[np.bool_]:
    """The parts of the first half of every pair; the second half is the rest.

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


def number_groups(groups: ArrayLike, n_rows: int) -> NDArray[np.intp]:
    """Groups of rows numbered as they first occur.

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

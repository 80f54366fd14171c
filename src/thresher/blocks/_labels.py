"""The target in blocks: which classes there are, or which range."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.blocks._rows import Rows
from thresher.data import (
    Target,
    as_numbers,
    distinct_labels,
    holds_classes,
    refuse_missing_labels,
)

# More distinct values than a target of classes can have.
MOST_CLASSES = 1 << 16


@dataclass(frozen=True)
class LabelFacts:
    """What a block tells of its target.

    Attributes
    ----------
    distinct : ndarray or None
        The distinct values of all rows, sorted; None if they are so many that they are numbers.
    counts : ndarray of int, or None
        How often each occurs among the rows that count.
    lowest, highest : float
        Of the rows that count, where they are numbers; NaN without rows.
    is_float : bool
    """

    distinct: npt.NDArray[Any] | None
    counts: npt.NDArray[np.int64] | None
    lowest: float
    highest: float
    is_float: bool


def label_facts(rows: Rows, as_quantity: bool, keeps_all: bool, number: int) -> LabelFacts:
    """The facts of a block; floats with many values are told as numbers only, unless all are to be kept."""
    labels = rows.labels
    assert labels is not None
    refuse_missing_labels(labels, f" of block {number}")
    if as_quantity:
        labels = as_numbers(labels)
    used = rows.of_used(labels)
    is_number = labels.dtype.kind in "fiub"
    lowest, highest = np.nan, np.nan
    if is_number and used.size:
        lowest, highest = float(used.min()), float(used.max())
    is_float = labels.dtype.kind == "f"
    if as_quantity:
        return LabelFacts(None, None, lowest, highest, is_float)
    distinct, codes = distinct_labels(labels)
    if is_float and len(distinct) > 2 and not keeps_all:
        return LabelFacts(None, None, lowest, highest, True)
    counts = np.bincount(rows.of_used(codes), minlength=len(distinct))
    return LabelFacts(distinct, counts, lowest, highest, is_float)


@dataclass(frozen=True)
class FarTarget(Target):
    """A target whose rows are elsewhere: `codes` is empty, and `values` holds the smallest and the largest number.

    Attributes
    ----------
    rows_before : ndarray of int of shape (n_blocks, n_classes), or None
        How many rows of each class count in the blocks before each.
    n_of_class : ndarray of int of shape (n_classes,), or None
    """

    rows_before: npt.NDArray[np.int64] | None = None
    n_of_class: npt.NDArray[np.int64] | None = None


def merge_labels(
    facts: Sequence[LabelFacts], n_given: int, kind: str, classes_only: bool, owner: str
) -> FarTarget:
    """The target of all blocks, by the rules of a target in memory."""
    filled = [own for own in facts if own.distinct is None or len(own.distinct)] or list(facts[:1])
    told = [own.distinct for own in filled if own.distinct is not None]
    is_text = {own.distinct is not None and own.distinct.dtype.kind == "O" for own in filled}
    if len(is_text) == 2:
        raise ValueError("y holds text in one block and numbers in another; make it one of them")
    is_quantity = kind == "numeric" or len(told) < len(filled)
    if not is_quantity:
        classes = distinct_labels(np.concatenate(told))[0]
        is_quantity = not holds_classes(classes, n_given, kind, classes_only, owner)
    if is_quantity:
        lowest = np.fmin.reduce([own.lowest for own in facts])
        highest = np.fmax.reduce([own.highest for own in facts])
        return FarTarget(False, np.array([lowest, highest]), None, None)
    if len(classes) > MOST_CLASSES:
        raise ValueError(
            f"y has {len(classes)} distinct values, too many for classes where rows are in blocks; "
            'if it is a quantity, give target="numeric"'
        )
    counts = np.zeros((len(facts), len(classes)), dtype=np.int64)
    for i, own in enumerate(facts):
        if own.distinct is not None and len(own.distinct):
            assert own.counts is not None
            counts[i, np.searchsorted(classes, own.distinct.astype(classes.dtype))] = own.counts
    used = counts.sum(axis=0) > 0  # classes that only rows of no weight have are gone
    counts = counts[:, used]
    before = np.vstack([np.zeros_like(counts[:1]), np.cumsum(counts, axis=0)[:-1]])
    nothing = np.empty(0)
    return FarTarget(
        True, nothing, nothing.astype(np.int32), classes[used], before, counts.sum(axis=0)
    )

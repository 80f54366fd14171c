"""The facts of the columns, and the roles of the features: candidates, forced-in and excluded ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher._utils.checks import resolve_features
from thresher._utils.lazy import cached

Mask = npt.NDArray[np.bool_]
Names = npt.NDArray[np.object_]

# More distinct integers than this are a quantity, unless their type says that they are not.
MOST_DISCRETE_VALUES = 10
# Sums of squares of such values, and of their differences, are finite.
LARGEST_SQUARABLE = 1e140
# Squares of smaller values lose digits.
SMALLEST_SQUARABLE = 1e-150


@dataclass(frozen=True)
class Schema:
    """The facts of every column, the same from one array and from many blocks. Missing values do not count.

    Attributes
    ----------
    n_rows : int
    names : ndarray of object, or None
        Feature names, if the input had any.
    is_category : ndarray of bool
        Columns whose values carry no order: categories, strings.
    minimum, maximum : ndarray of float64
    n_missing, n_infinite : ndarray of int64
    is_whole : ndarray of bool
        Whether all values are integers.
    n_distinct : ndarray of int32
        The number of values of a column of integers, at most eleven: more than ten.
    """

    n_rows: int
    names: Names | None
    is_category: Mask
    minimum: npt.NDArray[np.float64]
    maximum: npt.NDArray[np.float64]
    n_missing: npt.NDArray[np.int64]
    n_infinite: npt.NDArray[np.int64]
    is_whole: Mask
    n_distinct: npt.NDArray[np.int32]

    @property
    def n_features(self) -> int:
        return len(self.is_category)

    @cached
    def is_discrete(self) -> Mask:
        """Categories, and integers with at most ten distinct values."""
        return self.is_category | (self.is_whole & (self.n_distinct <= MOST_DISCRETE_VALUES))

    @cached
    def has_missing(self) -> Mask:
        return self.n_missing > 0

    @cached
    def is_constant(self) -> Mask:
        """One distinct value among those present, tested by minimum and maximum; no value counts too."""
        return ~(self.minimum < self.maximum)

    def label(self, feature: int) -> str:
        """Return what messages call a feature."""
        names = names_of_matrix(self.n_features) if self.names is None else self.names
        return label(names, feature)

    def refuse_categories(self) -> None:
        """Raise for columns that are categories, for methods of numbers."""
        if self.is_category.any():
            first = int(np.argmax(self.is_category))
            raise ValueError(
                f"column {self.label(first)} holds categories, where numbers are needed; give numbers, name the column "
                'in exclude, or use what takes categories, such as JMI or the measure "mi"'
            )

    def refuse_unsquarable(self) -> None:
        """Raise for values whose squares are no numbers, for methods made of squared distances."""
        largest = np.fmax(-self.minimum, self.maximum)
        beyond = largest > LARGEST_SQUARABLE
        if beyond.any():
            raise ValueError(
                f"column {self.label(int(np.argmax(beyond)))} of X has values beyond {LARGEST_SQUARABLE:g}, whose "
                "squares overflow; divide the column by a constant"
            )
        if 0 < np.where(self.is_constant, 0.0, largest).max() < SMALLEST_SQUARABLE:
            raise ValueError(
                f"X has no value beyond {SMALLEST_SQUARABLE:g} in columns that vary, and the squares of smaller ones "
                "vanish; multiply X by a constant"
            )

    def refuse_unusable(self, *, allow_missing: bool) -> None:
        """Raise for infinite values and, unless they are allowed, for missing ones."""
        if self.n_infinite.any():
            first = int(np.argmax(self.n_infinite > 0))
            raise ValueError(
                f"column {self.label(first)} of X contains infinity (inf) in "
                f"{int(self.n_infinite[first])} of {self.n_rows} samples; replace or drop those values"
            )
        if self.n_missing.any() and not allow_missing:
            first = int(np.argmax(self.has_missing))
            count = int(self.n_missing[first])
            what = (
                "only NaN" if count == self.n_rows else f"NaN in {count} of {self.n_rows} samples"
            )
            raise ValueError(
                f"column {self.label(first)} of X contains {what}; fill the values in, drop the column, "
                "or see the parameter missing"
            )


@dataclass(frozen=True)
class FeatureRoles:
    """The features, and those that may, must and must not be chosen.

    Attributes
    ----------
    names : ndarray of object, or None
        Feature names, if the input had any.
    candidates : ndarray of bool of shape (n_features,)
        Features that vary and are not excluded.
    kept : ndarray of int
        Features to start from, in the order given by ``keep``.
    excluded : ndarray of bool of shape (n_features,)
    """

    names: Names | None
    candidates: Mask
    kept: npt.NDArray[np.intp]
    excluded: Mask

    @classmethod
    def read(
        cls, names: Names | None, varies: Mask, keep: Any = None, exclude: Any = None
    ) -> FeatureRoles:
        """From what varies, and features to keep and to exclude by name or position."""
        kept = resolve_features("keep", keep, names, len(varies))
        dropped = resolve_features("exclude", exclude, names, len(varies))
        excluded = np.zeros(len(varies), dtype=bool)
        excluded[dropped] = True
        if excluded[kept].any():
            both = int(kept[excluded[kept]].min())
            raise ValueError(
                f"keep and exclude both name the feature {label(names, both)}; name it in one of them"
            )
        return cls(names, varies & ~excluded, kept, excluded)

    @property
    def n_features(self) -> int:
        return len(self.candidates)

    @property
    def n_eligible(self) -> int:
        """Number of features that are not excluded, of which a fraction may be selected."""
        return int(np.sum(~self.excluded))

    @property
    def selectable(self) -> Mask:
        """Candidates, and features that are kept whatever they are."""
        can = self.candidates.copy()
        can[self.kept] = True
        return can


# Names of the columns of a matrix, which has none itself, for messages.
_OF_MATRIX: ContextVar[Sequence[str]] = ContextVar("names of the columns of a matrix", default=())


@contextmanager
def calling_columns(names: Sequence[str]) -> Iterator[None]:
    """Call the columns of a matrix with as many columns by these names in messages meanwhile."""
    before = _OF_MATRIX.set(names)
    try:
        yield
    finally:
        _OF_MATRIX.reset(before)


def names_of_matrix(n_features: int) -> Sequence[str] | None:
    """What messages call the columns of a matrix, if that is known."""
    names = _OF_MATRIX.get()
    return names if len(names) == n_features else None


def label(names: Names | Sequence[str] | None, feature: int) -> str:
    """What messages call a feature."""
    return repr(str(names[feature])) if names is not None else str(feature)

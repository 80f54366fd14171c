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

Mask = npt.NDArray[np.bool_]
Names = npt.NDArray[np.object_]


@dataclass(frozen=True)
class Columns:
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
    ) -> Columns:
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

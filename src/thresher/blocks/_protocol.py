"""What thresher asks of an engine that has the rows.

An engine (a Dask cluster, Spark, a list in memory) runs functions beside its blocks of rows and brings small results
back. It knows nothing of features: whatever is computed is a function that thresher hands over, which can be pickled
and gives the same result each time, so that an engine may run it again at will.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt

T = TypeVar("T")
# Whole counts, or sums in double-double; two of them add.
Answer = npt.NDArray[np.int64] | npt.NDArray[np.float64]
# How many blocks of how many are done.
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class RowBlock:
    """Some rows as the engine has them: nothing is checked or converted yet.

    Attributes
    ----------
    X : dataframe, ndarray or sparse matrix
        All features, in the same order in every block; perhaps no rows.
    y : one-dimensional array-like or None
    weights : one-dimensional array-like or None
    """

    X: Any
    y: Any = None
    weights: Any = None


class Packed(Protocol):
    """A block after packing: small, and ready to be asked. Can be pickled, or kept in a file."""

    def save(self, path: Path) -> None:
        """Into a file or a folder of that name, which does not exist yet."""

    @classmethod
    def open(cls, path: Path) -> Self:
        """The block in that file, mapped rather than read where that is possible."""


# What gives all values of a column in one place.
WHOLE_COLUMNS = "rows in memory, or files with a larger memory_limit and without checkpoint"


class Engine(Protocol):
    """Blocks of rows, numbered from 0 in the order of the rows, and who works on them."""

    @property
    def names(self) -> Sequence[str] | None:
        """Names of the features, if they have any; known without reading rows."""

    @property
    def n_features(self) -> int | None:
        """Their number; None where rows would have to be read to know it."""

    def read(self, task: Callable[[int, RowBlock], T], progress: Progress) -> list[T]:
        """One reading of all rows: what the task says of each block, in their order."""

    def pack(
        self, task: Callable[[int, RowBlock], tuple[Packed, T]], progress: Progress
    ) -> list[T]:
        """One reading that leaves a packed block beside its rows; what else the task says comes back."""

    def ask(
        self,
        task: Callable[[Packed], Answer],
        add: Callable[[Answer, Answer], Answer],
        progress: Progress,
    ) -> Answer:
        """A round: the sum of the answers of all packed blocks, each counted once."""

    def close(self) -> None:
        """Let go of the packed blocks and of temporary files."""

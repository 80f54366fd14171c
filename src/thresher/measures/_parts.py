"""Replicates of the rows as sets of parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class PartSets:
    """Parts of the rows, and replicates that each keep the rows of some of them.

    Attributes
    ----------
    part : ndarray of int32 of shape (n_rows,)
        The part of every row.
    keeps : ndarray of bool of shape (n_replicates, n_parts)
        Which parts each replicate keeps.
    """

    part: npt.NDArray[np.int32]
    keeps: npt.NDArray[np.bool_]

    @property
    def n_replicates(self) -> int:
        return len(self.keeps)

    def rows(self, replicate: int) -> npt.NDArray[np.intp]:
        """The rows that a replicate keeps."""
        return np.flatnonzero(self.keeps[replicate, self.part])

    def weights(
        self, replicates: Sequence[int], weights: npt.NDArray[Any] | None
    ) -> npt.NDArray[Any]:
        """How much each row counts, a line for each of these replicates; None stands for once each."""
        if weights is None:
            weights = np.ones(len(self.part), dtype=np.int64)
        return np.where(self.keeps[list(replicates)][:, self.part], weights, 0)

    def in_order(self, order: npt.NDArray[np.uint32]) -> PartSets:
        """The same for the rows in another order."""
        return PartSets(self.part[order], self.keeps)

    def arguments(self) -> dict[str, npt.NDArray[Any]]:
        """As the tables of the core take them."""
        return {"parts": self.part, "sets": np.ascontiguousarray(self.keeps).view(np.uint8)}

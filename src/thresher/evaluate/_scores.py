"""Reads a table of scores, data sets by methods, in any of the shapes users have it in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
from scipy import stats

from thresher.data import is_frame

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Scores:
    """Scores of shape (n_sets, n_methods), all of them numbers, and the names of the methods."""

    values: Floats
    methods: tuple[str, ...]

    @classmethod
    def read(
        cls,
        scores: Any,
        *,
        least_sets: int = 2,
        least_methods: int = 2,
        remedy: str = "give more methods",
    ) -> Scores:
        methods = None
        if is_frame(scores):
            frame = nw.from_native(scores, eager_only=True)
            methods, scores = tuple(map(str, frame.columns)), frame.to_numpy()
        elif isinstance(scores, Mapping):
            methods = tuple(map(str, scores))
            scores = np.column_stack(list(map(np.asarray, scores.values()))) if scores else []
        try:
            values = np.asarray(scores, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(
                "scores must hold numbers, one row per data set and one column per method; "
                "put names in the index or leave them out"
            ) from error
        if values.ndim != 2:
            raise ValueError(
                f"scores must have one row per data set and one column per method, got shape {values.shape}"
            )
        if methods is None:
            methods = tuple(str(i) for i in range(values.shape[1]))
        if values.shape[1] < least_methods:
            raise ValueError(
                f"scores must hold at least {least_methods} methods, got {values.shape[1]}; {remedy}"
            )
        if len(values) < least_sets:
            raise ValueError(
                f"scores must hold at least {least_sets} data sets, got {len(values)}; tests need several"
            )
        if np.isnan(values).any():
            row, column = np.argwhere(np.isnan(values))[0]
            raise ValueError(
                f"scores must not hold nan, but data set {row} has no score for {methods[column]!r}; "
                "leave out the data set or the method"
            )
        return cls(values, methods)

    def ranks(self, higher_is_better: bool) -> Floats:
        """1 for the best of each data set; equal ones share their mean rank."""
        return np.asarray(
            stats.rankdata(-self.values if higher_is_better else self.values, axis=1),
            dtype=np.float64,
        )

"""Reads the selections of several runs, in any of the shapes users have them in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher.search.votes import membership


@dataclass(frozen=True)
class Selections:
    """Selections of several runs: one row per run, one column per feature that may occur.

    A feature that no run selected may lack a column; ``n_features`` counts it all the same.
    """

    matrix: NDArray[np.bool_]
    n_features: int

    @property
    def n_runs(self) -> int:
        return len(self.matrix)

    @property
    def sizes(self) -> NDArray[np.int64]:
        return np.asarray(self.matrix.sum(axis=1, dtype=np.int64))

    @property
    def counts(self) -> NDArray[np.int64]:
        return np.asarray(self.matrix.sum(axis=0, dtype=np.int64))

    @classmethod
    def read(
        cls, selections: Any, n_features: int | None = None, *, needs_n_features: bool = False
    ) -> Selections:
        matrix = _boolean_matrix(selections)
        if matrix is not None:
            if n_features is not None and n_features != matrix.shape[1]:
                raise ValueError(
                    f"n_features must equal the {matrix.shape[1]} columns of the matrix, "
                    f"got {n_features}"
                )
            n_features = matrix.shape[1]
        else:
            matrix = _from_lists(list(selections), n_features)
        if len(matrix) == 0:
            raise ValueError("selections must hold at least one selection, got none")
        if n_features is None:
            if needs_n_features:
                raise ValueError(
                    "n_features must be given with a list of sets: "
                    "the number of features there were to choose from"
                )
            n_features = matrix.shape[1]
        return cls(matrix, int(n_features))


def _boolean_matrix(selections: Any) -> NDArray[np.bool_] | None:
    if hasattr(selections, "__array__"):
        matrix = np.asarray(selections)
    else:
        selections = selections if isinstance(selections, (list, tuple)) else None
        if not selections or not all(_is_mask(row) for row in selections):
            return None
        matrix = np.asarray(selections)
    return matrix if matrix.ndim == 2 and matrix.dtype == np.bool_ else None


def _is_mask(row: Any) -> bool:
    if isinstance(row, np.ndarray):
        return bool(row.dtype == np.bool_)
    return isinstance(row, (list, tuple)) and len(row) > 0 and all(type(v) in _BOOLS for v in row)


_BOOLS = (bool, np.bool_)


def _from_lists(sets: list[Iterable[Any]], n_features: int | None) -> NDArray[np.bool_]:
    members = [_members(i, entries) for i, entries in enumerate(sets)]
    matrix = membership(members)
    if n_features is None:
        return matrix
    positions = [m for entries in members for m in entries if isinstance(m, int)]
    outside = [m for m in positions if not 0 <= m < n_features]
    if outside:
        raise ValueError(f"selections must hold positions in 0..{n_features - 1}, got {outside[0]}")
    if matrix.shape[1] > n_features:
        raise ValueError(
            f"n_features must be at least the {matrix.shape[1]} distinct features selected, "
            f"got {n_features}"
        )
    return matrix


def _members(i: int, entries: Iterable[Any]) -> list[Any]:
    if isinstance(entries, (str, bytes)) or not isinstance(entries, Iterable):
        raise ValueError(
            f"selections must hold one set or list of features per run, got {entries!r} at {i}"
        )
    members = [int(m) if isinstance(m, (int, np.integer)) else m for m in entries]
    if len(set(members)) != len(members):
        twice = next(m for m in members if members.count(m) > 1)
        raise ValueError(
            f"selection {i} names feature {twice!r} twice; give a 0/1 matrix with dtype bool"
        )
    return members

"""One problem on disk, so that every package, in whatever environment, reads the same numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Problem:
    """The input of an adaptor. ``X`` is a NumPy array or a SciPy CSC array, rows = samples."""

    X: Any
    y: Any
    k: int
    n_threads: int = 1

    def small(self) -> Problem:
        """Return a corner of it, to load and compile everything before the clock starts."""
        rows = slice(0, min(2000, self.X.shape[0]))
        k = min(self.k, 5)
        return replace(self, X=self.X[rows, :40], y=self.y[rows], k=k)


def save(path: Path, X: Any, y: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(X, np.ndarray):
        np.savez(path, X=X, y=y)
    else:
        np.savez(path, data=X.data, indices=X.indices, indptr=X.indptr, shape=X.shape, y=y)


def load(path: Path, k: int, n_threads: int) -> Problem:
    with np.load(path, allow_pickle=False) as file:
        if "X" in file.files:
            return Problem(file["X"], file["y"], k, n_threads)
        from scipy import sparse

        arrays = (file["data"], file["indices"], file["indptr"])
        return Problem(
            sparse.csc_array(arrays, shape=tuple(file["shape"])), file["y"], k, n_threads
        )

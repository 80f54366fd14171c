"""The measured tasks: for each, the data, the question, and quoted times of other programs.

A new work is one more entry of ``WORKS``; a new question needs a function of that name in
``benchmarks/speed/ours.py`` and in the adaptors of the peers that support it (``benchmarks/peers``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.folders import DATA_FOLDER

Arrays = tuple[Any, Any]


@dataclass(frozen=True)
class Work:
    """One line of the comparison.

    ``question`` names what is computed; only packages that have an adaptor for it take part.
    ``aim`` is the least ratio of the fastest peer's time to ours. ``quoted`` are times of programs
    that are not on PyPI, measured elsewhere on a 2-core x86-64 machine.
    """

    name: str
    title: str
    question: str
    data: Callable[[], Arrays]
    k: int = 0
    aim: float | None = None
    quoted: str = ""
    two_threads: bool = False
    peers: bool = True


@dataclass(frozen=True)
class Scaling:
    """One size of a work grows by doubling; the slope of log time over log size is printed."""

    name: str
    question: str
    data: Callable[[int], Arrays]
    sizes: tuple[int, ...]
    k: int


def informative_codes(n_rows: int, n_features: int, n_levels: int, n_classes: int, seed: int = 0):
    """Return random codes; one feature in twenty repeats the class, blurred to a different degree."""
    rng = np.random.default_rng([seed, n_rows, n_features])
    y = rng.integers(0, n_classes, n_rows).astype(np.uint8)
    X = rng.integers(0, n_levels, (n_rows, n_features), dtype=np.uint8)
    for feature in range(0, n_features, 20):
        copied = rng.random(n_rows) < 0.1 + 0.5 * rng.random()
        X[copied, feature] = (y[copied] * (1 + feature % 3)) % n_levels
    return X, y


def real_or_synthetic(name: str, n_rows: int, n_features: int, n_classes: int):
    """Return a discretised microarray of the optional data folder, or codes of the same size."""
    path = DATA_FOLDER / f"{name}.npz"
    if path.exists():
        with np.load(path, allow_pickle=False) as file:
            return file["X"], file["y"]
    return informative_codes(n_rows, n_features, 3, n_classes)


def origin(name: str) -> str:
    return name if (DATA_FOLDER / f"{name}.npz").exists() else f"synthetic, sized as {name},"


def sparse_binary(n_rows: int, n_features: int):
    """Return one per cent of ones; one feature in fifty sees mostly one class."""
    rng = np.random.default_rng([1, n_rows, n_features])
    y = rng.integers(0, 2, n_rows).astype(np.uint8)
    rate = np.full(n_features, 0.01, dtype=np.float32)
    X = np.empty((n_rows, n_features), dtype=np.uint8)
    for row in range(n_rows):
        tilted = rate.copy()
        tilted[::50] *= 1.9 if y[row] else 0.1
        X[row] = rng.random(n_features, dtype=np.float32) < tilted
    return X, y


def sparse_binary_csc(n_rows: int, n_features: int):
    from scipy import sparse

    X, y = sparse_binary(n_rows, n_features)
    return sparse.csc_array(X), y


def informative_floats(n_rows: int, n_features: int, dtype: type, strength: float = 0.5):
    """Return normal noise over a few shared factors; one feature in ten is shifted by the class."""
    rng = np.random.default_rng([2, n_rows, n_features])
    y = rng.integers(0, 2, n_rows).astype(np.int64)
    factors = rng.standard_normal((n_rows, 5), dtype=np.float32)
    loadings = rng.standard_normal((5, n_features), dtype=np.float32) * np.float32(0.4)
    X = rng.standard_normal((n_rows, n_features), dtype=np.float32)
    X += factors @ loadings
    shift = np.zeros(n_features, dtype=np.float32)
    shift[::10] = rng.random(len(shift[::10]), dtype=np.float32) * np.float32(strength)
    X += y[:, None].astype(np.float32) * shift
    return X.astype(dtype, copy=False), y


def classification(n_rows: int, n_features: int):
    from sklearn.datasets import make_classification

    return make_classification(
        n_samples=n_rows, n_features=n_features, n_informative=50, n_redundant=50, random_state=0
    )


MI = "mrmr_mi_difference"
F = "mrmr_f_pearson_quotient"
DEFAULT = "mrmr_default"

WORKS = [
    Work(
        "leukemia",
        f"{origin('leukemia')} 72 x 7,070, 3 levels, MI difference, k=50",
        MI,
        lambda: real_or_synthetic("leukemia", 72, 7070, 2),
        k=50,
        aim=10,
        quoted="fast-mRMR (C++) 69 ms, praznik (C) 71 ms",
    ),
    Work(
        "nci9",
        f"{origin('nci9')} 60 x 9,712, 9 classes, MI difference, k=50",
        MI,
        lambda: real_or_synthetic("nci9", 60, 9712, 9),
        k=50,
        aim=10,
        quoted="fastest of praznik and fast-mRMR 92 ms",
    ),
    Work(
        "wide-binary",
        "800 x 100,000 binary, 1 % ones, uint8, MI difference, k=50",
        MI,
        lambda: sparse_binary(800, 100_000),
        k=50,
        aim=10,
        quoted="fastest of praznik and fast-mRMR 6.1 s",
    ),
    Work(
        "wide-binary-csc",
        "800 x 100,000 binary, 1 % ones, CSC, MI difference, k=50",
        MI,
        lambda: sparse_binary_csc(800, 100_000),
        k=50,
        aim=10,
        quoted="fastest of praznik and fast-mRMR 6.1 s (dense)",
    ),
    Work(
        "tall-codes",
        "1,000,000 x 100 integers 0..7, MI difference, k=20",
        MI,
        lambda: informative_codes(1_000_000, 100, 8, 2),
        k=20,
        aim=4,
        quoted="fastest of praznik and fast-mRMR 1.5 s",
        two_threads=True,
    ),
    Work(
        "wide-default",
        "200 x 20,000 float64, the default (R2 minus mean r2), k=50",
        DEFAULT,
        lambda: informative_floats(200, 20_000, np.float64),
        k=50,
        peers=False,
    ),
    Work(
        "tall-default",
        "500,000 x 200 float32, the default (R2 minus mean r2), k=50",
        DEFAULT,
        lambda: informative_floats(500_000, 200, np.float32),
        k=50,
        two_threads=True,
        peers=False,
    ),
    Work(
        "wide-float",
        "200 x 20,000 float64, F / mean abs. Pearson, k=50",
        F,
        lambda: informative_floats(200, 20_000, np.float64),
        k=50,
        aim=10,
    ),
    Work(
        "tall-float",
        "500,000 x 200 float32, F / mean abs. Pearson, k=50",
        F,
        lambda: informative_floats(500_000, 200, np.float32),
        k=50,
        aim=8,
        two_threads=True,
    ),
    Work(
        "classification",
        "1,000 x 2,000 make_classification, F / mean abs. Pearson, k=50",
        F,
        lambda: classification(1000, 2000),
        k=50,
        aim=10,
    ),
    Work(
        "relevance",
        "MI of every column with y, 1,000,000 x 100 integers 0..7",
        "mi_with_target",
        lambda: informative_codes(1_000_000, 100, 8, 2),
    ),
    Work(
        "equal-frequency",
        "equal-frequency bins (8), 200 x 20,000 float64",
        "equal_frequency_bins",
        lambda: informative_floats(200, 20_000, np.float64),
        k=8,
    ),
    Work(
        "mdl",
        "MDL bins, 200 x 2,000 float64",
        "mdl_bins",
        lambda: informative_floats(200, 2000, np.float64, strength=3.0),
        quoted="Weka 78 ms",
    ),
    Work(
        "million",
        "300 x 1,000,000 integers 0..2, MI difference, k=20",
        MI,
        lambda: informative_codes(300, 1_000_000, 3, 2),
        k=20,
        peers=False,
    ),
]

SCALINGS = [
    Scaling(
        "MI difference, rows",
        MI,
        lambda n: informative_codes(n, 200, 3, 2),
        (50_000, 100_000, 200_000, 400_000),
        k=20,
    ),
    Scaling(
        "MI difference, features",
        MI,
        lambda p: informative_codes(2000, p, 3, 2),
        (5_000, 10_000, 20_000, 40_000),
        k=20,
    ),
    Scaling(
        "R2 difference, rows",
        DEFAULT,
        lambda n: informative_floats(n, 100, np.float32),
        (50_000, 100_000, 200_000, 400_000),
        k=20,
    ),
    Scaling(
        "R2 difference, features",
        DEFAULT,
        lambda p: informative_floats(500, p, np.float64),
        (5_000, 10_000, 20_000, 40_000),
        k=20,
    ),
    Scaling(
        "F / Pearson quotient, rows",
        F,
        lambda n: informative_floats(n, 100, np.float32),
        (50_000, 100_000, 200_000, 400_000),
        k=20,
    ),
    Scaling(
        "F / Pearson quotient, features",
        F,
        lambda p: informative_floats(500, p, np.float64),
        (5_000, 10_000, 20_000, 40_000),
        k=20,
    ),
]

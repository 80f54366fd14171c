"""The data of the cases: tables of scikit-learn and made ones, each with at most some hundred rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine


@dataclass
class Table:
    X: Any
    y: np.ndarray
    weights: np.ndarray | None = None


def _cancer() -> Table:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    rows = np.random.default_rng(0).permutation(len(X))[:240]
    return Table(X.iloc[rows].reset_index(drop=True), y.to_numpy()[rows])


def _wine() -> Table:
    X, y = load_wine(return_X_y=True)
    rows = np.random.default_rng(1).permutation(len(X))
    return Table(X[rows], np.array(["first", "second", "third"])[y[rows]])


def _weighted_wine() -> Table:
    table = _wine()
    weights = np.random.default_rng(2).integers(0, 4, len(table.y))
    return Table(table.X, table.y, weights)


def _real_weights() -> Table:
    table = _cancer()
    weights = np.random.default_rng(3).exponential(size=len(table.y))
    return Table(table.X.to_numpy(), table.y, weights)


def _diabetes() -> Table:
    X, y = load_diabetes(return_X_y=True)
    return Table(X[:200], y[:200])


def _digits() -> Table:
    X, y = load_digits(return_X_y=True)
    return Table(X[:150].astype(np.uint8), y[:150])


def _single() -> Table:
    X, y = load_digits(return_X_y=True)
    noise = np.random.default_rng(4).normal(scale=0.1, size=(120, 64))
    return Table((X[:120] + noise).astype(np.float32), y[:120] % 3)


def _sparse(form: Callable[..., Any]) -> Table:
    rng = np.random.default_rng(5)
    y = np.arange(160) % 3
    counts = rng.poisson(0.1, (160, 60)) + (rng.random((160, 60)) < 0.2) * (y[:, None] == 1)
    counts[:, 40:] = counts[:, :20]
    return Table(form(counts.astype(float)), y)


def _messy() -> Table:
    rng = np.random.default_rng(6)
    n = 200
    y = np.arange(n) % 2
    frame = pd.DataFrame(
        rng.normal(size=(n, 5)) + y[:, None] * [1, 0.5, 0, 0.2, 0], columns=[*"abcde"]
    )
    frame["copy of a"] = frame["a"]
    frame["single"] = frame["b"].astype(np.float32)
    frame["shade"] = np.array(["pale", "deep", "none"], dtype=object)[rng.integers(0, 3, n)]
    frame["grade"] = pd.Categorical.from_codes(rng.integers(0, 3, n), ["c", "a", "b", "unused"])
    frame["flag"] = rng.random(n) < 0.3 + 0.3 * y
    frame["count"] = rng.integers(0, 5, n)
    frame["constant"] = 2.5
    return Table(frame, np.array(["no", "yes"], dtype=object)[y])


def _missing() -> Table:
    table = _messy()
    table.X.loc[np.random.default_rng(12).random(len(table.y)) < 0.1, ["b", "d"]] = np.nan
    table.X.loc[table.X["shade"] == "none", "shade"] = None
    return table


def _categories() -> Table:
    rng = np.random.default_rng(7)
    y = np.arange(180) % 3
    columns = {
        f"c{i}": np.char.add("v", ((y * (i < 4) + rng.integers(0, 3, 180)) % 4).astype(str))
        for i in range(8)
    }
    return Table(pd.DataFrame(columns), y)


def _whole_numbers() -> Table:
    rng = np.random.default_rng(8)
    y = np.arange(120) % 2
    large = 2**60 + rng.integers(0, 3, (120, 4)) + y[:, None] * np.array([1, 0, 0, 2])
    return Table(np.column_stack([large, rng.integers(-3, 3, (120, 6))]), y)


def _extreme() -> Table:
    rng = np.random.default_rng(9)
    y = np.arange(120) % 2
    X = rng.normal(size=(120, 12)) + y[:, None] * np.linspace(1, 0, 12)
    X[:, 2] = 1.0
    X[:, 4] = X[:, 3]
    return Table(X * 10.0 ** np.array([0, 0, 0, 0, 0, 150, -150, 8, -8, 0, 20, -20]), y)


def _one_class() -> Table:
    return Table(np.random.default_rng(10).normal(size=(20, 4)), np.zeros(20, dtype=int))


def _wide() -> Table:
    rng = np.random.default_rng(11)
    y = np.arange(40) % 2
    return Table(rng.normal(size=(40, 1500)) + y[:, None] * (rng.random(1500) < 0.05), y)


TABLES: dict[str, Callable[[], Table]] = {
    "cancer": _cancer,
    "wine": _wine,
    "wine, weighted": _weighted_wine,
    "cancer, real weights": _real_weights,
    "diabetes": _diabetes,
    "digits": _digits,
    "single precision": _single,
    "CSR": lambda: _sparse(sparse.csr_matrix),
    "CSC": lambda: _sparse(sparse.csc_array),
    "messy": _messy,
    "missing values": _missing,
    "categories": _categories,
    "large whole numbers": _whole_numbers,
    "extreme numbers": _extreme,
    "one class": _one_class,
    "wide": _wide,
}

"""Published numbers of A. Pino Angulo's doctoral thesis (2019) and the data that they belong to.

Tables of the thesis are read from CSV files where the user has them (``published``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchmarks.folders import DATA_FOLDER
from benchmarks.reproduction.published import rows as published_rows

Data = tuple[np.ndarray, np.ndarray]


class NotHere(Exception):
    """A data set that is not on this computer."""


def load(name: str) -> Data:
    path = DATA_FOLDER / f"{name}.npz"
    if not path.exists():
        raise NotHere(f"{name}.npz is not in the optional data folder (THRESHER_DATA)")
    with np.load(path, allow_pickle=False) as file:
        return file["X"], file["y"]


def digits_in_four() -> Data:
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    return np.minimum(X // 4, 3).astype(np.uint8), y


def madelon_part() -> Data:
    """Return the first 800 rows, in five equally frequent bins of all rows."""
    X, y = load("madelon")
    cuts = np.quantile(X.astype(float), np.arange(1, 5) / 5, axis=0)
    codes = [np.searchsorted(cuts[:, f], X[:800, f], side="right") for f in range(X.shape[1])]
    return np.stack(codes, axis=1).astype(np.uint8), y[:800]


@dataclass(frozen=True)
class Counts:
    """Evaluations that the corrected listings need, from an independent slow program."""

    title: str
    data: Callable[[], Data]
    delta: float
    sdcc: int
    lcc: int
    super_lcc: int
    fsdcc: int
    asdcc: int
    swcfs: int
    lazy: int


COUNTS = [
    Counts("digits, 4 bins", digits_in_four, 0.01, 2_036, 65, 26, 92, 96, 45, 50),
    Counts("digits, 4 bins", digits_in_four, 0.03, 2_053, 65, 25, 110, 111, 54, 69),
    Counts("lung_small", lambda: load("lung_small"), 0.03, 52_955, 326, 19, 339, 339, 39, 31),
    Counts("madelon, 800 rows", madelon_part, 0.05, 125_241, 501, 22, 526, 526, 45, 39),
    Counts("colon", lambda: load("colon"), 0.05, 2_000_995, 2_001, 19, 2_019, 2_019, 45, 39),
    Counts("lymphoma", lambda: load("lymphoma"), 0.05, 8_106_342, 4_027, 29, 4_057, 4_057, 81, 48),
    Counts("leukemia", lambda: load("leukemia"), 0.05, 24_995_985, 7_071, 15, 7_073, 7_073, 18, 20),
]

# Code in the thesis' tables -> our data set.
TABLE_3_2 = {
    "Der": "dermatology",
    "Arr": "arrhythmia",
    "Krk": "kr_vs_kp",
    "Pen": "pendigits",
    "Mus": "mushroom",
    "Opt": "optdigits_full",
    "Nur": "nursery",
    "Wav": "waveform",
    "Spe": "spectrometer",
    "Seg": "segment",
    "Sem": "semeion",
}
TABLE_3_3 = {
    "OPT": "optdigits_full",
    "ARR": "arrhythmia",
    "MAD": "madelon",
    "SEM": "semeion",
    "KRV": "kr_vs_kp",
    "PEN": "pendigits",
    "WAV": "waveform",
}
TABLE_3_5 = {
    "HEP": "hepatitis",
    "DER": "dermatology",
    "OPT": "optdigits_full",
    "ARR": "arrhythmia",
    "MAD": "madelon",
    "KRV": "kr_vs_kp",
    "SEM": "semeion",
    "WAV": "waveform",
}


def published(table: str, key: str) -> dict[str, dict[str, str]]:
    """Return rows of a published table by their `key` column; empty where the file is missing."""
    return {row[key]: row for row in published_rows(f"consistency-{table}")}

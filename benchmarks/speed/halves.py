"""Compare the time of a hundred halves with fits of one half, from the array to the fitted selector, on one thread.

``python -m benchmarks.speed.halves`` prints milliseconds of processor time: of one fit of a half and of
``Ensemble(kind="halves")``, the least of several runs, and of a plain fit of each of its halves. Ends with an error if
a hundred halves of the tall codes cost more than 20 fits of one half.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.folders import DATA_FOLDER
from benchmarks.reproduction.ensemble_speed import CLOCK, least, noise_codes, tall_codes
from thresher import MRMR, Ensemble

N_PARTS, N_PAIRS = 40, 50
MOST_FITS = 20.0


def leukemia() -> tuple[Any, Any] | str:
    path = DATA_FOLDER / "leukemia.npz"
    if not path.exists():
        return f"{path} is missing; name the folder of the data sets in THRESHER_DATA"
    with np.load(path, allow_pickle=False) as file:
        return file["X"], file["y"]


# Title, data or why they are missing, features, whether `MOST_FITS` is guaranteed.
WORKS: list[tuple[str, Callable[[], tuple[Any, Any] | str], int, bool]] = [
    ("100,000 x 60 integers 0..7, k=8", lambda: tall_codes(n_features=60), 8, True),
    ("100,000 x 60 codes of noise, k=8", lambda: noise_codes(n_features=60), 8, True),
    ("leukemia, k=50", leukemia, 50, False),
]


def measure(X: Any, y: Any, k: int, seconds: float) -> tuple[float, float, float]:
    """Time one fit of a half, a fit of each half, and the ensemble; all in one process, so that load affects all."""
    ensemble = Ensemble(MRMR(k, n_jobs=1), N_PARTS, kind="halves", n_pairs=N_PAIRS, random_state=0)
    parts = ensemble.fit(X, y).part_of_row_
    halves = [np.flatnonzero(side[parts]) for half in ensemble.halves_ for side in (half, ~half)]
    fits = []
    for rows, found in zip(halves, ensemble.parts_, strict=True):
        X_half, y_half, plain = X[rows], y[rows], MRMR(k, n_jobs=1)
        fits.append(least(lambda: plain.fit(X_half, y_half), 0.0))  # noqa: B023 (called at once)
        assert plain.selected_.tolist() == found.tolist()
    one = least(lambda: MRMR(k, n_jobs=1).fit(X_half, y_half), seconds)
    return one, sum(fits), least(lambda: ensemble.fit(X, y), seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=3.0, help="for each number")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    CLOCK["read"] = time.process_time
    n_halves, failed = 2 * N_PAIRS, []
    for title, data, k, guaranteed in WORKS:
        given = data()
        if isinstance(given, str):
            print(f"{title}: skipped, {given}")
            continue
        one, each, together = measure(*given, k, options.seconds)
        print(
            f"{title}: one half {1e3 * one:.1f} ms, {n_halves} plain fits {1e3 * each:.0f} ms,"
            f" {n_halves} halves {1e3 * together:.0f} ms = {together / one:.1f} fits of one half",
            flush=True,
        )
        if guaranteed and together > MOST_FITS * one:
            failed.append(title)
    if failed:
        sys.exit(f"more than {MOST_FITS:g} fits of one half: {'; '.join(failed)}")


if __name__ == "__main__":
    main()

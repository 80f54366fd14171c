"""Test the chi-squared law of G = 2 n ln 2 I and of Pearson's statistic: share of null data sets with a selection.

``make reproduce-law_of_g``; ARGS="--sets 100" for a quick form. 200 features without any signal, Benjamini and
Hochberg at a level of 0.2, so a share of 0.2 is right and a larger one is not. *Per level* is the number of samples of
the rarest class over that of levels, by which `Univariate(pvalues="auto")` decides. Ends with an error if that default
passes the level.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from typing import Any

import numpy as np

from thresher import Univariate

LEVEL, N_FEATURES = 0.2, 200
# Samples, classes, how much more frequent the first class is, levels of the codes (None: numbers in 8 equal bins).
DESIGNS: list[tuple[int, int, int, int | None]] = [
    (60, 2, 1, None),
    (200, 2, 1, None),
    (200, 2, 4, None),
    (500, 2, 1, None),
    (1000, 2, 1, None),
    (1000, 2, 20, None),
    (1000, 9, 1, None),
    (1000, 2, 1, 40),
    (2000, 2, 1, None),
]


def null_set(
    seed: int, n: int, n_classes: int, skew: int, levels: int | None
) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng((seed, n, n_classes, skew, levels or 0))
    weights = np.ones(n_classes)
    weights[0] = skew
    y = rng.choice(n_classes, n, p=weights / weights.sum())
    if levels is None:
        return rng.standard_normal((n, N_FEATURES)), y
    return rng.integers(0, levels, (n, N_FEATURES)), y


def share(n_sets: int, design: tuple[int, int, int, int | None], **options: Any) -> float:
    """Return the share of null sets on which something is selected."""
    n_selecting = 0
    for seed in range(n_sets):
        ranking = Univariate("auto", alpha=LEVEL, n_jobs=1, random_state=seed, **options)
        n_selecting += len(ranking.fit(*null_set(seed, *design)).selected_) > 0
    return n_selecting / n_sets


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sets", type=int, default=400, help="data sets of each kind")
    n_sets = parser.parse_args().sets
    warnings.simplefilter("ignore")
    error = (LEVEL * (1 - LEVEL) / n_sets) ** 0.5
    print(f"{n_sets} null sets each; one standard error of {LEVEL} is {error:.3f}\n")
    print("| samples | classes | rarest | levels | per level | G | chi-squared | default for MI |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    passed = []
    for design in DESIGNS:
        n, n_classes, skew, levels = design
        rarest = n / (skew + n_classes - 1)
        by_law = [share(n_sets, design, measure=m, pvalues="analytic") for m in ("mi", "chi2")]
        default = share(n_sets, design, measure="mi")
        if default > LEVEL + 2 * error:
            passed.append(design)
        print(
            f"| {n:,} | {n_classes} | {rarest:.0f} | {levels or 8} | {rarest / (levels or 8):.0f} |"
            f" {by_law[0]:.3f} | {by_law[1]:.3f} | {default:.3f} |",
            flush=True,
        )
    if passed:
        sys.exit(f"the default passes its level: {passed}")


if __name__ == "__main__":
    main()

"""Conditional mutual information in one pass: seconds compared with Table 2 of J. Lee and D.-W. Kim (2012).

``make reproduce-cmi``. The paper names neither its machine nor its bins; times are for the order of their quotient.
The selections are compared with independent runs of the corrected listing on data of three levels.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any

from benchmarks.folders import load_set
from thresher import MRMR, CMIFilter

# Data set, file; seconds of mRMR and of the filter for 10 features, then for 30.
TABLE_2 = {
    ("Secom", None): ((14.4, 0.2), (44.2, 0.7)),
    ("Madelon", "madelon"): ((19.7, 0.2), (59.0, 0.8)),
    ("Colon", "colon_raw"): ((10.7, 0.1), (31.3, 0.1)),
    ("Leukemia", "leukemia_raw"): ((13.9, 0.1), (35.7, 0.1)),
}
# Selected features, evaluated ones, final groups of rows; from an independent slow program.
COUNTED = {
    "colon": ("764 512 248 1581 1771 1413 1866", 16, 54),
    "lung_small": ("22 10 125 166 35 243 223", 16, 62),
    "leukemia": ("3192 6795 2294", 6, 15),
    "lymphoma": (
        "2818 2747 2841 759 2792 3762 2809 3792 2804 3014 2735 3004 3733 2716",
        40,
        92,
    ),
    "nci9": ("443 7674 9576 5641 755 6290 1699", 13, 51),
}
SIZES = (10, 30)
REPEATS = 5


def seconds(selector: Any, X: Any, y: Any) -> float:
    """Return processor seconds of a fit from the array, the least of several."""
    found = []
    for _ in range(REPEATS):
        start = time.process_time()
        selector.fit(X, y)
        found.append(time.process_time() - start)
    return min(found)


def times() -> None:
    print("Table 2, seconds, and how many times mRMR takes what the filter takes: published, ours")
    print(f"{'':<12}{'k':>4}{'mRMR':>18}{'filter':>18}{'quotient':>18}{'chosen':>8}")
    for (title, file), published in TABLE_2.items():
        if file is None:
            print(f"{title:<12}not in the data folder")
            continue
        X, y = load_set(file)
        for k, theirs in zip(SIZES, published, strict=True):
            selectors = (MRMR(k, relevance="mi", redundancy="mi"), CMIFilter(k))
            ours = [seconds(selector, X, y) for selector in selectors]
            cells = [f"{a:9.1f}{b:9.4f}" for a, b in zip(theirs, ours, strict=True)]
            cells.append(f"{theirs[0] / theirs[1]:9.0f}{ours[0] / ours[1]:9.1f}")
            print(f"{title:<12}{k:>4}{''.join(cells)}{len(selectors[1].selected_):>8}", flush=True)


def chosen() -> bool:
    """Print the selected and the expected features; return whether all agree."""
    print(
        "\nData of three levels: features chosen, looked at, groups of rows; counted, ours, difference"
    )
    agree = True
    for name, (features, walked, groups) in COUNTED.items():
        X, y = load_set(name)
        fitted = CMIFilter(discretize=None).fit(X, y)
        same = " ".join(map(str, fitted.selected_)) == features
        counts = (int(fitted.n_walked_), int(fitted.trace_["n_blocks"][-1]))
        agree &= same and counts == (walked, groups)
        cells = [f"{a:>7}{b:>5}{b - a:>+4}" for a, b in zip((walked, groups), counts, strict=True)]
        verdict = "the same" if same else f"NOT {features}"
        print(f"{name:<12}{len(fitted.selected_):>3} features, {verdict}{''.join(cells)}")
    return agree


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.parse_args()
    warnings.simplefilter("ignore")
    times()
    return 0 if chosen() else 1


if __name__ == "__main__":
    raise SystemExit(main())

"""Tables 3 and 4 of Ferreira and Figueiredo (2012) for the available data sets: published and measured numbers.

Usage: ``make reproduce-rrfs_supervised ARGS="--seeds 2 --only Colon"``. Folds and machines as in ``rrfs``. Table 3:
errors with filters that see the labels; the number of features m is that of the cumulative relevance 0.99 of the
difference of mean and median for all methods that take a number, similarity at most 0.8. Table 4: errors and
processor seconds of ten selections with a given m. The Fisher ratio of more than two classes, which the paper does not
define, is that of scatter between and within classes. Its sparse logistic regression (BLogReg) is not part of this
library.
"""

from __future__ import annotations

import argparse
import time
import warnings
from functools import partial
from typing import Any

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold

from benchmarks.folders import DATA_FOLDER
from benchmarks.reproduction.kept import Parts
from benchmarks.reproduction.rrfs import FILES, load, n_errors, published
from thresher import CFS, FCBF, MRMR, RFS, RRFS, SPEC, ReliefF

METHODS = ("RRFS MM", "RRFS FiR", "RRFS MI", "ReliefF", "CFS", "FCBF", "FiR", "mRMR", "none")
TIMED = ("RRFS MAD", "RRFS FiR", "LS", "SPEC", "ReliefF", "FCBF", "FiR", "mRMR", "none")

# Error (%) by the methods above; blank in the paper: nan.
TABLE_3 = """
Hepatitis      18.1 18.7 18.1 21.3 19.4 20.0 20.0 20.6 18.7
Ionosphere     14.5 14.5 15.7 15.4 14.2 17.9 14.2 16.8 13.7
Colon          24.2 22.6 24.2 19.4 25.8 22.6 19.4 21.0 21.0
SRBCT           0.0  0.0  0.0  0.0  0.0  4.8  0.0  4.8  0.0
AR10P           2.3  1.5  0.8  0.8  6.2 13.1  0.8 56.2  0.8
PIE10P          0.0  0.0  0.5  0.0  nan  1.0  0.0 24.8  0.0
Lymphoma        2.2  2.2  2.2  2.2  nan  3.3  2.2 22.8  2.2
Leukemia1       5.6  2.8  6.9  6.9  nan  5.6  4.2  9.7  5.6
DLBCL          16.9 24.7 36.4 10.4  nan  2.6  7.8 16.9  5.2
TOX-171        15.8 21.1 11.1 10.5  nan 15.2 10.5 36.8 15.8
Leukemia        2.8 12.5  2.8  2.8  nan  4.2  4.2  8.3  2.8
ORL10P          4.0  5.0  2.0  1.0  nan  1.0  2.0 68.0  1.0
Brain-Tumor2   34.0 22.0 30.0 22.0  nan 36.0 24.0 42.0 26.0
Prostate-Tumor  7.8  5.9  4.9  7.8  nan  9.8  7.8 12.7  8.8
"""
# m, errors (%), seconds of ten folds, by the timed methods.
TABLE_4 = {
    "Colon": (
        1000,
        (24.2, 30.6, 21.0, 24.2, 24.2, 25.8, 24.2, 17.7, 21.0),
        (0.3, 7.4, 0.4, 1.5, 9.0, 147.0, 7.1, 19.8, np.nan),
    ),
    "SRBCT": (
        1800,
        (0.0, 0.0, 0.0, 0.0, 0.0, 1.2, 0.0, 3.6, 0.0),
        (0.5, 9.7, 0.4, 2.3, 11.6, 8.0, 9.3, 15.8, np.nan),
    ),
    "Lymphoma": (
        2000,
        (2.2, 2.2, 2.2, 3.3, 2.2, 3.3, 3.3, 25.0, 2.2),
        (0.8, 29.5, 0.8, 9.0, 21.7, 25.2, 29.2, 24.7, np.nan),
    ),
    "Prostate-Tumor": (
        4000,
        (8.8, 6.9, 10.8, 9.8, 5.9, 10.8, 9.8, 13.7, 8.8),
        (1.8, 21.6, 2.4, 13.5, 47.8, 29.1, 21.1, 48.8, np.nan),
    ),
}
UNSUPERVISED = ("RRFS MM", "RRFS MAD", "LS", "SPEC")


def selector(method: str, m: int) -> Any:
    return {
        "RRFS MM": RRFS(m, relevance="mean-median", similarity="cosine"),
        "RRFS MAD": RRFS(m, relevance="mad", similarity="cosine"),
        "RRFS FiR": RRFS(m, relevance="fisher", similarity="cosine"),
        "RRFS MI": RRFS(m, relevance="mi", similarity="cosine"),
        "ReliefF": ReliefF(m),
        "CFS": CFS(),
        "FCBF": FCBF(),
        "FiR": RFS(m, relevance="fisher"),
        "mRMR": MRMR(m, relevance="mi", redundancy="mi", objective="difference"),
        "LS": SPEC(m, form="phi2", affinity="product"),
        "SPEC": SPEC(m, form="phi1", affinity="product"),
    }[method]


def chosen(method: str, m: int, X: np.ndarray, y: np.ndarray) -> np.ndarray | None:
    """Return the features of one training fold; None where the method is not defined."""
    if method == "none":
        return np.arange(X.shape[1])
    if method in ("LS", "SPEC") and X.min() < 0:
        return None
    fitted = selector(method, m).fit(X, None if method in UNSUPERVISED else y)
    return np.asarray(fitted.selected_)


def run(name: str, methods: tuple[str, ...], m: int | None, n_seeds: int) -> tuple[Any, Any, Any]:
    """Return errors (%), seconds of ten selections and mean numbers of features, by method."""
    X, y = load(name)
    wrong, seconds, kept = (dict.fromkeys(methods, 0.0) for _ in range(3))
    for seed in range(n_seeds):
        folds = StratifiedKFold(10, shuffle=True, random_state=seed)
        for train, test in folds.split(X, y):
            filled = SimpleImputer(strategy="median").fit(X[train]).transform(X)
            size = m or len(RFS(cumulative=0.99).fit(filled[train]).selected_)
            for method in methods:
                start = time.process_time()
                features = chosen(method, size, filled[train], y[train])
                seconds[method] += (time.process_time() - start) / n_seeds
                if features is None:
                    wrong[method] = np.nan
                    continue
                kept[method] += len(features) / (10 * n_seeds)
                wrong[method] += n_errors(filled[:, features], y, train, test)
    errors = [100 * wrong[method] / (n_seeds * len(y)) for method in methods]
    return errors, list(seconds.values()), list(kept.values())


def print_rows(name: str, label: str, printed: Any, ours: Any) -> None:
    rows = {
        f"{label}published": printed,
        "ours": ours,
        "difference": [round(a, 1) - b for a, b in zip(ours, printed, strict=True)],
    }
    for row, values in rows.items():
        form = "+10.1f" if row == "difference" else "10.1f"
        cells = "".join(f"{value:{form}}" for value in values)
        print(f"{name:<15}{row:>20}{cells.replace('+nan', ' nan')}", flush=True)
        name = ""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=1, help="shuffles of the folds")
    parser.add_argument("--only", nargs="*", choices=list(FILES), help="names of data sets")
    options = parser.parse_args()
    warnings.simplefilter("ignore")

    def here(name: str) -> bool:
        wanted = not options.only or name in options.only
        return wanted and (DATA_FOLDER / f"{FILES[name][0]}.npz").exists()

    parts = Parts("rrfs_supervised", f"-{options.seeds}")
    print(f"Table 3, error in per cent, {options.seeds} x ten-fold")
    print(f"{'':<35}" + "".join(f"{method:>10}" for method in METHODS))
    for line in TABLE_3.strip().splitlines():
        name, *cells = line.split()
        if here(name):
            work = partial(run, name, METHODS, None, options.seeds)
            errors, _, kept = parts.get(f"Table 3, {name}", work)
            print_rows(name, "", [float(cell) for cell in cells], errors)
            print(f"{'':<25}{'features':>10}" + "".join(f"{k:>10.0f}" for k in kept), flush=True)
    print(
        f"\nTable 4, error in per cent and processor seconds of ten selections, {options.seeds} x ten-fold"
    )
    print(f"{'':<35}" + "".join(f"{method:>10}" for method in TIMED))
    for name, (m, printed_errors, printed_seconds) in TABLE_4.items():
        if here(name):
            work = partial(run, name, TIMED, m, options.seeds)
            errors, seconds, _ = parts.get(f"Table 4, {name}", work)
            print_rows(name, "error, ", printed_errors, errors)
            print_rows("", "seconds, ", printed_seconds, [*seconds[:-1], np.nan])
    names = [line.split()[0] for line in TABLE_3.strip().splitlines()]
    left_out = [name for name in names if not here(name)]
    if left_out:
        print(f"\nnot run: {', '.join(left_out)}")
    away = dict.fromkeys(name for name, *_ in published() if name not in FILES)
    print(f"\nNot in the data folder: {', '.join(away)}.")
    parts.remove()


if __name__ == "__main__":
    main()

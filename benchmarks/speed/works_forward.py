"""The other forward selections: CFS, FCBF, RRCT, the criteria of three-way counts, the CMI filter."""

from __future__ import annotations

import numpy as np

from benchmarks.speed.works import Work, origin, real_or_synthetic, sparse_binary


def colon():
    return real_or_synthetic("colon", 62, 2000, 2)


def leukemia():
    return real_or_synthetic("leukemia", 72, 7070, 2)


def nci9():
    return real_or_synthetic("nci9", 60, 9712, 9)


def cancer_with_probes():
    """Return breast cancer with 200 columns of noise."""
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True)
    noise = np.random.default_rng([3, 569]).standard_normal((569, 200))
    return np.hstack([X, noise]), y.astype(np.float64)


def wide_regression(n_rows: int, n_features: int):
    """Return normal columns; the target is the sum of five of them and noise."""
    rng = np.random.default_rng([4, n_rows, n_features])
    X = rng.standard_normal((n_rows, n_features))
    return X, X[:, :5].sum(axis=1) + rng.standard_normal(n_rows)


FORWARD_WORKS = [
    Work(
        "cfs-colon",
        f"{origin('colon')} 62 x 2,000, 3 levels, CFS",
        "cfs_forward",
        colon,
        peers=False,
        quoted="Weka 1.1 s",
    ),
    Work(
        "cfs-leukemia",
        f"{origin('leukemia')} 72 x 7,070, 3 levels, CFS",
        "cfs_forward",
        leukemia,
        peers=False,
    ),
    Work(
        "cfs-best-first-colon",
        f"{origin('colon')} 62 x 2,000, 3 levels, CFS by best-first search",
        "cfs_best_first",
        colon,
        aim=50,
        quoted="Weka 1.1 s",
    ),
    Work(
        "cfs-best-first-leukemia",
        f"{origin('leukemia')} 72 x 7,070, 3 levels, CFS by best-first search",
        "cfs_best_first",
        leukemia,
        aim=50,
    ),
    Work(
        "fcbf-colon",
        f"{origin('colon')} 62 x 2,000, 3 levels, FCBF",
        "fcbf",
        colon,
        aim=50,
    ),
    Work(
        "fcbf-leukemia",
        f"{origin('leukemia')} 72 x 7,070, 3 levels, FCBF",
        "fcbf",
        leukemia,
        aim=50,
    ),
    Work(
        "rrct-probes",
        "breast cancer with 200 probes, 569 x 230, RRCT (2022), k=20",
        "rrct_2022",
        cancer_with_probes,
        k=20,
        aim=50,
    ),
    Work(
        "rrct-wide",
        "200 x 20,000 float64, numeric target, RRCT, k=20",
        "rrct_paper",
        lambda: wide_regression(200, 20_000),
        k=20,
        peers=False,
    ),
    Work(
        "jmi-leukemia",
        f"{origin('leukemia')} 72 x 7,070, 3 levels, JMI, k=50",
        "jmi",
        leukemia,
        k=50,
        quoted="praznik (C) 0.14 s",
    ),
    Work(
        "jmi-nci9",
        f"{origin('nci9')} 60 x 9,712, 9 classes, JMI, k=50",
        "jmi",
        nci9,
        k=50,
        quoted="praznik (C) 0.45 s",
    ),
    Work(
        "cmim-leukemia",
        f"{origin('leukemia')} 72 x 7,070, 3 levels, CMIM, k=50",
        "cmim",
        leukemia,
        k=50,
        aim=50,
        quoted="praznik (C) 7 ms",
    ),
    Work(
        "cmim-wide-binary",
        "800 x 100,000 binary, 1 % ones, uint8, CMIM, k=50",
        "cmim",
        lambda: sparse_binary(800, 100_000),
        k=50,
        aim=50,
        quoted="praznik (C) 0.32 s",
    ),
    Work(
        "disr-colon",
        f"{origin('colon')} 62 x 2,000, 3 levels, DISR, k=20",
        "disr",
        colon,
        k=20,
        aim=50,
    ),
    Work(
        "cmi-leukemia",
        f"{origin('leukemia')} 72 x 7,070, 3 levels, CMI filter to its natural stop",
        "cmi_filter",
        leukemia,
        peers=False,
    ),
]

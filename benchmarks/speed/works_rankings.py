"""Rankings and filters: Relief, the Laplacian score, F of every column, relevance-redundancy filters."""

from __future__ import annotations

import numpy as np

from benchmarks.speed.works import Work, informative_floats


def sparse_floats(n_rows: int, n_features: int):
    """Return one per cent of the values, uniform, as compressed columns."""
    from scipy import sparse

    rng = np.random.default_rng([5, n_rows, n_features])
    X = sparse.random_array((n_rows, n_features), density=0.01, format="csc", rng=rng)
    return X, rng.integers(0, 2, n_rows)


def scaled_floats(n_rows: int, n_features: int):
    """Return columns in [0, 1], which every package's ReliefF treats alike."""
    X, y = informative_floats(n_rows, n_features, np.float64)
    X -= X.min(axis=0)
    return X / X.max(axis=0), y


RANKING_WORKS = [
    Work(
        "relieff",
        "ReliefF, 10 neighbours, 1,000 x 5,000 float64",
        "relieff",
        lambda: scaled_floats(1000, 5000),
        k=50,
        aim=4.8,
        quoted="Weka 55 s",
        two_threads=True,
    ),
    Work(
        "multisurf",
        "MultiSURF, 1,000 x 1,000 float64",
        "multisurf",
        lambda: scaled_floats(1000, 1000),
        k=50,
        aim=1,
        two_threads=True,
    ),
    Work(
        "svmrfe-wide",
        "SVM-RFE, one feature at a time, 72 x 2,000 float64",
        "svm_rfe",
        lambda: informative_floats(72, 2000, np.float64),
        k=10,
        aim=1,
    ),
    Work(
        "svmrfe-tall",
        "SVM-RFE, one feature at a time, 1,000 x 30 float64",
        "svm_rfe",
        lambda: informative_floats(1000, 30, np.float64),
        k=10,
        aim=1,
    ),
    Work(
        "svmrfe-twenties",
        "SVM-RFE, twenty features at a time, 200 x 1,000 float64",
        "svm_rfe_in_twenties",
        lambda: informative_floats(200, 1000, np.float64),
        k=10,
        aim=1,
    ),
    Work(
        "s3f",
        "S3F, 200 x 5,000 float64",
        "s3f",
        lambda: informative_floats(200, 5000, np.float64),
        two_threads=True,
        peers=False,
    ),
    Work(
        "sfslw",
        "SFS with the LW index, 1,000 x 5,000 float64, k=50",
        "sfslw",
        lambda: informative_floats(1000, 5000, np.float64),
        k=50,
        peers=False,
    ),
    Work(
        "laplacian",
        "Laplacian score, 5 nearest neighbours, 1,000 x 5,000 float64",
        "laplacian_score",
        lambda: informative_floats(1000, 5000, np.float64),
        k=50,
        aim=4.8,
    ),
    Work(
        "f-wide",
        "F of every column, 200 x 20,000 float64",
        "f_of_columns",
        lambda: informative_floats(200, 20_000, np.float64),
        aim=3.5,
    ),
    Work(
        "f-tall",
        "F of every column, 500,000 x 200 float32",
        "f_of_columns",
        lambda: informative_floats(500_000, 200, np.float32),
        aim=5,
        two_threads=True,
    ),
    Work(
        "univariate-wide",
        "The best columns by F, p-values included, 200 x 20,000 float64",
        "best_by_f",
        lambda: informative_floats(200, 20_000, np.float64),
        k=50,
    ),
    Work(
        "univariate-tall",
        "The best columns by F, p-values included, 500,000 x 200 float32",
        "best_by_f",
        lambda: informative_floats(500_000, 200, np.float32),
        k=50,
        two_threads=True,
    ),
    Work(
        "rrfs-wide",
        "RRFS, mean-median and cosine, 200 x 20,000 float64",
        "rrfs",
        lambda: informative_floats(200, 20_000, np.float64),
        peers=False,
        quoted="seconds to minutes in the paper",
    ),
    Work(
        "rrfs-csc",
        "RRFS, mean-median and cosine, 2,000 x 100,000 CSC at 1 %",
        "rrfs",
        lambda: sparse_floats(2000, 100_000),
        peers=False,
        quoted="seconds to minutes in the paper",
    ),
]

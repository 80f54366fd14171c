"""fast-select (Numba): MI difference from the full feature by feature matrix, ReliefF, MultiSURF."""

from __future__ import annotations

REQUIRES = ["fast-select"]


def mrmr_mi_difference(problem):
    import numpy as np
    from fast_select import mRMR

    if not isinstance(problem.X, np.ndarray):
        raise TypeError("rejects sparse data")
    y = problem.y.astype(np.int64)
    return lambda: mRMR(problem.k, method="MID", backend="cpu").fit(problem.X, y).top_features_


def cfs_best_first(problem):
    import numpy as np
    from fast_select import CFS

    X = problem.X.astype(np.int64)
    X -= X.min()
    y = problem.y.astype(np.int64)
    return lambda: np.flatnonzero(CFS(backend="cpu").fit(X, y).get_support())


def relieff(problem):
    import numpy as np
    from fast_select import ReliefF

    y = problem.y.astype(np.int64)
    selector = ReliefF(problem.k, n_neighbors=10, backend="cpu", n_jobs=problem.n_threads)
    return lambda: selector.fit(problem.X, y).top_features_


def multisurf(problem):
    import numpy as np
    from fast_select import MultiSURF

    y = problem.y.astype(np.int64)
    selector = MultiSURF(problem.k, backend="cpu", n_jobs=problem.n_threads)
    return lambda: selector.fit(problem.X, y).top_features_

"""pymrmr (C++, Peng's program): MI difference on integers, the class in the first column.

It prints while it works, and its build names no requirements, so they are installed before it.
"""

from __future__ import annotations

ENVIRONMENT = "pymrmr"
BEFORE = ["cython", "numpy", "pandas", "scipy", "setuptools", "wheel"]
REQUIRES = ["pymrmr"]
PIP = ["--no-build-isolation"]


def mrmr_mi_difference(problem):
    import numpy as np
    import pandas
    import pymrmr

    if not isinstance(problem.X, np.ndarray):
        raise TypeError("rejects sparse data")
    names = ["class", *(str(feature) for feature in range(problem.X.shape[1]))]
    table = np.column_stack([problem.y, problem.X]).astype(np.int64)
    frame = pandas.DataFrame(table, columns=names)
    return lambda: [int(name) for name in pymrmr.mRMR(frame, "MID", problem.k)]

"""fcbf (Python, pandas): the filter of Yu and Liu."""

from __future__ import annotations

REQUIRES = ["fcbf"]
ENVIRONMENT = "rrct"


def fcbf(problem):
    import numpy as np
    import pandas as pd
    from fcbf import fcbf as select

    if not isinstance(problem.X, np.ndarray):
        raise TypeError("rejects sparse data")
    X = pd.DataFrame(problem.X, columns=[f"x{i}" for i in range(problem.X.shape[1])])
    y = pd.Series(problem.y, name="y")
    return lambda: [int(name[1:]) for name in select(X, y)[0]]

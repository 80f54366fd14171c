"""feature-engine (pandas): several kinds of mRMR, and equal-frequency bins.

It keeps the set it chose, not the order.
"""

from __future__ import annotations

REQUIRES = ["feature-engine"]
DIFFERS = {"mrmr_mi_difference": "redundancy by nearest neighbours, with noise added"}


def _mrmr(problem, method):
    import numpy as np
    import pandas
    from feature_engine.selection import MRMR

    if not isinstance(problem.X, np.ndarray):
        raise TypeError("rejects sparse data")
    X = pandas.DataFrame(problem.X)
    y = pandas.Series(problem.y)

    def run():
        selector = MRMR(
            method=method, max_features=problem.k, discrete_features=True, random_state=0
        ).fit(X, y)
        dropped = set(selector.features_to_drop_)
        return [feature for feature in X.columns if feature not in dropped]

    return run


def mrmr_mi_difference(problem):
    return _mrmr(problem, "MID")


def mrmr_f_pearson_quotient(problem):
    return _mrmr(problem, "FCQ")


def equal_frequency_bins(problem):
    import pandas
    from feature_engine.discretisation import EqualFrequencyDiscretiser

    X = pandas.DataFrame(problem.X)
    return lambda: EqualFrequencyDiscretiser(q=problem.k).fit_transform(X).to_numpy()[:, :50]

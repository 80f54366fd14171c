"""mrmr-selection (pandas): F-statistic over mean absolute Pearson, the latter floored at 0.001."""

from __future__ import annotations

REQUIRES = ["mrmr-selection"]
NOTES = {
    "mrmr_f_pearson_quotient": "tiny redundancies are raised to a floor there, not in thresher"
}


def mrmr_f_pearson_quotient(problem):
    import pandas
    from mrmr import mrmr_classif

    X = pandas.DataFrame(problem.X)
    y = pandas.Series(problem.y)
    return lambda: mrmr_classif(X, y, problem.k, n_jobs=1, show_progress=False)

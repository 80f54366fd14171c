"""mrmrs (Rust): F-statistic over mean absolute Pearson, on polars frames."""

from __future__ import annotations

REQUIRES = ["mrmrs"]
NOTES = {
    "mrmr_f_pearson_quotient": "tiny redundancies are raised to a floor there, not in thresher"
}


def mrmr_f_pearson_quotient(problem):
    import mrmrs
    import polars

    names = [str(feature) for feature in range(problem.X.shape[1])]
    X = polars.DataFrame(problem.X, schema=names)
    y = polars.Series("y", problem.y.astype("int64"))

    def run():
        chosen = mrmrs.mrmr(X, y, problem.k, "classification")
        return [int(feature.name) for feature in chosen]

    return run

"""rrct (Python): the authors' program of 2022, a pseudo-inverse per candidate and step."""

from __future__ import annotations

REQUIRES = ["rrct"]
ENVIRONMENT = "rrct"


def rrct_2022(problem):
    from rrct import RRCTFeatureSelection

    y = problem.y.astype(float).reshape(-1, 1)
    selector = RRCTFeatureSelection(K=problem.k)
    return lambda: selector.apply(problem.X, y).selected_features_indices_

"""fastcan (Cython): greedy forward selection by canonical correlation, another criterion."""

from __future__ import annotations

REQUIRES = ["fastcan"]
DIFFERS = {"mrmr_f_pearson_quotient": "another criterion: squared canonical correlation"}


def mrmr_f_pearson_quotient(problem):
    from fastcan import FastCan

    return lambda: FastCan(problem.k, verbose=0).fit(problem.X, problem.y).indices_

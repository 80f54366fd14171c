"""The questions, asked of thresher as a user would ask them."""

from __future__ import annotations


def mrmr_mi_difference(problem):
    from thresher import MRMR

    selector = MRMR(
        problem.k,
        relevance="mi",
        redundancy="mi",
        objective="difference",
        n_jobs=problem.n_threads,
    )
    return lambda: selector.fit(problem.X, problem.y).selected_


def mrmr_f_pearson_quotient(problem):
    from thresher import MRMR

    selector = MRMR(
        problem.k,
        relevance="f",
        redundancy="pearson",
        objective="quotient",
        n_jobs=problem.n_threads,
    )
    return lambda: selector.fit(problem.X, problem.y).selected_

"""skfeature-chappers (Python): greedy search over discrete features, Laplacian score.

Its ``mrmr`` passes on to ``lcsi``, which ignores the request for the mean, and returns ranks of
the list instead of the list; ``lcsi`` is called here with the same arguments, to see the list.
"""

from __future__ import annotations

REQUIRES = ["skfeature-chappers"]
DIFFERS = {
    "mrmr_mi_difference": "subtracts 0.8 times the sum, not the mean",
    "laplacian_score": "graph with self loops, heat kernel exp(-d^2 / (2 t^2))",
    "fcbf": "rounds SU down to 0, so it uses column order",
    "cmim": "omits I(f;C) itself from the minimum",
    "disr": "divides by the summed redundancies as well",
}


def mrmr_mi_difference(problem):
    import numpy as np
    from skfeature.function.information_theoretical_based import LCSI

    if not isinstance(problem.X, np.ndarray):
        raise TypeError("rejects sparse data")
    return lambda: LCSI.lcsi(
        problem.X, problem.y, mode="index", gamma=0, n_selected_features=problem.k
    )


def fcbf(problem):
    from skfeature.function.information_theoretical_based import FCBF

    return lambda: FCBF.fcbf(problem.X, problem.y, mode="index")


def cmim(problem):
    from skfeature.function.information_theoretical_based import CMIM

    return lambda: CMIM.cmim(problem.X, problem.y, mode="index", n_selected_features=problem.k)


def disr(problem):
    from skfeature.function.information_theoretical_based import DISR

    return lambda: DISR.disr(problem.X, problem.y, mode="index", n_selected_features=problem.k)


def laplacian_score(problem):
    import numpy as np
    from skfeature.function.similarity_based import lap_score
    from skfeature.utility.construct_W import construct_W

    def run():
        # A copy, because the default graph overwrites the data it is given.
        W = construct_W(
            np.array(problem.X),
            metric="euclidean",
            neighbor_mode="knn",
            weight_mode="heat_kernel",
            k=5,
            t=1,
        )
        return lap_score.lap_score(problem.X, mode="index", W=W)[: problem.k]

    return run

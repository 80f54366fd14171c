"""Orange: Fayyad and Irani's MDL bins."""

from __future__ import annotations

ENVIRONMENT = "orange3"
REQUIRES = ["orange3"]


def mdl_bins(problem):
    import numpy as np
    from Orange.data import ContinuousVariable, DiscreteVariable, Domain, Table
    from Orange.preprocess import Discretize
    from Orange.preprocess.discretize import EntropyMDL

    classes = tuple(str(value) for value in np.unique(problem.y))
    features = [ContinuousVariable(str(feature)) for feature in range(problem.X.shape[1])]
    table = Table.from_numpy(
        Domain(features, DiscreteVariable("y", values=classes)), problem.X, problem.y
    )

    def run():
        binned = Discretize(method=EntropyMDL(force=False), remove_const=False)(table)
        return [float(len(feature.values)) for feature in binned.domain.attributes]

    return run

"""Types of parameters and data, for type checkers."""

from __future__ import annotations

from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
Floats: TypeAlias = npt.NDArray[np.float64]
Mask: TypeAlias = npt.NDArray[np.bool_]
Indices: TypeAlias = npt.NDArray[np.intp]  # positions of rows or features
Names: TypeAlias = npt.NDArray[np.object_]
# X: an array, sparse matrix, dataframe, path of a file, dataset, or rows in blocks.
DataLike: TypeAlias = Any
# y: labels or numbers, or the name of a column.
TargetLike: TypeAlias = Any
# A matrix in memory: an array, or a sparse matrix of SciPy, whose classes have no types.
Matrix: TypeAlias = Any
# One weight per row, or the name of a column.
WeightsLike: TypeAlias = Any
# One group per row.
GroupsLike: TypeAlias = Any
# Features by name or position.
FeatureNames: TypeAlias = Any
# None, an integer or a RandomState of NumPy.
RandomState: TypeAlias = Any
# Bins by name, a discretizer, or None.
BinRule: TypeAlias = Any
# An estimator of scikit-learn, whose classes have no types; its scoring; its cross-validation folds.
Estimator: TypeAlias = Any
Scoring: TypeAlias = Any
Folds: TypeAlias = Any
# A table of results: a dataframe of pandas or polars, or a dict of lists.
Frame: TypeAlias = Any
# Axes of matplotlib.
Axes: TypeAlias = Any
# Named values of any type: parameters, keyword arguments, a JSON object.
Values: TypeAlias = dict[str, Any]

TargetKind = Literal["auto", "nominal", "numeric"]
Missing = Literal["error", "category", "pairwise", "drop_rows"]
Auto = Literal["auto"]
DeltaMode = Literal["absolute", "relative"]
Infeasible = Literal["clip", "raise"]
Risk = Literal["bayes", "binary", "pairs", "entropy"]
# Names of measures, written by `make format` from measures/_names.py.
Measure = Literal[
    "mi", "su", "nmi", "chi2", "pearson", "spearman", "cosine", "r2", "f", "association"
]
PairMeasureName = Literal[
    "mi", "su", "nmi", "chi2", "pearson", "spearman", "cosine", "r2", "association"
]
TestedMeasure = Literal["mi", "su", "nmi", "chi2", "pearson", "spearman", "r2", "f", "association"]
OtherRelevance = Literal["variance", "mad", "mean-median", "iqr", "am/gm", "amgm", "fir", "fisher"]

Relevance = OtherRelevance | Measure


class Selector(Protocol):
    """A selector of thresher or of another package."""

    def fit(self, X: DataLike, y: TargetLike, /) -> object: ...

    def get_support(self) -> npt.ArrayLike: ...

    def get_params(self, deep: bool = ...) -> Values: ...

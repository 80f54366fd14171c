"""What the selectors by partial correlation share: columns and target."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from thresher._utils.params import FeatureCount, Options, ThreadCount, estimator, param
from thresher._utils.types import FeatureNames, Floats, TargetKind
from thresher.data import TARGETS, LocalData, TrainingData
from thresher.selectors._base import BaseSelector


@estimator
class CorrelationSelector(BaseSelector):
    """The parameters of `GSO` and `LassoPath`."""

    _takes_sparse = False

    n_features_to_select: int | float = param(FeatureCount(), default=10, kw_only=False)
    target: TargetKind = param(Options(*TARGETS), default="auto")
    keep: FeatureNames = param(default=None)
    exclude: FeatureNames = param(default=None)
    missing: Literal["error", "drop_rows"] = param(Options("error", "drop_rows"), default="error")
    n_jobs: int | None = param(ThreadCount(), default=None)
    verbose: int = param(default=0)


def safe_columns(owner: str, training: LocalData) -> npt.NDArray[np.floating]:
    """Feature-major columns, rescaled.

    Columns that are excluded may be anything.
    """
    categories = np.flatnonzero(training.schema.is_category & ~training.excluded)
    if categories.size:
        raise ValueError(
            f"column {training.schema.label(int(categories[0]))} holds categories, and {owner} "
            "works on numbers; give numbers, name the column in exclude, or use JMI, which takes categories"
        )
    columns: npt.NDArray[np.floating] = training.table.rescaled.coded_columns()
    return columns


def uses_indicators(training: TrainingData, target: str) -> bool:
    """Whether the classes enter as indicators: more than two of them, or asked for by name."""
    labels = training.labels
    return labels.is_nominal and (labels.n_classes > 2 or target == "nominal")


def class_indicators(training: LocalData) -> Floats:
    """One row per class but the last: 1 for its samples, 0 for others."""
    labels = training.labels
    codes = labels.codes
    assert codes is not None
    classes = np.arange(labels.n_classes - 1)
    return np.equal(codes, classes[:, None]).astype(np.float64)

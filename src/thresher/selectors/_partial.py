"""Columns and targets of selectors by partial correlation."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from thresher._utils.types import Floats
from thresher.data import LocalData, TrainingData


def safe_columns(owner: str, training: LocalData) -> npt.NDArray[np.floating]:
    """Return rescaled columns, feature-major. Excluded columns may contain any values."""
    categories = np.flatnonzero(training.schema.is_category & ~training.excluded)
    if categories.size:
        raise ValueError(
            f"column {training.schema.label(int(categories[0]))} contains categories, but {owner} needs numbers. "
            "Encode it as numbers, add it to exclude, or use JMI"
        )
    columns: npt.NDArray[np.floating] = training.table.rescaled.coded_columns()
    return columns


def uses_indicators(training: TrainingData, target: str) -> bool:
    """Return whether classes enter as indicators: more than two, or with ``target="nominal"``."""
    labels = training.labels
    return labels.is_nominal and (labels.n_classes > 2 or target == "nominal")


def class_indicators(training: LocalData) -> Floats:
    """Return one row per class but the last: 1 for its samples, 0 for others."""
    labels = training.labels
    classes = np.arange(labels.n_classes - 1)
    return np.equal(labels.class_codes, classes[:, None]).astype(np.float64)

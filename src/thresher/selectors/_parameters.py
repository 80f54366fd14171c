"""Parameters that many selectors have."""

from __future__ import annotations

from typing import Literal

from thresher._utils.params import estimator, param
from thresher._utils.types import FeatureNames

# A number of features, a fraction of them, or the natural stop of the search.
CountOrAuto = int | float | Literal["auto"]
# How selectors for discrete features treat missing values.
MissingDiscrete = Literal["error", "category", "drop_rows"]


@estimator
class CommonParameters:
    """The parameters `keep`, `exclude` and `verbose`, which most selectors have."""

    keep: FeatureNames = param(default=None)
    exclude: FeatureNames = param(default=None)
    verbose: int = param(default=0)

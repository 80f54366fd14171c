"""Parameters that many selectors have."""

from __future__ import annotations

from typing import Literal

from thresher._utils.params import estimator, param
from thresher._utils.types import FeatureNames

# A number of features, a fraction of them, or where the search stops by itself.
CountOrAuto = int | float | Literal["auto"]
# Missing values of selectors by discrete features, which take no pairs of values apart.
MissingDiscrete = Literal["error", "category", "drop_rows"]


@estimator
class CommonParameters:
    """What selects features before any score does, and how much is printed."""

    keep: FeatureNames = param(default=None)
    exclude: FeatureNames = param(default=None)
    verbose: int = param(default=0)

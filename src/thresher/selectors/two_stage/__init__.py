"""Two stages: a filter finds a pool of features, a wrapper the set of them on which an estimator does best."""

from thresher.selectors.two_stage.gbc import GBC
from thresher.selectors.two_stage.mrmrga import MRMRGA

__all__ = ["GBC", "MRMRGA"]

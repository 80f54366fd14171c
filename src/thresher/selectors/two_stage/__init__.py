"""Two-stage selectors: a filter finds a pool of features, a wrapper searches it for the best set."""

from thresher.selectors.two_stage.gbc import GBC
from thresher.selectors.two_stage.mrmrga import MRMRGA

__all__ = ["GBC", "MRMRGA"]

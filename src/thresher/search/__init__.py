"""How sets of features are generated: greedy forward search, its strategies, parts and votes."""

from thresher.search.ensemble import FoundParts, greedy_ensemble
from thresher.search.greedy import Found, greedy_forward

__all__ = ["Found", "FoundParts", "greedy_ensemble", "greedy_forward"]

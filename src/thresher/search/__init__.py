"""How sets of features are generated: greedy forward search, its strategies, parts and votes."""

from thresher.search.greedy import Found, greedy_forward

__all__ = ["Found", "greedy_forward"]

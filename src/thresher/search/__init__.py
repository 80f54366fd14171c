"""How sets of features are generated: the searches and their results, parts and votes."""

from thresher.search.ensemble import FoundParts, greedy_ensemble
from thresher.search.forward import ForwardSearch
from thresher.search.greedy import (
    Found,
    fcbf,
    greedy_accumulate,
    greedy_forward,
    order_by_relevance,
)

__all__ = [
    "ForwardSearch",
    "Found",
    "FoundParts",
    "fcbf",
    "greedy_accumulate",
    "greedy_ensemble",
    "greedy_forward",
    "order_by_relevance",
]

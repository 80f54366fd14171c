"""Searches for sets of features and their results, with parts and votes of ensembles."""

from thresher._core import SearchResult
from thresher.search.ensemble import PartsResult, greedy_ensemble
from thresher.search.forward import (
    ForwardSearch,
    fcbf,
    greedy_accumulate,
    greedy_forward,
    order_by_relevance,
)

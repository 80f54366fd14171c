"""Searches for sets of features and their results, with parts and votes of ensembles."""

from thresher._core import SearchResult
from thresher.search.ensemble import FoundParts
from thresher.search.forward import ForwardSearch, order_by_relevance, started

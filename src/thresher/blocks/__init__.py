"""Rows in blocks that stay where they are: other processes, other machines, or yesterday's."""

from thresher.blocks._kept import KeptRows
from thresher.blocks._list import ListEngine
from thresher.blocks._open import is_far, open_engine
from thresher.blocks._protocol import Answer, Engine, Packed, Progress, RowBlock
from thresher.blocks._split import column_names, split_columns

__all__ = [
    "Answer",
    "Engine",
    "KeptRows",
    "ListEngine",
    "Packed",
    "Progress",
    "RowBlock",
    "column_names",
    "is_far",
    "open_engine",
    "split_columns",
]

"""Consistency-based selection: small sets of features that distinguish the classes in combination."""

from thresher.selectors.consistency.classic import ABB, LVF, QBB, Focus, SetCover
from thresher.selectors.consistency.lcc import CWC, INTERACT, LCC
from thresher.selectors.consistency.salcc import SALCC
from thresher.selectors.consistency.sdcc import ASDCC, SDCC, SWCFS

__all__ = [
    "ABB",
    "ASDCC",
    "CWC",
    "INTERACT",
    "LCC",
    "LVF",
    "QBB",
    "SALCC",
    "SDCC",
    "SWCFS",
    "Focus",
    "SetCover",
]

"""Discretizers: transformers that turn continuous features into a few levels.

A cut point is midway between two neighbouring values of the training data, and the code of a value is the number of
cut points strictly below it. Each discretizer is a scikit-learn transformer; selectors use them by name through
:func:`make_discretizer`.
"""

from thresher.discretize._base import Discretizer, SparseColumns
from thresher.discretize._bins import (
    EqualFrequencyBins,
    EqualWidthBins,
    GivenBins,
    MDLBins,
    MeanSdBins,
)
from thresher.discretize._choice import make_discretizer, uses_target

__all__ = [
    "Discretizer",
    "EqualFrequencyBins",
    "EqualWidthBins",
    "GivenBins",
    "MDLBins",
    "MeanSdBins",
    "SparseColumns",
    "make_discretizer",
    "uses_target",
]

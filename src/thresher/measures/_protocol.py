"""The measures that a search may request, wherever the rows are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from thresher import _core
from thresher._utils.types import Floats, Indices, Mask
from thresher.measures._codes import Bins, Codes

RowWeights = npt.NDArray[np.int64] | Floats


class SearchMeasures(Protocol):
    """Values of features and of pairs of features: of all rows, of a replicate, or summed over replicates.

    Attributes
    ----------
    scale : int
        The factor of all values: 1 except in an Inner Ensemble, whose values are sums over replicates. Multiply by it
        the constants that are added to values or compared with them (offsets, thresholds).
    whole : Measures
        The measures of all rows.
    """

    @property
    def scale(self) -> int: ...

    @property
    def whole(self) -> Measures: ...

    def relevance(self, name: str) -> Floats:
        """Return the measure of every feature with the target."""

    def pairs(self, name: str, in_bits: bool = False) -> _core.PairMeasure:
        """Return the measure of feature pairs; with `in_bits`, the bits that its values A share."""

    def triples(self, term: str) -> _core.PairMeasure:
        """Return a term of two features and the target."""

    def candidates(self, *names: str) -> Mask:
        """Return the features that may be selected by these measures: not excluded, varying, also after binning."""

    def row_weights(self) -> RowWeights | None:
        """Return the weights of all rows, one line per replicate; None without weights. Rows in blocks raise."""


class Measures(SearchMeasures, Protocol):
    """Measures of all rows, or of every replicate of an ensemble, which is a row of each result.

    Attributes
    ----------
    bins : Bins
        The binned features; none before a measure uses codes.
    levels : ndarray of int of shape (n_features,)
        The number of values of every feature.
    n_target_levels : int
        The number of classes that occur, after a numeric target was binned.
    rows_of_classes : ndarray of int of shape (n_parts, n_classes)
        Rows of each class in each part; all rows are one part without parts.
    target_range : tuple of two ndarrays of shape (n_parts,)
        The smallest and the largest target of each part.
    """

    @property
    def bins(self) -> Bins: ...

    @property
    def levels(self) -> npt.NDArray[np.int32]: ...

    @property
    def n_target_levels(self) -> int: ...

    @property
    def rows_of_classes(self) -> npt.NDArray[np.int64]: ...

    @property
    def target_range(self) -> tuple[Floats, Floats]: ...

    def category_levels(self) -> npt.NDArray[np.int32]:
        """Return the number of levels of every category, for a measure of categories and numbers alike."""

    def dispersion(self, name: str) -> Floats:
        """Return the dispersion of every feature."""

    def separation(self, name: str) -> Floats:
        """Return the separation of the classes by every feature."""

    def coded_rows(self) -> CodedRows:
        """Return all rows as integers. Rows in blocks raise."""

    def on_rows(self, rows: Indices) -> SearchMeasures:
        """Return the measures of some rows, with repeats, and the bins of all. Rows in blocks raise."""

    def weights_on(self, replicates: Sequence[int]) -> RowWeights:
        """Return the weights of all rows on these replicates, one line each. Rows in blocks raise."""


class CodedRows(Protocol):
    """All rows as small integers, and their classes."""

    @property
    def codes(self) -> Codes: ...

    @property
    def target_codes(self) -> tuple[npt.NDArray[np.int32], int]: ...

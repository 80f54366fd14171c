"""What a search may ask of the data, be it all rows, a replicate, or sums that someone else made."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from thresher import _core
from thresher.measures._codes import Codes

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
RowWeights = npt.NDArray[np.int64] | npt.NDArray[np.float64]


class SearchMeasures(Protocol):
    """Values of features and of pairs of features.

    Attributes
    ----------
    scale : int
        What values are multiplied by: 1 but in an Inner Ensemble, whose values are sums over replicates. Constants
        that are added to values or compared with them (offsets, thresholds) have to be multiplied by it.
    """

    @property
    def scale(self) -> int: ...

    def relevance(self, name: str) -> Floats:
        """The measure of every feature with the target."""

    def pairs(self, name: str) -> _core.PairMeasure:
        """The measure of feature pairs."""

    def triples(self, term: str) -> _core.PairMeasure:
        """A term of two features and the target."""

    def candidates(self, *names: str) -> Mask:
        """Features that may be chosen by these measures: not excluded, varying, also after binning."""


class CodedRows(Protocol):
    """All rows as small integers, and their classes."""

    @property
    def codes(self) -> Codes: ...

    @property
    def target_codes(self) -> tuple[npt.NDArray[np.int32], int]: ...


class RowMeasures(SearchMeasures, Protocol):
    """For a criterion that looks at rows: a replicate is the table of all rows with other weights."""

    @property
    def whole(self) -> CodedRows: ...

    def row_weights(self) -> RowWeights | None:
        """How much each row counts, a line per replicate; None for once each."""

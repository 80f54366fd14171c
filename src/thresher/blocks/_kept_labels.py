"""Targets and weights of rows that come and go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.data import distinct_labels, refuse_missing_labels

MOST_CODED = 256


@dataclass(frozen=True)
class KeptLabels:
    """The targets of some rows, as bytes where there are few classes, and their weights.

    Attributes
    ----------
    classes : ndarray or None
        What the codes stand for; None where `values` are the targets themselves.
    values : ndarray or None
    weights : ndarray or None
    """

    classes: npt.NDArray[Any] | None
    values: npt.NDArray[Any] | None
    weights: npt.NDArray[Any] | None

    @classmethod
    def of(cls, y: npt.NDArray[Any] | None, weights: npt.NDArray[Any] | None) -> KeptLabels:
        own = None if weights is None else weights.copy()
        if y is None:
            return cls(None, None, own)
        refuse_missing_labels(y)
        classes, codes = distinct_labels(y)
        if len(classes) > min(MOST_CODED, max(len(y) // 2, 16)):
            return cls(None, y.copy(), own)
        return cls(classes, codes.astype(np.uint8), own)

    def labels(self) -> npt.NDArray[Any] | None:
        if self.classes is None or self.values is None:
            return self.values
        return np.asarray(self.classes[self.values])

    def take(self, places: npt.NDArray[np.intp]) -> KeptLabels:
        weights = None if self.weights is None else self.weights[places]
        values = None if self.values is None else self.values[places]
        return KeptLabels(self.classes, values, weights)

    def is_like(self, other: KeptLabels) -> bool:
        """Whether both have targets, or weights, of the same types or none."""
        return self._types() == other._types()

    def _types(self) -> list[Any]:
        labels = self.classes if self.classes is not None else self.values
        return [None if own is None else own.dtype for own in (labels, self.weights)]

    def join(self, other: KeptLabels) -> KeptLabels:
        """Those of both, which are alike."""
        return KeptLabels.of(
            _stacked(self.labels(), other.labels()), _stacked(self.weights, other.weights)
        )

    def equals(self, other: KeptLabels) -> bool:
        return same_arrays([self.labels(), self.weights], [other.labels(), other.weights])


def same_arrays(a: Sequence[Any], b: Sequence[Any]) -> bool:
    """Whether there are as many arrays, equal ones and None in the same places."""
    return len(a) == len(b) and all(
        x is y if x is None or y is None else np.array_equal(x, y)
        for x, y in zip(a, b, strict=True)
    )


def _stacked(a: npt.NDArray[Any] | None, b: npt.NDArray[Any] | None) -> Any:
    return None if a is None or b is None else np.concatenate([a, b])

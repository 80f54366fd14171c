"""Sentences and progress lines, from what a search saw."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.sources import Training

# From here on a redundancy in [0, 1] is called one, where it cannot be compared with the relevance.
CLEARLY_REDUNDANT = 0.5


def feature_label(names: npt.NDArray[np.object_] | None, feature: int) -> str:
    """What a sentence calls a feature."""
    return str(names[feature]) if names is not None else f"feature {feature}"


@dataclass
class Nearest:
    """The largest redundancy that a search met, per feature.

    Attributes
    ----------
    partner : ndarray of int of shape (n_features,)
        The chosen feature it was met with; -1 where none was evaluated.
    value : ndarray of float of shape (n_features,)
    comparable : bool
        Relevance and redundancy are the same measure.
    """

    partner: npt.NDArray[np.int64]
    value: npt.NDArray[np.float64]
    comparable: bool

    def sentence(
        self, feature: int, relevance: float, names: npt.NDArray[np.object_] | None
    ) -> str:
        """Why this feature was left."""
        partner = int(self.partner[feature])
        if partner < 0:
            return f"never came near: relevance {relevance:.4g}"
        value = float(self.value[feature])
        label = feature_label(names, partner)
        if value >= (relevance if self.comparable else CLEARLY_REDUNDANT):
            return f"redundant with {label}, {value:.2f}; relevance {relevance:.4g}"
        return f"outscored: relevance {relevance:.4g}, largest redundancy {value:.2f} with {label}"


def step_printer(
    selector: Any, training: Training, wanted: int | None
) -> Callable[[int, int, float], None]:
    """A function that prints one line per step of a search."""
    total = "" if wanted is None else f"/{wanted}"

    def show(step: int, feature: int, score: float) -> None:
        name = feature_label(training.names, feature)
        print(f"[{type(selector).__name__}] {step}{total} {name}, score {score:.4g}", flush=True)

    return show

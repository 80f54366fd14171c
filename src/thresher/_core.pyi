from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

# --- system -------------------------------------------------------------------------------------

def isa_level() -> str: ...
def best_isa_level() -> str: ...

# --- pair measures ------------------------------------------------------------------------------

class PairMeasure:
    @property
    def n_features(self) -> int: ...
    @property
    def n_replicates(self) -> int: ...
    def values(self, reference: int, features: NDArray[np.uint32]) -> NDArray[np.float64]: ...

class MatrixMeasure(PairMeasure):
    def __init__(self, values: NDArray[np.float64]) -> None: ...

# --- searches -----------------------------------------------------------------------------------

def greedy_forward(
    measure: PairMeasure,
    relevance: NDArray[np.float64],
    n_select: int,
    *,
    objective: str = "difference",
    weight: float = 1.0,
    offset: float = 0.0,
    strategy: str = "lazy",
    candidates: NDArray[np.uint8] | None = None,
    kept: NDArray[np.uint32] | None = None,
    progress: Callable[[int, int, float], object] | None = None,
) -> dict[str, Any]: ...

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

class ReplicateCache:
    def __init__(self, base: PairMeasure, memory_limit: int = 0) -> None: ...
    @property
    def n_computed(self) -> int: ...
    @property
    def full(self) -> bool: ...

class ReplicateView(PairMeasure):
    def __init__(self, cache: ReplicateCache, replicate: int) -> None: ...

class SummedReplicates(PairMeasure):
    def __init__(self, base: PairMeasure, replicates: list[int]) -> None: ...

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

"""Random streams: each derives from (seed, purpose, index), never from the order of calls or from a thread."""

from __future__ import annotations

from enum import IntEnum, unique

import numpy as np


@unique
class Purpose(IntEnum):
    """Purpose of a random stream. Results depend on these values."""

    SHUFFLED_ROWS = 1
    BOOTSTRAP = 2
    HALVES = 3
    COMPETING_COPIES = 4
    PERMUTED_TARGET = 5
    ARTIFICIAL_FEATURES = 6
    PROBES = 12
    DATA_SETS = 13
    SAMPLED_ROWS = 14


def stream(seed: int, purpose: Purpose, *index: int) -> np.random.Generator:
    """Return the generator of one purpose, or of one of its repeats."""
    return np.random.default_rng((seed, int(purpose), *index))

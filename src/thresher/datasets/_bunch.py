"""What every generator returns, and where its numbers come from."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import Bunch, check_random_state

from thresher._utils.random import Purpose, stream


def draw(random_state: Any, generator: int) -> np.random.Generator:
    """A stream of its own for every generator: equal seeds give equal data."""
    seed = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
    return stream(seed, Purpose.DATA_SETS, generator)


def bunch(X: Any, y: Any, truth: Any, description: str, **more: Any) -> Bunch:
    names = [f"x{i}" for i in range(X.shape[1])]
    positions = np.sort(np.asarray(truth, dtype=np.intp))
    return Bunch(data=X, target=y, truth=positions, feature_names=names, DESCR=description, **more)

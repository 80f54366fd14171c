"""Where things lie, and the data sets there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
# Optional: real data sets, one npz file each.
DATA_FOLDER = Path(os.environ.get("THRESHER_DATA", ROOT.parent / "shared" / "data"))


def load_set(name: str) -> tuple[Any, Any]:
    """Return features and target of a data set of the optional folder."""
    path = DATA_FOLDER / f"{name}.npz"
    if not path.exists():
        raise SystemExit(f"{path} is missing; THRESHER_DATA names the folder of the data sets")
    with np.load(path, allow_pickle=False) as file:
        return file["X"], file["y"]

"""Where things lie."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Optional: real data sets, one npz file each.
DATA_FOLDER = Path(os.environ.get("THRESHER_DATA", ROOT.parent / "shared" / "data"))

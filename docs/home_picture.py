"""Draw the figure of README and home page from its example: ``python docs/home_picture.py``."""

from __future__ import annotations

import runpy
from pathlib import Path

import matplotlib

matplotlib.use("agg")
matplotlib.rcParams["svg.hashsalt"] = "thresher"
DOCS = Path(__file__).parent
drawn = runpy.run_path(str(DOCS.parent / "examples" / "gallery" / "plot_01_not_redundant.py"))
drawn["figure"].savefig(DOCS / "_static" / "not_redundant.svg", metadata={"Date": None})

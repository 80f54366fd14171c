"""Synthetic data with known true features, and the public data sets of the papers.

Every generator returns a `Bunch` of scikit-learn with ``data``, ``target``, ``truth`` (the positions of the true
features, in increasing order), ``feature_names`` and ``DESCR``. `thresher.evaluate.compare` accepts it.
"""

from __future__ import annotations

from thresher.datasets._openml import fetch_paper_data, list_paper_data
from thresher.datasets._synthetic import (
    make_artificial1,
    make_friedman_collinear,
    make_tied,
    make_xor,
)
from thresher.datasets._wide import make_dorothea_like, make_microarray, make_text

__all__ = [
    "fetch_paper_data",
    "list_paper_data",
    "make_artificial1",
    "make_dorothea_like",
    "make_friedman_collinear",
    "make_microarray",
    "make_text",
    "make_tied",
    "make_xor",
]

"""thresher picks the few features that matter out of thousands."""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

# Public name -> module that defines it. Loaded on first use, so that `import thresher` is quick.
_EXPORTS: dict[str, str] = {
    "ABB": "thresher.selectors.consistency",
    "ASDCC": "thresher.selectors.consistency",
    "CFS": "thresher.selectors.cfs",
    "Chain": "thresher.selectors.chain",
    "CIFE": "thresher.selectors.criteria",
    "CMIFilter": "thresher.selectors.cmi",
    "CMIM": "thresher.selectors.criteria",
    "CWC": "thresher.selectors.consistency",
    "difficulty_ratio": "thresher.selectors.rfs",
    "DISR": "thresher.selectors.criteria",
    "Ensemble": "thresher.selectors.ensemble",
    "EqualFrequencyBins": "thresher.discretize",
    "EqualWidthBins": "thresher.discretize",
    "ErrorControlled": "thresher.selectors.error_controlled",
    "FCBF": "thresher.selectors.fcbf",
    "FisherScore": "thresher.selectors.fisher",
    "Focus": "thresher.selectors.consistency",
    "GSO": "thresher.selectors.gso",
    "ICAP": "thresher.selectors.criteria",
    "INTERACT": "thresher.selectors.consistency",
    "JMI": "thresher.selectors.criteria",
    "JMIM": "thresher.selectors.criteria",
    "LaplacianScore": "thresher.selectors.spectral",
    "LassoPath": "thresher.selectors.lasso",
    "LCC": "thresher.selectors.consistency",
    "LVF": "thresher.selectors.consistency",
    "MDLBins": "thresher.discretize",
    "MeanSdBins": "thresher.discretize",
    "MIM": "thresher.selectors.criteria",
    "MRMR": "thresher.selectors.mrmr",
    "MultiSURF": "thresher.selectors.relief",
    "NMIFS": "thresher.selectors.nmifs",
    "QBB": "thresher.selectors.consistency",
    "Relief": "thresher.selectors.relief",
    "ReliefF": "thresher.selectors.relief",
    "RFS": "thresher.selectors.rfs",
    "RRCT": "thresher.selectors.rrct",
    "RRFS": "thresher.selectors.rrfs",
    "S3F": "thresher.selectors.s3f",
    "SALCC": "thresher.selectors.consistency",
    "SDCC": "thresher.selectors.consistency",
    "SetCover": "thresher.selectors.consistency",
    "show_versions": "thresher._versions",
    "SFSLW": "thresher.selectors.sfslw",
    "SPEC": "thresher.selectors.spectral",
    "SVMRFE": "thresher.selectors.svmrfe",
    "SWCFS": "thresher.selectors.consistency",
    "ThresherWarning": "thresher._checks",
    "Univariate": "thresher.selectors.univariate",
}

# Public modules, loaded in the same way.
_MODULES = ("discretize", "evaluate", "measures", "plots", "pp")

__all__ = [*_EXPORTS, *_MODULES, "__version__"]


def __getattr__(name: str) -> Any:
    if name in _EXPORTS:
        return getattr(importlib.import_module(_EXPORTS[name]), name)
    if name in _MODULES:
        return importlib.import_module(f"thresher.{name}")
    raise AttributeError(f"module 'thresher' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)

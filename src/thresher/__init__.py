"""thresher picks the few features that matter out of thousands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thresher._loading import load as _load

__version__ = "0.1.0"

# Public names by the module that defines them. Loaded on first use, so that `import thresher` is quick.
_NAMES = {
    "_checks": "ThresherWarning",
    "_versions": "show_versions",
    "discretize": "EqualFrequencyBins EqualWidthBins GivenBins MDLBins MeanSdBins",
    "selectors.cfs": "CFS",
    "selectors.chain": "Chain",
    "selectors.cmi": "CMIFilter",
    "selectors.consistency": "ABB ASDCC CWC Focus INTERACT LCC LVF QBB SALCC SDCC SetCover SWCFS",
    "selectors.criteria": "CIFE CMIM DISR ICAP JMI JMIM MIM",
    "selectors.ensemble": "Ensemble",
    "selectors.error_controlled": "ErrorControlled",
    "selectors.fcbf": "FCBF",
    "selectors.fisher": "FisherScore",
    "selectors.gso": "GSO",
    "selectors.lasso": "LassoPath",
    "selectors.mrmr": "MRMR",
    "selectors.nmifs": "NMIFS",
    "selectors.relief": "MultiSURF Relief ReliefF",
    "selectors.rfs": "difficulty_ratio RFS",
    "selectors.rrct": "RRCT",
    "selectors.rrfs": "RRFS",
    "selectors.s3f": "S3F",
    "selectors.sfslw": "SFSLW",
    "selectors.spectral": "LaplacianScore SPEC",
    "selectors.svmrfe": "SVMRFE",
    "selectors.two_stage": "GBC MRMRGA",
    "selectors.univariate": "Univariate",
}
_EXPORTS = {
    name: f"thresher.{module}"
    for _, name, module in sorted(
        (name.lower(), name, module) for module, own in _NAMES.items() for name in own.split()
    )
}
# Public modules, loaded in the same way.
_MODULES = ("datasets", "discretize", "evaluate", "measures", "plots", "pp", "report")

__all__ = [*_EXPORTS, *_MODULES, "__version__"]


if TYPE_CHECKING:  # the same names for type checkers; a test holds the two lists together
    from thresher import datasets as datasets
    from thresher import discretize as discretize
    from thresher import evaluate as evaluate
    from thresher import measures as measures
    from thresher import plots as plots
    from thresher import pp as pp
    from thresher import report as report
    from thresher._checks import ThresherWarning as ThresherWarning
    from thresher._versions import show_versions as show_versions
    from thresher.discretize import EqualFrequencyBins as EqualFrequencyBins
    from thresher.discretize import EqualWidthBins as EqualWidthBins
    from thresher.discretize import GivenBins as GivenBins
    from thresher.discretize import MDLBins as MDLBins
    from thresher.discretize import MeanSdBins as MeanSdBins
    from thresher.selectors.cfs import CFS as CFS
    from thresher.selectors.chain import Chain as Chain
    from thresher.selectors.cmi import CMIFilter as CMIFilter
    from thresher.selectors.consistency import ABB as ABB
    from thresher.selectors.consistency import ASDCC as ASDCC
    from thresher.selectors.consistency import CWC as CWC
    from thresher.selectors.consistency import INTERACT as INTERACT
    from thresher.selectors.consistency import LCC as LCC
    from thresher.selectors.consistency import LVF as LVF
    from thresher.selectors.consistency import QBB as QBB
    from thresher.selectors.consistency import SALCC as SALCC
    from thresher.selectors.consistency import SDCC as SDCC
    from thresher.selectors.consistency import SWCFS as SWCFS
    from thresher.selectors.consistency import Focus as Focus
    from thresher.selectors.consistency import SetCover as SetCover
    from thresher.selectors.criteria import CIFE as CIFE
    from thresher.selectors.criteria import CMIM as CMIM
    from thresher.selectors.criteria import DISR as DISR
    from thresher.selectors.criteria import ICAP as ICAP
    from thresher.selectors.criteria import JMI as JMI
    from thresher.selectors.criteria import JMIM as JMIM
    from thresher.selectors.criteria import MIM as MIM
    from thresher.selectors.ensemble import Ensemble as Ensemble
    from thresher.selectors.error_controlled import ErrorControlled as ErrorControlled
    from thresher.selectors.fcbf import FCBF as FCBF
    from thresher.selectors.fisher import FisherScore as FisherScore
    from thresher.selectors.gso import GSO as GSO
    from thresher.selectors.lasso import LassoPath as LassoPath
    from thresher.selectors.mrmr import MRMR as MRMR
    from thresher.selectors.nmifs import NMIFS as NMIFS
    from thresher.selectors.relief import MultiSURF as MultiSURF
    from thresher.selectors.relief import Relief as Relief
    from thresher.selectors.relief import ReliefF as ReliefF
    from thresher.selectors.rfs import RFS as RFS
    from thresher.selectors.rfs import difficulty_ratio as difficulty_ratio
    from thresher.selectors.rrct import RRCT as RRCT
    from thresher.selectors.rrfs import RRFS as RRFS
    from thresher.selectors.s3f import S3F as S3F
    from thresher.selectors.sfslw import SFSLW as SFSLW
    from thresher.selectors.spectral import SPEC as SPEC
    from thresher.selectors.spectral import LaplacianScore as LaplacianScore
    from thresher.selectors.svmrfe import SVMRFE as SVMRFE
    from thresher.selectors.two_stage import GBC as GBC
    from thresher.selectors.two_stage import MRMRGA as MRMRGA
    from thresher.selectors.univariate import Univariate as Univariate
else:

    def __getattr__(name: str) -> Any:
        if name in _EXPORTS:
            return getattr(_load(_EXPORTS[name]), name)
        if name in _MODULES:
            return _load(f"thresher.{name}")
        raise AttributeError(f"module 'thresher' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)

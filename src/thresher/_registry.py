"""All public names, and one entry per selector. Every list of selectors is generated from these entries.

This module imports the standard library only, because `import thresher` reads it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

# Tasks: headings of the API reference.
NO_REPEATS = "Choose relevant features without redundancy"
RANKING = "Rank features one by one"
NO_LABELS = "Choose without labels"
TOGETHER = "Find features that matter only in combination"
ESTIMATOR = "Find the set on which an estimator scores best"
STABLE = "Make a selection stable, or bound its errors"
IN_A_ROW = "Run selectors one after another"

# The features that a selector accepts.
ANY, CODES, NUMBERS = "any", "discrete; numeric binned", "numeric"

# Cost with n samples, p features and k selected ones. `n_evaluations_` counts the pairs, usually much fewer than k p.
PAIRS = "n per pair"
TRIPLES = "n per pair with y"
RELEVANCE = "n p"
STEPS = "n p k"
NEIGHBOURS = "n² p"
RISKS = "n p, then n per risk"
EXACT = "exponential in p"
FITS = "fits of the estimator"


class Entry(NamedTuple):
    """Facts of a selector that its class does not contain.

    Attributes
    ----------
    name : str
        The public class. In lower case it is the method of the command line.
    module : str
        The module of the class, below ``thresher``.
    task : str
        The heading in the API reference.
    advice : str
        When to use it, in one line.
    data : str
        The features it accepts: `ANY`, `CODES` or `NUMBERS`.
    cost : str
    wraps : bool
        Whether it wraps other selectors, so that it is not a method of the command line.
    number, missing : str
        How the number of features is found, and the values of `missing`, if the class does not declare them.
    """

    name: str
    module: str
    task: str
    advice: str = ""
    data: str = CODES
    cost: str = ""
    wraps: bool = False
    number: str = ""
    missing: str = ""


# When to use a method: `thresher methods` and the table of selectors show these lines.
_ADVICE = {
    "MRMR": "the first to try: relevant, non-redundant features from any data, fast",
    "JMI": "like mrmr, but with joint information of feature pairs; discrete data, many samples",
    "JMIM": "like jmi, but scored by the least informative pair: strict against redundancy",
    "CMIM": "adds information to every single selected feature; good with binary features",
    "DISR": "joint information over joint entropy: does not favour features with many values",
    "CIFE": "information less redundancy, plus redundancy within classes; few features only",
    "ICAP": "like mrmr, but without a penalty for redundancy that separates classes",
    "MIM": "ranking by mutual information alone: the fastest, redundant features included",
    "NMIFS": "mrmr with redundancy scaled by entropies: for features with different numbers of values",
    "CFS": "the set with the best merit, of any size; discrete data",
    "FCBF": "drops features that a better one predicts; wide discrete data, stops by itself",
    "CMIFilter": "one pass by conditional information; few features, stops by itself",
    "RRCT": "numeric features, numeric target or two classes: joint relevance by correlations",
    "GSO": "numeric features: the largest partial correlation, step by step",
    "LassoPath": "numeric features: the order in which they enter a linear model",
    "Univariate": "ranking by one test with p-values: which features matter individually",
    "FisherScore": "ranking of numeric features by the distance of class means",
    "ReliefF": "ranking by nearest samples: finds features that matter only in combination",
    "Relief": "the original form of relieff, for two classes",
    "MultiSURF": "relieff without a parameter for neighbours; a few hundred samples",
    "SVMRFE": "numeric features, few samples: those that a linear classifier needs",
    "RFS": "very wide data: a first filter by dispersion, without labels",
    "RRFS": "very wide data: a first filter that also drops near copies",
    "S3F": "clusters of features, two from each: an overview of the data",
    "SFSLW": "numeric features that separate classes, stops by itself",
    "LaplacianScore": "no labels: features that vary little between neighbours",
    "SPEC": "without or with labels: features that fit the graph of neighbours",
    "GBC": "a small set on which a given classifier is best, by many fits",
    "MRMRGA": "like gbc, by a genetic algorithm",
    "CWC": "discrete data: the fewest features that still separate all classes",
    "LCC": "like cwc, but allows a share of errors: robust to noise",
    "SDCC": "like lcc with a wider search: smaller sets, more time",
    "ASDCC": "sdcc, accelerated by relevances",
    "SWCFS": "asdcc in a sliding window: for many features",
    "SALCC": "lcc with the share of errors tuned by a classifier",
    "INTERACT": "discrete data: keeps features that matter only in combination",
    "SetCover": "discrete data: each feature separates most of the remaining pairs",
    "LVF": "few discrete features: random sets of decreasing size",
    "QBB": "lvf, then an exact search in its result",
    "ABB": "few discrete features: the smallest set exactly, by removal",
    "Focus": "few discrete features: the smallest set exactly, by addition",
}
# In the order of `thresher methods`: the first to try comes first.
_ENTRIES = (
    Entry("MRMR", "selectors.mrmr", NO_REPEATS, _ADVICE["MRMR"], ANY, PAIRS),
    Entry("JMI", "selectors.criteria", NO_REPEATS, _ADVICE["JMI"], CODES, TRIPLES),
    Entry("JMIM", "selectors.criteria", NO_REPEATS, _ADVICE["JMIM"], CODES, TRIPLES),
    Entry("CMIM", "selectors.criteria", NO_REPEATS, _ADVICE["CMIM"], CODES, TRIPLES),
    Entry("DISR", "selectors.criteria", NO_REPEATS, _ADVICE["DISR"], CODES, TRIPLES),
    Entry("CIFE", "selectors.criteria", NO_REPEATS, _ADVICE["CIFE"], CODES, TRIPLES),
    Entry("ICAP", "selectors.criteria", NO_REPEATS, _ADVICE["ICAP"], CODES, TRIPLES),
    Entry("MIM", "selectors.criteria", RANKING, _ADVICE["MIM"], CODES, RELEVANCE),
    Entry("NMIFS", "selectors.nmifs", NO_REPEATS, _ADVICE["NMIFS"], CODES, PAIRS),
    Entry("CFS", "selectors.cfs", NO_REPEATS, _ADVICE["CFS"], CODES, PAIRS),
    Entry("FCBF", "selectors.fcbf", NO_REPEATS, _ADVICE["FCBF"], CODES, PAIRS),
    Entry("CMIFilter", "selectors.cmi", NO_REPEATS, _ADVICE["CMIFilter"], CODES, RELEVANCE),
    Entry("RRCT", "selectors.rrct", NO_REPEATS, _ADVICE["RRCT"], NUMBERS, STEPS),
    Entry("GSO", "selectors.gso", NO_REPEATS, _ADVICE["GSO"], NUMBERS, STEPS),
    Entry("LassoPath", "selectors.lasso", NO_REPEATS, _ADVICE["LassoPath"], NUMBERS, STEPS),
    Entry(
        "Univariate",
        "selectors.univariate",
        RANKING,
        _ADVICE["Univariate"],
        ANY,
        RELEVANCE,
        number="given or by p-value",
        missing="category (discrete measures), drop_rows",
    ),
    Entry("FisherScore", "selectors.fisher", RANKING, _ADVICE["FisherScore"], NUMBERS, RELEVANCE),
    Entry("ReliefF", "selectors.relief", RANKING, _ADVICE["ReliefF"], ANY, NEIGHBOURS),
    Entry("Relief", "selectors.relief", RANKING, _ADVICE["Relief"], ANY, NEIGHBOURS),
    Entry("MultiSURF", "selectors.relief", RANKING, _ADVICE["MultiSURF"], ANY, NEIGHBOURS),
    Entry("SVMRFE", "selectors.svmrfe", RANKING, _ADVICE["SVMRFE"], NUMBERS, "n² + n p per round"),
    Entry("RFS", "selectors.rfs", NO_LABELS, _ADVICE["RFS"], NUMBERS, RELEVANCE),
    Entry("RRFS", "selectors.rrfs", NO_LABELS, _ADVICE["RRFS"], NUMBERS, RELEVANCE),
    Entry("S3F", "selectors.s3f", NO_REPEATS, _ADVICE["S3F"], CODES, "n p² at worst"),
    Entry("SFSLW", "selectors.sfslw", RANKING, _ADVICE["SFSLW"], NUMBERS, "n p per step"),
    Entry(
        "LaplacianScore",
        "selectors.spectral",
        NO_LABELS,
        _ADVICE["LaplacianScore"],
        NUMBERS,
        NEIGHBOURS,
    ),
    Entry("SPEC", "selectors.spectral", NO_LABELS, _ADVICE["SPEC"], NUMBERS, "n² p; `phi3` n³"),
    Entry("GBC", "selectors.two_stage", ESTIMATOR, _ADVICE["GBC"], ANY, FITS),
    Entry("MRMRGA", "selectors.two_stage", ESTIMATOR, _ADVICE["MRMRGA"], ANY, FITS),
    Entry("CWC", "selectors.consistency", TOGETHER, _ADVICE["CWC"], CODES, RISKS),
    Entry("LCC", "selectors.consistency", TOGETHER, _ADVICE["LCC"], CODES, RISKS),
    Entry("SDCC", "selectors.consistency", TOGETHER, _ADVICE["SDCC"], CODES, RISKS),
    Entry("ASDCC", "selectors.consistency", TOGETHER, _ADVICE["ASDCC"], CODES, RISKS),
    Entry("SWCFS", "selectors.consistency", TOGETHER, _ADVICE["SWCFS"], CODES, RISKS),
    Entry("SALCC", "selectors.consistency", TOGETHER, _ADVICE["SALCC"], CODES, FITS),
    Entry("INTERACT", "selectors.consistency", TOGETHER, _ADVICE["INTERACT"], CODES, RISKS),
    Entry("SetCover", "selectors.consistency", TOGETHER, _ADVICE["SetCover"], CODES, RISKS),
    Entry("LVF", "selectors.consistency", TOGETHER, _ADVICE["LVF"], CODES, RISKS),
    Entry("QBB", "selectors.consistency", TOGETHER, _ADVICE["QBB"], CODES, EXACT),
    Entry("ABB", "selectors.consistency", TOGETHER, _ADVICE["ABB"], CODES, EXACT),
    Entry("Focus", "selectors.consistency", TOGETHER, _ADVICE["Focus"], CODES, EXACT),
    Entry("Ensemble", "selectors.ensemble", STABLE, wraps=True),
    Entry("ErrorControlled", "selectors.error_controlled", STABLE, wraps=True),
    Entry("Chain", "selectors.chain", IN_A_ROW, wraps=True),
)

# Other public names by the module that defines them.
_OTHERS = {
    "_utils.checks": "ThresherWarning",
    "_utils.versions": "show_versions",
    "discretize": "EqualFrequencyBins EqualWidthBins GivenBins MDLBins MeanSdBins",
    "selectors.rfs": "difficulty_ratio",
}
# Public modules.
MODULES = ("datasets", "discretize", "evaluate", "measures", "plots", "pp", "report")


def by_name(entries: Iterable[Entry]) -> dict[str, Entry]:
    """Return the entries by name; raise ValueError for two equal names, ignoring case."""
    named: dict[str, Entry] = {}
    for entry in entries:
        if entry.name.lower() in {name.lower() for name in named}:
            raise ValueError(f"two selectors are named {entry.name!r}. Rename one of them")
        named[entry.name] = entry
    return named


def _public_names() -> dict[str, str]:
    modules = {name: module for module, names in _OTHERS.items() for name in names.split()}
    for entry in SELECTORS.values():
        if entry.name in modules:
            raise ValueError(f"{entry.name!r} is public already. Rename the selector")
        modules[entry.name] = entry.module
    return {name: f"thresher.{modules[name]}" for name in sorted(modules, key=str.lower)}


SELECTORS = by_name(_ENTRIES)
# Public names of `thresher` and their modules.
PUBLIC = _public_names()

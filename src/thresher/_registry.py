"""All public names, and one entry per selector. Every list of selectors is made from these entries.

Imports nothing but the standard library, because `import thresher` reads it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

# Tasks: headings of the API reference.
NO_REPEATS = "Choose features that do not repeat each other"
RANKING = "Rank features one by one"
NO_LABELS = "Choose without labels"
TOGETHER = "Find features that matter only together"
ESTIMATOR = "Find the set on which an estimator does best"
STABLE = "Make a selection stable, or sure"
IN_A_ROW = "Put selectors in a row"

# Which features a selector takes.
ANY, CODES, NUMBERS = "any", "codes; numbers binned", "numbers"

# Cost with n samples, p features and k chosen. Pairs are counted by `n_evaluations_`: mostly far fewer than k p.
PAIRS = "n per pair"
TRIPLES = "n per pair with y"
RELEVANCE = "n p"
STEPS = "n p k"
NEIGHBOURS = "n² p"
RISKS = "n p, then n per risk"
EXACT = "exponential in p"
FITS = "fits of the estimator"


class Entry(NamedTuple):
    """What is known about a selector beside its class.

    Attributes
    ----------
    name : str
        The public class. In lower case, the method of the command line.
    module : str
        The module of the class, below ``thresher``.
    task : str
        Its heading in the API reference.
    advice : str
        When to take it.
    data : str
        Which features it takes: `ANY`, `CODES` or `NUMBERS`.
    cost : str
    wraps : bool
        It selects by other selectors, so it is no method of the command line.
    number, missing : str
        Who finds the number of features, and which values of `missing` there are, where the class cannot say.
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


# When to take a method, in one line: `thresher methods` and the table of selectors show it.
_ADVICE = {
    "MRMR": "the first to try: relevant features that do not repeat each other, from any data, fast",
    "JMI": "like mrmr, but counts what features tell together; many samples of discrete data",
    "JMIM": "like jmi, judged by the worst partner: strict against repeats",
    "CMIM": "takes what tells most beside the best partner; good with binary features",
    "DISR": "joint information over joint entropy: does not favour features with many values",
    "CIFE": "information less redundancy, plus redundancy within classes; few features only",
    "ICAP": "like mrmr, but redundancy that helps to tell classes is forgiven",
    "MIM": "ranking by mutual information alone: the quickest, repeats included",
    "NMIFS": "mrmr with redundancy scaled by entropies: mixed numbers of values",
    "CFS": "a set with the best merit, its size found by itself; discrete data",
    "FCBF": "drops whatever a better feature predicts; wide discrete data, stops by itself",
    "CMIFilter": "one pass by conditional information; few features, stops by itself",
    "RRCT": "numbers with a numeric target or two classes: what features tell together, by correlations",
    "GSO": "numbers: the largest partial correlation, step by step",
    "LassoPath": "numbers: the order in which a linear model takes features",
    "Univariate": "ranking by one test with p-values: which features matter each on its own",
    "FisherScore": "ranking of numbers by distance of the class means",
    "ReliefF": "ranking by near samples: finds features that act only together",
    "Relief": "the original of relieff, for two classes",
    "MultiSURF": "relieff without a number of neighbours to choose; few hundred samples",
    "SVMRFE": "numbers, few samples: what a linear classifier needs",
    "RFS": "very wide data: the most scattered features, without labels, as a first cut",
    "RRFS": "very wide data: first cut that also drops near copies",
    "S3F": "clusters of features, two from each: a map of what there is",
    "SFSLW": "numbers: features that move classes apart, stops by itself",
    "LaplacianScore": "no labels: features that vary smoothly among neighbours",
    "SPEC": "no labels or some: features that fit the shape of the data",
    "GBC": "a small set on which a given classifier does best, by many fits of it",
    "MRMRGA": "like gbc, by a genetic algorithm",
    "CWC": "discrete data: the fewest features that still tell all classes apart",
    "LCC": "like cwc, but allows a share of mistakes, so noise does no harm",
    "SDCC": "like lcc with a wider search: smaller sets, more time",
    "ASDCC": "sdcc made faster by relevances",
    "SWCFS": "asdcc in a sliding window: for many features",
    "SALCC": "lcc with the allowed mistakes tuned by a classifier",
    "INTERACT": "discrete data: keeps features that act only together",
    "SetCover": "discrete data: each feature separates most of the pairs that are left",
    "LVF": "few discrete features: random sets, smaller and smaller",
    "QBB": "lvf, then an exact search inside",
    "ABB": "few discrete features: the exact smallest set, from above",
    "Focus": "few discrete features: the exact smallest set, from below",
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
        missing="category (measures of codes), drop_rows",
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
    """Return the entries by name; raise ValueError for two of one name, whether in upper or lower case."""
    named: dict[str, Entry] = {}
    for entry in entries:
        if entry.name.lower() in {name.lower() for name in named}:
            raise ValueError(
                f"two selectors are named {entry.name!r}; give one of them another name"
            )
        named[entry.name] = entry
    return named


def _public_names() -> dict[str, str]:
    modules = {name: module for module, names in _OTHERS.items() for name in names.split()}
    for entry in SELECTORS.values():
        if entry.name in modules:
            raise ValueError(f"{entry.name!r} is public already; give the selector another name")
        modules[entry.name] = entry.module
    return {name: f"thresher.{modules[name]}" for name in sorted(modules, key=str.lower)}


SELECTORS = by_name(_ENTRIES)
# Public names of `thresher` and their modules.
PUBLIC = _public_names()

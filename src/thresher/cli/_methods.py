"""The methods by their names on the command line, and the selectors they stand for. Loads nothing heavy itself."""

from __future__ import annotations

import difflib
import inspect
from typing import TYPE_CHECKING, Any

import thresher
from thresher._params import options_of
from thresher.cli._errors import BadInput

if TYPE_CHECKING:
    from thresher.cli._options import Wish
    from thresher.cli._read import Data

# Class -> when to take it, where its first sentence does not say so. The name on the command line is the class in
# lower case.
WHY = {
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
# Generators of data sets, and what they are for.
GENERATORS = {
    "make_tied": "equally good features in groups",
    "make_xor": "features that tell nothing alone",
    "make_artificial1": "a numeric target",
    "make_friedman_collinear": "a numeric target, curved",
    "make_microarray": "genes in blocks and batches",
    "make_text": "sparse counts of words",
    "make_dorothea_like": "very many sparse bits",
}
# Where the class does not say all.
OTHERWISE = {
    "Univariate": {"k": "given or by p-value", "missing": "category (measures of codes), drop_rows"}
}
_AROUND_OTHERS = ("Chain", "Ensemble", "ErrorControlled")
METHODS = {
    name.lower(): name
    for name, module in thresher._EXPORTS.items()
    if module.startswith("thresher.selectors") and name[0].isupper() and name not in _AROUND_OTHERS
}


def method_class(method: str) -> Any:
    """The selector class of a method."""
    name = METHODS.get(method.lower())
    if name is None:
        nearest = difflib.get_close_matches(method.lower(), METHODS, n=1)
        hint = f"did you mean {nearest[0]}? " if nearest else ""
        raise BadInput(f"--method {method[:60]}: {hint}`thresher methods` lists all there are")
    return getattr(thresher, name)


def needs_target(method: str) -> bool:
    """Whether a method cannot do without labels."""
    return bool(method_class(method)()._needs_target)


def build(wish: Wish, data: Data, k: Any = None) -> Any:
    """The selector that the options ask for; one that it has no parameter for is refused."""
    cls, options = method_class(wish.method), wish.options
    wanted = {
        "n_features_to_select": (k, "-k", "it finds the number by itself"),
        "keep": (data.places("keep", wish.keep), "--keep", "it takes no feature for granted"),
        "missing": (options.missing, "--missing", "fill the values in"),
        "target": (options.target_kind, "--target-kind", "it knows one kind of target"),
    }
    known = set(inspect.signature(cls).parameters)
    parameters: dict[str, Any] = {}
    for parameter, (value, option, remedy) in wanted.items():
        if value is None:
            continue
        if parameter not in known:
            raise BadInput(f"{option} is not for {wish.method}: {remedy}")
        parameters[parameter] = value
    general = {"random_state": options.seed, "n_jobs": options.jobs}
    selector = cls(**parameters, **{name: general[name] for name in general if name in known})
    if options.ensemble is None:
        return selector
    from thresher.selectors._filter import FilterSelector

    kind: Any = "fast" if isinstance(selector, FilterSelector) else "full"
    return thresher.Ensemble(
        selector, options.ensemble, kind=kind, random_state=options.seed, n_jobs=options.jobs
    )


def describe_methods() -> list[dict[str, Any]]:
    """What there is, for which data, and why."""
    from thresher.selectors._filter import FilterSelector

    rows = []
    order = {name: place for place, name in enumerate(WHY)}
    for method, name in sorted(METHODS.items(), key=lambda item: order.get(item[1], len(order))):
        cls = getattr(thresher, name)
        known = inspect.signature(cls).parameters
        counts = "n_features_to_select" in known
        selector = cls()
        rows.append(
            {
                "method": method,
                "target": "none"
                if not selector._needs_target
                else ("classes" if cls._classes_only else "classes, numbers"),
                "sparse": bool(cls._takes_sparse),
                "missing": ", ".join(m for m in options_of(cls, "missing") if m != "error") or "no",
                "k": "itself"
                if not counts
                else ("given or itself" if _stops(selector) else "given"),
                "ensemble": "one pass" if issubclass(cls, FilterSelector) else "refits",
                "why": WHY.get(name) or (cls.__doc__ or "").partition("\n")[0],
                **OTHERWISE.get(name, {}),
            }
        )
    return rows


def _stops(selector: Any) -> bool:
    return bool(selector._stops_by_itself or selector.n_features_to_select == "auto")


def number_option(selector: Any) -> str:
    """Who finds the number of features: ``"itself"``, ``"auto"`` (if asked to), or ``"caller"``."""
    if not hasattr(selector, "n_features_to_select"):
        return "itself"
    return "auto" if _stops(selector) else "caller"

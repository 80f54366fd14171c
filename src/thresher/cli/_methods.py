"""The methods by their names on the command line, and the selectors they stand for. Loads nothing heavy itself."""

from __future__ import annotations

import difflib
import inspect
from typing import TYPE_CHECKING, Any

import thresher
from thresher._registry import PUBLIC, SELECTORS
from thresher.cli._errors import BadInput

if TYPE_CHECKING:
    from thresher.cli._input import Data
    from thresher.cli._options import Wish

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
# Names on the command line, in the order of the alphabet.
METHODS = {name.lower(): name for name in PUBLIC if name in SELECTORS and not SELECTORS[name].wraps}


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
    from thresher._utils.params import options_of
    from thresher.selectors._filter import FilterSelector

    rows = []
    for entry in SELECTORS.values():
        if entry.wraps:
            continue
        cls = getattr(thresher, entry.name)
        known = inspect.signature(cls).parameters
        counts = "n_features_to_select" in known
        selector = cls()
        rows.append(
            {
                "method": entry.name.lower(),
                "target": "none"
                if not selector._needs_target
                else ("classes" if cls._classes_only else "classes, numbers"),
                "sparse": bool(cls._takes_sparse),
                "missing": entry.missing
                or ", ".join(m for m in options_of(cls, "missing") if m != "error")
                or "no",
                "k": entry.number
                or (
                    "itself" if not counts else ("given or itself" if _stops(selector) else "given")
                ),
                "ensemble": "one pass" if issubclass(cls, FilterSelector) else "refits",
                "why": entry.advice,
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

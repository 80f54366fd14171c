"""Methods and options of the commands."""

from __future__ import annotations

import csv
import difflib
import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, get_type_hints

from typer import Argument, Option

import thresher
from thresher._registry import PUBLIC, SELECTORS
from thresher.cli._errors import BadInput, sentences

if TYPE_CHECKING:
    from thresher._utils.types import Estimator as SklearnEstimator
    from thresher._utils.types import Values
    from thresher.cli._input import Data
    from thresher.cli._output import Console

# Generators of data sets, each with a description.
GENERATORS = {
    "make_tied": "equally good features in groups",
    "make_xor": "features that are informative only in combination",
    "make_artificial1": "a numeric target",
    "make_friedman_collinear": "a numeric target, nonlinear",
    "make_microarray": "genes in blocks and batches",
    "make_text": "sparse counts of words",
    "make_dorothea_like": "very many sparse bits",
}
# Methods by their names on the command line, in alphabetical order.
METHODS = {name.lower(): name for name in PUBLIC if name in SELECTORS and not SELECTORS[name].wraps}


def method_class(method: str) -> Callable[..., SklearnEstimator]:
    """Return the selector class of a method."""
    name = METHODS.get(method.lower())
    if name is None:
        nearest = difflib.get_close_matches(method.lower(), METHODS, n=1)
        hint = f"; did you mean {nearest[0]}?" if nearest else "."
        raise BadInput(
            f"--method {method[:60]}: there is no such method{hint} `thresher methods` lists all methods"
        )
    selector_class: Callable[..., SklearnEstimator] = getattr(thresher, name)
    return selector_class


def needs_target(method: str) -> bool:
    """Return whether a method requires labels."""
    return bool(method_class(method)()._needs_target)


def build(request: SelectionRequest, data: Data, k: int | str | None = None) -> SklearnEstimator:
    """Return the selector with the parameters of the request; reject an option that it does not have."""
    cls, options = method_class(request.method), request.options
    keep = data.positions("--keep", request.keep)
    given = {
        "n_features_to_select": (k, "-k", "Remove it: the method finds the number by itself"),
        "keep": (keep, "--keep", "Remove it: the method has no forced-in features"),
        "missing": (options.missing, "--missing", "Fill in the missing values"),
        "target": (
            options.target_kind,
            "--target-kind",
            "Remove it: the method has one kind of target",
        ),
    }
    known = set(inspect.signature(cls).parameters)
    parameters: Values = {}
    for parameter, (value, option, remedy) in given.items():
        if value is None:
            continue
        if parameter not in known:
            raise BadInput(f"{option} cannot be used with {request.method}. {remedy}")
        parameters[parameter] = value
    general = {"random_state": options.seed, "n_jobs": options.jobs}
    selector = cls(**parameters, **{name: general[name] for name in general if name in known})
    if options.ensemble is None:
        return selector
    from thresher.selectors._filter import FilterSelector

    kind: Literal["fast", "full"] = "fast" if isinstance(selector, FilterSelector) else "full"
    return thresher.Ensemble(
        selector, options.ensemble, kind=kind, random_state=options.seed, n_jobs=options.jobs
    )


def describe_methods() -> list[Values]:
    """Return the methods with the data that they accept and advice, one row each."""
    from thresher._utils.params import options_of
    from thresher.selectors._filter import FilterSelector

    rows = []
    for entry in SELECTORS.values():
        if entry.wraps:
            continue
        selector = method_class(entry.name)()
        target = "classes" if selector._classes_only else "classes, numbers"
        missing = ", ".join(m for m in options_of(selector, "missing") if m != "error")
        rows.append(
            {
                "method": entry.name.lower(),
                "target": target if selector._needs_target else "none",
                "sparse": selector._takes_sparse,
                "missing": entry.missing or missing or "no",
                "k": entry.number or _NUMBERS[number_option(selector)],
                "ensemble": "one pass" if isinstance(selector, FilterSelector) else "refits",
                "why": entry.advice,
            }
        )
    return rows


# How `thresher methods` describes who sets the number of features.
_NUMBERS = {"itself": "itself", "auto": "given or itself", "caller": "given"}


def number_option(selector: SklearnEstimator) -> str:
    """Return who sets the number of features: ``"itself"``, ``"auto"`` (if requested) or ``"caller"``."""
    if not hasattr(selector, "n_features_to_select"):
        return "itself"
    stops = selector._stops_by_itself or selector.n_features_to_select == "auto"
    return "auto" if stops else "caller"


def _completing(known: Iterable[str]) -> Callable[[str], list[str]]:
    """Return a function that completes the last item of a list separated by commas."""

    def complete(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        return [before + comma + name for name in known if name.startswith(last)]

    return complete


def _check_choice(option: str, value: str | None, known: Sequence[str]) -> None:
    if value is not None and value not in known:
        raise BadInput(f"{option} must be one of {', '.join(known)}, got {value[:60]!r}")


def _check_minimum(option: str, value: int | None, minimum: int) -> None:
    if value is not None and value < minimum:
        raise BadInput(f"{option} must be at least {minimum}, got {value}")


File = Annotated[
    Path,
    Argument(
        metavar="FILE",
        help="The table: CSV, TSV, Parquet, Arrow, Feather, .npz, .mat, ARFF, SVMlight or .h5ad. Text may be "
        "compressed: .gz, .bz2, .zst.",
    ),
]
Files = Annotated[
    list[Path], Argument(metavar="FILE...", help="One or more tables with the same target.")
]
_method = functools.partial(Option, "--method", "-m", autocompletion=_completing(METHODS))
Method = Annotated[str, _method(help="Method to select by; `thresher methods` lists them.")]
Methods = Annotated[str, _method(help="Methods to evaluate, separated by commas.")]
Number = Annotated[
    str | None,
    Option("-k", help="Number of features, or auto (see above); default: that of the method."),
]
Sizes = Annotated[
    str | None,
    Option(
        "-k", help="Numbers of features, separated by commas; default: 5,10,20, up to all features."
    ),
]
Keep = Annotated[str, Option(help="Features to select first, separated by commas; default: none.")]
_KINDS = ("nominal", "numeric")
_MISSING = ("error", "category", "pairwise", "drop_rows", "expected")
_estimator = functools.partial(
    Option, autocompletion=_completing(("logistic", "bayes", "neighbours", "forest", "ridge"))
)
_NAMES = "forest, logistic, bayes, neighbours; for a numeric target forest, ridge, neighbours."
Estimator = Annotated[str, _estimator(help=f"Estimator that uses the features: {_NAMES}")]
Estimators = Annotated[
    str,
    _estimator(
        help=f"Estimators that score the features, separated by commas: {_NAMES} Default: logistic, or ridge."
    ),
]
Memory = Annotated[
    str | None,
    Option(
        help="Memory to use, such as 2GB; default: a quarter of the machine's. The rows of a larger table stay in "
        "the file."
    ),
]
Generator = Annotated[
    str | None,
    Argument(
        help="Data set to generate; default: list all data sets.",
        autocompletion=_completing(GENERATORS),
    ),
]
Page = Annotated[Path, Option("--out", "-o", help="HTML file to write, .html.")]
Seed = Annotated[int, Option(help="Seed of all random numbers.")]
Force = Annotated[bool, Option("--force", help="Overwrite existing files.")]
Json = Annotated[bool, Option("--json", help="Print JSON to the standard output.")]


@dataclass(frozen=True)
class InputOptions:
    """Options for the input and the resources of a command."""

    target: Annotated[
        str | None,
        Option(
            "--target",
            "-t",
            help="Column to predict (.h5ad: a column of obs; .npz, .mat: an array); default: "
            "the labels of an SVMlight file.",
        ),
    ] = None
    target_kind: Annotated[
        str | None,
        Option(
            help="Kind of the target: nominal (classes) or numeric; default: inferred from its values.",
            autocompletion=_completing(_KINDS),
        ),
    ] = None
    exclude: Annotated[
        str,
        Option(
            help="Columns that are not features, such as ids, separated by commas; default: none."
        ),
    ] = ""
    sample: Annotated[
        int | None,
        Option(help="Number of rows to draw at random and read into memory; default: all rows."),
    ] = None
    seed: Seed = 0
    jobs: Annotated[
        int | None,
        Option(
            "--jobs", "-j", help="Number of threads or processes; -1: all processors; default: 1."
        ),
    ] = None

    def __post_init__(self) -> None:
        _check_minimum("--seed", self.seed, 0)
        _check_minimum("--sample", self.sample, 2)
        _check_choice("--target-kind", self.target_kind, _KINDS)


@dataclass(frozen=True)
class SelectionOptions(InputOptions):
    """Options for the input and for selectors of all methods."""

    ensemble: Annotated[
        int | None,
        Option(
            help="Number of parts of the rows, such as 20: select without each part, then vote; default: no ensemble."
        ),
    ] = None
    missing: Annotated[
        str | None,
        Option(
            help="Treatment of missing values: error, category, pairwise, drop_rows or "
            "expected, if the method supports it; default: error.",
            autocompletion=_completing(_MISSING),
        ),
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_minimum("--ensemble", self.ensemble, 2)
        _check_choice("--missing", self.missing, _MISSING)

    def request(self, method: str, k: str | None = None, keep: str = "") -> SelectionRequest:
        """Return the request for one method."""
        return SelectionRequest(method, k, tuple(split(keep)), self)

    def requests(self, methods: str) -> list[SelectionRequest]:
        """Return the requests for several methods, separated by commas."""
        return [self.request(method) for method in split(methods)]


@dataclass(frozen=True)
class SelectionRequest:
    """A method with the options of its selection."""

    method: str
    k: str | None
    keep: tuple[str, ...]
    options: SelectionOptions


@dataclass(frozen=True)
class OutputOptions:
    """Options for the output of a command."""

    out: Annotated[
        Path | None,
        Option(
            "--out",
            "-o",
            help="File for the result: .json, .csv or .parquet (datasets: .csv, .parquet or .npz).",
        ),
    ] = None
    force: Force = False
    quiet: Annotated[
        bool,
        Option(
            "--quiet",
            "-q",
            help="Print no table, notes or progress; `select` prints only the names.",
        ),
    ] = False
    json: Json = False

    @functools.cached_property
    def console(self) -> Console:
        """The console with these options."""
        from thresher.cli._output import Console

        return Console(self.quiet, self.json)


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command for typer, with the fields of its dataclass parameters as separate options.

    Errors that the input causes end the program with one sentence.
    """
    kinds = get_type_hints(command, include_extras=True)
    groups: Values = {name: kind for name, kind in kinds.items() if is_dataclass(kind)}
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        kind = kinds[parameter.name]
        if parameter.name in groups:
            types = get_type_hints(kind, include_extras=True)
            parameters += [
                parameter.replace(name=f.name, annotation=types[f.name], default=f.default)
                for f in fields(kind)
            ]
        else:
            parameters.append(parameter.replace(annotation=kind))

    # --target is the first option in the help.
    parameters.sort(key=lambda parameter: (parameter.kind, parameter.name != "target"))

    @functools.wraps(command)
    def run(**given: object) -> None:
        with sentences():
            grouped = {
                name: kind(**{f.name: given.pop(f.name) for f in fields(kind)})
                for name, kind in groups.items()
            }
            command(**given, **grouped)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    return run


def split(text: str) -> list[str]:
    """Return the items of a list; a comma inside double quotes is part of a name."""
    items = next(csv.reader([text], skipinitialspace=True), [])
    return [item.strip() for item in items if item.strip()]

"""The methods of the command line, and its options."""

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


def method_class(method: str) -> Callable[..., SklearnEstimator]:
    """The selector class of a method."""
    name = METHODS.get(method.lower())
    if name is None:
        nearest = difflib.get_close_matches(method.lower(), METHODS, n=1)
        hint = f"did you mean {nearest[0]}? " if nearest else ""
        raise BadInput(f"--method {method[:60]}: {hint}`thresher methods` lists all there are")
    selector_class: Callable[..., SklearnEstimator] = getattr(thresher, name)
    return selector_class


def needs_target(method: str) -> bool:
    """Whether a method cannot do without labels."""
    return bool(method_class(method)()._needs_target)


def build(request: SelectionRequest, data: Data, k: int | str | None = None) -> SklearnEstimator:
    """The selector that the options ask for; one that it has no parameter for is refused."""
    cls, options = method_class(request.method), request.options
    wanted = {
        "n_features_to_select": (k, "-k", "it finds the number by itself"),
        "keep": (data.places("keep", request.keep), "--keep", "it takes no feature for granted"),
        "missing": (options.missing, "--missing", "fill the values in"),
        "target": (options.target_kind, "--target-kind", "it knows one kind of target"),
    }
    known = set(inspect.signature(cls).parameters)
    parameters: Values = {}
    for parameter, (value, option, remedy) in wanted.items():
        if value is None:
            continue
        if parameter not in known:
            raise BadInput(f"{option} is not for {request.method}: {remedy}")
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
    """What there is, for which data, and why."""
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


# What `thresher methods` calls those who find the number of features.
_NUMBERS = {"itself": "itself", "auto": "given or itself", "caller": "given"}


def number_option(selector: SklearnEstimator) -> str:
    """Who finds the number of features: ``"itself"``, ``"auto"`` (if asked to), or ``"caller"``."""
    if not hasattr(selector, "n_features_to_select"):
        return "itself"
    stops = selector._stops_by_itself or selector.n_features_to_select == "auto"
    return "auto" if stops else "caller"


def _completing(known: Iterable[str]) -> Callable[[str], list[str]]:
    """What completes the last item of a list separated by commas."""

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
        "-k", help="Numbers of features, separated by commas; default: those of 5,10,20 there are."
    ),
]
Keep = Annotated[str, Option(help="Features to select first, separated by commas; default: none.")]
_KINDS = ("nominal", "numeric")
_MISSING = ("error", "category", "pairwise", "drop_rows")
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
        help="Data set to generate. Omit it to list all.", autocompletion=_completing(GENERATORS)
    ),
]
Page = Annotated[Path, Option("--out", "-o", help="HTML file to write, .html.")]
Seed = Annotated[int, Option(help="Seed of all random numbers.")]
Force = Annotated[bool, Option("--force", help="Overwrite existing files.")]
Json = Annotated[bool, Option("--json", help="Print JSON to the standard output.")]


@dataclass(frozen=True)
class InputOptions:
    """What is read, and with which resources."""

    target: Annotated[
        str | None,
        Option(
            "--target",
            "-t",
            help="Column to predict (.h5ad: of obs; .npz, .mat: an array); default: the labels of SVMlight.",
        ),
    ] = None
    target_kind: Annotated[
        str | None,
        Option(
            help="Kind of the target: nominal (classes) or numeric; default: found from its values.",
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
    """How selectors of any method are made."""

    ensemble: Annotated[
        int | None,
        Option(
            help="Number of parts of the rows, such as 20: select without each part, then vote; default: no ensemble."
        ),
    ] = None
    missing: Annotated[
        str | None,
        Option(
            help="Treatment of missing values: error, category, pairwise or drop_rows, as far as the method has it; "
            "default: error.",
            autocompletion=_completing(_MISSING),
        ),
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_minimum("--ensemble", self.ensemble, 2)
        _check_choice("--missing", self.missing, _MISSING)

    def request(self, method: str, k: str | None = None, keep: str = "") -> SelectionRequest:
        """What a method is to select."""
        return SelectionRequest(method, k, tuple(split(keep)), self)

    def requests(self, methods: str) -> list[SelectionRequest]:
        """The same for several methods."""
        return [self.request(method) for method in split(methods)]


@dataclass(frozen=True)
class SelectionRequest:
    """What is to be selected, as the options say."""

    method: str
    k: str | None
    keep: tuple[str, ...]
    options: SelectionOptions


@dataclass(frozen=True)
class OutputOptions:
    """Where the result goes."""

    out: Annotated[
        Path | None,
        Option("--out", "-o", help="File to write the result to: .json, .csv or .parquet."),
    ] = None
    force: Force = False
    quiet: Annotated[
        bool,
        Option(
            "--quiet", "-q", help="Print no table, notes or progress. `select` prints names only."
        ),
    ] = False
    json: Json = False

    @functools.cached_property
    def console(self) -> Console:
        """How much is said."""
        from thresher.cli._output import Console

        return Console(self.quiet, self.json)


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """A command as typer knows it: each parameter that is a dataclass above becomes the options of its fields.

    What the input is to blame for ends the program with one sentence.
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

    # The target first, whatever group it is of.
    parameters.sort(key=lambda parameter: (parameter.kind, parameter.name != "target"))

    @functools.wraps(command)
    def run(**given: object) -> None:
        with sentences():
            gathered = {
                name: kind(**{f.name: given.pop(f.name) for f in fields(kind)})
                for name, kind in groups.items()
            }
            command(**given, **gathered)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    return run


def split(text: str) -> list[str]:
    """The items of a list; a comma inside double quotes belongs to a name."""
    items = next(csv.reader([text], skipinitialspace=True), [])
    return [item.strip() for item in items if item.strip()]

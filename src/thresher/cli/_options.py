"""The options of the commands, each in one place, and what a shell may complete of them."""

from __future__ import annotations

import csv
import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from thresher.cli._errors import BadInput, sentences
from thresher.cli._methods import GENERATORS, METHODS

if TYPE_CHECKING:
    from thresher.cli._output import Voice


def _completing(known: Iterable[str]) -> Callable[[str], list[str]]:
    """What completes the last item of a list separated by commas."""

    def complete(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        return [before + comma + name for name in known if name.startswith(last)]

    return complete


def _check_choice(option: str, value: str | None, known: Sequence[str]) -> None:
    if value is not None and value not in known:
        raise BadInput(f"{option} must be one of {', '.join(known)}, got {value[:60]!r}")


File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="CSV, TSV, Parquet, Arrow, Feather, .npz, .mat, ARFF, SVMlight or .h5ad; text also as .gz, .bz2, .zst.",
    ),
]
Files = Annotated[
    list[Path], typer.Argument(metavar="FILE...", help="One file or more with the same target.")
]
Method = Annotated[
    str,
    typer.Option(
        "--method",
        "-m",
        help="How to select; `thresher methods` lists all.",
        autocompletion=_completing(METHODS),
    ),
]
Methods = Annotated[
    str,
    typer.Option(
        "--method",
        "-m",
        help="Methods to judge, separated by commas.",
        autocompletion=_completing(METHODS),
    ),
]
Number = Annotated[
    str | None,
    typer.Option(
        "-k", help="How many features, or auto: by the method itself or by cross-validation."
    ),
]
Sizes = Annotated[
    str | None,
    typer.Option(
        "-k", help="Numbers of features, separated by commas; 5,10,20 if there are as many."
    ),
]
Keep = Annotated[str, typer.Option(help="Features to start from, separated by commas.")]
_KINDS = ("nominal", "numeric")
_MISSING = ("error", "category", "pairwise", "drop_rows")
_complete_estimator = _completing(("logistic", "bayes", "neighbours", "forest", "ridge"))
Estimator = Annotated[
    str,
    typer.Option(
        help="What the features are for: forest, logistic, bayes, neighbours; for numbers ridge.",
        autocompletion=_complete_estimator,
    ),
]
Estimators = Annotated[
    str,
    typer.Option(
        help="Judges, separated by commas: logistic, bayes, neighbours, forest; for numbers ridge.",
        autocompletion=_complete_estimator,
    ),
]
Memory = Annotated[
    str | None,
    typer.Option(
        help="Memory to use, such as 2GB: the rows of a larger file do not come into it. "
        "If not given, a quarter of the machine's."
    ),
]
Generator = Annotated[
    str | None,
    typer.Argument(
        help="A data set to make; none: list all.", autocompletion=_completing(GENERATORS)
    ),
]
Page = Annotated[Path, typer.Option("--out", "-o", help="The page to write, .html.")]
Seed = Annotated[int, typer.Option(help="Draws all that is random.")]
Force = Annotated[bool, typer.Option("--force", help="Write over a file that exists.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON on the standard output.")]


@dataclass(frozen=True)
class Source:
    """What is read, and with which means."""

    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            "-t",
            help="The column to predict (of .h5ad: of obs; of .npz, .mat: an array).",
        ),
    ] = None
    target_kind: Annotated[
        str | None,
        typer.Option(
            help="nominal (classes) or numeric; found from the values if not given.",
            autocompletion=_completing(_KINDS),
        ),
    ] = None
    exclude: Annotated[
        str,
        typer.Option(help="Columns that are no features, such as ids, separated by commas."),
    ] = ""
    sample: Annotated[
        int | None,
        typer.Option(
            help="Take so many rows, drawn at random; those of a large file alone come into memory."
        ),
    ] = None
    seed: Seed = 0
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", help="Threads or processes; -1: all.")
    ] = None

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise BadInput(f"--seed must be at least 0, got {self.seed}")
        if self.sample is not None and self.sample < 2:
            raise BadInput(f"--sample must be at least 2, got {self.sample}")
        _check_choice("--target-kind", self.target_kind, _KINDS)


@dataclass(frozen=True)
class Selecting(Source):
    """How selectors are made, whichever they are."""

    ensemble: Annotated[
        int | None,
        typer.Option(
            help="Select without each of so many parts of the rows, and vote. 20 is good."
        ),
    ] = None
    missing: Annotated[
        str | None,
        typer.Option(
            help="What to do with missing values: error, category, pairwise or drop_rows, as the method can.",
            autocompletion=_completing(_MISSING),
        ),
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ensemble is not None and self.ensemble < 2:
            raise BadInput(f"--ensemble must be at least 2, got {self.ensemble}")
        _check_choice("--missing", self.missing, _MISSING)

    def wish(self, method: str, k: str | None = None, keep: str = "") -> Wish:
        """What a method is to select."""
        return Wish(method, k, tuple(split(keep)), self)

    def wishes(self, methods: str) -> list[Wish]:
        """The same for several methods."""
        return [self.wish(method) for method in split(methods)]


@dataclass(frozen=True)
class Wish:
    """What is to be selected, as the options say."""

    method: str
    k: str | None
    keep: tuple[str, ...]
    options: Selecting


@dataclass(frozen=True)
class Result:
    """Where the result goes."""

    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write the result to a file, .json, .csv or .parquet."),
    ] = None
    force: Force = False
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet", "-q", help="No table, no notes, no progress; `select`: names alone."
        ),
    ] = False
    json: Json = False

    @property
    def voice(self) -> Voice:
        """How much is said."""
        from thresher.cli._output import Voice

        return Voice(self.quiet, self.json)


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """A command as typer knows it: each parameter that is a dataclass above becomes the options of its fields.

    What the input is to blame for ends the program with one sentence.
    """
    kinds = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in kinds.items() if is_dataclass(kind)}
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
    def run(**given: Any) -> None:
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

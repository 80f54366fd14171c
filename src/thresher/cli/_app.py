"""The commands and their options. Whatever takes long to import is imported when it is needed."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import thresher
from thresher.cli._errors import BadInput, sentences

if TYPE_CHECKING:
    from thresher.cli._select import Wish

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="CSV, TSV, Parquet, Arrow, Feather, .npz, .mat, ARFF, SVMlight or .h5ad; text also as .gz, .bz2, .zst.",
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        "--target", "-t", help="The column to predict (of .h5ad: of obs; of .npz, .mat: an array)."
    ),
]
TargetKind = Annotated[
    str | None,
    typer.Option(help="nominal (classes) or numeric; found from the values if not given."),
]
Method = Annotated[
    str, typer.Option("--method", "-m", help="How to select; `thresher methods` lists all.")
]
Methods = Annotated[
    str, typer.Option("--method", "-m", help="Methods to judge, separated by commas.")
]
Sizes = Annotated[str, typer.Option("-k", help="Numbers of features, separated by commas.")]
Ensemble = Annotated[
    int | None,
    typer.Option(help="Select without each of so many parts of the rows, and vote. 20 is good."),
]
Missing = Annotated[
    str | None,
    typer.Option(
        help="What to do with missing values: error, category, pairwise or drop_rows, as the method can."
    ),
]
Seed = Annotated[int, typer.Option(help="Draws all that is random.")]
Jobs = Annotated[int | None, typer.Option("--jobs", "-j", help="Threads or processes; -1: all.")]
Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", help="Write the table to a file, .json, .csv or .parquet."),
]
Force = Annotated[bool, typer.Option("--force", help="Write over a file that exists.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No table, no notes, no progress.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON on the standard output.")]


def _version(wanted: bool) -> None:
    if wanted:
        print(f"thresher {thresher.__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Pick the few features that matter out of thousands.

    \b
    Start here:
      thresher demo
      thresher select data.csv --target species
      thresher methods
      thresher select data.csv -t species -k auto --ensemble 20 --out selected.json

    Exit codes: 0 done, 1 something went wrong, 2 the input or an option cannot be used.
    """


@app.command()
def select(
    file: File,
    target: Target = None,
    k: Annotated[
        str | None,
        typer.Option(
            "-k", help="How many features, or auto: by the method itself or by cross-validation."
        ),
    ] = None,
    method: Method = "mrmr",
    ensemble: Ensemble = None,
    keep: Annotated[str, typer.Option(help="Features to start from, separated by commas.")] = "",
    exclude: Annotated[
        str, typer.Option(help="Features never to choose, separated by commas.")
    ] = "",
    missing: Missing = None,
    target_kind: TargetKind = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="Write the selection: .json (from_json reads it), .csv or .parquet (a row per feature).",
        ),
    ] = None,
    report: Annotated[Path | None, typer.Option(help="Write a page for a browser, .html.")] = None,
    force: Force = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print the names alone, one a line.")
    ] = False,
    json: Json = False,
) -> None:
    """Select features of a file.

    \b
    Examples:
      thresher select iris.csv --target species -k 2
      thresher select genes.h5ad --target cell_type --method jmi -k 50 --out markers.csv
      thresher select wide.parquet -t y -k auto --ensemble 20 --out selected.json --report report.html
      thresher select visits.csv -t died --keep age,sex --exclude patient_id --missing pairwise
      thresher select data.svm -k 20 --quiet > names.txt

    Columns of text are categories. With --out selected.json the result can be loaded in Python by
    thresher.MRMR.from_json, or the class of the method.
    """
    with sentences():
        from thresher.cli._select import select as run
        from thresher.cli._show import Voice

        wish = _wish(method, k, ensemble, missing, target_kind, seed, jobs, keep, exclude)
        run(file, target, wish, out, report, force, Voice(quiet, json))


@app.command()
def report(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A selection saved as .json.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The page to write, .html.")],
    title: Annotated[str, typer.Option(help="Its heading.")] = "",
    force: Force = False,
) -> None:
    """Make a page for a browser of a saved selection.

    \b
    Example:
      thresher select data.csv --target species --out selected.json
      thresher report selected.json --out report.html
    """
    with sentences():
        from thresher.cli._select import report as run

        run(file, out, title, force)


@app.command()
def methods(json: Json = False) -> None:
    """List the methods: for which data, and when to take which.

    \b
    target    what may be predicted; none: it works without labels
    sparse    takes sparse matrices as they are
    missing   what --missing may be
    k         given by you, or found by the method itself
    ensemble  one pass over the data serves all replicates, or the method is refitted
    """
    with sentences():
        from thresher.cli._judge import methods as run
        from thresher.cli._show import Voice

        run(Voice(as_json=json))


@app.command()
def datasets(
    name: Annotated[str | None, typer.Argument(help="A data set to make; none: list all.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where to write it: .csv, .parquet or .npz.")
    ] = None,
    seed: Seed = 0,
    force: Force = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """List data sets, or make one to try things on.

    \b
    Examples:
      thresher datasets
      thresher datasets make_microarray --out genes.csv
      thresher select genes.csv --target target
    """
    with sentences():
        from thresher.cli._judge import datasets as run
        from thresher.cli._show import Voice

        run(name, out, seed, force, Voice(quiet, json))


@app.command()
def stability(
    file: File,
    target: Target = None,
    k: Sizes = "5,10,20",
    method: Methods = "mrmr",
    ensemble: Ensemble = None,
    missing: Missing = None,
    target_kind: TargetKind = None,
    repeats: Annotated[int, typer.Option(help="How often the rows are split in ten.")] = 3,
    seed: Seed = 0,
    jobs: Jobs = None,
    out: Out = None,
    force: Force = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """How much does a selection change with the rows?

    Features are selected without each tenth of the rows in turn.

    \b
    Examples:
      thresher stability genes.csv -t target -m mrmr,mim -k 10,20,50
      thresher stability genes.csv -t target --ensemble 20
    """
    with sentences():
        from thresher.cli import _judge
        from thresher.cli._show import Voice

        wish = _wish("", None, ensemble, missing, target_kind, seed, jobs)
        wishes = _judge.wishes_for(_split(method), wish)
        _judge.stability(file, target, wishes, k, repeats, out, force, Voice(quiet, json))


@app.command()
def probe(
    file: File,
    target: Target = None,
    method: Methods = "mrmr",
    steps: Annotated[
        int | None, typer.Option("-k", help="First so many features; 20 if there are as many.")
    ] = None,
    ensemble: Ensemble = None,
    missing: Missing = None,
    target_kind: TargetKind = None,
    repeats: Annotated[int, typer.Option(help="How often random columns are drawn.")] = 20,
    seed: Seed = 0,
    jobs: Jobs = None,
    out: Out = None,
    force: Force = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """How many random columns does a method take?

    \b
    Example:
      thresher probe data.csv -t species -m mrmr,rrct,gso

    A copy of a real column is never a mistake here, so a plain ranking does well: read a method beside it.
    """
    with sentences():
        from thresher.cli import _judge
        from thresher.cli._show import Voice

        wish = _wish("", None, ensemble, missing, target_kind, seed, jobs)
        wishes = _judge.wishes_for(_split(method), wish)
        _judge.probe(file, target, wishes, steps, repeats, out, force, Voice(quiet, json))


@app.command()
def compare(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="One file or more with the same target.")
    ],
    target: Target = None,
    method: Methods = "mrmr,jmi,mim",
    k: Sizes = "5,10,20",
    estimator: Annotated[
        str,
        typer.Option(
            help="Judges, separated by commas: logistic, bayes, neighbours, forest; for numbers ridge."
        ),
    ] = "",
    folds: Annotated[int, typer.Option(help="Folds of the cross-validation.")] = 5,
    ensemble: Ensemble = None,
    missing: Missing = None,
    target_kind: TargetKind = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    out: Out = None,
    force: Force = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Which method serves an estimator best?

    Cross-validated, with the selection inside the folds.

    \b
    Examples:
      thresher compare data.csv -t species
      thresher compare data.csv -t species -m mrmr,fcbf,relieff -k 5,10 --estimator bayes,forest --out table.csv
    """
    with sentences():
        from thresher.cli import _judge
        from thresher.cli._show import Voice

        wish = _wish("", None, ensemble, missing, target_kind, seed, jobs)
        wishes = _judge.wishes_for(_split(method), wish)
        judges = _split(estimator)
        _judge.compare(files, target, wishes, k, judges, folds, out, force, Voice(quiet, json))


@app.command()
def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="The page to write.")] = Path(
        "thresher-demo.html"
    ),
    force: Force = False,
) -> None:
    """See a selection, a comparison and a report.

    \b
    Example:
      thresher demo

    Nothing is needed: the data come with scikit-learn.
    """
    with sentences():
        from thresher.cli._demo import demo as run
        from thresher.cli._show import Voice

        run(out, force, Voice())


def _split(text: str) -> list[str]:
    """The items of a list; a comma inside double quotes belongs to a name."""
    items = next(csv.reader([text], skipinitialspace=True), [])
    return [item.strip() for item in items if item.strip()]


def _wish(
    method: str,
    k: str | None,
    ensemble: int | None,
    missing: str | None,
    target_kind: str | None,
    seed: int,
    jobs: int | None,
    keep: str = "",
    exclude: str = "",
) -> Wish:
    from thresher.cli._select import Wish

    if seed < 0:
        raise BadInput(f"--seed must be at least 0, got {seed}")
    return Wish(
        method,
        k,
        ensemble,
        tuple(_split(keep)),
        tuple(_split(exclude)),
        missing,
        target_kind,
        seed,
        jobs,
    )

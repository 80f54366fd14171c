"""The commands. Whatever takes long to import is imported when it is needed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import thresher
from thresher.cli import _options as opt
from thresher.cli._options import split, with_options

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


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
@with_options
def select(
    file: opt.File,
    *,
    k: opt.Number = None,
    method: opt.Method = "mrmr",
    keep: opt.Keep = "",
    report: Annotated[Path | None, typer.Option(help="Write a page for a browser, .html.")] = None,
    memory: opt.Memory = None,
    options: opt.Selecting,
    result: opt.Result,
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
    thresher.MRMR.from_json, or the class of the method; .csv and .parquet have a row per feature.
    """
    from thresher.cli._select import select as run

    run(file, options, options.request(method, k, keep), report, result, memory)


@app.command()
@with_options
def report(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A selection saved as .json.")],
    out: opt.Page,
    title: Annotated[str, typer.Option(help="Its heading.")] = "",
    force: opt.Force = False,
) -> None:
    """Make a page for a browser of a saved selection.

    \b
    Example:
      thresher select data.csv --target species --out selected.json
      thresher report selected.json --out report.html
    """
    from thresher.cli._select import report as run

    run(file, out, title, force)


@app.command()
@with_options
def methods(json: opt.Json = False) -> None:
    """List the methods: for which data, and when to take which.

    \b
    target    what may be predicted; none: it works without labels
    sparse    takes sparse matrices as they are
    missing   what --missing may be
    k         given by you, or found by the method itself
    ensemble  one pass over the data serves all replicates, or the method is refitted
    """
    from thresher.cli._evaluate import methods as run
    from thresher.cli._output import Console

    run(Console(as_json=json))


@app.command()
@with_options
def datasets(name: opt.Generator = None, *, seed: opt.Seed = 0, result: opt.Result) -> None:
    """List data sets, or make one to try things on.

    \b
    Examples:
      thresher datasets
      thresher datasets make_microarray --out genes.csv
      thresher select genes.csv --target target
    """
    from thresher.cli._evaluate import datasets as run

    run(name, seed, result)


@app.command()
@with_options
def stability(
    file: opt.File,
    *,
    method: opt.Methods = "mrmr",
    k: opt.Sizes = None,
    repeats: Annotated[int, typer.Option(help="How often the rows are split in ten.")] = 3,
    options: opt.Selecting,
    result: opt.Result,
) -> None:
    """How much does a selection change with the rows?

    Features are selected without each tenth of the rows in turn.

    \b
    Examples:
      thresher stability genes.csv -t target -m mrmr,mim -k 10,20,50
      thresher stability genes.csv -t target --ensemble 20
    """
    from thresher.cli._evaluate import stability as run

    run(file, options, method, k, repeats, result)


@app.command()
@with_options
def probe(
    file: opt.File,
    *,
    method: opt.Methods = "mrmr",
    steps: Annotated[
        int | None, typer.Option("-k", help="First so many features; 20 if there are as many.")
    ] = None,
    repeats: Annotated[int, typer.Option(help="How often random columns are drawn.")] = 20,
    options: opt.Selecting,
    result: opt.Result,
) -> None:
    """How many random columns does a method take?

    \b
    Example:
      thresher probe data.csv -t species -m mrmr,rrct,gso

    A copy of a real column is never a mistake here, so a plain ranking does well: read a method beside it.
    """
    from thresher.cli._evaluate import probe as run

    run(file, options, method, steps, repeats, result)


@app.command()
@with_options
def compare(
    files: opt.Files,
    *,
    method: opt.Methods = "mrmr,jmi,mim",
    k: opt.Sizes = None,
    estimator: opt.Estimators = "",
    folds: Annotated[int, typer.Option(help="Folds of the cross-validation.")] = 5,
    options: opt.Selecting,
    result: opt.Result,
) -> None:
    """Which method serves an estimator best?

    Cross-validated, with the selection inside the folds.

    \b
    Examples:
      thresher compare data.csv -t species
      thresher compare data.csv -t species -m mrmr,fcbf,relieff -k 5,10 --estimator bayes,forest --out table.csv
    """
    from thresher.cli._evaluate import compare as run

    run(files, options, method, k, split(estimator), folds, result)


@app.command()
@with_options
def recommend(
    file: opt.File,
    *,
    k: Annotated[
        int | None,
        typer.Option(
            "-k", help="How many features; 10, or half of them if there are fewer than 20."
        ),
    ] = None,
    budget: Annotated[float, typer.Option(help="Seconds to spend, about.")] = 30,
    estimator: opt.Estimator = "forest",
    options: opt.Source,
    result: opt.Result,
) -> None:
    """Which method for these data?

    Looks at the data, tries what is plausible inside the folds of a cross-validation, and says how sure one can be.

    \b
    Examples:
      thresher recommend data.csv --target species
      thresher recommend visits.csv -t died --exclude patient_id -k 5 --budget 60 --estimator logistic
    """
    from thresher.cli._evaluate import recommend as run

    run(file, options, k, budget, estimator, result)


@app.command()
@with_options
def demo(out: opt.Page = Path("thresher-demo.html"), force: opt.Force = False) -> None:
    """See a selection, a comparison and a report.

    \b
    Example:
      thresher demo

    Nothing is needed: the data come with scikit-learn.
    """
    from thresher.cli._demo import demo as run
    from thresher.cli._output import Console

    run(out, force, Console())

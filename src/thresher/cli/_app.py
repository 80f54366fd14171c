"""The commands. Modules that take long to import are imported when a command runs."""

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


def _version(is_set: bool) -> None:
    if is_set:
        print(f"thresher {thresher.__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Select the few features that matter out of thousands.

    \b
    Start here:
      thresher demo
      thresher select data.csv --target species
      thresher methods
      thresher select data.csv -t species -k auto --out selected.json

    Exit codes: 0 success, 1 internal error, 2 unusable input or option.
    """


@app.command()
@with_options
def select(
    file: opt.File,
    *,
    k: opt.Number = None,
    method: opt.Method = "mrmr",
    keep: opt.Keep = "",
    report: Annotated[
        Path | None, typer.Option(help="HTML file to write a report to; default: none.")
    ] = None,
    memory: opt.Memory = None,
    options: opt.SelectionOptions,
    output: opt.OutputOptions,
) -> None:
    """Select features of a table.

    \b
    Examples:
      thresher select iris.csv --target species -k 2
      thresher select genes.h5ad -t cell_type --method jmi -k 50 --out markers.csv
      thresher select wide.parquet -t y -k auto --ensemble 20 --report report.html
      thresher select visits.csv -t died --keep age,sex --missing pairwise
      thresher select data.svm -k 20 --quiet > names.txt

    With -k auto, a method that stops by itself sets the number of features. Otherwise cross-validation sets it.

    Text columns are categorical features. To load the file of --out selected.json in Python, call from_json of the
    method's class, such as thresher.MRMR.from_json. Files .csv and .parquet have one row per selected feature.
    """
    from thresher.cli._select import select as run

    run(file, options, options.request(method, k, keep), report, output, memory)


@app.command()
@with_options
def report(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Selection saved as .json.")],
    out: opt.Page,
    title: Annotated[
        str, typer.Option(help="Heading of the report; default: names the method.")
    ] = "",
    force: opt.Force = False,
) -> None:
    """Write an HTML report of a saved selection.

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
    """List the methods, the data they accept, and when to use each.

    \b
    target    kind of target; none: the method needs no labels
    sparse    whether the method accepts sparse matrices
    missing   values of --missing
    k         number of features: given by -k, or set by the method itself
    ensemble  one pass over the data for all replicates, or one fit each
    """
    from thresher.cli._evaluate import methods as run
    from thresher.cli._output import Console

    run(Console(as_json=json))


@app.command()
@with_options
def datasets(name: opt.Generator = None, *, seed: opt.Seed = 0, output: opt.OutputOptions) -> None:
    """List data sets, or generate one.

    \b
    Examples:
      thresher datasets
      thresher datasets make_microarray --out genes.csv
      thresher select genes.csv --target target
    """
    from thresher.cli._evaluate import datasets as run

    run(name, seed, output)


@app.command()
@with_options
def stability(
    file: opt.File,
    *,
    method: opt.Methods = "mrmr",
    k: opt.Sizes = None,
    repeats: Annotated[
        int, typer.Option(help="Number of times that the rows are split at random into ten parts.")
    ] = 3,
    options: opt.SelectionOptions,
    output: opt.OutputOptions,
) -> None:
    """Measure how much a selection changes when rows are left out.

    Features are selected without each tenth of the rows in turn.

    \b
    Examples:
      thresher stability genes.csv -t target -m mrmr,mim -k 10,20,50
      thresher stability genes.csv -t target --ensemble 20
    """
    from thresher.cli import _evaluate

    _evaluate.stability(_evaluate.Evaluation([file], options, method, output), k, repeats)


@app.command()
@with_options
def probe(
    file: opt.File,
    *,
    method: opt.Methods = "mrmr",
    steps: Annotated[
        int | None,
        typer.Option(
            "-k", help="Number of top features to check; default: 20, or all if there are fewer."
        ),
    ] = None,
    repeats: Annotated[
        int, typer.Option(help="Number of times that random columns are drawn.")
    ] = 20,
    options: opt.SelectionOptions,
    output: opt.OutputOptions,
) -> None:
    """Count the random columns among the first selected features.

    \b
    Example:
      thresher probe data.csv -t species -m mrmr,rrct,gso

    A copy of a real column does not count as a mistake, so a plain ranking does well. Compare each method with it.
    """
    from thresher.cli import _evaluate

    _evaluate.probe(_evaluate.Evaluation([file], options, method, output), steps, repeats)


@app.command()
@with_options
def compare(
    files: opt.Files,
    *,
    method: opt.Methods = "mrmr,jmi,mim",
    k: opt.Sizes = None,
    estimator: opt.Estimators = "",
    folds: Annotated[int, typer.Option(help="Number of cross-validation folds.")] = 5,
    options: opt.SelectionOptions,
    output: opt.OutputOptions,
) -> None:
    """Compare methods by the scores of estimators.

    Scores are cross-validated. Estimators use the features that a method selects inside the folds.

    \b
    Examples:
      thresher compare data.csv -t species
      thresher compare data.csv -t species -m mrmr,relieff -k 5 --estimator bayes
    """
    from thresher.cli import _evaluate

    evaluation = _evaluate.Evaluation(files, options, method, output)
    _evaluate.compare(evaluation, files, k, split(estimator), folds)


@app.command()
@with_options
def recommend(
    file: opt.File,
    *,
    k: Annotated[
        int | None,
        typer.Option(
            "-k", help="Number of features; default: 10, or half of all if there are fewer than 20."
        ),
    ] = None,
    budget: Annotated[float, typer.Option(help="Approximate time to spend, in seconds.")] = 30,
    estimator: opt.Estimator = "forest",
    options: opt.InputOptions,
    output: opt.OutputOptions,
) -> None:
    """Recommend a method for a table.

    Plausible methods run inside the folds of a cross-validation. A winner is named only if it is significantly better.

    \b
    Examples:
      thresher recommend data.csv --target species
      thresher recommend visits.csv -t died --exclude patient_id -k 5 --budget 60
    """
    from thresher.cli._evaluate import recommend as run

    run(file, options, k, budget, estimator, output)


@app.command()
@with_options
def demo(out: opt.Page = Path("thresher-demo.html"), force: opt.Force = False) -> None:
    """Show a selection, a comparison and a report on built-in data.

    \b
    Example:
      thresher demo

    It needs no file: the data come with scikit-learn.
    """
    from thresher.cli._demo import demo as run
    from thresher.cli._output import Console

    run(out, force, Console())

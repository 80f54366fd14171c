"""The commands that evaluate methods: stability, probe, compare, recommend; and methods and datasets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.preprocessing import StandardScaler
from sklearn.utils import Bunch

from thresher._utils.types import TargetLike, Values
from thresher.cli import _options
from thresher.cli._errors import BadInput, as_options
from thresher.cli._input import read_data
from thresher.cli._options import InputOptions, OutputOptions, SelectionOptions, build
from thresher.cli._output import Console, check_output, encode_table, write_all
from thresher.cli._select import LISTS, check_rows, encode_rows, parse_sizes
from thresher.data import read_target
from thresher.evaluate._candidates import encode_before

CLASSIFIERS = {
    "logistic": LogisticRegression(max_iter=1000),
    "bayes": GaussianNB(),
    "neighbours": KNeighborsClassifier(),
    "forest": RandomForestClassifier(100),
}
REGRESSORS = {
    "ridge": Ridge(),
    "neighbours": KNeighborsRegressor(),
    "forest": RandomForestRegressor(100),
}


def estimators_for(y: TargetLike, requested: list[str], options: InputOptions) -> Values:
    """Return pipelines with the requested estimators, by default with the first for the target."""
    is_nominal = read_target(y, len(y), kind=options.target_kind or "auto").is_nominal
    known: Values = CLASSIFIERS if is_nominal else REGRESSORS
    names = requested or [next(iter(known))]
    for name in names:
        if name not in known:
            kind = "classes" if is_nominal else "a numeric target"
            raise BadInput(
                f"--estimator for {kind} must be one of {', '.join(known)}, got {name[:60]!r}"
            )
    pipelines = {}
    for name in names:
        model = clone(known[name])
        if "random_state" in model.get_params():
            model.set_params(random_state=options.seed)
        imputer = SimpleImputer(keep_empty_features=True)
        pipelines[name] = encode_before(imputer, StandardScaler(), model)
    return pipelines


USUAL_SIZES = (5, 10, 20)


class Evaluation:
    """The tables of a command and the methods to evaluate on them, read and checked."""

    def __init__(
        self, paths: Sequence[Path], options: SelectionOptions, methods: str, output: OutputOptions
    ) -> None:
        check_output(output.out, output.force, LISTS)
        self.options, self.output, self.console = options, output, output.console
        self.requests = options.requests(methods)
        needs_target = any(_options.needs_target(request.method) for request in self.requests)
        self.tables = []
        for path in paths:
            table = read_data(path, options, self.console, needs_target=needs_target)
            check_rows(table, self.requests, self.console)
            self.tables.append(table)

    def selectors(self) -> Values:
        return {request.method: build(request, self.tables[0]) for request in self.requests}

    def sizes(self, text: str | None) -> list[int]:
        """Return the requested numbers of features, or the usual ones that all tables have."""
        if text is not None:
            return parse_sizes(text)
        most = min(len(table.names) for table in self.tables)
        return [k for k in USUAL_SIZES if k <= most] or list(range(1, most + 1))


def stability(evaluation: Evaluation, sizes: str | None, repeats: int) -> None:
    """Measure how much the selections of several methods change with the rows."""
    from thresher.evaluate.stability import stability_curve

    (data,), options, console = evaluation.tables, evaluation.options, evaluation.console
    rows = []
    for request in evaluation.requests:
        with console.working(f"selecting by {request.method}", data, has_bar=True):
            curve = stability_curve(
                build(request, data),
                data.X,
                data.y,
                k=evaluation.sizes(sizes),
                n_repeats=repeats,
                index="nogueira",
                n_jobs=options.jobs,
                random_state=options.seed,
                progress=console.is_watched,
            )
        rows += [
            {"method": request.method, "k": int(k), "stability": float(mean), "sd": float(spread)}
            for k, mean, spread in zip(curve.k, curve.mean, curve.std, strict=True)
        ]
    title = "stability (Nogueira; 1: always equal, 0: expected by chance)"
    _write(rows, evaluation.output, title, data.target_line())


def probe(evaluation: Evaluation, steps: int | None, repeats: int) -> None:
    """Count the random columns among the first selected features."""
    from thresher.evaluate import probe_fdr

    (data,), options, console = evaluation.tables, evaluation.options, evaluation.console
    with console.working("selecting among random columns", data, has_bar=True):
        benchmark = probe_fdr(
            evaluation.selectors(),
            data.X,
            data.y,
            n_steps=steps,
            n_repeats=repeats,
            target=options.target_kind or "auto",  # type: ignore[arg-type]
            random_state=options.seed,
            n_jobs=options.jobs,
            progress=console.is_watched,
        )
    title = f"share of random columns among the first {benchmark.n_steps} features; compare with relevance only"
    rows = _as_rows(benchmark.summary("dict"))
    _write(rows, evaluation.output, title, data.target_line())


def compare(
    evaluation: Evaluation,
    paths: Sequence[Path],
    sizes: str | None,
    estimators: list[str],
    folds: int,
) -> None:
    """Compare methods by the scores of estimators on the selected features."""
    from thresher import evaluate

    tables, options, console = evaluation.tables, evaluation.options, evaluation.console
    are_short = len({path.name for path in paths}) == len(paths)
    labels = [path.name if are_short else str(path) for path in paths]
    pipelines = estimators_for(tables[0].y, estimators, options)
    with console.working("comparing", tables[0] if len(tables) == 1 else None, has_bar=True):
        comparison = evaluate.compare(
            evaluation.selectors(),
            {label: (data.X, data.y) for label, data in zip(labels, tables, strict=True)},
            pipelines,
            k=evaluation.sizes(sizes),
            cv=folds,
            random_state=options.seed,
            n_jobs=options.jobs,
            progress=console.is_watched,
        )
    shown = ("data", "selector", "estimator", "k", "score", "score_sd", "stability", "seconds")
    table = comparison.table("dict")
    if evaluation.output.out is None and not console.as_json:
        table = {name: table[name] for name in shown}
    title = f"score on the test rows of {folds} folds, selection inside the folds"
    kinds = {data.target_line() for data in tables}
    line = kinds.pop() if len(kinds) == 1 else ""
    _write(_as_rows(table), evaluation.output, title, line)


def recommend(
    path: Path,
    options: InputOptions,
    k: int | None,
    budget: float,
    estimator: str,
    output: OutputOptions,
) -> None:
    """Recommend a method, with the significance of its lead."""
    from thresher import evaluate

    console = output.console
    check_output(output.out, output.force, LISTS)
    data = read_data(path, options, console)
    pipeline = estimators_for(data.y, [estimator], options)[estimator]
    is_nominal = options.target_kind == "nominal"
    y = data.y if options.target_kind is None else data.y.astype(str if is_nominal else float)
    with console.working("trying methods", data):
        recommendation = evaluate.recommend(
            data.X,
            y,
            budget,
            k=k,
            estimator=pipeline,
            target=options.target_kind or "auto",  # type: ignore[arg-type]
            random_state=options.seed,
            n_jobs=options.jobs,
        )
    for sentence in recommendation.findings:
        console.note(as_options(sentence))
    rows = _as_rows(recommendation.table("dict"))
    title = f"score of {estimator} on the test rows of {rows[0]['n_folds']} folds"
    _write(rows, output, title, data.target_line())
    if not console.quiet and not console.as_json:
        print(f"\n{recommendation.outcome}")


def methods(console: Console) -> None:
    """List the methods."""
    console.catalogue(_options.describe_methods(), "method", "why")


def datasets(name: str | None, seed: int, output: OutputOptions) -> None:
    """List data sets, or write one."""
    from thresher import datasets as module

    out, console = output.out, output.console
    if name is None:
        rows = [
            (name, "generated from a seed", None, None, about)
            for name, about in _options.GENERATORS.items()
        ]
        rows += [
            (row["name"], "openml.org", row["n_samples"], row["n_features"], row["papers"])
            for row in _as_rows(module.list_paper_data("dict"))
        ]
        columns = ("name", "kind", "n_samples", "n_features", "about")
        console.table([dict(zip(columns, row, strict=True)) for row in rows])
        return
    if name not in _options.GENERATORS:
        known = ", ".join(_options.GENERATORS)
        raise BadInput(
            f"{name[:60]} cannot be generated. Use {known}, or fetch_paper_data in Python"
        )
    if out is None:
        raise BadInput("--out is missing. Set it to a file that ends in .csv, .parquet or .npz")
    check_output(out, output.force, (".csv", ".parquet", ".npz"))
    bunch = getattr(module, name)(random_state=seed)
    write_all({out: _encode_bunch(out, bunch)}, output.force)
    if not console.quiet:
        print(
            f"{out}: {bunch.data.shape[0]} samples, {bunch.data.shape[1]} features and the column target. {bunch.DESCR}"
        )


def _encode_bunch(out: Path, bunch: Bunch) -> bytes:
    import io

    from scipy import sparse

    X = bunch.data.toarray() if sparse.issparse(bunch.data) else np.asarray(bunch.data)
    if out.suffix.lower() == ".npz":
        buffer = io.BytesIO()
        np.savez_compressed(
            buffer, X=X, target=bunch.target, feature_names=np.array(bunch.feature_names)
        )
        return buffer.getvalue()
    import pyarrow as pa

    columns = {name: X[:, i] for i, name in enumerate(bunch.feature_names)}
    return encode_table(out, pa.table({**columns, "target": bunch.target}))


def _as_rows(columns: Values) -> list[Values]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _write(rows: list[Values], output: OutputOptions, *titles: str) -> None:
    out, console = output.out, output.console
    contents = {} if out is None else {out: encode_rows(out, rows)}
    write_all(
        contents, output.force, None if console.quiet else lambda: console.table(rows, *titles)
    )

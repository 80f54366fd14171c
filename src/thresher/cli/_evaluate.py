"""The commands that judge methods: stability, probe, compare and recommend."""

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
from thresher.cli._input import Data, read_data
from thresher.cli._options import (
    InputOptions,
    OutputOptions,
    SelectionOptions,
    SelectionRequest,
    build,
)
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


def estimators_for(y: TargetLike, wanted: list[str], source: InputOptions) -> Values:
    """Pipelines around the wanted estimators, by default around the first that fits the target."""
    is_nominal = read_target(y, len(y), kind=source.target_kind or "auto").is_nominal
    known: Values = CLASSIFIERS if is_nominal else REGRESSORS
    names = wanted or [next(iter(known))]
    for name in names:
        if name not in known:
            kind = "classes" if is_nominal else "a numeric target"
            raise BadInput(f"--estimator {name[:60]}: for {kind} there are {', '.join(known)}")
    found = {}
    for name in names:
        model = clone(known[name])
        if "random_state" in model.get_params():
            model.set_params(random_state=source.seed)
        filled = SimpleImputer(keep_empty_features=True)
        found[name] = encode_before(filled, StandardScaler(), model)
    return found


USUAL_SIZES = (5, 10, 20)


def stability(
    path: Path,
    options: SelectionOptions,
    methods: str,
    sizes: str | None,
    repeats: int,
    result: OutputOptions,
) -> None:
    """How much the selections of several methods change with the rows."""
    from thresher.evaluate.stability import stability_curve

    requests, console = options.requests(methods), result.console
    data = _read(path, options, requests, result)
    rows = []
    for request in requests:
        with console.working(f"selecting by {request.method}", data, has_bar=True):
            curve = stability_curve(
                build(request, data),
                data.X,
                data.y,
                k=_sizes(sizes, [data]),
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
    _give(rows, "stability (Nogueira; 1: always the same, 0: as by chance)", result)


def probe(
    path: Path,
    options: SelectionOptions,
    methods: str,
    steps: int | None,
    repeats: int,
    result: OutputOptions,
) -> None:
    """How many columns drawn at random are among the first features."""
    from thresher.evaluate import probe_fdr

    requests, console = options.requests(methods), result.console
    data = _read(path, options, requests, result)
    with console.working("selecting among random columns", data, has_bar=True):
        found = probe_fdr(
            {request.method: build(request, data) for request in requests},
            data.X,
            data.y,
            n_steps=steps,
            n_repeats=repeats,
            target=options.target_kind or "auto",  # type: ignore[arg-type]
            random_state=options.seed,
            n_jobs=options.jobs,
            progress=console.is_watched,
        )
    title = f"random columns among the first {found.n_steps} features; relevance only is hard to beat here"
    _give(_as_rows(found.summary("dict")), title, result)


def compare(
    paths: Sequence[Path],
    options: SelectionOptions,
    methods: str,
    sizes: str | None,
    estimators: list[str],
    folds: int,
    result: OutputOptions,
) -> None:
    """What estimators make of the features that several methods choose."""
    from thresher import evaluate

    requests, console = options.requests(methods), result.console
    read = [_read(path, options, requests, result) for path in paths]
    are_short = len({path.name for path in paths}) == len(paths)
    labels = [path.name if are_short else str(path) for path in paths]
    judges = estimators_for(read[0].y, estimators, options)
    with console.working("comparing", read[0] if len(read) == 1 else None, has_bar=True):
        found = evaluate.compare(
            {request.method: build(request, read[0]) for request in requests},
            {label: (data.X, data.y) for label, data in zip(labels, read, strict=True)},
            judges,
            k=_sizes(sizes, read),
            cv=folds,
            random_state=options.seed,
            n_jobs=options.jobs,
            progress=console.is_watched,
        )
    shown = ("data", "selector", "estimator", "k", "score", "score_sd", "stability", "seconds")
    table = found.table("dict")
    if result.out is None and not console.as_json:
        table = {name: table[name] for name in shown}
    title = f"score on the test rows of {folds} folds, selection inside the folds"
    _give(_as_rows(table), title, result)


def recommend(
    path: Path,
    source: InputOptions,
    k: int | None,
    budget: float,
    estimator: str,
    result: OutputOptions,
) -> None:
    """Which method to take, and how sure one can be."""
    from thresher import evaluate

    console = result.console
    check_output(result.out, result.force, LISTS)
    data = read_data(path, source, console)
    judge = estimators_for(data.y, [estimator], source)[estimator]
    is_nominal = source.target_kind == "nominal"
    y = data.y if source.target_kind is None else data.y.astype(str if is_nominal else float)
    with console.working("trying methods", data):
        found = evaluate.recommend(
            data.X, y, budget, k=k, estimator=judge, random_state=source.seed, n_jobs=source.jobs
        )
    for sentence in found.findings:
        console.note(as_options(sentence))
    rows = _as_rows(found.table("dict"))
    _give(rows, f"score of {estimator} on the test rows of {rows[0]['n_folds']} folds", result)
    if not console.quiet and not console.as_json:
        print(f"\n{found.outcome}")


def methods(console: Console) -> None:
    """What there is, for which data, and why."""
    console.catalogue(_options.describe_methods(), "method", "why")


def datasets(name: str | None, seed: int, result: OutputOptions) -> None:
    """List data sets, or write one."""
    from thresher import datasets as module

    out, console = result.out, result.console
    if name is None:
        rows = [
            (name, "made from a seed", None, None, about)
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
        made = ", ".join(_options.GENERATORS)
        raise BadInput(
            f"{name[:60]} cannot be made; there are {made} (others: fetch_paper_data in Python)"
        )
    if out is None:
        raise BadInput(
            f"--out is needed: the file to write {name} to, ending in .csv, .parquet or .npz"
        )
    check_output(out, result.force, (".csv", ".parquet", ".npz"))
    made = getattr(module, name)(random_state=seed)
    write_all({out: _encode_bunch(out, made)}, result.force)
    if not console.quiet:
        print(
            f"{out}: {made.data.shape[0]} samples, {made.data.shape[1]} features and the column target. {made.DESCR}"
        )


def _encode_bunch(out: Path, made: Bunch) -> bytes:
    import io

    from scipy import sparse

    X = made.data.toarray() if sparse.issparse(made.data) else np.asarray(made.data)
    if out.suffix.lower() == ".npz":
        buffer = io.BytesIO()
        np.savez_compressed(
            buffer, X=X, target=made.target, feature_names=np.array(made.feature_names)
        )
        return buffer.getvalue()
    import pyarrow as pa

    columns = {name: X[:, i] for i, name in enumerate(made.feature_names)}
    return encode_table(out, pa.table({**columns, "target": made.target}))


def _read(
    path: Path,
    options: SelectionOptions,
    requests: Sequence[SelectionRequest],
    result: OutputOptions,
) -> Data:
    check_output(result.out, result.force, LISTS)
    needs = any(_options.needs_target(request.method) for request in requests)
    data = read_data(path, options, result.console, needs_target=needs)
    check_rows(data, requests, result.console)
    return data


def _sizes(asked: str | None, read: Sequence[Data]) -> list[int]:
    """Numbers of features: those asked for, or the usual ones that all data have."""
    if asked is not None:
        return parse_sizes(asked)
    most = min(len(data.names) for data in read)
    return [k for k in USUAL_SIZES if k <= most] or list(range(1, most + 1))


def _as_rows(columns: Values) -> list[Values]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _give(rows: list[Values], title: str, result: OutputOptions) -> None:
    out, console = result.out, result.console
    contents = {} if out is None else {out: encode_rows(out, rows)}
    write_all(contents, result.force, None if console.quiet else lambda: console.table(rows, title))

"""``thresher stability``, ``probe``, ``compare``, ``methods`` and ``datasets``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from thresher.cli import _methods
from thresher.cli._errors import BadInput
from thresher.cli._read import Data, read_data
from thresher.cli._select import LISTS, Wish, build, encode_rows, parse_sizes
from thresher.cli._show import Voice
from thresher.cli._write import check_output, write_all

# Generators, and what they are for.
GENERATORS = {
    "make_tied": "equally good features in groups",
    "make_xor": "features that tell nothing alone",
    "make_artificial1": "a numeric target",
    "make_friedman_collinear": "a numeric target, curved",
    "make_microarray": "genes in blocks and batches",
    "make_text": "sparse counts of words",
    "make_dorothea_like": "very many sparse bits",
}


def stability(
    path: Path,
    target: str | None,
    wishes: Sequence[Wish],
    sizes: str,
    repeats: int,
    out: Path | None,
    force: bool,
    voice: Voice,
) -> None:
    """How much the selections of several methods change with the rows."""
    from thresher.evaluate.stability import stability_curve

    data = _read(path, target, wishes, out, force, voice)
    rows = []
    for wish in wishes:
        with voice.working(f"selecting by {wish.method}", has_bar=True):
            curve = stability_curve(
                build(data, wish),
                data.X,
                data.y,
                k=parse_sizes(sizes),
                n_repeats=repeats,
                index="nogueira",
                n_jobs=wish.jobs,
                random_state=wish.seed or 0,
                progress=voice.is_watched,
            )
        rows += [
            {"method": wish.method, "k": int(k), "stability": float(mean), "sd": float(spread)}
            for k, mean, spread in zip(curve.k, curve.mean, curve.std, strict=True)
        ]
    _give(rows, "stability (Nogueira; 1: always the same, 0: as by chance)", out, force, voice)


def probe(
    path: Path,
    target: str | None,
    wishes: Sequence[Wish],
    steps: int | None,
    repeats: int,
    out: Path | None,
    force: bool,
    voice: Voice,
) -> None:
    """How many columns drawn at random are among the first features."""
    from thresher.evaluate import probe_fdr

    data = _read(path, target, wishes, out, force, voice)
    with voice.working("selecting among random columns", has_bar=True):
        found = probe_fdr(
            {wish.method: build(data, wish) for wish in wishes},
            data.X,
            data.y,
            n_steps=steps,
            n_repeats=repeats,
            target=wishes[0].target_kind or "auto",  # type: ignore[arg-type]
            random_state=wishes[0].seed or 0,
            n_jobs=wishes[0].jobs,
            progress=voice.is_watched,
        )
    title = f"random columns among the first {found.n_steps} features; relevance only is hard to beat here"
    _give(_as_rows(found.summary("dict")), title, out, force, voice)


def compare(
    paths: Sequence[Path],
    target: str | None,
    wishes: Sequence[Wish],
    sizes: str,
    estimators: list[str],
    folds: int,
    out: Path | None,
    force: bool,
    voice: Voice,
) -> None:
    """What estimators make of the features that several methods choose."""
    from thresher import evaluate
    from thresher.cli._estimators import estimators_for

    read = [_read(path, target, wishes, out, force, voice) for path in paths]
    are_short = len({path.name for path in paths}) == len(paths)
    labels = [path.name if are_short else str(path) for path in paths]
    seed = wishes[0].seed or 0
    judges = estimators_for(read[0].y, estimators, wishes[0].target_kind, seed)
    with voice.working("comparing", has_bar=True):
        found = evaluate.compare(
            {wish.method: build(read[0], wish) for wish in wishes},
            {label: (data.X, data.y) for label, data in zip(labels, read, strict=True)},
            judges,
            k=parse_sizes(sizes),
            cv=folds,
            random_state=seed,
            n_jobs=wishes[0].jobs,
            progress=voice.is_watched,
        )
    shown = ("data", "selector", "estimator", "k", "score", "score_sd", "stability", "seconds")
    if out is not None or voice.as_json:
        rows = _as_rows(found.table("dict"))
    else:
        rows = _as_rows({name: found.table("dict")[name] for name in shown})
    title = f"score on the test rows of {folds} folds, selection inside the folds"
    _give(rows, title, out, force, voice)


def methods(voice: Voice) -> None:
    """What there is, for which data, and why."""
    voice.table(_methods.describe_methods())


def datasets(name: str | None, out: Path | None, seed: int, force: bool, voice: Voice) -> None:
    """List data sets, or write one."""
    from thresher import datasets as module

    if name is None:
        known = [
            {
                "name": name,
                "kind": "made from a seed",
                "n_samples": None,
                "n_features": None,
                "about": about,
            }
            for name, about in GENERATORS.items()
        ]
        papers = _as_rows(module.list_paper_data("dict"))
        known += [
            {
                "name": row["name"],
                "kind": "openml.org",
                "n_samples": row["n_samples"],
                "n_features": row["n_features"],
                "about": row["papers"],
            }
            for row in papers
        ]
        voice.table(known)
        return
    if name not in GENERATORS:
        made = ", ".join(GENERATORS)
        raise BadInput(
            f"{name[:60]} cannot be made; there are {made} (others: fetch_paper_data in Python)"
        )
    if out is None:
        raise BadInput(
            f"--out is needed: the file to write {name} to, ending in .csv, .parquet or .npz"
        )
    check_output(out, force, (".csv", ".parquet", ".npz"))
    made = getattr(module, name)(random_state=seed)
    write_all({out: _encode_bunch(out, made)}, force)
    if not voice.quiet:
        print(
            f"{out}: {made.data.shape[0]} samples, {made.data.shape[1]} features and the column target. {made.DESCR}"
        )


def _encode_bunch(out: Path, made: Any) -> bytes:
    import io

    from scipy import sparse

    X = made.data.toarray() if sparse.issparse(made.data) else np.asarray(made.data)
    buffer = io.BytesIO()
    if out.suffix.lower() == ".npz":
        np.savez_compressed(
            buffer, X=X, target=made.target, feature_names=np.array(made.feature_names)
        )
        return buffer.getvalue()
    import pyarrow as pa
    from pyarrow import csv, parquet

    columns = {name: X[:, i] for i, name in enumerate(made.feature_names)}
    table = pa.table({**columns, "target": made.target})
    (csv.write_csv if out.suffix.lower() == ".csv" else parquet.write_table)(table, buffer)
    return buffer.getvalue()


def _read(
    path: Path,
    target: str | None,
    wishes: Sequence[Wish],
    out: Path | None,
    force: bool,
    voice: Voice,
) -> Data:
    check_output(out, force, LISTS)
    needs = any(_methods.needs_target(wish.method) for wish in wishes)
    data = read_data(path, target, needs_target=needs, open_file=voice.open_file)
    for note in data.notes:
        voice.note(note)
    return data


def wishes_for(method: Sequence[str], wish: Wish) -> list[Wish]:
    """The same wish for several methods."""
    return [replace(wish, method=name) for name in method]


def _as_rows(columns: dict[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _give(
    rows: list[dict[str, Any]], title: str, out: Path | None, force: bool, voice: Voice
) -> None:
    if out is not None:
        write_all({out: encode_rows(out, rows)}, force)
    if not voice.quiet:
        voice.table(rows, title)

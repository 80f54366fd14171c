"""Selection from a Parquet table larger than the memory of its process, compared with decoding the file once.

    python -m benchmarks.scale.out_of_core --quick     2 GB of floats, in 1 GB of memory
    python -m benchmarks.scale.out_of_core             20 GB, in 2 GB

Every task runs in a separate process whose anonymous memory is limited by the system (RLIMIT_DATA); the most it had
at a time is measured, too. Times are CPU seconds and seconds on the clock, with one thread, once all packages are
loaded. The table is made first and deleted afterwards, unless --keep is given. With --dictionary it is written as
pyarrow writes floats by default.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.scale.memory import Watch

N_COLUMNS = 5_000
ROW_GROUP = 25_000
SLAB = 16
# The share of the limit for floats of scikit-learn, whose methods make copies.
SHARE = 8


def make_table(path: Path, n_rows: int, dictionary: bool) -> None:
    """Write normal columns, of which the first fifty are informative about one of two classes, in similar pairs."""
    import pyarrow as pa
    from pyarrow import parquet

    names = [f"x{i}" for i in range(N_COLUMNS)]
    schema = pa.schema([*((name, pa.float64()) for name in names), ("label", pa.int8())])
    unfinished = path.with_suffix(".part")
    with parquet.ParquetWriter(unfinished, schema, use_dictionary=dictionary) as writer:
        for group, begin in enumerate(range(0, n_rows, ROW_GROUP)):
            rng = np.random.default_rng([7, group])
            size = min(ROW_GROUP, n_rows - begin)
            label = rng.integers(0, 2, size).astype(np.int8)
            columns = []
            for i in range(N_COLUMNS):
                column = rng.standard_normal(size)
                if i < 50:
                    column += label * (0.5 - 0.008 * i)
                    column = column if i % 2 == 0 else 0.8 * columns[-1] + 0.6 * column
                columns.append(column)
            writer.write_table(pa.table([*columns, label], schema=schema))
    unfinished.rename(path)


def decode(path: str) -> str:
    """Decode every column chunk once, by column groups, and discard it: the minimum of work."""
    from pyarrow import parquet

    file = parquet.ParquetFile(path)
    names = file.schema_arrow.names
    for first in range(0, len(names), SLAB):
        for group in range(file.num_row_groups):
            file.read_row_group(group, columns=names[first : first + SLAB], use_threads=False)
    return ""


def select(path: str, memory_limit: int, n_features: int = 50, **parameters: object) -> str:
    from thresher import MRMR

    selector = MRMR(n_features, **parameters)  # type: ignore[arg-type]
    selector.fit(path, "label", memory_limit=memory_limit, scratch=str(Path(path).parent))
    note = f"{selector.n_passes_} reading, {selector.n_evaluations_} pairs"
    return f"{note}, first {selector.selected_[:5].tolist()}"


def scikit_learn(path: str, memory_limit: int, measure: str, n_columns: int | None = None) -> str:
    """Run the usual alternative, on as many columns as fit."""
    from pyarrow import parquet
    from sklearn import feature_selection

    file = parquet.ParquetFile(path)
    fits = memory_limit // SHARE // (8 * file.metadata.num_rows)
    names = file.schema_arrow.names[: min(n_columns or fits, fits, N_COLUMNS)]
    X = np.column_stack([file.read(columns=[name]).column(0).to_numpy() for name in names])
    y = file.read(columns=["label"]).column(0).to_numpy()
    chosen = feature_selection.SelectKBest(getattr(feature_selection, measure), k=10).fit(X, y)
    return f"{len(names)} columns, first {np.argsort(-chosen.scores_)[:5].tolist()}"


WORKS = {
    "decoding once": lambda path, limit: decode(path),
    # One feature needs no pair: only reading, bins and relevances take time.
    "MRMR(1) mi, mean-sd": lambda path, limit: select(path, limit, 1, relevance="mi"),
    "MRMR(1) mi, equal frequency": lambda path, limit: select(
        path, limit, 1, relevance="mi", discretize="equal-frequency"
    ),
    "MRMR mi, mean-sd": lambda path, limit: select(path, limit, relevance="mi"),
    "MRMR mi, equal frequency": lambda path, limit: select(
        path, limit, relevance="mi", discretize="equal-frequency"
    ),
    "MRMR r2 (numbers)": lambda path, limit: select(path, limit, relevance="r2"),
    "scikit-learn f_classif": lambda path, limit: scikit_learn(path, limit, "f_classif"),
    "scikit-learn mutual_info_classif": lambda path, limit: scikit_learn(
        path, limit, "mutual_info_classif", 20
    ),
}


def work(name: str, path: str, limit: int) -> None:
    """Run one work in this process, whose memory is limited from now on; print what it took."""
    import sklearn.feature_selection  # noqa: F401

    from thresher import MRMR  # noqa: F401

    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    with Watch() as memory:
        begin, cpu = time.monotonic(), time.process_time()
        # Reading may use a third; the interpreter and the search use the rest.
        note = WORKS[name](path, limit // 3)
    took = {"seconds": time.monotonic() - begin, "cpu": time.process_time() - cpu}
    print(json.dumps({**took, "anonymous": memory.most, "note": note}))


def measure(name: str, path: Path, limit: int) -> dict[str, object]:
    call = [sys.executable, "-m", "benchmarks.scale.out_of_core", "--work", name]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [*call, "--table", str(path), "--limit", str(limit)],
        capture_output=True,
        text=True,
        env=environment,
    )
    if done.returncode:
        return {"failed": done.stderr.strip().splitlines()[-1]}
    result: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="2 GB instead of 20")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--dictionary", action="store_true", help="pyarrow's default encoding")
    parser.add_argument("--keep", action="store_true", help="leave the table for the next time")
    parser.add_argument("--only", nargs="*", default=list(WORKS))
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--work", help=argparse.SUPPRESS)
    parser.add_argument("--table", help=argparse.SUPPRESS)
    parser.add_argument("--limit", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        work(given.work, given.table, given.limit)
        return
    n_rows = 50_000 if given.quick else 500_000
    limit = 10**9 if given.quick else 2 * 10**9
    encoding = "dictionary" if given.dictionary else "plain"
    path = given.folder / f"thresher-scale-{n_rows}-{encoding}.parquet"
    try:
        if not path.exists():
            make_table(path, n_rows, given.dictionary)
        size = path.stat().st_size / 1e9
        print(
            f"{n_rows} rows x {N_COLUMNS} columns, {size:.1f} GB ({encoding}), memory {limit / 1e9:.2f} GB"
        )
        floor = None
        for name in given.only:
            runs = [measure(name, path, limit) for _ in range(given.repeat)]
            if any("failed" in run for run in runs):
                print(f"{name:34s} {next(run['failed'] for run in runs if 'failed' in run)}")
                continue
            cpu = min(float(run["cpu"]) for run in runs)  # type: ignore[arg-type]
            clock = min(float(run["seconds"]) for run in runs)  # type: ignore[arg-type]
            most = max(float(run["anonymous"]) for run in runs)  # type: ignore[arg-type]
            floor = cpu if name == "decoding once" else floor
            ratio = f"{cpu / floor:5.2f} x decoding" if floor else ""
            print(
                f"{name:34s} {cpu:7.1f} CPU s {clock:7.1f} s {most / 1e6:7.0f} MB {ratio}  {runs[0]['note']}",
                flush=True,
            )
    finally:
        if not given.keep:
            path.unlink(missing_ok=True)
            path.with_suffix(".part").unlink(missing_ok=True)


if __name__ == "__main__":
    main()

"""Measure every selector on large sparse data: seconds, and memory in addition to the data.

    python -m benchmarks.scale.sparse                  100,000 x 100,000 with 5 MB of entries
    python -m benchmarks.scale.sparse --million        1,000,000 x 1,000,000 with 50 MB
    python -m benchmarks.scale.sparse --only MRMR FCBF

Every selector runs in a separate process, which may take 120 CPU seconds, when it is interrupted, and 4 GB of
memory, with one thread. What it had at most is counted without the data themselves, which are there before. Small
counts in columns as rare as words; fifty of them are informative about one of two classes.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

import thresher
from benchmarks.scale.memory import Watch, anonymous_memory
from thresher.cli._options import METHODS, describe_methods

N_INFORMATIVE = 50
SMALL, LARGE = 100_000, 1_000_000
MEMORY = 4 * 10**9
# Selectors whose default is not a number of features, or which evaluate few of them.
SETTINGS: dict[str, dict[str, Any]] = {
    "MRMR": {"relevance": "mi", "redundancy": "mi"},
    "Univariate": {"measure": "mi"},
}
AROUND = {
    f"Ensemble {kind}": lambda kind=kind: thresher.Ensemble(
        thresher.MRMR(relevance="mi", redundancy="mi"), kind=kind, random_state=0
    )
    for kind in ("fast", "full", "inner", "bagging", "halves")
} | {
    "Chain": lambda: thresher.Chain([thresher.MIM(1000), thresher.MRMR()]),
    "ErrorControlled": lambda: thresher.ErrorControlled(random_state=0),
}


def works() -> list[str]:
    takes = [METHODS[found["method"]] for found in describe_methods() if found["sparse"]]
    return [*takes, *AROUND]


def make_selector(name: str) -> Any:
    if name in AROUND:
        return AROUND[name]()
    return getattr(thresher, name)(**SETTINGS.get(name, {}))


def write_problem(path: Path, n: int, form: str) -> None:
    """Write 10 n entries of one byte: of the informative columns, then of others as common as words."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    informative = rng.choice(n, N_INFORMATIVE, replace=False)
    rows, columns = [], []
    for column in informative:
        found = np.flatnonzero(rng.random(n) < np.where(y == 1, 0.015, 0.005))
        rows.append(found)
        columns.append(np.full(len(found), column))
    n_left = 10 * n - sum(map(len, rows))
    frequency = 1 / (20 + np.arange(n))
    rows.append(rng.integers(0, n, n_left))
    columns.append(rng.permutation(n)[rng.choice(n, n_left, p=frequency / frequency.sum())])
    at = np.unique(np.concatenate(rows) * n + np.concatenate(columns))
    counts = np.minimum(rng.geometric(0.8, len(at)), 4).astype(np.int8)
    X = sparse.csr_array((counts, ((at // n).astype(np.int32), (at % n).astype(np.int32))), (n, n))
    X = X.tocsc() if form == "csc" else X
    np.savez(path, data=X.data, indices=X.indices, indptr=X.indptr, y=y)


def read_problem(path: str) -> tuple[Any, np.ndarray]:
    stored = np.load(path)
    make = sparse.csc_array if path.endswith("csc.npz") else sparse.csr_array
    n = len(stored["y"])
    return make((stored["data"], stored["indices"], stored["indptr"]), (n, n)), stored["y"]


def work(name: str, path: str, seconds: str) -> None:
    """Run one fit in this process; print what it took."""
    warnings.simplefilter("ignore")
    X, y = read_problem(path)
    selector = make_selector(name)
    with contextlib.suppress(ValueError):  # imports and the like are not what is measured
        make_selector(name).fit(X[:60][:, :40].toarray() + np.eye(60, 40), y[:60])
    limit = anonymous_memory() + MEMORY
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    # As on Ctrl-C; a fit that does not stop within 30 seconds is killed.
    until = round(time.process_time()) + int(seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (until + 30, until + 30))
    signal.signal(signal.SIGPROF, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_PROF, int(seconds))
    with Watch() as memory, contextlib.suppress(KeyboardInterrupt):
        begin = time.process_time()
        selector.fit(X, y)
    signal.setitimer(signal.ITIMER_PROF, 0)
    took = {"cpu": time.process_time() - begin, "memory": memory.most - memory.before}
    chosen = getattr(selector, "selected_", None)
    ended = "stopped" if chosen is None else f"{len(chosen)} features, first {chosen[:3].tolist()}"
    print(json.dumps({**took, "ended": ended}))


def measure(name: str, path: Path, limit: int) -> str:
    call = [sys.executable, "-m", "benchmarks.scale.sparse", "--work", name, str(path), str(limit)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(call, capture_output=True, text=True, env=environment)
    if done.returncode:
        error = done.stderr.strip().splitlines() or [f"ended with {done.returncode}"]
        return error[-1]
    took = json.loads(done.stdout.splitlines()[-1])
    return f"{took['cpu']:7.1f} s {took['memory'] / 1e6:7.0f} MB  {took['ended']}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--million", action="store_true")
    parser.add_argument("--form", choices=["csr", "csc"], default="csr")
    parser.add_argument("--only", nargs="*", default=works())
    parser.add_argument("--limit", type=int, default=120, help="CPU seconds for each")
    parser.add_argument("--work", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        work(*given.work)
        return
    n = LARGE if given.million else SMALL
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"{n}-{given.form}.npz")
        write_problem(path, n, given.form)
        for name in given.only:
            print(f"{name:18s} {measure(name, path, given.limit)}", flush=True)


if __name__ == "__main__":
    main()

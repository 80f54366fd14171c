"""What an ensemble costs: Fast Ensemble, full ensemble and one plain run, for 5, 10 and 20 parts.

``make reproduce-ensemble_speed``; ARGS="--quick" leaves out the tall data, ARGS="--peers" adds
pymrmre's ensemble, installed in a separate environment. One thread; the least of several runs.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.folders import ROOT, load_set
from thresher import MRMR, Ensemble

PARTS = (5, 10, 20)


def tall_codes(n_rows: int = 100_000, n_features: int = 500) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n_rows)
    X = rng.integers(0, 8, (n_rows, n_features), dtype=np.uint8)
    for feature in range(0, n_features, 20):
        copied = rng.random(n_rows) < 0.1 + 0.5 * rng.random()
        X[copied, feature] = y[copied] * (1 + feature % 3)
    return X, y


def noise_codes(n_rows: int = 100_000, n_features: int = 500) -> tuple[Any, Any]:
    """Return codes whose parts agree on nothing."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 8, (n_rows, n_features), dtype=np.uint8)
    return X, rng.integers(0, 2, n_rows)


def tall_floats(n_rows: int = 200_000, n_features: int = 200) -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, n_rows)
    X = rng.standard_normal((n_rows, n_features))
    X += rng.standard_normal((n_rows, 5)) @ (0.4 * rng.standard_normal((5, n_features)))
    X[:, ::10] += y[:, None] * 0.5 * rng.random(n_features // 10)
    return X, y


WORKS: list[tuple[str, Callable[[], tuple[Any, Any]], int, bool]] = [
    ("leukemia, k=50", lambda: load_set("leukemia"), 50, False),
    ("nci9, k=50", lambda: load_set("nci9"), 50, False),
    ("100,000 x 500 integers 0..7, k=20", tall_codes, 20, True),
    ("200,000 x 200 float64, k=20", tall_floats, 20, True),
    ("100,000 x 500 integers 0..7, k=50 of 25 informative", tall_codes, 50, True),
    ("100,000 x 500 codes of noise, k=20", noise_codes, 20, True),
]


CLOCK = {"read": time.perf_counter}


def least(run: Callable[[], object], seconds: float = 2.0, most: int = 15) -> float:
    """Return the least of several times, about `seconds` in all but at least one run."""
    times: list[float] = []
    while len(times) < most and (not times or sum(times) < seconds):
        start = CLOCK["read"]()
        run()
        times.append(CLOCK["read"]() - start)
    return min(times)


def measure(title: str, X: Any, y: Any, k: int) -> None:
    plain = least(lambda: MRMR(k).fit(X, y))
    naive = least(lambda: MRMR(k, strategy="naive").fit(X, y))
    print(f"\n{title}: plain run {1e3 * plain:.1f} ms, not lazy {1e3 * naive:.1f} ms")
    print("  e      fast      full   e x not lazy   fast / plain   fast / (e x not lazy)")
    for e in PARTS:
        fast = least(lambda e=e: Ensemble(MRMR(k), e).fit(X, y))
        full = least(lambda e=e: Ensemble(MRMR(k), e, kind="full").fit(X, y))
        print(
            f"{e:3d}  {1e3 * fast:8.1f}  {1e3 * full:8.1f}  {1e3 * e * naive:12.1f} ms"
            f"  {fast / plain:12.2f}  {fast / (e * naive):18.3f}",
            flush=True,
        )


PEER = """
import json, sys, time
import numpy as np, pandas as pd
from pymrmre import mrmr
data = np.load(sys.argv[1])
X = pd.DataFrame(data["X"].astype(float), columns=[f"f{i}" for i in range(data["X"].shape[1])])
y = pd.DataFrame({"y": data["y"].astype(float)})
start = time.perf_counter()
found = mrmr.mrmr_ensemble(features=X, targets=y, solution_length=int(sys.argv[2]),
                           solution_count=int(sys.argv[3]), method="exhaustive")
print(json.dumps(time.perf_counter() - start))
"""


def peer(name: str, k: int, e: int, limit: float) -> None:
    """Run the ensemble of pymrmre: its exhaustive tree, Pearson on the codes; another estimator than ours."""
    python = ROOT / ".venv-peers" / "pymrmre" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", python.parents[1]], check=True)
        pip = [python, "-m", "pip", "install", "-q"]
        needs = [
            "cython<3",
            "numpy<2",
            "setuptools<70",
            "wheel",
            "pandas<2",
            "scipy",
            "scikit-learn",
        ]
        subprocess.run([*pip, *needs], check=True)
        subprocess.run([*pip, "--no-build-isolation", "pymrmre"], check=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.npz"
        X, y = load_set(name)
        np.savez(path, X=X, y=y)
        command = [python, "-c", PEER, path, str(k), str(e)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
        except subprocess.TimeoutExpired:
            print(f"  {name}, k={k}, e={e}: pymrmre took more than {limit:g} s")
            return
    if done.returncode != 0:
        print(f"  {name}: pymrmre failed: {done.stderr.strip().splitlines()[-1]}")
        return
    theirs = json.loads(done.stdout.strip().splitlines()[-1])
    ours = least(lambda: Ensemble(MRMR(k), e).fit(X, y))
    print(f"  {name}, k={k}, e={e}: pymrmre {theirs:.2f} s, ours {1e3 * ours:.1f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="without the tall data")
    parser.add_argument("--peers", action="store_true", help="with pymrmre")
    parser.add_argument("--limit", type=float, default=120.0, help="seconds for a peer")
    parser.add_argument("--cpu", action="store_true", help="processor time, on a busy machine")
    options = parser.parse_args()
    if options.cpu:
        CLOCK["read"] = time.process_time
    warnings.simplefilter("ignore")
    for title, data, k, tall in WORKS:
        if not (tall and options.quick):
            measure(title, *data(), k)
    if options.peers:
        print("\nCompared with pymrmre (exhaustive ensemble, Pearson on the codes)")
        peer("leukemia", 50, 20, options.limit)
        peer("nci9", 50, 20, options.limit)


if __name__ == "__main__":
    main()

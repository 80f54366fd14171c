"""Times of consistency-based selection, from the array to the fitted selector, on one thread.

``python -m benchmarks.speed.consistency [--quick] [--weka]`` prints milliseconds (median and range
of the repeats), peak memory, the ratio to LCC, what ranking by SU takes alone, how time grows with
rows and features, and, with ``--weka``, the time of Weka's ConsistencySubsetEval (greedy forward
search) on the same data. Weka is looked for as ``/usr/share/java/weka.jar`` (Debian's package
``weka``) or where WEKA_JAR says.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import tempfile
import time
import tracemalloc
from pathlib import Path

import numpy as np

from benchmarks.reproduction.published_consistency import NotHere, load
from thresher import ASDCC, CWC, INTERACT, LCC, MRMR, SDCC, SWCFS

SELECTORS = {
    "LCC": LCC,
    "FSDCC": SDCC,
    "ASDCC": ASDCC,
    "SWCFS": SWCFS,
    "INTERACT": INTERACT,
    "CWC": CWC,
}
# Jars, separated as in a Java class path; Debian's Weka needs cup.jar next to it.
WEKA_JAR = os.environ.get("WEKA_JAR", "/usr/share/java/weka.jar:/usr/share/java/cup.jar")


def wide_codes(n_rows: int, n_features: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return codes of three levels; one feature in a thousand follows the class, the later ones less."""
    rng = np.random.default_rng([seed, n_rows, n_features])
    y = rng.integers(0, 2, n_rows).astype(np.uint8)
    X = rng.integers(0, 3, (n_rows, n_features), dtype=np.uint8)
    for feature in range(0, n_features, 1000):
        copied = rng.random(n_rows) < 0.6 * rng.random()
        X[copied, feature] = y[copied]
    return X, y


def microarray(name: str, n_rows: int, n_features: int) -> tuple[str, np.ndarray, np.ndarray]:
    try:
        X, y = load(name)
    except NotHere:
        return f"synthetic, sized as {name}", *wide_codes(n_rows, n_features)
    return name, X, y


def timed(selector: object, X: np.ndarray, y: np.ndarray, repeats: int) -> np.ndarray:
    """Return wall and processor seconds of each repeat; the first, which loads everything, is left out."""
    seconds = []
    for _ in range(repeats + 1):
        start = time.perf_counter(), time.process_time()
        selector.fit(X, y)
        seconds.append((time.perf_counter() - start[0], time.process_time() - start[1]))
    return np.array(seconds[1:])


def peak_extra(selector: object, X: np.ndarray, y: np.ndarray) -> float:
    """Return MiB of Python and NumPy memory beyond the input at the peak."""
    tracemalloc.start()
    selector.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def compare(title: str, X: np.ndarray, y: np.ndarray, repeats: int) -> None:
    print(f"\n{title}: {X.shape[0]:,} rows x {X.shape[1]:,} features, {X.dtype}")
    base = None
    for name, selector in SELECTORS.items():
        fitted = selector()
        seconds, processor = timed(fitted, X, y, repeats).T
        best = processor.min()
        base = base or best
        print(
            f"  {name:9s}{1e3 * np.median(seconds):9.1f} ms  ({1e3 * seconds.min():.1f} .. "
            f"{1e3 * seconds.max():.1f}), processor {1e3 * best:.1f} ms, {best / base:.2f} x LCC  "
            f"{len(fitted.selected_):3d} features, {fitted.n_evaluations_:,d} evaluations, "
            f"{peak_extra(fitted, X, y):.0f} MiB"
        )
    ranking = timed(MRMR(1, relevance="su"), X, y, repeats)[:, 1].min()
    print(f"  the best feature by SU alone: {1e3 * ranking:.1f} ms, {ranking / base:.2f} x LCC")


def decided_by_six(n_rows: int, n_features: int) -> tuple[np.ndarray, np.ndarray]:
    """Return codes of three levels; the class is a function of six features, the others are noise."""
    rng = np.random.default_rng([1, n_rows, n_features])
    X = rng.integers(0, 3, (n_rows, n_features), dtype=np.uint8)
    return X, (X[:, :6].sum(axis=1) > 6).astype(np.uint8)


def pure_noise(n_rows: int, n_features: int) -> tuple[np.ndarray, np.ndarray]:
    """Return codes of three levels and an independent class: the result grows with the logarithm of the rows."""
    rng = np.random.default_rng([2, n_rows, n_features])
    X = rng.integers(0, 3, (n_rows, n_features), dtype=np.uint8)
    return X, rng.integers(0, 2, n_rows, dtype=np.uint8)


def n_sets(selector: object) -> int:
    """Count the sets of features whose risk the result needs, without those that the border spares."""
    if isinstance(selector, LCC):
        return len(selector.selected_) + 1
    spared = 0 if isinstance(selector, SWCFS) else selector.n_useless_
    return selector.n_evaluations_ - spared


def slopes(quick: bool) -> None:
    """Print how time grows, on an easy and on the hardest kind of data: 1 is linear."""
    rows = (10_000, 20_000, 40_000) if quick else (20_000, 40_000, 80_000, 160_000)
    features = (5_000, 10_000, 20_000) if quick else (12_500, 25_000, 50_000, 100_000)
    print("\nSlope of log time over log size (1 = linear)")
    for title, data in (("class decided by six features", decided_by_six), ("noise", pure_noise)):
        print(f" {title}:")
        for name in ("LCC", "FSDCC", "ASDCC", "SWCFS"):
            found, sets = [], []
            for sizes, shape in ((rows, lambda n: (n, 200)), (features, lambda p: (800, p))):
                best = []
                for size in sizes:
                    selector = SELECTORS[name]()
                    best.append(timed(selector, *data(*shape(size)), 5)[:, 1].min())
                    sets.append(n_sets(selector))
                found.append(np.polyfit(np.log(sizes), np.log(best), 1)[0])
            print(
                f"  {name:9s}rows {found[0]:.2f}, features {found[1]:.2f}; risks evaluated "
                f"{sets[0]} at {rows[0]:,} rows, {sets[len(rows) - 1]} at {rows[-1]:,}"
            )


def weka(title: str, X: np.ndarray, y: np.ndarray) -> None:
    """Print the seconds of Weka's forward search on the same data, its start included."""
    jar = WEKA_JAR.split(os.pathsep)[0]
    if not Path(jar).exists() or shutil.which("java") is None:
        print(f"\nWeka: no {jar} or no java; install Debian's package weka, or set WEKA_JAR")
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.arff"
        with path.open("w", encoding="ascii") as file:
            file.write("@relation data\n")
            for f in range(X.shape[1]):
                values = ",".join(f"v{v}" for v in np.unique(X[:, f]))
                file.write(f"@attribute f{f} {{{values}}}\n".replace("v-", "vm"))
            labels = ",".join(f"c{c}" for c in np.unique(y))
            file.write(f"@attribute class {{{labels}}}\n@data\n")
            for row, label in zip(X, y, strict=True):
                file.write(",".join(f"v{v}".replace("v-", "vm") for v in row) + f",c{label}\n")
        command = ["java", "-cp", WEKA_JAR, "weka.attributeSelection.ConsistencySubsetEval"]
        command += ["-i", str(path), "-s", "weka.attributeSelection.GreedyStepwise"]
        start = time.perf_counter()
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
        except subprocess.TimeoutExpired:
            print(f"\nWeka ConsistencySubsetEval, {title}: more than 600 s")
            return
        seconds = time.perf_counter() - start
    chosen = re.search(r"Selected attributes: .*?: (\d+)", done.stdout)
    size = chosen[1] if chosen else "?"
    print(f"\nWeka ConsistencySubsetEval, {title}: {seconds:.1f} s, {size} features")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the features, two repeats")
    parser.add_argument("--weka", action="store_true", help="run Weka too, if it is installed")
    arguments = parser.parse_args()
    repeats = 2 if arguments.quick else 5
    arrays = [microarray("leukemia", 72, 7070), microarray("nci9", 60, 9712)]
    for array in arrays:
        compare(*array, repeats=5)
    compare("wide", *wide_codes(800, 10_000 if arguments.quick else 100_000), repeats=repeats)
    slopes(arguments.quick)
    if arguments.weka:
        weka(*arrays[0])


if __name__ == "__main__":
    main()

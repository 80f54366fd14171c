"""GBC+ against GBC, on microarrays: the claims of chapter 5 of Pino Angulo's thesis, with unbiased scores.

``make reproduce-two_stage``; ARGS="--seeds 2" for a quick form, ARGS="--minutes 20" to start no seed after that time.

1. Nested accuracy (five shuffled outer folds; pool, search and final SVM inside each), what the searches believed,
   features, sets scored and processor seconds of a search: mean over the seeds with its 95 % interval, and the
   difference of the variants, seed by seed.
2. How many evaluations the table of scored sets and the two stopping rules save: one search without rules for each
   seed, on all rows, of which a search with a rule is the beginning.
3. What the filter takes of the time.

The thesis' numbers stand below; its data sets cannot be identified with these.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
from scipy import stats
from sklearn.model_selection import StratifiedKFold

from benchmarks.folders import DATA_FOLDER
from benchmarks.reproduction.kept import Parts
from benchmarks.reproduction.published_two_stage import BEES, FILTER_SECONDS, SAVED, TIME_SAVED
from thresher import GBC, MRMR, MRMRGA
from thresher.evaluate import nested_score

DATA = ("allaml", "cns", "colon_raw", "dlbcl", "prostate_ge", "srbct")
VARIANTS = ("original", "plus")
MEASURED = ("accuracy", "believed", "features", "evaluations", "seconds")
TARGET = GBC().target_score


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    with np.load(DATA_FOLDER / f"{name}.npz", allow_pickle=False) as file:
        return np.asarray(file["X"], dtype=np.float64), file["y"]


def nested(name: str, seed: int, variant: str) -> dict[str, float]:
    """Run one nested cross-validation."""
    X, y = load(name)
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    start = time.process_time()
    found = nested_score(GBC(variant=variant, random_state=seed), X, y, cv=folds)
    seconds = (time.process_time() - start) / 5
    return {
        "accuracy": found.mean,
        "believed": float(found.inner_scores.mean()),
        "features": float(np.mean([len(features) for features in found.selected])),
        "evaluations": float(np.mean([fitted.n_evaluations_ for fitted in found.selectors])),
        "seconds": seconds,
    }


def savings(name: str, seed: int, _: str) -> dict[str, float]:
    """Return the shares of evaluations that rules and table each save of a search without them."""
    X, y = load(name)
    size = len(GBC(max_cycles=1, population=1, random_state=seed).fit(X, y).pool_)
    settings = {"pool": size, "max_pool": size, "target_score": None, "random_state": seed}
    full, seconds = timed(GBC(**settings, patience=None), X, y)
    patient, patient_seconds = timed(GBC(**settings), X, y)  # the same search until it ends
    aiming = GBC(**{**settings, "target_score": TARGET}, patience=None)
    _, aiming_seconds = timed(aiming, X, y)
    calls, scored = full.trace_["n_fitness_calls"], full.trace_["n_evaluations"]
    reached = np.flatnonzero(full.trace_["best"] >= TARGET)
    target = int(reached[0]) if len(reached) else -1
    end = scored[target]
    if patient.n_fitness_calls_ < calls[target]:
        end = patient.n_evaluations_
    return {
        "target_score": 1 - calls[target] / calls[-1],
        "patience": 1 - patient.n_fitness_calls_ / calls[-1],
        "table": 1 - scored[-1] / calls[-1],
        "all": 1 - end / calls[-1],
        "target_score, time": 1 - aiming_seconds / seconds,
        "patience, time": 1 - patient_seconds / seconds,
    }


def timed(selector: Any, X: np.ndarray, y: np.ndarray) -> tuple[Any, float]:
    """Return the fitted selector, and the processor seconds it took."""
    start = time.process_time()
    return selector.fit(X, y), time.process_time() - start


def stages(name: str, seed: int, _: str) -> dict[str, float]:
    """Return processor seconds of the pool, by MRMR and by MRMR+, of GBC and of MRMR-GA on all rows."""
    X, y = load(name)
    selectors = {
        "MRMR": MRMR(50, relevance="mi", redundancy="mi", strategy="naive"),
        "MRMR+": MRMR(50, relevance="mi", redundancy="mi"),
        "GBC": GBC(variant="original", random_state=seed),
        "GBC+": GBC(random_state=seed),
        "MRMR-GA": MRMRGA(random_state=seed),
    }
    return {label: timed(selector, X, y)[1] for label, selector in selectors.items()}


WORK = {"nested": nested, "savings": savings, "stages": stages}
Task = tuple[str, str, int, str]


def run(task: Task) -> dict[str, float]:
    kind, *rest = task
    return WORK[kind](*rest)


def tasks(names: list[str], n_seeds: int) -> Iterator[Task]:
    """Yield tasks seed by seed, so that every cell has as many whenever one stops."""
    for seed in range(n_seeds):
        for name in names:
            for variant in VARIANTS:
                yield "nested", name, seed, variant
            yield "savings", name, seed, ""
            if seed == 0:
                yield "stages", name, seed, ""


Results = dict[tuple[str, str, str], list[dict[str, float]]]


def gather(
    names: list[str], n_seeds: int, minutes: float, n_jobs: int, parts: Parts
) -> tuple[int, Results]:
    """Return results by kind of work, data set and variant, and the number of seeds that all have."""
    start = time.monotonic()
    waiting = list(tasks(names, n_seeds))
    per_seed = 3 * len(names)
    results: Results = {}
    done = 0
    with ProcessPoolExecutor(n_jobs) as pool:
        while done < n_seeds:
            first = done * per_seed + (len(names) if done else 0)
            some = waiting[first : first + per_seed + (0 if done else len(names))]
            left = [task for task in some if str(task) not in parts.found]
            for task, outcome in zip(left, pool.map(run, left), strict=True):
                parts.put({str(task): outcome})
            for task in some:
                results.setdefault((task[0], task[1], task[3]), []).append(parts.found[str(task)])
            done += 1
            print(
                f"\r{done} of {n_seeds} seeds, {time.monotonic() - start:.0f} s", end="", flush=True
            )
            if time.monotonic() - start > 60 * minutes:
                break
    print()
    return done, results


def interval(values: Any) -> tuple[float, float]:
    """Return the mean and the half-width of its 95 % interval (Student's t)."""
    array = np.asarray(values, dtype=float)
    if len(array) < 2:
        return float(array.mean()), float("nan")
    error = array.std(ddof=1) / np.sqrt(len(array))
    return float(array.mean()), float(stats.t.ppf(0.975, len(array) - 1) * error)


def print_nested(names: list[str], results: Results) -> None:
    print(
        "\n1. Nested accuracy, what the search believed, features, sets scored, processor seconds"
    )
    print(f"{'':<14}{'':<10}" + "".join(f"{name:>18}" for name in MEASURED))
    for name in names:
        rows = {variant: results["nested", name, variant] for variant in VARIANTS}
        for variant in VARIANTS:
            cells = [interval([row[m] for row in rows[variant]]) for m in MEASURED]
            print_cells(name if variant == "original" else "", variant, cells)
        differences = [
            interval([b[m] - a[m] for a, b in zip(*rows.values(), strict=True)]) for m in MEASURED
        ]
        print_cells("", "difference", differences)
    print("\nover all data sets, the difference plus - original, seed by seed")
    for measured in MEASURED:
        means = [
            np.mean([r[measured] for r in results["nested", name, "plus"]])
            - np.mean([r[measured] for r in results["nested", name, "original"]])
            for name in names
        ]
        mean, half = interval(means)
        print(f"  {measured:<12}{mean:+9.3f} ± {half:.3f}   {verdict(measured, mean, half)}")
    print("\nthe thesis, Tables 5.2 to 5.4 (its accuracy is not nested)")
    for name, row in BEES.items():
        print(
            f"  {name}: accuracy {row.accuracy[0]:.2f} -> {row.accuracy[1]:.2f}, "
            f"genes {row.genes[0]} -> {row.genes[1]}, seconds {row.seconds[0]:g} -> {row.seconds[1]:g}"
        )
    print("change from original to plus, mean over the data sets: thesis, ours, difference")
    for label, index in (("accuracy", 0), ("genes", 2)):
        theirs = float(np.mean([np.diff(row[index])[0] for row in BEES.values()]))
        measured = "features" if label == "genes" else label
        print_comparison(label, theirs, mean_change(measured, names, results))
    theirs = [row.seconds[0] / row.seconds[1] for row in BEES.values()]
    ours = [
        mean_of(results["nested", name, "original"], "seconds")
        / mean_of(results["nested", name, "plus"], "seconds")
        for name in names
    ]
    print_comparison("times faster", *(float(stats.gmean(ratios)) for ratios in (theirs, ours)))


def mean_of(rows: list[dict[str, float]], measured: str) -> float:
    return float(np.mean([row[measured] for row in rows]))


def mean_change(measured: str, names: list[str], results: Results) -> float:
    return float(
        np.mean(
            [
                mean_of(results["nested", name, "plus"], measured)
                - mean_of(results["nested", name, "original"], measured)
                for name in names
            ]
        )
    )


def print_comparison(label: str, theirs: float, ours: float) -> None:
    print(f"  {label:<16}{theirs:+9.2f}{ours:+9.2f}{ours - theirs:+9.2f}")


def verdict(measured: str, mean: float, half: float) -> str:
    if not abs(mean) > half:
        return "no significant difference"
    if measured == "believed":
        return "the searches believe more" if mean > 0 else "the searches believe less"
    better = (mean > 0) == (measured == "accuracy")
    return "the improvement is confirmed" if better else "worse"


def print_cells(name: str, variant: str, cells: list[tuple[float, float]]) -> None:
    texts = []
    for measured, (mean, half) in zip(MEASURED, cells, strict=True):
        digits = (
            3 if measured in ("accuracy", "believed") else (0 if measured == "evaluations" else 1)
        )
        digits = 2 if measured == "seconds" else digits
        texts.append(f"{f'{mean:.{digits}f} ± {half:.{digits}f}':>18}")
    print(f"{name:<14}{variant:<10}{''.join(texts)}")


def print_savings(names: list[str], results: Results) -> None:
    heads = ("target_score", "patience", "table", "all")
    print("\n2. Per cent of evaluations saved, GBC+")
    print(f"{'':<14}" + "".join(f"{head:>16}" for head in heads))
    for name in names:
        rows = results["savings", name, ""]
        cells = [interval([100 * row[head] for row in rows]) for head in heads]
        print(f"{name:<14}" + "".join(f"{f'{m:.0f} ± {h:.0f}':>16}" for m, h in cells))
    print("the thesis, Table 5.1 (its columns come from different runs)")
    means = {
        head: float(np.mean([100 * mean_of(results["savings", n, ""], head) for n in names]))
        for head in results["savings", names[0], ""][0]
    }
    print_saved(SAVED, [means[head] for head in heads])
    print(
        "per cent of time saved; searches without the table of scored sets are not part of this package"
    )
    timed_heads = [means.get(f"{head}, time") for head in heads]
    print_saved(TIME_SAVED, timed_heads)


def print_saved(table: dict[str, tuple[int | None, ...]], ours: list[float | None]) -> None:
    for name, row in table.items():
        print(f"{name:<14}" + "".join(f"{'-' if v is None else v:>16}" for v in row))
    cells = ["-" if value is None else f"{value:.0f}" for value in ours]
    print(f"{'ours, average':<14}" + "".join(f"{cell:>16}" for cell in cells))
    pairs = zip(ours, table["average"], strict=True)
    cells = ["-" if a is None or b is None else f"{a - b:+.0f}" for a, b in pairs]
    print(f"{'difference':<14}" + "".join(f"{cell:>16}" for cell in cells))


def print_stages(names: list[str], results: Results) -> None:
    heads = ("MRMR", "MRMR+", "GBC", "GBC+", "MRMR-GA")
    print("\n3. Processor seconds on all rows; MRMR and MRMR+ choose a pool of 50 features")
    print(f"{'':<14}" + "".join(f"{head:>12}" for head in heads))
    rows = [results["stages", name, ""][0] for name in names]
    for name, row in zip(names, rows, strict=True):
        print(f"{name:<14}" + "".join(f"{row[head]:>12.3f}" for head in heads))
    print(
        "per cent of the time that the filter takes, mean over the data sets: thesis (Table 4.6), ours, difference"
    )
    shares = [
        [row[i] / row[i + 1] for i in range(0, len(row), 2)] for row in FILTER_SECONDS.values()
    ]
    cases = [(search, filter_) for search in ("GBC", "MRMR-GA") for filter_ in ("MRMR", "MRMR+")]
    for (search, filter_), theirs in zip(cases, np.mean(shares, axis=0), strict=True):
        # Searches choose their pool by MRMR+, the same pool in less time.
        ours = [row[filter_] / (row[search] - row["MRMR+"] + row[filter_]) for row in rows]
        print_comparison(f"{filter_} in {search}", 100 * float(theirs), 100 * float(np.mean(ours)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--minutes", type=float, default=1e9, help="start no seed after this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    names = [name for name in DATA if (DATA_FOLDER / f"{name}.npz").exists()]
    if not names:
        raise SystemExit(f"none of {', '.join(DATA)} in {DATA_FOLDER} (THRESHER_DATA)")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    parts = Parts("two_stage")
    done, results = gather(names, options.seeds, options.minutes, options.jobs, parts)
    print(f"{done} seeds; ± is half of a 95 % interval")
    print_nested(names, results)
    print_savings(names, results)
    print_stages(names, results)
    parts.remove()


if __name__ == "__main__":
    main()

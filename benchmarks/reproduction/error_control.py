"""Selections with a promise, on data whose truth is known: what was promised beside what came out.

``make reproduce-error_control``; ARGS="--sets 100" for a quick form, ARGS="--minutes 20" to stop with the sets done.

Data: 200 samples of 200 features in 20 blocks of 10, independent or AR(0.8) within a block; y is a coin (*null*), or
logistic in ten features of five blocks, 0.7 each (*signal*). A feature is false if it is independent of y: AR(0.8)
makes all features of a block with a cause true. *Null* is the share of null sets with a selection, which is their false
discovery rate, *FDR* that of the sets with signal, *found* the share of the five blocks of which a true feature was
selected. Earlier numbers, of 300 sets, stand below.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from thresher import JMI, MRMR, Ensemble, ErrorControlled
from thresher.evaluate import error_bound

N_SAMPLES = N_FEATURES = 200
BLOCK, N_CAUSAL_BLOCKS, EFFECT = 10, 5, 0.7
CAUSES = np.sort(np.r_[0:N_CAUSAL_BLOCKS, 0:N_CAUSAL_BLOCKS] * BLOCK + np.repeat([2, 7], 5))
LEVEL, K, N_PERMUTATIONS = 0.2, 10, 20
CUTOFFS, N_PAIRS = (0.6, 0.75, 0.9), 25
DESIGNS = ("independent", "AR(0.8)")

SEARCHES = {
    "MRMR difference, |r|": MRMR(K, relevance="pearson", redundancy="pearson", n_jobs=1),
    "MRMR quotient, F": MRMR(K, relevance="f", redundancy="pearson", n_jobs=1),
    "JMI": JMI(K, n_jobs=1),
}
GATES: dict[str, dict[str, Any]] = {
    "gate, permutations": {},
    "gate, analytic": {"pvalues": "analytic"},
    "gate, any dependence": {"dependence": "any"},
    "compete": {"method": "compete"},
}
NO_CONTROL = "no control, first 10"
PROMISED = tuple(GATES)

# Null, FDR, found of independent features, then of AR(0.8).
EARLIER = {
    ("MRMR difference, |r|", "gate, permutations"): (0.147, 0.134, 0.80, 0.143, 0.051, 0.96),
    ("MRMR difference, |r|", "gate, analytic"): (0.147, 0.134, 0.81, 0.127, 0.051, 0.97),
    ("MRMR difference, |r|", "compete"): (0.027, 0.104, 0.60, 0.010, 0.046, 0.87),
    ("MRMR difference, |r|", NO_CONTROL): (1, 0.247, 0.92, 1, 0.075, 0.98),
    ("MRMR quotient, F", "gate, permutations"): (0.147, 0.134, 0.80, 0.143, 0.054, 0.96),
    ("MRMR quotient, F", "compete"): (0.040, 0.072, 0.27, 0.007, 0.065, 0.54),
    ("MRMR quotient, F", NO_CONTROL): (1, 0.284, 0.91, 1, 0.131, 0.98),
    ("JMI", "gate, permutations"): (0.210, 0.158, 0.39, 0.173, 0.050, 0.83),
    ("JMI", "gate, analytic"): (0.270, 0.166, 0.42, 0.190, 0.052, 0.84),
    ("JMI", "compete"): (0.050, 0.072, 0.16, 0.027, 0.048, 0.71),
}
# False features on nulls and with signal, share of blocks found; independent, then AR(0.8).
EARLIER_HALVES = {
    0.6: (0.34, 0.13, 0.54, 0.30, 0.007, 0.39),
    0.75: (0.06, 0.03, 0.29, 0.04, 0.007, 0.16),
    0.9: (0.013, 0.01, 0.12, 0.0, 0.0, 0.04),
}


def simulate(seed: int, design: str, signal: bool) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng((seed, DESIGNS.index(design), signal))
    X = rng.standard_normal((N_SAMPLES, N_FEATURES))
    if design != "independent":
        for feature in range(N_FEATURES):
            if feature % BLOCK:
                X[:, feature] = 0.8 * X[:, feature - 1] + 0.6 * X[:, feature]
    strength = EFFECT * X[:, CAUSES].sum(axis=1) if signal else np.zeros(N_SAMPLES)
    return X, (rng.random(N_SAMPLES) < 1 / (1 + np.exp(-strength))).astype(int)


def true_features(design: str, signal: bool) -> np.ndarray:
    true = np.zeros(N_FEATURES, dtype=bool)
    if signal and design == "independent":
        true[CAUSES] = True
    elif signal:
        true[: N_CAUSAL_BLOCKS * BLOCK] = True
    return true


def judge(selected: np.ndarray, true: np.ndarray) -> tuple[int, int, float]:
    """Features selected, false ones among them, share of the causal blocks found."""
    hit = selected[true[selected]]
    return len(selected), len(selected) - len(hit), len(set(hit // BLOCK)) / N_CAUSAL_BLOCKS


Outcome = dict[tuple[str, str], tuple[int, int, float]]


def one_set(task: tuple[int, str, bool]) -> tuple[str, bool, Outcome]:
    """What every method selects from one data set."""
    warnings.simplefilter("ignore")
    seed, design, signal = task
    X, y = simulate(*task)
    true = true_features(design, signal)
    outcome: Outcome = {}
    for name, search in SEARCHES.items():
        for how, options in GATES.items():
            controlled = ErrorControlled(
                search, LEVEL, n_permutations=N_PERMUTATIONS, random_state=seed, **options
            )
            outcome[name, how] = judge(controlled.fit(X, y).selected_, true)
        outcome[name, NO_CONTROL] = judge(search.fit(X, y).selected_, true)
    halves = Ensemble(
        SEARCHES["MRMR difference, |r|"], 20, kind="halves", n_pairs=N_PAIRS, random_state=seed
    )
    votes = np.round(halves.fit(X, y).votes_ * 2 * N_PAIRS)
    for cutoff in CUTOFFS:
        chosen = np.flatnonzero(votes >= np.ceil(2 * N_PAIRS * cutoff - 1e-9))
        outcome["halves", f"{cutoff}"] = judge(chosen, true)
    return design, signal, outcome


def tasks(n_sets: int) -> Iterator[tuple[int, str, bool]]:
    """Interleaved, so that every cell has as many sets whenever one stops."""
    for seed in range(n_sets):
        for design in DESIGNS:
            yield from ((seed, design, signal) for signal in (False, True))


Cell = tuple[str, bool, str, str]


def run(n_sets: int, minutes: float, n_jobs: int) -> tuple[int, dict[Cell, np.ndarray]]:
    """All outcomes by design, signal, search and method: a row (selected, false, found) per set."""
    start = time.monotonic()
    gathered: dict[Cell, list[tuple[int, int, float]]] = {}
    done = 0
    waiting = tasks(n_sets)
    with ProcessPoolExecutor(n_jobs) as pool:
        while some := list(islice(waiting, 40)):
            for design, signal, outcome in pool.map(one_set, some):
                for key, value in outcome.items():
                    gathered.setdefault((design, signal, *key), []).append(value)
            done += len(some) // 4
            print(f"\r{done} of {n_sets} sets per cell", end="", flush=True)
            if time.monotonic() - start > 60 * minutes:
                break
    print()
    return done, {cell: np.array(rows, dtype=float) for cell, rows in gathered.items()}


def false_share(rows: np.ndarray) -> tuple[float, float]:
    """Mean share of false features and its standard error."""
    shares = rows[:, 1] / np.maximum(rows[:, 0], 1)
    return mean_and_error(shares)


def mean_and_error(values: np.ndarray) -> tuple[float, float]:
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values)))


def verdict(shares: Iterable[tuple[float, float]]) -> str:
    return "kept" if all(mean <= LEVEL + 2 * error for mean, error in shares) else "PASSED"


def print_gates(results: dict[Cell, np.ndarray]) -> None:
    print(f"\nGate, then search, at most {K} features; nominal {LEVEL}")
    print(
        f"{'':<22}{'':<22}" + "".join(f"{design + ': null, FDR, found':>36}" for design in DESIGNS)
    )
    for name in SEARCHES:
        for how in (*GATES, NO_CONTROL):
            ours: list[str] = []
            shares = []
            for design in DESIGNS:
                null, signal = (results[design, s, name, how] for s in (False, True))
                found = signal[:, 2].mean()
                shares += [false_share(null), false_share(signal)]
                texts = [f"{mean:.3f}±{error:.3f}" for mean, error in shares[-2:]]
                ours.append(f"{texts[0]:>14}{texts[1]:>14}{found:8.2f}")
            promise = f"   {verdict(shares)}" if how in PROMISED else ""
            print(f"{name:<22}{how:<22}{''.join(ours)}{promise}")
            earlier = EARLIER.get((name, how))
            if earlier:
                text = "".join(
                    f"{a:>14.3f}{b:>14.3f}{c:8.2f}" for a, b, c in (earlier[:3], earlier[3:])
                )
                print(f"{'':<22}{'  earlier':<22}{text}")


def print_halves(results: dict[Cell, np.ndarray]) -> None:
    print(
        f"\n{2 * N_PAIRS} halves of 20 parts, MRMR difference on |r|, q = {K}: mean number of false features"
    )
    print(f"{'cutoff':<9}{'bound none / r-concave':<25}", end="")
    print("".join(f"{design + ': null, signal, found':>36}" for design in DESIGNS))
    for cutoff in CUTOFFS:
        none, concave = (
            error_bound(N_FEATURES, K, cutoff, n_pairs=N_PAIRS, assumption=assumption)
            for assumption in ("none", "r-concave")
        )
        texts, worst = [], 0.0
        for design in DESIGNS:
            rows = [results[design, signal, "halves", f"{cutoff}"] for signal in (False, True)]
            counts = [mean_and_error(some[:, 1]) for some in rows]
            worst = max(worst, *(mean for mean, _ in counts))
            a, b = (f"{mean:.3f}±{error:.3f}" for mean, error in counts)
            texts.append(f"{a:>14}{b:>14}{rows[1][:, 2].mean():8.2f}")
        kept = "kept, r-concave " + ("kept" if worst <= concave else "PASSED")
        print(
            f"{cutoff:<9}{f'{none:.3f} / {concave:.3f}':<25}{''.join(texts)}"
            f"   none {kept if worst <= none else 'PASSED'}"
        )
        old = EARLIER_HALVES[cutoff]
        text = "".join(f"{a:>14.3f}{b:>14.3f}{c:8.2f}" for a, b, c in (old[:3], old[3:]))
        print(f"{'':<9}{'  earlier':<25}{text}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sets", type=int, default=1000, help="data sets per cell")
    parser.add_argument("--minutes", type=float, default=np.inf, help="stop after so long")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--picture", type=Path, help="where to draw the result, such as x.svg")
    options = parser.parse_args()
    n_sets, results = run(options.sets, options.minutes, options.jobs)
    print(f"{n_sets} null sets and {n_sets} sets with signal for each design")
    print_gates(results)
    print_halves(results)
    if options.picture:
        draw(results, n_sets, options.picture)


def draw(results: dict[Cell, np.ndarray], n_sets: int, path: Path) -> None:
    """Share of false features, on nulls and with signal, of every search and method."""
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "error control"
    import matplotlib.pyplot as plt

    from thresher.plots._axes import COLOURS

    figure, axes = plt.subplots(1, 3, figsize=(10, 3.6), sharey=True, layout="constrained")
    methods = (*GATES, NO_CONTROL)
    markers = {
        ("independent", False): "o",
        ("independent", True): "s",
        ("AR(0.8)", False): "D",
        ("AR(0.8)", True): "^",
    }
    for ax, name in zip(axes, SEARCHES, strict=True):
        for i, ((design, signal), marker) in enumerate(markers.items()):
            shares = [false_share(results[design, signal, name, how]) for how in methods]
            means, errors = np.array(shares).T
            places = np.arange(len(methods)) + 0.16 * (i - 1.5)
            label = f"{design}, {'signal' if signal else 'null'}"
            ax.errorbar(
                means,
                places,
                xerr=2 * errors,
                fmt=marker,
                markersize=4,
                color=COLOURS[i],
                label=label,
            )
        ax.axvline(LEVEL, color="black", linestyle="--", linewidth=0.8)
        ax.set_title(name, fontsize=10)
        ax.set_xlim(-0.02, 1.04)
        ax.set_xlabel("share of false features")
        ax.grid(axis="x", alpha=0.3)
    axes[0].set_yticks(range(len(methods)), methods)
    axes[0].invert_yaxis()
    axes[-1].legend(frameon=False, fontsize=8, loc="center right")
    figure.suptitle(f"{n_sets} data sets each; dashed: the level promised, 0.2", fontsize=10)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


if __name__ == "__main__":
    main()

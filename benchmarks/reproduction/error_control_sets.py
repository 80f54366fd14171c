"""The data sets of ``error_control``, and what every method selects from each of them."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from thresher import JMI, MRMR, Ensemble, ErrorControlled, Univariate
from thresher.evaluate import estimate_false_share
from thresher.selectors.error_controlled import filter_by_fdr, harmonic

N_SAMPLES = N_FEATURES = 200
BLOCK, N_CAUSAL_BLOCKS, EFFECT = 10, 5, 0.7
CAUSES = np.sort(np.r_[0:N_CAUSAL_BLOCKS, 0:N_CAUSAL_BLOCKS] * BLOCK + np.repeat([2, 7], 5))
LEVEL, K, N_PERMUTATIONS = 0.2, 10, 20
CUTOFFS, N_PAIRS = (0.6, 0.75, 0.9), 25
DESIGNS = ("independent", "AR(0.8)")

DIFFERENCE = "MRMR difference, absolute correlation"
SEARCHES = {
    DIFFERENCE: MRMR(K, relevance="pearson", redundancy="pearson", n_jobs=1),
    "MRMR quotient, F": MRMR(K, relevance="f", redundancy="pearson", n_jobs=1),
    "JMI": JMI(K, n_jobs=1),
}
PERMUTED, ANALYTIC, ANY, COMPETE = (
    "gate, permutations",
    "gate, analytic",
    "gate, any dependence",
    "compete",
)
GATES = (PERMUTED, ANALYTIC, ANY, COMPETE)
NO_CONTROL = "no control, first 10"
# Of the first search only: every dependence of all features, and one permuted copy of each for the p-values.
ALL_FEATURES, COPIES = "gate, level / H_p", "gate, permuted copies"

RANKINGS: dict[str, dict[str, Any]] = {
    "F": {"measure": "f"},
    "MI, mean-sd bins, analytic": {"measure": "mi", "discretize": "mean-sd", "pvalues": "analytic"},
    "MI, mean-sd bins, permutations": {
        "measure": "mi",
        "discretize": "mean-sd",
        "pvalues": "permutation",
    },
    "MI, 8 equal bins, analytic": {"measure": "mi", "pvalues": "analytic"},
    "MI, 8 equal bins, permutations": {"measure": "mi", "pvalues": "permutation"},
    "chi-squared, mean-sd bins, analytic": {
        "measure": "chi2",
        "discretize": "mean-sd",
        "pvalues": "analytic",
    },
    "chi-squared, 8 equal bins, analytic": {"measure": "chi2", "pvalues": "analytic"},
}
# The ranking whose analytic p-values each search uses.
LAW_OF = dict(zip(SEARCHES, ("F", "F", "MI, mean-sd bins, analytic"), strict=True))
NOTHING = np.empty(0, dtype=np.intp)
# Estimates have no guarantee: fewer sets suffice.
N_ESTIMATED = 300
ESTIMATES = ("least", f"least, if at most {LEVEL}", f"lowest threshold with at most {LEVEL}")

Task = tuple[int, str, bool]
# By search and method: features selected, false ones among them, share of the causal blocks found.
Outcome = dict[str, tuple[int, int, float]]


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


def one_set(task: Task) -> Outcome:
    """Return the selection of every method from one data set."""
    warnings.simplefilter("ignore")
    seed, design, signal = task
    X, y = simulate(*task)
    true = true_features(design, signal)
    outcome: Outcome = {}

    def record(search: str, method: str, selected: np.ndarray) -> None:
        hit = selected[true[selected]]
        found = len(set(hit // BLOCK)) / N_CAUSAL_BLOCKS
        outcome[f"{search} / {method}"] = len(selected), len(selected) - len(hit), found

    def control(name: str, how: str, level: float = LEVEL, **options: Any) -> np.ndarray:
        options = {"n_permutations": N_PERMUTATIONS, "random_state": seed, **options}
        fitted = ErrorControlled(SEARCHES[name], level, **options).fit(X, y)
        record(name, how, fitted.selected_)
        return fitted.pvalues_

    def control_by(pvalues: np.ndarray, name: str, how: str, price: float = 1.0) -> None:
        """Control errors by p-values that are known; where nothing passes the gate, there is nothing to search."""
        if filter_by_fdr(pvalues, LEVEL / price, K).n_features:
            control(name, how, LEVEL / price, pvalues=pvalues)
        else:
            record(name, how, NOTHING)

    by_law = {}
    for name, options in RANKINGS.items():
        if not signal or name in LAW_OF.values():
            ranking = Univariate("auto", alpha=LEVEL, random_state=seed, n_jobs=1, **options)
            by_law[name] = ranking.fit(X, y).pvalues_
            record("Univariate", name, ranking.selected_)
    permuted: dict[str, np.ndarray] = {}
    for name, search in SEARCHES.items():
        law = LAW_OF[name]
        if (
            law in permuted
        ):  # the squared correlation of two classes is the share of scatter that F goes by
            control_by(permuted[law], name, PERMUTED)
        else:
            permuted[law] = control(name, PERMUTED)
        control_by(by_law[law], name, ANALYTIC)
        control_by(permuted[law], name, ANY, harmonic(K))
        control(name, COMPETE, method="compete")
        record(name, NO_CONTROL, search.fit(X, y).selected_)
        if name == DIFFERENCE:
            control_by(permuted[law], name, ALL_FEATURES, harmonic(N_FEATURES))
            control_by(pvalues_by_copies(X, y, seed), name, COPIES)
    votes = np.round(halves_of(K, seed).fit(X, y).votes_ * 2 * N_PAIRS)
    for cutoff in CUTOFFS:
        enough = np.ceil(2 * N_PAIRS * cutoff - 1e-9)
        record("halves", f"{cutoff}", np.flatnonzero(votes >= enough))
    if seed < N_ESTIMATED:
        for rule, selected in zip(ESTIMATES, estimated(X, y, seed), strict=True):
            record("estimate", rule, selected)
    return outcome


def halves_of(n_features: int, seed: int) -> Ensemble:
    search = MRMR(n_features, relevance="pearson", redundancy="pearson", n_jobs=1)
    return Ensemble(search, 20, kind="halves", n_pairs=N_PAIRS, random_state=seed)


def estimated(X: np.ndarray, y: np.ndarray, seed: int) -> tuple[np.ndarray, ...]:
    """Return the selection of each of `ESTIMATES`, 20 of 400 real and artificial features being chosen on a half."""
    found = estimate_false_share(halves_of(2 * K, seed), X, y, level=1, random_state=seed)
    low = np.flatnonzero(found.shares <= LEVEL)
    return (
        found.selected,
        found.selected if found.share <= LEVEL else NOTHING,
        np.flatnonzero(found.votes > found.thresholds[low[0]]) if low.size else NOTHING,
    )


def pvalues_by_copies(X: np.ndarray, y: np.ndarray, seed: int) -> np.ndarray:
    """Rank of every feature's correlation among those of one permuted copy of each feature."""
    rng = np.random.default_rng((seed, 77))

    def relevance(columns: np.ndarray) -> np.ndarray:
        columns = columns - columns.mean(axis=0)
        return np.abs((y - y.mean()) @ columns) / np.sqrt((columns**2).sum(axis=0))

    copies = relevance(rng.permuted(X, axis=0))
    reached = (copies[:, None] >= relevance(X)).sum(axis=0)
    return (1 + reached) / (1 + N_FEATURES)


def tasks(n_sets: int) -> Iterator[Task]:
    """Yield tasks interleaved, so that every cell has as many sets whenever one stops."""
    for seed in range(n_sets):
        for design in DESIGNS:
            yield from ((seed, design, signal) for signal in (False, True))


Results = dict[tuple[str, bool, str], np.ndarray]


def run(n_sets: int, minutes: float, n_jobs: int, store: Path) -> tuple[int, Results]:
    """Return all outcomes by design, signal and method: a row (selected, false, found) per set.

    Every set is written to `store` as it is done; those that are there already are not done again.
    """
    start = time.monotonic()
    done = read_store(store)
    waiting = (task for task in tasks(n_sets) if task not in done)
    with ProcessPoolExecutor(n_jobs) as pool, store.open("a", buffering=1) as file:
        while some := list(islice(waiting, 40)):
            for task, outcome in zip(some, pool.map(one_set, some), strict=True):
                done[task] = outcome
                file.write(json.dumps([task, outcome]) + "\n")
            print(f"\r{len(done) // 4} of {n_sets} sets per cell", end="", flush=True)
            if time.monotonic() - start > 60 * minutes:
                break
    print()
    whole = [seed for seed in range(n_sets) if all((seed, *t[1:]) in done for t in tasks(1))]
    gathered: dict[tuple[str, bool, str], list[tuple[int, int, float]]] = {}
    for seed in whole:
        for _, design, signal in tasks(1):
            for method, counts in done[seed, design, signal].items():
                gathered.setdefault((design, signal, method), []).append(counts)
    return len(whole), {cell: np.array(rows, dtype=float) for cell, rows in gathered.items()}


def read_store(store: Path) -> dict[Task, Outcome]:
    store.parent.mkdir(parents=True, exist_ok=True)
    if not store.exists():
        return {}
    lines = map(json.loads, store.read_text().splitlines())
    return {(seed, design, signal): outcome for (seed, design, signal), outcome in lines}

"""Common code of benchmarks of execution backends: rows, clocks, empty rounds, selections compared with memory."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from thresher import CFS, JMI, MRMR, Ensemble


def clock(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def make_rows(n_rows: int, n_features: int) -> tuple[Any, Any]:
    """Return classes, a tenth of the features shifted by them, and half of the rest noisy copies of those."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, n_rows)
    X = rng.standard_normal((n_rows, n_features))
    informative = n_features // 10
    X[:, :informative] += y[:, None] * rng.random(informative)
    copies = np.arange(informative, n_features // 2)
    X[:, copies] += X[:, copies % informative]
    return X, y


def show_latency(engine: Any, pack: Any, task: Any, n_blocks: int, repeats: int) -> None:
    """Print a line on rounds without work."""

    def ignore(done: int, total: int) -> None:
        pass

    engine.pack(pack, ignore)
    taken = [1e3 * clock(lambda: engine.request(task, np.add, ignore))[0] for _ in range(repeats)]
    engine.close()
    print(f"{n_blocks:6}   {min(taken):6.1f} {statistics.median(taken):6.1f}", flush=True)


def show_selections(X: Any, y: Any, k: int, fit_remote: Callable[[Any], Any]) -> None:
    """Print times of selections in memory and elsewhere, which must find the same features."""
    selectors = {
        "MRMR difference": MRMR(k, relevance="mi"),
        "MRMR quotient": MRMR(k, relevance="mi", objective="quotient"),
        "CFS": CFS(k, discretize="mean-sd"),
        "JMI": JMI(k, discretize="mean-sd"),
        "Ensemble fast": Ensemble(MRMR(k, relevance="mi")),
        "equal frequency": MRMR(k, relevance="mi", discretize="equal-frequency:5"),
    }
    for name, selector in selectors.items():
        memory, _ = clock(lambda: selector.fit(X, y))  # noqa: B023 (called at once)
        found = selector.selected_.tolist()
        remote, _ = clock(lambda: fit_remote(selector))  # noqa: B023
        assert selector.selected_.tolist() == found, name
        rounds = f"{selector.n_rounds_} rounds, {selector.n_rounds_ / len(found):.2f} a feature"
        print(
            f"{name:16} {memory:6.2f} {remote:6.2f}   {selector.n_passes_} passes, {rounds}",
            flush=True,
        )

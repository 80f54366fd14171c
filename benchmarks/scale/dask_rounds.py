"""What rounds cost on Dask, on a cluster of processes of this machine.

``python -m benchmarks.scale.dask_rounds`` prints the latency of rounds without work for several numbers of blocks, then
whole selections beside those of memory, whose features they must find: passes, rounds for each feature, and seconds.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

from thresher import CFS, JMI, MRMR, Ensemble
from thresher.blocks import open_engine


def pack_nothing(number: int, block: Any) -> tuple[Any, int]:
    return np.zeros(1), number


def ignore(done: int, total: int) -> None:
    pass


def tell_nothing(packed: Any) -> Any:
    return packed


def clock(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def show_latency(client: Any, repeats: int) -> None:
    print("blocks   milliseconds of a round without work: least, median")
    for n_blocks in (2, 8, 32, 128):
        engine = open_engine(da.zeros((n_blocks, 1), chunks=(1, 1)), far={"client": client})
        engine.pack(pack_nothing, ignore)
        taken = [
            1e3 * clock(lambda: engine.ask(tell_nothing, np.add, ignore))[0]  # noqa: B023 (called at once)
            for _ in range(repeats)
        ]
        engine.close()
        print(f"{n_blocks:6}   {min(taken):6.1f} {statistics.median(taken):6.1f}", flush=True)


def make_rows(n_rows: int, n_features: int, n_blocks: int) -> tuple[Any, Any]:
    """Classes, a tenth of the features shifted by them, and half of the rest noisy copies of those."""
    rng = da.random.default_rng(0)
    rows = -(-n_rows // n_blocks)
    y = rng.integers(0, 3, n_rows, chunks=rows)
    informative = n_features // 10
    shifted = rng.standard_normal((n_rows, informative), chunks=(rows, informative))
    shifted += y[:, None] * np.linspace(0.0, 1.0, informative)
    noise = rng.standard_normal((n_rows, n_features), chunks=(rows, n_features))
    copies = np.arange(n_features // 2) % informative
    rest = noise[:, : n_features // 2] + shifted[:, copies]
    return da.concatenate([shifted, rest, noise[:, n_features // 2 + informative :]], axis=1), y


def show_selections(client: Any, n_rows: int, n_features: int, k: int, n_blocks: int) -> None:
    X_far, y_far = client.persist(make_rows(n_rows, n_features, n_blocks))
    X, y = client.compute([X_far, y_far], sync=True)
    print(
        f"{n_rows:,} x {n_features:,} in {n_blocks} blocks: seconds in memory, on Dask; passes, rounds"
    )
    selectors = {
        "MRMR difference": MRMR(k, relevance="mi"),
        "MRMR quotient": MRMR(k, relevance="mi", objective="quotient"),
        "CFS": CFS(k, discretize="mean-sd"),
        "JMI": JMI(k, discretize="mean-sd"),
        "Ensemble fast": Ensemble(MRMR(k, relevance="mi")),
        "equal frequency": MRMR(k, relevance="mi", discretize="equal-frequency:5"),
    }
    for name, selector in selectors.items():
        near, _ = clock(lambda: selector.fit(X, y))  # noqa: B023 (called at once)
        found = selector.selected_.tolist()
        far, _ = clock(lambda: selector.fit(X_far, y_far, client=client))  # noqa: B023
        assert selector.selected_.tolist() == found, name
        rounds = f"{selector.n_rounds_} rounds, {selector.n_rounds_ / len(found):.2f} a feature"
        print(
            f"{name:16} {near:6.2f} {far:6.2f}   {selector.n_passes_} passes, {rounds}", flush=True
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="less data")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    cluster = LocalCluster(
        n_workers=options.workers, threads_per_worker=1, memory_limit=0, dashboard_address=None
    )
    with cluster, Client(cluster) as client:
        show_latency(client, 20 if options.quick else 100)
        size = (10_000, 300, 20) if options.quick else (100_000, 1_000, 50)
        show_selections(client, *size, n_blocks=8)


if __name__ == "__main__":
    main()

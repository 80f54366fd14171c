"""What rounds cost on Dask, on a cluster of processes of this machine.

``python -m benchmarks.scale.dask_rounds`` prints the latency of rounds without work for several numbers of blocks, then
whole selections, which must find the in-memory features: passes, rounds for each feature, and seconds.
"""

from __future__ import annotations

import argparse
from typing import Any

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

from benchmarks.scale.rounds import show_latency, show_selections
from thresher.blocks import open_engine


def pack_nothing(number: int, block: Any) -> tuple[Any, int]:
    return np.zeros(1), number


def return_nothing(packed: Any) -> Any:
    return packed


def show_latencies(client: Any, repeats: int) -> None:
    print("blocks   milliseconds of a round without work: least, median")
    for n_blocks in (2, 8, 32, 128):
        engine = open_engine(da.zeros((n_blocks, 1), chunks=(1, 1)), client=client)
        show_latency(engine, pack_nothing, return_nothing, n_blocks, repeats)


def make_rows(n_rows: int, n_features: int, n_blocks: int) -> tuple[Any, Any]:
    """Return classes, a tenth of the features shifted by them, and half of the rest noisy copies of those."""
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


def show_features(client: Any, n_rows: int, n_features: int, k: int, n_blocks: int) -> None:
    X_remote, y_remote = client.persist(make_rows(n_rows, n_features, n_blocks))
    X, y = client.compute([X_remote, y_remote], sync=True)
    print(
        f"{n_rows:,} x {n_features:,} in {n_blocks} blocks: seconds in memory, on Dask; passes, rounds"
    )
    show_selections(X, y, k, lambda selector: selector.fit(X_remote, y_remote, client=client))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="less data")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    cluster = LocalCluster(
        n_workers=options.workers, threads_per_worker=1, memory_limit=0, dashboard_address=None
    )
    with cluster, Client(cluster) as client:
        show_latencies(client, 20 if options.quick else 100)
        size = (10_000, 300, 20) if options.quick else (100_000, 1_000, 50)
        show_features(client, *size, n_blocks=8)


if __name__ == "__main__":
    main()

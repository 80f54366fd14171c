"""Measure request rounds on Spark, on this machine, and MLlib's own selector.

``python -m benchmarks.scale.spark_rounds`` prints the latency of rounds without work for several numbers of blocks,
then whole selections compared with those in memory, whose features they must find, and MLlib's
``UnivariateFeatureSelector``, which ranks by F alone. The frame has one column of vectors and is persisted.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.scale.rounds import clock, make_rows, show_latency, show_selections
from thresher import MRMR
from thresher.blocks import open_engine

BLOCKS = 8


class Nothing:
    """A packed block without work."""

    def save(self, path: Path) -> None:
        path.touch()

    @classmethod
    def open(cls, path: Path) -> Nothing:
        path.stat()
        return cls()


def pack_nothing(number: int, block: Any) -> tuple[Any, int]:
    return Nothing(), number


def return_nothing(packed: Any) -> Any:
    return np.zeros(1)


def start_session(threads: int) -> Any:
    from pyspark.sql import SparkSession

    root = Path(__file__).resolve().parents[2]
    os.environ.update(PYSPARK_PYTHON=sys.executable, PYTHONPATH=str(root))
    session = (
        SparkSession.builder.master(f"local[{threads}]")
        .config("spark.ui.enabled", False)
        .config("spark.ui.showConsoleProgress", False)
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.memory", "4g")
        .config("spark.default.parallelism", BLOCKS)
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    return session


def show_latencies(session: Any, repeats: int) -> None:
    print("blocks   milliseconds of a round without work: least, median")
    for n_blocks in (2, 8, 32):
        engine = open_engine(session.range(0, n_blocks, 1, n_blocks))
        show_latency(engine, pack_nothing, return_nothing, n_blocks, repeats)


def vectors(session: Any, X: Any, y: Any) -> Any:
    """Return a persisted frame of vectors with a label."""
    import pyarrow as pa
    from pyspark.ml.functions import array_to_vector

    flat = pa.array(X.ravel())
    starts = np.arange(0, X.size + 1, X.shape[1], dtype=np.int32)
    table = pa.table({"v": pa.ListArray.from_arrays(starts, flat), "label": pa.array(y)})
    frame = session.createDataFrame(table)
    frame = frame.select(array_to_vector("v").alias("features"), "label").persist()
    frame.count()
    return frame


def show_features(session: Any, n_rows: int, n_features: int, k: int) -> None:
    from pyspark.ml.feature import UnivariateFeatureSelector

    X, y = make_rows(n_rows, n_features)
    frame = vectors(session, X, y)
    print(
        f"{n_rows:,} x {n_features:,} in {BLOCKS} blocks: seconds in memory, on Spark; passes, rounds"
    )
    show_selections(X, y, k, lambda selector: selector.fit(frame, "label"))
    univariate = UnivariateFeatureSelector(featuresCol="features", labelCol="label")
    univariate.setFeatureType("continuous").setLabelType("categorical").setSelectionThreshold(k)
    seconds, model = clock(lambda: univariate.fit(frame))
    shared = set(model.selectedFeatures) & set(MRMR(k, relevance="mi").fit(X, y).selected_.tolist())
    print(f"{'MLlib, by F':16}        {seconds:6.2f}   {len(shared)} of {k} features those of MRMR")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="less data")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    session = start_session(options.threads)
    show_latencies(session, 10 if options.quick else 50)
    size = (10_000, 300, 20) if options.quick else (100_000, 1_000, 50)
    show_features(session, *size)
    session.stop()


if __name__ == "__main__":
    main()

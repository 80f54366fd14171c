"""Spark sessions for tests: with threads, or with executors in processes that a test can kill."""

from __future__ import annotations

import os
import shutil
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

ROOT = Path(__file__).resolve().parents[1]
# A quick start matters more here than fast code.
JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xss4m"

# Partitions end here: one large, an empty one, one of a single row.
ENDS = (70, 70, 71, 95)


def require_spark() -> None:
    """Skip the test if Spark cannot run, or with `make test JAVA=no`. Without Spark, fail in CI."""
    if os.environ.get("THRESHER_JAVA") == "no":
        pytest.skip("JAVA=no")  # the installed Java may be too old
    try:
        import pyspark
    except ImportError:
        missing = "pyspark is not installed"
    else:
        if "LD_PRELOAD" in os.environ:
            pytest.skip("Java does not run with the sanitizers")
        if shutil.which("java") and int(pyspark.__version__.partition(".")[0]) >= 4:
            return
        missing = "needs pyspark 4 and Java (Debian: apt install openjdk-17-jre-headless)"
    if os.environ.get("CI") == "true":
        pytest.fail(missing)
    pytest.skip(missing)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def classic_session(master: str, folder: Path, **settings: str) -> Iterator:
    """Yield a session with a driver in this process. Its workers run this Python."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master).appName("thresher tests")
    options = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "700m",
        "spark.driver.extraJavaOptions": JAVA_OPTIONS,
        "spark.executor.extraJavaOptions": JAVA_OPTIONS,
        "spark.executor.memory": "500m",
        "spark.executorEnv.PYTHONPATH": str(ROOT),
        "spark.python.daemon.module": "tests.spark_daemon",
        "spark.local.dir": str(folder),
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
    }
    for key, value in (options | settings).items():
        builder = builder.config(key, value)
    ours = {
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": str(ROOT),
        "SPARK_HOME": str(_home_in(folder)),
    }
    before = {name: os.environ.get(name) for name in ours}
    os.environ.update(ours)
    try:
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


def _home_in(folder: Path) -> Path:
    """Link to the files of Spark from a folder in which executors may write their logs."""
    import pyspark

    home = folder / "home"
    home.mkdir(exist_ok=True)
    for path in Path(pyspark.__file__).parent.iterdir():
        if not (home / path.name).exists():
            (home / path.name).symlink_to(path)
    return home


@contextmanager
def local_sessions(folder: Path) -> Iterator[tuple]:
    """Yield a classic session on two threads, and one of Spark Connect with the same server."""
    port = free_port()
    plugin = {
        "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
    }
    with classic_session("local[2]", folder, **plugin) as classic:
        from pyspark.sql.connect.session import SparkSession

        connect = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
        yield classic, connect
        with suppress(Exception):  # a test may have stopped it
            connect.stop()


class LocalSpark:
    """The local sessions, started on first use. A process has one driver at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._running: Any = None
        self._sessions: tuple = ()

    @property
    def classic(self):
        return self._started()[0]

    @property
    def connect(self):
        return self._started()[1]

    def _started(self) -> tuple:
        if self._running is None:
            self._running = local_sessions(self.folder)
            self._sessions = self._running.__enter__()
        return self._sessions

    def stop(self) -> None:
        if self._running is not None:
            self._running.__exit__(None, None, None)
            self._running = None


@contextmanager
def executor_session(folder: Path) -> Iterator:
    """Start a session with two executors, each a process of one core that Spark replaces when it dies."""
    with classic_session(
        "local-cluster[2,1,700]", folder, **{"spark.executor.cores": "1"}
    ) as session:
        yield session


def frame_of(session, tables: list):
    """Return a DataFrame with these Arrow tables as partitions."""
    from pyspark import TaskContext
    from pyspark.sql.pandas.types import from_arrow_schema

    def rows(batches):
        list(batches)  # Spark does not use a worker again that leaves some of its input
        yield from tables[TaskContext.get().partitionId()].to_batches()

    numbers = session.range(0, len(tables), 1, len(tables))
    return numbers.mapInArrow(rows, from_arrow_schema(tables[0].schema))


def mixed_frame(n: int = 120) -> pd.DataFrame:
    """Return a frame of mixed columns with missing values, a target of texts and weights."""
    rng = np.random.default_rng(14)
    base = rng.normal(size=n)
    frame = pd.DataFrame({f"number {i}": base * i + rng.normal(size=n) * 3 for i in range(6)})
    frame.loc[rng.random(n) < 0.1, ["number 1", "number 4"]] = np.nan
    frame["few"] = rng.integers(0, 4, n)
    frame["text"] = np.array(["red", "green", "blue", None], dtype=object)[
        (base > 0) + rng.integers(0, 3, n)
    ]
    frame["truth"] = base + rng.normal(size=n) > 0.5
    frame["constant"] = 2.5
    frame["class"] = np.array(["no", "yes", "maybe"])[np.digitize(base, [-0.5, 0.7])]
    frame["weight"] = rng.integers(0, 3, n)
    return frame


def in_partitions(session, frame: pd.DataFrame):
    import pyarrow as pa

    table = pa.Table.from_pandas(frame, preserve_index=False)
    starts, ends = (0, *ENDS), (*ENDS, len(frame))
    return frame_of(session, [table.slice(a, b - a) for a, b in zip(starts, ends, strict=True)])

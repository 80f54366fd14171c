"""Spark for the tests: sessions in this process, and a standalone cluster of separate processes."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
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
        "spark.local.dir": str(folder),
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
    }
    for key, value in (options | settings).items():
        builder = builder.config(key, value)
    before = {name: os.environ.get(name) for name in ("PYSPARK_PYTHON", "PYTHONPATH")}
    os.environ.update(PYSPARK_PYTHON=sys.executable, PYTHONPATH=str(ROOT))
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


@dataclass
class Standalone:
    """A master with two workers of one core each, and its address."""

    url: str
    work: Path


@contextmanager
def standalone_cluster(folder: Path) -> Iterator[Standalone]:
    import pyspark

    home = Path(pyspark.__file__).parent
    environment = os.environ | {
        "SPARK_HOME": str(home),
        "SPARK_DAEMON_MEMORY": "200m",
        "SPARK_DAEMON_JAVA_OPTS": f"{JAVA_OPTIONS} -Dspark.worker.cleanup.enabled=false",
        "SPARK_LOCAL_DIRS": str(folder),
    }
    port = free_port()
    url = f"spark://127.0.0.1:{port}"
    log = (folder / "cluster.log").open("wb")

    def start(kind: str, *arguments: str) -> subprocess.Popen:
        command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{kind}", *arguments]
        return subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd=folder)

    common = ("--host", "127.0.0.1", "--webui-port", "0")
    processes = [start("master.Master", *common, "--port", str(port))]
    try:
        work = folder / "work"
        for _ in range(2):
            limits = ("--cores", "1", "--memory", "700m", "--work-dir", str(work))
            processes.append(start("worker.Worker", *common, *limits, url))
        _wait_for(lambda: (folder / "cluster.log").read_text().count("Registering worker") == 2)
        yield Standalone(url, work)
    finally:
        for process in reversed(processes):
            process.terminate()
        for process in processes:
            process.wait(30)
        log.close()


def _wait_for(is_reached, seconds: float = 90) -> None:
    end = time.monotonic() + seconds
    while not is_reached():
        if time.monotonic() > end:
            raise TimeoutError("the standalone Spark cluster did not start")
        time.sleep(0.1)


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

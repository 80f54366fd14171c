"""A standalone Spark cluster whose executors are killed."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest

from tests.spark_sessions import (
    classic_session,
    in_partitions,
    mixed_frame,
    standalone_cluster,
)
from thresher import MRMR
from thresher.blocks._spark import SparkEngine

pytestmark = [pytest.mark.cluster, pytest.mark.slow, pytest.mark.xdist_group("spark")]


def test_an_executor_killed_and_its_files_removed_change_nothing(
    spark_local, tmp_path, monkeypatch
):
    spark_local.stop()  # a process has one driver at a time
    frame = mixed_frame()
    X = frame.drop(columns=["class", "weight"])
    selector = MRMR(6, relevance="mi", missing="category")
    memory = selector.fit(X, frame["class"]).selected_.tolist()
    ask, asked, killed = SparkEngine.ask, [], []

    def ask_and_kill(engine, *given):
        asked.append(ask(engine, *given))
        if len(asked) == 1:
            killed.extend(kill_executor(tmp_path))
        return asked[-1]

    monkeypatch.setattr(SparkEngine, "ask", ask_and_kill)
    with (
        standalone_cluster(tmp_path) as cluster,
        classic_session(cluster.url, tmp_path, **{"spark.executor.cores": "1"}) as session,
    ):
        far = selector.fit(in_partitions(session, frame.drop(columns="weight")), "class")
        assert far.selected_.tolist() == memory
        assert len(killed) > 0
        assert len(asked) > 1
        assert list(tmp_path.glob("**/thresher-*")) == []


def kill_executor(folder: Path) -> list[Path]:
    """Kill an executor that has packed blocks, and remove its folders; what of them is gone."""
    for process in Path("/proc").iterdir():
        try:
            is_ours = b"CoarseGrainedExecutorBackend" in (process / "cmdline").read_bytes()
            settings = (process / "environ").read_bytes().decode().split("\0") if is_ours else []
        except OSError:
            continue
        own = [
            Path(value.removeprefix("SPARK_EXECUTOR_DIRS="))
            for value in settings
            if value.startswith("SPARK_EXECUTOR_DIRS=") and str(folder) in value
        ]
        lost = [path for place in own for path in place.glob("**/thresher-*/block-*")]
        if lost:
            os.kill(int(process.name), signal.SIGKILL)
            for place in own:
                shutil.rmtree(place)
            return lost
    return []

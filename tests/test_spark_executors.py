"""Spark executors that are killed during a fit."""

from __future__ import annotations

import os
import shutil
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.spark_sessions import executor_session, in_partitions, mixed_frame
from thresher import MRMR
from thresher.blocks.spark import SparkEngine

pytestmark = [pytest.mark.cluster, pytest.mark.slow, pytest.mark.xdist_group("spark")]


def test_executors_killed_between_rounds_and_in_a_round_change_nothing(spark_local, monkeypatch):
    spark_local.stop()  # a process has one driver at a time
    folder = spark_local.folder
    request, requests, lost = SparkEngine.request, [], []

    def request_and_kill(engine, task, *given):
        requests.append(task)
        if len(requests) == 2:
            lost.extend(kill_executor(folder))
        if len(requests) == 3:
            task = DieOnce(task, str(folder / "killed"))
        return request(engine, task, *given)

    monkeypatch.setattr(SparkEngine, "request", request_and_kill)
    frame = mixed_frame()
    X = frame.drop(columns=["class", "weight"])
    selector = MRMR(6, relevance="mi", missing="category")
    memory = selector.fit(X, frame["class"]).selected_.tolist()
    with executor_session(folder) as session:
        remote = selector.fit(in_partitions(session, frame.drop(columns="weight")), "class")
    assert remote.selected_.tolist() == memory
    assert list(folder.glob("**/thresher-*")) == []
    assert len(lost) > 0  # packed blocks
    assert int((folder / "killed").read_text()) > 0
    assert len(requests) > 3


@dataclass(frozen=True)
class DieOnce:
    """A request during which the executor dies with all its files, on the first call only."""

    task: Any
    mark: str

    def __call__(self, packed: Any) -> Any:
        try:
            mark = os.open(self.mark, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
        except FileExistsError:
            return self.task(packed)
        parent = os.getppid()
        while b"CoarseGrainedExecutorBackend" not in Path(f"/proc/{parent}/cmdline").read_bytes():
            parent = int(Path(f"/proc/{parent}/stat").read_text().rpartition(")")[2].split()[1])
        own = folders_of(parent)
        os.write(mark, str(len(packed_in(own))).encode())
        os.close(mark)
        end_executor(parent, own)  # which may take this process with it at once
        time.sleep(60)  # no caller waits for this result
        raise AssertionError("the executor lives")


def kill_executor(folder: Path) -> list[Path]:
    """Kill an executor that has packed blocks, and remove its folders; what of them is gone."""
    for process in Path("/proc").iterdir():
        try:
            is_ours = b"CoarseGrainedExecutorBackend" in (process / "cmdline").read_bytes()
            own = folders_of(int(process.name)) if is_ours else []
        except (OSError, ValueError):
            continue
        own = [path for path in own if folder in path.parents]
        if any(packed_in(own)):
            return end_executor(int(process.name), own)
    return []


def folders_of(process: int) -> list[Path]:
    settings = Path(f"/proc/{process}/environ").read_bytes().decode().split("\0")
    return [
        Path(value.removeprefix("SPARK_EXECUTOR_DIRS="))
        for value in settings
        if value.startswith("SPARK_EXECUTOR_DIRS=")
    ]


def packed_in(folders: list[Path]) -> list[Path]:
    return [path for parent in folders for path in parent.glob("**/thresher-*/block-*")]


def end_executor(process: int, folders: list[Path]) -> list[Path]:
    os.kill(process, signal.SIGSTOP)  # nothing is added to what is removed
    lost = packed_in(folders)
    for folder in folders:
        shutil.rmtree(folder)
    os.kill(process, signal.SIGKILL)
    return lost

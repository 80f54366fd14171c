"""Jobs of Spark: what they bring back, how far they are, and their errors in plain words."""

from __future__ import annotations

import re
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from thresher.blocks._protocol import Progress

_LOOK = 0.25  # seconds between two looks at how far a job is
_BATCH = "spark.sql.execution.arrow.maxRecordsPerBatch"
_GROUP = ("spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel")

# What Spark says, in several ways, when its session is gone.
_CLOSED = (
    "SparkContext was shut down",
    "stopped SparkContext",
    "SESSION_CLOSED",
    "NO_ACTIVE_SESSION",
    "closed channel",
    "'NoneType' object has no attribute 'setCallSite'",
)


def collect(frame: Any, progress: Progress, label: str) -> list[Any]:
    """All rows of a small frame, with progress by tasks. Ctrl-C ends the job."""
    watch = _watch_connect if is_connect(frame.sparkSession) else _watch_classic
    with watch(frame.sparkSession, progress, label):
        rows: list[Any] = frame.collect()
    return rows


def is_connect(session: Any) -> bool:
    return type(session).__module__.startswith("pyspark.sql.connect.")


@contextmanager
def rows_per_batch(session: Any, n_rows: int) -> Iterator[None]:
    """Arrow batches of so many rows meanwhile."""
    before = session.conf.get(_BATCH)
    session.conf.set(_BATCH, str(n_rows))
    try:
        yield
    finally:
        session.conf.set(_BATCH, before)


@contextmanager
def in_plain_words() -> Iterator[None]:
    """Errors whose remedy is known become one sentence."""
    try:
        yield
    except Exception as error:
        words = _plain_words(str(error))
        if words is None:
            raise
        raise RuntimeError(words) from error


def _plain_words(message: str) -> str | None:
    if "PYTHON_VERSION_MISMATCH" in message:
        found = re.search(r"worker has different version: (\S+)", message)
        which = f"Python {found[1]}" if found else "another Python"
        return (
            f"the Spark workers run {which} and not that of this process; set PYSPARK_PYTHON to the same "
            "version for all of them"
        )
    lacking = re.search(r"ModuleNotFoundError: No module named '(\w+)", message)
    if lacking and lacking[1] in ("thresher", "pyarrow", "numpy", "scipy", "narwhals", "sklearn"):
        return (
            f"the Python of the Spark workers has no {lacking[1]}; install thresher[spark] there, or set "
            "PYSPARK_PYTHON to one that has it"
        )
    if re.search("|".join(_CLOSED), message):
        return "the Spark session of X is closed; start a new one and read X again"
    return None


@contextmanager
def _watch_connect(session: Any, progress: Progress, label: str) -> Iterator[None]:
    tag = f"thresher-{label}-{uuid.uuid4().hex}"
    told = _Told(progress)

    def show(stages: Any, **_: Any) -> None:
        last = max(stages or (), key=lambda stage: stage.stage_id, default=None)
        if last is not None:
            told(last.num_completed_tasks, last.num_tasks)

    session.addTag(tag)
    session.registerProgressHandler(show)
    try:
        yield
    except KeyboardInterrupt:
        session.interruptTag(tag)
        raise
    finally:
        session.removeProgressHandler(show)
        session.removeTag(tag)


@contextmanager
def _watch_classic(session: Any, progress: Progress, label: str) -> Iterator[None]:
    context = session.sparkContext
    before = {key: context.getLocalProperty(key) for key in _GROUP}
    group = f"thresher-{uuid.uuid4().hex}"
    context.setJobGroup(group, f"thresher: {label}")
    ended = threading.Event()
    look = threading.Thread(
        target=_look_at_group,
        args=(context.statusTracker(), group, _Told(progress), ended),
        daemon=True,
    )
    look.start()
    try:
        yield
    except KeyboardInterrupt:
        context.cancelJobGroup(group)
        raise
    finally:
        ended.set()
        look.join()
        for key, value in before.items():
            context.setLocalProperty(key, value)


def _look_at_group(
    tracker: Any, group: str, told: Callable[[int, int], None], ended: threading.Event
) -> None:
    while not ended.wait(_LOOK):
        jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group)]
        stages = [stage for job in jobs if job is not None for stage in job.stageIds]
        last = tracker.getStageInfo(max(stages)) if stages else None
        if last is not None:
            told(last.numCompletedTasks, last.numTasks)


class _Told:
    """Progress that is told when there is some."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._done = 0

    def __call__(self, done: int, total: int) -> None:
        if done > self._done:
            self._done = done
            self._progress(done, total)

"""The jobs of Spark, and the tasks that they run on their blocks.

Each task is a function from Arrow batches to Arrow batches, for ``mapInArrow``. An error with a block comes back as a
value, so that it is raised unchanged, and a task that cannot succeed is not tried four times.
"""

from __future__ import annotations

import os
import pickle
import re
import shutil
import tempfile
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from thresher.blocks.engine import Add, Packed, Progress, RowBlock, check_versions, versions_here
from thresher.blocks.spark_rows import SparkRows, rows_of

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark import StatusTracker
    from pyspark.sql import DataFrame, Row, SparkSession
    from pyspark.sql.connect.shell.progress import StageInfo

T = TypeVar("T")

_POLL_INTERVAL = 0.25  # seconds between two looks at how far a job is
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


def collect(frame: DataFrame, progress: Progress, label: str) -> list[Row]:
    """All rows of a small frame, with progress by tasks. Ctrl-C ends the job."""
    watch = _watch_connect if is_connect(frame.sparkSession) else _watch_classic
    with watch(frame.sparkSession, progress, label):
        rows: list[Row] = frame.collect()
    return rows


def is_connect(session: SparkSession) -> bool:
    return type(session).__module__.startswith("pyspark.sql.connect.")


@contextmanager
def rows_per_batch(session: SparkSession, n_rows: int) -> Iterator[None]:
    """Arrow batches of so many rows meanwhile."""
    before = session.conf.get(_BATCH)
    session.conf.set(_BATCH, str(n_rows))
    try:
        yield
    finally:
        session.conf.set(_BATCH, before)


@contextmanager
def readable_errors() -> Iterator[None]:
    """Errors whose remedy is known become one sentence."""
    try:
        yield
    except Exception as error:
        words = _explain(str(error))
        if words is None:
            raise
        raise RuntimeError(words) from error


def _explain(message: str) -> str | None:
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
def _watch_connect(session: SparkSession, progress: Progress, label: str) -> Iterator[None]:
    tag = f"thresher-{label}-{uuid.uuid4().hex}"
    show = _ProgressOnChange(progress)

    def show(stages: Iterable[StageInfo] | None, **_: object) -> None:
        last = max(stages or (), key=lambda stage: stage.stage_id, default=None)
        if last is not None:
            show(last.num_completed_tasks, last.num_tasks)

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
def _watch_classic(session: SparkSession, progress: Progress, label: str) -> Iterator[None]:
    context = session.sparkContext
    before = {key: context.getLocalProperty(key) for key in _GROUP}
    group = f"thresher-{uuid.uuid4().hex}"
    context.setJobGroup(group, f"thresher: {label}")
    ended = threading.Event()
    count_buckets = threading.Thread(
        target=_poll_group,
        args=(context.statusTracker(), group, _ProgressOnChange(progress), ended),
        daemon=True,
    )
    count_buckets.start()
    try:
        yield
    except KeyboardInterrupt:
        context.cancelJobGroup(group)
        raise
    finally:
        ended.set()
        count_buckets.join()
        for key, value in before.items():
            context.setLocalProperty(key, value)


def _poll_group(tracker: StatusTracker, group: str, show: Progress, ended: threading.Event) -> None:
    while not ended.wait(_POLL_INTERVAL):
        jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group)]
        stages = [stage for job in jobs if job is not None for stage in job.stageIds]
        last = tracker.getStageInfo(max(stages)) if stages else None
        if last is not None:
            show(last.numCompletedTasks, last.numTasks)


@dataclass
class _ProgressOnChange:
    """Progress that is show when there is some."""

    progress: Progress
    done: int = 0

    def __call__(self, done: int, total: int) -> None:
        if done > self.done:
            self.done = done
            self.progress(done, total)


@dataclass(frozen=True)
class Failure:
    """An error that a task met."""

    error: Exception


@dataclass(frozen=True)
class _Work:
    """What all tasks have: their function, and the versions of where it comes from."""

    task: Callable[..., object]
    versions: tuple[str, str] = field(default_factory=versions_here, kw_only=True)

    def attempt(self, call: Callable[[], T]) -> T | Failure:
        """What the call returns, or how it failed."""
        try:
            check_versions(self.versions, "Spark")
            return call()
        except Exception as error:
            return Failure(error)


@dataclass(frozen=True)
class Read(_Work):
    """The function on each block of rows."""

    rows: SparkRows
    SCHEMA = "block long, result binary"

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for number, read in self.rows.blocks(batches):
            yield _row(block=number, result=dump(self.attempt_block(number, read)))

    def attempt_block(self, number: int, read: Callable[[], RowBlock]) -> Any:
        return self.attempt(lambda: self.task(number, read()))


@dataclass(frozen=True)
class Pack(Read):
    """The function on each block of rows, or on the wanted ones; what it packs is left in files here."""

    fit: str
    scratch: str | None = None
    generation: int = 0
    wanted: frozenset[int] | None = None
    SCHEMA = "block long, generation long, path string, result binary"

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for number, read in self.rows.blocks(batches):
            if self.wanted is None or number in self.wanted:
                path, result = None, self.attempt_block(number, read)
                if not isinstance(result, Failure):
                    path, result = self._store(number, *result)
                yield _row(block=number, generation=self.generation, path=path, result=dump(result))

    def _store(self, number: int, packed: Packed, summary: object) -> tuple[str | None, object]:
        folder = _local_folder(self.scratch) / f"thresher-{self.fit}"
        own = uuid.uuid4().hex  # a twin of this task may be at work
        path = folder / f"block-{number}-{self.generation}-{own}"
        unfinished = folder / f"unfinished-{own}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            packed.save(unfinished)
            os.replace(unfinished, path)
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)  # room for others at once
            reason = os.strerror(error.errno) if error.errno else str(error)
            return None, Failure(
                OSError(
                    error.errno,
                    f"a packed block cannot be written to {folder} on a Spark executor ({reason}); make room, or "
                    "name another folder by scratch",
                )
            )
        return str(path), (type(packed), summary)


def _local_folder(scratch: str | None) -> Path:
    """Where an executor keeps files of its own, which Spark removes with it."""
    local = os.environ.get("SPARK_LOCAL_DIRS", "").partition(",")[0]
    return Path(scratch or local or tempfile.gettempdir())


@dataclass(frozen=True)
class Request(_Work):
    """The sum of what the packed blocks of a partition answer, and which of them are not here any more.

    Attributes
    ----------
    kind : type
        Of packed blocks.
    add : callable
    wanted : set of int
        Blocks whose answers are still to come.
    generations : dict
        Which packing of a block counts, where that is not the first.
    """

    kind: type[Packed]
    add: Add[Any]
    wanted: frozenset[int]
    generations: dict[int, int]
    SCHEMA = "blocks array<long>, missing array<long>, result binary"

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        blocks: list[int] = []
        missing: list[int] = []
        total: object = None
        for number, generation, path in rows_of(batches):
            if number not in self.wanted or generation != self.generations.get(number, 0):
                continue
            try:
                packed = None if path is None else self.kind.open(Path(path))
            except FileNotFoundError:
                packed = None
            if packed is None:
                missing.append(number)
                continue
            answer = self.attempt(partial(self.task, packed))
            blocks.append(number)
            if isinstance(answer, Failure):
                total = answer
                break
            total = answer if total is None else self.add(total, answer)
        yield _row(blocks=blocks, missing=missing, result=dump(total))


def remove_files(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Remove the folders of packed blocks that are here."""
    for number, _, path in rows_of(batches):
        if path is not None:
            shutil.rmtree(Path(path).parent, ignore_errors=True)
        yield _row(block=number)


def dump(value: object) -> bytes:
    """A value as bytes. Errors that cannot travel are replaced by their message."""
    from pyspark import cloudpickle

    if not isinstance(value, Failure):
        return bytes(cloudpickle.dumps(value))
    try:
        data = cloudpickle.dumps(value)
        pickle.loads(data)
        return bytes(data)
    except Exception:
        plain = RuntimeError(f"{type(value.error).__name__}: {value.error}")
        return bytes(cloudpickle.dumps(Failure(plain)))


def load(data: bytes) -> Any:
    """The value that was dumped; an error is raised."""
    value = pickle.loads(data)
    if isinstance(value, Failure):
        raise value.error
    return value


def _row(**values: object) -> pa.RecordBatch:
    import pyarrow as pa

    kinds = {
        "result": pa.binary(),
        "path": pa.string(),
        "blocks": pa.list_(pa.int64()),
        "missing": pa.list_(pa.int64()),
    }
    arrays = [pa.array([value], type=kinds.get(name, pa.int64())) for name, value in values.items()]
    return pa.RecordBatch.from_arrays(arrays, names=list(values))

"""The jobs of Spark, and the tasks that they run on their blocks.

Each task is a function from Arrow batches to Arrow batches, for ``mapInArrow``. An error with a block is returned as a
value. So it is raised unchanged, and Spark does not retry a task that cannot succeed.
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

_POLL_INTERVAL = 0.25  # seconds between two requests for the progress of a job
_BATCH = "spark.sql.execution.arrow.maxRecordsPerBatch"
_GROUP = ("spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel")

# Error messages of Spark after its session was stopped.
_CLOSED = (
    "SparkContext was shut down",
    "stopped SparkContext",
    "SESSION_CLOSED",
    "NO_ACTIVE_SESSION",
    "closed channel",
    "'NoneType' object has no attribute 'setCallSite'",
)


def collect(frame: DataFrame, progress: Progress, label: str) -> list[Row]:
    """Return all rows of a small frame and report progress by tasks. Ctrl-C ends the job."""
    watch = _watch_connect if is_connect(frame.sparkSession) else _watch_classic
    with watch(frame.sparkSession, progress, label):
        rows: list[Row] = frame.collect()
    return rows


def is_connect(session: SparkSession) -> bool:
    return type(session).__module__.startswith("pyspark.sql.connect.")


@contextmanager
def rows_per_batch(session: SparkSession, n_rows: int) -> Iterator[None]:
    """Set the number of rows of an Arrow batch inside the block."""
    before = session.conf.get(_BATCH)
    session.conf.set(_BATCH, str(n_rows))
    try:
        yield
    finally:
        session.conf.set(_BATCH, before)


@contextmanager
def readable_errors() -> Iterator[None]:
    """Replace errors with a known remedy by a short message."""
    try:
        yield
    except Exception as error:
        explanation = _explain(str(error))
        if explanation is None:
            raise
        raise RuntimeError(explanation) from error


def _explain(message: str) -> str | None:
    if "PYTHON_VERSION_MISMATCH" in message:
        found = re.search(r"worker has different version: (\S+)", message)
        version = f"Python {found[1]}" if found else "another Python"
        return f"the Spark workers run {version}, not that of this process. Set PYSPARK_PYTHON on all of them"
    lacking = re.search(r"ModuleNotFoundError: No module named '(\w+)", message)
    if lacking and lacking[1] in ("thresher", "pyarrow", "numpy", "scipy", "narwhals", "sklearn"):
        return f"the Python of the Spark workers has no {lacking[1]}. Install thresher[spark] or set PYSPARK_PYTHON"
    if re.search("|".join(_CLOSED), message):
        return "the Spark session of X is closed. Start a new one and read X again"
    return None


@contextmanager
def _watch_connect(session: SparkSession, progress: Progress, label: str) -> Iterator[None]:
    tag = f"thresher-{label}-{uuid.uuid4().hex}"
    report = _ProgressOnChange(progress)

    def show(stages: Iterable[StageInfo] | None, **_: object) -> None:
        last = max(stages or (), key=lambda stage: stage.stage_id, default=None)
        if last is not None:
            report(last.num_completed_tasks, last.num_tasks)

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
    poll = threading.Thread(
        target=_poll_group,
        args=(context.statusTracker(), group, _ProgressOnChange(progress), ended),
        daemon=True,
    )
    poll.start()
    try:
        yield
    except KeyboardInterrupt:
        context.cancelJobGroup(group)
        raise
    finally:
        ended.set()
        poll.join()
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
    """Reports progress when the number of finished tasks grows."""

    progress: Progress
    done: int = 0

    def __call__(self, done: int, total: int) -> None:
        if done > self.done:
            self.done = done
            self.progress(done, total)


@dataclass(frozen=True)
class Failure:
    """An error of a task, returned as its result."""

    error: Exception


@dataclass(frozen=True)
class _Work:
    """The function of a task, and the versions of the process that sent it."""

    task: Callable[..., object]
    versions: tuple[str, str] = field(default_factory=versions_here, kw_only=True)

    def attempt(self, call: Callable[[], T]) -> T | Failure:
        """Return the result of the call, or its error."""
        try:
            check_versions(self.versions, "Spark")
            return call()
        except Exception as error:
            return Failure(error)


@dataclass(frozen=True)
class Read(_Work):
    """Runs the function on each block of rows."""

    rows: SparkRows
    SCHEMA = "block long, result binary"

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for number, read in self.rows.blocks(batches):
            yield _row(block=number, result=dump(self.attempt_block(number, read)))

    def attempt_block(self, number: int, read: Callable[[], RowBlock]) -> Any:
        return self.attempt(lambda: self.task(number, read()))


@dataclass(frozen=True)
class Pack(Read):
    """Runs the function on each block of rows, or on the wanted ones, and writes packed blocks to local files."""

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
        unique = uuid.uuid4().hex  # Spark may run the same task twice at once
        path = folder / f"block-{number}-{self.generation}-{unique}"
        unfinished = folder / f"unfinished-{unique}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            packed.save(unfinished)
            os.replace(unfinished, path)
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)  # make space for others at once
            reason = os.strerror(error.errno) if error.errno else str(error)
            message = f"cannot write a packed block to {folder} on a Spark executor: {reason}"
            remedy = "Free some space, or set scratch to another folder"
            return None, Failure(OSError(error.errno, f"{message}. {remedy}"))
        return str(path), (type(packed), summary)


def _local_folder(scratch: str | None) -> Path:
    """Return the folder for temporary files of an executor, which Spark removes at its end."""
    local = os.environ.get("SPARK_LOCAL_DIRS", "").partition(",")[0]
    return Path(scratch or local or tempfile.gettempdir())


@dataclass(frozen=True)
class Request(_Work):
    """Adds the results of the packed blocks of a partition, and lists the blocks whose files are missing.

    Attributes
    ----------
    kind : type
        The class of packed blocks.
    add : callable
        Adds two results.
    wanted : set of int
        Blocks without a result so far.
    generations : dict
        The latest packing of a block, if it is not the first.
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
            result = self.attempt(partial(self.task, packed))
            blocks.append(number)
            if isinstance(result, Failure):
                total = result
                break
            total = result if total is None else self.add(total, result)
        yield _row(blocks=blocks, missing=missing, result=dump(total))


def remove_files(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Remove the local folders of packed blocks."""
    for number, _, path in rows_of(batches):
        if path is not None:
            shutil.rmtree(Path(path).parent, ignore_errors=True)
        yield _row(block=number)


def dump(value: object) -> bytes:
    """Return a value as bytes. An error that cannot be pickled is replaced by its message."""
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
    """Return the value that was dumped; raise it if it is an error."""
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

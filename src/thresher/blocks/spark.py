"""Spark as an execution backend.

Classic or Connect. A pass over the rows is ``mapInArrow`` over their DataFrame. Packed blocks stay in files of the
executors, which a small persisted DataFrame names; a round is ``mapInArrow`` over that one, whose rows Spark leaves
where they were made. If an executor is lost, Spark makes its rows again from X, files included. A file that is
missing although its row is there is made again by thresher. There are no RDDs and no broadcast variables, which
Connect lacks: tasks travel with their data.
"""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Sequence
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from thresher._utils.lazy import cached
from thresher._utils.types import DataLike, TargetLike, WeightsLike
from thresher.blocks.engine import (
    Add,
    Engine,
    PackTask,
    Progress,
    R,
    ReadTask,
    RequestTask,
    check_packed,
)
from thresher.blocks.spark_rows import FileRows, PartitionRows, SparkRows
from thresher.blocks.spark_tasks import (
    Pack,
    Read,
    Request,
    collect,
    readable_errors,
    load,
    remove_files,
    rows_per_batch,
)
from thresher.data import column_names
from thresher.io import format_of, open_table
from thresher.io.arrow import ParquetPart
from thresher.io.table import FileColumns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

T = TypeVar("T")

# Values in an Arrow batch; a wide table in batches of 10,000 rows, Spark's default, takes more than twice as long.
_VALUES_PER_BATCH = 8_000_000
# How often blocks that are lost in a round are made again before it is given up.
_MOST_TRIES = 5


class SparkEngine(Engine):
    """An engine of blocks that Spark reads.

    The order of the rows is that in which Spark has them: by partition, and as they come within each.

    Parameters
    ----------
    X : pyspark DataFrame, path or pyarrow.dataset.Dataset
        Of a DataFrame each partition is a block; all features may be in one column of arrays or of vectors of
        pyspark.ml.
        Parquet files are read by the tasks themselves, each row group a block.
    y, sample_weight : str or None
        Names of columns of X.
    client : SparkSession or None
        The session that reads files.
    scratch : str or Path, or None
        A folder of the executors.
    """

    @readable_errors()
    def __init__(
        self,
        X: DataLike,
        y: TargetLike,
        sample_weight: WeightsLike,
        client: SparkSession | None,
        scratch: str | Path | None,
    ) -> None:
        for parameter, value in (("y", y), ("sample_weight", sample_weight)):
            if not (value is None or isinstance(value, str)):
                raise ValueError(
                    f"{parameter} must be the name of a column of X where Spark has the rows, got "
                    f"{type(value).__name__}"
                )
        self._scratch = None if scratch is None else str(scratch)
        self._source: _Frame | _Files
        if is_spark_frame(X):
            self._source = _Frame(X, y, sample_weight)
        else:
            assert client is not None
            self._source = _Files(X, y, sample_weight, client)
        self._reset()

    @property
    def names(self) -> Sequence[str] | None:
        return self._source.names

    @property
    def n_features(self) -> int | None:
        return self._source.n_features

    @readable_errors()
    def read(self, task: ReadTask[T], progress: Progress) -> list[T]:
        rows = self._run_pass(Read(task, self._source.rows), progress, "read")
        return [load(row.result) for row in rows]

    @readable_errors()
    def pack(self, task: PackTask[T], progress: Progress) -> list[T]:
        self.close()
        self._fit, self._task = uuid.uuid4().hex, task
        return self._pack_blocks(None, progress)

    def _pack_blocks(self, wanted: frozenset[int] | None, progress: Progress) -> list[Any]:
        """Pack the wanted blocks, or all, and hold on to the frame that names their files."""
        generation = len(self._frames)
        pack = Pack(self._task, self._source.rows, self._fit, self._scratch, generation, wanted)
        rows = self._run_pass(pack, progress, "pack")
        result = [load(row.result) for row in rows]
        self._generations.update({row.block: generation for row in rows})
        self._kind = result[0][0]
        return [summary for _, summary in result]

    def _run_pass(self, task: Read, progress: Progress, label: str) -> list[Row]:
        """A reading of all rows, or of the wanted blocks: what comes of them, in their order."""
        frame = self._source.frame
        if isinstance(task, Pack) and task.wanted is not None:
            numbers = ", ".join(map(str, sorted(task.wanted)))
            frame = frame.where(f"{self._source.number} in ({numbers})")
        frame = frame.mapInArrow(task, task.SCHEMA)
        if isinstance(task, Pack):
            self._frames.append(frame.persist())
        with rows_per_batch(frame.sparkSession, self._source.rows_per_batch):
            rows = collect(frame, progress, label)
        return sorted(rows, key=lambda row: row.block)

    @readable_errors()
    def request(self, task: RequestTask[R], add: Add[R], progress: Progress) -> R:
        check_packed(self._frames)
        answers: list[R] = []
        wanted = frozenset(self._generations)
        for _ in range(_MOST_TRIES):
            files = reduce(lambda a, b: a.unionAll(b), map(_file_names, self._frames))
            work = Request(task, self._kind, add, wanted, self._generations)
            rows = collect(files.mapInArrow(work, Request.SCHEMA), progress, "round")
            for row in sorted(rows, key=lambda row: row.blocks):
                if row.blocks and wanted.issuperset(row.blocks):
                    answers.append(load(row.result))
                    wanted -= frozenset(row.blocks)
            if not wanted:
                return reduce(add, answers)
            self._pack_blocks(wanted, progress)
        raise RuntimeError(
            f"the Spark executors lost packed blocks {_MOST_TRIES} times in one round, the last time {len(wanted)} "
            "of them; is something removing files from their local folders?"
        )

    def close(self) -> None:
        # A session that is gone has taken its files along.
        with contextlib.suppress(Exception):
            for frame in self._frames:
                _file_names(frame).mapInArrow(remove_files, "block long").collect()
        with contextlib.suppress(Exception):
            for frame in self._frames:
                frame.unpersist()
        self._reset()

    def _reset(self) -> None:
        self._frames: list[DataFrame] = []
        self._generations: dict[int, int] = {}


def is_spark_frame(X: DataLike) -> bool:
    return type(X).__module__.startswith("pyspark.sql.") and hasattr(X, "mapInArrow")


def _file_names(frame: DataFrame) -> DataFrame:
    return frame.select("block", "generation", "path")


class _Frame:
    """A DataFrame."""

    number = "spark_partition_id()"  # of the block of a row, as Spark says it

    def __init__(self, X: DataLike, y: str | None, sample_weight: str | None) -> None:
        repeated = sorted({name for name in X.columns if X.columns.count(name) > 1})
        if repeated:
            raise ValueError(f"X has more than one column named {repeated[0]!r}; rename them")
        named = column_names(X.columns, y, sample_weight)
        features = [name for name in X.columns if name not in named.values()]
        self.frame = X.toDF(*(f"c{i}" for i in range(len(X.columns))))
        self._given = X
        self._vectors = _vector_column(X, features)
        self._features = features
        self._columns = (y, sample_weight)

    @property
    def names(self) -> list[str] | None:
        return None if self._vectors else self._features

    @cached
    def n_features(self) -> int | None:
        if self._vectors is None:
            return len(self._features)
        quoted = "`" + self._vectors.replace("`", "``") + "`"
        first = self._given.select(quoted).where(f"{quoted} is not null").first()
        return None if first is None else len(first[0])

    @cached
    def rows(self) -> SparkRows:
        schema = self.frame.limit(0).toArrow().schema
        return PartitionRows(
            schema, self._given.columns, *self._columns, self._vectors, self.n_features
        )

    @property
    def rows_per_batch(self) -> int:
        return max(1, _VALUES_PER_BATCH // max(1, self.n_features or 1))


def _vector_column(X: DataLike, features: list[str]) -> str | None:
    """The column whose values are all features of a row, if there is one."""
    kinds = {name: X.schema[name].dataType.typeName() for name in features}
    vectors = [name for name, kind in kinds.items() if kind in ("array", "vectorudt")]
    if vectors and len(features) > 1:
        raise ValueError(
            f"column {vectors[0]!r} of X holds vectors, and there are {len(features) - 1} other features; select "
            "one column of vectors, or plain columns"
        )
    return vectors[0] if vectors else None


class _Files:
    """Parquet files, whose row groups a small DataFrame names."""

    number = "block"
    rows_per_batch = _VALUES_PER_BATCH

    def __init__(
        self, X: DataLike, y: str | None, sample_weight: str | None, session: SparkSession
    ) -> None:
        import pyarrow as pa

        if isinstance(X, str | os.PathLike) and os.path.exists(X):
            kind = format_of(Path(X))
            if kind != "parquet":
                raise ValueError(
                    f"X names {str(X)!r}, which is {kind}, and client reads Parquet files only; write it as Parquet, "
                    "or give the frame that client reads from it"
                )
        files: FileColumns = open_table(X).columns
        parts = [part for part in files.parts if isinstance(part, ParquetPart)]
        if len(parts) < len(files.parts):
            raise ValueError(
                "client reads Parquet files only, and X names others, partitions or filters; give the frame that "
                "client reads from them"
            )
        columns = list(files.kinds)
        named = column_names(columns, y, sample_weight)
        self.names = [name for name in columns if name not in named.values()]
        self.n_features = len(self.names)
        whole = pa.unify_schemas([part.schema for part in parts], promote_options="permissive")
        schema = pa.schema([pa.field(name, whole.field(name).type) for name in columns])
        self.rows = FileRows(parts[0].filesystem, schema, y, sample_weight)
        groups = [(part.name, i) for part in parts for i in range(part.n_row_groups)]
        if not groups:
            raise ValueError(f"X names {str(X)!r}, which holds no rows; give files with some")
        pieces = [(number, *group) for number, group in enumerate(groups)]
        self.frame = session.createDataFrame(pieces, FileRows.SCHEMA)

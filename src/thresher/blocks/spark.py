"""Spark as an execution backend.

It works with classic Spark and Spark Connect. A pass over the rows is ``mapInArrow`` over their DataFrame. Packed
blocks are stored in local files of the executors, listed in a small persisted DataFrame. A request is ``mapInArrow``
over that list, whose rows Spark keeps on their executors. If an executor is lost, Spark computes its rows again from X,
with their files. If only a file is lost, thresher packs the block again. Spark Connect has no RDDs and no broadcast
variables, so tasks contain their data.
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
    load,
    readable_errors,
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

# Values in an Arrow batch. With 10,000 rows, the default of Spark, reading a wide table takes more than twice as long.
_VALUES_PER_BATCH = 8_000_000
# How often lost blocks are packed again during one request before it fails.
_MOST_TRIES = 5


class SparkEngine(Engine):
    """The backend of blocks that Spark reads.

    Rows are ordered by partition, and as Spark reads them within each.

    Parameters
    ----------
    X : pyspark DataFrame, path or pyarrow.dataset.Dataset
        Each partition of a DataFrame is a block. All features may be in one column of arrays or of vectors of
        pyspark.ml. Tasks read Parquet files themselves; each row group is a block.
    y, sample_weight : str or None
        Names of columns of X.
    client : SparkSession or None
        The session that reads files.
    scratch : str or Path, or None
        The folder of the executors for packed blocks.
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
                    f"{parameter} must be the name of a column of X if X is in Spark, got {type(value).__name__}"
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
        """Pack the wanted blocks, or all, and persist the frame that lists their files."""
        generation = len(self._frames)
        pack = Pack(self._task, self._source.rows, self._fit, self._scratch, generation, wanted)
        rows = self._run_pass(pack, progress, "pack")
        results = [load(row.result) for row in rows]
        self._generations.update({row.block: generation for row in rows})
        self._kind = results[0][0]
        return [summary for _, summary in results]

    def _run_pass(self, task: Read, progress: Progress, label: str) -> list[Row]:
        """Run the task on all rows or on its wanted blocks, and return its results in the order of the blocks."""
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
        results: list[R] = []
        wanted = frozenset(self._generations)
        for _ in range(_MOST_TRIES):
            files = reduce(lambda a, b: a.unionAll(b), map(_file_names, self._frames))
            work = Request(task, self._kind, add, wanted, self._generations)
            rows = collect(files.mapInArrow(work, Request.SCHEMA), progress, "round")
            for row in sorted(rows, key=lambda row: row.blocks):
                if row.blocks and wanted.issuperset(row.blocks):
                    results.append(load(row.result))
                    wanted -= frozenset(row.blocks)
            if not wanted:
                return reduce(add, results)
            self._pack_blocks(wanted, progress)
        raise RuntimeError(
            f"the Spark executors lost packed blocks {_MOST_TRIES} times in one request, {len(wanted)} of them the "
            "last time. Check what removes files from their local folders"
        )

    def close(self) -> None:
        # A closed session has removed its files, so errors do not matter.
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
    """The rows of a DataFrame."""

    number = "spark_partition_id()"  # the number of the block of a row, as an expression of Spark

    def __init__(self, X: DataLike, y: str | None, sample_weight: str | None) -> None:
        repeated = sorted({name for name in X.columns if X.columns.count(name) > 1})
        if repeated:
            raise ValueError(f"X has more than one column named {repeated[0]!r}. Rename them")
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
        names = self._given.columns
        return PartitionRows(schema, names, *self._columns, self._vectors, self.n_features)

    @property
    def rows_per_batch(self) -> int:
        return max(1, _VALUES_PER_BATCH // max(1, self.n_features or 1))


def _vector_column(X: DataLike, features: list[str]) -> str | None:
    """Return the column with all features of a row, if there is one."""
    kinds = {name: X.schema[name].dataType.typeName() for name in features}
    vectors = [name for name, kind in kinds.items() if kind in ("array", "vectorudt")]
    if vectors and len(features) > 1:
        raise ValueError(
            f"column {vectors[0]!r} of X contains vectors, so remove the {len(features) - 1} other features"
        )
    return vectors[0] if vectors else None


class _Files:
    """The rows of Parquet files. A small DataFrame lists their row groups."""

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
                    f"client reads Parquet files only, but {str(X)!r} is {kind}. Pass a Spark DataFrame as X"
                )
        files: FileColumns = open_table(X).columns
        parts = [part for part in files.parts if isinstance(part, ParquetPart)]
        if len(parts) < len(files.parts):
            raise ValueError(
                "client reads plain Parquet files only, without partitions or filters. Pass a Spark DataFrame as X"
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
            raise ValueError(f"X has no rows: {str(X)!r}. Pass files with rows")
        pieces = [(number, *group) for number, group in enumerate(groups)]
        self.frame = session.createDataFrame(pieces, FileRows.SCHEMA)

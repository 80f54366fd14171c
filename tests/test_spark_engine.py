"""Spark as an execution backend: what it reads, keeps, returns, loses and removes."""

from __future__ import annotations

import errno
import operator
import pickle
from pathlib import Path

import numpy as np
import pytest

from tests.examples import some
from tests.spark_sessions import frame_of
from thresher.blocks import RowBlock, is_in_blocks, open_engine

pytestmark = [pytest.mark.cluster, pytest.mark.slow, pytest.mark.xdist_group("spark")]

SIZES = (3, 0, 1, 7, 2)


class Rows:
    """A packed block for tests: sums of its columns."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values

    def save(self, path: Path) -> None:
        path.write_bytes(pickle.dumps(self.values))

    @classmethod
    def open(cls, path: Path) -> Rows:
        return cls(pickle.loads(path.read_bytes()))


class FullDisk(Rows):
    def save(self, path: Path) -> None:
        path.write_bytes(b"half of it")
        raise OSError(errno.ENOSPC, "No space left on device")


def quiet(done: int, total: int) -> None:
    pass


def shape_of(number: int, block: RowBlock) -> tuple:
    return number, block.X.shape, None if block.y is None else list(map(str, block.y.to_pylist()))


def pack_numbers(number: int, block: RowBlock) -> tuple[Rows, int]:
    values = np.asarray(block.X["a"].to_numpy(), dtype=np.int64)
    return Rows(values), len(values)


def sum_up(block: Rows) -> np.ndarray:
    return np.array([block.values.sum(), len(block.values)], dtype=np.int64)


@pytest.fixture(params=some(["connect", "classic"]))
def session(request, spark_local):
    return getattr(spark_local, request.param)


in_both_sessions = pytest.mark.parametrize("session", ["classic", "connect"], indirect=True)


def tables() -> list:
    import pyarrow as pa

    found, start = [], 0
    for size in SIZES:
        numbers = np.arange(start, start + size)
        columns = {
            "a": pa.array(numbers, pa.int64()),
            "b": pa.array(numbers / 4, pa.float64()),
            "class": pa.array([f"c{number % 2}" for number in numbers], pa.string()),
        }
        found.append(pa.table(columns))
        start += size
    return found


def packed_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("**/thresher-*/block-*"))


def block_of(path: Path) -> int:
    return int(path.name.split("-")[1])


@in_both_sessions
def test_partitions_are_blocks_in_their_order(session):
    X = frame_of(session, tables())
    assert is_in_blocks(X)
    before = session.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch")
    engine = open_engine(X, "class")
    assert list(engine.names) == ["a", "b"]
    assert engine.n_features == 2
    seen = engine.read(shape_of, quiet)
    assert [number for number, _, _ in seen] == [0, 1, 2, 3, 4]
    assert [shape for _, shape, _ in seen] == [(size, 2) for size in SIZES]
    assert [y for _, _, y in seen][:3] == [["c0", "c1", "c0"], [], ["c1"]]
    assert session.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch") == before


def test_packed_blocks_are_requested_in_place_and_removed(session, spark_local):
    engine = open_engine(frame_of(session, tables()), "class")
    assert engine.pack(pack_numbers, quiet) == list(SIZES)
    assert len(packed_files(spark_local.folder)) == len(SIZES)
    n = sum(SIZES)
    for _ in range(2):
        assert engine.request(sum_up, operator.add, quiet).tolist() == [n * (n - 1) // 2, n]
    engine.close()
    assert packed_files(spark_local.folder) == []
    with pytest.raises(RuntimeError, match="no blocks are packed"):
        engine.request(sum_up, operator.add, quiet)


@in_both_sessions
def test_only_a_lost_block_is_recomputed(session, spark_local):
    engine = open_engine(frame_of(session, tables()), "class")
    engine.pack(pack_numbers, quiet)
    n = sum(SIZES)
    files = packed_files(spark_local.folder)
    kept = [path for path in files if block_of(path) not in (0, 3)]
    for path in set(files) - set(kept):
        path.unlink()
    assert engine.request(sum_up, operator.add, quiet).tolist() == [n * (n - 1) // 2, n]
    after = packed_files(spark_local.folder)
    assert sorted(map(block_of, set(after) - set(kept))) == [0, 3]
    assert set(kept) < set(after)
    engine.close()
    assert packed_files(spark_local.folder) == []


def test_an_error_of_a_task_is_raised_as_it_was(session):
    engine = open_engine(frame_of(session, tables()))

    def fail(number: int, block: RowBlock) -> None:
        if number == 3:
            raise ValueError("column 'b' is not what it was")

    with pytest.raises(ValueError, match=r"^column 'b' is not what it was$"):
        engine.read(fail, quiet)


@in_both_sessions
def test_a_full_disk_is_a_one_line_error_and_leaves_nothing(session, spark_local):
    engine = open_engine(frame_of(session, tables()))

    def pack(number: int, block: RowBlock) -> tuple[Rows, None]:
        values = np.arange(3)
        return (FullDisk(values) if number == 2 else Rows(values)), None

    with pytest.raises(
        OSError,
        match=r"cannot write a packed block to .* on a Spark executor: .*Free some space, or",
    ):
        engine.pack(pack, quiet)
    engine.close()
    assert packed_files(spark_local.folder) == []


def test_scratch_names_the_folder_of_packed_blocks(spark_local, tmp_path):
    X = frame_of(spark_local.classic, tables())
    engine = open_engine(X, "class", scratch=tmp_path)
    engine.pack(pack_numbers, quiet)
    assert len(packed_files(tmp_path)) == len(SIZES)
    engine.close()
    assert list(tmp_path.iterdir()) == []


def matrix_of(number: int, block: RowBlock):
    return block.X


def test_a_column_of_arrays_contains_all_features(session):
    import pyarrow as pa

    vectors = [[[1.0, None, 3.0], [4.0, 5.0, 6.0]], [], [[7.0, 8.0, 9.0]]]
    kind = pa.list_(pa.float64())
    parts = [
        pa.table({"y": pa.array([0] * len(v), pa.int64()), "v": pa.array(v, kind)}) for v in vectors
    ]
    engine = open_engine(frame_of(session, parts), "y")
    assert engine.names is None
    assert engine.n_features == 3
    first, second, third = engine.read(matrix_of, quiet)
    np.testing.assert_array_equal(first, [[1, np.nan, 3], [4, 5, 6]])
    assert second.shape == (0, 3)
    np.testing.assert_array_equal(third, [[7, 8, 9]])


def test_vectors_of_pyspark_ml_stay_sparse(session):
    from pyspark.ml.linalg import Vectors

    dense = [[0.0, 2.0, 0.0, 1.0], [5.0, 0.0, 0.0, 6.0], [0.0, 0.0, 0.0, 0.0]]
    rows = [
        (Vectors.dense(dense[0]), 1),
        (Vectors.sparse(4, [0, 3], [5.0, 6.0]), 0),
        (Vectors.sparse(4, [], []), 1),
    ]
    X = session.createDataFrame(rows, ["v", "y"]).coalesce(1)
    engine = open_engine(X, "y")
    assert engine.n_features == 4
    (mixed,) = engine.read(matrix_of, quiet)
    assert mixed.format == "csr"
    np.testing.assert_array_equal(mixed.toarray(), dense)
    (plain,) = open_engine(X.limit(1), "y").read(matrix_of, quiet)
    np.testing.assert_array_equal(plain, dense[:1])


def test_columns_that_cannot_be_features_are_rejected(session):
    X = session.createDataFrame([([1.0, 2.0], 1, 0)], ["v", "extra", "y"])
    with pytest.raises(ValueError, match="column 'v' of X contains vectors, so remove the 1 other"):
        open_engine(X, "y")
    with pytest.raises(ValueError, match=r"y names the column 'extro'.*did you mean 'extra'"):
        open_engine(X, "extro")
    with pytest.raises(ValueError, match=r"y must be the name of a column of X.*got Column"):
        open_engine(X, X["y"])
    uneven = session.createDataFrame([([1.0, 2.0],), ([1.0],)], ["v"]).coalesce(1)
    with pytest.raises(ValueError, match=r"vectors of column 'v' have 2 and 1 values"):
        open_engine(uneven).read(matrix_of, quiet)
    without = session.createDataFrame([([1.0, 2.0],), (None,)], "v array<double>").coalesce(1)
    with pytest.raises(ValueError, match="column 'v' has 1 rows without a vector in partition 0"):
        open_engine(without).read(matrix_of, quiet)


def test_row_groups_of_parquet_files_are_blocks_that_tasks_read(session, tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    whole = pa.concat_tables(tables())
    parquet.write_table(whole.slice(0, 8), tmp_path / "1.parquet", row_group_size=3)
    other = whole.slice(8).set_column(0, "a", whole.slice(8)["a"].cast("int32"))
    parquet.write_table(other, tmp_path / "2.parquet")
    assert not is_in_blocks(tmp_path)
    engine = open_engine(tmp_path, "class", client=session)
    assert list(engine.names) == ["a", "b"]
    seen = engine.read(shape_of, quiet)
    assert [shape for _, shape, _ in seen] == [(3, 2), (3, 2), (2, 2), (5, 2)]
    assert engine.pack(pack_numbers, quiet) == [3, 3, 2, 5]
    n = sum(SIZES)
    assert engine.request(sum_up, operator.add, quiet).tolist() == [n * (n - 1) // 2, n]
    engine.close()
    with pytest.raises(ValueError, match=r"y names the column 'clas', .*did you mean 'class'"):
        open_engine(tmp_path, "clas", client=session)
    (tmp_path / "text.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match=r"client reads Parquet files only, but .* is text"):
        open_engine(tmp_path / "text.csv", client=session)


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (
            "[PYTHON_VERSION_MISMATCH] Python in worker has different version: 3.9 than that in driver: 3.11,",
            r"the Spark workers run Python 3.9, not that of this process\. Set PYSPARK_PYTHON",
        ),
        (
            "ModuleNotFoundError: No module named 'thresher'",
            r"the Python of the Spark workers has no thresher\. Install thresher\[spark\]",
        ),
    ],
)
def test_errors_whose_remedy_is_known_have_one_line(message, words):
    from thresher.blocks.spark_tasks import readable_errors

    with pytest.raises(RuntimeError, match=words), readable_errors():
        raise ValueError(f"Traceback ...\n{message} and so on")


def test_other_versions_on_the_workers_are_rejected(spark_local, monkeypatch):
    import thresher

    engine = open_engine(frame_of(spark_local.classic, tables()))
    monkeypatch.setattr(thresher, "__version__", "0.0.1")
    with pytest.raises(RuntimeError, match=r"a Spark worker has .*from Python 3.* thresher 0.0.1"):
        engine.read(shape_of, quiet)


def test_a_closed_session_is_reported(spark_local):
    spark_local.stop()
    for session in (spark_local.connect, spark_local.classic):
        X = frame_of(session, tables())
        engine = open_engine(X, "class")
        session.stop()
        with pytest.raises(RuntimeError, match=r"the Spark session of X is closed\. Start a new"):
            engine.read(shape_of, quiet)
        with pytest.raises(RuntimeError, match=r"the Spark session of X is closed\. Start a new"):
            open_engine(X, "class").read(shape_of, quiet)
    spark_local.stop()

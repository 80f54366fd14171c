"""Blocks of rows from dask, on a cluster of processes and without one."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from tests.dask_clusters import (
    add_rows,
    fail,
    import_dask,
    list_rows,
    nothing,
    pack_rows,
    sum_columns,
)
from thresher.blocks import dask as dask_backend
from thresher.blocks import dask_work, is_in_blocks, open_engine

da = import_dask("dask.array")
dd = import_dask("dask.dataframe")
distributed = import_dask("distributed")

pytestmark = [pytest.mark.cluster, pytest.mark.xdist_group("dask")]

ROWS = np.arange(60.0).reshape(20, 3)
TARGET = np.arange(20) % 3


@pytest.fixture(params=["cluster", "local"])
def client(request):
    if request.param == "local":
        return None
    return request.getfixturevalue("dask_client")


def frame_of(n_partitions=4):
    frame = pd.DataFrame(ROWS, columns=["a", "b", "c"])
    return dd.from_pandas(frame.assign(y=TARGET, w=2.0), npartitions=n_partitions)


def with_unknown_chunks(array):
    """Return the same rows in blocks of sizes that dask does not know, the last of them empty."""
    return da.concatenate([array[array[:, 0] >= 0], array[array[:, 0] < 0]])


def test_blocks_are_read_packed_and_requested(client):
    engine = open_engine(
        da.from_array(ROWS, chunks=(6, 2)), da.from_array(TARGET, chunks=7), client=client
    )
    assert (engine.names, engine.n_features) == (None, 3)
    seen = []
    read = engine.read(list_rows, lambda *done: seen.append(done))
    assert [number for number, _ in read] == [0, 1, 2, 3]
    assert [row for _, rows in read for row in rows] == ROWS.tolist()
    assert seen == sorted(seen)
    assert seen[-1] == (4, 4)
    assert engine.pack(pack_rows, nothing) == [6, 6, 6, 2]
    seen.clear()
    assert engine.request(add_rows, np.add, lambda *done: seen.append(done)).tolist() == [
        570,
        590,
        610,
    ]
    assert seen[-1] == (4, 4)
    assert engine.request(add_rows, np.maximum, nothing).max() < 570
    engine.close()
    with pytest.raises(RuntimeError, match="no blocks are packed"):
        engine.request(add_rows, np.add, nothing)


def test_target_and_weights_are_columns_or_dask_objects(client):
    frame, sums = frame_of(), (ROWS.sum(), TARGET.sum(), 40.0)
    given = [
        (frame, "y", "w"),
        (frame.drop(columns=["y"]), frame["y"], "w"),
        (frame[["a", "b", "c"]], frame["y"], frame["w"]),
        (frame[["a", "b", "c"]], frame["y"].to_dask_array(), frame["w"].to_dask_array()),
        (frame[["a", "b", "c"]].to_dask_array(), frame["y"], frame["w"].to_dask_array()),
    ]
    for X, y, weights in given:
        engine = open_engine(X, y, weights, client=client)
        assert engine.n_features == 3
        assert engine.names == (["a", "b", "c"] if hasattr(X, "columns") else None)
        assert np.sum(engine.read(sum_columns, nothing), axis=0).tolist() == list(sums)
    assert open_engine(frame[["a"]], client=client).read(sum_columns, nothing)[0][1:] == [
        None,
        None,
    ]


def test_sizes_of_blocks_need_not_be_known(client):
    X = with_unknown_chunks(da.from_array(ROWS, chunks=(6, 2)))
    y = with_unknown_chunks(da.from_array(np.c_[TARGET], chunks=(6, 1)))[:, 0]
    assert np.isnan(X.shape[0])
    engine = open_engine(X, y, client=client)
    assert engine.n_features == 3
    assert engine.pack(pack_rows, nothing) == [6, 6, 6, 2, 0, 0, 0, 0]
    assert engine.request(add_rows, np.add, nothing).tolist() == [570, 590, 610]
    engine.close()


def test_blocks_may_be_sparse(client):
    X = da.from_array(ROWS, chunks=(6, 2)).map_blocks(sparse.csr_matrix)
    engine = open_engine(X, client=client)
    shapes = engine.read(lambda number, block: (type(block.X).__name__, block.X.shape), nothing)
    assert shapes == [("csr_matrix", (n, 3)) for n in (6, 6, 6, 2)]


def test_many_or_large_results_are_added_on_the_workers(dask_client, monkeypatch):
    engine = open_engine(da.from_array(ROWS, chunks=(1, 3)), client=dask_client)
    engine.pack(pack_rows, nothing)
    expected = ROWS.sum(axis=0).tolist()
    assert engine.request(add_rows, np.add, nothing).tolist() == expected
    monkeypatch.setattr(dask_backend, "_FAN_IN", 2)
    seen = []
    for limit in ("_MANY_RESULTS", "_LARGE_RESULT"):
        with monkeypatch.context() as patch:
            patch.setattr(dask_backend, limit, 1)
            total = engine.request(add_rows, np.add, lambda *done: seen.append(done))
        assert total.tolist() == expected
        assert seen[-1] == (20, 20)
    engine.close()


def test_a_round_is_one_task_for_each_worker(dask_client):
    engine = open_engine(da.from_array(ROWS, chunks=(1, 3)), client=dask_client)
    engine.pack(pack_rows, nothing)
    groups = engine._groups
    assert len(groups) <= 2
    assert sum(group.n_blocks for group in groups) == 20
    engine.close()


def test_nothing_is_left_on_the_workers(dask_client):
    engine = open_engine(da.from_array(ROWS, chunks=(5, 3)), client=dask_client)
    engine.pack(pack_rows, nothing)
    engine.request(add_rows, np.add, nothing)
    engine.close()
    with pytest.raises(ValueError, match="not to my taste"):
        engine.read(fail, nothing)
    until = time.monotonic() + 10
    while any(dask_client.has_what().values()) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(dask_client.has_what().values())


def test_the_active_client_is_used_and_dasks_configuration_obeyed(dask_client):
    import dask

    X = da.from_array(ROWS, chunks=(5, 3))

    def engine_class():
        return type(open_engine(X)).__name__

    assert engine_class() == "LocalDask"
    with dask_client.as_current():
        assert engine_class() == "DaskCluster"
        with dask.config.set(scheduler="threads"):
            assert engine_class() == "LocalDask"


def test_known_blocks_of_another_cut_are_cut_alike(client):
    engine = open_engine(
        da.from_array(ROWS, chunks=(6, 3)), da.from_array(TARGET, chunks=9), client=client
    )
    assert [sums[1] for sums in engine.read(sum_columns, nothing)] == [
        TARGET[i : i + 6].sum() for i in (0, 6, 12, 18)
    ]


def test_rows_and_targets_that_do_not_fit_are_rejected(client):
    X, frame = da.from_array(ROWS, chunks=(6, 3)), frame_of()
    with pytest.raises(ValueError, match=r"X has 20 rows and y has 19\. Pass one value per row"):
        open_engine(X, da.from_array(TARGET[:19], chunks=5), client=client)
    with pytest.raises(
        ValueError, match=r"X has 4 blocks of rows and sample_weight has 2\. Pass columns"
    ):
        open_engine(X, sample_weight=frame_of(2)["w"], client=client)
    uneven = da.from_array(TARGET, chunks=((5, 5, 4, 6),))
    engine = open_engine(frame[["a"]], uneven, client=client)
    for call in (
        lambda: engine.read(sum_columns, nothing),
        lambda: engine.pack(pack_rows, nothing),
    ):
        with pytest.raises(
            ValueError,
            match=r"X has blocks of 5, 5, 5, 5 rows and y has blocks of 5, 5, 4, 6\. Pass",
        ):
            call()
    many = dd.from_pandas(pd.DataFrame({"a": ROWS[:, 0]}), npartitions=20)
    twice = da.from_array(np.repeat(TARGET, 2), chunks=2)
    with pytest.raises(
        ValueError, match=r"1, 1, 1 \.\.\. \(20 blocks\) rows and y has blocks of 2, 2"
    ):
        open_engine(many, twice, client=client).read(sum_columns, nothing)


def test_arguments_that_are_not_dask_rows_or_targets_are_rejected():
    import dask.bag

    X, frame = da.from_array(ROWS, chunks=(6, 3)), frame_of()
    bag = dask.bag.from_sequence([1, 2])
    assert is_in_blocks(bag)
    with pytest.raises(
        ValueError, match=r"must be a dask array or a dask dataframe, got dask\.bag"
    ):
        open_engine(bag)
    with pytest.raises(ValueError, match="X must have two dimensions, rows and columns, got 1"):
        open_engine(X[:, 0])
    with pytest.raises(
        ValueError, match=r"y must be the name of .* got numpy\.ndarray\. Use dask\.array"
    ):
        open_engine(X, TARGET)
    with pytest.raises(ValueError, match=r"sample_weight must be .* of 2 dimensions"):
        open_engine(frame, "y", frame[["w"]])
    with pytest.raises(ValueError, match="y names the column 'y', but X is a dask array"):
        open_engine(X, "y")
    with pytest.raises(ValueError, match="y names the column 'yy', which X does not have; did you"):
        open_engine(frame, "yy")


def test_clients_that_cannot_be_used_are_rejected(dask_client):
    X = da.from_array(ROWS, chunks=(6, 3))
    with pytest.raises(ValueError, match=r"client must be a distributed\.Client, got str"):
        open_engine(X, client="tcp://127.0.0.1:8786")
    client = distributed.Client(dask_client.scheduler.address, set_as_default=False)
    engine = open_engine(X, client=client)
    client.close()
    with pytest.raises(
        RuntimeError, match=r"the Dask client has no scheduler: it is closed\. Connect a new"
    ):
        open_engine(X, client=client)
    with pytest.raises(RuntimeError, match=r"no scheduler: it is closed"):
        engine.read(list_rows, nothing)


def test_errors_of_a_task_come_as_they_are(client):
    engine = open_engine(da.from_array(ROWS, chunks=(6, 3)), client=client)
    for call in (engine.read, engine.pack):
        with pytest.raises(ValueError, match=r"^block \d is not to my taste$"):
            call(fail, nothing)


def test_workers_of_another_python_are_rejected(dask_client, monkeypatch):
    monkeypatch.setattr(dask_work, "versions_here", lambda: ("2.7", "0.0.1"))
    engine = open_engine(da.from_array(ROWS, chunks=(6, 3)), client=dask_client)
    with pytest.raises(
        RuntimeError, match=r"a Dask worker has Python 3\.\d+ and thresher .* from Python 2\.7 and"
    ):
        engine.read(list_rows, nothing)

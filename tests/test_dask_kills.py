"""Workers of a Dask cluster that are killed during a fit, and clients that are closed."""

from __future__ import annotations

import os
import threading
import time

import numpy as np
import pytest

from tests.dask_clusters import (
    add_rows,
    die,
    import_dask,
    list_rows,
    mortal_cluster,
    nothing,
    pack_rows,
    pack_slowly,
    wait_long,
)
from tests.examples import SHARE
from thresher import MRMR
from thresher.blocks import dask_work, open_engine

dask = import_dask("dask")
da = import_dask("dask.array")
distributed = import_dask("distributed")

pytestmark = [pytest.mark.cluster, pytest.mark.slow, pytest.mark.xdist_group("dask kills")]

N_KILLS = 20 if SHARE >= 1 else 3
ROWS = np.arange(60.0).reshape(20, 3)


@pytest.fixture(scope="module")
def cluster():
    with mortal_cluster(3) as (client, workers):
        yield client, workers


def found(selector):
    return selector.selected_.tolist(), selector.scores_[selector.selected_].tolist()


def test_a_worker_killed_at_any_moment_does_not_change_the_result(cluster):
    client, workers = cluster
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 30)), rng.integers(0, 3, 400)
    X[:, :10] += y[:, None]
    selector = MRMR(10, relevance="mi")
    expected = found(selector.fit(X, y))
    X_remote, y_remote = da.from_array(X, chunks=(40, 30)), da.from_array(y, chunks=40)
    selector.fit(X_remote, y_remote, client=client)
    start = time.monotonic()
    assert found(selector.fit(X_remote, y_remote, client=client)) == expected
    usual = time.monotonic() - start
    for moment in rng.uniform(0.0, usual, N_KILLS):
        killer = threading.Timer(moment, workers.kill)
        killer.start()
        assert found(selector.fit(X_remote, y_remote, client=client)) == expected
        killer.join()
        workers.start()
        client.wait_for_workers(3, timeout=120)


def test_blocks_of_a_killed_worker_are_recomputed(cluster):
    client, workers = cluster
    engine = open_engine(da.from_array(ROWS, chunks=(2, 3)), client=client)
    engine.pack(pack_slowly, nothing)
    assert len({group.worker for group in engine._groups}) == 3
    workers.kill()
    assert engine.request(add_rows, np.add, nothing).tolist() == ROWS.sum(axis=0).tolist()
    engine.close()


def test_blocks_that_end_every_worker_are_reported(cluster, monkeypatch):
    client, workers = cluster
    monkeypatch.setattr(workers.scheduler, "allowed_failures", 0)
    engine = open_engine(da.from_array(ROWS, chunks=(20, 3)), client=client)
    with pytest.raises(
        RuntimeError, match="killed several Dask workers, probably because they ran out of memory"
    ):
        engine.read(die, nothing)


def test_rows_that_cannot_be_recomputed_are_reported(cluster):
    client, workers = cluster
    address, pid = next(iter(client.run(os.getpid).items()))
    there = client.scatter(ROWS, workers=[address])
    engine = open_engine(da.from_delayed(dask.delayed(there), (20, 3), float), client=client)
    assert len(engine.read(list_rows, nothing)) == 1
    engine.pack(pack_rows, nothing)
    os.kill(pid, 9)  # Windows has no name for it
    with pytest.raises(RuntimeError, match="rows that it cannot compute again"):
        engine.request(add_rows, np.add, nothing)
    engine.close()
    workers.start()
    client.wait_for_workers(1, timeout=120)


def test_without_workers_or_client_a_fit_ends_in_an_error(cluster, monkeypatch):
    assert dask_work._NO_WORKER_TIMEOUT <= 40  # a minute is promised
    monkeypatch.setattr(dask_work, "_NO_WORKER_TIMEOUT", 3.0)
    X = da.from_array(ROWS, chunks=(6, 3))
    client, workers = cluster
    # Closed early, and when the watchdog looks for the first time.
    closing = {
        moment: distributed.Client(client.scheduler.address, set_as_default=False)
        for moment in (0.3, 1.0)
    }
    engines = {
        moment: open_engine(X, client=own) for moment, own in [*closing.items(), (None, client)]
    }
    for engine in engines.values():
        engine.pack(pack_rows, nothing)
    start = time.monotonic()
    for moment, own in closing.items():
        threading.Timer(moment, own.close).start()
        with pytest.raises(RuntimeError, match=r"no scheduler: it is clos"):
            engines[moment].request(wait_long, np.add, nothing)
        engines[moment].close()
    threading.Timer(1.0, workers.kill_all).start()
    with pytest.raises(RuntimeError, match=r"the Dask cluster has had no worker for 3 s\. Start"):
        engines[None].request(wait_long, np.add, nothing)
    with pytest.raises(RuntimeError, match="no worker for 3 s"):
        engines[None].read(list_rows, nothing)
    engines[None].close()
    assert time.monotonic() - start < 45  # and not the minute that the tasks would take

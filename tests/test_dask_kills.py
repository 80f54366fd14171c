"""Workers of a Dask cluster that are killed while they work."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest

from tests.dask_clusters import add_rows, kill_one, local_cluster, nothing, pack_slowly, tell_sums
from thresher.blocks import open_engine

da = pytest.importorskip("dask.array")

pytestmark = [pytest.mark.cluster, pytest.mark.slow]

# THRESHER_KILLS=20 for more of them.
N_KILLS = int(os.environ.get("THRESHER_KILLS", "3"))


@pytest.fixture(scope="module")
def client():
    with local_cluster(3) as client:
        yield client


def test_a_killed_worker_does_not_change_the_answer(client):
    rows = np.arange(600.0).reshape(200, 3)
    moments = np.random.default_rng(0).uniform(0.0, 2.5, N_KILLS)
    for number, moment in enumerate(moments):
        client.wait_for_workers(3)
        engine = open_engine(da.from_array(rows, chunks=(10, 3)), far={"client": client})
        killer = threading.Timer(moment, kill_one, (client, number))
        killer.start()
        totals = [np.sum([told[0] for told in engine.read(tell_sums, nothing)])]
        assert engine.pack(pack_slowly, nothing) == [10] * 20
        rounds_after = 0
        while rounds_after < 3:
            rounds_after += not killer.is_alive()
            totals.append(engine.ask(add_rows, np.add, nothing).sum())
        assert set(totals) == {rows.sum()}
        engine.close()

"""Real clusters of Dask on this machine, and tasks for them."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import time
from contextlib import contextmanager
from importlib import import_module

import numpy as np
import pytest


def import_dask(name):
    """Return a module of Dask. Skip the test if it is missing; in CI that is an error."""
    return import_module(name) if os.environ.get("CI") == "true" else pytest.importorskip(name)


@contextmanager
def local_cluster(n_workers):
    """Yield a client of a cluster whose processes are restarted when they die."""
    distributed = import_dask("distributed")
    with (
        distributed.LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            memory_limit=0,
            dashboard_address=None,
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


def as_frame(frame, ends):
    """Return a dask dataframe with a partition for each range of rows. Equal ends make empty ones."""
    import dask
    import dask.dataframe as dd

    parts = [frame.iloc[rows] for rows in np.split(np.arange(len(frame)), sorted(ends))]
    return dd.from_delayed([dask.delayed(part) for part in parts], meta=frame.iloc[:0])


def run_worker(address):
    """Run a worker until it is killed."""
    from distributed import Worker

    async def run():
        worker = await Worker(address, nthreads=1, memory_limit=0, dashboard=False)
        await worker.finished()

    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    asyncio.run(run())


class Workers:
    """Worker processes that are not restarted when they die, and their scheduler."""

    def __init__(self, scheduler):
        self.scheduler = scheduler
        # A fork of a process that has imported everything starts at once. Windows cannot fork.
        can_fork = "forkserver" in multiprocessing.get_all_start_methods()
        self._context = multiprocessing.get_context("forkserver" if can_fork else "spawn")
        if can_fork:
            self._context.set_forkserver_preload(["distributed", "thresher.blocks", __name__])
        self._processes = []

    def start(self):
        process = self._context.Process(
            target=run_worker, args=(self.scheduler.address,), daemon=True
        )
        process.start()
        self._processes.append(process)

    def kill(self):
        """Kill the oldest process."""
        process = self._processes.pop(0)
        process.kill()
        process.join()

    def kill_all(self):
        while self._processes:
            self.kill()


@contextmanager
def mortal_cluster(n_workers):
    """Yield a client and its `Workers`."""
    distributed = import_dask("distributed")
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=None) as cluster,
        distributed.Client(cluster.scheduler_address, set_as_default=False) as client,
    ):
        workers = Workers(cluster.scheduler)
        try:
            for _ in range(n_workers):
                workers.start()
            client.wait_for_workers(n_workers, timeout=120)
            yield client, workers
        finally:
            workers.kill_all()


def nothing(done, total):
    """Ignore the progress."""


def list_rows(number, block):
    return number, np.asarray(block.X).tolist()


def sum_columns(number, block):
    parts = (block.X, block.y, block.weights)
    return [None if part is None else float(np.asarray(part, dtype=float).sum()) for part in parts]


def pack_rows(number, block):
    return np.asarray(block.X, dtype=float), block.X.shape[0]


def pack_slowly(number, block):
    time.sleep(0.2)
    return pack_rows(number, block)


def add_rows(packed):
    return packed.sum(axis=0)


def wait_long(packed):
    time.sleep(60)
    return packed.sum(axis=0)


def die(number, block):
    os._exit(1)


def fail(number, block):
    raise ValueError(f"block {number} is not to my taste")

"""Real clusters of Dask on this machine, and what is asked of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import numpy as np
import pytest


@contextmanager
def local_cluster(n_workers):
    """A client of a cluster of processes that are started again when they die."""
    distributed = pytest.importorskip("distributed")
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


@contextmanager
def mortal_cluster(n_workers):
    """A client, and the processes of workers that nobody starts again."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=None) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        command = [sys.executable, "-m", "distributed.cli.dask_worker", cluster.scheduler_address]
        command += ["--no-nanny", "--nthreads", "1", "--no-dashboard", "--memory-limit", "0"]
        workers = [
            subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for _ in range(n_workers)
        ]
        try:
            client.wait_for_workers(n_workers, timeout=120)
            yield client, workers
        finally:
            for worker in workers:
                worker.kill()
                worker.wait()


def kill_one(client, which):
    """SIGKILL to one of the workers."""
    processes = sorted(client.run(os.getpid).values())
    os.kill(processes[which % len(processes)], signal.SIGKILL)


def nothing(done, total):
    """Progress that nobody looks at."""


def tell_rows(number, block):
    return number, np.asarray(block.X).tolist()


def tell_sums(number, block):
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


def fail(number, block):
    raise ValueError(f"block {number} is not to my taste")

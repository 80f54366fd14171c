"""Fits with too little memory, or with more threads than there is work for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from joblib import cpu_count, delayed
from sklearn.feature_selection import SelectKBest
from threadpoolctl import threadpool_info

from thresher import Ensemble
from thresher._utils.long_calls import blas_threads, call_interruptibly, run_in_threads
from thresher.cli._errors import sentences

needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
limits_addresses = pytest.mark.skipif(
    "asan" in os.environ.get("LD_PRELOAD", ""), reason="the sanitizer reserves addresses itself"
)

PROGRAM = """
    import json, os, resource, sys
    import numpy as np, pandas as pd
    from scipy import sparse
    from sklearn.base import clone
    from thresher import *

    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, (800, 1500))
    tables = {
        "codes": codes,
        "floats": rng.normal(size=codes.shape),
        "sparse": sparse.csc_matrix(codes * (rng.random(codes.shape) < 0.1)),
        "frame": pd.DataFrame(codes, columns=[f"x{i}" for i in range(codes.shape[1])]),
    }
    y = rng.integers(0, 3, len(codes))

    def bytes_mapped():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[0]) * resource.getpagesize()

    def outcome(selector, X, more, is_first):
        if not is_first:  # its threads are there
            clone(selector).fit(X[:50] if not hasattr(X, "iloc") else X.iloc[:50], y[:50])
        resource.setrlimit(resource.RLIMIT_AS, (bytes_mapped() + more,) * 2)
        try:
            selector.fit(X, y)
        except MemoryError:
            return 3
        except BaseException as error:
            os.write(2, repr(error).encode())
            return 4
        return 0

    found = {}
    for number, selector in enumerate([MRMR(4), JMI(3), FCBF(), Ensemble(MRMR(3), n_parts=3)]):
        for kind, X in tables.items():
            for more in (2_000, 100_000, 9_000_000):
                child = os.fork()
                if child == 0:
                    os._exit(outcome(selector.set_params(n_jobs=4), X, more, number % 2))
                found[f"{selector} {kind} {more}"] = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(json.dumps(found))
"""


@pytest.mark.slow
@needs_linux
@limits_addresses
def test_a_fit_without_memory_raises_memory_error_and_does_not_end_the_process():
    program = textwrap.dedent(PROGRAM)
    child = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert child.returncode == 0, child.stderr
    found = json.loads(child.stdout)
    others = {case: code for case, code in found.items() if code not in (0, 3)}
    assert not others, child.stderr
    assert set(found.values()) == {0, 3}


def most_threads_during(work):
    """Return the most threads of this process beyond those before; those of the core are counted, too."""
    tasks = "/proc/self/task"
    before, seen, done = len(os.listdir(tasks)), [0], threading.Event()

    def watch():
        while not done.is_set():
            seen.append(len(os.listdir(tasks)))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        work()
    finally:
        done.set()
        watcher.join()
    return max(seen) - before - 1  # the watcher itself


@needs_linux
@pytest.mark.parametrize("n_jobs", [40, 1000])
def test_at_most_one_thread_per_task_is_started(n_jobs):
    fits = (delayed(time.sleep)(0.05) for _ in range(3))
    # The threads of joblib's own pool: those at work, and three that hand out work and results.
    assert most_threads_during(lambda: list(run_in_threads(fits, n_jobs))) <= 3 + 3


@needs_linux
def test_an_ensemble_of_few_fits_starts_few_threads_and_leaves_none():
    X, y = np.random.default_rng(0).random((40, 6)), np.arange(40) % 2
    ensemble = Ensemble(Sleepy(), n_parts=4, kind="full", n_jobs=1000)
    before = threading.active_count()
    # Each of four workers waits for a thread that runs the code of others.
    assert most_threads_during(lambda: ensemble.fit(X, y)) <= 2 * 4 + 3
    latest = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < latest:
        time.sleep(0.01)
    assert threading.active_count() <= before


class Sleepy(SelectKBest):
    def __init__(self):
        super().__init__(k=2)

    def fit(self, X, y):
        time.sleep(0.05)
        return super().fit(X, y)


def test_blas_gets_at_most_one_thread_per_processor():
    with blas_threads(1000):
        used = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    assert max(used, default=1) <= cpu_count()


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_threads_that_cannot_be_started_are_a_one_line_error(n_jobs, monkeypatch):
    def fail(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", fail)
    assert call_interruptibly(abs, -3) == 3
    fits = [delayed(abs)(-i) for i in range(3)]
    if n_jobs == 1:
        assert list(run_in_threads(fits, n_jobs)) == [0, 1, 2]
        return
    with pytest.raises(MemoryError, match=r"no memory for 3 threads: n_jobs=3\. Set a smaller"):
        list(run_in_threads(fits, n_jobs))


@needs_linux
@limits_addresses
def test_a_limit_of_the_address_space_limits_the_memory_that_is_used():
    program = """
import resource
from thresher.io.temporary import total_memory
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
print(total_memory())
"""
    child = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert 1 << 30 < int(child.stdout) < 4 << 30


def test_the_command_reports_in_one_line_that_no_thread_can_be_started(capsys):
    with pytest.raises(SystemExit) as end, sentences():
        raise RuntimeError("can't start new thread")
    assert end.value.code == 2
    assert "no memory for another thread. Set a smaller --jobs" in capsys.readouterr().err

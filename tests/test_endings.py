"""Threads that end with their caller or with the interpreter, and children forked during a fit."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.examples import SHARE

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
needs_signals = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")

DATA = """
import os, signal, sys, threading, time, warnings
import numpy as np
from thresher import CFS, LCC, MRMR, RFS, RRFS, Chain, Ensemble, LaplacianScore, LassoPath
from thresher import MultiSURF, ReliefF, Univariate
from thresher.evaluate.curves import stability_curve

warnings.simplefilter("ignore")
signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(0)
X = rng.random((3000, 2000), dtype=np.float32)
y = rng.integers(0, 2, len(X))

def threads_left():
    "Those still there after the moment that an idle one needs to end."
    latest = time.monotonic() + 5
    while threading.active_count() > 1 and time.monotonic() < latest:
        time.sleep(0.01)
    return threading.active_count() - 1
"""

# Ctrl-C comes once a worker is at work, and the handler looks for remaining workers.
INTERRUPTED = """
def interrupt(work, worker):
    begun = threading.Event()
    fit = worker.fit

    def fit_and_report(*args, **kwargs):
        if not begun.is_set():
            begun.set()
            threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGINT)).start()
        return fit(*args, **kwargs)

    worker.fit = fit_and_report
    try:
        work()
    except KeyboardInterrupt:
        print("interrupted", threads_left())
    worker.fit = fit

def refit(selector):
    ensemble = Ensemble(selector, 8, kind="full", n_jobs=3)
    interrupt(lambda: ensemble.fit(X, y), type(selector))
"""


def run_python(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", DATA + program],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@needs_signals
def test_third_party_selectors_end_when_their_ensemble_is_interrupted():
    done = run_python(
        INTERRUPTED
        + """
from sklearn.base import BaseEstimator

class Slow(BaseEstimator):
    def get_support(self):
        return [True]

    def fit(self, X, y):
        latest = time.monotonic() + 1000  # much longer than the test waits
        while time.monotonic() < latest:
            time.sleep(0.001)

for n_jobs in (1, 3):
    ensemble = Ensemble(Slow(), 8, kind="full", n_jobs=n_jobs)
    interrupt(lambda: ensemble.fit(X, y), Slow)
print("ends")
"""
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["interrupted", "0"] * 2 + ["ends"]


@needs_signals
def test_an_interrupted_search_of_sets_in_processes_ends_with_its_traceback_alone():
    done = run_python(
        """
from sklearn.svm import SVC
from thresher import GBC

os.setsid()  # a terminal signals all processes of a command

def interrupt(state):
    threading.Timer(0.3, os.killpg, (0, signal.SIGINT)).start()

X = X[:400, :300].astype(float)
GBC(SVC(C=100, kernel="linear"), population=4, callback=interrupt, n_jobs=2).fit(X, y[:400])
"""
    )
    assert done.returncode == -2, done.stderr
    assert done.stderr.rstrip().endswith("KeyboardInterrupt")


@needs_signals
def test_interrupted_workers_end_and_so_does_the_interpreter():
    done = run_python(
        INTERRUPTED
        + """
refit(ReliefF())
refit(LaplacianScore())
refit(Univariate(measure="spearman"))
refit(LCC())
refit(RRFS(900, similarity="mici", max_similarity=1.0))
refit(Chain([("all", RFS(0.9)), ("near", MultiSURF())]))
interrupt(lambda: stability_curve(ReliefF(), X, y, k=[2], n_jobs=3), ReliefF)
"""
    )
    assert done.stdout.split() == ["interrupted", "0"] * 7
    assert (done.returncode, done.stderr) == (0, "")


@needs_signals
def test_third_party_code_in_a_worker_is_left_when_interrupted():
    done = run_python(INTERRUPTED + "refit(LassoPath())")
    assert done.stdout.startswith("interrupted")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_failing_replicate_ends_the_others():
    done = run_python("""
class Fails(ReliefF):
    def fit(self, X, y):
        if X[0, 0] == second:
            raise ValueError("this one fails")
        return super().fit(X, y)

second = X[1, 0]  # first of the rows without part 0
try:
    Ensemble(Fails(), 8, kind="full", n_jobs=3).fit(X, y)
except ValueError as error:
    print(error, threads_left())
""")
    assert done.stdout.strip() == "this one fails 0"
    assert (done.returncode, done.stderr) == (0, "")


def test_the_interpreter_ends_while_other_threads_fit():
    done = run_python("""
for selector in (MRMR(1000), ReliefF(), MultiSURF(), LCC()):
    threading.Thread(target=selector.fit, args=(X, y), daemon=True).start()
time.sleep(0.5)
""")
    assert done.returncode == 0
    assert "terminate" not in done.stderr


@needs_fork
def test_a_child_forked_while_another_thread_fits_can_fit():
    n_forks = 2 if SHARE >= 1 else 1
    done = run_python(
        f"N_FORKS = {n_forks}"
        + """
X, y = X[:200, :100], y[:200]
for selector in (MRMR(50), MRMR(50, relevance="mi", redundancy="mi"), CFS(), LCC()):
    selector.set_params(n_jobs=3)
    stop = threading.Event()

    def fit_on():
        while not stop.is_set():
            selector.fit(X, y)

    thread = threading.Thread(target=fit_on)
    thread.start()
    for _ in range(N_FORKS):
        time.sleep(0.02)
        child = os.fork()
        if child == 0:
            signal.alarm(30)
            selector.fit(X[:, :50], y)
            sys.exit(7)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    stop.set()
    thread.join()
"""
    )
    assert done.stdout.split() == ["7"] * 4 * n_forks
    assert done.returncode == 0

"""X that another thread writes to during a fit: any result or an error, never memory corruption."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

# A child per combination: one that dies is reported, and the others go on.
PROGRAM = """
import itertools, os, signal, sys, tempfile, threading, time, warnings
import numpy as np
from scipy import sparse
from thresher import *

warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
n = int(sys.argv[2])
p = n * 2 // 3
codes = rng.integers(0, 3, (n, p))
y = rng.integers(0, 2, n)
mapped = np.memmap(tempfile.TemporaryFile(), dtype=np.int16, mode="w+", shape=(n, p))
mapped[:] = codes
csc, csr = sparse.csc_matrix(codes.astype(float)), sparse.csr_matrix(codes)
# The argument of fit, and the array behind it that changes.
CONTAINERS = {
    "uint8": 2 * [codes.astype(np.uint8)],
    "uint8 by columns": 2 * [np.asfortranarray(codes.astype(np.uint8))],
    "float codes": 2 * [codes.astype(np.float64)],
    "numbers": 2 * [rng.random((n, p))],
    "numbers by columns": 2 * [np.asfortranarray(rng.random((n, p)))],
    "memory map": 2 * [mapped],
    "CSC": (csc, csc.data),
    "CSR": (csr, csr.data),
    "rows of CSC": (csc, csc.indices),
    "columns of CSR": (csr, csr.indices),
    "starts of CSC": (csc, csc.indptr),
}
SELECTORS = [
    MRMR(20, relevance="mi", redundancy="mi"),
    MRMR(20, relevance="mi", redundancy="su", discretize=None, missing="pairwise"),
    MRMR(20, relevance="f", redundancy="pearson", objective="quotient"),
    MRMR(20, relevance="spearman", redundancy="spearman"),
    CFS(),
    JMI(10, discretize="equal-frequency"),
    LCC(),
    ReliefF(),
    LaplacianScore(),
    RFS(20, relevance="iqr"),
    RRFS(20, similarity="mici"),
    Ensemble(MRMR(5, relevance="mi", redundancy="mi"), 4),
]
AWKWARD = {
    "f": [np.nan, np.inf, -np.inf, 1e300, -7.0, 0.5, 0.0, 3.0],
    "i": [-1, 0, 1, 7, 30000, -2**15],
    "u": [0, 7, 255],
}

def fit_while_writing(selector, X, target, seconds):
    clean, stop = target.copy(order="K"), threading.Event()
    dirty = []
    for share in (0.002, 0.1, 1.0):
        dirty.append(clean.copy(order="K"))
        chosen = rng.random(clean.shape) < share
        dirty[-1][chosen] = rng.choice(np.array(AWKWARD[clean.dtype.kind]).astype(clean.dtype), chosen.sum())

    def write():
        while not stop.is_set():
            for values in dirty:
                np.copyto(target, values)
                np.copyto(target, clean)

    thread = threading.Thread(target=write)
    thread.start()
    latest = time.monotonic() + seconds
    while time.monotonic() < latest:
        try:
            selector.fit(X, y)
        except (ValueError, TypeError):
            pass
    stop.set()
    thread.join()

PAIRS = list(itertools.product(range(len(SELECTORS)), CONTAINERS))
for i, name in PAIRS[:: int(sys.argv[3])]:
    selector, (X, target) = SELECTORS[i], CONTAINERS[name]
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        fit_while_writing(selector, X, target, float(sys.argv[1]))
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code != 0:
        print(f"{selector!r} on {name}: exit code {code}", flush=True)
"""


@pytest.mark.slow
def test_data_that_change_during_a_fit_corrupt_nothing():
    seconds = os.environ.get("THRESHER_FUZZ_SECONDS")
    # The gate takes every second pair: each container with half of the selectors.
    how_much = [seconds, "600", "1"] if seconds else ["0.02", "300", "2"]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *how_much],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr[-2000:]

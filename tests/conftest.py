"""Fixtures shared by all tests."""

from __future__ import annotations

import functools
import os
import re
import signal
from pathlib import Path

# Before SciPy is loaded: scikit-learn's checks of other array libraries run only with it.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

import numpy as np
import pytest
from hypothesis import settings
from scipy import sparse

DATA_FOLDER = Path(
    os.environ.get("THRESHER_DATA", Path(__file__).resolve().parents[1].parent / "shared" / "data")
)

# The same examples on every run; HYPOTHESIS_PROFILE=explore looks for new ones.
settings.register_profile("repeat", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeat"))

# Shells start background jobs with Ctrl-C ignored; the tests of interrupts would wait for it forever.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    # Tests of one group share what is dear to start: they stay on one worker of pytest-xdist. Its own "loadgroup" takes
    # groups from names of tests that pytest 9 leaves as they are, so they are taken from the marks of modules here.
    from xdist.scheduler import LoadScopeScheduling

    @functools.cache
    def group_of(module):
        found = re.search(r'xdist_group\("(.+?)"\)', (config.rootpath / module).read_text("utf-8"))
        return found and found[1]

    class ByGroup(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return group_of(nodeid.partition("::")[0]) or nodeid

    return ByGroup(config, log) if config.getoption("dist") == "load" else None


def load_real(name: str):
    """``X, y`` of a real data set from the optional data folder; the test is skipped without it."""
    path = DATA_FOLDER / f"{name}.npz"
    if not path.exists():
        pytest.skip(f"needs {name}.npz in the optional data folder (THRESHER_DATA)")
    with np.load(path, allow_pickle=False) as file:
        if "X" in file.files:
            return file["X"], file["y"]
        arrays = (file["data"], file["indices"].astype(np.int32), file["indptr"])
        return sparse.csr_matrix(arrays, shape=tuple(file["shape"])), file["y"]


@pytest.fixture(name="load_real", scope="session")
def _load_real():
    return load_real


@pytest.fixture(scope="session")
def dask_client():
    """A client, not the active one, of two processes."""
    from tests.dask_clusters import local_cluster

    with local_cluster(2) as client:
        yield client


@pytest.fixture(scope="session")
def spark_local(tmp_path_factory):
    """Sessions of Spark on two threads, classic and Connect."""
    from tests.spark_sessions import LocalSpark, require_spark

    require_spark()
    spark = LocalSpark(tmp_path_factory.mktemp("spark"))
    yield spark
    spark.stop()

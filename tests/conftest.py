"""Fixtures shared by all tests."""

from __future__ import annotations

import functools
import gc
import os
import re
import signal
import sys
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


class ClosedFigures:
    """Plugin that closes the figures that a test or a docstring example leaves open."""

    def pytest_runtest_teardown(self):
        if pyplot := sys.modules.get("matplotlib.pyplot"):
            pyplot.close("all")


def pytest_configure(config):
    # As a plugin, because the hooks of this file do not see the examples of the installed package.
    config.pluginmanager.register(ClosedFigures())


def pytest_collection_modifyitems(items):
    # Clusters start first: the other workers are busy while they wait, and no worker ends with them alone.
    items.sort(key=lambda item: item.get_closest_marker("cluster") is None)


def pytest_collection_finish():
    # Modules and tests live until the end: no later garbage collection looks through them.
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    # A worker gets all cases of a test function at a time, and all tests of one group, which share what is expensive to
    # start. The "loadgroup" of pytest-xdist takes groups from names of tests, which pytest 9 leaves unchanged: they are
    # taken from the marks of modules here.
    from xdist.scheduler import LoadScopeScheduling

    @functools.cache
    def group_of(module):
        found = re.search(r'xdist_group\("(.+?)"\)', (config.rootpath / module).read_text("utf-8"))
        return found and found[1]

    class ByGroup(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return group_of(nodeid.partition("::")[0]) or nodeid.partition("[")[0]

    config.option.loadscopereorder = False
    return ByGroup(config, log) if config.getoption("dist") == "load" else None


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    return fail_if_missing((yield))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    return fail_if_missing((yield))


def fail_if_missing(report):
    """Turn a skip for a package that can be installed into a failure in CI.

    THRESHER_TOOLS=no allows to skip the tests that need packages of the groups "build", "lint" and "oracles".
    """
    if os.environ.get("CI") == "true" and report.skipped and isinstance(report.longrepr, tuple):
        missing = re.search(r"could not import '(\w+)", report.longrepr[2])
        allowed = {*sys.stdlib_module_names}  # of other systems
        if os.environ.get("THRESHER_TOOLS") == "no":
            allowed |= {"build", "scikit_build_core", "nanobind", "mypy"}
            allowed |= {"scikit_posthocs", "autorank"}
        if missing and missing[1] not in allowed:
            report.outcome, report.longrepr = "failed", f"in CI, {report.longrepr[2]}"
    return report


def load_real(name: str):
    """Return a loader of ``X, y`` of a real data set from the optional data folder; skip the test without it."""
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
    """Return a client of two processes that is not the active one."""
    from tests.dask_clusters import local_cluster

    with local_cluster(2) as client:
        yield client


@pytest.fixture(scope="session")
def spark_local(tmp_path_factory):
    """Return sessions of Spark on two threads, classic and Connect."""
    from tests.spark_sessions import LocalSpark, require_spark

    require_spark()
    spark = LocalSpark(tmp_path_factory.mktemp("spark"))
    yield spark
    spark.stop()

"""Files with too many rows for one column in memory are read by row groups, with the same result as in memory."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import numpy as np
import pytest

from tests.examples import SHARE
from tests.test_files import CUTS, messy_table, with_holes, write
from thresher import CFS, FCBF, JMI, MIM, MRMR, NMIFS, RRFS, Ensemble, MDLBins, Univariate
from thresher.discretize import GivenBins

pytestmark = pytest.mark.filterwarnings("ignore::thresher.ThresherWarning")
# 20,000 rows want 1,280,000 bytes for one column at a time.
N = 20_000
LIMIT = "1.2MB"
LEFT_OUT = ["large", "constant"]


@pytest.fixture(autouse=True)
def row_groups_one_by_one(monkeypatch):
    """Read row groups one by one: together they would be too large for so little memory."""
    monkeypatch.setattr("thresher.io.arrow.PIECE", 1)


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Return the same rows in memory and in files, whole and with holes; in row groups of 900."""
    made = {}
    for name, table in (("whole", messy_table(N)), ("holes", with_holes(messy_table(N)))):
        table = table.drop_columns(LEFT_OUT)
        made[name] = table
        for kind in ("parquet", "feather", "csv"):
            folder = tmp_path_factory.mktemp(name)
            made[name, kind] = write(table, folder, kind, 900)
    return made


def in_memory(selector, table):
    frame = table.drop_columns(["label", "weight"]).to_pandas()
    y = table["label"].to_numpy(zero_copy_only=False)
    return selector.fit(frame, y, table["weight"].to_numpy())


def assert_same(fitted, expected):
    assert fitted.selected_.tolist() == expected.selected_.tolist()
    assert fitted.relevance_.tobytes() == expected.relevance_.tobytes()
    assert fitted.n_passes_ > 1
    assert fitted.n_rounds_ >= 0


@pytest.mark.parametrize("kind", ["parquet", "feather", "csv"])
@pytest.mark.parametrize(
    "make",
    [
        lambda: MRMR(5, relevance="mi", discretize="mean-sd"),
        lambda: MRMR(5, relevance="mi", discretize="equal-frequency"),
        lambda: MRMR(5, relevance="mi", discretize=GivenBins(CUTS)),
    ],
)
def test_the_result_is_that_of_memory(tables, kind, make):
    table = tables["whole"]
    expected = in_memory(make(), table)
    assert_same(make().fit(tables["whole", kind], "label", "weight", memory_limit=LIMIT), expected)


@pytest.mark.parametrize(
    "make",
    [
        lambda: CFS(5, discretize="equal-frequency"),
        lambda: FCBF(5, discretize="mean-sd"),
        lambda: JMI(5, discretize="mean-sd"),
        lambda: NMIFS(5),
        lambda: MIM(5),
        lambda: Ensemble(MRMR(4, relevance="mi"), 3, kind="fast", random_state=0),
    ],
)
def test_selectors_of_sums_take_tall_files(tables, tmp_path, make):
    table = tables["whole"].drop_columns(["weight"])
    path = write(table, tmp_path, "parquet", 900)
    y = table["label"].to_numpy(zero_copy_only=False)
    expected = make().fit(table.drop_columns(["label"]).to_pandas(), y)
    assert_same(make().fit(path, "label", memory_limit=LIMIT), expected)


@pytest.mark.parametrize("missing", ["category", "pairwise"])
def test_missing_values_are_treated_as_in_memory(tables, missing):
    def make():
        return MRMR(5, relevance="mi", missing=missing, discretize="equal-frequency")

    expected = in_memory(make(), tables["holes"])
    path = tables["holes", "parquet"]
    assert_same(make().fit(path, "label", "weight", memory_limit=LIMIT), expected)


def test_target_and_weights_may_be_arrays(tables, tmp_path):
    table = tables["whole"]
    path = write(table.drop_columns(["label", "weight"]), tmp_path, "parquet", 900)
    y = table["label"].to_numpy(zero_copy_only=False)
    expected = in_memory(MRMR(4, relevance="mi"), table)
    given = table["weight"].to_numpy()
    assert_same(MRMR(4, relevance="mi").fit(path, y, given, memory_limit=LIMIT), expected)


def test_the_scratch_folder_is_empty_afterwards(tables, tmp_path):
    path = tables["whole", "parquet"]
    MRMR(3, relevance="mi").fit(path, "label", memory_limit=LIMIT, scratch=tmp_path)
    assert os.listdir(tmp_path) == []


FULL = """
import resource, signal, sys
from thresher import MRMR

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))
selector = MRMR(3, relevance=sys.argv[3])
selector.fit(sys.argv[1], "label", checkpoint=sys.argv[2] + "/log", scratch=sys.argv[2])
"""


@pytest.mark.plain
@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of processes")
@pytest.mark.parametrize("relevance", ["mi", "r2"])
def test_a_full_disk_is_a_one_line_error_and_nothing_stays(tables, tmp_path, relevance):
    numbers = [f"x{i}" for i in range(9)]
    path = write(tables["whole"].select([*numbers, "label"]), tmp_path, "parquet", 5_000)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    call = [sys.executable, "-c", FULL, str(path), str(scratch), relevance]
    done = subprocess.run(call, capture_output=True, text=True)
    assert "no space for temporary files in" in done.stderr.splitlines()[-1]
    assert [name for name in os.listdir(scratch) if name != "log"] == []


def test_measures_that_need_whole_columns_name_the_remedy(tables):
    with pytest.raises(ValueError, match="equal-frequency"):
        MRMR(3, relevance="mi", discretize=MDLBins()).fit(
            tables["whole", "parquet"], "label", memory_limit=LIMIT
        )


def test_numbers_of_tall_files_are_those_of_memory(tables, tmp_path):
    numbers = [name for name in tables["whole"].column_names if name.startswith("x")]
    table = tables["whole"].select([*numbers, "label"])
    path = write(table, tmp_path, "parquet", 900)
    y = table["label"].to_numpy(zero_copy_only=False)
    for make in (lambda: MRMR(4, relevance="f"), lambda: Univariate(4, measure="f")):
        expected = make().fit(table.drop_columns(["label"]).to_pandas(), y)
        fitted = make().fit(path, "label", memory_limit=LIMIT)
        assert fitted.selected_.tolist() == expected.selected_.tolist()
        np.testing.assert_allclose(fitted.relevance_, expected.relevance_, rtol=2e-12)


FIT = """
import sys
from thresher import JMI

selector = JMI(6, discretize="equal-frequency")
selector.fit(sys.argv[1], "label", sample_weight="weight", checkpoint=sys.argv[2])
sys.stdout.write(selector.to_json())
"""


def test_a_fit_from_files_that_is_killed_resumes_with_the_same_bytes(tables, tmp_path):
    path = str(tables["whole", "parquet"])

    def start(folder):
        call = [sys.executable, "-c", FIT, path, str(folder)]
        return subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    expected, complaint = start(tmp_path / "whole").communicate()
    assert expected, complaint
    rng = np.random.default_rng()
    log = tmp_path / "killed"
    for _ in range(3 if SHARE >= 1 else 1):
        process = start(log)
        while process.poll() is None and not log.exists():
            time.sleep(0.01)
        time.sleep(rng.uniform(0, 0.3))
        process.kill()
        process.communicate()
    resumed, complaint = start(log).communicate()
    assert resumed == expected, complaint


def test_a_checkpoint_of_other_files_is_rejected(tables, tmp_path):
    selector = MRMR(4, relevance="mi")
    selector.fit(tables["whole", "parquet"], "label", "weight", checkpoint=tmp_path / "log")
    other = tables["whole"].slice(1)  # the first row has a weight
    path = write(other, tmp_path, "parquet", 900)
    with pytest.raises(ValueError, match="checkpoint"):
        MRMR(4, relevance="mi").fit(path, "label", "weight", checkpoint=tmp_path / "log")


def test_selectors_without_rounds_reject_a_checkpoint(tables, tmp_path):
    with pytest.raises(ValueError, match=r"which RRFS does not. Remove checkpoint"):
        RRFS(3).fit(tables["whole", "parquet"], "label", checkpoint=tmp_path / "log")

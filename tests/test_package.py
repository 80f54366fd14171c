"""The package as a whole: its public names and the cost of importing it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

import thresher
from thresher import MRMR, MDLBins


def loaded_by(code: str) -> set[str]:
    script = f"import sys; {code}; print(' '.join(sys.modules))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_importing_loads_nothing_heavy():
    heavy = {"numpy", "scipy", "sklearn", "pandas", "polars", "pyarrow", "matplotlib", "anndata"}
    assert not heavy & loaded_by("import thresher")


def test_a_selector_loads_nothing_optional():
    optional = {"pandas", "polars", "pyarrow", "matplotlib", "anndata", "dask", "pyspark"}
    code = "import thresher; thresher.MRMR(1).fit([[0, 1], [1, 0], [1, 1], [0, 0]], [0, 1, 1, 0])"
    # scikit-learn itself loads pandas where it is installed.
    assert not optional & (loaded_by(code) - loaded_by("import sklearn.feature_selection"))


FORKS = """
import os, sys, threading, time
import thresher

importing = threading.Thread(target=lambda: thresher.MRMR)
importing.start()
while "thresher.selectors" not in sys.modules:
    time.sleep(0.001)
child = os.fork()
if child == 0:
    thresher.MRMR(1).fit([[0, 1], [1, 0], [1, 1], [0, 0]], [0, 1, 1, 0])
    os._exit(0)
ended = time.monotonic() + 60
while os.waitpid(child, os.WNOHANG) == (0, 0):
    if time.monotonic() > ended:
        os.kill(child, 9)
        sys.exit("the child hangs")
    time.sleep(0.01)
importing.join()
"""


@pytest.mark.plain
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_forked_while_another_thread_imports_a_selector_can_fit():
    run = subprocess.run([sys.executable, "-c", FORKS], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")


def test_every_public_name_exists():
    for name in thresher.__all__:
        assert getattr(thresher, name) is not None
    assert set(thresher.__all__) <= set(dir(thresher))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = thresher.nothing


def test_the_citation_names_this_version():
    citation = Path(__file__).resolve().parents[1] / "CITATION.cff"
    if not citation.exists():
        pytest.skip("the source tree is not here")
    assert f"version: {thresher.__version__}\n" in citation.read_text("utf-8")


def test_json_contains_discretisers_given_as_objects():
    X, y = load_breast_cancer(return_X_y=True)
    fitted = MRMR(3, relevance="mi", discretize=MDLBins()).fit(X, y)
    again = MRMR.from_json(fitted.to_json())
    assert repr(again) == repr(fitted)
    np.testing.assert_array_equal(again.selected_, fitted.selected_)


def test_versions_are_shown_of_all_that_is_used(capsys):
    thresher.show_versions()
    lines = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert lines["thresher"] == thresher.__version__
    assert lines["numpy"] == np.__version__
    assert lines["instructions"] in ("baseline", "popcnt", "avx2", "avx512")
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8")
    needed = tomllib.loads(text)["project"]["dependencies"]
    assert {re.split("[>=]", entry)[0] for entry in needed} <= set(lines)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("no json", "not a selection"),
        ("[]", "not a selection"),
        ('{"thresher": 99, "selector": 0}', "format 99"),
        ('{"thresher": 3, "selector": {"object": "os.system"}}', "unknown object"),
        ('{"thresher": 3, "selector": 5}', "not a selection"),
        ('{"thresher": 3, "selector": null}', "not a selection"),
    ],
)
def test_json_of_something_else_is_rejected(text, words):
    with pytest.raises(ValueError, match=words):
        MRMR.from_json(text)


def test_selectors_reach_the_searches_of_the_core_through_thresher_search_only():
    package = Path(thresher.__file__).parent

    def calls(folder):
        text = "".join(path.read_text("utf-8") for path in (package / folder).rglob("*.py"))
        return set(re.findall(r"_core\.(\w+)(?:\(|\)?$)", text, re.MULTILINE))

    assert len(calls("search")) > 7
    assert not calls("search") & calls("selectors")


def test_the_sdist_contains_the_files_of_the_repository(tmp_path):
    root = Path(__file__).resolve().parents[1]
    if not (root / ".git").exists():
        pytest.skip("the source tree is not a git repository")
    for name in ("build", "scikit_build_core", "nanobind"):
        pytest.importorskip(name)
    git = ["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(git, capture_output=True, text=True, check=True).stdout.splitlines()
    build = [sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", str(tmp_path)]
    subprocess.run([*build, str(root)], capture_output=True, check=True)
    (archive,) = tmp_path.iterdir()
    with tarfile.open(archive) as sdist:
        contained = {name.partition("/")[2] for name in sdist.getnames()}
    left_out = {name for name in listed if name.startswith((".ci/", ".github/", "docs/records/"))}
    assert contained == ({*listed} - left_out) | {"PKG-INFO"}

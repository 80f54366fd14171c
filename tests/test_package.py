"""The package as a whole: what it imports, what it names, what its layers may know."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path

import pytest

import thresher

CPP = Path(__file__).parents[1] / "cpp"


def test_version_is_the_one_of_the_distribution():
    assert thresher.__version__ == importlib.metadata.version("thresher")


@pytest.mark.parametrize("name", thresher.__all__)
def test_every_public_name_can_be_imported(name):
    assert getattr(thresher, name) is not None


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'MRMMR'"):
        thresher.MRMMR  # noqa: B018


def test_import_loads_nothing_that_is_not_needed_yet():
    heavy = {"numpy", "scipy", "sklearn", "pandas", "polars", "pyarrow", "matplotlib", "anndata"}
    code = "import sys, thresher; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert heavy.isdisjoint(loaded)


def test_only_the_bindings_know_of_python():
    foreign = re.compile(r"#\s*include\s*[<\"](nanobind|pybind11|Python\.h|numpy/)")
    files = [path for path in CPP.rglob("*.[ch]pp") if "bindings" not in path.parts]
    assert files
    offenders = [path.name for path in files if foreign.search(path.read_text(encoding="utf-8"))]
    assert offenders == []

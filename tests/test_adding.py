"""The recipes of `CONTRIBUTING.md` for a new selector and a new measure are complete."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import thresher
from thresher import _core
from thresher._registry import SELECTORS
from thresher.measures import KINDS

from .interfaces import try_every_interface
from .selectors import quick

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = Path(thresher.__file__).parent
RECIPE = ROOT / "CONTRIBUTING.md"
if not RECIPE.exists():
    pytest.skip("the source tree is not here", allow_module_level=True)

# The finder of an editable install would come before the copy.
IN_THE_COPY = """
import runpy, sys
sys.meta_path[:] = [finder for finder in sys.meta_path if "Redirecting" not in type(finder).__name__]
runpy.run_module("tests.interfaces", run_name="__main__", alter_sys=True)
"""

pytestmark = pytest.mark.once


def blocks_of(heading: str) -> list[str]:
    """Return the Python code under a heading of the recipe."""
    section = RECIPE.read_text(encoding="utf-8").split(f"## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"```python\n(.*?)```", section, re.DOTALL)


@pytest.fixture
def package(tmp_path):
    """Return a copy of the package that a test may change; its core is linked."""

    def link(source, target):
        (os.symlink if source.endswith((".so", ".pyd")) else shutil.copyfile)(source, target)

    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE, tmp_path / "thresher", copy_function=link, ignore=ignore)
    core = Path(_core.__file__)  # of an editable install it lies elsewhere
    if not (tmp_path / "thresher" / core.name).exists():
        os.symlink(core, tmp_path / "thresher" / core.name)
    return tmp_path / "thresher"


def insert(path: Path, after: str, text: str) -> None:
    old = path.read_text(encoding="utf-8")
    assert old.count(after) == 1
    path.write_text(old.replace(after, after + text), encoding="utf-8")


def run_interfaces(package: Path, *arguments: str) -> None:
    command = [sys.executable, "-c", IN_THE_COPY, *arguments]
    env = {**os.environ, "PYTHONPATH": f"{package.parent}{os.pathsep}{ROOT}"}
    run = subprocess.run(
        command, cwd=package.parent, env=env, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr[-3000:]
    assert run.stdout.endswith("all interfaces\n")


def test_a_new_selector_works_through_every_interface(package):
    code, entry = blocks_of("Adding a selector")
    (package / "selectors" / "top_information.py").write_text(code, encoding="utf-8")
    insert(package / "_registry.py", "_ENTRIES = (\n", f"{entry},\n")
    run_interfaces(package, "TopInformation")


def test_a_new_measure_works_through_every_interface_and_has_pvalues(package):
    (entry,) = blocks_of("Adding a measure")
    insert(package / "measures" / "_names.py", "_KINDS = (\n", f"{entry},\n")
    selectors = ("MRMR relevance=iq", "MRMR relevance=mi redundancy=iq", "Univariate measure=iq")
    run_interfaces(package, "iq:nmi", *selectors)


@pytest.mark.parametrize("name", KINDS)
def test_every_measure_works_through_every_interface(name):
    try_every_interface(thresher.MRMR(3, relevance=name, target=_target(name)))


def _target(name: str) -> str:
    """Return the kind of target; correlations need a numeric one, which classes 0 and 1 are."""
    kind = KINDS[name]
    return "nominal" if kind.is_discrete or kind.by_class else "numeric"


@pytest.mark.parametrize("name", [n for n, entry in SELECTORS.items() if not entry.wraps])
def test_every_selector_works_through_every_interface(name):
    known = getattr(thresher, name)._get_param_names()
    size = {"n_features_to_select": 3} if "n_features_to_select" in known else {}
    try_every_interface(quick(name, **size))

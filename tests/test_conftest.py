"""The rules that tests/conftest.py adds to pytest."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import fail_if_missing

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize(
    ("reason", "variables", "outcome"),
    [
        ("could not import 'dask.array': No module named 'dask'", {}, "failed"),
        ("could not import 'mypy': No module named 'mypy'", {}, "failed"),
        ("could not import 'mypy': ...", {"THRESHER_TOOLS": "no"}, "skipped"),
        ("could not import 'build': ...", {"THRESHER_TOOLS": "no"}, "skipped"),
        ("could not import 'dask': ...", {"THRESHER_TOOLS": "no"}, "failed"),
        ("could not import 'dask': ...", {"CI": ""}, "skipped"),
        ("could not import 'resource': ...", {}, "skipped"),  # not on Windows
        ("needs a terminal", {}, "skipped"),
    ],
)
def test_in_ci_a_missing_package_is_a_failure(reason, variables, outcome, monkeypatch):
    for name, value in {"CI": "true", "THRESHER_TOOLS": "", **variables}.items():
        monkeypatch.setenv(name, value)
    where = ("test_it.py", 1, f"Skipped: {reason}")
    report = pytest.TestReport("a test", ("test_it.py", 1, ""), {}, "skipped", where, "call")
    assert fail_if_missing(report).outcome == outcome


def test_missing_packages_of_modules_and_of_tests_are_found(tmp_path):
    (tmp_path / "test_module.py").write_text("import pytest\npytest.importorskip('not_there')")
    (tmp_path / "test_one.py").write_text(
        "import pytest\ndef test_it():\n    pytest.importorskip('not_there_either')"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.conftest", str(tmp_path)]
    environment = {**os.environ, "CI": "true"}
    for name in ("PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER"):
        environment.pop(name, None)
    options = ["-p", "no:cacheprovider", "--continue-on-collection-errors"]
    done = subprocess.run(
        [*command, *options], env=environment, cwd=ROOT, capture_output=True, text=True
    )
    assert "in CI, Skipped: could not import 'not_there'" in done.stdout
    assert "in CI, Skipped: could not import 'not_there_either'" in done.stdout
    assert "1 failed, 1 error" in done.stdout

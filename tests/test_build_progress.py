"""Output of `make demo` and `make test` while the core is compiled."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SHOW = Path(__file__).resolve().parents[1] / "tools/build_progress.py"
pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(not SHOW.exists(), reason="the source tree is not here"),
]


def shown(folder, lines):
    command = [sys.executable, SHOW, folder / "log"]
    text = "\n".join(lines) + "\n"
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    assert (folder / "log").read_text("utf-8") == text
    return done.stdout.splitlines()


def test_every_tenth_of_the_files_is_shown_and_no_other_step(tmp_path):
    steps = [f"[{i}/20] Building CXX object a{i}.o" for i in range(1, 20)]
    lines = ["* Building wheel...", "[0/2] Re-checking globbed directories...", *steps]
    lines.append("[20/20] Linking CXX shared module _core.so")
    assert shown(tmp_path, lines) == [
        "  1 of 20 files",
        *(f"  {i} of 20 files" for i in range(2, 21, 2)),
    ]


def test_findings_of_the_compiler_are_shown_as_they_are(tmp_path):
    finding = ["FAILED: a.o", "a.cpp:3:1: error: no such thing", "    3 | thing"]
    lines = ["[1/20] Building CXX object a.o", *finding, "[2/20] Building CXX object b.o"]
    assert shown(tmp_path, lines) == ["  1 of 20 files", *finding, "  2 of 20 files"]

"""No damaged file ends the process, takes long or shows a traceback, in the command and in ``fit(path)``.

``THRESHER_FUZZ_EXAMPLES`` says how many files of each format are read; ``make fuzz`` reads new ones each time.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from .damaged_files import FORMATS, damaged

pytest.importorskip("resource")

ROOT = Path(__file__).resolve().parents[1]

# Number of files of each format; a quarter of it for HDF5, because each starts a process.
EXAMPLES = int(os.environ.get("THRESHER_FUZZ_EXAMPLES", "4"))
EXPLORES = os.environ.get("HYPOTHESIS_PROFILE") == "explore"


def read_all(files):
    """Count the files of each format by outcome; return the counts and the forbidden outcomes."""
    counts, wrong = Counter(), []
    while files:
        command = [sys.executable, "-m", "tests.read_damaged_files"]
        done = subprocess.run(
            command, cwd=ROOT, input="\n".join(files), capture_output=True, text=True
        )
        lines = [line.split("\t") for line in done.stdout.splitlines()]
        if done.returncode:
            lines[-1][-1] = f"ended with {done.returncode}"
        for file, way, outcome in lines:
            counts[file.rsplit(" ", 1)[0], way, outcome] += 1
            if outcome not in ("accepted", "rejected"):
                wrong.append((file, way, outcome, done.stderr[-2000:]))
        files = files[files.index(lines[-1][0]) + 1 :]  # the others, if it died of one
    return counts, wrong


def test_a_damaged_file_depends_on_its_format_and_seed_only():
    for name in FORMATS:
        assert damaged(name, 1) == damaged(name, 1)
        assert damaged(name, 1) != damaged(name, 2)


def test_damaged_files_are_read_or_rejected_in_one_line():
    first = int(time.time()) if EXPLORES else 0
    n_files = {
        name: -(-EXAMPLES // 4) if name in ("h5ad", "mat 7.3") else EXAMPLES for name in FORMATS
    }
    files = [f"{name} {first + i}" for name, count in n_files.items() for i in range(count)]
    counts, wrong = read_all(files)
    print(*(f"{count:6} {' '.join(key)}" for key, count in sorted(counts.items())), sep="\n")
    assert not wrong

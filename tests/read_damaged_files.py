"""Read damaged files, one after the other, in a process that one may kill; print the outcome of each.

``python -m tests.read_damaged_files`` takes lines of FORMAT SEED; it prints the same with a way and an outcome.
"""

from __future__ import annotations

import faulthandler
import os
import resource
import signal
import sys
import traceback
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

from typer.testing import CliRunner

from thresher import MIM
from thresher.cli import _input
from thresher.cli._app import app
from thresher.io import size_in_memory

from .damaged_files import damaged, suffix_of

SECONDS = 20  # of processor time
MEMORY = 6 << 30
LONGEST_SENTENCE = 600


def by_command(path: Path) -> str:
    """Return the outcome of ``thresher select``."""
    name = "y"
    if path.suffix in (".npz", ".mat") or "svmlight" in path.suffix:
        name = "target" if "svm" in path.suffix else "y"
    options = ["-t", name, "-k", "1", "--method", "mim", "--missing", "category", "--json"]
    result = CliRunner().invoke(app, ["select", str(path), *options])
    if result.exit_code == 2 and "-t" in options and "no such column" in result.stderr:
        result = CliRunner().invoke(app, ["select", str(path), "-t", "x0", *options[2:]])
    if result.exit_code == 0:
        return "accepted"
    if result.exit_code != 2:
        traceback.print_exception(result.exception)
        return "traceback"
    lines = result.stderr.strip().splitlines()
    if not lines[-1].startswith("thresher: ") or len(lines[-1]) > LONGEST_SENTENCE:
        print(*lines[-3:], sep="\n", file=sys.stderr)
        return "no sentence"
    return "rejected"


def by_command_with_little_memory(path: Path) -> str:
    """Return the outcome of ``thresher select`` with rows in temporary files."""
    _input.size_in_memory = lambda path: 1 << 60
    try:
        return by_command(path)
    finally:
        _input.size_in_memory = size_in_memory


def by_fit(path: Path) -> str:
    """Return the outcome of ``fit(path)``."""
    try:
        MIM(1, missing="category").fit(path, "target" if "svm" in path.name else "y")
    except (ValueError, TypeError, MemoryError) as error:
        if len(str(error)) <= LONGEST_SENTENCE and len(str(error).splitlines()) <= 1:
            return "rejected"
        traceback.print_exc()
        return "no sentence"
    except Exception:
        traceback.print_exc()
        return "traceback"
    return "accepted"


def main(files: list[str]) -> None:
    warnings.simplefilter("ignore")
    if "asan" not in os.environ.get("LD_PRELOAD", ""):  # which reserves addresses itself
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.enable()
    with TemporaryDirectory() as folder:
        for file in files:
            name, seed = file.rsplit(" ", 1)
            path = Path(folder, "file" + suffix_of(name))
            path.write_bytes(damaged(name, int(seed)))
            for way in (by_command, by_command_with_little_memory, by_fit):
                print(file, way.__name__, sep="\t", end="\t", flush=True)
                signal.setitimer(signal.ITIMER_PROF, SECONDS)  # whose signal ends the process
                print(way(path), flush=True)


if __name__ == "__main__":
    main(sys.stdin.read().splitlines())

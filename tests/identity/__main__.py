"""Write records, and compare them: see `tests.identity`."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.identity.record import compare, make_record, read_record, write_record
from thresher import _core

LEVELS = ("baseline", "popcnt", "avx2", "avx512")


def main() -> int:
    """Run the command that the arguments name; return 1 if records differ."""
    arguments = _parser().parse_args()
    return arguments.run(arguments)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.identity", description=__doc__)
    commands = parser.add_subparsers(required=True)
    record = commands.add_parser("record", help="fit all cases and write their digests")
    record.add_argument("file")
    record.set_defaults(run=_record)
    levels = commands.add_parser("levels", help="compare the instruction sets of this processor")
    levels.set_defaults(run=_compare_levels)
    for command in (record, levels):
        command.add_argument("--quick", action="store_true", help="about 300 fits, no commands")
        command.add_argument("--only", default="", help="only cases whose name contains this text")
        command.add_argument("--workers", type=int, default=2, help="number of processes")
    compare = commands.add_parser("compare", help="list what differs between two records")
    compare.add_argument("old")
    compare.add_argument("new")
    compare.add_argument("--skip", choices=["messages"], help="what not to compare")
    compare.set_defaults(run=_compare)
    return parser


def _record(arguments: argparse.Namespace) -> int:
    record = make_record(quick=arguments.quick, only=arguments.only, workers=arguments.workers)
    write_record(record, arguments.file)
    fitted = sum("error" not in entry for entry in record.values())
    print(
        f"{len(record)} cases, {fitted} without an error, at {_core.isa_level()}: {arguments.file}"
    )
    return 0


def _compare(arguments: argparse.Namespace) -> int:
    old, new = read_record(arguments.old), read_record(arguments.new)
    lines = compare(old, new, skip_messages=arguments.skip == "messages")
    print("\n".join(lines) if lines else f"{len(new)} cases, no difference")
    return bool(lines)


def _compare_levels(arguments: argparse.Namespace) -> int:
    """Record at every level in a separate process: a process uses one level."""
    options = ["--only", arguments.only, "--workers", "1", *["--quick"] * arguments.quick]
    with tempfile.TemporaryDirectory() as folder:
        best = LEVELS.index(_core._testing.best_isa_level())
        files = {level: str(Path(folder) / level) for level in LEVELS[: best + 1]}

        def record(level: str) -> None:
            command = [sys.executable, "-m", "tests.identity", "record", files[level], *options]
            subprocess.run(command, check=True, env={**os.environ, "THRESHER_ISA": level})

        with ThreadPoolExecutor(arguments.workers) as pool:
            list(pool.map(record, files))
        results = [read_record(file) for file in files.values()]
        lines = [line for one in results[:-1] for line in compare(one, results[-1])]
        print("\n".join(lines) if lines else f"no difference between {', '.join(files)}")
        return bool(lines)


if __name__ == "__main__":
    sys.exit(main())

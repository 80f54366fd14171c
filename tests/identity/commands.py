"""The command line's part of a record: what each command prints, its exit code and the files it writes."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from typer.testing import CliRunner

from tests.identity.data import TABLES
from tests.identity.forms import full_frame
from thresher.cli._app import app

# Run in this order in one folder: later commands read what earlier ones wrote.
COMMANDS = """
--help
methods
methods --json
datasets
datasets make_microarray --out genes.csv
select cancer.csv --target target
select cancer.csv --target target -k 5 --json
select cancer.csv --target target -k 5 --quiet --out selected.json
select cancer.csv --target target -k 5 --method jmi --out selected.csv
select cancer.csv --target target -k 5 --keep "mean area" --exclude "mean radius,worst area" --quiet
select cancer.csv --target target -k auto --method fcbf
select cancer.csv --target target -k auto --json
select cancer.csv --target target -k 5 --ensemble 10
select cancer.parquet --target target -k 5 --memory 100KB --quiet
select cancer.csv --target target -k 5 --report page.html --quiet
select genes.csv --target target -k 10 --ensemble 20 --out ensemble.json
select messy.csv --target target -k 4
select messy.csv --target target -k 4 --missing category --method mrmr
select nothing.csv --target target
select cancer.csv --target targte
select cancer.csv --target target --method mrmrr
select cancer.csv --target target -k 0
report selected.json --out again.html
report ensemble.json --out ensemble.html
report selected.csv --out broken.html
stability cancer.csv --target target -m mrmr,mim -k 5
probe cancer.csv --target target -m mrmr,gso -k 5
compare cancer.csv --target target -m mrmr,jmi --estimator bayes -k 3
recommend genes.csv --target target --budget 600 --sample 40
""".strip().splitlines()

# What depends on the clock, on versions, or on the terminal's state.
VARYING = re.compile(
    r"\d+(\.\d+)?(e-\d+)? ?(ms|min|s|seconds?|MB)\b"
    r"|\"(seconds|memory)\": [\d.e-]+"
    r"|\d{4}-\d\d-\d\d[ T]?[\d:]*"
)


def run_commands(folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each command and the digests of what it printed and wrote."""
    _write_files(folder)
    with contextlib.chdir(folder):
        os.environ["COLUMNS"] = "80"
        seen = _files(folder)
        for command in COMMANDS:
            result = CliRunner().invoke(app, shlex.split(command))
            if result.exception is not None and not isinstance(result.exception, SystemExit):
                raise result.exception
            written = _files(folder)
            changed = {
                f"file {name}": text for name, text in written.items() if seen.get(name) != text
            }
            seen = written
            printed = {"stdout": _digest(result.stdout), "stderr": _digest(result.stderr)}
            yield command, {"exit code": str(result.exit_code), **printed, **changed}


def _write_files(folder: Path) -> None:
    for name in ("cancer", "messy"):
        frame, _ = full_frame(TABLES[name]())
        frame.to_csv(folder / f"{name}.csv", index=False)
    frame, _ = full_frame(TABLES["cancer"]())
    frame.to_parquet(folder / "cancer.parquet", index=False, row_group_size=60)


def _files(folder: Path) -> dict[str, str]:
    return {
        path.name: _digest(path.read_text(errors="replace"))
        for path in sorted(folder.iterdir())
        if path.is_file()
    }


def without_seconds(text: str) -> str:
    """Return the words of a text without those in columns of seconds, whose widths change how lines are broken."""
    kept: list[str] = []
    column = -1
    for words in map(str.split, text.splitlines()):
        if "seconds" in words:
            column = words.index("seconds")
        elif 0 <= column < len(words) and re.fullmatch(r"[\d.e-]+", words[column]):
            del words[column]
        kept += words
    return " ".join(kept) if column >= 0 else text


def _digest(text: str) -> str:
    text = without_seconds(text)
    return hashlib.sha256(VARYING.sub("#", text).encode()).hexdigest()[:12]

"""Count how many files, classes and lines a reader of the code has to know: python tools/count_figures.py

Prints one line per figure. Run it before and after a redesign.
"""

from __future__ import annotations

import ast
import inspect
import io
import sys
import tempfile
import tokenize
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import thresher
from thresher import JMI, MRMR, Ensemble
from thresher.selectors._base import BaseSelector

# Classes that say where rows are.
_LOCATIONS = ("LocalData", "BlockData", "FileTable", "LocalMeasures", "BlockMeasures")

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "thresher"
PACKAGE = str(Path(thresher.__file__).parent)


def main() -> None:
    """Print all figures."""
    for name, value in figures():
        print(f"{name:<44} {value}")


def figures() -> Iterator[tuple[str, int]]:
    """Yield the name and the value of every figure."""
    for name, run in traces().items():
        yield f"files crossed: {name}", count_files_crossed(run)
    yield "classes in the longest ladder", max(map(ladder, selectors()))
    yield "classes in the ladder of JMI", ladder(JMI)
    python = sorted(SOURCE.rglob("*.py"))
    cpp = [path for path in sorted((ROOT / "cpp").rglob("*")) if path.suffix in (".cpp", ".hpp")]
    yield "files in src", len(python)
    yield "code lines in src", sum(map(count_python_lines, python))
    yield "code lines in cpp", sum(map(count_cpp_lines, cpp))
    yield "Any in src", sum(count_names(path, "Any") for path in python)
    yield (
        "isinstance on the location of rows, and casts",
        sum(map(count_branches_on_location, python)),
    )
    yield "files that name NMIFS, without tests", count_files_that_name("NMIFS")


def traces() -> dict[str, Callable[[], object]]:
    """Return the fits whose files are counted; each has run once, so that imports are done."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 20))
    y = (X[:, 0] + rng.normal(size=200) > 0).astype(int)
    folder = Path(tempfile.mkdtemp())
    columns = {f"x{i}": X[:, i] for i in range(20)} | {"label": y}
    pq.write_table(pa.table(columns), folder / "table.parquet")
    header = ",".join(columns)
    np.savetxt(folder / "t.csv", np.column_stack([X, y]), delimiter=",", header=header, comments="")

    def partial() -> object:
        selector = MRMR().partial_fit(X[:100], y[:100]).partial_fit(X[100:], y[100:])
        return selector.selected_

    def command() -> None:
        from thresher.cli import main as run

        with redirect_stdout(io.StringIO()):
            try:
                sys.argv = ["thresher", "select", str(folder / "t.csv"), "--target", "label"]
                run()
            except SystemExit:
                return

    runs: dict[str, Callable[[], object]] = {
        "NumPy": lambda: MRMR().fit(X, y),
        "Parquet": lambda: MRMR().fit(folder / "table.parquet", y="label"),
        "Ensemble": lambda: Ensemble(MRMR()).fit(X, y),
        "partial_fit": partial,
        "command": command,
    }
    for run in runs.values():
        run()
    return runs


def count_files_crossed(run: Callable[[], object]) -> int:
    """Return the number of files of the package in which a function runs."""
    files = set()

    def note(frame: Any, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(PACKAGE):
            files.add(frame.f_code.co_filename)

    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    return len(files)


def selectors() -> list[type]:
    """Return the public selectors."""
    public = (getattr(thresher, name) for name in thresher.__all__)
    return [item for item in public if inspect.isclass(item) and issubclass(item, BaseSelector)]


def ladder(cls: type) -> int:
    """Return how many classes of the package stand below each other in the longest line of inheritance."""
    if not cls.__module__.startswith("thresher"):
        return 0
    return 1 + max(map(ladder, cls.__bases__), default=0)


def count_python_lines(path: Path) -> int:
    """Return the number of lines with a token that is neither a comment nor a docstring."""
    text = path.read_text()
    skipped: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    blank = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in blank and token.type != tokenize.ENDMARKER:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - skipped)


def count_cpp_lines(path: Path) -> int:
    """Return the number of lines that are not blank and not a comment."""
    lines = (line.strip() for line in path.read_text().splitlines())
    return sum(bool(line) and not line.startswith("//") for line in lines)


def count_names(path: Path, name: str) -> int:
    """Return how often a name occurs in the code of a file."""
    tokens = tokenize.generate_tokens(io.StringIO(path.read_text()).readline)
    return sum(token.type == tokenize.NAME and token.string == name for token in tokens)


def count_branches_on_location(path: Path) -> int:
    """Return how often the code of a file tests the location of rows, or casts."""
    found = 0
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "isinstance":
                found += any(word in ast.unparse(node.args[1]) for word in _LOCATIONS)
            found += node.func.id == "cast"
    return found


def count_files_that_name(selector: str) -> int:
    """Return how many files of the sources, the documentation and the benchmarks name a selector."""
    folders = (SOURCE, ROOT / "docs", ROOT / "benchmarks")
    files = [path for folder in folders for path in folder.rglob("*.py*") if path.suffix != ".pyc"]
    return sum(
        count_names(path, selector) > 0 or f'"{selector}"' in path.read_text() for path in files
    )


if __name__ == "__main__":
    main()

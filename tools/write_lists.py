"""Writes the lists of names that type checkers and readers need as text: `make format`.

They are made from the registries of selectors and measures. A test compares the files with what this script would
write.
"""

from __future__ import annotations

import re
import runpy
import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from textwrap import wrap
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "thresher"


def public_names() -> str:
    """Return the stub of the package: `thresher/__init__.py` loads these names on first use."""
    from thresher._registry import MODULES, PUBLIC

    def sorted_as_by_ruff(module: str, name: str) -> tuple[str, bool, bool, str]:
        return module, not name.isupper(), not name[0].isupper(), name

    names = [("thresher", name) for name in MODULES]
    names += [(module, name) for name, module in PUBLIC.items()]
    names.sort(key=lambda pair: sorted_as_by_ruff(*pair))
    lines = ["# Written by `make format` from _registry.py.", ""]
    lines += [f"from {module} import {name} as {name}" for module, name in names]
    return "\n".join([*lines, "", "__version__: str"]) + "\n"


def literal(name: str, options: Iterable[str]) -> str:
    """Return the definition of a type, in lines as ruff breaks them."""
    quoted = [f'"{option}"' for option in options]
    line = f"{name} = Literal[{', '.join(quoted)}]"
    if len(line) <= 100:
        return line
    inner = f"    {', '.join(quoted)}"
    if len(inner) > 100:
        inner = "\n".join(f"    {option}," for option in quoted)
    return f"{name} = Literal[\n{inner}\n]"


def types(text: str, measures: dict[str, Any]) -> str:
    """Return the module of types with the names of measures."""
    others = (*measures["DISPERSIONS"], *measures["SEPARATIONS"])
    for name, options in (
        ("Measure", measures["RELEVANCES"]),
        ("PairMeasureName", measures["REDUNDANCIES"]),
        ("TestedMeasure", measures["TESTED"]),
        ("OtherRelevance", others),
    ):
        text = re.sub(rf"^{name} = Literal\[[^]]*\]", literal(name, options), text, flags=re.M)
    return text


def listed(names: Iterable[str], kinds: dict[str, Any], *, with_target: bool) -> str:
    """Return the lines of a docstring that list these measures."""
    groups: dict[str, list[str]] = {}
    for name in names:
        kind = kinds[name]
        of = "Of every column" if kind.is_mixed else "Discrete" if kind.is_discrete else "Numeric"
        if with_target and not kind.is_discrete and not kind.is_mixed:
            targets = "classes or numbers" if kinds[name].by_class else "numbers or two classes"
            of += f", with a target of {targets}"
        groups.setdefault(of, []).append(f'``"{name}"``')
    text = " ".join(f"{of}: {', '.join(quoted)}." for of, quoted in sorted(groups.items()))
    return "\n".join(f"        {line}" for line in wrap(text, 112, break_long_words=False)) + "\n"


def docstring(text: str, measures: dict[str, Any], **names: Iterable[str]) -> str:
    """Return a module in which the description of each of these parameters lists these measures.

    The list begins with "Discrete:" and ends at the next empty line.
    """
    for parameter, options in names.items():
        pattern = rf"(^    {parameter} : str(?:(?!^    \w).*\n)+?)        Discrete:(?:.+\n)+"
        lines = listed(options, measures["KINDS"], with_target=parameter != "redundancy")
        text, n_found = re.subn(pattern, lambda m, lines=lines: m[1] + lines, text, flags=re.M)
        assert n_found == 1, f"the description of {parameter} lists no measures"
    return text


def guide(text: str, measures: dict[str, Any]) -> str:
    """Return the guide with the table of measures."""
    rows = ""
    for name, kind in measures["KINDS"].items():
        about = kind.about if kind.is_symmetric else f"{kind.about}; relevance only"
        rows += f'| `"{name}"` | {about} | {kind.works_on} |\n'
    head = "| name | value | works on |\n|---|---|---|\n"
    return re.sub(rf"({re.escape(head)})(?:\|.*\n)+", lambda m: m[1] + rows, text)


def texts() -> dict[Path, str]:
    """Return the files that contain lists, with their expected text."""
    # By its path: importing the package of measures would need the compiled core.
    measures = runpy.run_path(str(PACKAGE / "measures" / "_names.py"), run_name="measures")
    every, pairs, tested = (measures[n] for n in ("RELEVANCES", "REDUNDANCIES", "TESTED"))
    writers = {
        PACKAGE / "_utils" / "types.py": types,
        PACKAGE / "selectors" / "mrmr.py": partial(docstring, relevance=every, redundancy=pairs),
        PACKAGE / "selectors" / "rfs.py": partial(docstring, relevance=every),
        PACKAGE / "selectors" / "univariate.py": partial(docstring, measure=tested),
        ROOT / "docs" / "guide.md": guide,
    }
    written = {
        path: write(path.read_text(encoding="utf-8"), measures) for path, write in writers.items()
    }
    return {PACKAGE / "__init__.pyi": public_names(), **written}


def main() -> None:
    """Write the files that differ."""
    for path, text in texts().items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"{path.relative_to(ROOT)} written")


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "src"))
    main()

"""Writes the lists of names that type checkers and readers need as text: `make format`.

They are made from the registries of selectors and measures. A test compares the files with what this script
would write.
"""

from __future__ import annotations

import sys
from pathlib import Path

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


def texts() -> dict[Path, str]:
    """Return the files that hold lists, as they have to be."""
    return {PACKAGE / "__init__.pyi": public_names()}


def main() -> None:
    """Write the files that differ."""
    for path, text in texts().items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"{path.relative_to(ROOT)} written")


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "src"))
    main()

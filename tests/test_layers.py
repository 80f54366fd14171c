"""The modules of the C++ core: which may include which, and which use Python."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CPP = Path(__file__).resolve().parents[1] / "cpp"

# From the top down. A module includes itself and modules of lower layers, never another of the same layer.
LAYERS = (
    {"bindings"},
    {
        "consistency",
        "discretize",
        "neighbours",
        "partial_correlation",
        "support_vectors",
    },
    {"search", "testing"},
    {"measures", "partition"},
    {"counting", "moments"},
    {"packing"},
    {"core"},
)
LAYER_OF = {module: layer for layer, modules in enumerate(LAYERS) for module in modules}

if not CPP.is_dir():
    pytest.skip("the sources of the core are not here", allow_module_level=True)


def includes(pattern: str) -> list[tuple[Path, str]]:
    """Return each file of the core with each matching name that it includes."""
    line = re.compile(rf"^\s*#\s*include\s+{pattern}", re.MULTILINE)
    sources = sorted(CPP.rglob("*.[ch]pp"))
    assert sources
    return [
        (file.relative_to(CPP), name)
        for file in sources
        for name in line.findall(file.read_text("utf-8"))
    ]


def test_every_module_has_its_layer():
    assert {path.name for path in CPP.iterdir() if path.is_dir()} == set(LAYER_OF)


def test_modules_include_downward_only():
    upward = [
        f"{file} includes {name}"
        for file, name in includes(r'"([^"]+)"')
        if (module := file.parts[0]) != (other := name.split("/")[0])
        and LAYER_OF[module] >= LAYER_OF[other]
    ]
    assert not upward, "\n".join(upward)


def test_only_the_bindings_include_python():
    using = {
        str(file)
        for file, name in includes(r"[<\"](nanobind|Python\.h|numpy)")
        if file.parts[0] != "bindings"
    }
    assert not using


def test_every_include_names_its_module():
    unnamed = [f"{file} includes {name}" for file, name in includes(r'"([^"/]+)"')]
    assert not unnamed


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "docs/design.md", "docs/installation.md"])
def test_files_that_the_documents_name_exist(name):
    root = CPP.parent
    named = re.findall(
        r"`((?:cpp|src|tests|benchmarks|docs)/[\w./-]+)`", (root / name).read_text("utf-8")
    )
    assert not [path for path in named if not (root / path).exists()]

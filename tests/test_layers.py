"""The rooms of the C++ core: which may include which, and who knows of Python."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CPP = Path(__file__).resolve().parents[1] / "cpp"

# From the top down. A room includes itself and rooms further down, never a neighbour on its own floor.
FLOORS = (
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
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}

if not CPP.is_dir():
    pytest.skip("the sources of the core are not here", allow_module_level=True)


def includes(pattern: str) -> list[tuple[Path, str]]:
    """Each file of the core with each thing it includes that matches."""
    line = re.compile(rf"^\s*#\s*include\s+{pattern}", re.MULTILINE)
    sources = sorted(CPP.rglob("*.[ch]pp"))
    assert sources
    return [
        (file.relative_to(CPP), name)
        for file in sources
        for name in line.findall(file.read_text("utf-8"))
    ]


def test_every_room_has_its_floor():
    assert {path.name for path in CPP.iterdir() if path.is_dir()} == set(FLOOR_OF)


def test_rooms_include_downward_only():
    upward = [
        f"{file} includes {name}"
        for file, name in includes(r'"([^"]+)"')
        if (room := file.parts[0]) != (other := name.split("/")[0])
        and FLOOR_OF[room] >= FLOOR_OF[other]
    ]
    assert not upward, "\n".join(upward)


def test_only_the_bindings_know_of_python():
    knowing = {
        str(file)
        for file, name in includes(r"[<\"](nanobind|Python\.h|numpy)")
        if file.parts[0] != "bindings"
    }
    assert not knowing


def test_every_include_names_its_room():
    unnamed = [f"{file} includes {name}" for file, name in includes(r'"([^"/]+)"')]
    assert not unnamed


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "docs/design.md", "docs/installation.md"])
def test_files_that_the_documents_name_exist(name):
    root = CPP.parent
    named = re.findall(
        r"`((?:cpp|src|tests|benchmarks|docs)/[\w./-]+)`", (root / name).read_text("utf-8")
    )
    assert not [path for path in named if not (root / path).exists()]

"""Holds the stub of the core to the compiled module: `python cpp/bindings/check_stub.py`.

mypy's stubtest knows neither the functions nor the classes of nanobind. They are replaced by
Python ones of the same names and signatures before it looks.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from mypy import stubtest

MODULES = ("thresher._core", "thresher._core._testing")


def plain_function(function: Any) -> Callable[..., Any]:
    """A Python function with the signature that nanobind prints: of the first overload."""
    text, _, defaults = function.__nb_signature__[0]
    for inner in (r"\(\*[^()]*\)", r"\[[^\[\]]*\]", r"\[[^\[\]]*\]"):  # shapes, then type arguments
        text = re.sub(inner, "", text)
    text = re.sub(r"^def \w*", "def plain", re.sub(r"\\(\d+)", r"defaults[\1]", text))
    found: dict[str, Any] = {"defaults": defaults}
    exec(f"{text}: ...", found)  # as in this file, annotations are not evaluated
    plain: Callable[..., Any] = found["plain"]
    # Types are nanobind's own words; names, kinds and defaults are compared.
    plain.__annotations__ = {}
    return plain


def plain_class(original: type, made: dict[type, type]) -> type:
    """A Python class with the same members; `made` holds those made before it, its bases among them."""
    members: dict[str, Any] = {}
    for name, member in vars(original).items():
        if name != "__new__" and hasattr(member, "__nb_signature__"):
            plain = plain_function(member)
            is_static = type(member).__name__ == "nb_func"
            members[name] = staticmethod(plain) if is_static else plain
        elif not name.startswith("__"):
            members[name] = member
    bases = tuple(made.get(base, base) for base in original.__bases__)
    made[original] = type(original.__name__, bases, members)
    return made[original]


def make_plain(module: ModuleType, made: dict[type, type]) -> None:
    for name, member in list(vars(module).items()):
        if inspect.isclass(member) and type(member).__module__ == "nanobind":
            setattr(module, name, plain_class(member, made))
        elif hasattr(member, "__nb_signature__"):
            setattr(module, name, plain_function(member))


if __name__ == "__main__":
    made: dict[type, type] = {}
    for module in MODULES:
        make_plain(importlib.import_module(module), made)
    sys.exit(stubtest.test_stubs(stubtest.parse_options(["--ignore-disjoint-bases", MODULES[0]])))

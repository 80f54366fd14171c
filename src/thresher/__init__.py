"""thresher picks the few features that matter out of thousands."""

from __future__ import annotations

from thresher._registry import MODULES as _MODULES
from thresher._registry import PUBLIC as _PUBLIC
from thresher._utils.lazy import load as _load

__version__ = "0.1.0"

__all__ = [*_PUBLIC, *_MODULES, "__version__"]


# Public names are loaded on first use, so that `import thresher` is quick. Type checkers read `__init__.pyi`.
def __getattr__(name: str) -> object:
    if name in _PUBLIC:
        return getattr(_load(_PUBLIC[name]), name)
    if name in _MODULES:
        return _load(f"thresher.{name}")
    raise AttributeError(f"module 'thresher' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)

"""Versions, for bug reports."""

from __future__ import annotations

import importlib.metadata
import os
import platform

import thresher
from thresher import _core

_NEEDED = ("numpy", "scipy", "scikit-learn", "joblib", "threadpoolctl", "narwhals")
_OPTIONAL = ("pandas", "polars", "pyarrow", "matplotlib", "anndata")
_CLUSTERS = ("dask", "distributed", "pyspark")


def show_versions() -> None:
    """Print the versions of thresher, Python and all dependencies, for bug reports.

    Examples
    --------
    >>> import thresher
    >>> thresher.show_versions()  # doctest: +ELLIPSIS
    thresher...
    """
    lines = {
        "thresher": thresher.__version__,
        "instructions": _core.isa_level(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": platform.platform(),
        "processors": str(os.cpu_count()),
    }
    for package in _NEEDED + _OPTIONAL + _CLUSTERS:
        try:
            lines[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            lines[package] = "not installed"
    width = max(len(name) for name in lines)
    print("\n".join(f"{name:{width}} {value}" for name, value in lines.items()))

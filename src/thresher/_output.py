"""Results as tables."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from thresher._checks import check_choice

Output = Literal["pandas", "polars", "dict"]


def as_table(columns: Mapping[str, Any], output: str) -> Any:
    """Columns of equal length as a frame of pandas or polars, or as a dict of lists."""
    check_choice("output", output, ("pandas", "polars", "dict"))
    if output == "dict":
        return {name: np.asarray(values).tolist() for name, values in columns.items()}
    try:
        package = importlib.import_module(output)
    except ImportError as error:
        raise ImportError(
            f'output="{output}" needs {output}, which is not installed; install it, or use output="dict"'
        ) from error
    return package.DataFrame(dict(columns))

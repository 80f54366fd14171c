"""Results as tables."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from thresher._utils.checks import check_choice, readable
from thresher._utils.types import Array, Frame

Output = Literal["pandas", "polars", "dict"]

_MOST_ROWS = 20


def as_table(columns: Mapping[str, object], output: str) -> Frame:
    """Return columns of equal length as a dataframe of pandas or polars, or as a dict of lists."""
    check_choice("output", output, ("pandas", "polars", "dict"))
    if output == "dict":
        return {name: np.asarray(values).tolist() for name, values in columns.items()}
    try:
        package = importlib.import_module(output)
    except ImportError as error:
        raise ImportError(
            f'output="{output}" needs {output}, which is not installed. Install it, or pass output="dict"'
        ) from error
    return package.DataFrame(dict(columns))


def as_text(headline: str, columns: Mapping[str, Sequence[object] | Array]) -> str:
    """Return a headline followed by the first rows of a table."""
    n_rows = len(next(iter(columns.values())))
    cells = [
        [name, *(_as_cell(value) for value in values[:_MOST_ROWS])]
        for name, values in columns.items()
    ]
    widths = [max(map(len, column)) for column in cells]
    lines = [
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in zip(*cells, strict=True)
    ]
    if n_rows > _MOST_ROWS:
        lines.append(f"... {n_rows - _MOST_ROWS} more rows in table()")
    return "\n".join([headline, "", *lines])


def _as_cell(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else readable(value)

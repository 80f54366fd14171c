"""The target and the weights of rows, where they are columns of the same frame."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw

from thresher.blocks._protocol import RowBlock
from thresher.data import column_names


def split_columns(frame: Any, y: Any = None, sample_weight: Any = None) -> RowBlock:
    """The rows of a frame, with target and weights taken out of it where they are given by name."""
    named = column_names(list(nw.from_native(frame, eager_only=True).columns), y, sample_weight)
    if not named:
        return RowBlock(frame, y, sample_weight)
    table = nw.from_native(frame, eager_only=True)
    columns = {parameter: table[name].to_native() for parameter, name in named.items()}
    X = table.drop(list(named.values())).to_native()
    return RowBlock(X, columns.get("y", y), columns.get("sample_weight", sample_weight))

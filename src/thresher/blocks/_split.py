"""The target and the weights of rows, where they are columns of the same frame."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw

from thresher.blocks._protocol import RowBlock


def split_columns(frame: Any, y: Any = None, sample_weight: Any = None) -> RowBlock:
    """The rows of a frame, with target and weights taken out of it where they are given by name."""
    named = column_names(list(nw.from_native(frame, eager_only=True).columns), y, sample_weight)
    if not named:
        return RowBlock(frame, y, sample_weight)
    table = nw.from_native(frame, eager_only=True)
    columns = {parameter: table[name].to_native() for parameter, name in named.items()}
    X = table.drop(list(named.values())).to_native()
    return RowBlock(X, columns.get("y", y), columns.get("sample_weight", sample_weight))


def column_names(names: Sequence[str], y: Any = None, sample_weight: Any = None) -> dict[str, str]:
    """Which of the columns are target and weights: those given by name, each of which must be there."""
    given = {"y": y, "sample_weight": sample_weight}
    named = {parameter: name for parameter, name in given.items() if isinstance(name, str)}
    for parameter, name in named.items():
        if name not in names:
            nearest = difflib.get_close_matches(name, [str(known) for known in names], n=1)
            hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
            raise ValueError(f"{parameter} names the column {name!r}, which X does not have{hint}")
    if len(named) == 2 and y == sample_weight:
        raise ValueError(f"y and sample_weight both name the column {y!r}; they must differ")
    return named

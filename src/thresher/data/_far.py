"""What is told of rows that are not in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict

from thresher._utils.checks import did_you_mean


class Far(TypedDict, total=False):
    """What ``fit`` may be told of rows that are in files or with other processes.

    Attributes
    ----------
    memory_limit : int or str
        Bytes, or such as ``"2GB"``, that a fit from files may take of memory.
    client : object
        Who has the rows, e.g. a client of Dask, where that is not the active one.
    checkpoint : str or Path
        A folder from which a fit that was killed goes on.
    scratch : str or Path
        A folder for temporary files.
    """

    memory_limit: int | str
    client: Any
    checkpoint: str | Path
    scratch: str | Path


def check_far(owner: str, far: Mapping[str, Any] | None, *, in_memory: bool) -> None:
    """Raise for a name that ``fit`` does not know, and for one that says nothing of rows in memory."""
    for name in far or ():
        if name not in Far.__annotations__:
            hint = did_you_mean(name, Far.__annotations__)
            raise TypeError(f"{owner}.fit() got an unexpected keyword argument {name!r}{hint}")
        if in_memory:
            raise ValueError(
                f"{name} is for rows that are in files or with other processes, but X is in memory; leave it out"
            )


def split_far(params: Mapping[str, Any]) -> tuple[Far, dict[str, Any]]:
    """What of these is told of rows that are not in memory, and the rest."""
    far = Far(**{name: params[name] for name in Far.__annotations__ if name in params})  # type: ignore[typeddict-item]
    return far, {name: value for name, value in params.items() if name not in far}


def column_names(names: Sequence[str], y: Any = None, sample_weight: Any = None) -> dict[str, str]:
    """Which of the columns are target and weights: those given by name, each of which must be there."""
    given = {"y": y, "sample_weight": sample_weight}
    named = {parameter: name for parameter, name in given.items() if isinstance(name, str)}
    for parameter, name in named.items():
        if name not in names:
            hint = did_you_mean(name, map(str, names))
            raise ValueError(f"{parameter} names the column {name!r}, which X does not have{hint}")
    if len(named) == 2 and y == sample_weight:
        raise ValueError(f"y and sample_weight both name the column {y!r}; they must differ")
    return named

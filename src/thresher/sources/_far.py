"""What is told of rows that are not in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypedDict


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

"""HDF5 files, of which no attribute claims more than the file holds."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from thresher.cli._content import package


@contextmanager
def opened(path: Path, owner: str, extra: str) -> Iterator[Any]:
    """Open an HDF5 file with the package of that owner and extra, if its attributes can be read.

    The library takes memory for what an attribute claims and fills it, which in a damaged file has no bound.
    """
    with package("h5py", owner, extra).File(path) as file:
        size = path.stat().st_size

        def check(name: str, item: Any) -> None:
            for attribute in item.attrs:
                held = item.attrs.get_id(attribute)
                if math.prod(held.shape or (1,)) * held.dtype.itemsize > size:
                    raise ValueError(f"an attribute of {name!r} claims more than the file holds")

        check("/", file)
        file.visititems(check)
        yield file

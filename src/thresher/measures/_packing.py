"""Packed tables that are made slab by slab."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from thresher import _core
from thresher.io.temporary import Scratch, ScratchFile


class Packing:
    """The packed table of features that come in slabs; packed columns go to a file when memory is short.

    Parameters
    ----------
    builder : SlabBuilder
    scratch : Scratch or None
        None: memory is never short.
    n_threads : int
    """

    def __init__(self, builder: _core.SlabBuilder, scratch: Scratch | None, n_threads: int) -> None:
        self._builder, self._scratch, self._n_threads = builder, scratch, n_threads
        self._file: ScratchFile | None = None

    def add(
        self, codes: npt.NDArray[np.uint8], levels: npt.NDArray[np.int32], missing_code: int
    ) -> None:
        """More features, a row of codes for each."""
        self._builder.append(codes, levels, missing_code, self._n_threads, self._write())

    def add_sparse(self, starts: Any, rows: Any, values: Any) -> None:
        """More features, columns of a CSC matrix whose values are codes, or any few numbers."""
        self._builder.append_sparse(
            starts, rows, values, len(starts) - 1, self._n_threads, self._write()
        )

    def _write(self) -> Any:
        if self._scratch is None:
            return None
        if self._file is None and self._builder.n_bytes > self._scratch.memory_limit // 4:
            self._file = self._scratch.file()
        return None if self._file is None else self._file.write

    def finish(self) -> _core.CodedTable:
        return self._builder.finish(None if self._file is None else self._file.map())

"""HDF5 files, looked through by another process first: their library may crash, or never end, on a damaged one."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from thresher.cli._errors import BadInput

_SECONDS = 30
_SIGNATURE = b"\x89HDF\r\n\x1a\n"
# Where a file may begin: after a block of another owner, as in those of MATLAB.
_BEGINNINGS = (0, *(512 << i for i in range(20)))
# Bytes, or values of no fixed size, that are read at a time.
_PIECE = 1 << 20


def check_hdf5(path: Path) -> None:
    """Refuse an HDF5 file that cannot be read to its end; any other file passes."""
    if not _is_hdf5(path):
        return
    command = [sys.executable, "-m", __name__, str(path)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise BadInput(
            f"{path} cannot be read: HDF5 did not get through it in {_SECONDS} seconds; it is damaged"
        ) from None
    if done.returncode < 0:
        raise BadInput(f"{path} cannot be read: HDF5 crashed on it; it is damaged")


def _is_hdf5(path: Path) -> bool:
    size = path.stat().st_size
    with path.open("rb") as file:
        for begin in _BEGINNINGS:
            if begin >= size:
                return False
            file.seek(begin)
            if file.read(len(_SIGNATURE)) == _SIGNATURE:
                return True
    return False


def _look_through(name: str, item: Any) -> None:
    """Read what is not plain numbers: attributes, text, references, and where the chunks of arrays are."""
    for attribute in item.attrs:
        with suppress(Exception):  # the reader itself names what it cannot read
            item.attrs[attribute]
    if not hasattr(item, "shape") or not item.shape:
        return
    with suppress(Exception):
        if item.chunks:
            for i in range(item.id.get_num_chunks()):
                item.id.get_chunk_info(i)
    is_plain = item.dtype.kind in "biuf"
    width = item.dtype.itemsize * max(1, item.size // max(1, item.shape[0]))
    rows = min(item.shape[0], max(1, _PIECE // max(1, width)))
    with suppress(Exception):
        for begin in range(0, rows if is_plain else item.shape[0], rows):
            item[begin : begin + rows]


def _main(path: str) -> None:
    with suppress(Exception):
        import h5py

        with h5py.File(path) as file:
            _look_through("/", file)
            file.visititems(_look_through)


if __name__ == "__main__":
    _main(sys.argv[1])

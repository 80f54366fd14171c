"""HDF5 files, looked through by another process first: their library may crash, or never end, on a damaged one."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from thresher.cli._errors import BadInput

# Of processor time, which does not depend on what else the machine does.
_SECONDS = 20
_SIGNATURE = b"\x89HDF\r\n\x1a\n"
# Where a file may begin: after a block of another owner, as in those of MATLAB.
_BEGINNINGS = (0, *(512 << i for i in range(20)))
# Bytes of each array that are read.
_PIECE = 1 << 20


def check_hdf5(path: Path) -> None:
    """Refuse an HDF5 file on which the library crashes or does not end; any other file passes."""
    if not _is_hdf5(path):
        return
    command = [sys.executable, "-m", __name__, str(path), str(_SECONDS)]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode not in (0, 1):  # 1 is a Python that cannot start
        raise BadInput(f"{path} cannot be read: it is damaged so that HDF5 crashes or does not end")


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
    """Read attributes, where the chunks of an array are, and its beginning; the real reader names what fails."""
    for attribute in item.attrs:
        with suppress(Exception):
            item.attrs[attribute]
    if not getattr(item, "shape", None):
        return
    with suppress(Exception):
        if item.chunks:
            item.id.get_num_chunks()
        width = max(1, item.nbytes // max(1, item.shape[0]))
        item[: max(1, _PIECE // width)]


def _main(path: str, seconds: int) -> None:
    with suppress(Exception):
        import resource  # not on Windows

        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    with suppress(Exception):
        import h5py

        with h5py.File(path) as file:
            _look_through("/", file)
            file.visititems(_look_through)


if __name__ == "__main__":
    _main(sys.argv[1], int(sys.argv[2]))

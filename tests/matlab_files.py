"""MATLAB files of kinds that SciPy cannot write."""

from contextlib import contextmanager

import numpy as np
import pytest


@contextmanager
def as_matlab_7_3(path):
    """Write an HDF5 file with the first bytes of MATLAB's; put arrays into it with their axes reversed."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w", userblock_size=512) as file:
        yield file
    with path.open("r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM")


def text_in(file, name, text):
    """Return a row of letters."""
    letters = file.create_dataset(name, data=np.array([[ord(c)] for c in text], np.uint16))
    letters.attrs["MATLAB_class"] = np.bytes_("char")
    return letters


def cells_in(file, name, texts):
    """Return a column of cells."""
    import h5py

    cells = [text_in(file, f"#refs#/{name}{i}", text).ref for i, text in enumerate(texts)]
    array = file.create_dataset(name, data=np.array([cells], dtype=object), dtype=h5py.ref_dtype)
    array.attrs["MATLAB_class"] = np.bytes_("cell")


class Matlab5:
    """Arrays as MATLAB 5 writes them, in either order of bytes."""

    def __init__(self, order):
        self._order = order
        end = {"<": b"\x00\x01IM", ">": b"\x01\x00MI"}[order]
        self.content = b"MATLAB 5.0 MAT-file".ljust(124) + end

    def element(self, kind, dtype, values):
        """Return an element padded to eight bytes, in the short form if it has at most four."""
        data = np.asarray(values, self._order + dtype).tobytes()
        if len(data) <= 4:
            return self._words(len(data) << 16 | kind) + data.ljust(4, b"\0")
        return self._words(kind, len(data)) + data + bytes(-len(data) % 8)

    def _words(self, *values):
        return np.array(values, self._order + "u4").tobytes()

    def add(self, name, kind, shape, *parts, n_entries=0):
        """Add an array of this class and shape."""
        content = self.element(6, "u4", [kind, n_entries])
        content += self.element(5, "i4", shape)
        content += self.element(1, "i1", list(name.encode()))
        content += b"".join(parts)
        self.content += self._words(14, len(content)) + content

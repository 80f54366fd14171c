"""Readers of files as tables, and the temporary files of rows."""

from __future__ import annotations

import difflib
import errno
import os
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, BinaryIO

from thresher._utils.checks import first_line, readable
from thresher._utils.types import DataLike

if TYPE_CHECKING:
    from thresher.io.table import Opener, TableSource
    from thresher.io.temporary import TemporaryStore

_ENDINGS = {
    "parquet": (".parquet", ".pq", ".parq"),
    "arrow": (".feather", ".arrow", ".ipc", ".arrows"),
    "text": (".csv", ".tsv", ".txt"),
    "npz": (".npz",),
    "matlab": (".mat",),
    "arff": (".arff",),
    "svmlight": (".svm", ".svmlight", ".libsvm"),
    "h5ad": (".h5ad",),
}
# The format by the ending of the name.
FORMATS = {ending: kind for kind, endings in _ENDINGS.items() for ending in endings}
COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}
_MAY_BE_COMPRESSED = ("text", "svmlight")
# First bytes of files with other endings.
_SIGNATURES = {b"PAR1": "parquet", b"ARROW1": "arrow"}
_KNOWN = "Parquet (.parquet), Feather or Arrow (.feather, .arrow), text (.csv, .tsv), .npz, .mat, .arff, .svm or .h5ad"


# Errors of the system: the disk is full, or the file is too large.
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class BadFile(ValueError):
    """A file that cannot be used; the message names it."""


def read_error(path: Path, error: Exception) -> Exception:
    """Return the error for a file that a parser could not read; errors without relation to the file are unchanged."""
    if isinstance(error, BadFile | ImportError | MemoryError):
        return error
    if isinstance(error, OSError) and error.errno in FULL:
        return error  # of temporary files
    return BadFile(f"{path} cannot be read: {first_line(error)}")


def check_names(path: Path | str, names: Sequence[str]) -> None:
    """Raise if two columns have the same name."""
    name, count = Counter(names).most_common(1)[0] if len(names) else ("", 0)
    if count > 1:
        positions = [str(i + 1) for i, other in enumerate(names) if other == name]
        raise BadFile(
            f"{path}: columns {' and '.join(positions[:2])} are both named {readable(name)}. Rename one"
        )


def open_binary(path: Path) -> BinaryIO:
    return path.open("rb")


def open_table(
    X: DataLike, *, scratch: TemporaryStore | None = None, open_file: Opener = open_binary
) -> TableSource:
    """Open a path, a dataset of pyarrow or a table that this function returned.

    With `scratch`, rows stay in the file or in temporary files. Without it, files that cannot be read by columns are
    loaded into memory. `open_file` opens text files.

    Raises a `ValueError` of one sentence for a file that cannot be read.
    """
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise ImportError(
            "reading tables in files needs pyarrow, which is not installed. Install it with: "
            "pip install 'thresher[arrow]'"
        ) from error
    from thresher.io import arrow
    from thresher.io.table import FileColumns, TableSource

    if isinstance(X, TableSource | FileColumns):
        return TableSource(X) if isinstance(X, FileColumns) else X
    if not isinstance(X, str | os.PathLike):
        return arrow.read_dataset(X)
    path = Path(X)
    _check_exists(path)
    if path.is_dir():
        return arrow.read_folder(path, scratch)
    if not path.is_file():
        raise ValueError(f"X names {str(path)!r}, which is neither a file nor a folder")
    source: TableSource = _format_module(path).read(path, open_file, scratch)
    source.check(path)
    return source


def format_of(path: Path) -> str:
    """Return the format of a file, or of all files of a folder."""
    if path.is_dir():
        from thresher.io import arrow

        return arrow.list_files(path)[1]
    suffix = path.suffix.lower()
    is_compressed = suffix in COMPRESSED
    if is_compressed:
        suffix = Path(path.stem).suffix.lower()
    kind = FORMATS.get(suffix)
    if kind is None and not is_compressed:
        with path.open("rb") as file:
            start = file.read(6)
        kind = next((kind for mark, kind in _SIGNATURES.items() if start.startswith(mark)), None)
    if is_compressed and kind not in _MAY_BE_COMPRESSED:
        raise ValueError(f"{path}: only text may be compressed. Decompress the file")
    if kind is None:
        raise ValueError(f"{path} is not in a known format. Pass {_KNOWN}")
    return kind


def size_in_memory(path: Path) -> int:
    """Return about how many bytes the table takes in memory; 0 for a file that cannot be read."""
    with suppress(Exception):  # any error of a parser
        return int(_format_module(path).size(path))
    return 0


def _format_module(path: Path) -> ModuleType:
    """Return the module with `read` and `size` of the format."""
    name = format_of(path)
    return import_module(f"thresher.io.{'arrow' if name == 'parquet' else name}")


def _check_exists(path: Path) -> None:
    if path.exists():
        return
    parent = next(folder for folder in path.absolute().parents if folder.is_dir())
    missing, *rest = path.absolute().relative_to(parent).parts
    near = difflib.get_close_matches(missing, os.listdir(parent), n=1)
    hint = f"; did you mean {str(parent.joinpath(near[0], *rest))!r}?" if near else ""
    raise FileNotFoundError(f"X names {str(path)!r}, but there is no such file or folder{hint}")

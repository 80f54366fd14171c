"""Data that pyarrow reads from files, checked in full before anything else uses them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from thresher._utils.checks import first_line


def validated(name: str, pieces: Iterable[Any]) -> Iterator[Any]:
    """Yield tables or batches; raise one `ValueError` for those of a damaged file.

    Readers take offsets, counts and lengths as a file has them, and compiled code follows them. The check costs nothing
    for numbers without missing values, and reads the rest once.
    """
    with reading(name):
        for piece in pieces:
            piece.validate(full=True)
            yield piece


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Raise one `ValueError` for whatever pyarrow finds wrong with a file."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        of_system = isinstance(error, OSError) and (type(error) is not OSError or error.errno)
        if of_system or isinstance(error, MemoryError):
            raise
        raise ValueError(f"{name} cannot be read: {first_line(error)}") from None


def open_arrow(name: str, source: Any, **options: Any) -> Any:
    """Return a reader of the batches of an Arrow (Feather) file or stream.

    Version 1 of Feather is refused: pyarrow follows its places without a check, and ends the process where they are
    wrong.
    """
    import pyarrow as pa

    if source.read(4) == b"FEA1":
        raise ValueError(
            f"{name} is in version 1 of Feather, which cannot be read safely. Write it in version 2"
        )
    source.seek(0)
    read_options = pa.ipc.IpcReadOptions(**options)
    try:
        return pa.ipc.open_file(source, options=read_options)
    except pa.ArrowInvalid:
        source.seek(0)
        return pa.ipc.open_stream(source, options=read_options)

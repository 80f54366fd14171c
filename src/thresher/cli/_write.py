"""Files written whole or not at all, and never over another without leave."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from thresher._write import not_written, place, write_temporary
from thresher.cli._errors import BadInput, unless_unread


def check_output(path: Path | None, force: bool, suffixes: tuple[str, ...]) -> None:
    """Refuse, before any work is done, a file that could not be written at its end."""
    if path is None:
        return
    if path.suffix.lower() not in suffixes:
        raise BadInput(f"{path}: the name must end in {_either(suffixes)}")
    if path.is_dir():
        raise BadInput(f"{path} is a folder; name a file in it")
    if path.exists() and not force:
        raise BadInput(f"{path} exists already; give --force to write over it, or another name")
    folder = path.parent
    if not folder.is_dir():
        raise BadInput(f"{path} cannot be written: there is no folder {folder}")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise BadInput(f"{path} cannot be written: the folder {folder} takes no new files from you")


def write_all(
    contents: Mapping[Path, bytes], force: bool, show: Callable[[], None] | None = None
) -> None:
    """Write all of these files, or none; show the result in between.

    Each is complete under another name before the result is shown, and that before the first gets its own: what
    cannot be shown is not written either. Whoever stops reading what is shown has seen enough of it.
    """
    written: dict[Path, Path] = {}
    try:
        for path, content in contents.items():
            written[path] = write_temporary(path, content)
    except OSError as error:
        raise BadInput(error.strerror) from error
    else:
        if show is not None:
            with unless_unread():
                show()
                sys.stdout.flush()
        _place_all(written, force)
    finally:
        for temporary in written.values():
            temporary.unlink(missing_ok=True)


def _place_all(written: Mapping[Path, Path], force: bool) -> None:
    placed: list[Path] = []
    path = Path()
    try:
        for path, temporary in written.items():
            place(temporary, path, force)
            placed.append(path)
    except OSError as error:
        for done in [] if force else placed:
            done.unlink(missing_ok=True)
        raise BadInput(not_written(path, error).strerror) from error


def _either(suffixes: tuple[str, ...]) -> str:
    return " or ".join([", ".join(suffixes[:-1]), suffixes[-1]] if suffixes[1:] else suffixes)

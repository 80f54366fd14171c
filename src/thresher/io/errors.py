"""What is wrong with a file, as one sentence."""

from __future__ import annotations

import errno
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from thresher._utils.checks import first_line, readable

# Of the system: the disk is full, or the file as large as it may be.
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class BadFile(ValueError):
    """A file that cannot be used; the text is a sentence that names it."""


def unreadable(path: Path, error: Exception) -> Exception:
    """Return the error for a file that its parser could not read; what is not its fault stays as it is."""
    if isinstance(error, BadFile | ImportError | MemoryError):
        return error
    if isinstance(error, OSError) and error.errno in FULL:
        return error  # of temporary files
    return BadFile(f"{path} cannot be read: {first_line(error)}")


def check_names(path: Path | str, names: Sequence[str]) -> None:
    """Raise if two columns have the same name."""
    name, count = Counter(names).most_common(1)[0] if len(names) else ("", 0)
    if count > 1:
        places = [str(i + 1) for i, other in enumerate(names) if other == name]
        raise BadFile(
            f"{path}: columns {' and '.join(places[:2])} are both named {readable(name)}; rename one"
        )

"""Unpack an sdist into a folder: ``python tools/unpack_sdist.py ARCHIVE FOLDER``.

A file whose content is unchanged keeps its time stamp, so that a build in the folder compiles only what changed. Files
that are not in the archive are removed.
"""

from __future__ import annotations

import sys
import tarfile
from pathlib import Path


def unpack(archive: str, folder: Path) -> None:
    with tarfile.open(archive) as sdist:
        # The first part of a name is the folder "thresher-VERSION".
        contents = {
            Path(*Path(member.name).parts[1:]): sdist.extractfile(member).read()
            for member in sdist
            if member.isfile()
        }
    for path in [path for path in folder.rglob("*") if path.is_file()]:
        if path.relative_to(folder) not in contents:
            path.unlink()
    for name, content in contents.items():
        path = folder / name
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


if __name__ == "__main__":
    unpack(sys.argv[1], Path(sys.argv[2]))

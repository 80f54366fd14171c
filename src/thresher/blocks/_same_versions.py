"""The versions that must be the same wherever a task runs."""

from __future__ import annotations

import platform


def versions_here() -> tuple[str, str]:
    """Those of Python and of thresher."""
    import thresher

    return ".".join(platform.python_version_tuple()[:2]), thresher.__version__


def check_versions(wanted: tuple[str, str], kind: str) -> None:
    """Refuse to work for a process with other versions; `kind` says whose worker this is."""
    here = versions_here()
    if here != wanted:
        raise RuntimeError(
            f"a {kind} worker has Python {here[0]} and thresher {here[1]}, but fit was called from Python "
            f"{wanted[0]} and thresher {wanted[1]}; install the same versions on all of them"
        )

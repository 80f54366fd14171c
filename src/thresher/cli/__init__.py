"""The command ``thresher``; it needs the extra ``cli``."""

from __future__ import annotations

import sys
from io import TextIOWrapper


def main() -> None:
    """Run the command line."""
    try:
        import typer  # noqa: F401
    except ImportError:
        sys.exit(
            "thresher: the command line needs typer, which is not installed. "
            "Install it with: pip install 'thresher[cli]'"
        )
    from thresher.cli._app import app
    from thresher.cli._errors import exiting_at_once, sentences

    if isinstance(sys.stdout, TextIOWrapper):  # the encoding of a pipe may lack some characters
        sys.stdout.reconfigure(errors="backslashreplace")
    with exiting_at_once(), sentences():  # also for help, which may hit a full disk
        app(prog_name="thresher")

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
            "thresher: the command line needs typer; install it with: pip install 'thresher[cli]'"
        )
    from thresher.cli._app import app
    from thresher.cli._errors import leave_at_once, sentences

    if isinstance(sys.stdout, TextIOWrapper):  # a pipe may encode the letters of one code page only
        sys.stdout.reconfigure(errors="backslashreplace")
    with leave_at_once(), sentences():  # help, too, may find no place
        app(prog_name="thresher")

"""The axes a plot draws on."""

from __future__ import annotations

from typing import Any

# Told apart also by colour-blind readers and, by their line styles, in print.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
LINES = ("-", "--", "-.", ":")


def axes_or_new(ax: Any, *, width: float = 6.4, height: float = 4.2) -> Any:
    """`ax`, or the axes of a new figure."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "plots need matplotlib; install it with: pip install 'thresher[plots]'"
        ) from error
    _, ax = plt.subplots(figsize=(width, height), layout="constrained")
    return ax

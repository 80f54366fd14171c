"""Axes of plots: lines, labels, ticks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from thresher._utils.checks import readable
from thresher._utils.types import Array, Axes, Estimator, Floats

if TYPE_CHECKING:
    from matplotlib.axis import Axis
    from matplotlib.text import Text

Band = tuple[Floats, Floats] | None

# Colour-blind readers can distinguish these; the line styles work in print.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
LINES = ("-", "--", "-.", ":")


def axes_or_new(ax: Axes, *, width: float = 6.4, height: float = 4.2) -> Axes:
    """Return `ax`, or the axes of a new figure."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "plots need matplotlib, which is not installed. Install it with: pip install 'thresher[plots]'"
        ) from error
    _, ax = plt.subplots(figsize=(width, height), layout="constrained")
    return ax


def draw_line(
    ax: Axes, i: int, x: Array, y: Floats, band: Band, *, alpha: float = 0.15, **style: object
) -> None:
    """Draw the i-th of several lines in its own colour and style, with a band around it unless that is None."""
    colour = COLOURS[i % len(COLOURS)]
    ax.plot(x, y, LINES[i % len(LINES)], color=colour, **style)
    if band is not None:
        ax.fill_between(x, *band, color=colour, alpha=alpha, linewidth=0)


def finish(ax: Axes, x: str, y: str, **legend: object) -> Axes:
    """Add labels, a faint grid and a legend to the axes; return the axes."""
    ax.set(xlabel=x, ylabel=y)
    ax.grid(alpha=0.3)
    ax.legend(frameon=False, **legend)
    return ax


def count_along_x(ax: Axes) -> None:
    """Put the ticks of the x-axis at integers only."""
    ax.xaxis.get_major_locator().set_params(integer=True)


def feature_labels(
    selector: Estimator, features: Iterable[int], names: Sequence[str] | None = None
) -> list[str]:
    """Return the labels of features in a plot, from these names or those seen in ``fit``."""
    names = getattr(selector, "feature_names_in_", None) if names is None else names
    return [f"x{i}" if names is None else readable(names[i]) for i in features]


def write_above(ax: Axes, text: str, point: tuple[float, float]) -> None:
    """Write a small text directly above a point."""
    style = {"ha": "center", "fontsize": 7, "color": "#666666"}
    ax.annotate(text, point, xytext=(0, 6), textcoords="offset points", **style)


def name_ticks(
    axis: Axis, positions: Sequence[int] | Array, names: list[str], **style: object
) -> list[Text]:
    """Write names at the ticks of an axis, without reading dollars in a name as formulas; return the texts."""
    axis.set_ticks(positions, names, minor=False, **style)
    texts = list(axis.get_ticklabels())
    for text in texts:
        text.set_parse_math(False)
    return texts

"""The axes a plot draws on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from thresher._utils.checks import readable
from thresher._utils.types import Axes, Estimator, TargetLike

# Told apart also by colour-blind readers and, by their line styles, in print.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
LINES = ("-", "--", "-.", ":")


def axes_or_new(ax: Axes, *, width: float = 6.4, height: float = 4.2) -> Axes:
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


def draw_line(
    ax: Axes, i: int, x: Any, y: TargetLike, band: Any, *, alpha: float = 0.15, **style: Any
) -> None:
    """The i-th line of several, told from the others; a band between two others about it, unless that is None."""
    colour = COLOURS[i % len(COLOURS)]
    ax.plot(x, y, LINES[i % len(LINES)], color=colour, **style)
    if band is not None:
        ax.fill_between(x, *band, color=colour, alpha=alpha, linewidth=0)


def finish(ax: Axes, x: str, y: str, **legend: Any) -> Axes:
    """The axes with labels, a faint grid and a legend."""
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.grid(alpha=0.3)
    ax.legend(frameon=False, **legend)
    return ax


def count_along_x(ax: Axes) -> None:
    """Whole numbers alone at the ticks of an axis that counts."""
    ax.xaxis.get_major_locator().set_params(integer=True)


def feature_labels(selector: Estimator, features: Iterable[int]) -> list[str]:
    """What features are called on a picture."""
    names = getattr(selector, "feature_names_in_", None)
    return [f"x{i}" if names is None else readable(names[i]) for i in features]


def write_above(ax: Axes, text: str, point: tuple[float, float]) -> None:
    """A small text right above a point."""
    style = {"ha": "center", "fontsize": 7, "color": "#666666"}
    ax.annotate(text, point, xytext=(0, 6), textcoords="offset points", **style)


def take_literally(texts: Iterable[Any]) -> None:
    """A dollar in a name begins no formula."""
    for text in texts:
        text.set_parse_math(False)

"""The axes a plot draws on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from thresher._utils.checks import readable
from thresher._utils.types import Array, Axes, Estimator, Floats

if TYPE_CHECKING:
    from matplotlib.axis import Axis
    from matplotlib.text import Text

Band = tuple[Floats, Floats] | None

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
    ax: Axes, i: int, x: Array, y: Floats, band: Band, *, alpha: float = 0.15, **style: object
) -> None:
    """The i-th line of several, told from the others; a band between two others about it, unless that is None."""
    colour = COLOURS[i % len(COLOURS)]
    ax.plot(x, y, LINES[i % len(LINES)], color=colour, **style)
    if band is not None:
        ax.fill_between(x, *band, color=colour, alpha=alpha, linewidth=0)


def finish(ax: Axes, x: str, y: str, **legend: object) -> Axes:
    """The axes with labels, a faint grid and a legend."""
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.grid(alpha=0.3)
    ax.legend(frameon=False, **legend)
    return ax


def count_along_x(ax: Axes) -> None:
    """Whole numbers alone at the ticks of an axis that counts."""
    ax.xaxis.get_major_locator().set_params(integer=True)


def feature_labels(
    selector: Estimator, features: Iterable[int], names: Sequence[str] | None = None
) -> list[str]:
    """What features are called on a picture: by these names, or those seen in ``fit``."""
    names = getattr(selector, "feature_names_in_", None) if names is None else names
    return [f"x{i}" if names is None else readable(names[i]) for i in features]


def write_above(ax: Axes, text: str, point: tuple[float, float]) -> None:
    """A small text right above a point."""
    style = {"ha": "center", "fontsize": 7, "color": "#666666"}
    ax.annotate(text, point, xytext=(0, 6), textcoords="offset points", **style)


def name_ticks(
    axis: Axis, positions: Sequence[int] | Array, names: list[str], **style: object
) -> list[Text]:
    """Write names at an axis; a dollar in a name starts no formula."""
    axis.set_ticks(positions, names, minor=False, **style)
    texts = list(axis.get_ticklabels())
    for text in texts:
        text.set_parse_math(False)
    return texts

"""Charts as SVG. Colours are set by class, so the page can be light or dark; there are no style attributes."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup

from thresher._utils.types import Values
from thresher.selectors._views import fit_name

WIDTH = 720
_LEFT = 200
_BARS = WIDTH - _LEFT - 10
_ROW = 20
# Maximum width, in pixels, of each of the two names in a tooltip.
_TITLE = 300


def _tag(name: str, *content: str, **attributes: float | str) -> Markup:
    """Return an element with escaped texts; floats have one decimal."""
    written = Markup("").join(
        Markup(' {}="{}"').format(
            key.rstrip("_").replace("_", "-"), f"{value:.1f}" if isinstance(value, float) else value
        )
        for key, value in attributes.items()
    )
    if not content:
        return Markup("<{}{}/>").format(name, written)
    return Markup("<{0}{1}>{2}</{0}>").format(name, written, Markup("").join(content))


def _svg(height: float, label: str, parts: Iterable[Markup]) -> Markup:
    box = f"0 0 {WIDTH} {round(height)}"
    return _tag("svg", Markup("").join(parts), viewBox=box, role="img", aria_label=label)


def _row_label(name: str, y: float, kind: str = "end") -> Markup:
    shown = fit_name(name, _LEFT - 10)
    return _tag("text", shown, _tag("title", name), x=_LEFT - 8, y=float(y), class_=kind)


def _bar(kind: str, title: str, y: float, length: float, **shape: float | str) -> Markup:
    text = _tag("title", title)
    return _tag("rect", text, class_=kind, x=_LEFT, y=float(y), width=length, **shape)


def steps_chart(steps: list[Values]) -> Markup:
    """Draw relevance and, below it, redundancy of each step, as shares of the largest of each."""
    if all(step["relevance"] is None for step in steps):
        return Markup("")
    largest = {
        term: max((step[term] for step in steps if step[term] is not None), default=0) or 1
        for term in ("relevance", "redundancy")
    }
    parts = []
    for i, step in enumerate(steps):
        marks = [_row_label(step["name"], i * _ROW + 14)]
        for term, offset in (("relevance", 2.5), ("redundancy", 10.5)):
            if (value := step[term]) is not None:
                title = f"{step['name']}: {term} {value:.4g}"
                length = max(0.0, value / largest[term]) * _BARS
                marks.append(_bar(term, title, i * _ROW + offset, length, height=7, rx=1.5))
        parts.append(_tag("g", *marks, class_="step", data_step=step["step"]))
    return _svg(len(steps) * _ROW + 4, "relevance and redundancy at each step", parts)


def votes_chart(votes: list[Values]) -> Markup:
    """Draw the share of the replicates that selected each feature."""
    if not votes:
        return Markup("")
    parts = []
    for i, row in enumerate(votes):
        kind = "relevance" if row["selected"] else "other"
        title = f"{row['name']}: {row['votes']:.0%} of the replicates"
        bar = _bar(kind, title, i * _ROW + 4, row["votes"] * _BARS, height=12, rx=2)
        parts.append(_tag("g", _row_label(row["name"], i * _ROW + 14), bar, class_="vote"))
    return _svg(len(votes) * _ROW + 4, "votes of the replicates", parts)


def map_chart(names: list[str], chosen: list[int | None], values: list[list[float]]) -> Markup:
    """Draw a square for each pair of features; darker is more redundant."""
    n = len(names)
    cell = min(22.0, _BARS / n)
    titles = [fit_name(name, _TITLE) for name in names]
    parts = []
    for i in range(n):
        y = i * cell
        kind = "end" if chosen[i] is None else "end strong"
        parts.append(_row_label(names[i], y + cell / 2 + 4, kind))
        square = {"y": y, "width": cell - 1, "height": cell - 1}
        for j in range(n):
            if i == j:
                continue
            value = float(values[i][j])
            title = _tag("title", f"{titles[i]} and {titles[j]}: {value:.2f}")
            depth = f"{0.04 + 0.96 * value:.3f}"
            x = _LEFT + j * cell
            parts.append(_tag("rect", title, class_="pair", x=x, **square, fill_opacity=depth))
        parts.append(_tag("rect", class_="own", x=_LEFT + i * cell, **square))
    return _svg(n * cell + 4, "redundancy of the features", parts)


def number_chart(
    sizes: list[int], mean: list[float | None], error: list[float | None], k: int
) -> Markup:
    """Draw the score against the number of features, with one standard error on each side."""
    points = [
        (size, value, spread or 0.0)
        for size, value, spread in zip(sizes, mean, error, strict=True)
        if value is not None
    ]
    if not points:
        return Markup("")
    height = 220
    low = min(value - spread for _, value, spread in points)
    high = max(value + spread for _, value, spread in points)
    span = (high - low) or 1.0

    def across(i: int) -> float:
        return 60 + (WIDTH - 90) * i / max(1, len(points) - 1)

    def up(value: float) -> float:
        return 10 + (height - 50) * (high - value) / span

    line = " ".join(f"{across(i):.1f},{up(value):.1f}" for i, (_, value, _) in enumerate(points))
    parts = [_tag("polyline", class_="line", points=line)]
    for i, (size, value, spread) in enumerate(points):
        x = across(i)
        kind, radius = ("relevance", 6) if size == k else ("dot", 4)
        title = _tag("title", f"{size} features: {value:.4g} ± {spread:.2g}")
        ends = {"y1": up(value - spread), "y2": up(value + spread)}
        parts += [
            _tag("line", class_="error", x1=x, x2=x, **ends),
            _tag("circle", title, class_=kind, cx=x, cy=up(value), r=radius),
            _tag("text", str(size), class_="middle", x=x, y=height - 22),
        ]
    for value in (low, high):
        parts.append(_tag("text", f"{value:.3g}", class_="end", x=52, y=up(value) + 4))
    parts.append(_tag("text", "number of features", class_="middle", x=WIDTH / 2, y=height - 4))
    return _svg(height, "score against the number of features", parts)

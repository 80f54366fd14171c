"""Charts as SVG. Colours come by class, so that the page can be light or dark; no attribute is a style."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from thresher._utils.types import Values
from thresher.selectors._views import fit_name

WIDTH = 720
_LEFT = 200
_ROW = 20
# Of one of two names that are told of.
_TITLE = 300


def _join(parts: Sequence[Markup]) -> Markup:
    return Markup("").join(parts)


def _svg(height: float, label: str, content: Markup) -> Markup:
    return Markup('<svg viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        WIDTH, round(height), label, content
    )


def _row_label(name: str, y: float) -> Markup:
    return Markup('<text x="{}" y="{:.1f}" class="end">{}<title>{}</title></text>').format(
        _LEFT - 8, y + 14, fit_name(name, _LEFT - 10), name
    )


def steps_chart(steps: list[Values]) -> Markup:
    """Relevance to the right and redundancy below it, per step, as shares of the largest of each."""
    largest = {
        term: max((step[term] for step in steps if step[term] is not None), default=0) or 1
        for term in ("relevance", "redundancy")
    }
    parts = []
    for i, step in enumerate(steps):
        top = i * _ROW
        marks = [_row_label(step["name"], top)]
        for term, offset in (("relevance", 2.5), ("redundancy", 10.5)):
            value = step[term]
            if value is None:
                continue
            share = max(0.0, value / largest[term])
            marks.append(
                Markup(
                    '<rect class="{}" x="{}" y="{:.1f}" width="{:.1f}" height="7" rx="1.5">'
                    "<title>{}: {} {:.4g}</title></rect>"
                ).format(
                    term,
                    _LEFT,
                    top + offset,
                    share * (WIDTH - _LEFT - 10),
                    step["name"],
                    term,
                    value,
                )
            )
        parts.append(
            Markup('<g class="step" data-step="{}">{}</g>').format(step["step"], _join(marks))
        )
    return _svg(len(steps) * _ROW + 4, "relevance and redundancy at each step", _join(parts))


def votes_chart(votes: list[Values]) -> Markup:
    """The share of the replicates that chose each feature."""
    parts = []
    for i, row in enumerate(votes):
        top = i * _ROW
        parts.append(
            Markup(
                '<g class="{}">{}<rect class="{}" x="{}" y="{:.1f}" width="{:.1f}" height="12" rx="2">'
                "<title>{}: {:.0%} of the replicates</title></rect></g>"
            ).format(
                "vote",
                _row_label(row["name"], top),
                "relevance" if row["selected"] else "other",
                _LEFT,
                top + 4,
                row["votes"] * (WIDTH - _LEFT - 10),
                row["name"],
                row["votes"],
            )
        )
    return _svg(len(votes) * _ROW + 4, "votes of the replicates", _join(parts))


def map_chart(names: list[str], chosen: list[int | None], values: list[list[float]]) -> Markup:
    """A square for each pair of features, the darker the more one tells of the other."""
    n = len(names)
    cell = min(22.0, (WIDTH - _LEFT - 10) / n)
    titles = [fit_name(name, _TITLE) for name in names]
    parts = []
    for i in range(n):
        y = i * cell
        parts.append(
            Markup('<text x="{}" y="{:.1f}" class="end{}">{}<title>{}</title></text>').format(
                _LEFT - 8,
                y + cell / 2 + 4,
                "" if chosen[i] is None else " strong",
                fit_name(names[i], _LEFT - 10),
                names[i],
            )
        )
        for j in range(n):
            if i == j:
                continue
            parts.append(
                Markup(
                    '<rect class="pair" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill-opacity="{:.3f}">'
                    "<title>{} and {}: {:.2f}</title></rect>"
                ).format(
                    _LEFT + j * cell,
                    y,
                    cell - 1,
                    cell - 1,
                    0.04 + 0.96 * float(values[i][j]),
                    titles[i],
                    titles[j],
                    float(values[i][j]),
                )
            )
        parts.append(
            Markup(
                '<rect class="own" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>'
            ).format(_LEFT + i * cell, y, cell - 1, cell - 1)
        )
    return _svg(n * cell + 4, "which features tell the same", _join(parts))


def number_chart(
    sizes: list[int], mean: list[float | None], error: list[float | None], k: int
) -> Markup:
    """The score against the number of features, with one standard error on either side."""
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

    parts = []
    line = " ".join(f"{across(i):.1f},{up(value):.1f}" for i, (_, value, _) in enumerate(points))
    parts.append(Markup('<polyline class="line" points="{}"/>').format(line))
    for i, (size, value, spread) in enumerate(points):
        x = across(i)
        parts.append(
            Markup(
                '<line class="error" x1="{0:.1f}" x2="{0:.1f}" y1="{1:.1f}" y2="{2:.1f}"/>'
                '<circle class="{3}" cx="{0:.1f}" cy="{4:.1f}" r="{5}"><title>{6} features: {7:.4g} ± {8:.2g}</title>'
                '</circle><text class="middle" x="{0:.1f}" y="{9}">{6}</text>'
            ).format(
                x,
                up(value - spread),
                up(value + spread),
                "relevance" if size == k else "dot",
                up(value),
                6 if size == k else 4,
                size,
                value,
                spread,
                height - 22,
            )
        )
    parts += [
        Markup('<text class="end" x="52" y="{:.1f}">{:.3g}</text>').format(up(value) + 4, value)
        for value in (low, high)
    ]
    parts.append(
        Markup('<text class="middle" x="{}" y="{}">number of features</text>').format(
            WIDTH / 2, height - 4
        )
    )
    return _svg(height, "score against the number of features", _join(parts))

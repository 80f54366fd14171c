"""Draw the decision figure of docs/methods.md: questions on the left, selectors on the right."""

from __future__ import annotations

from html import escape
from pathlib import Path

# Question, the reply that leads to the right, the selectors there, and a line below them.
STEPS = [
    ("Do you have labels?", "no", "RRFS, LaplacianScore", "rankings without labels"),
    ("Do you need an error bound?", "yes", "ErrorControlled, halves", "around any selector below"),
    ("Could only combinations matter?", "yes", "LCC, CWC, ReliefF", "by sets or neighbours"),
    ("Must one estimator do best?", "yes", "GBC, MRMRGA", "search by its score; slow"),
    ("Should it choose the number?", "yes", "FCBF, CFS", "or select_k with any other"),
    ("Is the target numeric?", "yes", "MRMR, RRCT", "correlation, partial correlation"),
    ("Discrete features, many samples?", "yes", "JMI, CMIM", "information of feature pairs"),
]
LAST = ("MRMR", "the default, for everything else")
ROW, HIGH, WIDE, GAP = 84, 56, 262, 70


def figure() -> str:
    """Return the figure as SVG that takes its colours from the page."""
    height = ROW * (len(STEPS) + 1)
    right = WIDE + GAP + 2
    left_middle, right_middle = 2 + WIDE // 2, right + WIDE // 2
    parts = [
        f'<svg class="decision" viewBox="0 0 {2 * WIDE + GAP + 4} {height}" role="img" '
        'xmlns="http://www.w3.org/2000/svg" aria-label="Choose a selector: seven questions">'
    ]
    for row, (question, word, names, line) in enumerate(STEPS):
        top = ROW * row + 2
        middle = top + HIGH // 2
        other = "yes" if word == "no" else "no"
        parts += [
            f'<rect class="box" x="2" y="{top}" width="{WIDE}" height="{HIGH}" rx="8"/>',
            f'<text x="{left_middle}" y="{middle + 5}">{escape(question)}</text>',
            f'<path d="M{WIDE + 2} {middle} H{right - 2} m-8 -5 l8 5 l-8 5"/>',
            f'<text class="word" x="{WIDE + 2 + GAP // 2}" y="{middle - 6}">{word}</text>',
            f'<rect class="choice" x="{right}" y="{top}" width="{WIDE}" height="{HIGH}" rx="8"/>',
            f'<text class="name" x="{right_middle}" y="{middle - 4}">{escape(names)}</text>',
            f'<text class="word" x="{right_middle}" y="{middle + 16}">{escape(line)}</text>',
            f'<path d="M{left_middle} {top + HIGH} v{ROW - HIGH} m-5 -8 l5 8 l5 -8"/>',
            f'<text class="word" x="{left_middle + 20}" y="{top + HIGH + 18}">{other}</text>',
        ]
    top = ROW * len(STEPS) + 2
    parts += [
        f'<rect class="choice" x="2" y="{top}" width="{WIDE}" height="{HIGH}" rx="8"/>',
        f'<text class="name" x="{left_middle}" y="{top + 24}">{LAST[0]}</text>',
        f'<text class="word" x="{left_middle}" y="{top + 44}">{LAST[1]}</text>',
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def write_decision_figure() -> None:
    """Write the file that docs/methods.md includes inline, so that it follows light and dark mode."""
    page = Path(__file__).parent / "api" / "decision.inc"
    if not page.exists() or page.read_text(encoding="utf-8") != figure():
        page.write_text(figure(), encoding="utf-8")

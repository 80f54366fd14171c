"""The decision figure of docs/methods.md: questions down the left, answers to the right."""

from __future__ import annotations

from html import escape
from pathlib import Path

# Question, the answer "yes" leads to, and a line below it.
STEPS = [
    ("Have you got labels?", "no", "RRFS, LaplacianScore", "rankings without labels"),
    ("Must errors be bounded?", "yes", "ErrorControlled, halves", "around any selector below"),
    ("May features matter only together?", "yes", "LCC, CWC, ReliefF", "sets, or near samples"),
    ("Is one estimator all that counts?", "yes", "GBC, MRMRGA", "searches by its score; slow"),
    ("Should it find the number itself?", "yes", "FCBF, CFS", "or select_k around any other"),
    ("Is the target a number?", "yes", "MRMR, RRCT", "correlations, partial ones"),
    ("Codes and plenty of samples?", "yes", "JMI, CMIM", "information of pairs"),
]
LAST = ("MRMR", "the default, for everything else")
ROW, HIGH, WIDE, GAP = 84, 56, 262, 70


def figure() -> str:
    """The figure as SVG that takes its colours from the page."""
    height = ROW * (len(STEPS) + 1)
    right = WIDE + GAP + 2
    left_middle, right_middle = 2 + WIDE // 2, right + WIDE // 2
    parts = [
        f'<svg class="decision" viewBox="0 0 {2 * WIDE + GAP + 4} {height}" role="img" '
        'xmlns="http://www.w3.org/2000/svg" aria-label="Which selector when: seven questions">'
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
            f'<rect class="answer" x="{right}" y="{top}" width="{WIDE}" height="{HIGH}" rx="8"/>',
            f'<text class="name" x="{right_middle}" y="{middle - 4}">{escape(names)}</text>',
            f'<text class="word" x="{right_middle}" y="{middle + 16}">{escape(line)}</text>',
            f'<path d="M{left_middle} {top + HIGH} v{ROW - HIGH} m-5 -8 l5 8 l5 -8"/>',
            f'<text class="word" x="{left_middle + 20}" y="{top + HIGH + 18}">{other}</text>',
        ]
    top = ROW * len(STEPS) + 2
    parts += [
        f'<rect class="answer" x="2" y="{top}" width="{WIDE}" height="{HIGH}" rx="8"/>',
        f'<text class="name" x="{left_middle}" y="{top + 24}">{LAST[0]}</text>',
        f'<text class="word" x="{left_middle}" y="{top + 44}">{LAST[1]}</text>',
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def write_decision_figure() -> None:
    """The file that docs/methods.md includes, inline, so that it follows light and dark."""
    page = Path(__file__).parent / "api" / "decision.inc"
    if not page.exists() or page.read_text(encoding="utf-8") != figure():
        page.write_text(figure(), encoding="utf-8")

"""The table of all selectors: facts from their classes and from the registry."""

from __future__ import annotations

from pathlib import Path

from thresher._registry import SELECTORS
from thresher.cli._options import METHODS, describe_methods

STOPS = {
    "given": "no",
    "itself": "yes",
    "given or itself": "yes, or k",
    "given or by p-value": "by p-value, or k",
}


def rows() -> list[dict[str, str]]:
    """One row of text per selector."""
    table = []
    for found in describe_methods():
        name = METHODS[found["method"]]
        table.append(
            {
                "selector": f"{{class}}`~thresher.{name}`",
                "what for": found["why"],
                "data": SELECTORS[name].data,
                "target": found["target"],
                "cost": SELECTORS[name].cost,
                "stops by itself": STOPS[found["k"]],
                "ensembles": found["ensemble"],
                "sparse": "yes" if found["sparse"] else "refused",
                "missing": found["missing"].replace("no", "refused"),
            }
        )
    return table


def write_selectors_table() -> None:
    """The page that docs/methods.md includes."""
    table = rows()
    lines = [
        "| " + " | ".join(table[0]) + " |",
        "|" + "---|" * len(table[0]),
        *("| " + " | ".join(row.values()) + " |" for row in table),
    ]
    page = Path(__file__).parent / "api" / "selectors_table.inc"
    text = "\n".join(lines) + "\n"
    if not page.exists() or page.read_text(encoding="utf-8") != text:
        page.write_text(text, encoding="utf-8")

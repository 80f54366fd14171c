"""Write the table of all selectors from their classes and the registry."""

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
    """Return one row of text per selector."""
    table = []
    for facts in describe_methods():
        name = METHODS[facts["method"]]
        table.append(
            {
                "selector": f"{{class}}`~thresher.{name}`",
                "purpose": facts["why"],
                "data": SELECTORS[name].data,
                "target": facts["target"],
                "cost": SELECTORS[name].cost,
                "automatic k": STOPS[facts["k"]],
                "ensembles": facts["ensemble"],
                "sparse": "yes" if facts["sparse"] else "rejected",
                "missing": facts["missing"].replace("no", "rejected"),
            }
        )
    return table


def write_selectors_table() -> None:
    """Write the table that docs/methods.md includes."""
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

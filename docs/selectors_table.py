"""The table of all selectors: facts from their classes, cost and question from here."""

from __future__ import annotations

from pathlib import Path

from thresher.cli._methods import METHODS, describe_methods

# n samples, p features, k chosen; pairs are what `n_evaluations_` counts, mostly far fewer than k p.
PAIRS = "n per pair"
TRIPLES = "n per pair with y"
RELEVANCE = "n p"
NEIGHBOURS = "n² p"
RISKS = "n p, then n per risk"
EXACT = "exponential in p"
FITS = "fits of the estimator"
COST = {
    **dict.fromkeys(["MRMR", "NMIFS", "CFS", "FCBF"], PAIRS),
    **dict.fromkeys(["JMI", "JMIM", "CMIM", "DISR", "CIFE", "ICAP"], TRIPLES),
    **dict.fromkeys(["MIM", "Univariate", "FisherScore", "RFS", "RRFS", "CMIFilter"], RELEVANCE),
    **dict.fromkeys(["RRCT", "GSO", "LassoPath"], "n p k"),
    **dict.fromkeys(["ReliefF", "Relief", "MultiSURF", "LaplacianScore"], NEIGHBOURS),
    **dict.fromkeys(["CWC", "LCC", "SDCC", "ASDCC", "SWCFS", "INTERACT", "SetCover", "LVF"], RISKS),
    **dict.fromkeys(["QBB", "ABB", "Focus"], EXACT),
    **dict.fromkeys(["GBC", "MRMRGA", "SALCC"], FITS),
    "SPEC": "n² p; `phi3` n³",
    "S3F": "n p² at worst",
    "SVMRFE": "n² + n p per round",
    "SFSLW": "n p per step",
}
ANY, CODES, NUMBERS = "any", "codes; numbers binned", "numbers"
DATA = {
    **dict.fromkeys(COST, CODES),
    **dict.fromkeys(["MRMR", "Univariate", "ReliefF", "Relief", "MultiSURF"], ANY),
    **dict.fromkeys(["GBC", "MRMRGA"], ANY),
    **dict.fromkeys(["RRCT", "GSO", "LassoPath", "FisherScore", "SVMRFE", "SFSLW"], NUMBERS),
    **dict.fromkeys(["RFS", "RRFS", "LaplacianScore", "SPEC"], NUMBERS),
}
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
                "data": DATA[name],
                "target": found["target"],
                "cost": COST[name],
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

"""Published tables as CSV files, in the folder ``methods`` next to the optional data folder (THRESHER_DATA).

They are there where the user has them; everything runs without them too.
"""

from __future__ import annotations

import csv

from benchmarks.folders import DATA_FOLDER


def rows(table: str) -> list[dict[str, str]]:
    """Return the rows of a table; none where the file is missing."""
    path = DATA_FOLDER.parent / "methods" / f"{table}.csv"
    if not path.exists():
        print(f"(published numbers are missing: no {path.name} in the folder {path.parent.name})")
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))

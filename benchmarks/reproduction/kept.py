"""Store the finished parts of a long experiment, so that a stopped run resumes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from benchmarks.folders import ROOT

RESULTS = ROOT / "benchmarks" / "results" / "reproduction"


class Parts:
    """Finished parts of an experiment by their names; the file is removed when all are finished."""

    def __init__(self, experiment: str, settings: str = "") -> None:
        self.path = RESULTS / f"{experiment}{settings}.parts.json"
        self.found: dict[str, Any] = {}
        if self.path.exists():
            self.found = json.loads(self.path.read_text("utf-8"))

    def get(self, name: str, compute: Callable[[], Any]) -> Any:
        """Return the part of this name, computed if it is not stored yet."""
        if name not in self.found:
            self.put({name: compute()})
        return self.found[name]

    def put(self, parts: dict[str, Any]) -> None:
        self.found.update(parts)
        RESULTS.mkdir(parents=True, exist_ok=True)
        partial = self.path.with_suffix(".new")
        partial.write_text(json.dumps(self.found), encoding="utf-8")
        partial.replace(self.path)

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)

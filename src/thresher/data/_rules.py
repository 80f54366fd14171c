"""How a selector takes its input, wherever the rows are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from thresher.data._target import Target, read_target


@dataclass(frozen=True)
class InputRules:
    """What the parameters of a selector say of its input.

    Attributes
    ----------
    target : {"auto", "nominal", "numeric"}
    classes_only : bool
        See `read_target`.
    needs_target : bool
        False where y is not looked at.
    missing : str
        One of the words that the selector takes.
    keep, exclude : list of int or str, or None
    n_jobs : int or None
    """

    target: str = "auto"
    classes_only: bool = False
    needs_target: bool = True
    missing: str = "error"
    keep: Any = None
    exclude: Any = None
    n_jobs: int | None = None

    def read_target(self, y: Any, n_rows: int, selector: Any) -> Target | None:
        """What y says of so many rows, where it is looked at."""
        if not self.needs_target:
            return None
        owner = type(selector).__name__
        return read_target(y, n_rows, kind=self.target, classes_only=self.classes_only, owner=owner)

"""What a report tells beyond the fitted selector: numbers, text and lists only, so that they can be saved."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from thresher.data import read_target
from thresher.evaluate.redundancy import redundancy_map
from thresher.io import open_table
from thresher.io.table import is_files
from thresher.io.temporary import Scratch

# Classes whose numbers of samples are listed.
MOST_CLASSES = 20


def gather_facts(
    selector: Any,
    X: Any = None,
    y: Any = None,
    *,
    source: str = "",
    target: str = "",
    notes: Iterable[str] = (),
    number: Any = None,
    command: str = "",
) -> dict[str, Any]:
    """What a report tells of the data.

    Parameters
    ----------
    selector : fitted selector
    X, y
        What it was fitted on; without X there is no map of redundancies.
    source, target : str
        What the data and the target are called.
    notes : iterable of str
        Warnings and whatever else should be known.
    number : NumberOfFeatures, default=None
        Scores by number of features, of `thresher.evaluate.select_k`.
    command : str
        Of a shell, that makes the same selection.

    Returns
    -------
    facts : dict
        Of numbers, text, lists and dicts, as JSON knows them.
    """
    check_is_fitted(selector)
    if is_files(X):
        X = open_table(X, scratch=Scratch())
    facts: dict[str, Any] = {
        "source": source,
        "target": target,
        "n_samples": None if X is None else int(X.shape[0]),
        "checks": _checks(selector, y),
        "notes": list(notes),
        "command": command,
    }
    if X is not None:
        found = redundancy_map(selector, X)
        if found is not None:
            facts["map"] = {
                "measure": found.measure,
                "features": found.features.tolist(),
                "values": np.round(found.values, 3).tolist(),
            }
    if number is not None:
        facts["number"] = {
            "k": int(number.k),
            "sizes": [int(size) for size in number.sizes],
            "mean": [_finite(value) for value in number.mean],
            "error": [_finite(value) for value in number.standard_error],
        }
    return facts


def _finite(value: Any) -> float | None:
    return float(value) if math.isfinite(value) else None


def _checks(selector: Any, y: Any) -> list[str]:
    """What is worth knowing of the columns and the target."""
    said = []
    constant = int(getattr(selector, "_constant", np.zeros(0, dtype=bool)).sum())
    excluded = int(getattr(selector, "_excluded", np.zeros(0, dtype=bool)).sum())
    if constant:
        said.append(f"{_counted(constant, 'feature is', 'features are')} constant: never chosen.")
    if excluded:
        said.append(f"{_counted(excluded, 'feature was', 'features were')} excluded.")
    if y is None:
        return said
    target = read_target(y, len(y), kind=_target_kind(selector))
    if target.codes is None or target.classes is None:
        low, high = target.values.min(), target.values.max()
        said.append(f"The target is a number from {low:.4g} to {high:.4g}.")
        return said
    counts = np.bincount(target.codes)
    shown = [f"{label}: {count}" for label, count in zip(target.classes, counts, strict=True)][
        :MOST_CLASSES
    ]
    more = ", ..." if len(counts) > MOST_CLASSES else ""
    said.append(f"The target has {len(counts)} classes ({', '.join(shown)}{more}).")
    if counts.min() < 5:
        smallest = _counted(counts.min(), "sample", "samples")
        said.append(f"The smallest class has {smallest}; a selection cannot be sure of it.")
    return said


def _counted(count: int, one: str, more: str) -> str:
    return f"{count} {one if count == 1 else more}"


def _target_kind(selector: Any) -> Any:
    """What the selector, or the one inside it, was told to take the target for."""
    if getattr(selector, "_classes_only", False):
        return "nominal"
    parameters = selector.get_params().items()
    kinds = [kind for name, kind in parameters if name.rpartition("__")[2] == "target"]
    return next((kind for kind in kinds if isinstance(kind, str)), "auto")

"""What a report tells beyond the fitted selector: numbers, text and lists only, so that they can be saved."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted

from thresher.measures import Measures
from thresher.selectors.mrmr import MRMR
from thresher.sources import read_target

# Features of the redundancy map: chosen ones, and the most relevant of those left.
MOST_CHOSEN = 24
MOST_LEFT = 12
# Classes whose numbers of samples are listed.
MOST_CLASSES = 20

Positions = npt.NDArray[np.intp]


def gather_facts(
    selector: Any,
    X: Any = None,
    y: Any = None,
    *,
    source: str = "",
    target: str = "",
    notes: Iterable[str] = (),
    number: Any = None,
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

    Returns
    -------
    facts : dict
        Of numbers, text, lists and dicts, as JSON knows them.
    """
    check_is_fitted(selector)
    facts: dict[str, Any] = {
        "source": source,
        "target": target,
        "n_samples": None if X is None else int(X.shape[0]),
        "checks": _checks(selector, y),
        "notes": list(notes),
    }
    if X is not None:
        facts["map"] = _redundancy_map(selector, X)
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
        said.append(f"{constant} features are constant and cannot be chosen.")
    if excluded:
        said.append(f"{excluded} features were excluded.")
    if y is None:
        return said
    target = read_target(y, len(y))
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
        said.append(
            f"The smallest class has {counts.min()} samples; a selection cannot be sure of it."
        )
    return said


def mapped_features(selector: Any) -> Positions:
    """Features of the redundancy map, chosen ones first."""
    chosen = selector.selected_[:MOST_CHOSEN]
    relevance = np.where(np.isfinite(selector.relevance_), selector.relevance_, -np.inf)
    usable = ~selector.support_ & np.isfinite(relevance)
    for name in ("_excluded", "_constant"):
        usable &= ~getattr(selector, name, np.zeros(len(usable), dtype=bool))
    left = np.flatnonzero(usable)
    left = left[np.argsort(-relevance[left], kind="stable")][:MOST_LEFT]
    return np.concatenate([chosen, left]).astype(np.intp)


def _redundancy_map(selector: Any, X: Any) -> dict[str, Any] | None:
    """How much each of the first features tells of each other, in an order in which alike ones are neighbours."""
    from scipy.cluster import hierarchy
    from scipy.spatial.distance import squareform

    features = mapped_features(selector)
    if len(features) < 3:
        return None
    part = _safe_indexing(X, features, axis=1)
    # Pairs of features ask for no target, reading does.
    training = MRMR(missing="pairwise")._read(part, np.arange(part.shape[0]) % 2)
    table = training.table
    name = "su" if table.is_category.any() or table.is_discrete.all() else "r2"
    pairs = Measures(training).pairs(name)
    everything = np.arange(len(features), dtype=np.uint32)
    values = np.array([pairs.values(i, everything).ravel() for i in range(len(features))])
    values = np.clip(np.nan_to_num((values + values.T) / 2), 0.0, 1.0)
    np.fill_diagonal(values, 1.0)
    distance = squareform(1.0 - values, checks=False)
    order = hierarchy.leaves_list(
        hierarchy.optimal_leaf_ordering(hierarchy.linkage(distance, "average"), distance)
    )
    return {
        "measure": "symmetrical uncertainty" if name == "su" else "squared correlation",
        "features": features[order].tolist(),
        "values": np.round(values[np.ix_(order, order)], 3).tolist(),
    }

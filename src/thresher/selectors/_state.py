"""Checks of a fitted state that came from a text: types, shapes, and positions that exist."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils import get_tags

from thresher.measures import Bins
from thresher.selectors._explain import Explanation

Check = Callable[[Any, int], bool]


def _per_feature(kinds: str) -> Check:
    return lambda value, p: _is_array(value, kinds) and value.shape == (p,)


def _is_array(value: Any, kinds: str) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in kinds and value.ndim == 1


def _is_number(value: Any, p: int) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: Any, p: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def is_set(value: Any, p: int) -> bool:
    """Whether these are distinct positions of features."""
    if not _is_array(value, "iu"):
        return False
    inside = value.size == 0 or bool(value.min() >= 0 and value.max() < p)
    return inside and len(np.unique(value)) == len(value)


def _are_words(value: Any, p: int) -> bool:
    return _per_feature("O")(value, p) and all(isinstance(word, str) for word in value)


def _is_partner(value: Any, p: int) -> bool:
    return _per_feature("iu")(value, p) and bool((value >= -1).all() and (value < p).all())


# What a field of a record must be, by its annotation, unless that allows None.
_FIELDS: dict[str, Check] = {
    "Floats": _per_feature("f"),
    "Positions": _is_partner,
    "Counts": _per_feature("iu"),
    "Mask": _per_feature("b"),
    "FeatureSet": is_set,
    "bool": lambda value, p: isinstance(value, bool),
    "str": lambda value, p: isinstance(value, str),
    "int": _is_count,
    "float": _is_number,
}

# The attributes of every fitted selector.
_ATTRIBUTES: dict[str, Check] = {
    "selected_": is_set,
    "support_": _per_feature("b"),
    "ranking_": _per_feature("iu"),
    "scores_": _per_feature("f"),
    "relevance_": _per_feature("f"),
    "redundancy_": _per_feature("f"),
    "n_evaluations_": _is_count,
    "trace_": lambda value, p: isinstance(value, dict),
}

# Those that not all have.
_OPTIONAL: dict[str, Check] = {
    "feature_names_in_": _are_words,
    "tests_": _are_words,
    "pvalues_": _per_feature("f"),
    "corrected_pvalues_": _per_feature("f"),
    "votes_": _per_feature("f"),
    "cutoff_": _is_number,
    "gate_": _per_feature("b"),
    "gate_level_": _is_number,
    "relevance_name_": lambda value, p: isinstance(value, str),
    "parts_": lambda value, p: isinstance(value, list) and all(is_set(s, p) for s in value),
    "sets_": lambda value, p: isinstance(value, list) and all(is_set(s, p) for s in value),
    "set_scores_": lambda value, p: _is_array(value, "f"),
    "pool_": is_set,
    "bins_": lambda value, p: (
        isinstance(value, Bins)
        and _per_feature("b")(value.is_binned, p)
        and isinstance(value.rule, str)
        and isinstance(value.cuts, list)
        and len(value.cuts) == value.is_binned.sum()
        and all(_is_array(cuts, "f") for cuts in value.cuts)
    ),
    "_explanation": lambda value, p: isinstance(value, Explanation) and _is_sound(value, p),
    "_kept": is_set,
    "_excluded": _per_feature("b"),
    "_constant": _per_feature("b"),
}


def _is_sound(record: Explanation, p: int) -> bool:
    for field in dataclasses.fields(record):
        value = getattr(record, field.name)
        kind, is_optional, _ = str(field.type).partition(" | None")
        if not (is_optional and value is None) and not _FIELDS[kind](value, p):
            return False
    return record.fits_together()


def check_state(selector: Any, required: tuple[str, ...]) -> None:
    """Raise ``ValueError`` unless the fitted attributes of a selector fit together."""
    state, name = vars(selector), type(selector).__name__
    p = state.get("n_features_in_")
    if not _is_count(p, 0) or p == 0:
        raise ValueError(f"{name}.n_features_in_ is {p!r}")
    checks = {**_ATTRIBUTES, **{k: v for k, v in _OPTIONAL.items() if k in state or k in required}}
    for key, check in checks.items():
        if key not in state:
            raise ValueError(f"{name} lacks {key}")
        if not check(state[key], p):
            raise ValueError(f"{name}.{key} is not what a fit on {p} features gives")
    if not isinstance(getattr(selector, "missing", "error"), str):
        raise ValueError(f"{name}.missing is {selector.missing!r}")
    tags = get_tags(selector)
    if not all(
        isinstance(tag, bool) for tag in (tags.input_tags.allow_nan, tags.target_tags.required)
    ):
        raise ValueError(f"{name} has parameters that no fit takes")
    chosen = np.zeros(p, dtype=bool)
    chosen[selector.selected_] = True
    if not np.array_equal(chosen, selector.support_):
        raise ValueError(f"{name}.support_ and selected_ disagree")

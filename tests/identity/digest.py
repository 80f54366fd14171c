"""Digests of fitted selectors: short texts that are equal only if all bits are."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

# Attributes that depend on the clock and not on the data.
TIMES = ("seconds", "time", "elapsed")


def digest(value: Any) -> str:
    """Return a digest of a value's type and of all its bits."""
    return hashlib.sha256(_describe(value).encode()).hexdigest()[:12]


def digests_of(selector: Any) -> dict[str, str]:
    """Return a digest of every public fitted attribute, of the saved text, and all reasons."""
    names = sorted(name for name in vars(selector) if name.endswith("_") and name[0] != "_")
    found = {name: digest(getattr(selector, name)) for name in names}
    document = json.loads(selector.to_json())
    found["to_json"] = digest(document["selector"])
    found["reasons"] = digest([selector.reason(i) for i in range(selector.n_features_in_)])
    return found


def _describe(value: Any) -> str:
    if value is None or isinstance(value, bool | int | float | complex | str | bytes):
        return repr(value)
    if isinstance(value, np.generic):
        return f"{value.dtype} {value.item()!r}"
    if isinstance(value, np.ndarray):
        return _describe_array(value)
    if sparse.issparse(value):
        return f"{type(value).__name__} {_describe([value.shape, *sparse.find(value)])}"
    if isinstance(value, Mapping):
        items = (
            f"{_describe(key)}: {_describe(item)}"
            for key, item in value.items()
            if key not in TIMES
        )
        return "{" + ", ".join(items) + "}"
    if isinstance(value, list | tuple | frozenset):
        items = sorted(value) if isinstance(value, frozenset) else value
        return type(value).__name__ + "[" + ", ".join(map(_describe, items)) + "]"
    if dataclasses.is_dataclass(value) or isinstance(value, BaseEstimator):
        return f"{type(value).__name__} {_describe(_state(value))}"
    raise TypeError(f"there is no digest of a {type(value).__name__}")


def _describe_array(array: np.ndarray) -> str:
    if array.dtype.hasobject:
        return f"object {array.shape} {_describe(array.tolist())}"
    data = np.ascontiguousarray(array).tobytes()
    return f"{array.dtype} {array.shape} {hashlib.sha256(data).hexdigest()}"


def _state(value: Any) -> dict[str, Any]:
    if isinstance(value, BaseEstimator):
        fitted = {
            name: item
            for name, item in vars(value).items()
            if name.endswith("_") and name[0] != "_"
        }
        return {**value.get_params(deep=False), **fitted}
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}

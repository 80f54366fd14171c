"""Fitted selectors as JSON."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any, TypeAlias, TypeGuard

import numpy as np
from sklearn import config_context
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags

import thresher
from thresher._registry import PUBLIC
from thresher._utils.checks import first_line
from thresher._utils.params import Fitted
from thresher._utils.types import Array, Estimator, Values
from thresher.measures import Bins
from thresher.selectors import _explain
from thresher.selectors._explain import Explanation

Check = Callable[[object, int], bool]
# A value that the module json reads or writes.
Json: TypeAlias = Any


def _is_array(value: object, kinds: str) -> TypeGuard[Array]:
    return isinstance(value, np.ndarray) and value.dtype.kind in kinds and value.ndim == 1


def _per_feature(kinds: str) -> Check:
    return lambda value, p: _is_array(value, kinds) and value.shape == (p,)


def _is_number(value: object, p: int) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_text(value: object, p: int) -> bool:
    return isinstance(value, str)


def _is_count(value: object, p: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def is_set(value: object, p: int) -> bool:
    """Return whether the value is an array of distinct indices of features."""
    if not _is_array(value, "iu"):
        return False
    inside = value.size == 0 or bool(value.min() >= 0 and value.max() < p)
    return inside and len(np.unique(value)) == len(value)


def _are_sets(value: object, p: int) -> bool:
    return isinstance(value, list) and all(is_set(item, p) for item in value)


def _are_names(value: object, p: int) -> bool:
    return (
        _is_array(value, "O")
        and value.shape == (p,)
        and all(isinstance(word, str) for word in value)
    )


def _is_partner(value: object, p: int) -> bool:
    return (
        _is_array(value, "iu")
        and value.shape == (p,)
        and bool((value >= -1).all() and (value < p).all())
    )


# The check of a field of a record, by its annotation.
_FIELDS: dict[str, Check] = {
    "Floats": _per_feature("f"),
    "Positions": _is_partner,
    "Counts": _per_feature("iu"),
    "Mask": _per_feature("b"),
    "FeatureSet": is_set,
    "bool": lambda value, p: isinstance(value, bool),
    "str": _is_text,
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

# Attributes of some selectors.
_OPTIONAL: dict[str, Check] = {
    "feature_names_in_": _are_names,
    "tests_": _are_names,
    "pvalues_": _per_feature("f"),
    "corrected_pvalues_": _per_feature("f"),
    "votes_": _per_feature("f"),
    "cutoff_": _is_number,
    "gate_": _per_feature("b"),
    "gate_level_": _is_number,
    "relevance_name_": _is_text,
    "parts_": _are_sets,
    "sets_": _are_sets,
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
    "target_kind_": lambda value, p: isinstance(value, str) and value in ("nominal", "numeric"),
    "_explanation": lambda value, p: isinstance(value, Explanation) and _is_sound(value, p),
    "_kept": is_set,
    "_excluded": _per_feature("b"),
    "_constant": _per_feature("b"),
}


def _is_sound(record: Explanation, p: int) -> bool:
    for field in fields(record):
        value = getattr(record, field.name)
        kind, is_optional, _ = str(field.type).partition(" | None")
        if not (is_optional and value is None) and not _FIELDS[kind](value, p):
            return False
    return record.fits_together()


def check_state(selector: Estimator, required: tuple[str, ...]) -> None:
    """Raise ``ValueError`` unless the fitted attributes of a selector fit together."""
    state, name = selector.__dict__, type(selector).__name__
    p = state.get("n_features_in_")
    if not _is_count(p, 0) or p == 0:
        raise ValueError(f"{name}.n_features_in_ is {p!r}")
    checks = {**_ATTRIBUTES, **{k: v for k, v in _OPTIONAL.items() if k in state or k in required}}
    for key, check in checks.items():
        if key not in state:
            raise ValueError(f"{name} lacks {key}")
        if not check(state[key], p):
            raise ValueError(f"{name}.{key} is not possible after a fit on {p} features")
    if not isinstance(getattr(selector, "missing", "error"), str):
        raise ValueError(f"{name}.missing is {selector.missing!r}")
    tags = get_tags(selector)
    if not all(
        isinstance(tag, bool) for tag in (tags.input_tags.allow_nan, tags.target_tags.required)
    ):
        raise ValueError(f"{name} has invalid parameters")
    if not np.array_equal(np.isin(np.arange(p), selector.selected_), selector.support_):
        raise ValueError(f"{name}.support_ and selected_ disagree")


FORMAT = 3
# The attribute in which scikit-learn stores the requests of `set_fit_request`.
REQUESTS = "_metadata_request"
# Classes in a fitted state that are not estimators.
RECORDS: Values = {
    record.__name__: record
    for record in (Bins, _explain.Explanation, *_explain.Explanation.__subclasses__())
}
SPECIAL = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
# Errors of a text that `dump` did not write.
DAMAGE = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
# The types of the items of an array in JSON, by the kind of its dtype.
ITEMS: dict[str, tuple[type, ...]] = {
    "b": (bool,),
    "i": (int,),
    "u": (int,),
    "f": (int, float),
    "U": (str,),
    "O": (bool, int, float, str, type(None)),
}


def dump(selector: Estimator) -> str:
    """Return the parameters and fitted attributes of a selector as JSON text."""
    document = {"thresher": FORMAT, "version": thresher.__version__, "selector": _encode(selector)}
    return json.dumps(document, allow_nan=False)


def load(text: str) -> object:
    """Return the selector that `dump` wrote; raise ``ValueError`` for any other text.

    Memory is in proportion to the text.
    """
    try:
        document = json.loads(text)
        written = document["thresher"]
        version = document.get("version", "unknown")
    except DAMAGE as error:
        raise ValueError("the text is not a selection written by to_json") from error
    if written != FORMAT:
        raise ValueError(
            f"the text has format {written!r}, written by thresher {version!r}; thresher {thresher.__version__} reads "
            f"format {FORMAT}. Fit the selector again"
        )
    try:
        return _decode(document["selector"])
    except DAMAGE as error:
        raise ValueError(
            f"the text is not a selection written by to_json: {first_line(error)}"
        ) from error


def _encode(value: object) -> Json:
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, np.generic):
        return _encode(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, np.ndarray):
        return _encode_array(value)
    if isinstance(value, list):
        return [_encode(item) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [_encode(item) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[_encode(key), _encode(item)] for key, item in value.items()]}
    name = type(value).__name__
    if is_dataclass(value) and RECORDS.get(name) is type(value):
        state = {field.name: getattr(value, field.name) for field in fields(value)}
        return {"record": name, "state": _encode(state)}
    if name not in PUBLIC or type(value) is not getattr(thresher, name):
        raise ValueError(
            f"to_json cannot write a {name}. Use numbers, text, lists, arrays or selectors"
        )
    return _encode_object(value, name)


def _encode_object(estimator: Estimator, name: str) -> Values:
    parameters = estimator.get_params(deep=False)
    unsaved = {*parameters, *getattr(estimator, "_unsaved", ())}
    state = {key: item for key, item in vars(estimator).items() if key not in unsaved}
    document = {"object": name, "parameters": _encode(parameters)}
    if REQUESTS in state:
        given = state.pop(REQUESTS)
        methods = {method: getattr(given, method).requests for method in ("fit", "partial_fit")}
        document["requests"] = _encode(methods)
    return {**document, "state": _encode(state)}


def _decode(value: Json) -> Any:
    if isinstance(value, list):
        return [_decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "float" in value:
        return SPECIAL[value["float"]]
    if "array" in value:
        return _decode_array(value)
    if "tuple" in value:
        return tuple(_decode(value["tuple"]))
    if "dict" in value:
        return {_decode(key): _decode(item) for key, item in value["dict"]}
    if "record" in value:
        return RECORDS[value["record"]](**_decode(value["state"]))
    return _decode_object(value)


def _decode_object(value: Values) -> Estimator:
    name = value.get("object")
    cls = getattr(thresher, name) if isinstance(name, str) and name in PUBLIC else None
    if not (isinstance(cls, type) and issubclass(cls, BaseEstimator)):
        raise ValueError(f"unknown object {name!r}")
    selector = cls(**_decode(value["parameters"]))
    with config_context(enable_metadata_routing=True):
        for method, requests in _decode(value.get("requests", {"dict": []})).items():
            if requests:
                getattr(selector, f"set_{method}_request")(**requests)
    state = _decode(value["state"])
    for key in state:
        # Accept fitted attributes only, and none that would hide a method.
        is_learnt = key.isidentifier() and (key.endswith("_") or key.startswith("_"))
        is_learnt = is_learnt and key not in getattr(cls, "_unsaved", ())
        is_hidden = hasattr(cls, key) and not isinstance(getattr(cls, key), Fitted)
        if not is_learnt or key.startswith("__") or key == REQUESTS or is_hidden:
            raise ValueError(f"{name} has no fitted attribute {key!r}")
    vars(selector).update(state)
    check = getattr(selector, "_check_state", None)
    if state and check is not None:
        check()
    return selector


def _encode_array(array: Array) -> Values:
    if array.dtype.kind not in ITEMS:
        raise ValueError(f"to_json cannot write an array of {array.dtype}")
    flat = array.ravel().tolist()
    if array.dtype.kind == "f":
        flat = [item if math.isfinite(item) else str(item) for item in flat]
    elif array.dtype.kind == "O":
        flat = [_encode(item) for item in flat]
    return {"array": flat, "dtype": array.dtype.str, "shape": list(array.shape)}


def _decode_array(value: Values) -> Array:
    flat, name, shape = value["array"], value["dtype"], value["shape"]
    if not isinstance(name, str) or not re.fullmatch(r"[<>|=]([biuf](1|2|4|8|16)|U\d+|O)", name):
        raise ValueError(f"array of unknown type {name!r}")
    kind = name[1]
    if not isinstance(flat, list):
        raise ValueError("array without a list of items")
    if kind in "fO":
        flat = [_decode_item(item, kind) for item in flat]
    if not all(type(item) in ITEMS[kind] for item in flat):
        raise ValueError(f"array of type {name!r} with items of another type")
    sizes = shape if isinstance(shape, list) else []
    if any(type(size) is not int or size < 0 for size in sizes) or math.prod(sizes) != len(flat):
        raise ValueError(f"array of shape {shape!r} with {len(flat)} items")
    if kind == "O":
        array = np.empty(len(flat), dtype=object)
        array[:] = flat
    else:
        # The width of strings follows from the items: the name could request any width.
        array = np.array(flat, dtype=np.dtype(name if kind != "U" else str))
    return array.reshape(sizes)


def _decode_item(item: Json, kind: str) -> object:
    if kind == "f" and isinstance(item, str):
        return SPECIAL[item]
    return _decode(item) if isinstance(item, dict) else item

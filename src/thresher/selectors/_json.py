"""Fitted selectors as JSON text and back. Loading builds objects of this package only and runs no code."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

import thresher
from thresher.measures import Bins
from thresher.selectors import _explain

FORMAT = 2
# Parts of a fitted result that are no estimators.
RECORDS: dict[str, Any] = {
    record.__name__: record
    for record in (Bins, _explain.Explanation, *_explain.Explanation.__subclasses__())
}


def dump(selector: Any) -> str:
    """The parameters and fitted attributes of a selector."""
    return json.dumps({"thresher": FORMAT, "selector": _encode(selector)}, allow_nan=False)


def load(text: str) -> Any:
    """The selector that `dump` wrote."""
    try:
        document = json.loads(text)
        version = document["thresher"]
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError("the text is not a selection written by to_json") from error
    if version != FORMAT:
        raise ValueError(f"the text has format {version}; this version of thresher reads {FORMAT}")
    return _decode(document["selector"])


def _encode(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, np.generic):
        return _encode(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": _special(value)}
    if isinstance(value, np.ndarray):
        return _encode_array(value)
    if isinstance(value, list):
        return [_encode(item) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [_encode(item) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[_encode(key), _encode(item)] for key, item in value.items()]}
    name = type(value).__name__
    if RECORDS.get(name) is type(value):
        state = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return {"record": name, "state": _encode(state)}
    if name not in thresher._EXPORTS or type(value) is not getattr(thresher, name):
        raise ValueError(
            f"to_json cannot write a {name}: only numbers, text, lists, arrays and objects of thresher"
        )
    parameters = value.get_params(deep=False)
    state = {key: item for key, item in vars(value).items() if key not in parameters}
    return {"object": name, "parameters": _encode(parameters), "state": _encode(state)}


def _decode(value: Any) -> Any:
    if isinstance(value, list):
        return [_decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "float" in value:
        return float(value["float"])
    if "array" in value:
        return _decode_array(value)
    if "tuple" in value:
        return tuple(_decode(value["tuple"]))
    if "dict" in value:
        return {_decode(key): _decode(item) for key, item in value["dict"]}
    if "record" in value:
        return RECORDS[value["record"]](**_decode(value["state"]))
    return _decode_object(value)


def _decode_object(value: dict[str, Any]) -> Any:
    name = value.get("object")
    if name not in thresher._EXPORTS:
        raise ValueError(f"the text holds an object {name!r} that thresher does not know")
    cls = getattr(thresher, str(name))
    if not (isinstance(cls, type) and issubclass(cls, BaseEstimator)):
        raise ValueError(f"the text holds an object {name!r} that thresher does not know")
    selector = cls(**_decode(value["parameters"]))
    vars(selector).update(_decode(value["state"]))
    return selector


def _special(number: float) -> str:
    return "nan" if math.isnan(number) else ("inf" if number > 0 else "-inf")


def _encode_array(array: np.ndarray[Any, Any]) -> dict[str, Any]:
    if array.dtype.kind not in "biufOU":
        raise ValueError(f"to_json cannot write an array of {array.dtype}")
    flat = array.ravel().tolist()
    if array.dtype.kind == "f":
        flat = [item if math.isfinite(item) else _special(item) for item in flat]
    elif array.dtype.kind == "O":
        flat = [_encode(item) for item in flat]
    return {"array": flat, "dtype": array.dtype.str, "shape": list(array.shape)}


def _decode_array(value: dict[str, Any]) -> np.ndarray[Any, Any]:
    dtype = np.dtype(value["dtype"])
    flat = value["array"]
    if dtype.kind == "f":
        flat = [float(item) for item in flat]
    elif dtype.kind == "O":
        array = np.empty(len(flat), dtype=object)
        array[:] = [_decode(item) for item in flat]
        return array.reshape(value["shape"])
    return np.array(flat, dtype=dtype).reshape(value["shape"])

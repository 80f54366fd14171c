"""How a target is read, from the rules of the guide."""

from __future__ import annotations

import numbers


def kind_of(values, weights=None):
    """Return "nominal", "numeric" or "identifier" for the values of the rows, one at a time."""
    rows = list(values)
    if weights is not None and all(float(w).is_integer() for w in weights):
        rows = [value for value, w in zip(values, weights, strict=True) for _ in range(int(w))]
    elif weights is not None:
        rows = [value for value, w in zip(values, weights, strict=True) if w > 0]
    distinct = set(rows)
    per_value = len(rows) / len(distinct)
    if any(isinstance(value, str) for value in rows):
        return "identifier" if len(distinct) > 20 and per_value < 2 else "nominal"
    if all(isinstance(value, bool) for value in rows):
        return "nominal"
    if any(value != int(value) for value in rows):
        return "numeric"
    if len(distinct) <= 2:
        return "nominal"
    is_integer = all(isinstance(value, numbers.Integral) for value in rows)
    most = 65536 if is_integer else 20
    return "nominal" if per_value >= 5 and len(distinct) <= most else "numeric"

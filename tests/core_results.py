"""Results of the core, attribute by attribute."""

from __future__ import annotations

from typing import Any

import numpy as np


def attributes(result: Any) -> dict[str, Any]:
    """Return every public attribute of a result; those of its parts by names with dots."""
    found: dict[str, Any] = {}
    for name in sorted(vars(type(result))):
        value = None if name.startswith("_") else getattr(result, name, None)
        parts = value if isinstance(value, list) else [value]
        for number, part in enumerate(parts):
            at = f"{name}[{number}]" if isinstance(value, list) else name
            if type(part).__module__ == "thresher._core":
                found |= {f"{at}.{key}": own for key, own in attributes(part).items()}
            elif part is not None:
                found[at] = part
    return found


def assert_equal_results(found: Any, expected: Any, message: str = "") -> None:
    """Compare two results bit by bit."""
    one, other = attributes(found), attributes(expected)
    assert one.keys() == other.keys()
    for key, value in one.items():
        np.testing.assert_array_equal(value, other[key], err_msg=f"{message} {key}")


def assert_equal_lists(found: Any, expected: Any) -> None:
    """Compare what two ensemble searches selected on each replicate."""
    for one, other in zip(found.replicates, expected.replicates, strict=True):
        assert_equal_results(one, other)

"""The reading of a target that is fitted on some of its rows at a time."""

from __future__ import annotations

from sklearn.base import clone

from thresher._utils.types import Estimator, TargetLike
from thresher.data import read_target
from thresher.selectors._base import BaseSelector
from thresher.selectors._third_party import MetaSelector
from thresher.selectors.mrmr import MRMR


def with_target_of(selector: Estimator, y: TargetLike) -> Estimator:
    """Return a clone that reads some rows of `y` as classes or numbers, as it would read all of them.

    ``target="auto"`` depends on the number of rows, so a part of them could be read differently. Only integer values
    with more than two values are concerned.
    """
    return with_target(selector, kind_of_all_rows(y))


def kind_of_all_rows(y: TargetLike) -> str | None:
    """Return "nominal" or "numeric" if some rows of `y` could be read differently from all; else None."""
    if y is None:
        return None
    try:
        target = read_target(y, len(y))
    except (TypeError, ValueError):  # the fit raises it, in the name of the selector
        return None
    if target.classes is None:
        return "numeric"
    is_number = target.classes.dtype.kind in "fiu"
    return "nominal" if is_number and target.n_classes > 2 else None


def with_target(selector: Estimator, kind: str | None) -> Estimator:
    """Return a clone with this kind in place of every ``target="auto"`` of a selector inside."""
    settled = clone(selector)
    if kind is None:
        return settled
    for name, inside in _inside(settled):
        if isinstance(inside, MetaSelector) and inside.selector is None:
            settled.set_params(**{f"{name}selector": MRMR(target=kind)})  # type: ignore[arg-type]
        elif inside.get_params(deep=False).get("target") == "auto":
            settled.set_params(**{f"{name}target": kind})
    return settled


def _inside(estimator: Estimator) -> list[tuple[str, BaseSelector]]:
    """Return the selectors of an estimator with the prefixes of their parameters."""
    named = [("", estimator), *((f"{n}__", value) for n, value in estimator.get_params().items())]
    return [(name, value) for name, value in named if isinstance(value, BaseSelector)]

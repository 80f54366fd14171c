"""One selector for several numbers of features, with as few fits as it allows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sklearn.base import clone

from thresher.selectors._foreign import order_of_choice, resize


def fit_sizes(
    selector: Any, sizes: Sequence[int], fit: Callable[[Any], Any]
) -> list[tuple[list[int], Any]]:
    """The features chosen for every size, in order of choice, each with the fitted selector that says so.

    One fit, at the largest size, where the runs of the selector are nested or where it has no parameter for the
    number of features: it is then fitted as it is, and the first of its features count. Else one fit per size.
    """
    whole = resize(selector, max(sizes))
    if whole is None:
        model = fit(clone(selector))
        order = order_of_choice(model).tolist()
        return [(order[:size], model) for size in sizes]
    largest = fit(whole)
    cut = getattr(largest, "_selected_at", None)
    if cut is not None:
        nested = [cut(size) for size in sizes]
        if all(selection is not None for selection in nested):
            return [(selection, largest) for selection in nested]
    models = {max(sizes): largest}
    for size in sizes:
        if size not in models:
            models[size] = fit(resize(selector, size))
    return [(order_of_choice(models[size]).tolist(), models[size]) for size in sizes]

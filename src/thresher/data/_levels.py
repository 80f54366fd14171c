"""Columns of categories and of texts as ranks of their texts, many columns at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import count, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher._utils.checks import is_missing

Ranks = npt.NDArray[np.float64]

# Texts are told apart with a table of columns by texts, which is at most so many times as large as the columns.
_MOST_TEXTS_PER_ROW = 8


def category_ranks(X: Any, places: list[int]) -> Iterator[tuple[list[int], Ranks, list[str]]]:
    """Columns of a pandas frame that are categories: those with the same, their ranks as rows, and the texts."""
    alike: dict[tuple[str, ...], tuple[list[int], list[Any]]] = {}

    def take(place: int, column: Any) -> None:
        values = column.array
        texts = tuple(map(str, values.categories.tolist()))
        members, codes = alike.setdefault(texts, ([], []))
        members.append(place)
        codes.append(values.codes)

    _show_columns(X, places, take)
    for texts, (members, codes) in alike.items():
        rank = np.full(len(texts) + 1, np.nan)  # the last, -1, is for missing values
        rank[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
        yield members, rank[np.array(codes)], sorted(texts)


def _show_columns(X: Any, places: list[int], take: Callable[[int, Any], None]) -> None:
    """Call `take` with some columns of a pandas frame.

    Of the ways to many columns `apply` is the fastest, and unlike `items` it does not keep them; of a frame without
    rows it would show none.
    """
    if 4 * len(places) < X.shape[1] or not len(X):
        for place in places:
            take(place, X.iloc[:, place])
        return
    wanted = set(places)
    at = count()

    def show(column: Any) -> None:
        place = next(at)
        if place in wanted:
            take(place, column)

    X.apply(show)


def text_ranks(
    columns: npt.NDArray[Any], factorize: Callable[..., Any] | None = None
) -> tuple[Ranks, list[list[str] | None]]:
    """Ranks of texts among those of their column, of columns that are rows of objects, and the texts of each.

    A column with anything but texts and missing values has None for its texts, and its ranks mean nothing. `factorize`
    is that of pandas, which is faster than what Python can do, where pandas is at hand.
    """
    n_columns, n_rows = columns.shape
    found = _numbered(columns, factorize)
    if found is None and n_columns == 1:
        return np.empty(columns.shape), [None]
    step = 1 if found is None else _MOST_TEXTS_PER_ROW
    if found is None or (len(found[1]) > step * n_rows and n_columns > step):
        pieces = [text_ranks(columns[i : i + step], factorize) for i in range(0, n_columns, step)]
        return np.concatenate([ranks for ranks, _ in pieces]), [t for _, ts in pieces for t in ts]
    numbers, values = found
    is_text = np.array([isinstance(value, str) for value in values], dtype=bool)
    other = np.array([not isinstance(v, str) and not is_missing(v) for v in values], dtype=bool)
    texts = np.array([str(values[i]) for i in np.flatnonzero(is_text)], dtype=object)
    order = np.argsort(texts, kind="stable")
    place = np.full(len(values), len(texts))  # the last is for all that is no text
    place[np.flatnonzero(is_text)[order]] = np.arange(len(texts))
    places = place[numbers]
    present = np.zeros((n_columns, len(texts) + 1), dtype=bool)
    np.put_along_axis(present, places, True, axis=1)
    present[:, -1] = False
    levels = np.cumsum(present, axis=1, dtype=np.int32) - 1
    ranks = np.take_along_axis(levels, places, axis=1).astype(np.float64)
    ranks[places == len(texts)] = np.nan
    held = texts[order][np.nonzero(present)[1]].tolist()
    ends = [0, *np.cumsum(present.sum(axis=1)).tolist()]
    is_other: list[bool] = np.any(other[numbers], axis=1).tolist()
    return ranks, [
        None if no else held[a:b] for (a, b), no in zip(pairwise(ends), is_other, strict=True)
    ]


def _numbered(
    columns: npt.NDArray[Any], factorize: Callable[..., Any] | None
) -> tuple[npt.NDArray[np.intp], list[Any]] | None:
    """Every value as its number among the distinct ones, and these; None if some cannot be told apart."""
    values = columns.ravel()
    try:
        if factorize is not None:
            numbers, found = factorize(values)
            numbers[numbers < 0] = len(found)  # what is missing
            return numbers.reshape(columns.shape), [*found, None]
        number: defaultdict[Any, int] = defaultdict(count().__next__)
        numbers = np.fromiter(
            map(number.__getitem__, values.tolist()), dtype=np.intp, count=len(values)
        )
    except TypeError:  # lists and their like have no hash
        return None
    return numbers.reshape(columns.shape), list(number)

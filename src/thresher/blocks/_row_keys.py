"""Rows by their values: keys that equal rows share whatever they came in."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
from scipy import sparse

from thresher._utils.checks import is_missing
from thresher.blocks._protocol import RowBlock
from thresher.data import is_frame, unmasked

Keys = npt.NDArray[np.uint64]

MISSING = np.uint64(np.array(np.nan).view(np.uint64))


def row_keys(block: RowBlock) -> Keys:
    """Two words for each row, made of its values, its target and its weight."""
    first, second = np.zeros((2, block.X.shape[0]), dtype=np.uint64)
    for place, column in enumerate(_values_of(block)):
        words = _mixed(_bits(column) + np.uint64((2 * place + 1) * 0x9E3779B97F4A7C15 % 2**64))
        first += words
        words ^= words >> np.uint64(32)
        words *= np.uint64(0xD1B54A32D192ED03)
        second += words
    return np.stack([first, second], axis=1)


def fingerprint(keys: Keys) -> list[int]:
    """The same for the same rows in any order; keys are mixed first, as they are sums over columns themselves."""
    found: list[int] = _mixed(keys).sum(axis=0).tolist()
    return found


def _values_of(block: RowBlock) -> Iterator[npt.NDArray[Any]]:
    """The columns of X, the target and the weights, one after the other."""
    X = unmasked(block.X)
    if is_frame(X):
        frame = nw.from_native(X, eager_only=True)
        yield from (_array(frame[:, place]) for place in range(frame.shape[1]))
    elif sparse.issparse(X):
        columns = X.tocsc()
        for place in range(columns.shape[1]):
            yield columns[:, [place]].toarray().ravel()
    else:
        yield from np.asarray(X).T
    for values in (block.y, block.weights):
        if values is not None:
            series = nw.from_native(values, series_only=True, pass_through=True)
            yield _array(series) if isinstance(series, nw.Series) else np.asarray(values)


def _array(column: Any) -> npt.NDArray[Any]:
    if column.dtype.is_numeric() or column.dtype == nw.Boolean:
        return np.asarray(column.to_numpy())
    return np.array(column.to_list(), dtype=object)


def _bits(values: npt.NDArray[Any]) -> Keys:
    """A word for each value: equal numbers have equal words whatever their type, and so have equal texts."""
    if values.dtype.kind in "iu" and values.dtype.itemsize == 8:
        exact = values.astype(np.float64)
        large = np.abs(exact) >= 2.0**53
        words = (exact + 0.0).view(np.uint64)
        return np.where(large, _mixed(values.view(np.uint64)), words)
    if values.dtype.kind in "biuf":
        numbers = values.astype(np.float64) + 0.0  # one zero
        numbers[np.isnan(numbers)] = np.nan  # and one NaN
        return numbers.view(np.uint64)
    given = values.tolist()
    word_of = {value: _word(value) for value in set(given)}
    return np.array([word_of[value] for value in given], dtype=np.uint64)


def _word(value: Any) -> np.uint64:
    if is_missing(value):
        return MISSING
    if isinstance(value, int | float | np.number | np.bool_):
        number = np.array([value])
        if number.dtype != object:  # which holds whole numbers of any size
            return np.uint64(_bits(number)[0])
    digest = blake2b(str(value).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return np.uint64(int.from_bytes(digest, "little"))


def _mixed(words: Keys) -> Keys:
    """Every bit of the result depends on every bit of the word."""
    words = words ^ (words >> np.uint64(30))
    words *= np.uint64(0xBF58476D1CE4E5B9)
    words ^= words >> np.uint64(27)
    words *= np.uint64(0x94D049BB133111EB)
    words ^= words >> np.uint64(31)
    return words

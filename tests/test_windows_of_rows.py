"""Windows that slide over rows of any kind: at any time the selection equals that of a fit on the rows inside."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from tests.blocks_of_rows import COLUMNS, assert_same, frames
from tests.examples import examples
from thresher import (
    CFS,
    CMIM,
    FCBF,
    JMI,
    MIM,
    MRMR,
    NMIFS,
    RFS,
    Ensemble,
    Univariate,
)

CONTINUOUS = ("normal", "tiny", "large")
COUNTING = {
    "MRMR": MRMR(3, relevance="mi"),
    "NMIFS": NMIFS(3, discretize="equal-width"),
    "CFS": CFS(discretize="mean-sd"),
    "FCBF": FCBF(discretize="equal-frequency"),
    "JMI": JMI(3),
    "CMIM": CMIM(3, discretize="equal-frequency"),
    "MIM": MIM(3, discretize="equal-width"),
    "fast": Ensemble(MRMR(3, relevance="mi"), 3),
}
OF_NUMBERS = {
    "MRMR of numbers": MRMR(3, relevance="r2"),
    "Univariate": Univariate(3),
    "RFS": RFS(3, relevance="f"),
    "variance": RFS(3, relevance="variance"),
}
SELECTORS = {**COUNTING, **OF_NUMBERS}


def sliding(selector, X, y, window, step):
    """Move a window over the rows: the selector at each position, with the rows inside."""
    for end in range(step, len(y) + 1, step):
        selector.partial_fit(X[end - step : end], y[end - step : end])
        start = max(end - window, 0)
        if end > window:
            selector.forget(X[start - step : start], y[start - step : start])
        yield X[start:end], y[start:end]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", SELECTORS)
def test_a_window_slides_over_continuous_floats(name, dtype):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 5)).astype(dtype)
    y = (X[:, 0] + rng.normal(size=120) > 0).astype(int)
    selector = clone(SELECTORS[name])
    for rows in sliding(selector, X, y, window=30, step=10):
        assert_same(clone(selector).fit(*rows), selector)


@pytest.mark.parametrize("name", SELECTORS)
def test_floats_of_which_doubles_skip_every_other_one(name):
    rng = np.random.default_rng(1)
    steps = rng.integers(0, 5, (60, 3))
    steps[30:] = np.minimum(steps[30:], 3)
    X, y = 2.0**53 + 2 * steps, (steps[:, 0] + rng.integers(-1, 2, 60) > 2).astype(int)
    selector = clone(SELECTORS[name]).partial_fit(X[:30], y[:30]).partial_fit(X[30:], y[30:])
    assert_same(clone(selector).fit(X, y), selector)


def part_of(X, rows):
    return X.iloc[rows] if isinstance(X, pd.DataFrame) else X[rows]


def leaving(rng, window):
    """Return rows that leave: the oldest, the newest, some in any order, all, or none."""
    n = rng.integers(0, len(window) + 1)
    kinds = (window[:n], window[n:][::-1], rng.permutation(window)[:n], window, window[:0])
    return kinds[rng.integers(len(kinds))]


@pytest.mark.parametrize("name", SELECTORS)
@examples(30)
@given(
    data=st.one_of(frames(CONTINUOUS, max_rows=60), frames(COLUMNS, max_rows=60)),
    dtypes=st.sampled_from([None, ["f8"], ["f4"], ["f4", "f8"]]),
)
@pytest.mark.filterwarnings("ignore")
def test_rows_of_any_kind_come_and_go(name, data, dtypes):
    X, ends, rng = data
    X["time"] = rng.normal(size=len(X))  # no two rows are alike
    if dtypes is not None or name in OF_NUMBERS:
        X = X.select_dtypes(["number", "bool"])
    if dtypes is not None:
        X = X.to_numpy(dtypes[0]).astype("f8")
    y = rng.integers(0, 3, len(X))
    selector, window = clone(SELECTORS[name]), np.empty(0, dtype=np.intp)
    for i, rows in enumerate(np.split(np.arange(len(X)), sorted(ends))):
        new = part_of(X, rows)
        selector.partial_fit(
            new if dtypes is None else new.astype(dtypes[i % len(dtypes)]), y[rows]
        )
        window = np.concatenate([window, rows])
        gone = leaving(rng, window)
        selector.forget(part_of(X, gone), y[gone])
        window = window[~np.isin(window, gone)]
        compare(selector, part_of(X, window), y[window])


def compare(changing, X, y):
    """Compare with a fit on the rows, where one is possible."""
    try:
        fitted = clone(changing).fit(X, y)
    except ValueError:
        with pytest.raises(ValueError):
            _ = changing.selected_
        return
    assert_same(fitted, changing)

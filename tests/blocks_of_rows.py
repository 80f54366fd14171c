"""Rows split into blocks, for the tests of selection from blocks."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from sklearn.base import clone

from thresher.blocks import ListEngine, RowBlock


def in_blocks(X, y=None, weights=None, ends=()):
    """Return a backend of the rows, split at `ends`. Equal ends make empty blocks."""
    take = (lambda rows: X.iloc[rows]) if isinstance(X, pd.DataFrame) else (lambda rows: X[rows])
    n = len(X) if isinstance(X, pd.DataFrame) else X.shape[0]
    return ListEngine(
        [
            RowBlock(
                take(rows),
                None if y is None else y[rows],
                None if weights is None else weights[rows],
            )
            for rows in np.split(np.arange(n), sorted(ends))
        ]
    )


def both(selector, X, y=None, weights=None, ends=()):
    """Fit the selector on all rows at once, and on blocks of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        memory = clone(selector)
        memory.fit(X, y) if weights is None else memory.fit(X, y, weights)
        return memory, clone(selector).fit(in_blocks(X, y, weights, ends))


def assert_same(memory, blocks):
    """Check that both selected the same features, with the same bits and the same cut points."""
    assert blocks.selected_.tolist() == memory.selected_.tolist()
    for name in ("relevance_", "scores_", "redundancy_", "ranking_", "support_"):
        np.testing.assert_array_equal(getattr(blocks, name), getattr(memory, name), err_msg=name)
    if hasattr(memory, "bins_"):
        assert repr(blocks.bins_) == repr(memory.bins_)
        for one, other in zip(blocks.bins_.cuts, memory.bins_.cuts, strict=True):
            np.testing.assert_array_equal(one, other)


@st.composite
def split_rows(draw, max_rows=40):
    """Draw a number of rows and the ends of blocks, which may be empty or have one row."""
    n = draw(st.integers(6, max_rows))
    return n, draw(st.lists(st.integers(0, n), max_size=6))


COLUMNS = ("normal", "few", "many", "text", "truth", "constant", "tiny", "large", "category")


@st.composite
def frames(draw, kinds=COLUMNS, missing=False, max_rows=40):
    """Draw a frame of mixed columns and the ends of blocks. Return also a generator for the rest."""
    n, ends = draw(split_rows(max_rows))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=2, max_size=8))
    columns = {}
    for i, kind in enumerate(chosen):
        columns[f"{kind} {i}"] = _column(rng, kind, n)
    columns["base"] = rng.normal(size=n).round(2)
    frame = pd.DataFrame(columns)
    if missing:
        for name in list(frame.columns)[:-1]:
            if rng.random() < 0.5:
                if frame[name].dtype == bool:
                    frame[name] = frame[name].astype(object)
                frame.loc[rng.random(n) < 0.2, name] = (
                    None if frame[name].dtype == object else np.nan
                )
    return frame, ends, rng


def _column(rng, kind, n):
    if kind == "few":
        return rng.integers(-2, 3, n)
    if kind == "many":
        return rng.integers(0, 30, n)
    if kind == "text":
        return np.array(["red", "green", "blue", ""], dtype=object)[rng.integers(0, 4, n)]
    if kind == "category":
        return pd.Categorical.from_codes(rng.integers(0, 3, n), ["c", "a", "b", "unused"])
    if kind == "truth":
        return rng.random(n) < 0.3
    if kind == "constant":
        return np.full(n, 2.5)
    values = rng.normal(size=n)
    return {"normal": values, "tiny": values * 1e-7 + 1e3, "large": (values * 1e9).astype("f4")}[
        kind
    ]

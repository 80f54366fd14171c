"""Equal-frequency cuts from blocks of rows equal those of all rows at once, for any numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.blocks_of_rows import assert_same, both, frames, in_blocks, split_rows
from tests.examples import examples
from tests.test_blocks import draw_weights, target
from thresher import JMI, MRMR, EqualFrequencyBins
from thresher.blocks import coding as frequency
from thresher.blocks.coding import frequency_cuts
from thresher.blocks.engine import Session
from thresher.blocks.rows import RowReader


def cuts_of_blocks(X, n_bins, ends=(), weights=None):
    """Return the cuts of every column, and the passes they took."""
    used = np.ones(len(X)) if weights is None else weights
    known = []
    for column in X.T:
        present = ~np.isnan(column) & (used > 0)
        values = column[present].astype(np.float64)
        some = (values.min(), values.max()) if len(values) else (np.nan, np.nan)
        known.append((*some, int(used[present].sum())))
    session = Session(in_blocks(X, None, weights, ends), None)
    reader = RowReader("test", None, None, False, False)
    return frequency_cuts(session, reader, n_bins, dict(enumerate(known))), session.n_passes


def assert_cuts_of_memory(X, n_bins, ends=(), weights=None):
    expected = EqualFrequencyBins(n_bins).fit(X, None, weights).cuts_
    found, n_passes = cuts_of_blocks(X, n_bins, ends, weights)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)
    return n_passes


@pytest.mark.parametrize(
    ("blocks", "n_bins", "cuts"),
    [
        ([(1, 2, 2), (3, 10)], 2, [2.5]),
        ([(1, 2, 2, 2), (3, 10), (11, 12)], 4, [1.5, 2.5, 10.5]),
        ([(1, 2, 2, 2, 2), (2, 3, np.nan)], 4, [1.5, 2.5]),
    ],
)
def test_cuts_worked_by_hand(blocks, n_bins, cuts):
    values = np.concatenate([np.array(block, dtype=float) for block in blocks])
    found, _ = cuts_of_blocks(values[:, None], n_bins, np.cumsum([len(b) for b in blocks])[:-1])
    assert found[0].tolist() == cuts


def columns(rng, n):
    """Return columns whose quantiles are hard: ties, holes, and numbers of every size."""
    cauchy = rng.standard_cauchy(n)
    sizes = 10.0 ** rng.uniform(-300, 300, n) * rng.choice([-1, 1], n)
    holes = np.where(rng.random(n) < 0.3, np.nan, rng.normal(size=n))
    return {
        "normal": rng.normal(size=n),
        "ties": rng.integers(0, 12, n) * 1.0,
        "mostly one value": np.where(rng.random(n) < 0.9, 7.0, rng.normal(size=n)),
        "missing": holes,
        "cauchy cubed": cauchy**3,
        "every size": sizes,
        "subnormal": rng.integers(0, 40, n) * 5e-324,
        "around 1e300": 1e300 * rng.random(n),
        "small noise": 1e6 + 1e-9 * rng.normal(size=n),
        "signed zeros": rng.choice([-0.0, 0.0, -1e-310, 1e-310], n),
        "steps": np.repeat(rng.normal(size=n // 10 + 1), 10)[:n],
        "constant": np.full(n, 3.5),
        "neighbours": 1.0 + rng.integers(0, 50, n) * 2.0**-52,
    }


@pytest.mark.parametrize("few", [0, 30, 4096])
@pytest.mark.parametrize("n_bins", [2, 8, 255])
def test_hard_columns_have_the_cuts_of_memory(monkeypatch, n_bins, few):
    monkeypatch.setattr(frequency, "FEW_VALUES", few)
    rng = np.random.default_rng([n_bins, few])
    X = np.column_stack(list(columns(rng, 6000).values()))
    for ends in ([], [1, 1, 3000]):
        n_passes = assert_cuts_of_memory(X, n_bins, ends)
        if few == 4096:
            assert n_passes <= 6


def test_float32_and_whole_weights_have_the_cuts_of_memory():
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.normal(size=5000), rng.standard_cauchy(5000)]).astype(np.float32)
    assert_cuts_of_memory(X, 8, [100, 2000])
    weights = rng.integers(0, 5, 5000)
    assert_cuts_of_memory(X, 8, [100, 2000], weights)
    assert_cuts_of_memory(X.astype(np.float64), 5, [0, 4999], weights)


@examples(60)
@given(
    split=split_rows(60),
    values=st.lists(st.floats(allow_infinity=False, width=64), min_size=60, max_size=60),
    n_bins=st.integers(2, 10),
    few=st.sampled_from([0, 5, 4096]),
    weighted=st.booleans(),
)
def test_any_numbers_have_the_cuts_of_memory(split, values, n_bins, few, weighted):
    n, ends = split
    X = np.array(values[:n])[:, None]
    weights = np.random.default_rng(n).integers(1, 4, n) if weighted else None
    before = frequency.FEW_VALUES
    try:
        frequency.FEW_VALUES = few
        assert_cuts_of_memory(X, n_bins, ends, weights)
    finally:
        frequency.FEW_VALUES = before


@examples(25)
@given(
    data=frames(missing=True),
    kind=st.sampled_from(["text", "number"]),
    weighted=st.booleans(),
    n_bins=st.integers(2, 9),
)
def test_selections_have_the_bits_of_memory(data, kind, weighted, n_bins):
    frame, ends, rng = data
    weights = draw_weights(rng, len(frame), "whole" if weighted else "none")
    y = target(rng, frame, kind)
    rule = f"equal-frequency:{n_bins}"
    assert_same(
        *both(MRMR(4, relevance="mi", discretize=rule, missing="category"), frame, y, weights, ends)
    )
    assert_same(
        *both(
            JMI(3, discretize=EqualFrequencyBins(n_bins), missing="category"),
            frame,
            y,
            weights,
            ends,
        )
    )


def test_passes_do_not_depend_on_the_blocks():
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.normal(size=20000), rng.standard_cauchy(20000) ** 3])
    passes = {cuts_of_blocks(X, 8, ends)[1] for ends in ([], [10], [1, 1, 7000, 9000, 19999])}
    assert len(passes) == 1
    assert passes.pop() <= 4

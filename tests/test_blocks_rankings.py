"""Rankings of features from blocks of rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from tests.blocks_of_rows import assert_same, both, frames, in_blocks
from tests.examples import examples
from tests.measures import TESTED_WITH_CLASSES
from tests.test_blocks import NUMBERS, draw_weights, target
from thresher import JMI, MIM, MRMR, RFS, RRFS, Univariate


@pytest.mark.parametrize("measure", TESTED_WITH_CLASSES)
@examples(12)
@given(data=frames(NUMBERS), kind=st.sampled_from(["whole", "number"]), weighted=st.booleans())
def test_scores_and_pvalues_are_those_of_memory(measure, data, kind, weighted):
    frame, ends, rng = data
    weights = draw_weights(rng, len(frame), "whole" if weighted else "none")
    selector = Univariate(3, measure=measure, pvalues="analytic")
    memory, remote = both(selector, frame, target(rng, frame, kind), weights, ends)
    assert_same(memory, remote)
    assert remote.pvalues_.tolist() == memory.pvalues_.tolist()
    assert remote.corrected_pvalues_.tolist() == memory.corrected_pvalues_.tolist()


def test_correlations_of_numbers():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 6)), rng.normal(size=50)
    assert_same(*both(Univariate("auto", measure="pearson", alpha=0.5), X, y, None, [9, 9]))


WEIGHTS = {
    "equal and large": np.full(60, 1e300),
    "equal and tiny": np.full(60, 1e-300),
    "whole": np.full(60, 2**62),
    "counted": 2**44 + np.arange(60) % 4,
    "unsigned": np.full(60, 2**63, dtype=np.uint64),
    "objects": np.full(60, 10**30, dtype=object),
    "the largest": np.linspace(0.5, 1, 60) * 1.79e308,
    "denormal": np.linspace(0.5, 1, 60) * 1e-310,
    "some vanish": np.where(np.arange(60) % 4, 1e300, 1e-300),
    "one tiny block": np.where(np.arange(60) < 20, 1e-200, 1.5),
}


@pytest.mark.parametrize("selector", [Univariate(2, measure="f"), MRMR(2, relevance="r2")])
@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS)
def test_weights_of_any_size_count_as_in_memory(weights, selector):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
    memory, remote = both(selector, X, y, weights, ends=[20, 20, 45])
    assert_same(memory, remote)
    pieces = clone(selector)
    for rows in np.split(np.arange(60), [20, 45]):
        pieces.partial_fit(X[rows], y[rows], weights[rows])
    assert_same(memory, pieces)


SIZES = {
    "denormal": np.full(60, 5e-320),
    "tiny": np.full(60, 1e-160),
    "large": np.full(60, 1e150),
    "largest": np.full(60, 1.7e308),
    "by blocks": np.repeat([1e-310, 1.0, 1e300], 20),
}


@pytest.mark.parametrize(
    "selector",
    [
        Univariate(2),
        Univariate(2, measure="pearson"),
        Univariate(2, measure="mi", pvalues="analytic"),
        MRMR(2, relevance="mi"),
        MRMR(2, relevance="r2"),
        JMI(2, discretize="equal-frequency"),
        MIM(2, discretize="equal-width"),
    ],
    ids=repr,
)
@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_numbers_of_any_size_are_added_up_as_in_memory(sizes, selector):
    rng = np.random.default_rng(0)
    X = np.clip(rng.normal(size=(60, 4)), -2, 2) / 2
    labels = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
    X[:, :3] *= sizes[:, None]
    for y in (labels, X[:, 1] / 2 + X[:, 2] / 4):
        memory, remote = both(selector, X, y, ends=[20, 20, 40])
        assert_same(memory, remote)
        pieces = clone(selector)
        for rows in np.split(np.arange(60), [20, 40]):
            pieces.partial_fit(X[rows], y[rows])
        assert_same(memory, pieces)


@pytest.mark.parametrize("name", SIZES)
def test_variances_of_any_size_are_rejected_or_added_up_as_in_memory(name):
    X = np.clip(np.random.default_rng(0).normal(size=(60, 4)), -2, 2) / 2
    X[:, :3] *= SIZES[name][:, None]
    rows, selector = in_blocks(X, None, None, [20, 20, 40]), RFS(2, relevance="variance")
    if name != "large":
        for given in (X, rows):
            with pytest.raises(ValueError, match=r'"variance" (overflows|underflows to 0) for 3'):
                clone(selector).fit(given)
    else:
        assert_same(clone(selector).fit(X), clone(selector).fit(rows))


@pytest.mark.parametrize("relevance", ["variance", "f", "mi", "su", "r2"])
def test_relevance_filter_of_sums(relevance):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 9)) * 10.0 ** rng.integers(-3, 4, 9) + rng.integers(0, 50, 9)
    y = (X[:, 0] > np.median(X[:, 0])).astype(int)
    selector = RFS(relevance=relevance)
    memory = RFS(relevance=relevance).fit(X, y)
    remote = selector.fit(in_blocks(X, y, None, [0, 11, 12]))
    assert_same(memory, remote)
    assert remote.n_rounds_ == 0


def test_options_that_need_rows_are_rejected():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(30, 3)), rng.integers(0, 2, 30)
    rows = in_blocks(X, y, None, [9])
    with pytest.raises(ValueError, match='pvalues="permutation" needs all rows at once'):
        Univariate(2, measure="mi", pvalues="permutation").fit(rows)
    with pytest.warns(UserWarning, match="p-values of rows in blocks are analytic"):
        assert Univariate(2, measure="mi").fit(rows).pvalue_method_ == "analytic"
    with pytest.raises(ValueError, match='"spearman" needs all values of a column at once'):
        Univariate(2, measure="spearman").fit(rows)
    with pytest.raises(ValueError, match='relevance="mad" needs all values of a column'):
        RFS(relevance="mad").fit(rows)
    with pytest.raises(ValueError, match="RRFS needs all rows at once"):
        RRFS(2).fit(rows)
    frame = pd.DataFrame({"a": X[:, 0], "b": np.array(["x", "y"])[y]})
    with pytest.raises(ValueError, match="column 'b' contains categories"):
        Univariate(1).fit(in_blocks(frame, y))


def test_integers_of_every_width():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 60)
    for dtype in (bool, np.int8, np.uint8, np.int16, np.float32):
        X = (rng.integers(0, 2, (60, 4)) * 100).astype(dtype)
        if dtype == np.int8:
            X[X == 0] = -100  # their distance exceeds the range of the type
        assert_same(*both(Univariate(2, measure="mi", pvalues="analytic"), X, y, None, [7]))

"""Spearman from integer ranks, and the transposition of all continuous data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from tests.examples import examples
from tests.naive import measures_numeric as naive
from tests.test_moments import assert_same, features, tables
from thresher import _core

pytestmark = pytest.mark.kernels


@pytest.mark.parametrize("n", [2, 1860, 1861, 2048, 2049, 32768, 32769])
def test_spearman_is_exact_at_every_width(n):
    up = np.arange(n, dtype=float)
    rng = np.random.default_rng(n)
    shuffled = rng.permutation(n).astype(float)
    matrix = np.array([up, -up, up**3, shuffled, shuffled // 3])
    ranks = _core.doubled_ranks(matrix)
    assert ranks.dtype == (np.int16 if n <= 32768 else np.int32)
    assert (ranks[0] == 2 * np.arange(n) + 1 - n).all()
    assert (ranks.sum(axis=1) == 0).all()
    values = _core.RankPairMeasure(matrix).values(0, features(5))[:, 0]
    assert values[:3].tolist() == [1, 1, 1]
    centred = rankdata(matrix, axis=1) - (n + 1) / 2
    squares = (centred**2).sum(axis=1)
    expected = np.abs(centred @ centred[0]) / np.sqrt(np.maximum(squares, 0.5) * squares[0])
    np.testing.assert_allclose(values, np.where(expected >= 1e-12, expected, 0), atol=2e-12)


def test_spearman_beyond_sixty_four_bits():
    n = 3_100_000
    up = np.arange(n, dtype=np.float32)
    measure = _core.RankPairMeasure(np.array([up, -up]))
    assert measure.values(0, features(2))[:, 0].tolist() == [1, 1]
    assert measure.relevance_spearman(up.astype(float)).tolist() == [1, 1]


# Integers in all widths of ranks, and fractions.
weights_of_rows = st.sampled_from(
    [
        st.integers(0, 3),
        st.integers(0, 20_000),
        st.integers(0, 1 << 27),
        st.integers(0, 1 << 45),
        st.floats(0, 10),
        st.sampled_from([0.0, 1e-9, 1 / 3, 1.0, 1e9]),
    ]
)


@examples(200)
@given(tables, weights_of_rows, st.data())
def test_ranks_count_weights(matrix, sizes, data):
    n = matrix.shape[1]
    weights = np.array(data.draw(st.lists(sizes, min_size=n, max_size=n)), dtype=np.float64)
    target = matrix[0] * 2 + np.arange(n) % 3
    for given_weights in (None, weights):
        measure = _core.RankPairMeasure(matrix, weights=given_weights)
        of_target = [naive.spearman(a, target, given_weights) for a in matrix]
        assert_same(measure.relevance_spearman(target), of_target)
        of_first = [naive.spearman(a, matrix[0], given_weights) for a in matrix]
        assert_same(measure.values(0, features(len(matrix)))[:, 0], of_first)


REAL_DTYPES = [
    np.bool_,
    *(np.dtype(f"{kind}{size}").type for kind in "iu" for size in (1, 2, 4, 8)),
    np.float16,
    np.float32,
    np.float64,
]


@pytest.mark.parametrize("dtype", REAL_DTYPES)
def test_feature_major_of_any_dtype_and_layout(dtype):
    rng = np.random.default_rng(3)
    whole = (rng.normal(size=(300, 120)) * 50).astype(dtype)
    wide = np.dtype(dtype).itemsize > 2 and dtype is not np.float32
    layouts = [whole, np.asfortranarray(whole), whole[::2, ::3], whole[::-1, ::-1], whole[:, :1]]
    for X in layouts:
        X.flags.writeable = False
        out = _core.feature_major(X, 2)
        assert out.dtype == (np.float64 if wide else np.float32)
        assert out.flags.c_contiguous
        np.testing.assert_array_equal(out, X.T)
    order = rng.permutation(300)[:77].astype(np.uint32)
    np.testing.assert_array_equal(_core.feature_major(whole, 1, order), whole[order].T)


def test_half_precision_is_read_exactly():
    every = np.arange(2**16, dtype=np.uint16).view(np.float16).reshape(-1, 64)
    np.testing.assert_array_equal(_core.feature_major(every), every.T.astype(np.float32))


@pytest.mark.parametrize("n", [0, 1, 2, 50, 2048, 2049, 20_000])
def test_ascending_order_is_stable(n):
    rng = np.random.default_rng(n)
    ties = np.round(rng.normal(size=n), 1)
    signed = np.concatenate([[-0.0, 0.0, np.inf, -np.inf], rng.normal(size=n)])
    for values in (rng.random(n), ties, signed):
        assert _core.ascending(values).tolist() == np.argsort(values, kind="stable").tolist()
    with pytest.raises(ValueError, match="must not be NaN"):
        _core.ascending(np.append(ties, np.nan))

"""FCBF through its public interface."""

from __future__ import annotations

import numpy as np
import pytest

from thresher import FCBF, ThresherWarning

from .naive.fcbf import fcbf
from .test_cfs import X, Y, random_problem, tables


def test_worked_example():
    selector = FCBF().fit(X, Y)
    assert selector.selected_.tolist() == [5, 0]
    assert selector.n_evaluations_ == 6
    np.testing.assert_allclose(
        selector.scores_[[5, 0]], [0.601195525902, 0.458065285644], atol=1e-12
    )
    assert "redundant with feature 0" in selector.reason(1)
    assert selector.reason(3).startswith("irrelevant")  # of ten samples that says little
    assert selector.reason(4) == "constant"
    many = FCBF().fit(np.repeat(X, 10, axis=0), np.repeat(Y, 10))
    assert "redundant with feature 5" in many.reason(3)


def test_agrees_with_the_definition_on_random_problems():
    for seed in range(100):
        X, y, varies = random_problem(seed)
        if not varies.any():
            continue
        relevance, redundancy = tables(X, y)
        for threshold in (0.0, 0.2):
            expected, n_pairs = fcbf(relevance, redundancy, threshold, candidates=varies)
            if not expected:
                with pytest.warns(ThresherWarning, match="above threshold"):
                    selector = FCBF(threshold).fit(X, y)
            else:
                selector = FCBF(threshold).fit(X, y)
            assert selector.selected_.tolist() == expected
            assert selector.n_evaluations_ == n_pairs


def test_a_deleted_feature_deletes_nothing():
    # x0 is nearly the class, x1 nearly x0 and x2 nearly x1: x0 deletes x1, and only x1 would delete x2.
    for seed in range(200):
        rng = np.random.default_rng(seed)
        y = np.repeat([0, 1], 20)
        x0 = np.where(rng.random(40) < 0.1, 1 - y, y)
        x1 = np.where(rng.random(40) < 0.15, 1 - x0, x0)
        x2 = np.where(rng.random(40) < 0.15, 1 - x1, x1)
        data = np.column_stack([x0, x1, x2])
        relevance, redundancy = tables(data, y)
        falling = relevance[0] > relevance[1] > relevance[2] > 0
        if (falling and redundancy[0][1] >= relevance[1] and redundancy[0][2] < relevance[2]
                and redundancy[1][2] >= relevance[2]):  # fmt: skip
            assert FCBF().fit(data, y).selected_.tolist() == [0, 2]
            return
    pytest.fail("no such case found")


def test_exact_duplicates_go_and_the_first_stays():
    data = np.column_stack([X[:, 5], X[:, 5], X[:, 0]])
    assert FCBF().fit(data, Y).selected_.tolist() == [0, 2]


@pytest.mark.parametrize(("name", "kept", "pairs"), [("colon", 9, 2645), ("lymphoma", 986, 906551)])
def test_counts_on_real_data(load_real, name, kept, pairs):
    data, y = load_real(name)
    selector = FCBF().fit(data, y)
    assert (len(selector.selected_), selector.n_evaluations_) == (kept, pairs)
    if name == "colon":
        assert selector.selected_.tolist() == [764, 512, 1581, 1411, 1971, 414, 1380, 142, 285]


def test_real_data_agree_with_the_definition(load_real):
    data, y = load_real("lung_small")
    codes = data[:, 100:140].astype(int) // 2 + 1
    expected, n_pairs = fcbf(*tables(codes, np.unique(y, return_inverse=True)[1]))
    selector = FCBF().fit(data[:, 100:140], y)
    assert selector.selected_.tolist() == expected
    assert selector.n_evaluations_ == n_pairs


def test_a_requested_number_ends_the_walk_early():
    with pytest.warns(ThresherWarning, match="selected 2 of 3"):
        assert FCBF(n_features_to_select=3).fit(X, Y).selected_.tolist() == [5, 0]
    assert FCBF(n_features_to_select=1).fit(X, Y).selected_.tolist() == [5]


def test_kept_features_are_not_deleted():
    assert FCBF(keep=[3]).fit(X, Y).selected_.tolist()[0] == 3


def test_a_negative_threshold_is_rejected():
    with pytest.raises(ValueError, match="threshold must be a number of at least 0, got -1"):
        FCBF(-1).fit(X, Y)

"""NMIFS through its public interface."""

from __future__ import annotations

import math

import numpy as np
from sklearn.datasets import load_wine

from thresher import MRMR, NMIFS

from .naive.mrmr import mrmr
from .naive.rounding import round_grid
from .test_cfs import random_problem, tables
from .test_rrct import X as EXAMPLE_X
from .test_rrct import Y as EXAMPLE_Y


def three_states(X):
    """Return codes by cuts at mean -+ sd, as in the worked examples."""
    return (X.mean(axis=0) - X.std(axis=0) < X) * 1 + (X.mean(axis=0) + X.std(axis=0) < X)


def test_worked_example_in_nats():
    y = EXAMPLE_Y.astype(int)
    selector = NMIFS(5, target="nominal").fit(three_states(EXAMPLE_X), y)
    assert selector.selected_.tolist() == [4, 0, 2, 3, 1]
    scores = [0.620687, 0.312255, 0.224037, 0.063900, 0.027513]
    np.testing.assert_allclose(selector.scores_[selector.selected_], scores, atol=5e-7)


def test_its_relatives_are_settings_of_mrmr():
    codes, y = three_states(EXAMPLE_X), EXAMPLE_Y.astype(int)
    mifs = MRMR(5, target="nominal", objective="sum", redundancy_weight=0.5).fit(codes, y)
    assert mifs.selected_.tolist() == [4, 0, 2, 3, 1]
    scores = [0.895462, 0.585475, 0.350978, -0.096753, -0.482229]
    np.testing.assert_allclose(mifs.scores_[mifs.selected_], scores, atol=5e-7)
    plain = MRMR(5, target="nominal").fit(codes, y)
    scores = [0.895462, 0.475489, 0.350978, 0.125815, 0.106617]
    np.testing.assert_allclose(plain.scores_[plain.selected_], scores, atol=5e-7)
    ranks = MRMR(5, relevance="spearman", redundancy="spearman", target="numeric")
    ranks.fit(EXAMPLE_X, EXAMPLE_Y)
    assert ranks.selected_.tolist() == [4, 3, 2, 1, 0]
    scores = [0.592484, 0.024918, -0.181299, -0.249030, -0.392442]
    np.testing.assert_allclose(ranks.scores_[ranks.selected_], scores, atol=5e-7)


def test_unit_is_nats():
    X, y = load_wine(return_X_y=True)
    assert NMIFS(3).fit(X, y).selected_.tolist() == [6, 0, 11]


def test_agrees_with_the_definition_on_random_problems():
    for seed in range(60):
        X, y, varies = random_problem(seed)
        if not varies.any():
            continue
        bits, _ = tables(X, y, "mi")
        relevance = [round_grid(value * math.log(2)) for value in bits]
        redundancy = tables(X, y, "nmi")[1]
        k = int(varies.sum())
        expected, scores, _ = mrmr(relevance, redundancy, k, candidates=varies)
        for strategy in ("lazy", "scan", "naive"):
            selector = NMIFS(k, strategy=strategy).fit(X, y)
            assert selector.selected_.tolist() == expected
            assert selector.scores_[expected].tolist() == scores

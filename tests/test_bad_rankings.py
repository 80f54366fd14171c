"""Data that no filter or ranking can use raise a one-line error and leave the selector unchanged."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from thresher import (
    RFS,
    RRFS,
    S3F,
    SFSLW,
    SPEC,
    SVMRFE,
    Chain,
    FisherScore,
    LaplacianScore,
    MultiSURF,
    Relief,
    ReliefF,
    ThresherWarning,
    Univariate,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 6))
Y = np.arange(40) % 2
UNSUPERVISED = [RFS(), RRFS(), LaplacianScore(), SPEC()]
SUPERVISED = [
    RFS(relevance="fisher"),
    RRFS(relevance="mi"),
    FisherScore(),
    ReliefF(),
    Relief(),
    MultiSURF(),
    SVMRFE(),
    Univariate(),
    SFSLW(),
    S3F(),
    Chain([RFS(), FisherScore()]),
]


def with_value(value):
    bad = X.copy()
    bad[7, 3] = value
    return bad


@pytest.mark.parametrize("selector", [*UNSUPERVISED, *SUPERVISED], ids=repr)
@pytest.mark.parametrize(
    ("data", "words"),
    [
        (np.empty((0, 6)), r"0 sample"),
        (np.empty((40, 0)), r"0 feature"),
        (X[:1], r"one sample|1 sample"),
        (np.full((40, 3), 0.1), r"no column of X varies"),
        (with_value(np.nan), r"column 3 .*NaN in 1 of 40"),
        (with_value(np.inf), r"column 3 .*inf"),
        (X + 1j, r"[Cc]omplex"),
    ],
)
def test_data_that_cannot_be_used(selector, data, words):
    selector = clone(selector)
    with pytest.raises(ValueError, match=words):
        selector.fit(data, Y[: len(data)])
    assert not hasattr(selector, "selected_")


@pytest.mark.parametrize("selector", SUPERVISED, ids=repr)
@pytest.mark.parametrize(
    ("y", "words"),
    [
        (np.zeros(40, int), r"one class"),
        (Y[:-1], r"40 and 39"),
        (None, r"y"),
        (np.where(Y == 1, np.nan, 0.0), r"y contains NaN"),
    ],
)
def test_targets_that_cannot_be_used(selector, y, words):
    with pytest.raises(ValueError, match=words):
        selector.fit(X, y)


@pytest.mark.parametrize(
    "selector",
    [FisherScore(), Relief(), MultiSURF(), SVMRFE(), SFSLW()],
    ids=repr,
)
def test_selectors_for_classes_reject_numbers(selector):
    with pytest.raises(ValueError, match=r"needs classes, but y is continuous.*MRMR, ReliefF"):
        selector.fit(X, X[:, 0])


@pytest.mark.parametrize(
    "selector",
    [
        RFS(50),
        FisherScore(50),
        LaplacianScore(50),
        SPEC(50),
        ReliefF(50),
        SVMRFE(50),
        Univariate(50),
        SFSLW(50),
    ],
    ids=repr,
)
def test_too_many_features_select_all_with_one_warning(selector):
    data = np.column_stack([X, np.full(40, 0.1)])
    with pytest.warns(ThresherWarning) as found:
        selector.fit(data, Y)
    assert [str(w.message)[:40] for w in found] == ["n_features_to_select=50, but only 6 feat"]
    assert sorted(selector.selected_.tolist()) == list(range(6))


@pytest.mark.parametrize("selector", [*UNSUPERVISED, *SUPERVISED], ids=repr)
@pytest.mark.filterwarnings("ignore")
def test_two_columns_are_enough(selector):
    assert selector.fit(X[:, :2], Y).n_features_in_ == 2


@pytest.mark.parametrize("selector", [*UNSUPERVISED, *SUPERVISED], ids=repr)
@pytest.mark.filterwarnings("ignore")
def test_read_only_and_strided_arrays_are_read_as_they_are(selector):
    wide = np.repeat(X, 2, axis=1)
    wide.setflags(write=False)
    strided = wide[:, ::2]
    assert selector.fit(strided, Y).selected_.tolist() == selector.fit(X, Y).selected_.tolist()

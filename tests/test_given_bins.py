"""Bins at given cuts: the codes and the selection of the rule that learnt the cuts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_wine

from thresher import JMI, MRMR, EqualFrequencyBins, GivenBins, Univariate


def random_columns(seed, n=200, p=8):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    X = rng.normal(size=(n, p)) + y[:, None] * np.linspace(0, 2, p)
    X[rng.random((n, p)) < 0.3] = 0.0
    X[:, 0] = rng.integers(0, 4, n)
    return X, y


@pytest.mark.parametrize("rule", ["mean-sd", "equal-frequency:5", "mdl"])
@pytest.mark.parametrize("container", [np.asarray, np.asfortranarray, sparse.csc_matrix])
def test_cuts_of_another_fit_give_its_selection(rule, container):
    for seed in range(10):
        X, y = random_columns(seed)
        X = container(X)
        for selector in (
            MRMR(4, relevance="mi"),
            JMI(4),
            Univariate(4, measure="chi2", pvalues="analytic"),
        ):
            learnt = clone(selector).set_params(discretize=rule).fit(X, y)
            binned = np.flatnonzero(learnt.bins_.is_binned)
            cuts = dict(zip(binned.tolist(), learnt.bins_.cuts, strict=True))
            given = clone(selector).set_params(discretize=GivenBins(cuts)).fit(X, y)
            assert given.selected_.tolist() == learnt.selected_.tolist()
            assert np.array_equal(given.relevance_, learnt.relevance_)
            assert given.bins_.is_binned.tolist() == learnt.bins_.is_binned.tolist()
            for a, b in zip(given.bins_.cuts, learnt.bins_.cuts, strict=True):
                assert np.array_equal(a, b)


def test_empty_bins_are_left_out():
    X = np.array([[0.0], [1.0], [5.0], [np.nan]])
    bins = GivenBins([[-3.0, 0.5, 2.0, 3.0, 9.0]]).fit(X)
    assert bins.cuts_[0].tolist() == [0.5, 3.0]
    assert bins.transform(X).ravel().tolist() == [0, 1, 2, 255]
    with_weights = GivenBins([[0.5, 2.0]]).fit(X, sample_weight=[1, 0, 1, 1])
    assert with_weights.cuts_[0].tolist() == [2.0]
    assert GivenBins([[]]).fit(X).n_bins_.tolist() == [1]


def test_cuts_go_by_name_and_leave_the_others_as_they_are():
    X, y = load_wine(return_X_y=True, as_frame=True)
    X["size"] = pd.Categorical(np.where(X["alcohol"] > 13, "large", "small"))
    some = {"flavanoids": [1.0, 2.0, 3.0], "proline": [700.0]}
    selector = MRMR(3, relevance="mi", discretize=GivenBins(some))
    fitted = selector.fit(X[["size", "proline", "flavanoids"]], y)
    assert fitted.bins_.is_binned.tolist() == [False, True, True]
    assert [cuts.tolist() for cuts in fitted.bins_.cuts] == [[700.0], [1.0, 2.0, 3.0]]
    coded = X[["size", "proline", "flavanoids"]].assign(
        proline=(X["proline"] > 700).astype(int), flavanoids=np.digitize(X["flavanoids"], [1, 2, 3])
    )
    assert MRMR(3).fit(coded, y).selected_.tolist() == fitted.selected_.tolist()


@pytest.mark.parametrize(
    ("cuts", "words"),
    [
        ([[1.0]], "cuts contains those of 1 features, but X has 2"),
        ([[1.0], None], "cuts has none for feature 1"),
        ([[1.0], [2.0, 1.0]], "cuts of feature 1 must be ascending"),
        ([[1.0], [np.nan]], "cuts of feature 1 must be ascending"),
        ([[1.0], "soon"], "cuts of feature 1 must be ascending"),
        ([[1.0], np.arange(300.0)], "are 300, but at most 254"),
        ({5: [1.0]}, "has the position 5, but X has 2"),
        ({0: [1.0], -2: [1.0]}, "Remove one of them"),
        ("mean-sd", "must be a list with the cuts"),
        (7, "must be a list with the cuts"),
    ],
)
def test_wrong_cuts_are_reported(cuts, words):
    with pytest.raises(ValueError, match=words):
        GivenBins(cuts).fit(np.ones((3, 2)))


def test_cuts_of_categories_and_of_unknown_names_are_reported():
    X = pd.DataFrame({"sex": ["m", "f", "m"], "age": [1.0, 2.0, 3.5]})
    with pytest.raises(ValueError, match="column 'sex', which contains categories"):
        MRMR(1, relevance="mi", discretize=GivenBins({"sex": [0.5]})).fit(X, [0, 1, 0])
    with pytest.raises(ValueError, match="'agee', which X does not have; did you mean 'age'"):
        MRMR(1, relevance="mi", discretize=GivenBins({"agee": [0.5]})).fit(X, [0, 1, 0])


def test_the_bins_of_a_fit_can_be_given_as_a_transformer():
    X = load_wine().data
    learnt = EqualFrequencyBins(5).fit(X)
    assert np.array_equal(
        GivenBins(learnt.cuts_).fit(X[:20]).set_params(cuts=learnt.cuts_).fit_transform(X),
        learnt.transform(X),
    )

"""Arrays of the array API standard, with scikit-learn's dispatch on."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

from tests.test_sklearn import SELECTORS
from thresher import MRMR, RFS, EqualFrequencyBins, Univariate, measures
from thresher.evaluate import nested_score, probe_fdr, redundancy_map, select_k

xp = pytest.importorskip("array_api_strict")

X, Y = (values[50:] for values in load_iris(return_X_y=True))
WEIGHT = np.arange(100) % 3
A, B, W = (xp.asarray(values) for values in (X, Y, WEIGHT))


@pytest.fixture(autouse=True)
def dispatch(monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    with config_context(array_api_dispatch=True):
        yield


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_selectors_give_the_result_of_numpy_arrays(selector):
    selector = clone(selector)
    if "random_state" in selector.get_params():
        selector.set_params(random_state=0)
    found, wanted = clone(selector).fit(A, B), clone(selector).fit(X, Y)
    np.testing.assert_array_equal(found.selected_, wanted.selected_)
    reduced = found.transform(A)
    np.testing.assert_array_equal(reduced, wanted.transform(X))
    if reduced.shape[1]:
        again = found.inverse_transform(xp.asarray(reduced))
        np.testing.assert_array_equal(again, wanted.inverse_transform(reduced))


def test_weights_pieces_and_chunks_may_be_such_arrays():
    wanted = MRMR(2).fit(X, Y, WEIGHT)
    for found in (
        MRMR(2).fit(A, B, sample_weight=W),
        MRMR(2).partial_fit(A, B, W).partial_fit(A, B, W).forget(A, B, sample_weight=W),
    ):
        np.testing.assert_array_equal(found.scores_, wanted.scores_)
    chunks = RFS(2).fit_chunks(lambda: iter([A[:60, :], A[60:, :]]))
    assert chunks.selected_.tolist() == RFS(2).fit(X).selected_.tolist()


@pytest.mark.parametrize(
    "name", ["mutual_information", "pearson", "spearman", "f_statistic", "class_r_squared"]
)
def test_measures_take_such_arrays(name):
    measure = getattr(measures, name)
    wanted = measure(X[:, 0], Y, sample_weight=WEIGHT)
    assert measure(A[:, 0], B, sample_weight=W) == wanted


def test_bins_and_evaluations_take_such_arrays():
    np.testing.assert_array_equal(
        EqualFrequencyBins().fit_transform(A, B, W),
        EqualFrequencyBins().fit(A, B, W).transform(A),
    )
    selector, model = Univariate(2), GaussianNB()
    assert nested_score(selector, A, B, estimator=model, cv=2).scores.min() > 0.8
    assert select_k(selector, A, B, model, k=[1, 2], cv=2, random_state=0).k in (1, 2)
    assert probe_fdr({"u": selector}, A, B, n_repeats=2, random_state=0)
    assert redundancy_map(selector.fit(A, B), A)


class Tensor:
    """Rows in the layout of a PyTorch tensor."""

    __module__ = "torch"

    def __init__(self, values=None):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        if self.values is None:
            raise RuntimeError("Can't call numpy() on a tensor that requires grad")
        return self.values


def test_tensors_of_pytorch_are_read_by_the_conversion_of_pytorch():
    found = MRMR(2).fit(Tensor(X), Tensor(Y))
    assert found.selected_.tolist() == MRMR(2).fit(X, Y).selected_.tolist()
    np.testing.assert_array_equal(found.transform(Tensor(X)), found.transform(X))


@pytest.mark.parametrize(
    "use",
    [
        lambda: MRMR(2).fit(Tensor(), Y),
        lambda: MRMR(2).fit(X, Tensor()),
        lambda: MRMR(2).fit(X, Y, sample_weight=Tensor()),
        lambda: MRMR(2).partial_fit(Tensor(), Y),
        lambda: MRMR(2).fit(X, Y).transform(Tensor()),
        lambda: measures.pearson(Tensor(), Y),
    ],
    ids=["X", "y", "sample_weight", "partial_fit", "transform", "measure"],
)
def test_values_that_cannot_be_converted_are_rejected_in_one_line(use):
    words = r"array of torch cannot be read as a NumPy array: Can't call numpy\(\) .* Pass a NumPy array"
    with pytest.raises(ValueError, match=words):
        use()

"""Sparse data in every form, with weights, missing values, given bins and ensembles: the selection of dense data."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

import thresher
from thresher import CMIM, JMI, LCC, MRMR, SPEC, CMIFilter, Ensemble, LaplacianScore, Univariate

# SciPy on matrices of many diagonals.
pytestmark = pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")

MI = {"relevance": "mi", "redundancy": "mi"}
FORMS = [
    *("csr_matrix", "csc_matrix", "coo_matrix", "bsr_matrix", "dia_matrix", "lil_matrix"),
    *("csr_array", "csc_array", "coo_array", "bsr_array", "dia_array", "dok_array"),
]
SELECTORS = [
    *(MRMR(4, **MI), CMIM(4), CMIFilter(), LCC(), thresher.FCBF(), thresher.CFS()),
    Univariate(4, measure="su"),
]


@pytest.fixture(params=["lists", "planes"])
def kept_as(request, monkeypatch):
    if request.param == "lists":
        monkeypatch.setattr("thresher.measures._codes.DENSE_BYTES", 0)
    return request.param


def problem(seed=0, n=600, p=12, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X = (rng.random((n, p)) < 0.03) * rng.integers(1, 4, (n, p))
    y = (X[:, 2] + X[:, 6] + X[:, 9] + rng.normal(0, 0.3, n) > 0.5).astype(int)
    return X.astype(dtype), y, rng


def assert_same_choice(selector, X, y, S, **given):
    expected = clone(selector).fit(X, y, **given)
    found = clone(selector).fit(S, y, **given)
    assert len(expected.selected_) > 0
    assert found.selected_.tolist() == expected.selected_.tolist()
    np.testing.assert_array_equal(found.scores_, expected.scores_)
    return found


@pytest.mark.filterwarnings("ignore::thresher.ThresherWarning")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("selector", SELECTORS, ids=lambda s: type(s).__name__)
def test_every_form_gives_the_choice_of_dense_data(form, selector, kept_as):
    X, y, _ = problem()
    assert_same_choice(selector, X, y, getattr(sparse, form)(X))


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "i4", "f4"])
@pytest.mark.parametrize("selector", [LaplacianScore(affinity="cosine"), SPEC(affinity="product")])
def test_products_of_samples_are_those_of_doubles(selector, dtype):
    rng = np.random.default_rng(0)
    largest = np.iinfo(dtype).max if dtype != "f4" else 1e30
    X = (rng.random((40, 6)) * largest * (rng.random((40, 6)) < 0.7)).astype(dtype)
    wanted = selector.fit(X.astype(np.float64)).scores_
    for form in (np.array, sparse.csr_array, sparse.csc_matrix):
        np.testing.assert_allclose(selector.fit(form(X)).scores_, wanted, rtol=1e-9)


@pytest.mark.parametrize("rule", ["mean-sd", "equal-frequency", "equal-width", "mdl", "given"])
def test_columns_coded_some_at_a_time_are_the_same(rule, kept_as, monkeypatch):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((300, 40)) < 0.3, rng.normal(size=(300, 40)), 0)
    X[:, ::7] = np.round(X[:, ::7])  # some are not binned
    y = (X[:, 2] + X[:, 6] + X[:, 9] > 0).astype(int)
    cuts = {3: [0.1], 21: [-0.5, 0.5], 30: [0.0]}
    discretize = thresher.GivenBins(cuts) if rule == "given" else rule
    if rule == "given":
        without = [i for i in range(40) if i not in cuts]
        X[:, without] = np.round(X[:, without])
    selector = MRMR(6, **MI, discretize=discretize)
    at_once = assert_same_choice(selector, X, y, sparse.csc_matrix(X))
    monkeypatch.setattr("thresher.measures._codes._GROUP_ENTRIES", 1)  # then 300, for as many rows
    some = assert_same_choice(selector, X, y, sparse.csr_matrix(X))
    assert some.bins_.is_binned.tolist() == at_once.bins_.is_binned.tolist()
    for own, expected in zip(some.bins_.cuts, at_once.bins_.cuts, strict=True):
        assert own.tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float32"])
@pytest.mark.parametrize("wide", [False, True])
def test_values_and_indices_may_have_any_type(dtype, wide, kept_as):
    X, y, _ = problem(dtype=dtype)
    S = sparse.csr_array(X)
    if wide:
        S = sparse.csr_array(
            (S.data, S.indices.astype(np.int64), S.indptr.astype(np.int64)), shape=S.shape
        )
    assert_same_choice(JMI(4), X, y, S)


def test_stored_zeros_and_unsorted_indices_change_nothing(kept_as):
    X, y, rng = problem()
    S = sparse.csr_array(X)
    rows, columns = S.nonzero()
    at = rng.permutation(len(rows) + 50)
    rows = np.append(rows, np.arange(50))[at]
    columns = np.append(columns, np.zeros(50, dtype=columns.dtype))[at]
    values = np.append(S.data, np.zeros(50))[at]
    given = sparse.coo_array((values, (rows, columns)), shape=X.shape)
    assert_same_choice(JMI(4), X, y, given)
    unsorted = given.tocsr()
    unsorted.indices[:] = unsorted.indices
    unsorted.has_sorted_indices = False
    assert_same_choice(LCC(), X, y, unsorted)


@pytest.mark.filterwarnings("ignore::thresher.ThresherWarning")
@pytest.mark.parametrize("kind", ["fast", "full", "inner", "bagging", "halves"])
@pytest.mark.parametrize("form", ["csr_array", "coo_matrix", "dia_array"])
def test_every_kind_of_ensemble_takes_them(kind, form, kept_as):
    X, y, _ = problem(n=400)
    for selector in (MRMR(3, **MI), JMI(3)):
        ensemble = Ensemble(selector, kind=kind, n_parts=4, random_state=0)
        found = assert_same_choice(ensemble, X, y, getattr(sparse, form)(X))
        assert found.stability_ is not None


@pytest.mark.parametrize("selector", SELECTORS, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("kind", ["some none", "whole", "fractions"])
def test_weights_count_as_on_dense_data(selector, kind, kept_as):
    X, y, rng = problem()
    weights = {
        "some none": (rng.random(len(y)) < 0.8).astype(float),
        "whole": rng.integers(0, 4, len(y)),
        "fractions": rng.integers(0, 4, len(y)) * 0.37,
    }[kind]
    if kind == "fractions" and isinstance(selector, CMIFilter):
        with pytest.raises(ValueError, match="integer sample_weight"):
            clone(selector).fit(sparse.csr_array(X), y, sample_weight=weights)
        return
    if kind == "fractions" and isinstance(selector, LCC):  # sums of costs, to rounding
        both = [
            clone(selector).fit(given, y, sample_weight=weights)
            for given in (X, sparse.csr_array(X))
        ]
        assert both[0].selected_.tolist() == both[1].selected_.tolist()
        np.testing.assert_allclose(both[1].scores_, both[0].scores_, rtol=1e-12, atol=1e-15)
        return
    assert_same_choice(selector, X, y, sparse.csr_array(X), sample_weight=weights)


@pytest.mark.filterwarnings("ignore::thresher.ThresherWarning")
@pytest.mark.parametrize("missing", ["category", "pairwise", "drop_rows"])
def test_missing_values_are_treated_as_in_dense_data(missing, kept_as):
    X, y, rng = problem()
    X[rng.integers(0, len(X), 12), rng.integers(0, X.shape[1], 12)] = np.nan
    for form in ("csr_array", "csc_matrix", "coo_array"):
        S = getattr(sparse, form)(X)
        assert_same_choice(MRMR(4, **MI, missing=missing), X, y, S)
        if missing != "pairwise":
            assert_same_choice(LCC(missing="category"), X, y, S)
        with pytest.raises(ValueError, match="NaN"):
            MRMR(4, **MI).fit(S, y)


@pytest.mark.parametrize(
    "bins",
    [
        *("mean-sd", "equal-frequency", "equal-width", "mdl"),
        thresher.EqualFrequencyBins(4, keep_discrete=False),
        thresher.GivenBins({2: [0.5], 6: [0.5, 1.5]}),
    ],
    ids=repr,
)
def test_given_bins_are_those_of_dense_data(bins, kept_as):
    X, y, rng = problem()
    X[:, [2, 6]] *= rng.uniform(0.9, 1.1, (len(X), 2))
    for form in ("csr_array", "dia_matrix"):
        assert_same_choice(MRMR(4, **MI, discretize=bins), X, y, getattr(sparse, form)(X))

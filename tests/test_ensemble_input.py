"""Ensembles with bad parameters, sparse data, missing values, and data that leave a replicate with too little."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from thresher import MRMR, RRCT, Ensemble, ErrorControlled, FisherScore, ThresherWarning

from .test_ensemble import codes, lists_of, same


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_parts": 1}, "n_parts must be at least 2, got 1"),
        ({"n_parts": 2.5}, "n_parts must be an integer"),
        ({"kind": "slow"}, "kind must be one of"),
        ({"parts": "random"}, "parts must be one of"),
        ({"vote": "borda"}, "vote must be one of"),
        ({"memory_limit": 0}, "memory_limit"),
    ],
)
def test_bad_parameters_get_a_one_line_error(parameters, message):
    X, y = codes()
    with pytest.raises(ValueError, match=message):
        Ensemble(**parameters).fit(X, y)


def test_as_many_parts_as_rows_at_most():
    X, y = codes(n=12, classes=2, seed=1)
    with pytest.warns(ThresherWarning, match="only 12 samples; using 12 parts"):
        ensemble = Ensemble(MRMR(3), 20).fit(X, y)
    assert len(ensemble.parts_) == 12


def test_a_replicate_with_one_class_is_left_out_by_name():
    X, y = codes(n=30, classes=2, seed=1)
    y = np.zeros(30, dtype=int)
    y[7::10] = 1
    with pytest.warns(ThresherWarning, match="one class without part 7: excluded"):
        ensemble = Ensemble(MRMR(3), 10).fit(X, y)
    assert len(ensemble.parts_) == 9
    assert ensemble.n_pairs_standard_ == 9 * (12 + 11 + 10)
    sorted_y = np.repeat([0, 1], 15)
    with (
        pytest.warns(ThresherWarning, match="parts 0, 1: excluded"),
        pytest.raises(ValueError, match="only 0 of 2 replicates"),
    ):
        Ensemble(MRMR(3), 2, parts="contiguous").fit(X, sorted_y)


def test_a_part_that_removes_a_class_warns_and_the_fit_continues():
    X, y = codes(n=30, classes=2, seed=1)
    y[4] = 2
    with pytest.warns(ThresherWarning, match="part 4 contains all samples of some class"):
        fast = Ensemble(MRMR(3), 10).fit(X, y)
    with pytest.warns(ThresherWarning, match="part 4"):
        same(fast, Ensemble(MRMR(3), 10, kind="full").fit(X, y))
    assert len(fast.parts_) == 10


def test_a_feature_constant_on_a_replicate_is_not_a_candidate_there():
    X, y = codes(n=30, seed=1)
    X[:, 0] = 0
    X[3, 0] = 1
    ensemble = Ensemble(MRMR(12), 10).fit(X, y)
    assert [0 in entries for entries in lists_of(ensemble)] == [i != 3 for i in range(10)]
    same(ensemble, Ensemble(MRMR(12), 10, kind="full").fit(X, y))


@pytest.mark.parametrize(
    "around",
    [lambda s: Ensemble(s, 3, kind="full"), lambda s: ErrorControlled(s)],
    ids=["parts", "gate"],
)
@pytest.mark.parametrize(
    "X", [np.arange(30.0), None, {"a": [1, 2]}, {1, 2}], ids=["row", "None", "dict", "set"]
)
def test_meta_selectors_reject_what_is_not_a_table(around, X):
    with pytest.raises(ValueError, match="Expected 2D array"):
        around(FisherScore(2)).fit(X, np.arange(30) % 2)


def test_any_buffer_of_numbers_is_a_table_to_selectors_around_others():
    X, y = codes()
    ensemble = Ensemble(FisherScore(3), 3, kind="full")
    wanted = ensemble.fit(X.astype(float), y).selected_.tolist()
    assert ensemble.fit(memoryview(X.astype(float)), y).selected_.tolist() == wanted


def test_columns_that_every_replicate_excludes_may_contain_anything_in_transform():
    X, y = codes()
    X = X.astype(float)
    X[:, 1] = np.nan
    ensemble = Ensemble(FisherScore(3, exclude=[1]), 3, kind="full").fit(X, y)
    assert ensemble.transform(X).shape == (len(X), 3)
    assert ensemble.reason(1) == "excluded by the parameter exclude"


@pytest.mark.parametrize("missing", ["category", "pairwise"])
def test_missing_values_are_treated_as_in_the_selector(missing):
    X, y = codes(seed=6)
    X = X.astype(float)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        Ensemble(n_parts=4).fit(X, y)
    selector = MRMR(5, relevance="mi", redundancy="mi", missing=missing)
    fast, full = (Ensemble(selector, 4, kind=kind).fit(X, y) for kind in ("fast", "full"))
    same(fast, full)


def test_sparse_input_gives_the_dense_result():
    X, y = codes(seed=8)
    dense = Ensemble(MRMR(5), 5).fit(X, y)
    for kind in ("fast", "full"):
        same(dense, Ensemble(MRMR(5), 5, kind=kind).fit(sparse.csr_array(X), y))


@pytest.mark.parametrize("kind", ["fast", "inner", "full", "bagging", "halves"])
def test_one_sample_is_rejected_as_such(kind):
    selector = MRMR(1) if kind in ("fast", "inner") else RRCT(1)
    with pytest.raises(ValueError, match=r"X has one sample \(n_samples = 1\). Pass at least 2"):
        Ensemble(selector, kind=kind).fit(np.ones((1, 3)), [1])

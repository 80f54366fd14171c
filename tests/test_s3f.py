"""Clusters of features (S3F) and separated balls (SFS-LW)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from tests.examples import examples
from tests.naive import rankings as naive
from tests.test_naive_rankings import QY, Q, Y, Z
from thresher import S3F, SFSLW


def test_worked_clusters():
    fitted = S3F(4).fit(Q, QY)
    assert fitted.silhouette_ == pytest.approx(0.5862908507, abs=1e-9)
    assert fitted.medoids_.tolist() == [6, 1]
    assert fitted.clusters_.tolist() == [0, 1, 1, 1, 0, 1, 0]
    assert fitted.selected_.tolist() == [6, 0, 1, 2]
    assert fitted.reason(4).startswith(
        "not selected: cluster 0 is represented by its medoid feature 6"
    )


@examples(25)
@given(st.integers(0, 2**32 - 1), st.integers(3, 14))
def test_clusters_agree_with_the_definition(seed, p):
    rng = np.random.default_rng(seed)
    n = 16
    base = rng.integers(0, 3, size=(n, 4))
    X = base[:, rng.integers(0, 4, p)]
    changed = rng.random(X.shape) < 0.3
    X[changed] = rng.integers(0, 3, changed.sum())
    y = rng.integers(0, 2, n)
    if len(set(y)) < 2 or (np.ptp(X, axis=0) == 0).any():
        return
    score, medoids, clusters, selected = naive.s3f(X, y.tolist(), kmax=4)
    fitted = S3F(4).fit(X, y)
    assert fitted.silhouette_ == pytest.approx(score, abs=1e-11)
    assert fitted.medoids_.tolist() == medoids
    assert sorted(fitted.selected_.tolist()) == sorted(selected)
    found = [np.flatnonzero(fitted.clusters_ == c).tolist() for c in range(len(medoids))]
    assert found == clusters


def test_few_features_are_not_an_error():
    X = Q[:, [0, 1]]
    assert sorted(S3F().fit(X, QY).selected_.tolist()) == [0, 1]
    assert S3F().fit(Q[:, [0]], QY).selected_.tolist() == [0]


def everything(fitted):
    return [
        *(fitted.selected_.tolist(), fitted.medoids_.tolist(), fitted.clusters_.tolist()),
        *(fitted.silhouette_, list(fitted.trace_["silhouette"])),
    ]


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("memory", [1, 2 * 90**2, 3 * 90**2])
@pytest.mark.parametrize("max_clusters", [None, 40])
def test_memory_and_threads_change_nothing(monkeypatch, max_clusters, memory, n_jobs):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, size=(30, 90))
    X[:, 60:] = X[:, :30]
    y = rng.integers(0, 2, 30)
    plain = S3F(max_clusters).fit(X, y)
    monkeypatch.setattr("thresher.selectors.s3f.MOST_BYTES", memory)
    frugal = S3F(max_clusters, n_jobs=n_jobs).fit(X, y)
    assert everything(frugal) == everything(plain)
    assert frugal.n_evaluations_ > plain.n_evaluations_


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n_clusters", [12, 32])
def test_many_clusters_agree_with_the_definition(seed, n_clusters):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(24, 45))
    X[:, 30:] = np.where(rng.random((24, 15)) < 0.1, 0, X[:, :15])  # some alike, some the same
    y = rng.integers(0, 2, 24)
    score, medoids, clusters, selected = naive.s3f(X, y.tolist(), kmax=n_clusters)
    fitted = S3F(n_clusters).fit(X, y)
    assert fitted.silhouette_ == pytest.approx(score, abs=1e-11)
    assert fitted.medoids_.tolist() == medoids
    assert sorted(fitted.selected_.tolist()) == sorted(selected)
    found = [np.flatnonzero(fitted.clusters_ == c).tolist() for c in range(len(medoids))]
    assert found == clusters


def test_no_pair_is_measured_twice():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, size=(30, 300))
    fitted = S3F().fit(X, rng.integers(0, 2, 30))
    assert fitted.n_evaluations_ == 300 * 299 // 2


def test_lw_gives_the_worked_values():
    fitted = SFSLW(3, standardize=False).fit(Z, Y)
    assert fitted.selected_.tolist() == [0, 1, 2]  # the constant is no candidate
    np.testing.assert_allclose(fitted.relevance_[:3], [7.6666666667, -1, -2], atol=1e-9)
    np.testing.assert_allclose(fitted.scores_[:2], [7.6666666667, 7.4371846832], atol=1e-9)
    assert SFSLW(standardize=False).fit(Z, Y).selected_.tolist() == [0]
    mean = SFSLW(1, radius="mean", standardize=False).fit(Z, Y)
    assert mean.scores_[0] == pytest.approx(8.5555555556, abs=1e-9)


@examples(20)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["max", "mean"]), st.sampled_from([None, 4]))
def test_lw_agrees_with_the_definition(seed, radius, m):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(3), rng.integers(0, 3, 20)])
    X = rng.normal(size=(23, 6)) + y[:, None] * rng.random(6) * 3
    Xs = (X - X.mean(axis=0)) / X.std(axis=0)
    fitted = SFSLW("auto" if m is None else m, radius=radius).fit(X, y)
    assert fitted.selected_.tolist() == naive.sfs_lw(Xs, y.tolist(), m, radius)


def test_lw_blocks_of_features_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    y = np.arange(30) % 2
    X = rng.normal(size=(30, 20)) + y[:, None]
    whole = SFSLW(5).fit(X, y)
    monkeypatch.setattr("thresher.selectors.sfslw.BLOCK_SIZE", 1)
    assert np.array_equal(SFSLW(5).fit(X, y).scores_, whole.scores_, equal_nan=True)


def test_kept_features_come_first():
    assert SFSLW(2, keep=[2]).fit(Z, Y).selected_.tolist()[0] == 2


@pytest.mark.parametrize(
    ("selector", "error", "words"),
    [
        (SFSLW(radius="median"), ValueError, r"radius must be one of"),
        (SFSLW(standardize="yes"), ValueError, r"standardize must be True or False"),
        (S3F(1), ValueError, r"max_clusters .*at least 2"),
    ],
)
def test_bad_parameters(selector, error, words):
    with pytest.raises(error, match=words):
        selector.fit(Z, Y)


def test_sparse_data_are_rejected_where_distances_need_all_values():
    with pytest.raises(TypeError, match="use FisherScore"):
        SFSLW().fit(sparse.csr_matrix(Z), Y)
    thin = S3F(4).fit(sparse.csr_matrix(Q), QY)
    assert thin.selected_.tolist() == S3F(4).fit(Q, QY).selected_.tolist()


def test_rejected_features_are_explained_by_the_last_index_with_them():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 5)), np.arange(40) % 2
    fitted = SFSLW(2).fit(X, y)
    left = int(np.setdiff1d(np.arange(5), fitted.selected_)[0])
    words, value = fitted.reason(left).rsplit(" ", 1)
    assert words.endswith(", last index with it")
    assert float(value) < fitted.trace_["score"][1]
    assert SFSLW.from_json(fitted.to_json()).reason(left) == fitted.reason(left)
    assert SFSLW(1, keep=[0]).fit(X, y).reason(1).startswith("not evaluated")


@pytest.mark.parametrize("radius", ["max", "mean"])
def test_balls_are_the_same_whether_terms_are_kept_or_not(monkeypatch, radius):
    rng = np.random.default_rng(5)
    y = np.arange(40) % 3
    X = rng.normal(size=(40, 12)) + y[:, None] * (np.arange(12) % 4 == 0)
    options = {"radius": radius, "keep": [7]}
    kept = SFSLW(6, **options).fit(X, y)
    monkeypatch.setattr("thresher.selectors.sfslw.MOST_KNOWN", 0)
    recomputed = SFSLW(6, **options).fit(X, y)
    assert kept.selected_.tolist() == recomputed.selected_.tolist()
    np.testing.assert_array_equal(kept.scores_, recomputed.scores_)

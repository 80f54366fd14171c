"""Relief's weights and neighbour graphs of the core."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.naive import rankings as naive
from thresher import _core

pytestmark = pytest.mark.kernels


@st.composite
def problems(draw):
    """Return small tables full of ties, with nominal features and missing values."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(4, 24)), draw(st.integers(1, 5))
    n_classes = draw(st.integers(2, 3))
    columns = rng.normal(size=(d, n))
    if draw(st.booleans()):
        columns = rng.integers(0, draw(st.integers(2, 5)), size=(d, n)).astype(float)
    nominal = rng.random(d) < draw(st.sampled_from([0.0, 0.4]))
    columns[nominal] = rng.integers(0, 3, size=(nominal.sum(), n))
    columns[rng.random((d, n)) < draw(st.sampled_from([0.0, 0.15]))] = np.nan
    classes = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    return columns, nominal, classes.astype(np.int32), n_classes


def weights(columns, nominal, classes, n_classes, kind, k=3, rows=None, n_threads=1, target=None):
    rows = np.arange(columns.shape[1]) if rows is None else np.asarray(rows)
    return _core.relief_weights(
        columns,
        np.asarray(nominal, dtype=np.uint8),
        classes,
        n_classes,
        rows.astype(np.uint32),
        kind,
        k,
        n_threads,
        target,
    )


@examples(40)
@given(problems(), st.integers(1, 8), st.sampled_from(["relieff", "multisurf"]))
def test_relieff_agrees_with_the_definition(problem, k, kind):
    columns, nominal, classes, n_classes = problem
    wanted = naive.relieff(
        columns.T, classes.tolist(), k, nominal=nominal, multisurf=kind == "multisurf"
    )
    found = weights(columns, nominal, classes, n_classes, kind, k)
    np.testing.assert_allclose(found, wanted, atol=1e-11)


@examples(40)
@given(problems(), st.integers(1, 8), st.booleans(), st.booleans())
def test_rrelieff_agrees_with_the_definition(problem, k, tied, some):
    columns, nominal, classes, _ = problem
    n = columns.shape[1]
    rng = np.random.default_rng(k)
    target = classes.astype(float) if tied else rng.normal(size=n)
    rows = sorted(rng.permutation(n)[: n // 2].tolist()) if some else None
    wanted = naive.rrelieff(columns.T, target.tolist(), k, nominal=nominal, sampled=rows)
    one_class = np.zeros(n, dtype=np.int32)
    for n_threads in (1, 3):
        found = weights(
            columns, nominal, one_class, 1, "rrelieff", k, rows, n_threads, target=target
        )
        np.testing.assert_allclose(found, wanted, atol=1e-11)


def test_sampled_rows_of_multisurf_agree_with_the_definition():
    rng = np.random.default_rng(6)
    columns = rng.normal(size=(4, 60))
    classes = rng.integers(0, 3, 60).astype(np.int32)
    rows = [3, 17, 40, 41]
    wanted = naive.relieff(columns.T, classes.tolist(), sampled=rows, multisurf=True)
    found = weights(columns, [0] * 4, classes, 3, "multisurf", rows=rows)
    np.testing.assert_allclose(found, wanted, atol=1e-11)


@examples(20)
@given(problems())
def test_relief_agrees_with_the_definition(problem):
    columns, nominal, classes, _ = problem
    classes = np.minimum(classes, 1)
    wanted = naive.relief(columns.T, classes.tolist(), nominal)
    np.testing.assert_allclose(weights(columns, nominal, classes, 2, "relief"), wanted, atol=1e-11)


def test_sampled_rows_keep_the_priors_of_all_rows():
    rng = np.random.default_rng(5)
    columns = rng.normal(size=(4, 50))
    classes = rng.integers(0, 3, 50).astype(np.int32)
    rows = [3, 17, 40, 41]
    wanted = naive.relieff(columns.T, classes.tolist(), 4, sampled=rows)
    found = weights(columns, [0] * 4, classes, 3, "relieff", 4, rows)
    np.testing.assert_allclose(found, wanted, atol=1e-11)


@examples(25)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.booleans())
def test_graph_agrees_with_the_definition(seed, k, tied):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(3, 40)), int(rng.integers(1, 5))
    X = rng.integers(0, 3, size=(n, d)).astype(float) if tied else 1e3 + rng.normal(size=(n, d))
    first, second, squared = _core.nearest_graph(np.ascontiguousarray(X.T), k)
    W = naive.neighbour_graph(X, k, "binary")
    assert list(zip(first, second, strict=True)) == list(zip(*np.nonzero(np.triu(W)), strict=True))
    np.testing.assert_allclose(squared, ((X[first] - X[second]) ** 2).sum(axis=1), rtol=1e-12)


def test_distant_rows_do_not_blur_their_neighbours():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 40))
    X[0] *= 1e6
    first, second, _ = _core.nearest_graph(np.ascontiguousarray(X.T), 3)
    W = naive.neighbour_graph(X, 3, "binary")
    assert list(zip(first, second, strict=True)) == list(zip(*np.nonzero(np.triu(W)), strict=True))


@pytest.mark.parametrize("n", [90, 5000])
def test_many_rows_and_few_agree_with_a_sort_of_all_distances(n):
    rng = np.random.default_rng(n)
    columns = rng.integers(0, 6, size=(4, n)).astype(np.float32)
    rows = rng.choice(n, 20, replace=False)
    classes = rng.integers(0, 2, n).astype(np.int32)
    found = weights(columns, [0] * 4, classes, 2, "relieff", 7, rows)
    scaled = columns.T.astype(float) / 5
    wanted = np.zeros(4)
    for a in rows:
        diff = np.abs(scaled - scaled[a])
        for c in (0, 1):
            members = np.flatnonzero((classes == c) & (np.arange(n) != a))
            distance = np.round(diff[members].sum(axis=1), 6)
            near = members[np.argsort(distance, kind="stable")[:7]]
            wanted += (1 if c != classes[a] else -1) * diff[near].mean(axis=0) / 20
    np.testing.assert_allclose(found, wanted, atol=1e-11)


def test_weights_do_not_depend_on_threads():
    rng = np.random.default_rng(9)
    columns = rng.normal(size=(30, 200))
    columns[3, 4] = np.nan
    classes = rng.integers(0, 3, 200).astype(np.int32)
    for kind in ["relieff", "multisurf"]:
        alone = weights(columns, [0] * 30, classes, 3, kind)
        assert np.array_equal(alone, weights(columns, [0] * 30, classes, 3, kind, n_threads=7))


def test_scores_on_a_graph_agree_dense_and_sparse():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(30, 8)) * (rng.random((30, 8)) < 0.4)
    X[:, 7] = 2.0
    W = naive.neighbour_graph(X, 3, "heat")
    first, second = np.nonzero(np.triu(W))
    edges = first.astype(np.uint32), second.astype(np.uint32), W[first, second], W.sum(axis=1)
    columns = np.ascontiguousarray(X.T)
    from scipy import sparse

    csc = sparse.csc_matrix(X)
    stored = csc.data, csc.indices, csc.indptr.astype(np.int64), 30
    dense = _core.graph_scores(columns, *edges, True)
    wanted = [naive.laplacian_score(x, W) for x in columns]
    np.testing.assert_allclose(dense, wanted, atol=1e-11)
    np.testing.assert_allclose(_core.graph_scores_sparse(*stored, *edges, True), dense, atol=1e-11)
    plain = _core.graph_scores(columns, *edges, False)
    np.testing.assert_allclose(plain, [naive.spec(x, W, "phi1") for x in columns], atol=1e-11)
    np.testing.assert_allclose(_core.graph_scores_sparse(*stored, *edges, False), plain, atol=1e-11)


def digest_of_kernels():
    """Return a digest of values of many kinds: it must be the same at every instruction level."""
    import numpy as np

    rng = np.random.default_rng(0)
    columns = rng.normal(size=(40, 203))
    digest = hashlib.sha256()
    for T in (np.float64, np.float32):
        x = np.ascontiguousarray(columns, dtype=T)
        for measure in ("variance", "mad", "mean-median", "iqr", "amgm"):
            digest.update(_core.dispersion(x, measure).tobytes())
        classes = rng.integers(0, 3, 203).astype(np.int32)
        digest.update(_core.separation(x, "fisher", classes, 3).tobytes())
        by_rows = np.ascontiguousarray(x.T)
        digest.update(_core.separation_rows(by_rows, "fisher", classes, 3).tobytes())
        rows = np.arange(203, dtype=np.uint32)
        for kind in ("relief", "relieff", "multisurf"):
            nominal = np.zeros(40, dtype=np.uint8)
            digest.update(_core.relief_weights(x, nominal, classes, 3, rows, kind, 5).tobytes())
        y, one = columns[0] + columns[1], np.zeros(203, dtype=np.int32)
        few = rows[::2].copy()
        digest.update(_core.relief_weights(x, nominal, one, 1, few, "rrelieff", 5, 1, y).tobytes())
        a, b, d = _core.nearest_graph(x, 5)
        digest.update(a.tobytes() + b.tobytes() + d.tobytes())
        for measure in ("cosine", "pearson", "mici"):
            features = np.arange(40, dtype=np.uint32)
            similarity = _core.NumericPairMeasure(_core.NumericTable(x), measure)
            digest.update(similarity.values(0, features).tobytes())
    return digest.hexdigest()

"""Terms of two features and the target: every way of counting gives the value of the definition."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from thresher import _core

from .naive.measures_discrete import three_way

pytestmark = pytest.mark.kernels

TERMS = ("joint", "conditional", "disr", "interaction")


def problem(n_rows, n_levels, n_classes, seed=0, n_features=5):
    rng = np.random.default_rng([seed, n_rows, n_levels, n_classes])
    X = rng.integers(0, n_levels, size=(n_rows, n_features))
    y = rng.integers(0, n_classes, size=n_rows)
    X[:, 1] = np.where(rng.random(n_rows) < 0.7, y % n_levels, X[:, 1])
    X[:n_levels] = np.arange(n_levels)[:, None]
    y[:n_classes] = np.arange(n_classes)
    return X, y.astype(np.int32)


def all_terms(X, y, **options):
    """Return a table of values, candidate by reference, for each term."""
    table = _core.CodedTable.from_dense(X, **options)
    everything = np.arange(X.shape[1], dtype=np.uint32)
    found = {}
    for term in TERMS:
        measure = _core.ThreeWayMeasure(table, y, int(y.max()) + 1, term, 1)
        found[term] = np.array([np.ravel(measure.values(g, everything)) for g in everything]).T
    return found


# Rows per cell below 16, 32 and 64 and beyond; lanes that fill a vector and lanes that do not.
@pytest.mark.parametrize(
    ("n_rows", "n_levels", "n_classes"),
    [
        (14, 2, 2),
        (40, 3, 2),
        (70, 3, 2),
        (90, 2, 3),
        (200, 3, 2),
        (60, 3, 9),
        (130, 5, 4),
        (700, 9, 3),
    ],
)
def test_values_are_those_of_the_definition(n_rows, n_levels, n_classes):
    X, y = problem(n_rows, n_levels, n_classes)
    found = all_terms(X, y)
    for f in range(X.shape[1]):
        for g in range(X.shape[1]):
            expected = three_way(X[:, f], X[:, g], y, n_levels, n_levels, n_classes)
            for term in TERMS:
                assert found[term][f, g] == expected[term], (term, f, g)


def test_weights_and_wide_columns_give_the_same_values_by_the_general_kernel():
    X, y = problem(80, 3, 2)
    plain = all_terms(X, y)
    doubled = all_terms(np.repeat(X, 2, axis=0), np.repeat(y, 2))
    weighted = all_terms(X, y, weights=np.full(80, 2))
    for term in TERMS:
        np.testing.assert_array_equal(weighted[term], doubled[term], err_msg=term)
        np.testing.assert_allclose(weighted[term], plain[term], rtol=0, atol=1e-11)
    wide = np.column_stack([X, np.arange(80) % 40])
    np.testing.assert_array_equal(all_terms(wide, y)["joint"][:5, :5], plain["joint"])


PARTS = np.arange(200, dtype=np.int32) % 7
SETS = np.array([[p != left_out for p in range(7)] for left_out in range(7)] + [[0] * 7], np.uint8)


# Planes, a column of bytes among them, weights, missing values; kept values and no memory for any.
@pytest.mark.parametrize(("limit", "own"), [(0, False), (1, False), (0, True)])
@pytest.mark.parametrize("case", ["planes", "bytes", "weights", "missing"])
@pytest.mark.parametrize("term", TERMS)
def test_a_replicate_has_the_values_of_its_rows(term, case, limit, own):
    X, y = problem(200, 3, 2)
    X = X.astype(float)
    weights = np.arange(200) % 3 if case == "weights" else None
    options = {"missing": "pairwise"} if case == "missing" else {}
    if case == "bytes":
        X[:, 4] = np.arange(200) % 40
    if case == "missing":
        X[::9, 2] = np.nan
    table = _core.CodedTable.from_dense(X, PARTS, SETS, weights, **options)
    cache = _core.ReplicateCache(_core.ThreeWayMeasure(table, y, 2, term, 1), limit, own)
    features = np.arange(5, dtype=np.uint32)
    for replicate, kept in enumerate(SETS):
        rows = kept[PARTS] > 0
        view = _core.ReplicateView(cache, replicate)
        if not rows.any():
            assert not view.values(1, features).any()
            continue
        some = None if weights is None else weights[rows]
        alone = _core.CodedTable.from_dense(X[rows], weights=some, **options)
        measure = _core.ThreeWayMeasure(alone, y[rows], 2, term, 1)
        for reference in features:
            found, expected = view.values(reference, features), measure.values(reference, features)
            np.testing.assert_array_equal(found, expected)


def digest_of_kernels():
    """Return a digest of values of many kinds: it must be the same at every instruction level."""
    digest = hashlib.sha256()
    for n, levels, classes in [(14, 2, 2), (70, 3, 2), (200, 3, 2), (60, 3, 9), (700, 9, 3)]:
        rng = np.random.default_rng(n)
        X, y = rng.integers(0, levels, (n, 30)), rng.integers(0, classes, n).astype(np.int32)
        table = _core.CodedTable.from_dense(X)
        for term in ("joint", "conditional", "disr", "interaction"):
            measure = _core.ThreeWayMeasure(table, y, classes, term, 1)
            values = np.ravel(measure.values(3, np.arange(30, dtype=np.uint32)))
            digest.update(values.tobytes())
        table = _core.CodedTable.from_dense(X, (np.arange(n) % 3).astype(np.int32))
        cache = _core.ReplicateCache(_core.ThreeWayMeasure(table, y, classes, "joint", 1), 0, True)
        for replicate in range(3):
            values = _core.ReplicateView(cache, replicate).values(3, np.arange(30, dtype=np.uint32))
            digest.update(np.ravel(values).tobytes())
    return digest.hexdigest()

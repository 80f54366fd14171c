"""Sparse columns kept as lists of their rows: the same counts as planes and bytes, with memory for the entries only."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import numpy as np
import pytest
from scipy import sparse

import thresher
from tests.examples import pairs, some
from tests.measures import DISCRETE
from tests.selectors import made_of_sums, others
from thresher import _core
from thresher._core import _testing

from .core_results import assert_equal_results

pytestmark = pytest.mark.kernels

MEASURES = DISCRETE


def random_sparse(rng, n=3000, p=24, *, n_levels=4):
    """Return columns from nearly empty to half full, some with many levels, one constant, one without zeros."""
    X = np.zeros((n, p))
    for f in range(p):
        share = (0.001, 0.003, 0.01, 0.5)[f % 4]
        at = rng.random(n) < share
        levels = 40 if f % 6 == 5 else n_levels
        X[at, f] = rng.integers(-1 if f % 5 == 0 else 1, levels, at.sum())
    X[:, 3] = 0
    X[:, 7] = rng.integers(1, 3, n)
    return X


def tables(X, *, csc=True, missing="error", **options):
    """Return the same columns as planes and bytes, and with lists."""
    S = sparse.csc_matrix(X) if csc else sparse.csr_matrix(X)
    arrays = (S.indptr, S.indices, S.data, *S.shape, csc)
    plain = _core.CodedTable.from_dense(X, missing=missing, **options)
    listed = _core.CodedTable.from_sparse(*arrays, missing=missing, dense_bytes=0, **options)
    assert _testing.n_listed(plain) == 0
    assert _testing.n_listed(listed) > 3
    assert _testing.n_listed(listed) < X.shape[1]
    return plain, listed


def assert_same(plain, listed, y, n_classes):
    p = plain.n_features
    every = np.arange(p, dtype=np.uint32)
    assert listed.levels.tolist() == plain.levels.tolist()
    assert listed.constant.tolist() == plain.constant.tolist()
    np.testing.assert_array_equal(listed.matrix(), plain.matrix())
    for measure in MEASURES:
        np.testing.assert_array_equal(
            listed.relevance(y, n_classes, measure, 1), plain.relevance(y, n_classes, measure, 1)
        )
        pairs = [_core.DiscretePairMeasure(t, measure, 1) for t in (plain, listed)]
        for reference in range(p):
            np.testing.assert_array_equal(*(m.values(reference, every) for m in pairs))
    for term in ("joint", "conditional", "disr", "interaction"):
        triples = [_core.ThreeWayMeasure(t, y, n_classes, term, 1) for t in (plain, listed)]
        for reference in range(0, p, 3):
            np.testing.assert_array_equal(*(m.values(reference, every) for m in triples))


@pytest.mark.parametrize("csc", [True, False])
def test_counts_are_those_of_planes(csc):
    rng = np.random.default_rng(0)
    X = random_sparse(rng)
    y = rng.integers(0, 3, len(X)).astype(np.int32)
    plain, listed = tables(X, csc=csc)
    assert_same(plain, listed, y, 3)
    for f in range(X.shape[1]):
        for g in range(X.shape[1]):
            np.testing.assert_array_equal(
                _testing.counts(listed, f, g), _testing.counts(plain, f, g)
            )


def test_a_target_of_many_classes_is_counted_too():
    rng = np.random.default_rng(1)
    X = random_sparse(rng, p=12)
    plain, listed = tables(X)
    y = rng.integers(0, 700, len(X)).astype(np.int32)
    for measure in MEASURES:
        np.testing.assert_array_equal(
            listed.relevance(y, 700, measure, 1), plain.relevance(y, 700, measure, 1)
        )


@pytest.mark.parametrize("missing", ["category", "pairwise"])
def test_missing_values_are_listed(missing):
    rng = np.random.default_rng(2)
    X = random_sparse(rng)
    X[rng.integers(0, len(X), 8), rng.integers(0, 8, 8)] = np.nan
    y = rng.integers(0, 2, len(X)).astype(np.int32)
    assert_same(*tables(X, missing=missing), y, 2)


@pytest.mark.parametrize("in_parts", [False, True])
@pytest.mark.parametrize("kind", ["whole", "real", "spread"])
def test_weights_count_as_in_bytes(kind, in_parts):
    rng = np.random.default_rng(3)
    X = random_sparse(rng, p=12)
    X[:, 0] = 0
    X[5, 0] = 1  # varies on a row without weight only
    weights = rng.integers(0, 4, len(X))
    weights[5] = 0
    y = rng.integers(0, 3, len(X)).astype(np.int32)
    # The third class has few rows: little is left of it besides the rows of a list.
    y[(y == 2) & (X[:, 1] == 0) & (rng.random(len(X)) < 0.99)] = 0
    options = {"weights": weights if kind == "whole" else weights * 0.3}
    if kind == "spread":
        options["weights"] = weights * 10.0 ** rng.uniform(-12, 12, len(X))
    if in_parts:
        options["parts"] = rng.integers(0, 7, len(X)).astype(np.int32)
    plain, listed = tables(X, **options)
    assert plain.constant[0]
    assert_same(plain, listed, y, 3)
    for f in range(X.shape[1]):
        for g in range(X.shape[1]):
            np.testing.assert_array_equal(
                _testing.counts(listed, f, g), _testing.counts(plain, f, g)
            )


def test_a_pair_of_lists_costs_its_entries_whatever_the_weights():
    rng = np.random.default_rng(8)
    seconds = []
    for n in (20_000, 1_000_000):
        at = np.unique(rng.integers(0, n * 400, 400 * 20))
        S = sparse.csc_matrix((np.ones(len(at)), (at // 400, at % 400)), shape=(n, 400))
        weights = rng.integers(1, 5, n) * 0.3
        table = _core.CodedTable.from_sparse(
            S.indptr, S.indices, S.data, *S.shape, True, weights=weights, dense_bytes=0
        )
        assert _testing.n_listed(table) == 400
        pairs = _core.DiscretePairMeasure(table, "mi", 1)
        every = np.arange(400, dtype=np.uint32)
        times = []
        for reference in range(20):
            begin = time.process_time()
            pairs.values(reference, every)
            times.append(time.process_time() - begin)
        seconds.append(min(times))
    assert seconds[1] < 5 * seconds[0]


def test_parts_have_separate_counts():
    rng = np.random.default_rng(4)
    X = random_sparse(rng)
    parts = rng.integers(0, 7, len(X)).astype(np.int32)
    y = rng.integers(0, 2, len(X)).astype(np.int32)
    plain, listed = tables(X, parts=parts)
    assert_same(plain, listed, y, 2)
    np.testing.assert_array_equal(listed.constant_parts, plain.constant_parts)


def test_rows_taken_are_those_of_planes():
    rng = np.random.default_rng(5)
    X = random_sparse(rng)
    plain, listed = tables(X)
    for rows in (rng.integers(0, len(X), 2500), np.arange(len(X))[::-1], np.arange(40)):
        taken = [t.take(rows.astype(np.int64)) for t in (plain, listed)]
        np.testing.assert_array_equal(taken[0].matrix(), taken[1].matrix())
        y = rng.integers(0, 2, len(rows)).astype(np.int32)
        for measure in MEASURES:
            np.testing.assert_array_equal(
                taken[1].relevance(y, 2, measure, 1), taken[0].relevance(y, 2, measure, 1)
            )


@pytest.mark.parametrize("in_parts", [False, True])
@pytest.mark.parametrize("n_classes", [2, 40])
@pytest.mark.parametrize("n_replicates", [0, 1, 3])
def test_the_walk_by_conditional_information_is_that_of_planes(n_replicates, n_classes, in_parts):
    rng = np.random.default_rng(9)
    X = random_sparse(rng, p=60)
    y = (X[:, 2] + X[:, 6] + rng.integers(0, n_classes, len(X))).astype(np.int32) % n_classes
    options = {"parts": rng.integers(0, 3, len(X)).astype(np.int32)} if in_parts else {}
    missing = "category" if n_classes == 40 else "error"
    if missing == "category":
        X[rng.integers(0, len(X), 8), rng.integers(0, 8, 8)] = np.nan
    plain, listed = tables(X, missing=missing, **options)
    weights = rng.integers(0, 3, (n_replicates, len(X))) if n_replicates else None
    relevance = plain.relevance(y, n_classes, "mi", 1).reshape(-1, X.shape[1]).mean(axis=0)
    walks = [
        _core.cmi_walk(t, y, n_classes, relevance, weights=weights, kept=np.array([4], np.uint32))
        for t in (plain, listed)
    ]
    expected, found = (walk.result() for walk in walks)
    assert len(expected.selected) > 5
    assert_equal_results(found, expected)


def test_small_tables_stay_planes():
    S = sparse.csc_matrix(random_sparse(np.random.default_rng(6)))
    table = _core.CodedTable.from_sparse(S.indptr, S.indices, S.data, *S.shape, True)
    assert _testing.n_listed(table) == 0


ROUNDED = {"rtol": 1e-9, "atol": 1e-12}
EXACT = {"rtol": 0, "atol": 0}


@pytest.mark.parametrize("n_classes", [2, 30])
@pytest.mark.parametrize(
    ("measure", "weights"),
    pairs(["bayes", "binary", "pairs", "entropy"], [None, "whole", "real"]),
)
def test_risks_of_sets_are_those_of_planes(n_classes, measure, weights):
    rng = np.random.default_rng(10)
    X = random_sparse(rng, n=1500, p=40)
    y = (X[:, 2] + X[:, 6] + X[:, 11] + rng.integers(0, n_classes, len(X))).astype(np.int32)
    y %= n_classes
    order = rng.permutation(40).astype(np.uint32)
    kept, order = order[:2], order[2:-2]
    of_rows = {"whole": rng.integers(0, 3, len(X)), "real": rng.integers(0, 4, len(X)) * 0.3}
    row_weights = None if weights is None else of_rows[weights].astype(np.float64)
    total = len(X) if row_weights is None else row_weights.sum()
    scale = {"bayes": total, "binary": 1, "pairs": total**2, "entropy": total}[measure]
    tolerance = {"real": 1e-9 * scale}.get(weights, 1e-10 * scale * (measure == "entropy"))
    near = ROUNDED if weights == "real" else EXACT
    problems = [
        _core.Consistency(
            t, y, n_classes, row_weights, order, kept, rng.random(40) * 0, measure, tolerance
        )
        for t in tables(X)
    ]
    plain, listed = problems
    assert plain.border == listed.border
    np.testing.assert_allclose(listed.full_risk, plain.full_risk, **near)
    np.testing.assert_allclose(listed.empty_risk, plain.empty_risk, **near)
    for size in (1, 5, 30):
        features = rng.choice(40, size, replace=False).astype(np.uint32)
        np.testing.assert_allclose(listed.risk(features), plain.risk(features), **near)
        for found, expected in zip(
            listed.leave_one_out(features), plain.leave_one_out(features), strict=True
        ):
            np.testing.assert_allclose(found, expected, **near)
    for bound in (plain.full_risk, plain.full_risk + 0.05 * (plain.empty_risk - plain.full_risk)):
        for rule in ("total", "step"):
            found, expected = (problem.sweep(rule, bound) for problem in (listed, plain))
            assert found[0].tolist() == expected[0].tolist()
            assert found[2] == expected[2]
        for strategy in ("steepest", "fast", "lazy", "balanced", "window"):
            found, expected = (
                problem.eliminate(strategy, bound, 0.5, 0.3, 2.0) for problem in (listed, plain)
            )
            assert found[0].tolist() == expected[0].tolist(), strategy
            np.testing.assert_allclose(found[1], expected[1], **near)
            assert found[2] == expected[2]
        found, expected = (problem.cover(bound, tolerance) for problem in (listed, plain))
        assert found[0].tolist() == expected[0].tolist()


MI = {"relevance": "mi", "redundancy": "mi"}
SELECTORS = [
    thresher.MRMR(6, **MI),
    thresher.MRMR(6, relevance="su", redundancy="nmi", objective="quotient"),
    thresher.MRMR(6, relevance="chi2", redundancy="chi2", objective="quotient"),
    thresher.JMI(6),
    *(thresher.Univariate(3, measure="mi"), thresher.S3F(4)),
    *(thresher.LCC(), thresher.CWC(), thresher.INTERACT(), thresher.SDCC(), thresher.ASDCC()),
    *(thresher.SWCFS(), thresher.SetCover(), thresher.LVF(max_tries=20, random_state=0)),
    thresher.Ensemble(thresher.MRMR(6, **MI), kind="fast", n_parts=5, random_state=0),
    thresher.Ensemble(thresher.MRMR(6, **MI), kind="full", n_parts=5, random_state=0),
    thresher.Ensemble(thresher.MRMR(6, **MI), kind="bagging", n_parts=5, random_state=0),
    thresher.Ensemble(thresher.JMI(4), kind="fast", n_parts=4, random_state=0),
    thresher.Ensemble(thresher.CMIFilter(), kind="inner", n_parts=4, random_state=0),
    thresher.Ensemble(thresher.MRMR(6, **MI), kind="halves", random_state=0),
]
SELECTORS += others(
    SELECTORS, lambda s: made_of_sums(s) and s._takes_sparse, n_features_to_select=6
)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("selector", SELECTORS, ids=lambda s: repr(s)[:60])
def test_selectors_select_the_same_as_from_dense_data(selector, monkeypatch):
    rng = np.random.default_rng(7)
    X = random_sparse(rng, n_levels=3)
    y = (X[:, 2] + X[:, 6] + X[:, 11] + rng.normal(size=len(X)) > 1).astype(int)
    monkeypatch.setattr("thresher.measures._codes.DENSE_BYTES", 0)
    dense = selector.fit(X, y)
    expected = (dense.selected_.tolist(), dense.scores_.copy())
    found = selector.fit(sparse.csr_matrix(X), y)
    assert found.selected_.tolist() == expected[0]
    np.testing.assert_array_equal(found.scores_, expected[1])


MEMORY = """
import resource, sys
import numpy as np
from scipy import sparse
from thresher import *
n, n_entries, limit = map(int, sys.argv[1:4])
rng = np.random.default_rng(0)
at = np.unique(rng.integers(0, n * n, n_entries))
X = sparse.csr_matrix((rng.integers(1, 3, len(at)), (at // n, at % n)), shape=(n, n))
y = rng.integers(0, 2, n)
del at
small = MRMR(2, relevance="mi", redundancy="mi").fit(X[:, :50], y)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
fitted = eval(sys.argv[4]).fit(X, y)
grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
assert len(fitted.selected_) >= 5
assert grown < limit, f"{grown} MB"
"""


@pytest.mark.once
@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in KiB on Linux")
@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="it takes additional memory")
@pytest.mark.parametrize(
    ("n", "n_entries", "limit", "selector"),
    some(
        [
            (100_000, 500_000, 100, "MRMR(5, relevance='mi', redundancy='mi')"),
            (1_000_000, 1_000_000, 500, "MRMR(5, relevance='mi', redundancy='mi')"),
            (100_000, 500_000, 150, "Ensemble(MIM(5), kind='fast', n_parts=5)"),
            (100_000, 500_000, 100, "JMI(5)"),
            # Bits of all rows and columns were 50 MB.
            *((20_000, 30_000, 20, selector) for selector in ("CMIFilter()", "LCC()", "SDCC()")),
        ]
    ),
)
def test_memory_is_that_of_the_entries_and_the_features(n, n_entries, limit, selector):
    arguments = [str(n), str(n_entries), str(limit), selector]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", MEMORY, *arguments], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]

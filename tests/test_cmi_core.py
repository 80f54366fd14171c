"""The compiled conditional information walk against entropies from dictionaries of rows."""

from __future__ import annotations

import numpy as np
import pytest

from thresher import _core

from .naive.cmi import cmi_filter, relevance_order

EXAMPLE = """
1 0 0 0 1 0 1 0 0 1 1 0
0 1 0 1 0 0 0 0 1 0 0 0
0 1 1 1 0 1 1 1 0 1 1 0
0 0 0 0 1 1 1 0 1 0 1 0
1 1 1 1 0 1 0 0 0 0 0 0
1 0 0 1 1 0 1 0 1 1 1 0
"""


def example():
    """Return the twelve rows, five features and class of the worked example."""
    rows = np.array([line.split() for line in EXAMPLE.split("\n")[1:-1]], dtype=int)
    return rows[:5].T, rows[5]


def core_walk(X, y, n_features=None, *, last="positive", keep=()):
    """Call the compiled walk with the parameters of the reference implementation."""
    relevance = falling(relevance_order(X, list(y)), X.shape[1])
    return _core.cmi_walk(
        _core.CodedTable.from_dense(X),
        np.unique(y, return_inverse=True)[1].astype(np.int32),
        len(np.unique(y)),
        relevance,
        candidates=(relevance > 0).astype(np.uint8),
        n_select=n_features,
        take_last=last == "positive",
        kept=np.array(keep, dtype=np.uint32),
    ).result()


def falling(order, n_features):
    """Return relevances that put the features into this order; 0 for those it leaves out."""
    relevance = np.zeros(n_features)
    relevance[order] = np.arange(len(order), 0.0, -1.0)
    return relevance


def random_problem(seed):
    """Return few levels and few rows: many exact ties."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(3, 40)), int(rng.integers(1, 14))
    X = rng.integers(0, rng.integers(2, 5), size=(n, p))
    y = rng.integers(0, rng.integers(2, 4), size=n)
    y[:2] = 0, 1
    if p > 2 and rng.random() < 0.4:
        X[:, 1] = X[:, 0]
    return X, y


def assert_same_walk(fast, slow):
    assert fast.selected.tolist() == slow.selected
    np.testing.assert_allclose(fast.scores, slow.gains, rtol=0, atol=1e-12)
    assert (fast.n_evaluations, fast.walk.n_walked) == (slow.n_evaluations, slow.n_examined)


def test_worked_example_step_by_step():
    X, y = example()
    found = core_walk(X, y)
    assert found.selected.tolist() == [0, 3, 4, 1]
    assert found.n_evaluations == 6
    np.testing.assert_allclose(found.scores, [0.476382, 0.036017, 0.237896, 0.062907], atol=5e-7)
    assert found.walk.examined.tolist() == [3, 4, 2, 1]
    np.testing.assert_allclose(found.walk.value, [0.036017, 0.237896, 0, 0.062907], atol=5e-7)
    np.testing.assert_allclose(
        found.walk.successor_value, [0.003487, 0.197044, 0.062907, 0], atol=5e-7
    )
    assert found.walk.n_blocks.tolist() == [2, 4, 7, 8]
    assert found.walk.unknown[-1] == pytest.approx(0.979869 - 0.813202, abs=1e-6)
    assert core_walk(X, y, 2).selected.tolist() == [0, 3]
    assert core_walk(X, y, last="never").selected.tolist() == [0, 3, 4]


@pytest.mark.parametrize("last", ["positive", "never"])
def test_walk_agrees_with_the_reference_implementation_on_random_problems(last):
    for seed in range(250):
        X, y = random_problem(seed)
        assert_same_walk(core_walk(X, y, last=last), cmi_filter(X, y, last=last))


def test_kept_features_come_first():
    for seed in range(80):
        X, y = random_problem(5000 + seed)
        keep = [X.shape[1] - 1]
        assert_same_walk(core_walk(X, y, keep=keep), cmi_filter(X, y, keep=keep))


def test_result_for_k_is_a_prefix():
    X, y = random_problem(77)
    whole = core_walk(X, y).selected.tolist()
    for k in range(1, len(whole) + 1):
        assert core_walk(X, y, k).selected.tolist() == whole[:k]


def test_weights_count_as_repeats():
    for seed in range(100):
        X, y = random_problem(9000 + seed)
        weights = np.random.default_rng(seed).integers(1, 4, size=len(y))
        rows = np.repeat(np.arange(len(y)), weights)
        repeated = cmi_filter(X[rows], y[rows])
        relevance = falling(relevance_order(X[rows], list(y[rows])), X.shape[1])
        found = _core.cmi_walk(
            _core.CodedTable.from_dense(X),
            y.astype(np.int32),
            int(y.max()) + 1,
            relevance,
            candidates=(relevance > 0).astype(np.uint8),
            weights=weights[None, :],
        ).result()
        assert_same_walk(found, repeated)


def test_scores_add_up_to_the_joint_information():
    X, y = random_problem(12)
    found = core_walk(X, y)
    counts = np.unique(y, return_counts=True)[1] / len(y)
    entropy = -np.sum(counts * np.log2(counts))
    assert found.scores.sum() + found.walk.unknown[-1] == pytest.approx(entropy, abs=1e-12)


REFERENCE = {
    "colon": ([764, 512, 248, 1581, 1771, 1413, 1866], 16, 54, 21),
    "lung_small": ([22, 10, 125, 166, 35, 243, 223], 16, 62, 21),
    "leukemia": ([3192, 6795, 2294], 6, 15, 7),
    "lymphoma": (
        [2818, 2747, 2841, 759, 2792, 3762, 2809, 3792, 2804, 3014, 2735, 3004, 3733, 2716],
        40,
        92,
        52,
    ),
    "nci9": ([443, 7674, 9576, 5641, 755, 6290, 1699], 13, 51, None),
}


@pytest.mark.parametrize("name", REFERENCE)
def test_reference_results_on_real_data(load_real, name):
    X, y = load_real(name)
    selected, n_walked, n_blocks, n_evaluations = REFERENCE[name]
    found = core_walk(X.astype(int), y)
    assert found.selected.tolist() == selected
    assert found.walk.n_walked == n_walked
    assert found.walk.n_blocks[-1] == n_blocks
    assert found.walk.unknown[-1] == 0
    if n_evaluations is not None:
        assert found.n_evaluations == n_evaluations

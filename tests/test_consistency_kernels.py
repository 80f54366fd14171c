"""The compiled consistency searches against reference implementations that regroup the rows for every risk."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from thresher import _core

from .naive import consistency as naive

pytestmark = pytest.mark.kernels

NOISY_XOR = """101111 010010 110000 110110 101101 001000 001001 110010 110110 110110
    110110 001010 000000 110100 101111 110110 101111 010001 101111 000000"""


def exact_xor():
    X = np.array(list(itertools.product([0, 1], repeat=5)))
    return X, X[:, 0] ^ X[:, 1]


def noisy_xor():
    table = np.array([[int(c) for c in word] for word in NOISY_XOR.split()])
    return table[:, :5], table[:, 5]


def compile_problem(risk, order, r):
    """Return the compiled problem for a naive ``Risk``."""
    weights = None
    if any(w != 1 for w in risk.weights):
        weights = np.array(risk.weights, dtype=float)
    codes = np.ascontiguousarray(risk.X.T.astype(np.uint8))
    levels = np.max(codes, axis=1, initial=0).astype(np.int32) + 1
    return _core.Consistency(
        _core.CodedTable.from_codes(codes, levels),
        np.array(risk.y, dtype=np.int32),
        int(max(risk.y)) + 1,
        weights,
        np.array(order, dtype=np.uint32),
        np.array(risk.kept, dtype=np.uint32),
        np.asarray(r, dtype=float),
        risk.measure,
        float(risk.tolerance),
    )


@st.composite
def problems(draw, measures=("bayes", "binary", "pairs", "entropy"), fractional=True):
    """Return a small problem rich in ties, with a threshold between the full and the empty risk."""
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    n, p = draw(st.integers(2, 24)), draw(st.integers(1, 7))
    levels, classes = draw(st.integers(1, 4)), draw(st.integers(2, 4))
    X = rng.integers(0, levels, (n, p))
    y = rng.integers(0, classes, n)
    if draw(st.booleans()):  # some of the target is in the features, and features repeat
        y = (X[:, 0] + X[:, -1]) % classes
        flip = rng.random(n) < 0.1
        y[flip] = rng.integers(0, classes, flip.sum())
        X[:, rng.integers(0, p)] = X[:, rng.integers(0, p)]
    weights = None
    kind = draw(
        st.sampled_from(["none", "whole", "fractional"] if fractional else ["none", "whole"])
    )
    if kind == "whole":
        weights = rng.integers(0, 4, n)
        weights[0] = 1
    elif kind == "fractional":
        weights = rng.choice([0.1, 0.2, 0.30000000000000004, 0.7, 1.5], n)
    kept = [int(f) for f in rng.permutation(p)[: draw(st.sampled_from([0, 0, 0, 1]))]]
    risk = naive.Risk(X, y, weights=weights, measure=draw(st.sampled_from(measures)), kept=kept)
    r = naive.relevance(X, y, risk.weights)
    order = naive.ascending(r, [f for f in range(p) if f not in kept])
    full, empty = risk.value(order), risk.value([])
    D = full + draw(st.sampled_from([0.0, 0.0, 0.1, 0.25, 0.5, 1.0])) * (empty - full)
    if risk.tolerance == 0:
        D = int(D)
    return risk, order, r, D


many = examples(100)


@many
@given(problems())
def test_risks_and_border_are_those_of_the_definition(problem):
    risk, order, r, _ = problem
    compiled = compile_problem(risk, order, r)
    close = pytest.approx if risk.tolerance else lambda v: v
    assert compiled.full_risk == close(risk.value(order))
    assert compiled.empty_risk == close(risk.value([]))
    prefixes = [
        j
        for j in range(len(order) + 1)
        if risk.value(order[j:]) <= risk.value(order) + risk.tolerance
    ]
    assert compiled.border == max(prefixes)
    for size in range(len(order) + 1):
        subset = order[:size] + list(risk.kept)
        assert compiled.risk(np.array(subset, dtype=np.uint32)) == close(risk.value(subset))


@many
@given(problems())
def test_one_sweep_gives_lcc_and_interact(problem):
    risk, order, r, D = problem
    compiled = compile_problem(risk, order, r)
    kept, value, probes = compiled.sweep("total", D)
    selected = [order[i] for i in kept]
    assert selected == naive.lcc(risk, order, D)
    assert value == pytest.approx(risk.value(selected))
    risk.n_calls = 0
    assert selected == naive.super_lcc(risk, order, D)
    assert probes + 1 == risk.n_calls
    kept, value, _ = compiled.sweep("step", D)
    assert [order[i] for i in kept] == naive.interact(risk, order, D)


def check_elimination(risk, order, result, expected):
    removed, risks, _ = result
    left, sequence = expected
    assert [order[i] for i in removed] == sequence
    assert set(order) - set(sequence) == set(left)
    if len(risks):
        assert risks[-1] == pytest.approx(risk.value(left))


@many
@given(problems())
def test_fast_lazy_and_steepest_descent_remove_the_same_features(problem):
    risk, order, r, D = problem
    compiled = compile_problem(risk, order, r)
    risk.n_calls = 0
    expected = naive.sdcc(risk, order, D)
    steepest = compiled.eliminate("steepest", D)
    assert steepest[2] == risk.n_calls
    for strategy in ("steepest", "fast", "lazy"):
        check_elimination(risk, order, compiled.eliminate(strategy, D), expected)


@pytest.mark.parametrize("measure", ["bayes", "binary", "pairs", "entropy"])
@pytest.mark.parametrize(
    ("levels", "classes", "weighted"),
    [(2, 2, False), (3, 3, True), (20, 2, False), (200, 90, True), (2, 300, False)],
)
def test_wide_values_many_classes_and_many_groups(measure, levels, classes, weighted):
    """Values of one row fill several words; there are more classes than values of a byte."""
    rng = np.random.default_rng([levels, classes])
    n, p = 600, 14
    X = rng.integers(0, levels, (n, p)) * (rng.random((n, p)) < 0.3)
    y = rng.integers(0, classes, n)
    weights = rng.integers(0, 3, n) if weighted else None
    risk = naive.Risk(X, y, weights=weights, measure=measure)
    r = naive.relevance(X, y, risk.weights)
    order = naive.ascending(r, range(p))
    compiled = compile_problem(risk, order, r)
    value, without = compiled.leave_one_out(np.array(order, dtype=np.uint32))
    expected = [risk.value([g for g in order if g != f]) for f in order]
    assert value == pytest.approx(risk.value(order), abs=risk.tolerance)
    assert without.tolist() == pytest.approx(expected, abs=risk.tolerance)
    assert len(set(expected)) > 1 or measure == "binary"
    D = (risk.value(order) + 3 * risk.value([])) / 4
    expected = naive.sdcc(risk, order, D)
    for strategy in ("steepest", "fast", "lazy"):
        check_elimination(risk, order, compiled.eliminate(strategy, D), expected)


@many
@given(problems(fractional=False, measures=("bayes", "binary", "pairs")))
def test_evaluations_are_counted_as_in_the_listings(problem):
    risk, order, r, D = problem
    compiled = compile_problem(risk, order, r)
    listings = {
        "fast": lambda: naive.fsdcc(risk, order, D),
        "lazy": lambda: naive.lazy_fsdcc(risk, order, D),
        "balanced": lambda: naive.asdcc_scan(risk, order, D, r, 0.6),
        "window": lambda: naive.swcfs(risk, order, D, r, 0.6, 0.3, 0.8),
    }
    for strategy, listing in listings.items():
        risk.n_calls = 0
        expected = listing()
        n_evaluated = risk.n_calls
        result = compiled.eliminate(strategy, D, 0.6, 0.3, 0.8)
        check_elimination(risk, order, result, expected)
        assert result[2] == n_evaluated, strategy


@many
@given(problems(), st.sampled_from([0.0, 0.25, 0.75, 1.0]))
def test_balanced_descent_follows_its_definition(problem, alpha):
    risk, order, r, D = problem
    compiled = compile_problem(risk, order, r)
    result = compiled.eliminate("balanced", D, alpha)
    check_elimination(risk, order, result, naive.asdcc(risk, order, D, r, alpha))
    left = sorted(set(range(len(order))) - set(result[0].tolist()))
    if alpha == 1:
        assert left == compiled.sweep("total", D)[0].tolist()
    if alpha == 0:
        assert result[0].tolist() == compiled.eliminate("fast", D)[0].tolist()


@many
@given(
    problems(),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.sampled_from([0.0, 0.1, 0.5, 1.0]),
    st.sampled_from([0.1, 1.0, 3.0]),
)
def test_window_search_follows_its_listing(problem, alpha, window, expansion):
    risk, order, r, D = problem
    compiled = compile_problem(risk, order, r)
    result = compiled.eliminate("window", D, alpha, window, expansion)
    check_elimination(risk, order, result, naive.swcfs(risk, order, D, r, alpha, window, expansion))
    if alpha == 0 and window == 1:
        assert result[0].tolist() == compiled.eliminate("fast", D)[0].tolist()


@many
@given(problems())
def test_outputs_are_feasible_minimal_and_equal_at_the_tightest_threshold(problem):
    risk, order, r, D = problem
    compiled = compile_problem(risk, order, r)

    def sets(bound):
        yield [order[i] for i in compiled.sweep("total", bound)[0]]
        for strategy in ("fast", "balanced", "window"):
            removed = compiled.eliminate(strategy, bound, 0.5, 0.5, 1.0)[0].tolist()
            yield [f for i, f in enumerate(order) if i not in removed]

    for selected in sets(D):
        assert risk.value(selected) <= D + 2 * risk.tolerance
        for f in selected:
            assert risk.value([g for g in selected if g != f]) > D
    tightest = list(sets(compiled.full_risk))
    assert all(selected == tightest[0] for selected in tightest)


@examples(60)
@given(problems())
def test_focus_and_branch_and_bound_find_the_smallest_set(problem):
    risk, order, r, D = problem
    compiled = compile_problem(risk, order, r)
    everything = np.array(order, dtype=np.uint32)
    risk.n_calls = 0
    expected = naive.focus(risk, order, D)
    chosen, n_evaluations, _ = compiled.search("focus", D, 10**6, everything)
    assert chosen.tolist() == expected
    assert n_evaluations == risk.n_calls
    chosen, n_evaluations, _ = compiled.search("abb", D, 10**6, everything)
    features, n_evaluated = naive.abb(risk, order, D)
    assert sorted(chosen.tolist()) == sorted(features)
    assert n_evaluations == n_evaluated


def test_branch_and_bound_from_below_gives_the_same():
    rng = np.random.default_rng(0)
    for seed in range(3):
        X, y = rng.integers(0, 2, (12, 14)), rng.integers(0, 2, 12)
        risk, r = naive.Risk(X, y), naive.relevance(X, y)
        order = naive.ascending(r)
        compiled = compile_problem(risk, order, r)
        everything = np.array(order, dtype=np.uint32)
        chosen, n_evaluations, counted = compiled.search("abb", seed, 10**6, everything)
        features, n_evaluated = naive.abb(risk, order, seed)
        assert sorted(chosen.tolist()) == sorted(features)
        assert counted
        assert n_evaluations == n_evaluated > 5_000
        chosen, at_least, counted = compiled.search("abb", seed, 500, everything)
        assert sorted(chosen.tolist()) == sorted(features)
        assert not counted
        assert at_least < n_evaluated


def test_more_sets_than_bits_of_a_machine_word_are_counted():
    X = np.random.default_rng(0).integers(0, 2, (50, 100))
    X[:, 1:] = X[:, [0]]
    y = X[:, 0]
    risk, r = naive.Risk(X, y), naive.relevance(X, y)
    order = naive.ascending(r)
    compiled = compile_problem(risk, order, r)
    _, n_evaluations, counted = compiled.search("abb", 0, 10**6, np.array(order, dtype=np.uint32))
    assert counted
    assert (
        n_evaluations == 2**100
    )  # every set but the empty one is within the bound, which is evaluated too


@examples(60)
@given(problems(), st.booleans())
def test_set_cover_is_greedy_on_pairs(problem, bounded):
    risk, order, r, D = problem
    compiled = compile_problem(risk, order, r)
    pairs = naive.Risk(risk.X, risk.y, weights=risk.weights, measure="pairs")
    expected, n_evaluated = naive.set_cover(risk, order, D if bounded else None)
    chosen, n_evaluations = compiled.cover(D if bounded else -1.0, float(pairs.tolerance))
    assert chosen.tolist() == expected
    assert n_evaluations == n_evaluated


def test_exact_xor_example():
    X, y = exact_xor()
    r = naive.relevance(X, y)
    risk = naive.Risk(X, y)
    order = naive.ascending(r)
    assert order == [0, 1, 2, 3, 4]
    compiled = compile_problem(risk, order, r)
    assert (compiled.full_risk, compiled.empty_risk, compiled.border) == (0, 16, 0)
    kept, value, probes = compiled.sweep("total", 0)
    assert (kept.tolist(), value, probes + 1) == ([0, 1], 0, 7)
    assert compiled.sweep("step", 0)[0].tolist() == [0, 1]
    counts = {"steepest": 15, "fast": 6, "balanced": 6, "window": 8}
    for strategy, count in counts.items():
        removed, _, n_evaluations = compiled.eliminate(strategy, 0, 0.5, 0.5, 1.0)
        assert removed.tolist() == [2, 3, 4]
        assert n_evaluations == count
    everything = np.array(order, dtype=np.uint32)
    assert compiled.search("focus", 0, 10**6, everything)[1] == 17
    assert sorted(compiled.search("abb", 0, 10**6, everything)[0].tolist()) == [0, 1]
    assert sorted(compiled.cover(-1.0)[0].tolist()) == [0, 1, 2, 3, 4]
    assert compiled.sweep("total", 15)[0].tolist() == [0, 1]
    assert compiled.sweep("total", 16)[0].tolist() == []


def test_noisy_xor_example():
    X, y = noisy_xor()
    r = naive.relevance(X, y)
    assert np.round(r, 6).tolist() == [0.007678, 0.221393, 0.379279, 0.045109, 0.001383]
    order = naive.ascending(r)
    assert order == [4, 0, 3, 1, 2]
    compiled = compile_problem(naive.Risk(X, y), order, r)
    assert (compiled.full_risk, compiled.empty_risk) == (1, 7)

    def left(strategy, D, *options):
        removed = [order[i] for i in compiled.eliminate(strategy, D, *options)[0]]
        return sorted(set(order) - set(removed)), removed

    def swept(rule, D):
        kept, value, _ = compiled.sweep(rule, D)
        return sorted(order[i] for i in kept), value

    assert [swept("step", D) for D in (1, 2, 4)] == [([2], 3), ([2], 3), ([], 7)]
    assert [swept("total", D) for D in (1, 2, 4)] == [([0, 1, 4], 1), ([2, 3], 2), ([2], 3)]
    assert [left("fast", D)[0] for D in (1, 2, 4)] == [[0, 1, 4], [0, 1], [0, 1]]
    assert left("fast", 2)[1] == [3, 2, 4]
    assert left("balanced", 1, 0.75)[0] == [0, 1, 4]
    assert left("balanced", 2, 0.75) == ([0, 2], [3, 4, 1])
    assert left("balanced", 4, 0.75) == ([2], [3, 4, 0, 1])
    assert [left("balanced", D, 0.25)[0] for D in (1, 2, 4)] == [[0, 1, 4], [0, 1], [0, 1]]
    assert left("window", 2, 0.5, 0.5, 1.0) == ([0, 2], [3, 4, 1])
    assert left("window", 4, 0.5, 0.5, 1.0) == ([2], [3, 4, 1, 0])
    assert left("window", 2, 0.5, 0.1, 1.0) == ([2, 3], [4, 0, 1])
    assert left("window", 4, 0.5, 0.1, 1.0) == ([2], [4, 0, 1, 3])
    assert [compiled.cover(D)[0].tolist() for D in (1, 2, 4)] == [[2, 0, 1, 4], [2, 0], [2]]
    assert compiled.sweep("total", 2)[2] + 1 == 6
    n_evaluated = [compiled.eliminate(s, 2, 0.75)[2] for s in ("steepest", "fast", "balanced")]
    assert n_evaluated == [15, 10, 10]
    assert [compiled.eliminate("window", 2, 0.5, w, 1.0)[2] for w in (0.5, 0.1)] == [11, 9]


def test_exhaustive_searches_stop_at_their_limit():
    X, y = exact_xor()
    order = np.arange(5, dtype=np.uint32)
    compiled = compile_problem(naive.Risk(X, y), order, np.zeros(5))
    for method in ("focus", "abb"):
        with pytest.raises(_core.TooManyEvaluations):
            compiled.search(method, 0, 4, order)


@examples(60)
@given(problems(fractional=False), st.integers(0, 2**32 - 1))
def test_row_order_codes_and_constants_change_nothing(problem, seed):
    risk, order, r, D = problem
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(risk.y))
    X = risk.X[rows].copy()
    for f in range(X.shape[1]):
        X[:, f] = rng.permutation(int(X[:, f].max()) + 1)[X[:, f]]
    X = np.column_stack([X, np.zeros(len(rows), dtype=int)])
    weights = np.array(risk.weights)[rows]
    changed = naive.Risk(
        X, np.array(risk.y)[rows], weights=weights, measure=risk.measure, kept=risk.kept
    )
    before = compile_problem(risk, order, r)
    after = compile_problem(changed, [X.shape[1] - 1, *order], [*r, 0.0])
    for rule in ("total", "step"):
        assert (after.sweep(rule, D)[0] - 1).tolist() == before.sweep(rule, D)[0].tolist()
    for strategy in ("fast", "balanced"):
        removed = after.eliminate(strategy, D, 0.7)[0].astype(int)
        assert (removed[1:] - 1).tolist() == before.eliminate(strategy, D, 0.7)[0].tolist()

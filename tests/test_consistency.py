"""The consistency-based selectors through their public interface."""

from __future__ import annotations

import inspect
import itertools
import signal
import threading
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import thresher
from tests.examples import examples
from thresher import (
    ABB,
    ASDCC,
    CWC,
    INTERACT,
    LCC,
    LVF,
    MRMR,
    QBB,
    SDCC,
    SWCFS,
    Ensemble,
    Focus,
    SetCover,
    ThresherWarning,
)

from .naive import consistency as naive
from .test_consistency_kernels import exact_xor, noisy_xor

SELECTORS = [ABB, ASDCC, CWC, INTERACT, LCC, LVF, QBB, SDCC, SWCFS, Focus, SetCover]
BACKWARD = [ASDCC, CWC, INTERACT, LCC, SDCC, SWCFS]


def make(selector, **parameters):
    """Return the selector with those of the parameters that it has, and a seed."""
    known = inspect.signature(selector).parameters
    parameters = {"random_state": 0, "max_tries": 200, **parameters}
    return selector(**{name: value for name, value in parameters.items() if name in known})


def chosen(selector, X, y, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ThresherWarning)
        return sorted(selector.fit(X, y, **options).selected_.tolist())


@pytest.mark.parametrize("selector", SELECTORS)
def test_exact_xor_is_found(selector):
    X, y = exact_xor()
    expected = [0, 1, 2, 3, 4] if selector is SetCover else [0, 1]
    assert chosen(make(selector, delta=0, max_tries=2000), X, y) == expected


def test_evaluations_on_exact_xor():
    X, y = exact_xor()
    n_evaluations = {
        INTERACT(0): 6,
        LCC(0, strategy="linear"): 6,
        LCC(0): 7,
        SDCC(0, strategy="steepest"): 15,
        SDCC(0): 6,
        ASDCC(0): 6,
        SWCFS(0): 8,
        Focus(): 17,
    }
    for selector, expected in n_evaluations.items():
        assert selector.fit(X, y).n_evaluations_ == expected, selector


NOISY = {
    (INTERACT,): ([2], [2], []),
    (LCC,): ([0, 1, 4], [2, 3], [2]),
    (SDCC,): ([0, 1, 4], [0, 1], [0, 1]),
    (ASDCC,): ([0, 1, 4], [0, 2], [2]),
    (ASDCC, ("alpha", 0.25)): ([0, 1, 4], [0, 1], [0, 1]),
    (SWCFS,): ([0, 1, 4], [0, 2], [2]),
    (SWCFS, ("window", 0.1)): ([0, 1, 4], [2, 3], [2]),
    (Focus,): ([0, 1, 4], [2, 3], [2]),
    (ABB,): ([0, 1, 4], [2, 3], [2]),
    (SetCover,): ([0, 1, 2, 4], [0, 2], [2]),
}


@pytest.mark.parametrize("setting", NOISY, ids=str)
def test_noisy_xor(setting):
    selector, *options = setting
    X, y = noisy_xor()
    found = [chosen(selector(delta=d, **dict(options)), X, y) for d in (0.05, 0.1, 0.2)]
    assert tuple(found) == NOISY[setting]


def test_evaluations_on_noisy_xor():
    X, y = noisy_xor()
    n_evaluations = {
        LCC(0.1, strategy="linear"): 6,
        LCC(0.1): 6,
        SDCC(0.1, strategy="steepest"): 15,
        SDCC(0.1): 10,
        ASDCC(0.1): 10,
        SWCFS(0.1): 11,
        SWCFS(0.1, window=0.1): 9,
    }
    for selector, expected in n_evaluations.items():
        assert selector.fit(X, y).n_evaluations_ == expected, selector


def test_removals_are_traced_and_ranked():
    X, y = noisy_xor()
    selector = SDCC(0.1).fit(X, y)
    assert selector.trace_["removed"].tolist() == [3, 2, 4]
    assert selector.trace_["risk"].tolist() == [0.05, 0.05, 0.1]
    assert selector.selected_.tolist() == [1, 0]
    assert selector.ranking_.tolist() == [2, 1, 4, 5, 3]
    assert selector.risk_ == 0.1
    assert selector.full_risk_ == 0.05


def test_scores_are_consistency_contributions():
    X, y = noisy_xor()
    selector = LCC(0.1).fit(X, y)
    risk = naive.Risk(X, y)
    assert selector.selected_.tolist() == [2, 3]
    assert selector.scores_[2] == pytest.approx((risk.value([3]) - risk.value([2, 3])) / 20)
    assert np.isnan(selector.scores_[[0, 1, 4]]).all()
    assert "the risk rises" in selector.reason(2)
    assert "not needed" in selector.reason(0)


def test_inconsistent_data_are_named_and_clipped_or_rejected():
    X, y = noisy_xor()
    for selector in (LCC, SDCC, ASDCC, SWCFS, Focus, ABB):
        with pytest.warns(ThresherWarning, match=r"delta=0 cannot be reached.*0\.05"):
            assert sorted(selector(delta=0).fit(X, y).selected_.tolist()) == [0, 1, 4]
        with pytest.raises(ValueError, match=r"delta=0 cannot be reached.*relative"):
            selector(delta=0, infeasible="raise").fit(X, y)
    assert chosen(LCC(0.05, delta_mode="relative"), X, y) == [2, 3]


def test_a_satisfied_threshold_selects_nothing_or_the_most_relevant():
    X, y = noisy_xor()
    with pytest.warns(ThresherWarning, match="no feature was selected"):
        selector = LCC(delta=0.5).fit(X, y)
    assert not selector.support_.any()
    assert LCC(delta=0.5, min_features=1).fit(X, y).selected_.tolist() == [2]
    assert LCC(delta=0.5, min_features=2).fit(X, y).selected_.tolist() == [2, 1]
    with_constant = np.column_stack([np.zeros(len(y)), X[:, :1]])
    assert LCC(delta=0.5, min_features=2).fit(with_constant, y).selected_.tolist() == [1]


def test_cwc_leaves_out_contradicting_rows():
    X, y = noisy_xor()
    selector = CWC().fit(X, y)
    assert sorted(selector.selected_.tolist()) == [0, 1, 4]
    assert selector.n_samples_used_ == 19
    rng = np.random.default_rng(3)
    for _ in range(20):
        X, y = rng.integers(0, 2, (15, 4)), rng.integers(0, 3, 15)
        expected, rows = naive.cwc(X, y)
        if len(np.unique(y)) > 1:
            assert chosen(CWC(), X, y) == sorted(expected)
            assert CWC(min_features=1).fit(X, y).n_samples_used_ == rows.sum()


def test_cwc_on_consistent_data_is_lcc():
    X, y = exact_xor()
    assert chosen(CWC(), X, y) == chosen(LCC(0), X, y)


def test_samples_that_contradict_others_leave_sparse_data_sparse():
    rng = np.random.default_rng(0)
    X = sparse.random_array((6000, 6000), density=1e-3, format="csc", random_state=rng)
    X.data[:] = 1.0
    y = rng.integers(0, 2, 6000)  # many samples are all zero
    CWC().fit(X[:, :5], y)  # loads what it needs
    tracemalloc.start()
    selector = CWC(min_features=5900).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert selector.n_samples_used_ < 6000
    assert peak < 6000 * 6000 / 4  # of bytes, one for each code


@st.composite
def tie_rich(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, p = draw(st.integers(4, 30)), draw(st.integers(2, 8))
    X = rng.integers(0, draw(st.integers(2, 3)), (n, p))
    X[:, rng.integers(p)] = X[:, rng.integers(p)]
    y = rng.integers(0, draw(st.integers(2, 3)), n)
    y[:2] = [0, 1]
    X[:2, 0] = [0, 1]
    return X, y, draw(st.sampled_from([0.0, 0.05, 0.1, 0.29, 0.4]))


@examples(60)
@given(tie_rich())
def test_selectors_agree_with_slow_reference_implementations(problem):
    X, y, delta = problem
    risk, r = naive.Risk(X, y), naive.relevance(X, y)
    constant = X.min(axis=0) == X.max(axis=0)
    order = sorted(range(X.shape[1]), key=lambda f: (not constant[f], r[f], f))
    D = max(risk.threshold(delta), risk.value(order))
    by_column = sorted(range(X.shape[1]), key=lambda f: (not constant[f], f))
    expected = {
        INTERACT(delta): naive.interact(risk, order, risk.threshold(delta)),
        LCC(delta): naive.lcc(risk, order, D),
        LCC(delta, strategy="linear"): naive.lcc(risk, order, D),
        SDCC(delta): naive.sdcc(risk, order, D)[0],
        SDCC(delta, strategy="steepest"): naive.sdcc(risk, order, D)[0],
        SDCC(delta, tie="first"): naive.sdcc(risk, by_column, D)[0],
        ASDCC(delta): naive.asdcc(risk, order, D, r)[0],
        SWCFS(delta): naive.swcfs(risk, order, D, r)[0],
        Focus(delta): naive.focus(risk, order, D),
        ABB(delta): naive.abb(risk, order, D)[0],
        SetCover(): naive.set_cover(risk, order)[0],
        LVF(delta, max_tries=30, random_state=5): naive.lvf(
            risk, [f for f in order if not constant[f]], D, 30, np.random.RandomState(5)
        )[0],
    }
    for selector, features in expected.items():
        assert chosen(selector, X, y) == sorted(features), selector
        assert selector.risk_ == pytest.approx(risk.value(features) / len(y))


@pytest.mark.parametrize("measure", ["bayes", "binary", "pairs", "entropy"])
def test_measures_and_weights_agree_with_slow_reference_implementations(measure):
    rng = np.random.default_rng(1)
    for i in range(15):
        X = rng.integers(0, 2, (25, 5))
        y = rng.integers(0, 3, 25)
        weights = [None, rng.integers(0, 3, 25), rng.choice([0.1, 0.25, 2.0], 25)][i % 3]
        used = np.ones(25, bool) if weights is None else weights > 0
        X_used, y_used = X[used], y[used]
        kept_weights = None if weights is None else weights[used]
        risk = naive.Risk(X_used, y_used, weights=kept_weights, measure=measure)
        r = naive.relevance(X_used, y_used, risk.weights)
        order = naive.ascending(r)
        D = max(risk.threshold(0.2), risk.value(order))
        for selector, expected in (
            (LCC(0.2, measure=measure), naive.lcc(risk, order, D)),
            (SDCC(0.2, measure=measure), naive.sdcc(risk, order, D)[0]),
        ):
            assert chosen(selector, X, y, sample_weight=weights) == sorted(expected)
            assert selector.risk_ == pytest.approx(risk.value(expected) / risk.unit)


@pytest.mark.parametrize("selector", SELECTORS)
def test_integer_weights_are_repeats(selector):
    rng = np.random.default_rng(2)
    X, y, w = rng.integers(0, 3, (20, 5)), rng.integers(0, 2, 20), rng.integers(0, 3, 20)
    once = make(selector, delta=0.1)
    repeated = make(selector, delta=0.1)
    assert chosen(once, X, y, sample_weight=w) == chosen(
        repeated, np.repeat(X, w, axis=0), np.repeat(y, w)
    )
    assert once.risk_ == repeated.risk_
    assert once.n_evaluations_ == repeated.n_evaluations_


@pytest.mark.parametrize("selector", SELECTORS)
def test_keep_and_exclude(selector):
    rng = np.random.default_rng(4)
    X = pd.DataFrame(rng.integers(0, 2, (60, 6)), columns=list("abcdef"))
    y = X["a"] ^ X["b"]
    fitted = make(selector, delta=0, keep=["f", "e"], exclude=["d"]).fit(X, y)
    assert fitted.selected_[:2].tolist() == [5, 4]
    assert {0, 1} <= set(fitted.selected_.tolist())
    assert 3 not in fitted.selected_
    assert fitted.reason("d") == "excluded by the parameter exclude"
    # The excluded features cannot be used, so the data are inconsistent without them.
    X["c"] = 0
    left = make(selector, delta=0, exclude=["a"])
    assert 0 not in chosen(left, X, y)
    assert 2 not in left.selected_
    assert left.reason("c") == "constant"


@pytest.mark.parametrize("selector", SELECTORS)
def test_constant_and_duplicate_features(selector):
    X, y = exact_xor()
    X = np.column_stack([np.zeros(len(y)), X[:, :2], X[:, :2]]).astype(int)
    fitted = make(selector, delta=0, max_tries=3000).fit(X, y)
    assert 0 not in fitted.selected_
    assert fitted.ranking_[0] == fitted.ranking_.max()
    if selector in BACKWARD:  # of equal features the lowest index goes first
        assert sorted(fitted.selected_.tolist()) == [3, 4]


def test_continuous_features_get_five_equal_bins():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(200, 4))
    y = (X[:, 0] > 0) ^ (X[:, 2] > 0)
    fitted = LCC(0.2).fit(X, y)
    assert fitted.bins_.rule == "equal-frequency"
    assert [len(cuts) for cuts in fitted.bins_.cuts] == [4, 4, 4, 4]
    assert sorted(fitted.selected_.tolist()) == [0, 2]


def test_codes_that_identify_rows_are_warned_of():
    X = np.column_stack([np.arange(50), np.arange(50) % 2, np.arange(50) % 3])
    y = np.arange(50) % 2
    with pytest.warns(ThresherWarning, match="column 0 has 50 distinct values"):
        LCC(discretize=None).fit(X, y)


def test_missing_values_are_rejected_or_a_category():
    X = np.array([[0.0, 1], [np.nan, 1], [1, 0], [np.nan, 0]] * 3)
    y = np.isnan(X[:, 0]).astype(int)
    with pytest.raises(ValueError, match="NaN"):
        LCC().fit(X, y)
    assert LCC(missing="category").fit(X, y).selected_.tolist() == [0]


@pytest.mark.parametrize("selector", SELECTORS)
def test_sparse_frames_and_threads_give_the_same(selector):
    rng = np.random.default_rng(6)
    X = (rng.random((60, 8)) < 0.3).astype(np.int64)
    y = rng.integers(0, 2, 60).astype(str)
    dense = chosen(make(selector, delta=0.1), X, y)
    for other in (sparse.csr_matrix(X), sparse.csc_array(X), pd.DataFrame(X).add_prefix("f")):
        assert chosen(make(selector, delta=0.1), other, y) == dense
    assert chosen(make(selector, delta=0.1, n_jobs=2), X, y) == dense


def test_searches_give_the_risks_of_the_definition():
    X, y = noisy_xor()
    codes = np.ascontiguousarray(X.T.astype(np.uint8))
    table = thresher._core.CodedTable.from_codes(codes, np.full(5, 2, dtype=np.int32))
    r = naive.relevance(X, y)
    order = np.array(naive.ascending(r), dtype=np.uint32)
    rest = (y.astype(np.int32), 2, None, order, np.array([], dtype=np.uint32), r, "bayes", 0.0)
    problem = thresher._core.Consistency(table, *rest)
    naive_risk = naive.Risk(X, y)
    without = [naive_risk.value([g for g in order if g != f]) for f in order]
    assert problem.leave_one_out(order)[1].tolist() == without


def test_exhaustive_searches_reject_to_run_forever():
    X, y = exact_xor()
    for selector in (Focus, ABB):
        with pytest.raises(ValueError, match=r"max_evaluations=3.*Use LCC or SDCC"):
            selector(max_evaluations=3).fit(X, y)


def test_parameters_are_checked():
    X, y = noisy_xor()
    X = np.column_stack([X, np.arange(len(y)) % 7])
    for selector, message in (
        (LCC(delta=-1), "delta must be a number"),
        (LCC(strategy="super"), "strategy must be one of"),
        (LCC(measure="risk"), "measure must be one of"),
        (LCC(delta_mode="rel"), "delta_mode must be one of"),
        (LCC(infeasible="ignore"), "infeasible must be one of"),
        (LCC(min_features=-1), "min_features must be an integer"),
        (SDCC(tie="last"), "tie must be one of"),
        (ASDCC(alpha=2), "alpha must be a number"),
        (SWCFS(window=-0.1), "window must be a number"),
        (SWCFS(expansion=-1), "expansion must be a number"),
        (LVF(max_tries=0.5), "max_tries must be an integer"),
    ):
        with pytest.raises(ValueError, match=message):
            selector.fit(X, y)


def test_interacting_features_are_missed_by_mrmr_and_found_here():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 2, (1000, 10))
        y = X[:, 2] ^ X[:, 7]
        X[:, 4] = np.where(rng.random(1000) < 0.7, y, 1 - y)  # a weak feature that all can see
        assert MRMR(2).fit(X, y).selected_[0] == 4
        assert set(MRMR(2).fit(X, y).selected_) != {2, 7}
        for selector in (INTERACT, LCC, CWC, SDCC, ASDCC, SWCFS, Focus, ABB):
            assert chosen(make(selector, delta=0), X, y) == [2, 7], selector


@pytest.mark.parametrize("kind", ["full", "bagging"])
def test_ensembles_vote_on_sets(kind):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (600, 8))
    y = X[:, 2] ^ X[:, 5]
    y[rng.random(600) < 0.02] ^= 1
    for selector in (INTERACT, LCC, SDCC, ASDCC, SWCFS):
        ensemble = Ensemble(selector(0.05), n_parts=5, kind=kind, random_state=0).fit(X, y)
        assert sorted(ensemble.selected_.tolist()) == [2, 5]
        assert ensemble.votes_[[2, 5]].tolist() == [1, 1]
        assert ensemble.stability_ == 1


EVALUATIONS = {  # delta, then SDCC, LCC, Super-LCC, FSDCC, ASDCC, SWCFS, lazy FSDCC
    "lung_small": (0.03, 52_955, 326, 19, 339, 339, 39, 31),
    "colon": (0.05, 2_000_995, 2_001, 19, 2_019, 2_019, 45, 39),
    "lymphoma": (0.05, 8_106_342, 4_027, 29, 4_057, 4_057, 81, 48),
    "leukemia": (0.05, 24_995_985, 7_071, 15, 7_073, 7_073, 18, 20),
}


@pytest.mark.parametrize("name", EVALUATIONS)
def test_evaluations_on_microarrays(name, load_real):
    X, y = load_real(name)
    delta, *expected = EVALUATIONS[name]
    selectors = [
        SDCC(delta, strategy="steepest"),
        LCC(delta, strategy="linear"),
        LCC(delta),
        SDCC(delta),
        ASDCC(delta),
        SWCFS(delta),
        SDCC(delta, strategy="lazy"),
    ]
    assert [selector.fit(X, y).n_evaluations_ for selector in selectors] == expected
    for steepest in (selectors[3], selectors[6]):
        assert selectors[0].selected_.tolist() == steepest.selected_.tolist()
    assert selectors[1].selected_.tolist() == selectors[2].selected_.tolist()
    for selector in selectors:
        assert selector.risk_ <= delta


def test_all_searches_are_exported():
    for selector in SELECTORS:
        assert getattr(thresher, selector.__name__) is selector
    assert len(list(itertools.chain(SELECTORS))) == 11


def test_interrupt_stops_an_exhaustive_search():
    X, y = np.random.default_rng(0).integers(0, 2, (3000, 40)), np.arange(3000) % 2
    selector = Focus(max_evaluations=10**9)
    timer = threading.Timer(0.3, signal.raise_signal, (signal.SIGINT,))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        selector.fit(X, y)
    assert not hasattr(selector, "selected_")

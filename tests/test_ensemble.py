"""Ensembles: exactness of the fast kind, votes, replicates."""

from __future__ import annotations

import logging
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.base import clone
from sklearn.feature_selection import RFE, SelectKBest, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from tests.examples import examples
from tests.measures import DISCRETE, ON_GRID
from tests.naive.replicates import full_ensemble, inner_ensemble, take_vote
from tests.selectors import made_of_sums, others
from thresher import (
    CFS,
    CMIM,
    FCBF,
    GSO,
    JMI,
    JMIM,
    LCC,
    MRMR,
    NMIFS,
    RRCT,
    CMIFilter,
    Ensemble,
    ReliefF,
    ThresherWarning,
    Univariate,
)
from thresher.evaluate.stability import mean_jaccard, select_sizes, stability_curve, stability_grid
from thresher.measures import KINDS
from thresher.search.ensemble import PART_KINDS, assign_parts, bootstrap_counts, draw_seed

# Twelve rows, five features, the class last.
WORKED = np.array(
    [
        [1, 1, 1, 2, 0, 1],
        [0, 0, 0, 0, 0, 1],
        [1, 0, 0, 2, 2, 0],
        [0, 0, 1, 2, 2, 0],
        [1, 0, 2, 0, 0, 0],
        [0, 1, 2, 0, 0, 1],
        [0, 1, 2, 0, 0, 1],
        [0, 0, 1, 1, 0, 0],
        [0, 1, 0, 0, 1, 1],
        [0, 2, 1, 1, 2, 1],
        [1, 2, 1, 2, 2, 1],
        [2, 1, 0, 2, 1, 1],
    ]
)


def lists_of(ensemble):
    return [entries.tolist() for entries in ensemble.parts_]


def codes(n=40, p=12, levels=3, classes=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    X = rng.integers(0, levels, (n, p))
    X[:, ::3] = np.where(rng.random((n, len(range(0, p, 3)))) < 0.5, y[:, None] % levels, X[:, ::3])
    return X, y


def numbers(n=60, p=15, classes=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    X = rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) * 0.3 + rng.normal(size=(n, p))
    X[:, ::4] += y[:, None]
    return X, y


@pytest.mark.parametrize("kind", ["fast", "full"])
@pytest.mark.parametrize(
    ("objective", "lists", "combined", "pairs"),
    [
        ("difference", [[1, 3, 0], [1, 0, 4], [1, 0, 2]], [1, 0, 3], 14),
        ("quotient", [[1, 3, 0], [1, 0, 4], [1, 2, 0]], [1, 0, 2], 15),
    ],
)
def test_worked_example(kind, objective, lists, combined, pairs):
    X, y = WORKED[:, :5], WORKED[:, 5]
    ensemble = Ensemble(MRMR(3, objective=objective), n_parts=3, kind=kind).fit(X, y)
    assert lists_of(ensemble) == lists
    assert ensemble.selected_.tolist() == combined
    assert ensemble.n_pairs_fast_ == pairs
    assert ensemble.n_pairs_standard_ == 36
    assert ensemble.stability_ == 0.5
    assert ensemble.votes_[[1, 0]].tolist() == [1.0, 1.0]
    assert ensemble.ranking_[combined].tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("objective", "expected"), [("difference", [1, 0, 2]), ("quotient", [1, 0, 4])]
)
def test_worked_example_of_the_inner_ensemble(objective, expected):
    X, y = WORKED[:, :5], WORKED[:, 5]
    inner = Ensemble(MRMR(3, objective=objective), n_parts=3, kind="inner").fit(X, y)
    assert inner.selected_.tolist() == expected
    assert MRMR(3, objective=objective).fit(X, y).selected_.tolist() == expected
    mean = [0.105912, 0.636289, 0.089647, 0.177141, 0.224860]
    np.testing.assert_allclose(inner.relevance_, mean, atol=5e-7)
    assert inner.n_pairs_standard_ == 36


OBJECTIVES = ["difference", "quotient", "sum", "product"]


@given(st.integers(0, 10_000), st.sampled_from(OBJECTIVES), st.data())
@examples(25)
def test_fast_agrees_with_every_replicate_done_by_itself(seed, objective, data):
    X, y = codes(n=14, p=6, seed=seed)
    y[:2] = 0, 1
    X[:2] = [[0] * 6, [1] * 6]
    e = data.draw(st.integers(2, 6))
    kind = data.draw(st.sampled_from(PART_KINDS))
    vote = data.draw(st.sampled_from(["majority", "mean-rank"]))
    bounded = [name for name in ON_GRID if KINDS[name].maximum <= 1]
    measure = data.draw(st.sampled_from(bounded if objective == "product" else ON_GRID))
    k = data.draw(st.integers(1, 6))
    ensemble = Ensemble(
        MRMR(k, relevance=measure, redundancy=measure, objective=objective),
        n_parts=e,
        parts=kind,
        vote=vote,
        random_state=seed,
    )
    part = assign_parts(14, e, kind, target=y, seed=draw_seed(seed) if kind == "shuffled" else 0)
    expected = full_ensemble(X, y, k, part, measure, objective)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ThresherWarning)
        if len(expected) < 2:
            with pytest.raises(ValueError, match="replicates can be used"):
                ensemble.fit(X, y)
            return
        ensemble.fit(X, y)
    assert lists_of(ensemble) == expected
    assert ensemble.selected_.tolist() == take_vote(expected, 6, k, vote)
    assert ensemble.stability_ == mean_jaccard(expected)


@given(st.integers(0, 10_000), st.sampled_from(OBJECTIVES))
@examples(10)
def test_inner_agrees_with_its_definition(seed, objective):
    X, y = codes(n=15, p=6, classes=2, seed=seed)
    y[:6] = 0, 1, 0, 1, 0, 1
    part = assign_parts(15, 3)
    measure = "su" if objective == "product" else "mi"
    method = MRMR(5, relevance=measure, objective=objective)
    ensemble = Ensemble(method, n_parts=3, kind="inner").fit(X, y)
    assert ensemble.selected_.tolist() == inner_ensemble(X, y, 5, part, measure, objective)


CODED = [
    {"relevance": name, "redundancy": name, "objective": objective}
    for name in DISCRETE
    for objective in ("difference", "quotient")
]
NUMERIC = [
    {"relevance": relevance, "redundancy": redundancy, "objective": objective}
    for relevance, redundancy in (("f", "pearson"), ("mi", "pearson"), ("f", "cosine"))
    for objective in ("quotient", "sum")
]


def same(first, second):
    assert lists_of(first) == lists_of(second)
    np.testing.assert_array_equal(first.votes_, second.votes_)
    np.testing.assert_array_equal(first.selected_, second.selected_)
    np.testing.assert_array_equal(first.relevance_, second.relevance_)
    assert first.stability_ == second.stability_
    assert first.n_pairs_fast_ == second.n_pairs_fast_


@pytest.mark.filterwarnings("ignore::thresher.ThresherWarning")
@pytest.mark.parametrize("parameters", CODED + NUMERIC, ids=lambda d: "-".join(d.values()))
@pytest.mark.parametrize("seed", [0, 1])
def test_fast_is_full(parameters, seed):
    discrete = parameters["redundancy"] not in ("pearson", "cosine")
    X, y = codes(seed=seed) if discrete else numbers(seed=seed)
    for parts in PART_KINDS:
        fast, full = (
            Ensemble(MRMR(6, **parameters), 7, kind=kind, parts=parts, random_state=3).fit(X, y)
            for kind in ("fast", "full")
        )
        same(fast, full)


@pytest.mark.parametrize("objective", ["difference", "quotient"])
@pytest.mark.parametrize("limit", [None, 40_000])
def test_fast_is_full_on_many_rows(objective, limit):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 17_000)
    noise = rng.standard_normal((17_000, 60))
    levels = rng.integers(0, 8, noise.shape).astype(np.uint8)
    levels[:, 3:6] = rng.random((17_000, 3)) < 0.02
    for X in (noise + 0.02 * y[:, None] * rng.random(60), levels):
        selector = MRMR(12, objective=objective)
        fast = Ensemble(selector, 4, memory_limit=limit).fit(X, y)
        full = Ensemble(selector, 4, kind="full").fit(X, y)
        same(fast, full)
        assert fast.n_evaluations_ < full.n_evaluations_


def test_fast_is_full_for_more_features_than_a_word_has_bits():
    X, y = numbers(n=200, p=150)
    fast = Ensemble(MRMR(140), n_parts=5).fit(X, y)
    full = Ensemble(MRMR(140), n_parts=5, kind="full").fit(X, y)
    assert lists_of(fast) == lists_of(full)


def test_fast_is_full_on_a_numeric_target():
    X, _ = numbers(seed=4)
    y = X[:, 0] + np.sin(np.arange(60))
    for measure in ("pearson", "mi"):
        selector = MRMR(5, relevance=measure, redundancy=measure)
        fast, full = (Ensemble(selector, 6, kind=kind).fit(X, y) for kind in ("fast", "full"))
        same(fast, full)


@pytest.mark.parametrize(
    "options", [{"keep": [7, 2]}, {"exclude": [0, 3]}, {"redundancy_weight": 0.3}]
)
def test_fast_is_full_with_other_settings(options):
    X, y = codes(seed=5)
    selector = MRMR(5, objective="difference", **options)
    fast, full = (Ensemble(selector, 5, kind=kind).fit(X, y) for kind in ("fast", "full"))
    same(fast, full)
    if "keep" in options:
        assert fast.selected_[:2].tolist() == [7, 2]
        assert fast.votes_[[7, 2]].tolist() == [1.0, 1.0]
    if "exclude" in options:
        assert not fast.votes_[[0, 3]].any()
        assert fast.reason(0).startswith("excluded")


def test_a_replicate_is_the_selection_without_its_part():
    X, y = numbers(seed=2)
    ensemble = Ensemble(MRMR(5), 6).fit(X, y)
    for i, entries in enumerate(lists_of(ensemble)):
        rows = np.arange(60) % 6 != i
        assert MRMR(5).fit(X[rows], y[rows]).selected_.tolist() == entries


def test_bagging_repeats_rows():
    X, y = codes(n=60, seed=3)
    ensemble = Ensemble(MRMR(5), 6, kind="bagging", random_state=4).fit(X, y)
    counts = bootstrap_counts(60, 6, draw_seed(4))
    for drawn, entries in zip(counts, lists_of(ensemble), strict=True):
        assert MRMR(5).fit(X, y, sample_weight=drawn).selected_.tolist() == entries
        rows = np.repeat(np.arange(60), drawn)
        assert MRMR(5).fit(X[rows], y[rows]).selected_.tolist() == entries
    again = Ensemble(MRMR(5), 6, kind="bagging", random_state=4).fit(X, y)
    same(ensemble, again)
    other = Ensemble(MRMR(5), 6, kind="bagging", random_state=5).fit(X, y)
    assert lists_of(other) != lists_of(ensemble)


def test_bagging_of_numbers_repeats_rows():
    X, y = numbers(seed=3)
    ensemble = Ensemble(MRMR(5), 4, kind="bagging", random_state=0).fit(X, y)
    counts = bootstrap_counts(60, 4, draw_seed(0))
    for drawn, entries in zip(counts, lists_of(ensemble), strict=True):
        rows = np.repeat(np.arange(60), drawn)
        assert MRMR(5).fit(X[rows], y[rows]).selected_.tolist() == entries


def test_spearman_works_by_refitting_only():
    X, y = numbers(classes=2, seed=1)
    selector = MRMR(4, relevance="spearman", redundancy="spearman")
    for kind in ("fast", "inner"):
        with pytest.raises(ValueError, match=r'got "spearman". Use kind="full"'):
            Ensemble(selector, 5, kind=kind).fit(X, y)
    full = Ensemble(selector, 5, kind="full").fit(X, y)
    for i, entries in enumerate(lists_of(full)):
        rows = np.arange(60) % 5 != i
        assert selector.fit(X[rows], y[rows]).selected_.tolist() == entries
    assert len(Ensemble(selector, 5, kind="bagging", random_state=0).fit(X, y).parts_) == 5


@pytest.mark.parametrize("limit", [1, 20_000])
def test_a_memory_limit_changes_nothing_but_the_log(limit, caplog):
    X, y = codes(n=200, p=60, levels=9, seed=1)  # with fewer rows nothing is cached
    free = Ensemble(MRMR(10), 8).fit(X, y)
    with caplog.at_level(logging.WARNING, logger="thresher"):
        tight = Ensemble(MRMR(10), 8, memory_limit=limit).fit(X, y)
    same(free, tight)
    assert tight.n_evaluations_ >= free.n_evaluations_
    assert "memory_limit" in caplog.text


def test_threads_do_not_change_the_result():
    for X, y in (codes(n=50, p=60, seed=1), numbers(seed=9)):
        for kind in ("fast", "inner", "full"):
            one, many = (Ensemble(MRMR(8), 5, kind=kind, n_jobs=jobs).fit(X, y) for jobs in (1, 5))
            same(one, many)
            assert one.n_evaluations_ == many.n_evaluations_


def test_lazy_pruning_computes_fewer_pairs_than_the_paper():
    X, y = codes(n=60, p=80, seed=1)
    ensemble = Ensemble(MRMR(8), 10).fit(X, y)
    assert ensemble.n_evaluations_ < ensemble.n_pairs_fast_ - 80
    assert ensemble.n_pairs_fast_ < ensemble.n_pairs_standard_


def test_other_selectors_are_refitted():
    X, y = numbers(classes=2, seed=0)
    X = X[:, :8]
    for selector in (
        SelectKBest(f_classif, k=4),
        RFE(LogisticRegression(), n_features_to_select=4),
    ):
        for kind in ("fast", "inner"):
            with pytest.raises(ValueError, match=r'Use kind="full" or kind="bagging"'):
                Ensemble(selector, 5, kind=kind).fit(X, y)
        full = Ensemble(selector, 5, kind="full").fit(X, y)
        assert len(full.selected_) == 4
        assert full.n_pairs_fast_ is None
        for i, entries in enumerate(lists_of(full)):
            rows = np.arange(60) % 5 != i
            expected = np.flatnonzero(selector.fit(X[rows], y[rows]).get_support())
            assert sorted(entries) == expected.tolist()
        bagged = Ensemble(selector, 5, kind="bagging", random_state=0, n_jobs=2).fit(X, y)
        assert bagged.transform(X).shape == (60, 4)


def test_weights_travel_by_metadata_routing():
    X, y = codes(n=30, seed=2)
    weights = np.random.default_rng(0).integers(1, 4, 30)
    with pytest.raises(ValueError, match="enable_metadata_routing"):
        Ensemble(MRMR(4), 5).fit(X, y, sample_weight=weights)
    with config_context(enable_metadata_routing=True):
        selector = MRMR(4).set_fit_request(sample_weight=True)
        fast, full = (
            Ensemble(selector, 5, kind=kind).fit(X, y, sample_weight=weights)
            for kind in ("fast", "full")
        )
        same(fast, full)
        rows = np.arange(30) % 5 != 0
        plain = MRMR(4).fit(X[rows], y[rows], sample_weight=weights[rows])
        assert plain.selected_.tolist() == lists_of(fast)[0]
        halves = weights + 0.5
        fast, full = (
            Ensemble(selector, 5, kind=kind).fit(X, y, sample_weight=halves)
            for kind in ("fast", "full")
        )
        same(fast, full)
        ones = Ensemble(selector, 5).fit(X, y, sample_weight=np.ones(30))
        same(ones, Ensemble(selector, 5).fit(X, y))
        bagged = Ensemble(SelectKBest(f_classif, k=3), 4, kind="full")
        pipeline = make_pipeline(Ensemble(selector, 5))
        pipeline.fit(X, y, sample_weight=weights)
        assert bagged.fit(X, y).selected_.size == 3


def test_the_vote_is_taken_again_for_every_size():
    X, y = codes(n=60, p=20, seed=4)
    for vote in ("majority", "mean-rank"):
        for kind in ("fast", "inner"):
            large = Ensemble(MRMR(8), 6, vote=vote, kind=kind).fit(X, y)
            for k in (1, 3, 8):
                small = Ensemble(MRMR(k), 6, vote=vote, kind=kind).fit(X, y)
                assert large._selected_at(k) == small.selected_.tolist()


def test_a_curve_of_an_ensemble_and_its_grid():
    X, y = codes(n=60, p=20, seed=4)
    options = {"k": [2, 5], "n_splits": 5, "n_repeats": 2, "random_state": 0}
    curve = stability_curve(Ensemble(n_parts=5), X, y, **options)
    assert curve.values.shape == (2, 2)
    grid = stability_grid(Ensemble(n_parts=5), X, y, n_parts=[2, 5], **options)
    assert grid.values.shape == (2, 2)
    assert grid.n_parts.tolist() == [2, 5]


def test_reasons_mention_the_votes():
    X, y = codes(seed=1)
    ensemble = Ensemble(MRMR(4), 5).fit(X, y)
    first = int(ensemble.selected_[0])
    assert "selected by 5 of 5 replicates" in ensemble.reason(first)
    X, y = np.random.default_rng(0).integers(0, 3, (40, 30)), np.arange(40) % 2
    ensemble = Ensemble(MRMR(4), 5).fit(X, y)
    left = np.setdiff1d(np.flatnonzero(ensemble.votes_), ensemble.selected_)
    assert left.size
    for feature in left.tolist():
        n_votes = sum(feature in part for part in ensemble.parts_)
        assert ensemble.reason(feature) == f"outvoted: selected by {n_votes} of 5 replicates"
    never = int(np.argmin(ensemble.votes_))
    assert ensemble.reason(never) == "selected by none of 5 replicates"
    assert Ensemble.from_json(ensemble.to_json()).reason(never) == ensemble.reason(never)


PUBLISHED_LUNG = {
    5: (12505, 20844, 26410, 29322, 32472),
    10: (16929, 24055, 29539, 31239, 33274),
    20: (22099, 27550, 30820, 32269, 33669),
}


@pytest.mark.parametrize("e", [5, 10, 20])
def test_published_counts_of_lung(e, load_real):
    from thresher.evaluate.cost import count_pairs_fast

    X, y = load_real("lung_small")
    ensemble = Ensemble(MRMR(50, objective="quotient"), e).fit(X, y)
    counts = tuple(count_pairs_fast(ensemble.parts_, 325, k) for k in (10, 20, 30, 40, 50))
    assert counts == PUBLISHED_LUNG[e]
    assert ensemble.n_pairs_fast_ == counts[-1]


@pytest.mark.parametrize(
    ("name", "e", "k", "u"),
    [
        ("colon", 20, 50, 120),
        ("leukemia", 20, 50, 177),
        ("lymphoma", 10, 20, 157),
        ("nci9", 5, 10, 42),
    ],
)
def test_published_counts_of_larger_microarrays(name, e, k, u, load_real):
    X, y = load_real(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ThresherWarning)
        ensemble = Ensemble(MRMR(k, objective="quotient"), e).fit(X, y)
    p = X.shape[1]
    assert ensemble.n_pairs_fast_ == p + u * p - u * (u + 1) // 2


SUMS = [
    CFS(),
    CFS(n_features_to_select=4),
    CFS(search="best-first"),
    FCBF(),
    NMIFS(4),
    CMIFilter(),
    CMIFilter(3),
    GSO(4),
]
SUMS += others(SUMS, made_of_sums, n_features_to_select=4)


@pytest.mark.filterwarnings("ignore::thresher.ThresherWarning")
@pytest.mark.parametrize("selector", SUMS, ids=repr)
def test_every_selector_made_of_sums_shares_its_work(selector):
    for seed in range(3):
        X, y = codes(n=60, p=15, seed=seed)
        fast, full, inner, bagged = (
            Ensemble(selector, 5, kind=kind, random_state=0).fit(X, y)
            for kind in ("fast", "full", "inner", "bagging")
        )
        same(fast, full)
        assert fast.n_evaluations_ <= full.n_evaluations_
        assert len(inner.selected_) > 0
        assert len(bagged.parts_) == 5


@pytest.mark.parametrize(
    "selector", [MRMR(), NMIFS(), JMI(), CMIM(), JMIM(), CMIFilter(), GSO(), RRCT()], ids=repr
)
def test_nested_selectors_need_one_fit_for_all_sizes(selector):
    X, y = codes(n=60, p=15, seed=1)
    sizes = [1, 3, 6]
    expected = [
        clone(selector).set_params(n_features_to_select=k).fit(X, y).selected_.tolist()
        for k in sizes
    ]
    assert select_sizes(selector, X, y, sizes) == expected
    assert selector._nested


@pytest.mark.parametrize("selector", [LCC(), ReliefF(4), Univariate(4)], ids=repr)
def test_selectors_that_are_not_sums_are_refitted(selector):
    X, y = codes(n=60, p=15, seed=1)
    with pytest.raises(ValueError, match=r'Use kind="full" or kind="bagging"'):
        Ensemble(selector, 5).fit(X, y)
    full = Ensemble(selector, 5, kind="full").fit(X, y)
    for i, entries in enumerate(lists_of(full)):
        rows = np.arange(60) % 5 != i
        assert clone(selector).fit(X[rows], y[rows]).selected_.tolist() == entries

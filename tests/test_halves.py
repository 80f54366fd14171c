"""Votes over complementary halves of the rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import RFECV, SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer

from tests.selectors import made_of_sums, others
from thresher import (
    CFS,
    FCBF,
    GSO,
    JMI,
    MRMR,
    NMIFS,
    RFS,
    RRCT,
    Chain,
    Ensemble,
    FisherScore,
    ThresherWarning,
)
from thresher.discretize import EqualFrequencyBins
from thresher.evaluate import error_bound
from thresher.evaluate.curves import select_sizes
from thresher.search.ensemble import assign_parts, draw_halves, number_groups


def problem(n=120, p=15, seed=0, classes=2):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    X = rng.integers(0, 3, (n, p))
    for feature in range(4):
        copied = rng.random(n) < 0.6
        X[copied, feature] = y[copied]
    return X, y


def halves_of(ensemble):
    """Yield the rows of every half, first half and other half in turn."""
    for half in ensemble.halves_:
        for parts in (half, ~half):
            yield np.flatnonzero(parts[ensemble.part_of_row_])


OF_SUMS = [
    MRMR(3),
    CFS(),
    FCBF(),
    NMIFS(3),
    JMI(3),
    GSO(3),
    MRMR(3, relevance="su", redundancy="su"),
]
OF_SUMS += others(OF_SUMS, made_of_sums, n_features_to_select=3)


@pytest.mark.parametrize("selector", [*OF_SUMS, RRCT(3), FisherScore(3)], ids=repr)
def test_every_list_is_the_fit_on_its_half(selector):
    X, y = problem()
    ensemble = Ensemble(selector, 10, kind="halves", n_pairs=4, random_state=1).fit(X, y)
    lists = [
        clone(selector).fit(X[rows], y[rows]).selected_.tolist() for rows in halves_of(ensemble)
    ]
    assert [entries.tolist() for entries in ensemble.parts_] == lists
    votes = np.array([sum(f in entries for entries in lists) for f in range(15)])
    np.testing.assert_array_equal(ensemble.votes_, votes / 8)
    assert ensemble.q_ == np.mean([len(entries) for entries in lists])
    assert ensemble.cutoff_ == 0.75
    positions = [sum(x.index(f) for x in lists if f in x) + votes[f] for f in range(15)]
    expected = sorted(
        (f for f in range(15) if votes[f] >= 6), key=lambda f: (-votes[f], positions[f], f)
    )
    assert ensemble.selected_.tolist() == expected
    assert ensemble.error_bound_ == error_bound(15, ensemble.q_, 0.75, n_pairs=4)


def assert_halves_are_fits(ensemble, X, y, selector):
    """Check each list, in order, and the mean relevance, bit for bit."""
    fits = [clone(selector).fit(X[rows], y[rows]) for rows in halves_of(ensemble)]
    assert [found.tolist() for found in ensemble.parts_] == [one.selected_.tolist() for one in fits]
    total = np.zeros(X.shape[1])
    for one in fits:
        total += one.relevance_
    np.testing.assert_array_equal(ensemble.relevance_, total / len(fits))


BY_PRODUCTS = [
    MRMR(10, relevance="r2", redundancy="r2"),
    MRMR(10, relevance="f", redundancy="pearson"),
    MRMR(10, relevance="pearson", redundancy="pearson"),
]
BY_COUNTS = [
    MRMR(10, relevance="mi", redundancy="mi"),
    MRMR(10, relevance="su", redundancy="su"),
    CFS(),
    FCBF(),
    JMI(8),
    NMIFS(8),
]


@pytest.mark.parametrize("n_rows", [60, 120, 400, 900])
@pytest.mark.parametrize("n_levels", [2, 4, 5, 7, 8, 9])
def test_halves_of_few_rows_of_any_number_of_levels_are_fits(n_rows, n_levels):
    rng = np.random.default_rng(n_rows)
    y = rng.integers(0, 2, n_rows)
    X = rng.integers(0, n_levels, (n_rows, 9))
    X[:, :3] = np.where(rng.random((n_rows, 3)) < 0.4, y[:, None], X[:, :3])
    selector = MRMR(5, relevance="mi", redundancy="mi")
    ensemble = Ensemble(selector, 20, kind="halves", n_pairs=3, random_state=0).fit(X, y)
    assert_halves_are_fits(ensemble, X, y, selector)


@pytest.mark.parametrize("selector", [*BY_COUNTS, *BY_PRODUCTS], ids=repr)
@pytest.mark.parametrize("name", ["colon", "leukemia"])
def test_halves_of_real_data_are_fits(load_real, name, selector):
    X, y = load_real(name)
    ensemble = Ensemble(selector, 40, kind="halves", n_pairs=3, random_state=0).fit(X, y)
    assert_halves_are_fits(ensemble, X, y, selector)


@pytest.mark.parametrize("selector", BY_PRODUCTS, ids=repr)
@pytest.mark.parametrize("name", ["colon_raw", "sonar"])
def test_halves_of_real_numbers_are_fits(load_real, name, selector):
    X, y = load_real(name)
    ensemble = Ensemble(selector, 40, kind="halves", n_pairs=3, random_state=0).fit(X, y)
    assert_halves_are_fits(ensemble, X, y, selector)


@pytest.mark.parametrize("selector", [MRMR(4), MRMR(4, relevance="f")], ids=repr)
@pytest.mark.parametrize("n_pairs", [2, 20])
def test_halves_of_numbers_are_fits_whether_sums_are_shared_or_not(selector, n_pairs):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 130)
    X = rng.normal(size=(130, 12)) + np.outer(y, np.linspace(1, 0, 12))
    X[:, 5] = 7
    ensemble = Ensemble(selector, 20, kind="halves", n_pairs=n_pairs, random_state=0).fit(X, y)
    assert_halves_are_fits(ensemble, X, y, selector)
    assert ensemble.error_bound_ == error_bound(11, 4, 0.75, n_pairs=n_pairs)


@pytest.mark.parametrize("selector", BY_COUNTS, ids=repr)
def test_halves_of_real_numbers_are_fits_with_the_bins_of_all_rows(load_real, selector):
    X, y = load_real("sonar")
    binned = clone(selector).set_params(discretize=EqualFrequencyBins(5))
    ensemble = Ensemble(binned, 40, kind="halves", n_pairs=3, random_state=0).fit(X, y)
    codes = EqualFrequencyBins(5).fit(X, y).transform(X).astype(np.uint8)
    assert_halves_are_fits(ensemble, codes, y, selector)


def test_halves_are_drawn_by_pairs_and_from_one_seed():
    X, y = problem()
    first, again = (
        Ensemble(MRMR(3), 12, kind="halves", n_pairs=6, random_state=3).fit(X, y) for _ in range(2)
    )
    np.testing.assert_array_equal(first.halves_, again.halves_)
    assert first.halves_.shape == (6, 12)
    assert (first.halves_.sum(axis=1) == 6).all()
    assert len(first.parts_) == 12
    many, few = draw_halves(12, 9, seed=3), draw_halves(12, 4, seed=3)
    np.testing.assert_array_equal(many[:4], few)
    assert len({half.tobytes() for half in many}) > 5
    np.testing.assert_array_equal(first.part_of_row_, assign_parts(120, 12))


def test_the_cutoff_can_follow_from_the_errors_allowed():
    X, y = problem(p=40)
    options = {"kind": "halves", "n_pairs": 10, "random_state": 0}
    found = Ensemble(MRMR(4), 20, cutoff="auto", pfer=1, **options).fit(X, y)
    assert found.cutoff_ == error_bound(40, q=4, pfer=1, n_pairs=10)
    assert found.error_bound_ <= 1
    with pytest.raises(
        ValueError, match=r"above pfer=0.5. Set cutoff=0.9, or use a selector of at most 2"
    ):
        Ensemble(MRMR(4), 20, cutoff=0.6, pfer=0.5, **options).fit(X, y)
    with pytest.raises(ValueError, match=r"no cutoff keeps pfer=0.1 with q=4.*at most 2 features"):
        Ensemble(MRMR(4), 20, cutoff="auto", pfer=0.1, **options).fit(X, y)
    concave = Ensemble(MRMR(4), 20, assumption="r-concave", **options).fit(X, y)
    assert concave.error_bound_ < 0.4


def test_an_empty_selection_is_reported():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (60, 80)), rng.integers(0, 2, 60)
    with pytest.warns(ThresherWarning, match="no feature was selected: none has the votes"):
        ensemble = Ensemble(MRMR(2), 20, kind="halves", n_pairs=10, cutoff=1, random_state=0).fit(
            X, y
        )
    assert len(ensemble.selected_) == 0
    assert ensemble.votes_.sum() == pytest.approx(2)


@pytest.mark.filterwarnings("ignore::thresher.ThresherWarning")
def test_noise_is_selected_less_often_than_the_bound():
    total, bound = 0, 0.0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 3, (80, 40)), rng.integers(0, 2, 80)
        ensemble = Ensemble(MRMR(4), 20, kind="halves", n_pairs=10, cutoff=0.6, random_state=seed)
        ensemble.fit(X, y)
        total += len(ensemble.selected_)
        bound += ensemble.error_bound_
    assert total < bound


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_parts": 7}, "n_parts must be even and at least 2 .* got 7. Set n_parts=8"),
        ({"n_parts": 0}, "n_parts must be even and at least 2 .* got 0. Set n_parts=2"),
        ({"n_parts": "ten"}, "n_parts must be an integer, got 'ten'"),
        ({"n_pairs": 1}, "n_pairs must be an integer of at least 2, got 1"),
        ({"cutoff": None}, "cutoff must be a number .* got None"),
        ({"cutoff": "auto", "pfer": 1e-4}, "Not even q=1 does. Set a pfer of at least 0.0667"),
        ({"selector": Chain([RFS(9), MRMR(3, keep=[1])])}, r"keep=\[1\] cannot be used"),
        ({"selector": "mrmr"}, r"selector must be a selector such as MRMR\(\), got 'mrmr'"),
        ({"selector": MRMR}, r"selector must be a selector such as MRMR\(\)"),
        ({"cutoff": 0.5}, "cutoff must be a number above 0.5 and of at most 1, got 0.5"),
        ({"cutoff": "best"}, 'cutoff must be a number or "auto"'),
        ({"cutoff": "auto"}, 'cutoff="auto" requires pfer'),
        ({"assumption": "normal"}, "assumption must be one of"),
        ({"vote": "mean-rank"}, 'vote must be "majority"'),
        ({"pfer": -1}, "pfer"),
        ({"selector": MRMR(3, keep=[2])}, 'keep=.* cannot be used with kind="halves"'),
        ({"selector": MRMR(3, relevance="spearman")}, r'got "spearman"\. Use "pearson"'),
    ],
)
def test_bad_parameters_get_a_one_line_error(parameters, message):
    X, y = problem()
    with pytest.raises(ValueError, match=message):
        Ensemble(**{"selector": MRMR(3), "kind": "halves", **parameters}).fit(X.astype(float), y)


def test_bins_that_use_the_target_are_rejected():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 5)), rng.integers(0, 2, 80)
    options = {"kind": "halves", "n_pairs": 2, "cutoff": 0.6, "random_state": 0}
    for selector in (CFS(), FCBF(), MRMR(2, discretize="mdl", relevance="mi")):
        with pytest.raises(ValueError, match='Set discretize="equal-frequency"'):
            Ensemble(selector, 10, **options).fit(X, y)
    bins = (KBinsDiscretizer(3, encode="ordinal"), EqualFrequencyBins(3), "equal-frequency")
    for rule in bins:
        Ensemble(FCBF(discretize=rule), 10, **options).fit(X, y)
    Ensemble(CFS(), 10, **options).fit(np.digitize(X, [-1, 0, 1]), y)


def test_a_half_with_one_class_is_left_out_with_its_other_half():
    X, y = problem(n=24)
    y = np.zeros(24, int)
    y[[0, 6, 12]] = 1  # parts 0 and 2 of 4
    y[4] = 1
    selector = MRMR(2)
    with pytest.warns(ThresherWarning, match="with its other half"):
        ensemble = Ensemble(selector, 4, kind="halves", n_pairs=12, random_state=0).fit(X, y)
    assert 2 <= len(ensemble.halves_) < 12
    assert len(ensemble.parts_) == 2 * len(ensemble.halves_)
    for rows in halves_of(ensemble):
        assert len(set(y[rows])) == 2
    with (
        pytest.warns(ThresherWarning, match="excluded"),
        pytest.raises(ValueError, match="only 0 of 2 pairs of halves"),
    ):
        Ensemble(selector, 2, kind="halves", n_pairs=2, parts="contiguous").fit(
            X, np.repeat([0, 1], 12)
        )


def test_more_parts_than_rows_become_an_even_number():
    X, y = problem(n=31)
    with pytest.warns(ThresherWarning, match="only 31 samples; using 30 parts"):
        ensemble = Ensemble(MRMR(2), 40, kind="halves", n_pairs=3, random_state=0).fit(X, y)
    assert ensemble.halves_.shape == (3, 30)


def test_third_party_selectors_are_fitted_again():
    X, y = problem()
    X = np.c_[X, np.ones(len(y))]  # a constant column can never be chosen
    selector = SelectKBest(k=3)
    ensemble = Ensemble(selector, 10, kind="halves", n_pairs=3, random_state=0).fit(X[:, :-1], y)
    for rows, found in zip(halves_of(ensemble), ensemble.parts_, strict=True):
        assert set(found) == set(
            np.flatnonzero(clone(selector).fit(X[rows, :-1], y[rows]).get_support())
        )
    assert ensemble.error_bound_ == error_bound(15, 3, 0.75, n_pairs=3)


@pytest.mark.parametrize("kind_of_fit", [MRMR, RRCT, FisherScore])
def test_the_bound_counts_features_that_can_be_chosen(kind_of_fit):
    X, y = problem()
    X[:, 7] = 1
    selector = kind_of_fit(3, exclude=[2, 7, 9])
    ensemble = Ensemble(selector, 10, kind="halves", n_pairs=3, random_state=0).fit(X, y)
    assert ensemble.error_bound_ == error_bound(12, 3, 0.75, n_pairs=3)
    frame = pd.DataFrame(X, columns=[f"g{i}" for i in range(15)]).assign(constant=1)
    frame = frame.drop(columns="g7")
    selector = kind_of_fit(3, exclude=["g2", "g9"])
    named = Ensemble(selector, 10, kind="halves", n_pairs=3, random_state=0).fit(frame, y)
    assert named.error_bound_ == ensemble.error_bound_


@pytest.mark.parametrize("kind", ["fast", "full", "inner", "halves", "bagging"])
@pytest.mark.parametrize("parts", ["round-robin", "shuffled", "contiguous", "stratified"])
def test_groups_are_dealt_whole(kind, parts):
    X, y = problem(n=180)
    groups = np.repeat(np.arange(60), 3)[np.random.default_rng(0).permutation(180)].astype(str)
    options = {"kind": kind, "parts": parts, "n_pairs": 3, "random_state": 2}
    ensemble = Ensemble(MRMR(3), 6, **options).fit(X, y, groups=groups)
    if kind == "bagging":
        assert ensemble.part_of_row_ is None
        return
    part = ensemble.part_of_row_
    for group in set(groups):
        assert len(set(part[groups == group])) == 1
    assert np.bincount(part).tolist() == [30] * 6
    if parts == "round-robin":
        np.testing.assert_array_equal(part, number_groups(groups, 180) % 6)


def test_bootstrap_samples_draw_groups_whole():
    X, y = problem(n=90)
    groups = np.repeat(np.arange(30), 3)
    bagged = Ensemble(MRMR(3), 3, kind="bagging", random_state=4).fit(X, y, groups=groups)
    by_hand = Ensemble(MRMR(3), 3, kind="bagging", random_state=4).fit(X[::3], y[::3])
    rows = np.repeat(X[::3], 3, axis=0), np.repeat(y[::3], 3)
    whole = Ensemble(MRMR(3), 3, kind="bagging", random_state=4).fit(*rows, groups=groups)
    assert [p.tolist() for p in whole.parts_] == [p.tolist() for p in by_hand.parts_]
    assert len(bagged.parts_) == 3


def test_groups_go_with_rows_that_count():
    X, y = problem(n=100)
    groups, weights = np.arange(100) // 2, np.ones(100)
    weights[:10] = 0
    with sklearn.config_context(enable_metadata_routing=True):
        selector = MRMR(3).set_fit_request(sample_weight=True)
        ensemble = Ensemble(selector, 10, kind="halves", n_pairs=3, random_state=0)
        ensemble.fit(X, y, groups=groups, sample_weight=weights)
    assert (ensemble.part_of_row_[:10] == -1).all()
    np.testing.assert_array_equal(ensemble.part_of_row_[10::2], ensemble.part_of_row_[11::2])
    plain = Ensemble(MRMR(3), 10, kind="halves", n_pairs=3, random_state=0)
    plain.fit(X[10:], y[10:], groups=groups[10:])
    assert [p.tolist() for p in plain.parts_] == [p.tolist() for p in ensemble.parts_]


def test_groups_are_routed_to_ensembles_and_through_them():
    X, y = problem(n=90, p=6)
    groups = np.repeat(np.arange(30), 3)
    inside = RFECV(LinearDiscriminantAnalysis(), cv=GroupKFold(3))
    with sklearn.config_context(enable_metadata_routing=True):
        steps = [Ensemble(MRMR(2), 5).set_fit_request(groups=True), LogisticRegression()]
        fitted = make_pipeline(*steps).fit(X, y, groups=groups)
        np.testing.assert_array_equal(fitted[0].part_of_row_, groups % 5)
        ensemble = Ensemble(inside, 4, kind="full").fit(X, y, groups=groups)
        rows = ensemble.part_of_row_ != 0
        alone = clone(inside).fit(X[rows], y[rows], groups=groups[rows])
    assert set(ensemble.parts_[0]) == set(np.flatnonzero(alone.get_support()))


def test_bad_groups():
    X, y = problem()
    with pytest.raises(ValueError, match=r"groups must have one label per sample, \(120,\)"):
        Ensemble(MRMR(3)).fit(X, y, groups=[1, 2])
    with pytest.raises(ValueError, match="at least 2 groups, got 1"):
        Ensemble(MRMR(3)).fit(X, y, groups=np.ones(120))


def test_a_fitted_ensemble_of_halves_is_saved_whole():
    X, y = problem()
    ensemble = Ensemble(MRMR(3), 10, kind="halves", n_pairs=3, random_state=0).fit(X, y)
    loaded = Ensemble.from_json(ensemble.to_json())
    assert loaded.error_bound_ == ensemble.error_bound_
    np.testing.assert_array_equal(loaded.halves_, ensemble.halves_)
    assert loaded.table().equals(ensemble.table())


def test_reasons_and_the_table_name_the_votes_and_how_many_were_needed():
    X, y = problem()
    names = [f"gene {i}" for i in range(15)]
    ensemble = Ensemble(MRMR(4), 10, kind="halves", n_pairs=10, cutoff=0.71, random_state=0)
    frame = pd.DataFrame(X, columns=names)
    ensemble.fit(frame, y)
    table = ensemble.table()
    votes = np.round(20 * ensemble.votes_).astype(int)
    assert table["votes"].tolist() == ensemble.votes_.tolist()
    assert table["selected"].tolist() == (votes >= 15).tolist()
    for feature, reason in enumerate(table["reason"]):
        count = votes[feature]
        text = f"selected by {count or 'none'} of 20 halves, 15 needed"
        if count >= 15:
            step = ensemble.selected_.tolist().index(feature) + 1
            assert reason.startswith(f"selected at step {step}, score {count / 20:g}; {text}")
        else:
            assert reason == (f"outvoted: {text}" if count else text)
    assert ensemble.ranking_[ensemble.selected_].tolist() == list(
        range(1, len(ensemble.selected_) + 1)
    )
    np.testing.assert_array_equal(ensemble.transform(frame), X[:, ensemble.support_])


@pytest.mark.parametrize("errors", [{}, {"pfer": 2}, {"pfer": 1.2, "cutoff": "auto"}])
def test_other_numbers_of_features_are_those_of_other_fits(errors):
    X, y = problem()
    options = {"kind": "halves", "n_pairs": 10, "random_state": 0, **errors}
    lists = select_sizes(Ensemble(MRMR(3), 10, **options), X, y, [1, 2, 3])
    for k, found in zip((1, 2, 3), lists, strict=True):
        assert found == Ensemble(MRMR(k), 10, **options).fit(X, y).selected_.tolist()

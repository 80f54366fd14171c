"""Reasons are data, which are formatted as sentences last."""

from __future__ import annotations

import functools

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import SelectKBest

from thresher import (
    CFS,
    FCBF,
    GSO,
    JMI,
    LCC,
    MIM,
    MRMR,
    NMIFS,
    RFS,
    RRFS,
    Chain,
    CMIFilter,
    Ensemble,
    LassoPath,
    Univariate,
)
from thresher._utils.checks import readable
from thresher.measures import symmetrical_uncertainty
from thresher.selectors._reason import Reason


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True, as_frame=True)


@pytest.mark.parametrize("strategy", ["lazy", "scan", "naive"])
def test_reasons_of_selected_features_name_relevance_redundancy_and_partner(strategy, cancer):
    X, y = cancer
    selector = MRMR(5, relevance="mi", redundancy="mi", strategy=strategy).fit(X, y)
    names = X.columns
    from thresher.measures import mutual_information

    codes = {f: np.searchsorted(c, X.iloc[:, f]) for f, c in enumerate(selector.bins_.cuts)}
    for step, feature in enumerate(selector.selected_[1:], start=2):
        before = selector.selected_[: step - 1]
        values = [mutual_information(codes[feature], codes[g]) for g in before]
        mean = f"mean redundancy {np.mean(values):.4g}, " if step > 2 else ""
        expected = (
            f"selected at step {step}, score {selector.scores_[feature]:.4g}; "
            f"relevance {selector.relevance_[feature]:.4g}, {mean}"
            f"largest redundancy {max(values):.4g} with {names[before[int(np.argmax(values))]]}"
        )
        assert selector.reason(names[feature]) == expected
    first = selector.reason(int(selector.selected_[0]))
    assert first == f"selected at step 1, score {selector.scores_[selector.selected_[0]]:.4g}"


def test_irrelevant_features_are_called_irrelevant():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 200)
    age = y ^ (rng.random(400) < 0.1)
    # Every value of the last column meets every pair of class and age equally often.
    noise = np.zeros(400, dtype=int)
    for cell in range(4):
        members = np.flatnonzero(2 * y + age == cell)
        noise[members[::2]] = 1
    X = pd.DataFrame({"age": age, "copy": age, "noise": noise})
    selector = MRMR(1, relevance="mi", redundancy="mi", strategy="naive").fit(X, y)
    assert selector.reason("noise").startswith("irrelevant: relevance ")
    two = MRMR(2, relevance="mi", redundancy="mi", strategy="naive").fit(X, y)
    left = X.columns[~two.support_][0]
    assert "0.00" not in two.reason(left)


def test_f_at_the_level_of_chance_is_irrelevant():
    rng = np.random.default_rng(1)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 30))
    X[:, 0] += 2 * y
    selector = MRMR(2, relevance="f", redundancy="pearson").fit(X, y)
    for feature in np.flatnonzero(~selector.support_):
        is_called = selector.reason(int(feature)).startswith("irrelevant")
        may_be_chance = stats.f.sf(selector.relevance_[feature], 1, 58) >= 0.05
        assert is_called == may_be_chance


@pytest.mark.parametrize("is_numeric", [False, True])
def test_squared_correlations_at_the_level_of_chance_are_irrelevant(is_numeric):
    """Not "redundant with feature 0 (redundancy 0.02)": 19 of 20 features of noise, by their p-values."""
    rng = np.random.default_rng(1)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 200))
    X[:, 0] += 2 * y
    target = y + 0.1 * rng.normal(size=60) if is_numeric else y
    selector = MRMR(2).fit(X, target)
    n_called = 0
    for feature in np.flatnonzero(~selector.support_):
        if is_numeric:
            pvalue = stats.pearsonr(X[:, feature], target).pvalue
        else:
            pvalue = stats.f_oneway(*(X[y == label, feature] for label in range(3))).pvalue
        is_called = selector.reason(int(feature)).startswith("irrelevant: relevance ")
        assert is_called == (pvalue >= 0.05)
        n_called += is_called
    assert n_called > 180


def noisy_codes(n_rows):
    """Return classes, and features that are independent of them except the first and its copy."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, n_rows)
    levels = rng.integers(2, 7, 200)
    X = rng.integers(0, levels, (n_rows, 200))
    X[:, 0] = np.where(rng.random(n_rows) < 0.5, y, X[:, 0] % 3)
    X[:, 1] = X[:, 0]
    X[0] = levels - 1  # every level occurs
    return X, y


@functools.cache
def chance_of(feature, test):
    """Return the p-value of the table of one of these features with the classes, in 300 rows."""
    X, y = noisy_codes(300)
    table = pd.crosstab(X[:, feature], y)
    return stats.chi2_contingency(table, correction=False, lambda_=test).pvalue


@pytest.mark.parametrize(
    "selector",
    [
        MRMR(2, relevance="mi"),
        MRMR(1, relevance="chi2"),
        MRMR(2, relevance="mi", strategy="naive"),
        NMIFS(2),
        MIM(1),
        Ensemble(MRMR(2, relevance="mi"), kind="inner"),
    ],
    ids=repr,
)
def test_information_at_the_level_of_chance_is_irrelevant(selector):
    """Not "redundant with feature 0 (redundancy 0.01)": 19 of 20 features of noise, by the p-values of their tables."""
    X, y = noisy_codes(300)
    selector = clone(selector).fit(X, y)
    is_sum = isinstance(selector, Ensemble)
    test = "pearson" if getattr(selector, "relevance", "mi") == "chi2" else "log-likelihood"
    n_called = 0
    for feature in np.flatnonzero(~selector.support_):
        pvalue = chance_of(int(feature), test)
        is_called = selector.reason(int(feature)).startswith("irrelevant: relevance ")
        assert feature < 2 or is_called == (pvalue >= 0.05) or (is_sum and 0.02 < pvalue < 0.1)
        n_called += is_called
    assert 175 < n_called < 198
    copy = int(np.flatnonzero(~selector.support_[:2])[0])
    assert not selector.reason(copy).startswith("irrelevant")


@pytest.mark.parametrize(
    "selector",
    [
        MRMR(2, relevance="su"),
        MRMR(2, relevance="nmi"),
        FCBF(discretize=None),
        CFS(discretize=None),
        CFS(discretize=None, search="best-first"),
        MRMR(2, relevance="spearman", target="numeric"),
        CFS(measure="pearson", target="numeric"),
    ],
    ids=repr,
)
def test_noise_is_hardly_ever_called_redundant(selector):
    X, y = noisy_codes(300)
    selector = clone(selector).fit(X, y)
    reasons = [selector.reason(int(feature)) for feature in np.flatnonzero(~selector.support_)]
    assert sum(reason.startswith("irrelevant: relevance ") for reason in reasons) > 175
    assert sum(reason.startswith("redundant with feature ") for reason in reasons) < 10


def test_a_copy_of_a_weak_feature_is_redundant():
    rng = np.random.default_rng(5)
    y = np.arange(20) % 2
    X = np.repeat(rng.normal(size=(20, 3)), 2, axis=1)
    selector = MRMR(3, strategy="naive").fit(X, y)
    assert stats.f_oneway(X[y == 0], X[y == 1]).pvalue.min() > 0.05
    assert set(selector.selected_) == {0, 2, 4}
    for feature in selector.selected_[:2]:
        reason = selector.reason(int(feature) + 1)
        assert reason.startswith(f"redundant with feature {feature} (redundancy 1.00")


def test_best_first_search_reports_the_partner():
    X, y = noisy_codes(3000)
    rng = np.random.default_rng(0)
    X[:, 1] = np.where(rng.random(3000) < 0.7, X[:, 0], rng.integers(0, 3, 3000))
    X[:, 2] = np.where(rng.random(3000) < 0.5, y, X[:, 2] % 3)
    selector = CFS(discretize=None, search="best-first").fit(X, y)
    assert {0, 2} <= set(selector.selected_)
    su = symmetrical_uncertainty(X[:, 0], X[:, 2])
    assert f"largest redundancy {su:.4g} with feature 0" in selector.reason(2)
    su = symmetrical_uncertainty(X[:, 0], X[:, 1])
    assert selector.reason(1).startswith(
        f"redundant with feature 0 (redundancy {su:.2f}); relevance "
    )


def test_fcbf_names_its_threshold(cancer):
    X, y = cancer
    selector = FCBF(threshold=0.2).fit(X, y)
    weak = int(np.flatnonzero(selector.relevance_ <= 0.2)[0])
    assert selector.reason(weak).endswith("is not above the threshold 0.2")


@pytest.mark.parametrize(
    "selector",
    [MRMR(4), NMIFS(4), CFS(), FCBF(), JMI(4), GSO(4), CMIFilter(4), RRFS(4), LCC(), RFS(4)],
    ids=lambda s: type(s).__name__,
)
def test_names_never_change_the_reasons(selector, cancer):
    X, y = cancer
    named = clone(selector).fit(X, y)
    bare = clone(selector).fit(X.to_numpy(), y)
    for feature, name in enumerate(X.columns):
        reason = bare._account()(feature)
        assert reason == named._account()(feature)
        assert named.reason(name) == reason.sentence(X.columns.to_numpy(dtype=object))
        if reason.partner is not None:
            assert named.support_[reason.partner]
            assert f"feature {reason.partner}" in bare.reason(feature)


def test_a_chain_gives_partners_in_original_positions(cancer):
    X, y = cancer
    chain = Chain([RFS(12), RFS(8), MRMR(3)]).fit(X.to_numpy(), y)
    inner = chain.selectors_[-1]
    seen = chain._seen[-1]
    for position, feature in enumerate(seen):
        reason, own = chain._account()(int(feature)), inner._account()(position)
        assert reason.kind == own.kind
        assert reason.stages == ("selector 3 (mrmr)",)
        assert reason.partner == (None if own.partner is None else seen[own.partner])


def test_chains_of_chains_and_of_third_party_selectors_name_the_deciding_selector(cancer):
    X, y = cancer
    chain = Chain([Chain([SelectKBest(k=20), MRMR(10)]), SelectKBest(k=4)]).fit(X, y)
    decided = {stage: int(np.flatnonzero(chain.step_ == stage)[0]) for stage in (0, 1)}
    assert chain.reason(decided[0]).startswith("dropped by selector 1 (chain), selector ")
    assert chain.reason(decided[1]) == "dropped by selector 2 (selectkbest)"
    best = int(chain.selected_[0])
    assert chain.reason(best).startswith("selector 2 (selectkbest): selected at step 1")


def test_a_forced_in_feature_is_reported_as_such_by_every_selector(cancer):
    X, y = cancer
    for selector in (MRMR(3, keep=["mean texture"]), LCC(keep=["mean texture"]), LassoPath(3)):
        if "keep" in selector.get_params():
            selector.set_params(keep=["mean texture"])
        assert "forced in by the parameter keep" in selector.fit(X, y).reason("mean texture")
    voted = Ensemble(MRMR(3, keep=["mean texture"]), n_parts=4).fit(X, y)
    assert "forced in by the parameter keep, selected by 4 of 4" in voted.reason("mean texture")


def test_univariate_reports_the_p_value_that_decided(cancer):
    X, y = cancer
    selector = Univariate("auto", measure="f", alpha=1e-6).fit(X, y)
    left = int(np.flatnonzero(~selector.support_)[0])
    value = selector.corrected_pvalues_[left]
    assert selector.reason(left).endswith(f"corrected p-value {value:.4g} above 1e-06")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("age", "age"),
        ("größe µm", "größe µm"),
        ("two\nlines", "'two\\nlines'"),
        ("\x1b[31mred", "'\\x1b[31mred'"),
        ("right\u202eleft", "'right\\u202eleft'"),
        (" padded", "' padded'"),
        ("", "''"),
        ("x" * 500, "x" * 28 + "..." + "x" * 28),
        (17, "17"),
    ],
)
def test_names_are_printed_safely(name, shown):
    assert readable(name) == shown
    assert readable(name).isprintable()


def test_strange_names_reach_neither_reason_nor_progress(cancer, capsys):
    X, y = cancer
    strange = X.rename(columns=lambda name: f"{name}\n\x1b[31m" + "y" * 200)
    selector = MRMR(3, verbose=1).fit(strange, y)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    sentences = [selector.reason(name) for name in strange]
    assert all(text.isprintable() and len(text) < 250 for text in [*lines, *sentences])


@pytest.mark.parametrize(
    ("share", "words"), [(0.0, "and in none of the 15 sets"), (0.2, "though in 20% of the 15 sets")]
)
def test_a_feature_of_no_good_set_is_in_none(share, words):
    sentence = Reason("left out", value=share, against=15.0).sentence(None)
    assert sentence.startswith(f"not in the best set, {words} within one standard error")


def test_the_largest_redundancy_is_not_called_a_mean():
    """`FCBF` computes no other."""
    X, y = noisy_codes(300)
    selector = FCBF(discretize=None).fit(X, y)
    assert len(selector.selected_) > 2
    assert not any("mean" in selector.reason(int(feature)) for feature in selector.selected_)

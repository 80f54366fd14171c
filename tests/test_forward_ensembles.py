"""Ensembles of the forward selectors."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer

import thresher
from tests.selectors import made_of_sums, others
from thresher import CFS, FCBF, GSO, MRMR, NMIFS, RRCT, CMIFilter, Ensemble, LassoPath
from thresher.measures import ChosenRows, LocalMeasures
from thresher.search.ensemble import assign_parts, bootstrap_counts, draw_seed
from thresher.selectors._target import with_target_of

from .naive.cmi import inner_cmi_filter
from .naive.gso import inner_gso

CRITERIA = [
    getattr(thresher, name)(4) for name in ("MIM", "JMI", "JMIM", "CMIM", "DISR", "CIFE", "ICAP")
]
OF_ROWS = [CMIFilter(), CMIFilter(2, last="never"), GSO(3), GSO(9, target="nominal")]
OF_SUMS = [CFS(), CFS(search="best-first"), FCBF(), FCBF(0.05), NMIFS(4), *CRITERIA, *OF_ROWS]
OF_SUMS += others(OF_SUMS, made_of_sums, n_features_to_select=4)
OTHERS = [RRCT(3), LassoPath(3)]


def discrete_problem():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, size=60)
    X = rng.integers(0, 3, size=(60, 9))
    for feature in range(6):
        copied = rng.random(60) < 0.2 + 0.1 * feature
        X[copied, feature] = y[copied]
    return X, y


@pytest.mark.parametrize("selector", OF_SUMS, ids=repr)
def test_replicates_are_fits_on_their_rows(selector):
    X, y = discrete_problem()
    fast = Ensemble(selector, n_parts=5).fit(X, y)
    full = Ensemble(selector, n_parts=5, kind="full").fit(X, y)
    part = assign_parts(len(y), 5)
    for i in range(5):
        alone = clone(selector).fit(X[part != i], y[part != i])
        assert fast.parts_[i].tolist() == alone.selected_.tolist()
        assert full.parts_[i].tolist() == alone.selected_.tolist()
    assert fast.selected_.tolist() == full.selected_.tolist()


@pytest.mark.parametrize("selector", OF_SUMS, ids=repr)
def test_inner_and_bagged_ensembles_choose_features(selector):
    X, y = discrete_problem()
    inner = Ensemble(selector, n_parts=4, kind="inner").fit(X, y)
    assert 1 <= len(inner.selected_) <= 9
    assert inner.relevance_.max() <= 1
    bagged = Ensemble(selector, n_parts=3, kind="bagging", random_state=0).fit(X, y)
    assert len(bagged.selected_) >= 1


def test_inner_ensemble_of_equal_replicates_is_the_plain_selection():
    # Every part has the same rows, so every replicate has the same counts but for the factor.
    X, y = discrete_problem()
    tiled, labels = np.repeat(X, 4, axis=0), np.repeat(y, 4)
    for selector in OF_SUMS:
        plain = clone(selector).fit(X, y)
        inner = Ensemble(selector, n_parts=4, kind="inner").fit(tiled, labels)
        assert inner.selected_.tolist() == plain.selected_.tolist(), selector
        np.testing.assert_allclose(inner.relevance_, plain.relevance_, atol=1e-11)
        np.testing.assert_allclose(inner.scores_, plain.scores_, atol=1e-9)


@pytest.mark.parametrize("selector", OTHERS, ids=repr)
def test_selectors_that_are_not_made_of_sums_are_fitted_again(selector):
    X, y = load_breast_cancer(return_X_y=True)
    full = Ensemble(selector, n_parts=3, kind="full").fit(X, y)
    part = assign_parts(len(y), 3)
    alone = clone(selector).fit(X[part != 1], y[part != 1])
    assert full.parts_[1].tolist() == alone.selected_.tolist()
    with pytest.raises(ValueError, match='Use kind="full" or kind="bagging"'):
        Ensemble(selector, kind="fast").fit(X, y)


def tie_rich_problem(seed):
    """Return few rows, few levels, a duplicate and a sum: ties, constants and collinear columns on replicates."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(8, 40)), int(rng.integers(2, 10))
    X = rng.integers(0, rng.integers(2, 5), size=(n, p))
    X[:, rng.integers(p)] = np.arange(n) == rng.integers(n)  # constant without its one row
    if p > 4:
        X[:, 1] = X[:, 0]
        X[:, 2] = X[:, 3] + X[:, 4]
    y = rng.integers(0, rng.integers(2, 4), size=n)
    y[:6] = 0, 1, 0, 1, 0, 1
    return X, y, int(rng.integers(2, 5))


@pytest.mark.filterwarnings("ignore::thresher.ThresherWarning")
@pytest.mark.parametrize("selector", OF_ROWS, ids=repr)
def test_selectors_that_use_rows_are_fast_and_exact(selector):
    for seed in range(40):
        X, y, e = tie_rich_problem(seed)
        fast = Ensemble(selector, e).fit(X, y)
        full = Ensemble(selector, e, kind="full").fit(X, y)
        part = assign_parts(len(y), e)
        for i in range(e):
            alone = with_target_of(selector, y).fit(X[part != i], y[part != i])
            assert fast.parts_[i].tolist() == full.parts_[i].tolist() == alone.selected_.tolist()
        assert fast.selected_.tolist() == full.selected_.tolist()
        np.testing.assert_array_equal(fast.relevance_, full.relevance_)
        assert fast.n_pairs_fast_ is None


@pytest.mark.filterwarnings("ignore::thresher.ThresherWarning")
@pytest.mark.parametrize("name", ["colon", "lung_small"])
def test_selectors_that_use_rows_are_fast_and_exact_on_real_data(load_real, name):
    X, y = load_real(name)
    part = assign_parts(len(y), 7)
    for selector in (CMIFilter(), GSO(6)):
        fast = Ensemble(selector, 7).fit(X, y)
        full = Ensemble(selector, 7, kind="full").fit(X, y)
        assert fast.selected_.tolist() == full.selected_.tolist()
        for i in range(7):
            alone = with_target_of(selector, y).fit(X[part != i], y[part != i])
            assert fast.parts_[i].tolist() == full.parts_[i].tolist() == alone.selected_.tolist()


@pytest.mark.filterwarnings("ignore::thresher.ThresherWarning")
def test_inner_ensembles_of_selectors_that_use_rows_follow_their_definition():
    for seed in range(40):
        X, y, e = tie_rich_problem(seed)
        part = assign_parts(len(y), e)
        inner = Ensemble(CMIFilter(), e, kind="inner").fit(X, y)
        walk = inner_cmi_filter(X, y, part)
        assert inner.selected_.tolist() == walk.selected
        np.testing.assert_allclose(inner.trace_["score"], walk.gains, atol=1e-12)
        for nominal in (False, True):
            selector = GSO(X.shape[1], target="nominal" if nominal else "numeric")
            inner = Ensemble(selector, e, kind="inner").fit(X, y)
            steps = inner_gso(X.astype(float), y, part, X.shape[1], nominal=nominal)
            assert inner.selected_.tolist() == steps.selected
            np.testing.assert_allclose(inner.trace_["score"], steps.scores, atol=1e-8)


def test_bins_of_an_ensemble_are_learnt_once_on_all_rows():
    X, y = load_breast_cancer(return_X_y=True)
    bins = CMIFilter(2).fit(X, y).bins_
    for kind in ("fast", "full", "inner", "bagging"):
        ensemble = Ensemble(CMIFilter(2), 3, kind=kind, random_state=0).fit(X, y)
        for feature in range(X.shape[1]):
            np.testing.assert_array_equal(ensemble.bins_.cuts[feature], bins.cuts[feature])
    fast, full = (Ensemble(CMIFilter(4), 6, kind=kind).fit(X, y) for kind in ("fast", "full"))
    assert [p.tolist() for p in fast.parts_] == [p.tolist() for p in full.parts_]


def test_bagging_repeats_the_rows_that_were_drawn():
    X, y = discrete_problem()
    for selector in (CMIFilter(3), GSO(3)):
        bagged = Ensemble(selector, 3, kind="bagging", random_state=4).fit(X, y)
        counts = bootstrap_counts(len(y), 3, draw_seed(4))
        for i in range(3):
            rows = np.repeat(np.arange(len(y)), counts[i])
            alone = clone(selector).fit(X[rows], y[rows])
            assert bagged.parts_[i].tolist() == alone.selected_.tolist()


def test_one_pass_serves_all_replicates_of_many_rows():
    X, y = discrete_problem()
    X, y = np.tile(X, (200, 1)), np.tile(y, 200)
    for selector in (CFS(strategy="cached"), thresher.JMI(4)):
        fast = Ensemble(selector, n_parts=5).fit(X, y)
        full = Ensemble(selector, n_parts=5, kind="full").fit(X, y)
        assert fast.n_evaluations_ < full.n_evaluations_


@pytest.mark.parametrize("selector", CRITERIA[1:], ids=repr)
def test_without_memory_a_fast_ensemble_computes_no_more_pairs_than_a_full_one(selector):
    X, y = discrete_problem()
    X[:, 8] = np.arange(60) // 2  # too many levels for planes
    for columns in (slice(0, 8), slice(0, 9)):
        X_part = X[:, columns]
        fast = Ensemble(selector, n_parts=6, memory_limit=1).fit(X_part, y)
        full = Ensemble(selector, n_parts=6, kind="full").fit(X_part, y)
        assert [p.tolist() for p in fast.parts_] == [p.tolist() for p in full.parts_]
        assert fast.n_evaluations_ <= full.n_evaluations_


@pytest.mark.parametrize(
    "selector", [MRMR(4), RRCT(4), *(s for s in OF_SUMS if hasattr(s, "verbose"))], ids=repr
)
def test_forward_selectors_print_a_line_per_step_and_one_at_the_end(selector, capsys):
    X, y = discrete_problem()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = clone(selector).set_params(verbose=1).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    if getattr(selector, "search", "forward") == "forward":
        expected = [f"feature {f}, score {fitted.scores_[f]:.4g}" for f in fitted.selected_]
        assert [line.split(" ", 2)[2] for line in lines[:-1]] == expected
    assert f"{len(fitted.selected_)} of {X.shape[1]} features" in lines[-1]


@pytest.mark.parametrize(
    ("selector", "copies", "n_by_rows"),
    [(CFS(), 60, 4), (FCBF(), 60, 4), (NMIFS(4), 60, 4), (FCBF(), 1, 0), (NMIFS(4), 1, 0)],
    ids=repr,
)
def test_without_memory_for_pairs_replicates_count_on_their_rows(
    selector, copies, n_by_rows, monkeypatch
):
    X, y = (np.concatenate([part] * copies) for part in discrete_problem())
    by_rows = []

    def noted(whole, rows):
        by_rows.append(len(rows))
        return ChosenRows(whole, rows)

    monkeypatch.setattr(LocalMeasures, "on_rows", noted)
    tight = Ensemble(selector, n_parts=5, memory_limit=1).fit(X, y)
    # All but the first, which detects that memory is short; few rows are stored differently.
    assert by_rows == [len(X) - len(X) // 5] * n_by_rows
    wide = Ensemble(selector, n_parts=5).fit(X, y)
    assert [part.tolist() for part in tight.parts_] == [part.tolist() for part in wide.parts_]
    assert tight.n_evaluations_ >= wide.n_evaluations_

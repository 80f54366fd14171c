"""partial_fit and forget: at any time the selection equals that of a fit on the current rows."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from tests.examples import examples
from tests.selectors import by_class, others, reads_blocks
from thresher import (
    CFS,
    CMIM,
    FCBF,
    GSO,
    JMI,
    MIM,
    MRMR,
    NMIFS,
    RFS,
    CMIFilter,
    Ensemble,
    GivenBins,
    Univariate,
)
from thresher.blocks.pack import Pack
from thresher.selectors._base import BaseSelector

CUTS = GivenBins([[-0.5, 0.5], [0.0], [-1.0, 0.0, 1.0], None, None, None])
SELECTORS = {
    "MRMR": MRMR(3, relevance="mi", discretize=CUTS),
    "quotient": MRMR(3, relevance="su", objective="quotient", discretize=CUTS),
    "NMIFS": NMIFS(3, discretize=CUTS),
    "CFS": CFS(discretize=CUTS),
    "FCBF": FCBF(discretize=CUTS),
    "JMI": JMI(3, discretize=CUTS),
    "CMIM": CMIM(3, discretize=CUTS),
    "MIM": MIM(3, discretize=CUTS),
    "Univariate": Univariate(3, measure="chi2", pvalues="analytic", discretize=CUTS),
    "numbers": MRMR(3, relevance="r2"),
    "variance": RFS(3, relevance="variance"),
    "RFS": RFS(3, relevance="f"),
    "learnt": MRMR(3, relevance="mi"),
    "category": MRMR(3, relevance="mi", discretize=CUTS, missing="category"),
    "pairwise": MRMR(3, relevance="mi", discretize=CUTS, missing="pairwise"),
    "drop_rows": CFS(discretize=CUTS, missing="drop_rows"),
    "fast": Ensemble(MRMR(3, relevance="mi", discretize=CUTS), 4),
    "inner": Ensemble(MRMR(3, relevance="mi", discretize=CUTS), 4, kind="inner"),
    "halves": Ensemble(
        MRMR(3, relevance="mi", discretize=CUTS), 8, kind="halves", n_pairs=6, random_state=0
    ),
}
SELECTORS |= by_class(others(SELECTORS.values(), reads_blocks, discretize=CUTS))

NUMBERS = ("numbers", "variance", "RFS")


def draw_rows(rng, n, as_frame=False, missing=0.0):
    y = rng.integers(0, 3, n)
    X = np.column_stack(
        [
            rng.normal(size=n) + y,
            rng.normal(size=n),
            rng.normal(size=n) - y,
            rng.integers(0, 3, n),
            (rng.integers(0, 2, n) + y) % 3,
            rng.integers(0, 5, n) * (rng.random(n) < 0.3),
        ]
    )
    X[rng.random(X.shape) < missing] = np.nan
    if not as_frame:
        return X, y
    frame = pd.DataFrame(X, columns=list("abcdef"))
    frame["d"] = frame["d"].map({0.0: "low", 1.0: "middle", 2.0: "high"})
    return frame, y


def taken(X, rows):
    return X.iloc[rows] if isinstance(X, pd.DataFrame) else X[rows]


def stacked(parts):
    Xs, ys = zip(*parts, strict=True)
    X = pd.concat(Xs, ignore_index=True) if isinstance(Xs[0], pd.DataFrame) else np.concatenate(Xs)
    return X, np.concatenate(ys)


def assert_same(changing: BaseSelector, fitted: BaseSelector):
    assert changing.selected_.tolist() == fitted.selected_.tolist()
    assert np.array_equal(changing.relevance_, fitted.relevance_, equal_nan=True)
    assert np.array_equal(changing.scores_, fitted.scores_, equal_nan=True)
    assert changing.n_features_in_ == fitted.n_features_in_


@pytest.mark.parametrize("name", SELECTORS)
@pytest.mark.filterwarnings("ignore:missing=")
@examples(8)
@given(data=st.data())
def test_at_any_time_it_is_a_fit_on_the_current_rows(name, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    as_frame = name not in NUMBERS and data.draw(st.booleans())
    changing = clone(SELECTORS[name])
    missing = 0.05 if name in ("category", "pairwise", "drop_rows") else 0.0
    X, y = draw_rows(rng, 60, as_frame, missing)
    changing.partial_fit(X, y)
    for _ in range(data.draw(st.integers(1, 4))):
        n_leaving = data.draw(st.integers(0, 30))
        leaving = rng.permutation(len(y))[:n_leaving]
        changing.forget(taken(X, leaving), y[leaving])
        staying = np.delete(np.arange(len(y)), leaving)
        new = draw_rows(rng, data.draw(st.integers(20, 40)), as_frame, missing)
        changing.partial_fit(*new)
        X, y = stacked([(taken(X, staying), y[staying]), new])
        if data.draw(st.booleans()):
            assert_same(changing, clone(SELECTORS[name]).fit(X, y))
    assert_same(changing, clone(SELECTORS[name]).fit(X, y))


def test_a_sliding_window_of_batches():
    rng = np.random.default_rng(0)
    batches = [draw_rows(rng, 25) for _ in range(30)]
    changing = JMI(4, discretize=CUTS)
    for i, batch in enumerate(batches):
        changing.partial_fit(*batch)
        if i >= 10:
            X, y = batches[i - 10]
            order = rng.permutation(25)
            changing.forget(X[order], y[order])
        window = stacked(batches[max(0, i - 9) : i + 1])
        assert_same(changing, JMI(4, discretize=CUTS).fit(*window))


def test_new_levels_and_new_classes_may_come_and_go():
    X = np.array([[0, 1, 0], [1, 0, 1], [0, 0, 1], [1, 1, 0]] * 5)
    y = X[:, 0]
    changing = MRMR(2).partial_fit(X, y)
    other = np.array([[7, 1, 2], [0, 9, 2], [7, 7, 1]])
    labels = np.array([5, 5, 0])
    changing.partial_fit(other, labels)
    together = MRMR(2).fit(np.concatenate([X, other]), np.concatenate([y, labels]))
    assert_same(changing, together)
    assert_same(changing.forget(other[::-1], labels[::-1]), MRMR(2).fit(X, y))


def test_levels_classes_and_missing_values_that_left_are_gone():
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"a": rng.choice(["x", "y"], 60), "b": rng.integers(0, 3, 60).astype(float)})
    X["c"] = rng.integers(0, 2, 60)
    y = np.where((X["a"] == "x") ^ (rng.random(60) < 0.2), "yes", "no")
    X.loc[[3, 40], "a"] = "rare"
    X.loc[[5, 41], "b"] = np.nan
    y[[7, 42]] = "z"
    leaving = [3, 40, 5, 41, 7, 42]
    changing = MRMR(2, relevance="mi").partial_fit(X, y)
    with pytest.raises(ValueError, match=r"missing"):
        _ = changing.selected_
    for rows in (leaving[:2], leaving[2:]):
        changing.forget(X.iloc[rows], y[rows])
    staying = np.delete(np.arange(60), leaving)
    assert_same(changing, MRMR(2, relevance="mi").fit(X.iloc[staying], y[staying]))


def test_parameters_of_the_stored_rows_may_not_change():
    X, y = draw_rows(np.random.default_rng(4), 40)
    changing = MRMR(2, relevance="mi", discretize=CUTS).partial_fit(X, y)
    before = changing.selected_.tolist()
    other = GivenBins([[0.1], *CUTS.cuts[1:]])
    for name, value, old in (("discretize", other, CUTS), ("exclude", [0], None)):
        changing.set_params(**{name: value})
        for call in (lambda: changing.partial_fit(X, y), lambda: changing.forget(X, y)):
            with pytest.raises(ValueError, match=f"{name} differs from that of the stored rows"):
                call()
        changing.set_params(**{name: old}).partial_fit(X[:1], y[:1]).set_params(**{name: value})
        with pytest.raises(ValueError, match=f"{name} differs from that of the stored"):
            _ = changing.selected_
        changing.set_params(**{name: old}).forget(X[:1], y[:1])
        assert changing.selected_.tolist() == before
    changing.set_params(discretize=GivenBins(list(CUTS.cuts))).partial_fit(X, y)  # the same cuts


def test_selectors_without_weights_reject_them():
    X, y = draw_rows(np.random.default_rng(5), 20)
    with pytest.raises(ValueError, match="RFS does not support sample_weight"):
        RFS(relevance="variance").partial_fit(X, y, np.ones(20))


def test_weights_belong_to_their_rows():
    rng = np.random.default_rng(1)
    X, y = draw_rows(rng, 80)
    w = rng.integers(0, 4, 80)
    changing = MRMR(3, relevance="mi", discretize=CUTS)
    changing.partial_fit(X[:50], y[:50], w[:50]).partial_fit(X[50:], y[50:], w[50:])
    changing.forget(X[40:60], y[40:60], sample_weight=w[40:60])
    stay = np.r_[:40, 60:80]
    assert_same(changing, clone(changing).fit(X[stay], y[stay], w[stay]))
    with pytest.raises(ValueError, match="never added"):
        changing.forget(X[:1], y[:1], w[:1] + 1)


def test_target_and_weights_by_the_names_of_columns():
    X, y = draw_rows(np.random.default_rng(2), 60, as_frame=True)
    frame = X.assign(label=y, weight=np.arange(60) % 3)
    changing = JMI(3, discretize=CUTS)
    changing.partial_fit(frame, y="label", sample_weight="weight")
    assert_same(changing, clone(changing).fit(X, y, np.arange(60) % 3))
    with pytest.raises(ValueError, match="did you mean 'label'"):
        changing.partial_fit(frame, y="labels")


def test_nothing_is_computed_until_it_is_requested(monkeypatch):
    fits = []
    plain = MRMR.fit
    monkeypatch.setattr(MRMR, "fit", lambda self, *a, **k: fits.append(1) or plain(self, *a, **k))
    changing = MRMR(2, relevance="mi", discretize=CUTS)
    for seed in range(5):
        changing.partial_fit(*draw_rows(np.random.default_rng(seed), 20))
    assert not fits
    changing.selected_, changing.scores_, changing.get_support(), changing.table()
    assert len(fits) == 1
    changing.partial_fit(*draw_rows(np.random.default_rng(9), 20))
    changing.transform(draw_rows(np.random.default_rng(9), 20)[0])
    assert len(fits) == 2


def test_only_blocks_that_changed_are_packed_again(monkeypatch):
    packed = []
    plain = Pack.__call__
    monkeypatch.setattr(Pack, "__call__", lambda *a: packed.append(a[1]) or plain(*a))
    rng = np.random.default_rng(8)
    batches = [draw_rows(rng, size) for size in (900, 300, 100)]
    changing = JMI(3, discretize=CUTS)
    for batch in batches:
        changing.partial_fit(*batch)
    _ = changing.selected_
    assert packed == [0, 1, 2]
    changing.partial_fit(*draw_rows(rng, 30))
    _ = changing.selected_
    assert packed == [0, 1, 2, 3]
    X, y = batches[1]
    changing.forget(X[:7], y[:7])
    _ = changing.selected_
    assert packed == [0, 1, 2, 3, 1]


def test_a_failure_leaves_all_as_it_was():
    X, y = draw_rows(np.random.default_rng(3), 40)
    changing = MRMR(2, relevance="mi", discretize=CUTS).partial_fit(X, y)
    before = changing.selected_.tolist()
    for bad, words in (
        (lambda: changing.forget(X + 1, y), "never added"),
        (lambda: changing.forget(np.concatenate([X, X[:1]]), np.r_[y, y[0]]), "never added"),
        (lambda: changing.partial_fit(X[:, :5], y), "X has 5 features, but MRMR is expecting 6"),
        (lambda: changing.partial_fit(X, y[:3]), "same number of samples"),
        (lambda: changing.partial_fit(X[0], y), "dimensions"),
        (lambda: changing.partial_fit(X, None), "requires y"),
    ):
        with pytest.raises(ValueError, match=words):
            bad()
        assert changing.selected_.tolist() == before
    with pytest.raises(ValueError, match="Add rows with partial_fit"):
        MRMR().forget(X, y)
    with pytest.raises(ValueError, match="Add rows with partial_fit"):
        MRMR(2).fit(X, y).forget(X, y)


def test_without_rows_there_is_nothing_to_select():
    X, y = draw_rows(np.random.default_rng(4), 20)
    changing = MRMR(2, relevance="mi", discretize=CUTS).partial_fit(X, y)
    changing.forget(X, y)
    with pytest.raises(ValueError, match="no sample"):
        _ = changing.selected_
    assert_same(changing.partial_fit(X, y), clone(changing).fit(X, y))


def test_fit_and_partial_fit_start_over_after_each_other():
    X, y = draw_rows(np.random.default_rng(5), 80)
    changing = MRMR(3, relevance="mi", discretize=CUTS)
    changing.fit(X[:40], y[:40]).partial_fit(X[40:], y[40:])
    assert_same(changing, clone(changing).fit(X[40:], y[40:]))
    changing.fit(X[:40], y[:40])
    assert_same(changing, clone(changing).fit(X[:40], y[:40]))


def test_rows_travel_with_a_pickle_but_not_with_json():
    X, y = draw_rows(np.random.default_rng(6), 80)
    changing = JMI(3, discretize=CUTS).partial_fit(X, y)
    again = pickle.loads(pickle.dumps(changing)).forget(X[:40], y[:40])
    assert_same(again, clone(changing).fit(X[40:], y[40:]))
    plain = JMI(3).partial_fit(X[:, 3:], y)
    assert_same(JMI.from_json(plain.to_json()), plain)
    with pytest.raises(ValueError, match="Add rows with partial_fit"):
        JMI.from_json(plain.to_json()).forget(X[:, 3:], y)


def test_json_cannot_smuggle_rows_in():
    X, y = draw_rows(np.random.default_rng(7), 40)
    text = JMI(2).fit(X[:, 3:], y).to_json()
    hostile = text.replace('"n_features_in_"', '"_stored_rows"', 1)
    assert hostile != text
    with pytest.raises(ValueError, match="no fitted attribute '_stored_rows'"):
        JMI.from_json(hostile)


@pytest.mark.parametrize(
    "selector", [CMIFilter(), GSO(), Ensemble(MRMR(), kind="full"), Ensemble(GSO())]
)
def test_selectors_that_need_all_rows_at_once_have_no_partial_fit(selector):
    assert not hasattr(selector, "partial_fit")
    assert not hasattr(selector, "forget")

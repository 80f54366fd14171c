"""Results as tables: one row per feature, the same columns for all selectors; curves too."""

from __future__ import annotations

import sys
import time

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.feature_selection import SelectKBest

from tests.test_sklearn import SELECTORS
from thresher import MRMR, Chain, Ensemble, FisherScore, Univariate
from thresher.evaluate.stability import compare_curves, stability_curve, stability_grid

COLUMNS = [
    "name",
    "selected",
    "rank",
    "score",
    "relevance",
    "redundancy",
    "votes",
    "pvalue",
    "partner",
    "reason",
]


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_every_selector_gives_the_same_columns(selector):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    fitted = clone(selector).fit(X, y)
    table = fitted.table()
    assert table.columns.tolist() == COLUMNS
    assert table.name.tolist() == X.columns.tolist()
    assert table.selected.tolist() == fitted.get_support().tolist()
    assert table["rank"].tolist() == fitted.ranking_.tolist()
    assert table.reason.tolist() == [fitted.reason(name) for name in X]
    for column, attribute in [("score", "scores_"), ("relevance", "relevance_")]:
        np.testing.assert_array_equal(table[column], getattr(fitted, attribute))
    assert table.dtypes[["selected", "rank", "score"]].map(lambda t: t.kind).tolist() == [
        "b",
        "i",
        "f",
    ]
    partners = table.partner.dropna()
    assert set(partners) <= set(X.columns)
    assert all(partner in table.reason[i] for i, partner in partners.items())


def test_votes_and_pvalues_have_columns():
    X, y = load_iris(return_X_y=True, as_frame=True)
    ensemble = Ensemble(MRMR(2), 5).fit(X, y)
    np.testing.assert_array_equal(ensemble.table().votes, ensemble.votes_)
    univariate = Univariate(2).fit(X, y)
    np.testing.assert_array_equal(univariate.table().pvalue, univariate.pvalues_)
    assert MRMR(2).fit(X, y).table()[["votes", "pvalue"]].isna().all(axis=None)


def test_the_three_outputs_agree():
    X, y = load_iris(return_X_y=True)
    fitted = MRMR(2).fit(X, y)
    frame, polars, plain = (fitted.table(kind) for kind in ("pandas", "polars", "dict"))
    assert isinstance(frame, pd.DataFrame)
    assert isinstance(polars, pl.DataFrame)
    assert list(plain) == polars.columns == COLUMNS
    assert plain["name"] == ["x0", "x1", "x2", "x3"] == polars["name"].to_list()
    assert polars["reason"].to_list() == plain["reason"] == frame.reason.tolist()
    assert polars.schema["selected"] == pl.Boolean
    np.testing.assert_array_equal(polars["score"].to_numpy(), frame.score)
    assert all(type(value) is bool for value in plain["selected"])


def test_other_outputs_are_rejected_and_missing_packages_named(monkeypatch):
    X, y = load_iris(return_X_y=True)
    fitted = MRMR(2).fit(X, y)
    with pytest.raises(ValueError, match="output must be one of 'pandas', 'polars', 'dict'"):
        fitted.table("panda")
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError, match=r'polars, which is not installed.*output="dict"'):
        fitted.table("polars")


def test_a_table_can_be_changed_without_changing_the_selector():
    X, y = load_iris(return_X_y=True)
    fitted = Ensemble(MRMR(2), 3).fit(X, y)
    before = fitted.to_json()
    table = fitted.table()
    table.loc[:, ["score", "relevance", "votes"]] = -1.0
    table.loc[:, "selected"] = False
    assert fitted.to_json() == before


def test_a_chain_has_relevance_and_redundancy_of_the_input_of_its_last_selector():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    chain = Chain([SelectKBest(k=8), MRMR(3)]).fit(X, y)
    table = chain.table()
    seen = table.relevance.notna()
    assert seen.sum() == 8
    last = chain.selectors_[-1].table()
    assert table[seen].set_index("name").relevance.to_dict() == (
        last.set_index("name").relevance.to_dict()
    )
    assert (table.reason[~seen] == "dropped by selector 1 (selectkbest)").all()


def test_many_features_are_fast():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (30, 20_000))
    fitted = MRMR(20, relevance="mi", redundancy="mi").fit(X, np.arange(30) % 2)
    start = time.perf_counter()
    assert len(fitted.table("dict")["reason"]) == 20_000
    assert time.perf_counter() - start < 5


def test_curves_have_tables():
    X, y = load_iris(return_X_y=True)
    settings = {"k": [1, 2], "n_splits": 3, "n_repeats": 3, "random_state": 0}
    curve = stability_curve(MRMR(2), X, y, **settings)
    table = curve.table()
    assert table.columns.tolist() == ["k", "mean", "std"]
    np.testing.assert_array_equal(table["mean"], curve.mean)
    assert curve.table("dict")["k"] == [1, 2]
    grid = stability_grid(Ensemble(MRMR(2)), X, y, n_parts=[2, 4, 5], **settings)
    rows = grid.table("polars")
    assert rows.columns == ["n_parts", "k", "mean"]
    for n_parts, k, mean in rows.iter_rows():
        assert mean == grid.values[grid.n_parts.tolist().index(n_parts), grid.k.tolist().index(k)]
    other = stability_curve(FisherScore(2), X, y, **settings)
    compared = compare_curves(curve, other).table("dict")
    assert list(compared) == ["k", "difference", "statistic", "pvalue"]
    assert compared["difference"] == (curve.mean - other.mean).tolist()


def test_stability_is_described_and_overlap_flatters():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 300)), np.arange(80) % 2
    parts = Ensemble(MRMR(10), 20).fit(X, y)
    bootstrap = Ensemble(MRMR(10), 20, kind="bagging", random_state=0).fit(X, y)
    assert parts.stability_ > 2 * bootstrap.stability_
    assert "any two of which share about 95% of their rows" in parts.stability_note_
    assert bootstrap.stability_note_ == "mean Jaccard index of 20 selections on bootstrap samples"
    inner = Ensemble(MRMR(10), 20, kind="inner").fit(X, y)
    assert inner.stability_note_ == "one selection: nothing to compare"

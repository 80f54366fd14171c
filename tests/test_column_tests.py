"""`Univariate` with its default measure: a test for each column, by the types of column and target."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import special, stats

from tests.naive import column_tests as naive
from thresher import Chain, Ensemble, Univariate
from thresher.measures.chance import minus_log_chi2, minus_log_f

rng = np.random.default_rng(0)
N = 240
LABELS = np.arange(N) % 3
PRICE = rng.normal(size=N) + LABELS
TABLE = pd.DataFrame(
    {
        "size": rng.normal(size=N) + 0.3 * LABELS,
        "colour": np.where(rng.random(N) < 0.3, LABELS, rng.integers(0, 4, N)).astype(str),
        "noise": rng.normal(size=N),
        "kind": pd.Categorical(np.where(rng.random(N) < 0.6, LABELS, rng.integers(0, 3, N))),
        "flag": rng.random(N) < 0.3 + 0.1 * LABELS,
        "whole": rng.integers(0, 5, N) + LABELS,
        "word": rng.choice(["u", "v"], N),
    }
)
CATEGORIES = {"colour", "kind", "word"}
TARGETS = {"classes": LABELS, "words": LABELS.astype(str), "numbers": PRICE}


def expected(target):
    y, is_nominal = TARGETS[target], target != "numbers"
    return [
        naive.column_test(TABLE[name], y, is_category=name in CATEGORIES, is_nominal=is_nominal)
        for name in TABLE
    ]


@pytest.mark.parametrize("target", TARGETS)
def test_each_column_has_the_test_of_its_type(target):
    names, wanted = zip(*expected(target), strict=True)
    fitted = Univariate(3).fit(TABLE, TARGETS[target])
    assert fitted.tests_.tolist() == list(names)
    np.testing.assert_allclose(fitted.pvalues_, wanted, rtol=1e-9)
    np.testing.assert_allclose(fitted.scores_, -np.log10(wanted), rtol=1e-9)
    assert fitted.selected_.tolist() == np.argsort(wanted)[:3].tolist()
    assert fitted.pvalue_method_ == "analytic"
    assert fitted.table()["pvalue"].tolist() == fitted.pvalues_.tolist()


@pytest.mark.parametrize("read", [pl.from_pandas, pa.Table.from_pandas], ids=["polars", "arrow"])
@pytest.mark.parametrize("target", TARGETS)
def test_every_frame_gives_the_same(read, target):
    table = TABLE.assign(kind=TABLE["kind"].astype(str))
    wanted = Univariate(3).fit(table, TARGETS[target])
    fitted = Univariate(3).fit(read(table), TARGETS[target])
    assert fitted.pvalues_.tolist() == wanted.pvalues_.tolist()


@pytest.mark.parametrize("y", [LABELS, PRICE], ids=["classes", "numbers"])
def test_without_categories_it_is_f(y):
    numbers = TABLE.drop(columns=sorted(CATEGORIES))
    fitted, f = Univariate(2).fit(numbers, y), Univariate(2, measure="f").fit(numbers, y)
    assert fitted.scores_.tolist() == f.scores_.tolist()
    assert fitted.pvalues_.tolist() == f.pvalues_.tolist()
    assert fitted.tests_.tolist() == ["f"] * 4
    by_exclusion = Univariate(2, exclude=sorted(CATEGORIES)).fit(TABLE, y)
    chosen = by_exclusion.get_feature_names_out()
    assert chosen.tolist() == f.get_feature_names_out().tolist()


@pytest.mark.parametrize("target", TARGETS)
def test_a_weight_of_two_counts_like_two_samples(target):
    weight = np.arange(N) // 3 % 3
    weighted = Univariate(3).fit(TABLE, TARGETS[target], sample_weight=weight)
    rows = np.repeat(np.arange(N), weight)
    repeated = Univariate(3).fit(TABLE.iloc[rows], TARGETS[target][rows])
    assert weighted.scores_.tolist() == repeated.scores_.tolist()
    assert weighted.pvalues_.tolist() == repeated.pvalues_.tolist()


@pytest.mark.parametrize("y", [LABELS, PRICE], ids=["classes", "numbers"])
def test_a_missing_level_is_a_level(y):
    holes = TABLE.assign(colour=TABLE["colour"].where(np.arange(N) % 7 > 0, None))
    filled = holes.assign(colour=holes["colour"].fillna("none"))
    fitted = Univariate(3, missing="category").fit(holes, y)
    np.testing.assert_allclose(fitted.pvalues_, Univariate(3).fit(filled, y).pvalues_, rtol=1e-12)
    holes.loc[5, "size"] = np.nan
    with pytest.raises(ValueError, match=r"not for numeric columns, but column 'size'"):
        Univariate(3, missing="category").fit(holes, y)


def test_false_discoveries_are_counted_over_all_columns():
    fitted = Univariate("auto", alpha=0.01).fit(TABLE, LABELS)
    wanted = stats.false_discovery_control([p for _, p in expected("classes")])
    np.testing.assert_allclose(fitted.corrected_pvalues_, wanted, rtol=1e-9)
    assert set(fitted.selected_.tolist()) == set(np.flatnonzero(wanted <= 0.01).tolist())


def test_a_level_for_each_row_carries_no_information_about_a_number():
    table = TABLE[["size", "colour"]].assign(id=[f"row {i}" for i in range(N)], one="same")
    fitted = Univariate(1).fit(table, PRICE)
    assert fitted.pvalues_[2] == 1
    assert fitted.pvalues_[3] == 1
    assert fitted.ranking_[2:].tolist() == [3, 4]


def test_strong_evidence_is_ranked_beyond_the_smallest_double():
    y = np.arange(4000) % 2
    table = pd.DataFrame(
        {
            "good": np.where(np.arange(4000) % 41 == 0, 1 - y, y).astype(str),
            "better": y + np.random.default_rng(1).normal(size=4000) / 20,
            "best": y.astype(str),
        }
    )
    fitted = Univariate(3).fit(table, y)
    assert fitted.pvalues_.tolist() == [0, 0, 0]
    assert fitted.selected_.tolist() == [1, 2, 0]
    assert np.isfinite(fitted.scores_).all()


def test_it_works_inside_others_and_is_read_back():
    fitted = Univariate(3).fit(TABLE, LABELS)
    again = Univariate.from_json(fitted.to_json())
    assert again.tests_.tolist() == fitted.tests_.tolist()
    bagged = Ensemble(Univariate(3), 4, kind="full").fit(TABLE, LABELS)
    assert set(bagged.selected_.tolist()) == set(fitted.selected_.tolist())
    assert Chain([Univariate(3), Univariate(1)]).fit(TABLE, PRICE).selected_.size == 1


def test_permuted_targets_need_one_measure():
    with pytest.raises(ValueError, match=r"one measure, but column 'colour'"):
        Univariate(3, pvalues="permutation").fit(TABLE, LABELS)


@pytest.mark.parametrize("freedom", [2, 4, 10, 100, 2000])
def test_tails_of_chi_squared(freedom):
    statistic = freedom * np.array([0.01, 0.5, 1, 1.5, 3, 10, 100, 1e4]) + 1
    wanted = [naive.minus_log_chi2(value, freedom) for value in statistic]
    found = minus_log_chi2(statistic, np.full(8, float(freedom)))
    # The reference implementation takes the difference of numbers as large as the statistic.
    np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("below", [2, 7, 100, 10_000, 1_000_000])
@pytest.mark.parametrize("above", [2, 4, 50])
def test_tails_of_f(above, below):
    statistic = np.array([0.01, 0.5, 1, 1.5, 3, 10, 100, 1e4, 1e12])
    wanted = [naive.minus_log_f(value, above, below) for value in statistic]
    found = minus_log_f(statistic, np.full(9, float(above)), np.full(9, float(below)))
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)


def test_tails_of_odd_degrees_join_those_of_scipy():
    x = np.linspace(1200, 1500, 50)
    ones = np.ones(50)
    np.testing.assert_allclose(
        minus_log_chi2(x, ones), -special.log_ndtr(-np.sqrt(x)) - np.log(2), rtol=1e-11
    )
    steps = np.diff(minus_log_f(x, ones, 1e6 * ones), 2)
    assert np.abs(steps).max() < 1e-3  # no jump where one formula gives way to the other

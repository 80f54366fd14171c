"""Recommendations: plausible selectors, evaluated on the data, with their uncertainty."""

from __future__ import annotations

import math
import sys
import time
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse, stats
from sklearn.base import BaseEstimator
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from tests.examples import pairs
from thresher import CWC, ReliefF
from thresher.datasets import make_artificial1, make_text, make_xor
from thresher.evaluate import _recommend, recommend
from thresher.evaluate import _recommend as module
from thresher.evaluate._candidates import candidates, encode_before, look_at


@pytest.fixture(autouse=True)
def _five_folds(monkeypatch, request):
    """Time decides nothing here: one cross-validation, whatever it takes."""
    most = getattr(request, "param", 5)
    monkeypatch.setattr(_recommend, "_MOST_FOLDS", most)
    if most < 50:
        monkeypatch.setattr(_recommend, "_FEWEST_FOLDS", 5)


def test_parity_needs_methods_that_score_sets():
    made = make_xor(300, random_state=0)
    found = recommend(
        made.data, made.target, 60, k=2, estimator=KNeighborsClassifier(), random_state=0
    )
    assert found.interactions is True
    table = found.table()
    assert set(table["selector"][:2]) == {"CWC", "ReliefF"}
    assert table["score"][0] == 1.0
    assert found.winner is None  # two do equally well
    assert any("interactions" in text for text in found.findings)
    assert table["selector"][1] in found.alike
    assert "no significant difference between the first and" in str(found)


def test_noise_has_no_winner():
    rng = np.random.default_rng(0)
    found = recommend(
        rng.normal(size=(80, 100)), np.arange(80) % 2, 60, estimator=GaussianNB(), random_state=0
    )
    assert found.winner is None
    assert found.interactions is False
    assert set(found.alike) == set(found.table("dict")["selector"][1:])
    assert "no winner" in str(found)
    assert any("better than a guess" in text for text in found.findings)
    assert found.code.startswith(
        "# Not significantly better than a guess without features on 5 folds"
    )


class Known(BaseEstimator):
    """A selector that finds the true features."""

    def __init__(self, n_features_to_select=1, truth=None):
        self.n_features_to_select = n_features_to_select
        self.truth = truth

    def fit(self, X, y):
        self.support_ = np.isin(np.arange(X.shape[1]), self.truth)
        return self

    def get_support(self):
        return self.support_


def with_candidates(monkeypatch, given):
    monkeypatch.setattr(module, "candidates", lambda *_: (given, []))


@pytest.mark.parametrize("_five_folds", [20], indirect=True)
def test_a_winner_is_named_where_it_is_one(monkeypatch):
    made = make_artificial1(200, 40, n_informative=4, random_state=0)
    candidate = module.Candidate
    with_candidates(
        monkeypatch,
        [candidate("wrong", Known(4, [30, 31, 32, 33]), "a"), candidate("right", Known(4, [0, 1, 2, 3]), "b")],
    )  # fmt: skip
    found = recommend(made.data, made.target, 60, k=4, estimator=LinearRegression(), random_state=0)
    assert found.winner == "right"
    assert found.alike == ()
    assert not found.code.startswith("#")
    assert "winner: right" in str(found)
    reasons = found.table("dict")["reason"]
    assert reasons[0] == "b; the best mean score"
    assert ", significant (p" in reasons[1]


def test_the_test_is_that_of_nadeau_and_bengio(monkeypatch):
    X, y = load_breast_cancer(return_X_y=True)
    candidate = module.Candidate
    with_candidates(
        monkeypatch, [candidate("a", Known(2, [0, 1]), ""), candidate("b", Known(2, [22, 27]), "")]
    )
    races = []
    summarize = module._summarize
    monkeypatch.setattr(
        module, "_summarize", lambda race, *rest: races.append(race) or summarize(race, *rest)
    )
    table = recommend(X, y, 60, k=2, estimator=GaussianNB(), random_state=0).table("dict")
    gaps = races[0].scores("b") - races[0].scores("a")
    assert len(gaps) == 5
    mean = sum(gaps) / 5
    variance = sum((gap - mean) ** 2 for gap in gaps) / 4
    statistic = mean / math.sqrt((1 / 5 + 1 / 4) * variance)
    assert table["selector"] == ["b", "a"]
    assert table["pvalue"][1] == pytest.approx(2 * stats.t.sf(statistic, 4))
    half = stats.t.ppf(0.975, 4) * races[0].scores("b").std(ddof=1) * math.sqrt(1 / 5 + 1 / 4)
    assert table["high"][0] - table["score"][0] == pytest.approx(half)


@pytest.mark.parametrize(("selector", "is_mentioned"), [(CWC(), True), (ReliefF(2), False)])
def test_the_code_mentions_selectors_that_find_their_number_of_features(
    monkeypatch, selector, is_mentioned
):
    made = make_xor(n_features=6, random_state=0)
    with_candidates(monkeypatch, [module.Candidate(name, selector, "a") for name in "ab"])
    found = recommend(made.data, made.target, 60, k=2, estimator=GaussianNB(), random_state=0)
    assert (
        "# It finds the number of features by itself; at most its first 2 were scored" in found.code
    ) == is_mentioned


@pytest.mark.parametrize("usual", [True, False])
def test_the_code_runs(usual):
    X, y = load_iris(return_X_y=True)
    estimator = GaussianNB()
    given = None if usual else estimator
    found = recommend(X, y, 60, estimator=given, random_state=0)
    names = {"X": X, "y": y, "estimator": estimator}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(found.code, names)
    assert names["model"].predict(X).shape == (150,)
    assert ("RandomForest" in found.code) == usual


def messy_table():
    rng = np.random.default_rng(0)
    sex, age = rng.choice(["m", "f"], 200), rng.integers(1, 80, 200).astype(float)
    y = np.where((sex == "m") | (age > 70), "yes", "no")
    age[::9] = np.nan
    port = pd.Series(rng.choice(["a", "b", None], 200), dtype="string")
    frame = pd.DataFrame({"age": age, "sex": sex, "port": port, "paid": rng.random(200) < 0.5})
    return frame.assign(fare=rng.normal(size=200)), y


@pytest.mark.parametrize(
    ("as_frame", "numeric"), pairs([pd.DataFrame, pl.from_pandas], [False, True])
)
def test_a_messy_table_needs_nothing_done_before(as_frame, numeric):
    X, y = messy_table()
    y = (y == "yes") + X["fare"].to_numpy() if numeric else y
    X = as_frame(X)
    found = recommend(X, y, 30, k=2, random_state=0)
    assert "categories among the features, some values missing" in found.findings[0]
    assert not any("failed" in text for text in found.findings)
    assert "OneHotEncoder(" in found.code
    names = {"X": X, "y": y}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(found.code, names)
    assert names["model"].predict(X).shape == (200,)


def test_booleans_are_numbers():
    X, y = messy_table()
    dummies = pd.get_dummies(X[["sex", "port"]])
    assert "few integers per feature" in recommend(dummies, y, 3, k=2).findings[0]


def arrow_table(X):
    return pytest.importorskip("pyarrow").Table.from_pandas(X)


@pytest.mark.parametrize(
    "as_frame",
    [lambda X: X, pl.from_pandas, arrow_table],
    ids=["pandas", "polars", "arrow"],
)
def test_tables_of_any_kind_are_encoded_alike(as_frame):
    X, _ = messy_table()
    X["visits"] = pd.array([*range(199), None], dtype="Int64")
    encode = encode_before().fit(as_frame(X[:100]))
    made = encode.transform(as_frame(X[100:])).astype(float)
    assert made.shape == (100, 2 + 3 + 4)
    np.testing.assert_array_equal(made[:, 1], X["sex"][100:] == "m")
    np.testing.assert_array_equal(made[:, 4], X["port"][100:].isna())
    np.testing.assert_array_equal(made[:, 5], X["age"][100:])
    np.testing.assert_array_equal(made[:, 8], X["visits"][100:].astype(float))
    unseen = encode.transform(as_frame(X[:2].assign(sex=["other", None])))
    assert not unseen[:, :2].any()


def test_sparse_numbers_are_made_dense():
    made = encode_before().fit_transform(sparse.csr_array(np.eye(3)))
    np.testing.assert_array_equal(made, np.eye(3))


def test_numbers_are_taken_for_numbers():
    X, y = load_diabetes(return_X_y=True)
    found = recommend(X, y, 60, estimator=LinearRegression(), random_state=0)
    assert {"RRCT", "GSO", "LassoPath"} <= set(found.table("dict")["selector"])
    assert "numeric target" in found.findings[0]
    assert isinstance(found.table("polars"), pl.DataFrame)


def test_the_data_decide_which_candidates_are_evaluated():
    def tried(X, y, budget=30):
        found, left_out = candidates(look_at(X, y), 5, budget)
        return [candidate.name for candidate in found], left_out

    rng = np.random.default_rng(0)
    y = np.arange(100) % 2
    names, _ = tried(rng.normal(size=(100, 20)), y)
    assert names == ["Univariate", "MRMR", "CFS", "CMIM", "CWC", "ReliefF"]
    names, _ = tried(rng.integers(0, 3, (100, 500)), y)
    assert "JMI" in names
    assert "Ensemble" in names
    text = make_text(100, 60, n_informative=5, random_state=0)
    names, left_out = tried(text.data, text.target)
    assert names[0] == "MIM"
    assert left_out == ["ReliefF: needs dense data"]
    frame = pd.DataFrame({"a": rng.normal(size=100), "b": pd.Categorical(["x", "y"] * 50)})
    assert tried(frame, y)[0][0] == "MIM"
    _, left_out = tried(rng.normal(size=(3000, 100)), np.arange(3000) % 2, budget=5)
    assert "take too long for the budget" in left_out[0]


class Slow(Known):
    def fit(self, X, y):
        time.sleep(SECONDS)
        return super().fit(X, y)


SECONDS = 0.3


def test_the_slowest_are_left_out_and_failures_reported(monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "SECONDS", 1.5)
    X, y = load_iris(return_X_y=True)
    candidate = module.Candidate
    given = [
        candidate("a", Known(1, [2]), "quick"),
        candidate("b", Known(1, [3]), "quick"),
        candidate("broken", Known(1, ["none"]), "broken"),
        candidate("slow", Slow(1, [2]), "slow"),
    ]
    with_candidates(monkeypatch, given)
    found = recommend(X, y, 1, k=1, estimator=GaussianNB(), random_state=0)
    assert set(found.table("dict")["selector"]) == {"a", "b"}
    assert any(
        text.startswith("left out: slow took") and "budget" in text for text in found.findings
    )
    assert any(text.startswith("left out: broken failed: ") for text in found.findings)


class Costly(Known):
    """A selector whose fit advances a stopped clock by its seconds."""

    def __init__(self, n_features_to_select=1, truth=None, seconds=0.0):
        super().__init__(n_features_to_select, truth)
        self.seconds = seconds

    def fit(self, X, y):
        CLOCK[0] += self.seconds
        return super().fit(X, y)


CLOCK = [0.0]


def race_by_the_clock(monkeypatch, seconds, budget_s):
    """Return the outcome of candidates that take these seconds to fit, and what they took together."""
    monkeypatch.setattr(_recommend.time, "monotonic", lambda: CLOCK[0])
    monkeypatch.setattr(_recommend.time, "perf_counter", lambda: CLOCK[0])
    CLOCK[0] = 0.0
    X, y = load_iris(return_X_y=True)
    given = [
        module.Candidate(str(i), Costly(1, [2 + i % 2], cost), "", finds_interactions=i == 1)
        for i, cost in enumerate(seconds)
    ]
    with_candidates(monkeypatch, given)
    found = recommend(X, y, budget_s, k=1, estimator=GaussianNB(), random_state=0)
    return found, CLOCK[0]


@pytest.mark.parametrize("_five_folds", [50], indirect=True)
@pytest.mark.parametrize(
    ("seconds", "budget_s", "most"),
    [
        ([1] * 6, 100, 100),
        ([1] * 6, 30, 30),
        ([1] * 6, 10, 10),
        ([1] * 6, 3, 4),  # two candidates on two folds are the least there is to compare
        ([1, 20, 20, 20], 30, 42),  # a fit that has started runs to its end
        ([5, 1, 1, 1], 10, 12),
        ([0.1, 0.1, 0.1, 9], 30, 30),
    ],
)
def test_the_budget_is_kept(monkeypatch, seconds, budget_s, most):
    found, spent = race_by_the_clock(monkeypatch, seconds, budget_s)
    assert spent <= most
    assert found.table("dict")["n_folds"][0] >= 2


@pytest.mark.parametrize("_five_folds", [50], indirect=True)
def test_the_ranking_that_others_have_to_beat_is_never_too_slow(monkeypatch):
    found, _ = race_by_the_clock(monkeypatch, [3, 1, 2, 1], 12)
    assert set(found.table("dict")["selector"]) == {"0", "1"}
    assert found.interactions is not None
    untried, _ = race_by_the_clock(monkeypatch, [3, 3, 3, 3], 10)
    assert sum("not run: half of the budget" in text for text in untried.findings) == 2


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"budget_s": 0}, "budget_s must be a number above 0, got 0"),
        ({"k": 9}, "k must be an integer of at least 1 and of at most 4, got 9"),
        ({"scoring": "acc"}, "scoring must be one of"),
        ({"y": np.zeros(150)}, "y has only the value 0.0"),
        ({"y": np.r_[np.zeros(149), 1].astype(int)}, "the class 1 has a single sample"),
        ({"y": [1]}, "X has 150 rows, but y has 1 values"),
        ({"X": np.full((150, 4), np.inf)}, r"0, 1, 2, 3 \(inf in 150\)"),
        ({"X": np.ones((150, 4))}, "no selector could be run; Univariate failed: ValueError"),
    ],
)
def test_bad_arguments_are_rejected_in_one_line(settings, words):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=words):
        recommend(**{"X": X, "y": y, "budget_s": 5, **settings})

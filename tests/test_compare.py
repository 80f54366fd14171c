"""Comparisons of selectors: results, stored cells and failures."""

from __future__ import annotations

import contextlib
import math
import mmap
import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator
from sklearn.datasets import load_diabetes, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import (
    RFE,
    SelectFromModel,
    SelectKBest,
    VarianceThreshold,
    f_classif,
)
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from tests.naive import compare as naive
from thresher import MRMR, Ensemble, ThresherWarning, Univariate
from thresher.datasets import make_artificial1, make_text
from thresher.evaluate import compare, friedman, wilcoxon_holm
from thresher.evaluate.stability import nogueira_interval

COSTS = ["seconds", "megabytes"]
# Lines of a store before the first cell: the experiment, the seed, and the folds of two data sets.
HEAD = 4


def wine_and_iris():
    return {"wine": load_wine(return_X_y=True), "iris": load_iris()}


def small(**settings):
    given = {
        "selectors": {"MRMR": MRMR(), "F": SelectKBest()},
        "data": wine_and_iris(),
        "estimators": {"NB": GaussianNB(), "3NN": KNeighborsClassifier(3)},
        "k": [1, 3],
        "cv": 3,
        "random_state": 0,
        "progress": False,
    }
    return compare(**{**given, **settings})


def test_the_table_equals_the_slow_comparison():
    X, y = load_wine(return_X_y=True)
    folds = naive.stratified(y, 4, 7)
    found = compare(
        {"F": SelectKBest(), "ours": MRMR()},
        {"wine": (X, y)},
        {"NB": GaussianNB(), "3NN": KNeighborsClassifier(3)},
        k=(2, 4),
        cv=folds,
        progress=False,
    ).table("dict")

    def best_f(X, y, k):
        return np.sort(np.argsort(-f_classif(X, y)[0], kind="stable")[:k])

    def mrmr(X, y, k):
        return np.sort(MRMR(k).fit(X, y).selected_)

    expected = naive.compare(
        {"F": best_f, "ours": mrmr}, X, y, {"NB": GaussianNB(), "3NN": KNeighborsClassifier(3)}, (2, 4), folds
    )  # fmt: skip
    rows = {
        (s, e, k): i
        for i, (s, e, k) in enumerate(zip(found["selector"], found["estimator"], found["k"], strict=True))
    }  # fmt: skip
    assert len(rows) == len(expected) == 8
    for selector, learner, k, score, chosen in expected:
        i = rows[selector, learner, k]
        assert found["score"][i] == pytest.approx(score, rel=1e-14)
        interval = nogueira_interval([c.tolist() for c in chosen], n_features=13)
        got = [found[name][i] for name in ("stability", "stability_low", "stability_high")]
        np.testing.assert_allclose(got, [interval.value, interval.low, interval.high])
        assert found["n_selected"][i] == k


def test_the_table_is_tidy_and_of_any_kind():
    comparison = small()
    frame = comparison.table()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns[:6]) == ["data", "selector", "estimator", "k", "score", "score_sd"]
    assert len(frame) == 2 * 2 * 2 * 2
    assert not frame.duplicated(["data", "selector", "estimator", "k"]).any()
    assert isinstance(comparison.table("polars"), pl.DataFrame)
    folds = comparison.folds()
    assert len(folds) == 3 * len(frame)
    keys = ["data", "selector", "estimator", "k"]
    mean = folds.groupby(keys)["score"].mean()
    np.testing.assert_allclose(mean, frame.set_index(keys)["score"].sort_index())
    assert frame["evaluations"].notna().equals(frame["selector"] == "MRMR")
    assert (frame["seconds"] > 0).all()


class CountingMRMR(MRMR):
    fits = 0

    def fit(self, X, y=None, **settings):
        CountingMRMR.fits += 1
        return super().fit(X, y, **settings)


class FirstWaits(MRMR):
    """A selector whose first fit waits until another cell is stored."""

    def __init__(self, folder=None, n_features_to_select=1):
        super().__init__(n_features_to_select)
        self.folder = folder

    def fit(self, X, y=None, **settings):
        with contextlib.suppress(FileExistsError):
            (self.folder / "first").touch(exist_ok=False)
            deadline = time.monotonic() + 120
            while count_lines(self.folder / "cells.log") <= HEAD:
                if time.monotonic() > deadline:
                    raise TimeoutError
                time.sleep(0.02)
        return super().fit(X, y, **settings)


def count_lines(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


def test_nested_selectors_are_fitted_once_for_all_k():
    CountingMRMR.fits = 0
    small(selectors={"ours": CountingMRMR()}, k=[1, 2, 3, 4])
    assert CountingMRMR.fits == 2 * 3


def test_selectors_of_all_kinds_take_part():
    selectors = {
        "importance": SelectFromModel(RandomForestClassifier(2)),
        "elimination": RFE(LinearDiscriminantAnalysis()),
        "variance": VarianceThreshold(),
        "ensemble": Ensemble(Univariate(), 3, kind="full"),
    }
    table = small(selectors=selectors).table("dict")
    assert table["n_selected"] == [float(k) for k in table["k"]]
    assert not any(math.isnan(score) for score in table["score"])


def test_false_features_are_counted_where_the_truth_is_known():
    known = make_artificial1(200, 20, n_informative=3, random_state=0)
    table = compare(
        {"F": Univariate()},
        {"known": known, "unknown": load_diabetes()},
        {"linear": LinearRegression()},
        k=[3, 6],
        random_state=0,
        progress=False,
    ).table("dict")
    assert table["false_share"][1] == 0.5
    assert np.isnan(table["false_share"][2:]).all()


def test_sparse_data_and_frames_are_taken_as_they_are():
    text = make_text(120, 60, n_informative=10, random_state=0)
    X, y = load_iris(return_X_y=True, as_frame=True)
    frames = {"text": text, "pandas": (X, y), "polars": (pl.from_pandas(X), y.to_numpy())}
    table = small(
        data=frames, selectors={"MRMR": MRMR()}, estimators={"logistic": LogisticRegression(max_iter=500)}
    ).table()  # fmt: skip
    by_kind = table.set_index(["data", "k"])["score"]
    assert by_kind["pandas", 3] == pytest.approx(by_kind["polars", 3], abs=0.05)
    assert not by_kind.isna().any()


def test_open_random_states_follow_the_seed():
    tree = {"tree": DecisionTreeClassifier(max_features=1)}
    first, again = small(estimators=tree), small(estimators=tree)
    pd.testing.assert_frame_equal(
        first.table().drop(columns=COSTS), again.table().drop(columns=COSTS)
    )
    other = small(estimators=tree, random_state=1)
    assert not first.table()["score"].equals(other.table()["score"])


def test_processes_change_nothing():
    one, two = small(), small(n_jobs=2)
    pd.testing.assert_frame_equal(one.table().drop(columns=COSTS), two.table().drop(columns=COSTS))


class Hungry(SelectKBest):
    def fit(self, X, y=None):
        # Asked of the system: what the allocator has in store would not make the process grow.
        np.frombuffer(mmap.mmap(-1, 48_000_000), dtype=np.uint8)[:] = 1
        return super().fit(X, y)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not report it")
def test_peak_memory_is_seen():
    table = small(selectors={"hungry": Hungry()}, k=2).table("dict")
    assert max(table["megabytes"]) > 40


# -- what comes of it


def test_ranks_and_tests_are_those_of_the_table_of_scores():
    selectors = {"MRMR": MRMR(), "F": SelectKBest(), "MI": Univariate(measure="mi")}
    comparison = small(selectors=selectors, k=[2, 3])
    plain = comparison.scores().set_index("data")
    assert comparison.friedman().statistic == friedman(plain).statistic
    np.testing.assert_array_equal(comparison.wilcoxon().pvalues, wilcoxon_holm(plain).pvalues)
    assert comparison.nemenyi().critical_difference > 0
    assert comparison.bonferroni_dunn("F").control == "F"
    assert len(comparison.wins()) == 3
    ranks = comparison.ranks()
    assert sorted(ranks["selector"]) == ["F", "MI", "MRMR"]
    assert ranks["mean_rank"].is_monotonic_increasing
    assert ranks["mean_rank"].sum() == pytest.approx(6)
    table = comparison.table()
    one = table[(table["k"] == 2) & (table["estimator"] == "NB")].set_index(["data", "selector"])
    at = comparison.scores(k=2, estimator="NB").set_index("data")
    assert at.loc["wine", "MI"] == pytest.approx(one.loc[("wine", "MI"), "score"])
    mean = table[table["data"] == "iris"].groupby("selector")["score"].mean()
    assert plain.loc["iris", "F"] == pytest.approx(mean["F"])
    with pytest.raises(ValueError, match=r"k must be one of \[2, 3\]"):
        comparison.ranks(k=9)
    with pytest.raises(ValueError, match="estimator must be one of 'NB', '3NN'"):
        comparison.ranks(estimator="SVM")


# -- what fails


class Failing(BaseEstimator):
    def __init__(self, n_features_to_select=1):
        self.n_features_to_select = n_features_to_select

    def fit(self, X, y):
        raise RuntimeError("out of order")

    predict = score = fit


def test_a_failure_leaves_its_error_and_the_rest_continues():
    with pytest.warns(
        ThresherWarning, match="failed and are missing.*bad on wine, fold 0: ValueError"
    ):
        comparison = small(
            selectors={"MRMR": MRMR(), "broken": Failing()},
            estimators={"NB": GaussianNB(), "bad": KNeighborsClassifier(1000)},
        )
    errors = comparison.errors()
    assert len(errors) == 6 + 6
    assert set(errors["estimator"]) == {"", "bad"}
    table = comparison.table()
    good = (table["selector"] == "MRMR") & (table["estimator"] == "NB")
    assert table.loc[good, "score"].notna().all()
    assert table.loc[~good, "score"].isna().all()
    assert (table.loc[~good, "n_failed"] == 3).all()
    with pytest.warns(ThresherWarning, match="because scores are missing: bad, broken$"):
        assert comparison.ranks(output="dict")["selector"] == ["MRMR"]
    text = repr(comparison)
    assert text.startswith(
        "2 selectors on 2 data sets with 2 estimators, k = 1, 3; some fits or scores failed"
    )
    assert "MRMR" in text
    assert len(text) < 300


def test_nothing_is_ranked_where_all_failed():
    with pytest.warns(ThresherWarning, match="failed and are missing"):
        comparison = small(selectors={"broken": Failing()})
    with pytest.raises(ValueError, match=r"no data set has a score of every selector. Call errors"):
        comparison.ranks()
    assert "mean_rank" not in repr(comparison)


def test_a_data_set_without_all_scores_is_left_out_of_the_tests():
    data = {**wine_and_iris(), "strings": (np.array([["a", "b"]] * 30), np.arange(30) % 2)}
    with pytest.warns(ThresherWarning, match="failed and are missing"):
        comparison = small(data=data, k=1)
    with pytest.warns(ThresherWarning, match="because scores are missing: strings$"):
        assert comparison.wilcoxon().n_sets == 2


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"k": 20}, "k must contain a number of at most 13, the features of wine"),
        ({"k": 0}, "k must be an integer of at least 1, got 0"),
        ({"k": []}, "k must contain at least one number"),
        ({"scoring": "acuracy"}, "did you mean 'accuracy'"),
        ({"selectors": [MRMR()]}, "selectors must be a dict of name to object"),
        ({"data": {}}, "data must be a dict of name to object"),
        ({"estimators": {1: GaussianNB()}}, "estimators must have names as keys, got 1"),
        ({"data": {"x": 5}}, r"data\['x'\] must be a pair"),
        ({"data": {"x": ([[1], [2]], [0])}}, "X has 2 rows, but y has 1 values"),
        ({"estimators": {"a": GaussianNB(), "b": LinearRegression()}}, "all classifiers or all regr"),
        ({"cv": 1}, "cv must be an integer of at least 2, got 1"),
        ({"cv": KFold(3), "data": {"iris": load_iris()}, "k": 1, "selectors": {"F": SelectKBest()}}, None),
        ({"progress": "yes"}, "progress must be True or False"),
        ({"n_jobs": 0}, "n_jobs must be"),
    ],
)  # fmt: skip
def test_bad_arguments_are_rejected_in_one_line(settings, words):
    if words is None:
        small(**settings)
        return
    with pytest.raises(ValueError, match=words):
        small(**settings)


def test_folds_that_train_on_one_class_are_rejected():
    y = np.repeat([0, 1], [20, 20])
    with pytest.raises(ValueError, match=r"'x'.*fold 0 trains on the class 1 only"):
        small(data={"x": (np.random.default_rng(0).random((40, 3)), y)}, k=1, cv=KFold(2))


def test_k_beyond_the_features_of_one_data_set_is_left_out_there():
    with pytest.warns(
        ThresherWarning, match="iris has 4 features: k is tried up to 3, not up to 6"
    ):
        table = small(k=[3, 6]).table()
    assert sorted(set(table.loc[table["data"] == "iris", "k"])) == [3]
    assert sorted(set(table.loc[table["data"] == "wine", "k"])) == [3, 6]


# -- the store


def test_a_finished_store_gives_the_identical_table_without_a_fit(tmp_path):
    CountingMRMR.fits = 0
    settings = {
        "selectors": {"ours": CountingMRMR()},
        "store": tmp_path / "x",
        "random_state": None,
    }
    first = small(**settings)
    assert CountingMRMR.fits == 6
    again = small(**settings)
    assert CountingMRMR.fits == 6
    pd.testing.assert_frame_equal(first.table(), again.table(), check_exact=True)


@pytest.mark.parametrize("n_left", [0, 1, 5])
def test_missing_cells_alone_are_computed_again(tmp_path, n_left):
    settings = {"selectors": {"ours": CountingMRMR()}, "store": tmp_path}
    first = small(**settings)
    log = tmp_path / "cells.log"
    lines = log.read_bytes().splitlines(keepends=True)
    assert len(lines) == HEAD + 6
    # The cell after those that are left was torn, or is damaged.
    for torn in (lines[HEAD + n_left][:-20], lines[HEAD + n_left].replace(b"0", b"1", 1)):
        log.write_bytes(b"".join([*lines[: HEAD + n_left], torn]))
        CountingMRMR.fits = 0
        again = small(**settings)
        assert CountingMRMR.fits == 6 - n_left
        pd.testing.assert_frame_equal(
            first.table().drop(columns=COSTS), again.table().drop(columns=COSTS)
        )


def test_errors_are_kept_too(tmp_path):
    for _ in range(2):
        with pytest.warns(ThresherWarning, match="out of order"):
            comparison = small(selectors={"broken": Failing()}, store=tmp_path)
    assert len(comparison.errors()) == 6


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"selectors": {"MRMR": MRMR(objective="quotient"), "F": SelectKBest()}}, "with other selectors MRMR"),
        ({"selectors": {"MRMR": MRMR()}}, "with selectors F, which is not given"),
        ({"selectors": {"MRMR": MRMR(), "F": SelectKBest(), "G": SelectKBest()}}, "without selectors G"),
        ({"selectors": {"F": SelectKBest(), "MRMR": MRMR()}}, "in another order"),
        ({"estimators": {"NB": GaussianNB(), "3NN": KNeighborsClassifier(2)}}, "with other estimators 3NN"),
        ({"data": {"wine": load_iris(), "iris": load_iris()}}, "with other data wine"),
        ({"k": [1, 2]}, r"with other k \(\[1, 3\]\)"),
        ({"scoring": "f1_macro"}, "with other scoring"),
        ({"random_state": 1}, r"with other seed \(\d+\)"),
        ({"cv": 4}, "with other folds wine"),
    ],
)  # fmt: skip
def test_a_store_of_another_experiment_is_rejected(change, words, stored):
    with pytest.raises(ValueError, match=f"cells.log was written {words}. Pass another store"):
        small(**change, store=stored)


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    folder = tmp_path_factory.mktemp("store")
    small(store=folder)
    return folder


def test_only_a_store_needs_things_that_can_be_pickled(tmp_path):
    settings = {"selectors": {"MRMR": MRMR()}, "scoring": lambda *_: 0.5}
    assert set(small(**settings).table()["score"]) == {0.5}
    with pytest.raises(ValueError, match="store needs objects that can be pickled"):
        small(**settings, store=tmp_path / "x")
    assert not (tmp_path / "x").exists()


def test_a_folder_of_something_else_is_rejected(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match="contains other files"):
        small(store=tmp_path)
    with pytest.raises(ValueError, match="must name a folder, got the file"):
        small(store=tmp_path / "notes.txt")
    (tmp_path / "cells.log").write_text("[]")
    with pytest.raises(ValueError, match=r"cells\.log is damaged, or not a store of this version"):
        small(store=tmp_path, random_state=None)


@pytest.mark.parametrize("left", [b"", b'{"thresher journal": 1, "ident'])
def test_a_folder_in_which_nothing_was_finished_is_taken(tmp_path, left):
    (tmp_path / "cells.log").write_bytes(left)
    assert len(small(store=tmp_path).table()) == 16


def test_a_finished_cell_is_stored_while_an_earlier_one_continues(tmp_path):
    comparison = small(selectors={"waits": FirstWaits(tmp_path)}, store=tmp_path, n_jobs=2)
    assert len(comparison.errors()) == 0


SCRIPT = """
import sys, time
from sklearn.datasets import load_iris, load_wine
from sklearn.feature_selection import SelectKBest
from sklearn.naive_bayes import GaussianNB
from thresher import MRMR
from thresher.evaluate import _runs, compare

select = _runs.fit_sizes
def slowly(*settings):
    time.sleep(float(sys.argv[2]))
    return select(*settings)
_runs.fit_sizes = slowly
compare(
    {"MRMR": MRMR(), "F": SelectKBest()}, {"wine": load_wine(return_X_y=True), "iris": load_iris()},
    {"NB": GaussianNB()}, k=[1, 3], cv=3, random_state=0, store=sys.argv[1], progress=False,
)
"""


@pytest.mark.skipif(os.name != "posix", reason="kill -9")
def test_a_killed_comparison_resumes_to_the_identical_table(tmp_path):
    log = tmp_path / "cells.log"
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(SCRIPT), str(tmp_path), "0.2"]
    )
    try:
        deadline = time.monotonic() + 300
        while count_lines(log) < HEAD + 4 and time.monotonic() < deadline:
            time.sleep(0.02)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    kept = log.read_bytes()
    assert HEAD + 4 <= count_lines(log) < HEAD + 12
    settings = {"estimators": {"NB": GaussianNB()}, "progress": False}
    resumed = small(store=tmp_path, **settings)
    assert log.read_bytes().startswith(kept[: kept.rindex(b"\n") + 1])
    whole = small(**settings)
    pd.testing.assert_frame_equal(
        resumed.table().drop(columns=COSTS), whole.table().drop(columns=COSTS), check_exact=True
    )

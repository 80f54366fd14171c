"""The benchmark of false selections."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse, stats
from sklearn.base import BaseEstimator
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.feature_selection import SelectKBest

from tests.naive.probes import mean_false
from thresher import CFS, GSO, MIM, MRMR, RRCT, LassoPath, ReliefF, ThresherWarning
from thresher.datasets import make_artificial1, make_friedman_collinear, make_text
from thresher.evaluate import probe_fdr
from thresher.evaluate.probes import FAMILIES, RELEVANCE_ONLY, count_false, draw_probes


def test_the_worked_counts():
    orders = [[4, 7, 1, 9, 2], [0, 1, 2, 3, 5], [6, 5, 0, 1, 2], [0, 1, 2, 3, 4]]
    false = np.arange(10) >= 5
    counts = count_false(orders, false, 5)
    assert counts[0].tolist() == [0, 1, 1, 2, 2]
    assert counts.mean(axis=0).tolist() == [0.25, 0.75, 0.75, 1.0, 1.25]
    assert counts.mean(axis=0)[-1] / 5 == 0.25


def test_counts_equal_the_slow_ones_and_short_lists_carry_on():
    rng = np.random.default_rng(0)
    false = rng.random(30) < 0.4
    orders = [rng.permutation(30)[:size].tolist() for size in (12, 12, 5, 1, 0)]
    found = count_false(orders, false, 12).mean(axis=0)
    np.testing.assert_allclose(found, mean_false(orders, false, 12), rtol=1e-15)


@pytest.mark.parametrize(
    ("family", "mean", "sd", "skewness"),
    [
        ("normal", 0, 1, 0),
        ("extreme value", -0.58, 1.28, -1.1),
        ("uniform", 0.5, 0.289, 0),
        ("beta", 0.286, 0.160, 0.6),
        ("chi-square", 4, 2.83, 1.4),
        ("gamma", 2, 1.41, 1.4),
        ("generalised extreme value", 0.82, 1.83, 3.5),
        ("Weibull", 0.90, 0.61, 1.1),
    ],
)
def test_probes_have_the_moments_of_their_families(family, mean, sd, skewness):
    values = FAMILIES[family](np.random.default_rng(1), 400_000)
    assert values.mean() == pytest.approx(mean, abs=0.01)
    assert values.std() == pytest.approx(sd, abs=0.02)
    assert stats.skew(values) == pytest.approx(skewness, abs=0.4)


def test_all_families_are_drawn():
    assert len(FAMILIES) == 8
    probes = draw_probes(np.random.default_rng(0), 2000, 80)
    assert probes.shape == (2000, 80)
    assert (probes.min(axis=0) < -4.5).any()  # extreme values
    assert ((probes.min(axis=0) > 0) & (probes.max(axis=0) < 1)).any()  # uniform, beta


class Recorder(BaseEstimator):
    """A ranking by position that records the data it was given."""

    def __init__(self, seen=None, k=1):
        self.seen = seen
        self.k = k

    def fit(self, X, y):
        SEEN.append((np.asarray(X), np.asarray(y)))
        self.support_ = np.arange(X.shape[1]) < self.k
        return self

    def get_support(self):
        return self.support_


SEEN: list = []


def test_the_features_that_a_selector_receives():
    rng = np.random.default_rng(0)
    X, y = np.round(rng.random((50, 4)), 3), rng.random(50)
    SEEN.clear()
    settings = {
        "n_distribution": 6,
        "n_permuted": 3,
        "n_steps": 5,
        "n_repeats": 4,
        "random_state": 7,
    }
    found = probe_fdr({"a": Recorder(), "b": Recorder()}, X, y, **settings)
    assert len(SEEN) == 8
    for repeat in range(4):
        (first, y1), (second, y2) = SEEN[2 * repeat : 2 * repeat + 2]
        np.testing.assert_array_equal(first, second)  # paired
        np.testing.assert_array_equal(y1, y2)
        assert first.shape == (45, 13)
        rows = np.searchsorted(np.sort(y), y1)
        rows = np.argsort(y)[rows]
        assert len(set(rows)) == 45
        whole = [any(np.array_equal(column, X[rows, j]) for j in range(4)) for column in first.T]
        assert sum(whole) == 4
        false = ~np.array(whole)
        expected = count_false([range(5)], false, 5)[0]
        np.testing.assert_array_equal(found.counts["a"][repeat], expected)
        # Permuted columns contain values of one column of X, if not on these rows.
        held = [any(set(column) <= set(X[:, j]) for j in range(4)) for column in first.T]
        assert sum(held) == 4 + 3
    assert len({first.tobytes() for first, _ in SEEN}) == 4
    SEEN.clear()
    probe_fdr(Recorder(), X, y, **{**settings, "redraw": False})
    columns = [set(first[:, j]) for first, _ in SEEN for j in range(13)]
    # Other rows each time, but of the same columns.
    assert len({frozenset(column) for column in columns}) == 4 * 13
    assert len(set().union(*columns)) <= 4 * 50 + 6 * 50


def test_relevance_only_is_always_in_the_table():
    X, y = load_diabetes(return_X_y=True)
    found = probe_fdr(GSO(), X, y, n_repeats=3, random_state=0)
    assert found.selectors == ("selector", "relevance only")
    table = found.table()
    assert list(table.columns) == ["selector", "step", "mean_false_selected", "sd"]
    assert len(table) == 2 * 10
    rows = table[table["selector"] == "relevance only"]["mean_false_selected"].to_numpy()
    assert (np.diff(rows) >= 0).all()
    summary = found.summary("dict")
    assert summary["false_selected_fraction"][1] == pytest.approx(rows[-1] / 10)
    assert summary["n_returned"] == [10, 10]
    assert isinstance(found.table("polars"), pl.DataFrame)


def test_threads_and_repetition_change_nothing():
    X, y = load_wine(return_X_y=True)
    settings = {"n_distribution": 20, "n_permuted": 5, "n_repeats": 6, "random_state": 3}
    one = probe_fdr(MRMR(), X, y, **settings)
    two = probe_fdr(MRMR(), X, y, n_jobs=2, **settings)
    np.testing.assert_array_equal(one.counts["selector"], two.counts["selector"])
    longer = probe_fdr(MRMR(), X, y, **{**settings, "n_repeats": 8})
    np.testing.assert_array_equal(longer.counts["selector"][:6], one.counts["selector"])


def test_frames_sparse_matrices_and_third_party_selectors_take_part():
    X, y = load_wine(return_X_y=True, as_frame=True)
    settings = {
        "n_distribution": 10,
        "n_permuted": 10,
        "n_repeats": 3,
        "random_state": 0,
        "n_steps": 8,
    }
    dense = probe_fdr(SelectKBest(), X.to_numpy(), y, **settings)
    for frame in (X, pl.from_pandas(X)):
        found = probe_fdr(SelectKBest(), frame, y, **settings)
        np.testing.assert_array_equal(found.counts["selector"], dense.counts["selector"])
    mixed = X.assign(colour=pd.Categorical(np.where(y == 0, "red", "blue")))
    assert probe_fdr(MIM(), mixed, y, **settings).n_steps == 8
    text = make_text(100, 40, n_informative=10, random_state=0)
    found = probe_fdr(MIM(), text.data, text.target, **settings)
    again = probe_fdr(MIM(), text.data.toarray(), text.target, **settings)
    assert sparse.issparse(text.data)
    np.testing.assert_array_equal(found.counts["selector"], again.counts["selector"])


def test_a_selector_that_returns_fewer_is_reported():
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.warns(ThresherWarning, match="CFS returned .* features on average instead of 20"):
        found = probe_fdr({"CFS": CFS()}, X, y, n_repeats=2, random_state=0)
    assert found.n_returned["CFS"].max() < 20
    assert (found.counts["CFS"][:, -1] == found.counts["CFS"][:, 18]).all()


@pytest.mark.parametrize("seed", range(2))
def test_artificial1_without_a_false_alarm(seed):
    made = make_artificial1(random_state=seed)
    found = probe_fdr(
        {"RRCT": RRCT(), "GSO": GSO(), "LASSO": LassoPath()},
        made.data,
        made.target,
        truth=made.truth,
        n_distribution=0,
        n_repeats=5,
        random_state=seed,
    )
    assert found.n_steps == 10
    for name in ("RRCT", "GSO", "LASSO"):
        assert not found.counts[name].any()


def test_correlations_cannot_find_the_symmetric_feature_of_friedman():
    made = make_friedman_collinear(1000, n_copies=2, random_state=0)
    found = probe_fdr(
        {"RRCT": RRCT(), "MI": MRMR(relevance="mi", redundancy="mi")},
        made.data,
        made.target,
        truth=made.truth,
        n_distribution=0,
        n_repeats=8,
        random_state=0,
    )
    assert found.false_selected_fraction["RRCT"] == pytest.approx(0.2, abs=0.05)
    assert found.false_selected_fraction["MI"] < 0.1


# Normalised FDR of 20 repetitions, 100 and 200 probes: breast cancer, diabetes, wine.
TABLE = {
    "mRMR_ITL": ((0.000, 0.000), (0.335, 0.355), (0.162, 0.165)),
    "RRCT": ((0.000, 0.003), (0.335, 0.375), (0.158, 0.212)),
    "RRCT_0": ((0.220, 0.258), (0.615, 0.665), (0.515, 0.546)),
    "GSO": ((0.365, 0.412), (0.450, 0.480), (0.396, 0.473)),
    "relevance only": ((0.000, 0.000), (0.100, 0.100), (0.154, 0.146)),
}


@pytest.mark.parametrize("n_permuted", [0, 100])
@pytest.mark.parametrize("index", range(3))
def test_the_table_of_the_rrct_benchmark_within_sampling_error(index, n_permuted):
    load = (load_breast_cancer, load_diabetes, load_wine)[index]
    X, y = load(return_X_y=True)
    numeric = {"target": "numeric"} if index == 2 else {}
    selectors = {
        "mRMR_ITL": RRCT(complementarity=False, **numeric),
        "RRCT": RRCT(**numeric),
        "RRCT_0": RRCT(information=False, **numeric),
        "GSO": GSO(**numeric),
    }
    found = probe_fdr(
        selectors, X, y, n_permuted=n_permuted, n_repeats=20, random_state=0, **numeric
    ).false_selected_fraction
    for name, published in TABLE.items():
        # Two means of 20 repetitions whose standard deviation is at most 0.11.
        error = 0.11 if name == "RRCT_0" else 0.08
        assert found[name] == pytest.approx(
            published[index][n_permuted // 100], abs=3 * error * (2 / 20) ** 0.5
        )


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n_distribution": -1}, "n_distribution must be an integer of at least 0, got -1"),
        ({"n_distribution": 0}, "n_distribution and n_permuted are 0 and every feature is true"),
        ({"n_steps": 500}, "n_steps must be an integer of at least 1 and of at most 113"),
        ({"holdout": 1.0}, "holdout must be a share of at least 0 and below 1"),
        ({"truth": [99]}, "truth must contain positions of features, 0 to 12"),
        ({"selector": MRMR(keep=[0])}, "keep of 'selector' names columns"),
        ({"selector": {}}, "selector must be a selector or a dict"),
        ({"selector": {"relevance only": MRMR()}}, "without the name 'relevance only'"),
        ({"y": [0, 1]}, "X has 178 rows, but y has 2 values"),
        ({"X": np.zeros(3)}, "X must have rows and columns"),
        ({"redraw": "no"}, "redraw must be True or False"),
        ({"target": "number"}, "target must be one of"),
        ({"n_repeats": 0}, "n_repeats must be an integer of at least 1"),
    ],
)
def test_bad_arguments_are_rejected_in_one_line(settings, words):
    X, y = load_wine(return_X_y=True)
    given = {"selector": MRMR(), "X": X, "y": y, "n_repeats": 1, **settings}
    with pytest.raises(ValueError, match=words):
        probe_fdr(given.pop("selector"), given.pop("X"), given.pop("y"), **given)


def test_rows_can_be_left_out_by_class():
    X = np.random.default_rng(0).random((60, 3))
    y = np.repeat([0, 1], [54, 6])
    SEEN.clear()
    probe_fdr(
        Recorder(), X, y, n_distribution=2, n_repeats=10, holdout=0.5, stratify=True, random_state=0
    )
    assert {int(seen.sum()) for _, seen in SEEN} == {3}


def test_open_random_states_follow_the_seed():
    X, y = load_wine(return_X_y=True)
    runs = [probe_fdr(ReliefF(n_samples=30), X, y, n_repeats=3, random_state=1) for _ in range(2)]
    np.testing.assert_array_equal(runs[0].counts["selector"], runs[1].counts["selector"])


def test_a_selector_that_rejects_the_data_names_the_original_columns():
    X, y = load_breast_cancer(return_X_y=True)
    X[3, 7] = np.nan
    with pytest.raises(ValueError, match=r"^mine failed: column 7 of X contains NaN in 1 of 569"):
        probe_fdr({"mine": MRMR()}, X, y, n_repeats=1, random_state=0)


def test_the_ranking_takes_missing_values_where_the_selector_does():
    X, y = load_breast_cancer(return_X_y=True)
    X[::9, 7] = np.nan
    found = probe_fdr(RRCT(missing="drop_rows"), X, y, n_repeats=2, random_state=0)
    assert found.false_selected_fraction[RELEVANCE_ONLY] < 0.2


def test_a_failure_that_only_random_columns_cause_is_reported_unchanged():
    class Narrow(MRMR):
        def fit(self, X, y):
            if X.shape[1] > 30:
                raise ValueError("too wide")
            return super().fit(X, y)

    X, y = load_breast_cancer(return_X_y=True)
    with pytest.raises(ValueError, match=r"^selector failed: too wide$"):
        probe_fdr(Narrow(), X, y, n_repeats=1)

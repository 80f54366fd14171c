"""RFS, RRFS and the difficulty ratio."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from tests.examples import examples
from tests.naive import dispersion as naive
from tests.test_naive_rankings import WORKED, X, Y
from thresher import RFS, RRFS, ThresherWarning, difficulty_ratio

DISPERSIONS = ["variance", "mad", "mean-median", "iqr", "amgm"]


@pytest.mark.parametrize("relevance", WORKED)
def test_relevances_are_the_worked_ones(relevance):
    fitted = RFS(3, relevance=relevance).fit(X, Y)
    np.testing.assert_allclose(fitted.relevance_, WORKED[relevance], atol=1e-9)
    assert fitted.ranking_[5] == 6


def test_relevance_by_arithmetic_over_geometric_mean():
    fitted = RFS(2, relevance="am/gm").fit(X[:, [3, 0, 1, 5]])
    np.testing.assert_allclose(
        fitted.relevance_, [1.1247884236, 1.2735464389, 1.2735464389, 1], atol=1e-9
    )
    assert fitted.selected_.tolist() == [1, 2]


@pytest.mark.parametrize("column", [2, 4])
def test_arithmetic_over_geometric_mean_rejects_columns_that_are_not_positive(column):
    with pytest.raises(ValueError, match=r"needs positive values, but column 1 of X has (0|-8)"):
        RFS(relevance="am/gm").fit(X[:, [0, column]])
    with pytest.raises(ValueError, match=r"needs positive values, but column 1"):
        RFS(relevance="am/gm").fit(sparse.csr_matrix(X[:, [0, column]]))


def test_information_is_taken_on_eight_bins_of_equal_frequency():
    fitted = RFS(2, relevance="mi").fit(X + 0.5, Y)  # halves: no column counts as discrete
    np.testing.assert_allclose(fitted.relevance_, [1, 1, 1 / 3, 1, 0.1908745046, 0], atol=1e-9)


@pytest.mark.parametrize(
    ("relevance", "at_95", "at_80", "kept", "met"),
    [
        ("mad", [1, 4, 0, 3, 2], [1, 4, 0], [1, 3, 2], [0.7138, 0.5139]),
        ("variance", [1, 4, 0, 3], [1, 4, 0], [1, 3, 2], [0.7138, 0.5139]),
        ("mean-median", [4, 1, 2, 0], [4, 1, 2], [4, 2, 0], [0, 0.3926]),
        ("amgm", [1, 0, 4, 2], [1, 0], [1, 2, 3], [0.3926, 0.5139]),
    ],
)
def test_worked_walks(relevance, at_95, at_80, kept, met):
    assert RFS(relevance=relevance).fit(X).selected_.tolist() == at_95
    assert RFS(relevance=relevance, cumulative=0.8).fit(X).selected_.tolist() == at_80
    with pytest.warns(ThresherWarning, match="similarity of at least 0.8"):
        fitted = RRFS(5, relevance=relevance).fit(X)
    assert fitted.selected_.tolist() == kept
    np.testing.assert_allclose(fitted.trace_["similarity"][1:], met, atol=1e-4)
    assert np.isnan(fitted.trace_["similarity"][0])


def test_against_all_compares_with_every_kept_feature():
    with pytest.warns(ThresherWarning):
        assert RRFS(5, against="all").fit(X).selected_.tolist() == [4, 2]


def test_one_feature_is_a_valid_number():
    assert RRFS(1).fit(X).selected_.tolist() == [4]


def test_scan_top_evaluates_the_first_m_only():
    with pytest.warns(ThresherWarning):
        fitted = RRFS(3, scan="top").fit(X)
    assert fitted.selected_.tolist() == [4, 2]
    assert fitted.n_scanned_ == 3


def test_stop_mass_ends_the_walk_when_enough_relevance_is_kept():
    assert RRFS(stop_mass=0.5).fit(X).selected_.tolist() == [4, 2]
    assert RRFS(stop_mass=1.0).fit(X).selected_.tolist() == [4, 2, 0]


def test_features_without_relevance_are_left_out_by_default():
    options = {"similarity": "pearson", "max_similarity": 1.1}
    with pytest.warns(ThresherWarning, match="selected 4 of 5"):
        assert RRFS(5, **options).fit(X).selected_.tolist() == [4, 1, 2, 0]
    fitted = RRFS(5, drop_zero=False, **options).fit(X)
    assert fitted.selected_.tolist() == [4, 1, 2, 0, 3]


def test_reasons_name_the_rival_and_the_similarity():
    frame = pd.DataFrame(X, columns=list("abcdef"))
    with pytest.warns(ThresherWarning):
        fitted = RRFS(5).fit(frame)
    assert fitted.reason("b") == "too similar to e (similarity 0.83); relevance 1"
    assert fitted.reason("d") == "irrelevant: relevance 0"
    assert fitted.reason("f") == "constant"
    assert fitted.reason("c").startswith("selected at step 2, score 0.6667; similarity ")
    assert "not reached" in RRFS(1).fit(frame).reason("a")


def test_kept_features_come_first_and_others_are_compared_with_them():
    fitted = RRFS(3, keep=[1], relevance="mean-median").fit(X)
    assert fitted.selected_.tolist()[:1] == [1]
    assert 4 not in fitted.selected_  # cosine 0.83 with feature 1
    assert RFS(2, exclude=[4]).fit(X).selected_.tolist() == [1, 2]


@examples(40)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(["variance", "mean-median", "fisher"]),
    st.sampled_from(["cosine", "pearson", "mici", "su"]),
    st.sampled_from(["last", "all"]),
    st.sampled_from([None, 0.6]),
)
def test_walks_agree_with_the_listing(seed, relevance, similarity, against, stop_mass):
    rng = np.random.default_rng(seed)
    base = rng.normal(size=(30, 4))
    data = base @ rng.normal(size=(4, 12)) + 0.4 * rng.normal(size=(30, 12)) + 1
    y = rng.integers(0, 2, 30)
    options = {
        "relevance": relevance,
        "similarity": similarity,
        "against": against,
        "max_similarity": 0.7,
        "stop_mass": stop_mass,
    }
    m = int(rng.integers(1, 13))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ThresherWarning)
        fitted = RRFS(m, **options).fit(data, y)
        sparse_fitted = RRFS(m, **options, n_jobs=2).fit(sparse.csr_array(data), y)
    relevances = [naive.relevance(x, relevance, y.tolist()) for x in data.T]
    kept, met = naive.rrfs(
        data, relevances, m, 0.7, similarity, against=against, stop_mass=stop_mass
    )
    assert fitted.selected_.tolist() == kept
    assert fitted.n_evaluations_ == len(met)
    assert sparse_fitted.selected_.tolist() == kept


@pytest.mark.parametrize("relevance", DISPERSIONS)
@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csc_array])
def test_sparse_columns_rank_as_dense_ones(relevance, form):
    rng = np.random.default_rng(4)
    data = rng.poisson(0.3, size=(60, 25)) * rng.normal(size=(60, 25))
    dense = RFS(5, relevance=relevance).fit(data)
    thin = RFS(5, relevance=relevance).fit(form(data))
    np.testing.assert_allclose(thin.relevance_, dense.relevance_, rtol=1e-11, atol=1e-15)
    assert thin.selected_.tolist() == dense.selected_.tolist()


def test_wide_sparse_data_are_never_made_dense():
    # 2,000 x 3,000,000 as doubles would take 10 GB.
    rng = np.random.default_rng(0)
    columns = rng.choice(600_000, 4000, replace=False)
    rows = rng.integers(0, 2000, 4000)
    data = sparse.csc_matrix((np.ones(4000), (rows, columns)), shape=(2000, 600_000))
    for similarity in ["cosine", "pearson", "mici"]:
        fitted = RRFS(5, similarity=similarity).fit(data)
        assert len(fitted.selected_) == 5


def test_copies_are_dropped_on_any_number_of_threads():
    rng = np.random.default_rng(8)
    data = np.repeat(rng.normal(size=(50, 10)), 30, axis=1) * rng.uniform(0.5, 2, 300)
    alone = RRFS(similarity="pearson", relevance="variance").fit(data)
    many = RRFS(similarity="pearson", relevance="variance", n_jobs=5).fit(data)
    assert alone.selected_.tolist() == many.selected_.tolist()
    assert alone.n_evaluations_ == many.n_evaluations_


def test_positive_data_with_equal_cosines_raise_a_warning():
    rng = np.random.default_rng(0)
    data = 100 + rng.normal(size=(40, 200))
    with pytest.warns(
        ThresherWarning, match=r"100% of 200 random pairs .* only 0.0% a correlation"
    ):
        assert len(RRFS().fit(data).selected_) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RRFS(similarity="pearson").fit(data)
        RRFS().fit(data - 100)
        RRFS().fit(sparse.random_array((40, 200), density=0.05, random_state=rng))


def test_tox_171_is_warned_of_with_the_numbers_of_the_sheet(load_real):
    data, _ = load_real("tox_171")
    with pytest.warns(ThresherWarning, match=r"9\d% of 200 random pairs .* only 0.0%"):
        RRFS().fit(data)


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("ionosphere", 21.9),
        ("colon_raw", 3.9),
        ("srbct", 2.6),
        ("leukemia1", 3.0),
        ("dlbcl", 4.8),
        ("leukemia_raw", 4.5),
        ("brain_tumor2", 1.6),
        ("prostate_raw", 6.4),
    ],
)
def test_difficulty_is_the_printed_one(load_real, name, printed):
    assert difficulty_ratio(*load_real(name)) == pytest.approx(printed, abs=0.0501)


@pytest.mark.parametrize(
    ("name", "ratio", "m"),
    [
        ("warpAR10P", 1.625, 2179),
        ("warpPIE10P", 2.625, 2202),
        ("orlraws10P", 1.25, 9564),
        ("tox_171", 5.34375, 4172),
    ],
)
def test_difficulty_and_number_of_features_of_the_paper(load_real, name, ratio, m):
    data, y = load_real(name)
    assert difficulty_ratio(data, y) == pytest.approx(ratio, abs=1e-9)
    # The numbers expected are means over training folds; all rows come within one per cent.
    assert len(RFS(relevance="mad").fit(data).selected_) == pytest.approx(m, rel=0.01)


def test_difficulty_of_the_worked_example():
    assert difficulty_ratio(X, Y) == 0.75
    assert difficulty_ratio(sparse.csc_matrix(X), Y) == 0.75


def test_values_present_are_enough_with_pairwise():
    rng = np.random.default_rng(2)
    data = rng.normal(size=(40, 6)) * np.arange(1, 7)
    data[rng.random(data.shape) < 0.1] = np.nan
    fitted = RRFS(3, missing="pairwise", similarity="pearson", relevance="mad").fit(data)
    wanted = [naive.relevance(x[~np.isnan(x)], "mad") for x in data.T]
    np.testing.assert_allclose(fitted.relevance_, wanted, rtol=1e-11)
    with pytest.raises(ValueError, match=r": 0 \(NaN in \d+\)"):
        RRFS().fit(data)


@pytest.mark.parametrize(
    ("selector", "words"),
    [
        (RFS(cumulative=0), r"cumulative must be a number above 0 and of at most 1, got 0"),
        (RFS(cumulative=1.2), r"cumulative .*got 1.2"),
        (RRFS(cumulative=-0.5), r"cumulative .*got -0.5"),
        (RFS(relevance="median"), r"relevance must be one of"),
        (RRFS(similarity="cosin"), r"did you mean 'cosine'"),
        (RRFS(max_similarity=0), r"max_similarity .*above 0"),
        (RRFS(against="first"), r"against must be one of"),
        (RRFS(scan=3), r"scan must be one of"),
        (RRFS(stop_mass=2), r"stop_mass .*at most 1"),
        (RRFS(drop_zero=1), r"drop_zero must be True or False"),
        (RFS(n_features_to_select="all"), r"must be a number or a fraction of features, got 'all'"),
        (RFS(relevance="fisher", target="numeric"), r"needs classes"),
    ],
)
def test_bad_parameters_get_a_one_line_error(selector, words):
    y = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    with pytest.raises(ValueError, match=words):
        selector.fit(X, y)


def test_infinite_relevance_has_no_cumulative_share():
    data = np.column_stack([[0, 0, 1, 1], [1.0, 2, 3, 4]])
    y = [0, 0, 1, 1]
    assert RFS(1, relevance="fisher").fit(data, y).selected_.tolist() == [0]
    with pytest.raises(ValueError, match=r'relevance="fisher": .*finite.*n_features_to_select'):
        RFS(relevance="fisher").fit(data, y)


def test_the_two_class_ratio_rejects_more_classes():
    with pytest.raises(ValueError, match=r'"fir" is for two classes, but y has 3. Use "fisher"'):
        RFS(relevance="fir", target="nominal").fit(X, [0, 0, 1, 1, 2, 2])


def test_ratio_and_score_may_rank_differently():
    a = [5, 8, 2, 1, 2, 5, 2, 3]
    b = [6, 6, 2, 1, 3, 0, 2, 5]
    y = [0, 0, 1, 1, 1, 1, 1, 1]
    ratio = RFS(1, relevance="fir").fit(np.column_stack([a, b]), y)
    score = RFS(1, relevance="fisher").fit(np.column_stack([a, b]), y)
    np.testing.assert_allclose(ratio.relevance_, [2.0430, 2.4380], atol=5e-5)
    np.testing.assert_allclose(score.relevance_, [1.7143, 1.4860], atol=5e-5)
    assert (ratio.selected_[0], score.selected_[0]) == (1, 0)


def test_a_quartile_range_of_zero_everywhere_is_warned_of():
    data = np.zeros((20, 3))
    data[[0, 1, 2], [0, 1, 2]] = 1.0
    with (
        pytest.warns(ThresherWarning, match="more than 3/4 zeros"),
        pytest.raises(ValueError, match="every feature has 0"),
    ):
        RFS(relevance="iqr").fit(data)
    with pytest.warns(ThresherWarning, match="no feature was selected"):
        assert RRFS(2, relevance="iqr").fit(data).selected_.size == 0


def test_auto_uses_the_labels_it_is_given():
    rng = np.random.default_rng(4)
    y = np.arange(60) % 3
    X = rng.gamma(1.0, size=(60, 12)) * np.logspace(0, 2, 12) + 2.0 * y[:, None] * (
        np.arange(12) < 3
    )
    classes = RRFS(4).fit(X, y)
    explicit = RRFS(4, relevance="fisher", similarity="pearson").fit(X, y)
    assert (classes.relevance_measure_, classes.similarity_measure_) == ("fisher", "pearson")
    assert classes.selected_.tolist() == explicit.selected_.tolist()
    assert set(classes.selected_[:2]) <= {0, 1, 2}
    alone = RRFS(4).fit(X)
    explicit = RRFS(4, relevance="mean-median", similarity="cosine").fit(X, y)
    assert (alone.relevance_measure_, alone.similarity_measure_) == ("mean-median", "cosine")
    assert alone.selected_.tolist() == explicit.selected_.tolist()
    numbers = RRFS(4).fit(X, X[:, 5] * 0.1 + 0.3)
    assert (numbers.relevance_measure_, numbers.similarity_measure_) == ("pearson", "pearson")
    assert numbers.selected_[0] == 5
    chunked = RRFS(4).fit_chunks([X[:20], X[20:]], y)
    assert chunked.selected_.tolist() == classes.selected_.tolist()
    again = RRFS(4).fit(X, y).fit(X)
    assert again.relevance_measure_ == "mean-median"

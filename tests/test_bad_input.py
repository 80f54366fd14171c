"""Bad input raises a one-line error that names the parameter or column, the value and the remedy."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils import get_tags

from thresher import (
    GBC,
    GSO,
    MRMR,
    RRCT,
    RRFS,
    SALCC,
    Ensemble,
    FisherScore,
    LassoPath,
    ReliefF,
    ThresherWarning,
    evaluate,
)
from thresher.discretize import EqualFrequencyBins

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 6))
Y = np.arange(40) % 2


def with_value(value, column=3):
    bad = X.copy()
    bad[7, column] = value
    return bad


@pytest.mark.parametrize(
    ("parameters", "data", "words"),
    [
        ({}, (np.empty((0, 6)), np.empty(0)), r"0 sample"),
        ({}, (np.empty((40, 0)), Y), r"0 feature"),
        ({}, (X[:1], Y[:1]), r"one sample"),
        ({}, (X, np.zeros(40, int)), r"one class"),
        ({}, (X, np.full(40, 1.5)), r"y is constant \(1\.5\)"),
        ({}, (X, Y[:-1]), r"40 and 39"),
        ({}, (X, None), r"y"),
        ({}, (with_value(np.nan), Y), r"column 3 .*NaN in 1 of 40.*missing"),
        ({}, (with_value(np.inf), Y), r"column 3 .*inf"),
        ({"missing": "pairwise"}, (with_value(-np.inf), Y), r"column 3 .*inf"),
        ({}, (np.where(np.arange(6) == 2, np.nan, X), Y), r"column 2 .*only NaN"),
        ({}, (np.ones((40, 3)), Y), r"no column of X varies"),
        ({}, (X + 1j, Y), r"[Cc]omplex"),
        ({}, (X, np.where(Y == 1, np.nan, 0.0)), r"y contains NaN"),
        ({}, (X, np.where(Y == 1, np.inf, 0.0)), r"y contains inf"),
        ({"n_features_to_select": 0}, (X, Y), r"n_features_to_select must be at least 1, got 0"),
        ({"n_features_to_select": -3}, (X, Y), r"at least 1, got -3"),
        ({"n_features_to_select": 1.5}, (X, Y), r"\(0, 1\], got 1.5"),
        (
            {"n_features_to_select": "many"},
            (X, Y),
            r"must be a number or a fraction of features, got 'many'",
        ),
        (
            {"n_features_to_select": True},
            (X, Y),
            r"must be a number or a fraction of features, got True",
        ),
        ({"relevance": "pearsn"}, (X, Y), r"relevance.*did you mean 'pearson'"),
        ({"redundancy": "f"}, (X, Y), r"redundancy must be one of"),
        ({"objective": "quotiant"}, (X, Y), r"did you mean 'quotient'"),
        ({"strategy": "eager"}, (X, Y), r"strategy must be one of"),
        ({"missing": "ignore"}, (X, Y), r"missing must be one of"),
        ({"target": "class"}, (X, Y), r"target must be one of"),
        ({"discretize": "mean_sd", "relevance": "mi"}, (X, Y), r"did you mean 'mean-sd'"),
        ({"redundancy_weight": -1}, (X, Y), r"redundancy_weight .*at least 0, got -1"),
        (
            {"redundancy_weight": 2.0, "objective": "quotient"},
            (X, Y),
            r"redundancy_weight must be 1 with the quotient",
        ),
        ({"redundancy_offset": -1}, (X, Y), r"redundancy_offset .*at least 0"),
        ({"keep": [9]}, (X, Y), r"keep has the position 9, but X has 6 features"),
        ({"keep": ["a"]}, (X, Y), r"X has no feature names"),
        ({"keep": [1], "exclude": [1]}, (X, Y), r"keep and exclude both contain the feature 1"),
        ({"keep": [1, 1]}, (X, Y), r"twice"),
        ({"keep": [0, 1, 2], "n_features_to_select": 2}, (X, Y), r"keep contains 3 features"),
        ({"exclude": [1.5]}, (X, Y), r"names \(strings\) or positions \(integers\)"),
        (
            {"discretize": None, "relevance": "mi"},
            (np.arange(600.0).reshape(300, 2), np.arange(300) % 2),
            r"column 0 has more than 256 levels",
        ),
        ({"relevance": "pearson"}, (X, np.arange(40) % 3), r"y has 3 classes"),
        ({"relevance": "spearman"}, (sparse.csr_array(X), Y), r"needs dense X"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_settings_get_a_one_line_error(parameters, data, words):
    selector = MRMR(**parameters)
    with pytest.raises(ValueError, match=words) as error:
        selector.fit(*data)
    assert "\n" not in str(error.value).strip()
    assert not hasattr(selector, "selected_")
    assert not hasattr(selector, "n_features_in_")


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (np.full(40, -1.0), r"negative \(-1.0 at sample 0\)"),
        (np.zeros(40), r"zero for every sample"),
        (np.ones(39), r"one weight per sample"),
        (np.full(40, np.nan), r"NaN or infinity"),
        (np.array(["a"] * 40), r"numbers"),
    ],
)
def test_bad_weights(weights, words):
    with pytest.raises(ValueError, match=words):
        MRMR(2).fit(X, Y, sample_weight=weights)


def test_frame_columns_are_named():
    frame = pd.DataFrame(X, columns=list("abcdef"))
    with pytest.raises(ValueError, match="column 'c' of X contains only NaN"):
        MRMR().fit(frame.assign(c=np.nan), Y)
    with pytest.raises(ValueError, match="'when' has the type Datetime"):
        MRMR().fit(frame.assign(when=pd.Timestamp("2020-01-01")), Y)
    with pytest.raises(ValueError, match="'mixed' mixes values of the types int, str"):
        MRMR().fit(frame.assign(mixed=[1, "a"] * 20), Y)
    with pytest.raises(ValueError, match="'g', which X does not have"):
        MRMR(exclude=["g"]).fit(frame, Y)
    with pytest.raises(ValueError, match="more than one column named 'a'"):
        MRMR().fit(frame.rename(columns={"b": "a"}), Y)
    with pytest.raises(ValueError, match=r"column 'z' contains categories.*\"mi\""):
        MRMR(relevance="f").fit(frame.assign(z=["u", "v"] * 20), Y)


def test_a_column_of_too_many_levels_is_named_next_to_any_others():
    n = 300
    frame = pd.DataFrame({"age": np.linspace(0, 9, n), "sex": ["f", "m"] * (n // 2)})
    frame["ticket"] = [f"ticket {i}" for i in range(n)]
    for columns in (["age", "sex", "ticket"], ["sex", "ticket"], ["ticket", "age", "sex"]):
        with pytest.raises(
            ValueError, match=r"column 'ticket' has more than 256 levels.*Merge rare"
        ):
            MRMR(relevance="mi").fit(frame[columns], np.arange(n) % 2)


def test_too_many_features_select_all_with_a_warning():
    data = np.column_stack([X[:, :3], np.ones(40)])
    with pytest.warns(ThresherWarning, match=r"n_features_to_select=10, but only 3 features"):
        selector = MRMR().fit(data, Y)
    assert sorted(selector.selected_) == [0, 1, 2]
    assert selector.reason(3) == "constant"


def test_a_failed_refit_leaves_the_first_fit():
    selector = MRMR(2).fit(X, Y)
    before = selector.selected_.tolist()
    with pytest.raises(ValueError, match="NaN"):
        selector.fit(with_value(np.nan)[:, :5], Y)
    assert selector.selected_.tolist() == before
    assert selector.n_features_in_ == 6
    assert selector.transform(X).shape == (40, 2)


def test_many_classes_of_numbers_name_the_numeric_target():
    with pytest.warns(ThresherWarning, match='target="numeric"'):
        MRMR(2).fit(np.tile(X, (3, 1)), np.arange(120) // 5)


def test_f_in_a_difference_warns():
    with pytest.warns(ThresherWarning, match="swamps"):
        MRMR(2, relevance="f", objective="difference").fit(X, Y)


@pytest.mark.parametrize("selector", [RRCT(), GSO(), LassoPath()], ids=repr)
def test_selectors_of_dense_columns_reject_sparse_ones_by_name(selector):
    assert not get_tags(selector).input_tags.sparse
    assert get_tags(MRMR()).input_tags.sparse
    words = rf"^{type(selector).__name__} needs dense X, got a sparse matrix\. Pass X\.toarray\(\), or use MRMR"
    for estimator in (selector, Ensemble(selector, 3, kind="full")):
        with pytest.raises(TypeError, match=words):
            estimator.fit(sparse.csr_array(X), Y)


@pytest.mark.parametrize("selector", [RRCT(2), GSO(2), LassoPath(2)], ids=repr)
def test_selectors_of_numbers_name_the_column_of_categories(selector):
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(kind=["u", "v", "v", "w"] * 10)
    words = (
        f"column 'kind' contains categories, but {type(selector).__name__} needs numbers.*exclude"
    )
    with pytest.raises(ValueError, match=words):
        selector.fit(frame, Y)
    without = clone(selector).set_params(exclude=["kind"]).fit(frame, Y)
    assert without.selected_.tolist() == clone(selector).fit(X, Y).selected_.tolist()


def test_the_one_class_is_shown_as_it_was_given():
    for label in (0, 2.0, "sick"):
        with pytest.raises(ValueError, match=rf"one class \({label!r}\)"):
            MRMR().fit(X, [label] * 40)


@pytest.mark.parametrize("n_jobs", ["two", 1.5, 0, True, [2]])
@pytest.mark.parametrize(
    "owner",
    [
        MRMR(2),
        ReliefF(2),
        RRFS(2),
        LassoPath(2),
        EqualFrequencyBins(),
        Ensemble(FisherScore(2), 3, kind="full"),
        Ensemble(MRMR(2), 3, kind="fast"),
    ],
    ids=lambda owner: type(owner).__name__,
)
def test_n_jobs_of_a_wrong_kind_is_a_one_line_error(owner, n_jobs):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 5)), np.arange(40) % 2
    with pytest.raises(ValueError, match="n_jobs must be None or an integer other than 0"):
        clone(owner).set_params(n_jobs=n_jobs).fit(X, y)


@pytest.mark.parametrize("n_jobs", [2**31, 2**100])
@pytest.mark.parametrize(
    "selector",
    [
        MRMR(2),
        GBC(random_state=0),
        SALCC(max_iterations=2, random_state=0),
        Ensemble(LassoPath(2), 3, kind="full"),
    ],
    ids=lambda selector: type(selector).__name__,
)
def test_any_number_of_threads_will_do(selector, n_jobs):
    few = clone(selector).fit(X, Y)
    many = clone(selector).set_params(n_jobs=n_jobs).fit(X, Y)
    assert many.selected_.tolist() == few.selected_.tolist()


def test_any_number_of_processes_will_do():
    estimator = LogisticRegression()
    few = evaluate.select_k(MRMR(), X, Y, estimator, [1], cv=2, random_state=0)
    many = evaluate.select_k(MRMR(), X, Y, estimator, [1], cv=2, random_state=0, n_jobs=2**100)
    np.testing.assert_array_equal(many.fold_scores, few.fold_scores)

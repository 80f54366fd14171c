"""RRCT and its variants through their public interface."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

from thresher import RRCT, ThresherWarning

from .naive.rrct import rrct as naive_rrct

EXAMPLE = """
6 5 1 6 3
6 5 3 0 5
1 2 4 1 0
1 2 3 3 1
3 2 1 1 5
0 0 5 0 1
4 3 6 2 4
1 2 1 5 1
5 6 3 1 2
1 2 3 1 0
"""
X = np.array([line.split() for line in EXAMPLE.split("\n")[1:-1]], dtype=float)
Y = np.array([2, 2, 0, 0, 4, 3, 3, 3, 3, 0], dtype=float)
NUMERIC = {"target": "numeric"}
PAPER_2022 = {"redundancy": "spearman", "normalize": False}

WORKED = {
    "paper": ({}, [4, 1, 3, 2, 0], [0.216190, 0.009367, -0.002136, -0.038354, 0.074325]),
    "magnitude": (
        {"sign_rule": "magnitude"},
        [4, 1, 2, 0, 3],
        [0.216190, 0.009367, -0.003080, 0.001205, -0.031672],
    ),
    "2022": (PAPER_2022, [4, 3, 0, 2, 1], [0.216190, -0.000099, -0.002330, -0.057473, -0.114407]),
    "mRMR_ITL": (
        {"complementarity": False},
        [4, 2, 1, 3, 0],
        [0.216190, 0.006366, -0.048299, -0.041172, -0.217368],
    ),
    "RRCT_0": (
        {"information": False},
        [4, 2, 0, 1, 3],
        [0.592484, -0.003704, 0.240690, 0.057318, -0.141593],
    ),
}


def quiet(selector, X, y):
    """Fit; the example has so few samples that the warning of noise is expected."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ThresherWarning)
        return selector.fit(X, y)


@pytest.mark.parametrize(("options", "order", "scores"), WORKED.values(), ids=WORKED)
def test_worked_example(options, order, scores):
    selector = quiet(RRCT(5, **NUMERIC, **options), X, Y)
    assert selector.selected_.tolist() == order
    np.testing.assert_allclose(selector.scores_[order], scores, atol=5e-7)
    assert selector.ranking_[order].tolist() == [1, 2, 3, 4, 5]


def test_trace_has_the_three_terms_of_every_step():
    selector = quiet(RRCT(5, **NUMERIC), X, Y)
    trace = selector.trace_
    expected = {
        "relevance": [0.216190, 0.000834, 0.003960, 0.012880, 0.009180],
        "redundancy": [0, 0.076091, 0.006733, 0.050207, 0.226548],
        "complementarity": [0, 0.084623, 0.000636, -0.001027, 0.291693],
    }
    for name, values in expected.items():
        np.testing.assert_allclose(trace[name], values, atol=5e-7, err_msg=name)
    total = trace["relevance"] - trace["redundancy"] + trace["complementarity"]
    np.testing.assert_allclose(trace["score"], total, atol=1e-15)


def test_box_cox_moves_the_redundancy_only():
    plain = quiet(RRCT(5, **NUMERIC), X + 1, Y)
    selector = quiet(RRCT(5, power="box-cox", **NUMERIC), X + 1, Y)
    assert selector.selected_.tolist() == [4, 3, 0, 2, 1]
    scores = [0.216190, 0.000686, 0.048587, -0.042317, -0.012710]
    np.testing.assert_allclose(selector.scores_[selector.selected_], scores, atol=5e-7)
    exponents = [0.187919, 0.575898, 0.413467, -0.167706, 0.207737]
    np.testing.assert_allclose(selector.exponents_, exponents, atol=5e-7)
    np.testing.assert_array_equal(selector.relevance_, plain.relevance_)
    assert np.isnan(plain.exponents_).all()


def test_two_classes_give_the_same_result_whichever_is_called_one():
    y = np.array([0, 0, 0, 0, 1, 1, 1, 1, 1, 0])
    selector = quiet(RRCT(5), X, y)
    assert selector.selected_.tolist() == [4, 2, 0, 1, 3]
    scores = [0.041964, 0.007326, 0.033992, 0.103341, -0.022068]
    np.testing.assert_allclose(selector.scores_[selector.selected_], scores, atol=5e-7)
    swapped = quiet(RRCT(5), X, 1 - y)
    assert swapped.selected_.tolist() == selector.selected_.tolist()
    np.testing.assert_allclose(swapped.scores_, selector.scores_, atol=1e-14)


def test_several_classes_do_not_depend_on_their_coding():
    X, y = load_wine(return_X_y=True)
    assert RRCT(6).fit(X, y).selected_.tolist() == [6, 9, 0, 11, 12, 10]
    for coding in ([0, 2, 1], [1, 0, 2]):
        assert RRCT(6).fit(X, np.take(coding, y)).selected_.tolist() == [6, 9, 0, 11, 12, 10]
    as_numbers = {(0, 1, 2): [6, 3, 11, 5, 10, 8], (0, 2, 1): [12, 9, 0, 4, 3, 1]}
    for coding, expected in as_numbers.items():
        selector = RRCT(6, target="numeric").fit(X, np.take(coding, y))
        assert selector.selected_.tolist() == expected


def test_nominal_with_two_classes_is_the_magnitude_rule():
    X, y = load_breast_cancer(return_X_y=True)
    by_class = RRCT(8, target="nominal").fit(X, y)
    by_number = RRCT(8, sign_rule="magnitude").fit(X, y)
    assert by_class.selected_.tolist() == by_number.selected_.tolist()
    np.testing.assert_allclose(by_class.scores_, by_number.scores_, atol=1e-12)


@pytest.mark.parametrize("options", [{}, PAPER_2022, {"information": False}], ids=str)
def test_real_data_agree_with_explicit_regressions(options):
    naive_options = dict(options)
    if "information" in naive_options:
        naive_options["use_information"] = naive_options.pop("information")
    for load in (load_breast_cancer, load_diabetes):
        X, y = load(return_X_y=True)
        selector = RRCT(8, **options).fit(X, y)
        steps = naive_rrct(X, y, 8, **naive_options)
        assert selector.selected_.tolist() == steps.selected
        np.testing.assert_allclose(selector.trace_["score"], steps.scores, atol=1e-11)


# Results of the package `rrct` 1.0.5, in its order.
PACKAGE = {
    "wine": (load_wine, [6, 9, 12, 11, 10, 5, 3, 8, 7, 1, 4, 2, 0]),
    "diabetes": (load_diabetes, [8, 1, 2, 3, 6, 9, 5, 0, 7, 4]),
    "breast cancer": (
        load_breast_cancer,
        [22, 19, 27, 13, 21, 7, 28, 26, 3, 12, 24, 1, 6, 20, 18, 8, 25, 10, 4, 11],
    ),
}


@pytest.mark.parametrize(("load", "order"), PACKAGE.values(), ids=PACKAGE)
def test_the_options_of_2022_give_the_authors_order(load, order):
    X, y = load(return_X_y=True)
    selector = RRCT(len(order), target="numeric", **PAPER_2022).fit(X, y)
    assert selector.selected_.tolist() == order


def test_relevance_is_unchanged_by_increasing_maps_and_by_reflection():
    X, y = load_diabetes(return_X_y=True)
    plain = RRCT(4).fit(X, y)
    mapped = RRCT(4).fit(np.exp(3 * X), y)
    np.testing.assert_array_equal(mapped.relevance_, plain.relevance_)
    reflected = RRCT(4).fit(-X, y)
    assert reflected.selected_.tolist() == plain.selected_.tolist()


def test_threads_do_not_change_anything():
    X, y = load_breast_cancer(return_X_y=True)
    one, many = RRCT(10).fit(X, y), RRCT(10, n_jobs=7).fit(X, y)
    np.testing.assert_array_equal(one.scores_, many.scores_)
    np.testing.assert_array_equal(one.redundancy_, many.redundancy_)


def test_extreme_sizes_do_not_overflow():
    X, y = load_diabetes(return_X_y=True)
    scaled = X.copy()
    scaled[:, 2] *= 2.0**900
    scaled[:, 3] *= 2.0**-900
    plain, extreme = RRCT(6).fit(X, y), RRCT(6).fit(scaled, y)
    np.testing.assert_array_equal(extreme.scores_, plain.scores_)


def test_duplicates_are_left_to_the_end():
    rng = np.random.default_rng(0)
    base = rng.normal(size=(40, 3))
    X = np.hstack([base, base[:, :1]])
    y = base[:, 0] + 0.5 * base[:, 1] + rng.normal(size=40)
    selector = RRCT(4).fit(X, y)
    assert selector.selected_[-1] == 3
    left = RRCT(3).fit(X, y)
    assert "collinear" in left.reason(3)


def test_names_keep_exclude_and_reason():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    selector = RRCT(4, keep=["mean texture"], exclude=["worst perimeter"]).fit(X, y)
    names = X.columns[selector.selected_].tolist()
    assert names[0] == "mean texture"
    assert "worst perimeter" not in names
    assert selector.reason("worst perimeter") == "excluded by the parameter exclude"
    assert "last score" in selector.reason("mean radius")
    assert "selected at step 1" in selector.reason("mean texture")


def test_rows_with_missing_values_can_be_dropped():
    X, y = load_diabetes(return_X_y=True)
    holes = X.copy()
    holes[[3, 50, 200], [1, 2, 3]] = np.nan
    complete = np.setdiff1d(np.arange(len(y)), [3, 50, 200])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ThresherWarning)
        dropped = RRCT(4, missing="drop_rows").fit(holes, y)
    np.testing.assert_array_equal(dropped.scores_, RRCT(4).fit(X[complete], y[complete]).scores_)
    with pytest.raises(ValueError, match="NaN"):
        RRCT(4).fit(holes, y)


def test_few_samples_continue_without_complementarity_and_warn():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(12, 15)), rng.normal(size=12)
    with pytest.warns(ThresherWarning, match="10 selected features leave no residual"):
        selector = RRCT(13).fit(X, y)
    assert len(selector.selected_) == 13
    assert (selector.trace_["complementarity"][10:] == 0).all()
    with pytest.warns(ThresherWarning, match="more than half"):
        RRCT(8).fit(X, y)


@pytest.mark.parametrize("power", ["box-cox-shift", "yeo-johnson"])
def test_other_powers_take_any_data(power):
    X, y = load_diabetes(return_X_y=True)
    X[:, 0] = np.arange(len(y)) % 2
    selector = RRCT(4, power=power).fit(X, y)
    assert np.isnan(selector.exponents_[0])
    assert np.isfinite(selector.exponents_[2:]).all()
    assert np.isnan(selector.exponents_[1])  # two values


def test_box_cox_names_the_columns_it_cannot_take():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    with pytest.raises(ValueError, match=r"'mean concavity'.*yeo-johnson"):
        RRCT(power="box-cox").fit(X, y)
    bad = [column for column in X if (X[column] <= 0).any()]
    RRCT(3, power="box-cox", exclude=bad).fit(X, y)


def test_power_with_spearman_warns_that_it_changes_nothing():
    X, y = load_diabetes(return_X_y=True)
    with pytest.warns(ThresherWarning, match="no effect"):
        powered = RRCT(4, power="yeo-johnson", redundancy="spearman").fit(X, y)
    np.testing.assert_array_equal(powered.scores_, RRCT(4, redundancy="spearman").fit(X, y).scores_)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"power": "boxcox"}, "power must be one of .* did you mean 'box-cox'"),
        ({"sign_rule": "both"}, "sign_rule must be one of"),
        ({"redundancy": "mi"}, "redundancy must be one of"),
        ({"information": "yes"}, "information must be True or False"),
        ({"n_features_to_select": 0}, "at least 1, got 0"),
        ({"missing": "pairwise"}, "missing must be one of"),
    ],
)
def test_bad_parameters_are_named(options, message):
    X, y = load_diabetes(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        RRCT(**options).fit(X, y)


def test_bad_data_are_named():
    X, y = load_diabetes(return_X_y=True)
    with pytest.raises(ValueError, match=r"one (class|value)|constant"):
        RRCT().fit(X, np.ones(len(y)))
    frame = pd.DataFrame({"a": np.arange(len(y), dtype=float), "b": ["u", "v"] * (len(y) // 2)})
    with pytest.raises(ValueError, match="'b'"):
        RRCT(1).fit(frame, y)


def test_many_classes_are_warned_of_once():
    rng = np.random.default_rng(0)
    features = rng.normal(size=(60, 6))
    with pytest.warns(ThresherWarning, match=r"y has 6 classes.*Compare with MRMR") as caught:
        RRCT(3).fit(features, np.arange(60) % 6)
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RRCT(3).fit(features, np.arange(60) % 3)
        RRCT(3, target="numeric").fit(features, np.arange(60) % 6)

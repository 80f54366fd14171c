"""MRMR from the data of a user to the fitted selector."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine, make_classification

from tests.examples import examples, pairs
from tests.measures import DISCRETE, ON_GRID
from tests.naive import measures_discrete, measures_numeric
from tests.naive.mrmr import mrmr as naive_mrmr
from thresher import MRMR, ThresherWarning
from thresher.measures import KINDS

STRATEGIES = ("lazy", "scan", "naive")


def columns(*rows):
    return np.array([[int(digit) for digit in row] for row in rows]).T


EXAMPLE_X = columns(
    "0000111122", "0000111011", "0011001111", "0101010110", "1111111111", "0000010110"
)
EXAMPLE_Y = columns("0000010111")[:, 0]


@pytest.mark.filterwarnings("ignore::thresher.ThresherWarning")
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(
    ("parameters", "order", "scores"),
    [
        (
            {},
            [0, 5, 2, 3, 1],
            [0.570950594455, 0.275488750216, -0.041937027063, -0.007427284218, -0.060336177797],
        ),
        ({"redundancy_weight": 0.5}, [0, 5, 3, 2, 1], None),
        ({"redundancy_weight": 2.0}, [0, 3, 5, 2, 1], None),
        (
            {"objective": "quotient"},
            [0, 3, 5, 2, 1],
            [0.570950594, np.inf, 1.644585153, 0.788208609, 0.673589302],
        ),
        ({"objective": "quotient", "redundancy_offset": 1e-4}, [0, 3, 5, 2, 1], None),
    ],
    ids=str,
)
def test_worked_example(strategy, parameters, order, scores):
    selector = MRMR(6, strategy=strategy, **parameters).fit(EXAMPLE_X, EXAMPLE_Y)
    assert selector.selected_.tolist() == order
    assert selector.n_evaluations_ == 10
    assert selector.reason(4) == "constant"
    if scores is not None:
        np.testing.assert_allclose(selector.scores_[order], scores, atol=1e-9)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(
    ("features", "target", "order"),
    [
        (
            "10111011 01001000 01011110 01111110 01010101 10100100 01000110 00010111",
            "11011100",
            [0, 1, 2, 4],
        ),
        (
            "01001100 00000000 01000011 00100011 10111100 01011100 00111001 01100011",
            "01011011",
            [2, 0, 6, 4],
        ),
    ],
)
def test_ties_prefer_the_lowest_position(strategy, features, target, order):
    X, y = columns(*features.split()), columns(target)[:, 0]
    assert MRMR(4, strategy=strategy).fit(X, y).selected_.tolist() == order


def naive_selection(X, y, k, relevance, redundancy, objective):
    """Return the naive selection: all values from the definitions, then the greedy search from its definition."""

    def value(name, a, b):
        if name in DISCRETE:
            a, b = (np.unique(column, return_inverse=True)[1] for column in (a, b))
            return measures_discrete.measure(a, b, name, a.max() + 1, b.max() + 1)
        reference = measures_numeric.f_statistic if name == "f" else getattr(measures_numeric, name)
        return reference(a, b)

    p = X.shape[1]
    varies = [X[:, f].min() < X[:, f].max() for f in range(p)]
    r = [value(relevance, X[:, f], y) for f in range(p)]
    b = [[value(redundancy, X[:, f], X[:, g]) for g in range(p)] for f in range(p)]
    return naive_mrmr(r, b, k, objective, candidates=varies)


@examples(60)
@given(st.data())
def test_discrete_selection_equals_the_naive_reference_implementation(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    n, p = data.draw(st.integers(4, 70)), data.draw(st.integers(2, 9))
    X = rng.integers(0, data.draw(st.integers(2, 4)), size=(n, p))
    y = np.append(rng.integers(0, data.draw(st.integers(2, 4)), size=n - 2), [0, 1])
    X[0], X[1] = 0, 1
    measure = data.draw(st.sampled_from(ON_GRID))
    bounded = KINDS[measure].maximum <= 1
    objectives = ["difference", "quotient", "sum", *(["product"] if bounded else [])]
    objective = data.draw(st.sampled_from(objectives))
    strategy = data.draw(st.sampled_from(STRATEGIES))
    selector = MRMR(
        p, relevance=measure, redundancy=measure, objective=objective, strategy=strategy
    ).fit(X, y)
    selected, scores, means = naive_selection(X, y, p, measure, measure, objective)
    assert selector.selected_.tolist() == selected
    np.testing.assert_allclose(  # the product is made by an exponential
        selector.scores_[selected], scores, rtol=1e-14 if objective == "product" else 0
    )
    np.testing.assert_array_equal(selector.redundancy_[selected], means)


@pytest.mark.parametrize(
    ("measures", "objective"),
    pairs(
        [("f", "pearson"), ("pearson", "pearson"), ("spearman", "spearman"), ("cosine", "cosine")],
        ["difference", "quotient"],
    ),
)
@pytest.mark.filterwarnings("ignore::thresher.ThresherWarning")
def test_numeric_selection_equals_the_naive_reference_implementation(measures, objective):
    relevance, redundancy = measures
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[::12, ::2], y[::12]
    selector = MRMR(9, relevance=relevance, redundancy=redundancy, objective=objective).fit(X, y)
    selected, scores, _ = naive_selection(X, y, 9, relevance, redundancy, objective)
    assert selector.selected_.tolist() == selected
    np.testing.assert_allclose(selector.scores_[selected], scores, rtol=1e-11)


@pytest.mark.parametrize(
    ("name", "order", "counts"),
    [
        ("colon", [764, 1581, 1671, 512, 1670, 1324, 1380, 1971, 1422, 1411], (96775, 19901)),
        ("leukemia", [3192, 4387, 4787, 6795, 1774, 2294, 2061, 1719, 1822, 1084], (345205, 15673)),
        ("lymphoma", None, (196049, 14044)),
        ("nci9", None, (474663, 8670)),
        ("lung_small", None, (14700, 5062)),
    ],
)
def test_microarrays_give_the_published_order_and_evaluation_counts(load_real, name, order, counts):
    X, y = load_real(name)
    lazy = MRMR(50).fit(X, y)
    naive = MRMR(50, strategy="naive").fit(X, y)
    scan = MRMR(50, strategy="scan").fit(X, y)
    assert (naive.n_evaluations_, lazy.n_evaluations_) == counts
    assert naive.selected_.tolist() == lazy.selected_.tolist() == scan.selected_.tolist()
    np.testing.assert_array_equal(naive.scores_, lazy.scores_)
    if order is not None:
        assert lazy.selected_[:10].tolist() == order


def test_microarray_agrees_with_the_naive_reference_implementation_step_for_step(load_real):
    X, y = load_real("lung_small")
    X = X[:, ::4]
    selector = MRMR(25).fit(X, y)
    selected, scores, _ = naive_selection(X, y, 25, "mi", "mi", "difference")
    assert selector.selected_.tolist() == selected
    np.testing.assert_array_equal(selector.trace_["score"], scores)


# --- the same result from every kind of input ---------------------------------------------------


def kinds_of_input(X):
    names = [f"x{i}" for i in range(X.shape[1])]
    strided = np.zeros((X.shape[0] * 2, X.shape[1] * 3), dtype=X.dtype)
    strided[::2, ::3] = X
    read_only = X.copy()
    read_only.flags.writeable = False
    return {
        "C": np.ascontiguousarray(X),
        "F": np.asfortranarray(X),
        "strided": strided[::2, ::3],
        "reversed": np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
        "read-only": read_only,
        "list": X.tolist(),
        "object": X.astype(object),
        "csr_matrix": sparse.csr_matrix(X),
        "csc_array": sparse.csc_array(X),
        "coo_array": sparse.coo_array(X),
        "pandas": pd.DataFrame(X, columns=names),
        "polars": pl.DataFrame(X, schema=names),
        "pyarrow": pa.table({name: X[:, i] for i, name in enumerate(names)}),
    }


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "float32", "float64", "bool"])
def test_every_input_gives_the_same_discrete_selection(dtype):
    X, y = make_classification(200, 30, n_informative=8, random_state=0)
    X = (
        (X > 0.7).astype(dtype)
        if dtype == "bool"
        else np.clip(X + 2, 0, 4).astype(int).astype(dtype)
    )
    expected = MRMR(12).fit(X, y)
    assert expected.relevance_measure_ == "mi"
    assert expected.bins_.rule == "none"
    for kind, data in kinds_of_input(X).items():
        selector = MRMR(12).fit(data, y)
        assert selector.selected_.tolist() == expected.selected_.tolist(), kind
        np.testing.assert_array_equal(selector.scores_, expected.scores_, err_msg=kind)
        shape = np.asarray(selector.transform(data).shape)
        assert shape.tolist() == [200, 12], kind


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16"])
@pytest.mark.parametrize("relevance", ["auto", "mi"])
def test_every_input_gives_the_same_numeric_selection(dtype, relevance):
    X, y = make_classification(200, 30, n_informative=8, random_state=0)
    X = (X * 50).astype(dtype)
    X[X < 20] = 0
    expected = MRMR(12, relevance=relevance).fit(X, y)
    for kind, data in kinds_of_input(X).items():
        selector = MRMR(12, relevance=relevance).fit(data, y)
        assert selector.selected_.tolist() == expected.selected_.tolist(), kind
        np.testing.assert_allclose(selector.scores_, expected.scores_, rtol=1e-10, err_msg=kind)


def test_strings_categories_and_numbers_in_one_frame():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    columns = {
        "noise": rng.normal(size=300),
        "colour": np.where(rng.random(300) < 0.8, np.where(y == 1, "red", "blue"), "green"),
        "size": rng.integers(0, 3, 300),
        "signal": y * 2.0 + rng.normal(size=300),
        "flag": rng.random(300) < 0.5,
    }
    frame = pd.DataFrame(columns).astype({"colour": "category"})
    labels = np.where(y == 1, "yes", "no")
    for data in (frame, frame.astype({"colour": str}), pl.from_pandas(frame), pa.table(columns)):
        selector = MRMR(2, exclude=["noise", "size"]).fit(data, labels)
        assert selector.selected_.tolist() == [1, 4]
        assert selector.relevance_[3] > selector.relevance_[4]
        assert selector.bins_.is_binned.tolist() == [False, False, False, True, False]
        assert selector.bins_.rule == "mean-sd"
        assert len(selector.bins_.cuts) == 1


# --- properties -----------------------------------------------------------------------------------


def binned_data(n=150, p=25, seed=3):
    X, y = make_classification(n, p, n_informative=6, n_classes=3, random_state=seed)
    return np.clip(X.round() + 3, 0, 6).astype(np.int8), y


def test_rows_classes_and_level_names_do_not_matter():
    X, y = binned_data()
    expected = MRMR(15).fit(X, y)
    rows = np.random.default_rng(1).permutation(len(y))
    for data, labels in [
        (X[rows], y[rows]),
        (X, np.array(["c", "a", "b"])[y]),
        (7 - X, y),
        (X.astype(float) * 1e6, y),
    ]:
        selector = MRMR(15).fit(data, labels)
        assert selector.selected_.tolist() == expected.selected_.tolist()
        np.testing.assert_array_equal(selector.scores_, expected.scores_)


def test_permuting_features_permutes_the_selection():
    X, y = load_breast_cancer(return_X_y=True)
    order = np.random.default_rng(1).permutation(X.shape[1])
    plain, permuted = MRMR(10).fit(X, y), MRMR(10).fit(X[:, order], y)
    assert order[permuted.selected_].tolist() == plain.selected_.tolist()


@pytest.mark.parametrize("relevance", ["mi", "f", "pearson", "spearman"])
def test_integer_weights_equal_repeated_rows(relevance):
    X, y = load_breast_cancer(return_X_y=True)
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    rows = np.repeat(np.arange(len(y)), weight)
    weighted = MRMR(8, relevance=relevance).fit(X, y, sample_weight=weight)
    repeated = MRMR(8, relevance=relevance).fit(X[rows], y[rows])
    assert weighted.selected_.tolist() == repeated.selected_.tolist()
    np.testing.assert_allclose(weighted.scores_, repeated.scores_, rtol=1e-9)


@pytest.mark.parametrize("relevance", ["mi", "f"])
def test_real_weights_scale_freely(relevance):
    X, y = load_breast_cancer(return_X_y=True)
    weight = np.random.default_rng(0).random(len(y)) + 0.5
    one = MRMR(8, relevance=relevance).fit(X, y, sample_weight=weight)
    two = MRMR(8, relevance=relevance).fit(X, y, sample_weight=2 * weight)
    assert one.selected_.tolist() == two.selected_.tolist()


@pytest.mark.parametrize("relevance", ["mi", "f", "spearman"])
def test_threads_do_not_show(relevance):
    X, y = make_classification(300, 400, n_informative=20, random_state=0)
    one, many = (MRMR(20, relevance=relevance, n_jobs=n).fit(X, y) for n in (1, 7))
    assert one.selected_.tolist() == many.selected_.tolist()
    np.testing.assert_array_equal(one.scores_, many.scores_)
    assert one.n_evaluations_ == many.n_evaluations_


def test_kept_features_come_first_and_excluded_never():
    X, y = load_wine(return_X_y=True, as_frame=True)
    plain = MRMR(5).fit(X, y)
    first = plain.get_feature_names_out()[0]
    selector = MRMR(5, keep=["hue", "ash"], exclude=[first]).fit(X, y)
    assert X.columns[selector.selected_[:2]].tolist() == ["hue", "ash"]
    assert first not in selector.get_feature_names_out()
    assert selector.reason(first) == "excluded by the parameter exclude"
    assert len(selector.selected_) == 5


def test_a_constant_feature_is_selected_only_if_kept():
    X = np.column_stack([EXAMPLE_X[:, :3], np.ones(10, dtype=int)])
    with pytest.warns(ThresherWarning):
        assert 3 not in MRMR(4).fit(X, EXAMPLE_Y).selected_
    assert MRMR(2, keep=[3]).fit(X, EXAMPLE_Y).selected_[0] == 3


# --- missing values -------------------------------------------------------------------------------


@pytest.fixture
def holes():
    X, y = binned_data()
    X = X.astype(float)
    X[np.random.default_rng(5).random(X.shape) < 0.1] = np.nan
    return X, y


def test_missing_as_a_category_is_one_more_level(holes):
    X, y = holes
    selector = MRMR(10, missing="category").fit(X, y)
    filled = MRMR(10).fit(np.where(np.isnan(X), 7, X), y)
    assert selector.selected_.tolist() == filled.selected_.tolist()
    np.testing.assert_array_equal(selector.scores_, filled.scores_)


@pytest.mark.parametrize("relevance", ["mi", "f"])
def test_pairwise_complete_uses_rows_where_both_are_present(holes, relevance):
    X, y = holes
    selector = MRMR(1, relevance=relevance, missing="pairwise").fit(X, y)
    for feature in range(3):
        present = ~np.isnan(X[:, feature])
        alone = MRMR(1, relevance=relevance).fit(X[present][:, [feature]], y[present])
        np.testing.assert_allclose(selector.relevance_[feature], alone.relevance_[0], rtol=1e-9)


def test_dropping_rows_reports_their_number(holes):
    X, y = holes
    X = X[:, :4]
    complete = ~np.isnan(X).any(axis=1)
    with pytest.warns(ThresherWarning, match=f"left out {int((~complete).sum())} of 150"):
        selector = MRMR(3, missing="drop_rows").fit(X, y)
    assert selector.selected_.tolist() == MRMR(3).fit(X[complete], y[complete]).selected_.tolist()


# --- what a fitted selector says ------------------------------------------------------------------


def test_fitted_attributes_agree_with_each_other():
    X, y = load_diabetes(return_X_y=True)
    selector = MRMR(4).fit(X, y)
    assert (selector.relevance_measure_, selector.objective_) == ("r2", "difference")
    chosen = selector.selected_
    assert selector.ranking_[chosen].tolist() == [1, 2, 3, 4]
    assert (np.delete(selector.ranking_, chosen) == 5).all()
    assert selector.support_.sum() == 4
    assert np.isnan(np.delete(selector.scores_, chosen)).all()
    assert selector.trace_["feature"].tolist() == chosen.tolist()
    np.testing.assert_array_equal(selector.trace_["relevance"], selector.relevance_[chosen])
    steps = selector.trace_
    np.testing.assert_allclose(
        steps["score"][1:], steps["relevance"][1:] - steps["redundancy"][1:], atol=1e-12
    )


def test_a_copy_is_called_redundant_with_its_original():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X["copy"] = X["mean area"]
    selector = MRMR(4, relevance="mi").fit(X, y)
    assert selector.reason("mean area").startswith("selected at step 2, score")
    assert selector.reason("copy").startswith("redundant with mean area (redundancy 1.")


def test_verbose_prints_a_line_per_step_and_one_at_the_end(capsys):
    X, y = load_wine(return_X_y=True, as_frame=True)
    MRMR(3, verbose=1).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    assert lines[0].startswith("[MRMR] 1/3 ")


def test_a_fraction_is_of_all_features():
    X, y = load_wine(return_X_y=True)
    assert len(MRMR(0.5).fit(X, y).selected_) == 6
    assert len(MRMR(0.001).fit(X, y).selected_) == 1


def test_the_default_finds_true_features_among_many_independent_ones():
    n_true, found = 60, 0
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(100, 5000))
        y = (X[:, :n_true].sum(axis=1) > 0).astype(int)
        X[:, :n_true] += 0.8 * y[:, None]
        found += int((MRMR(5).fit(X, y).selected_ < n_true).sum())
    assert found >= 23  # of 25; F over the mean correlation finds 13


def test_the_default_on_numbers_is_the_difference_of_shares_explained():
    X, y = load_breast_cancer(return_X_y=True)
    fitted = MRMR(5).fit(X, y)
    settled = (fitted.relevance_measure_, fitted.redundancy_measure_, fitted.objective_)
    assert settled == ("r2", "r2", "difference")
    explicit = MRMR(5, relevance="r2", redundancy="r2", objective="difference").fit(X, y)
    assert fitted.selected_.tolist() == explicit.selected_.tolist()
    chosen = np.abs(np.corrcoef(X[:, fitted.selected_].T))[np.triu_indices(5, 1)]
    assert chosen.mean() < 0.5


def test_the_product_multiplies_the_relevance_by_the_novelty():
    X, y = load_breast_cancer(return_X_y=True)
    selector = MRMR(6, relevance="r2", objective="product").fit(X, y)
    relevance, redundancy, novelty, score = (
        selector.trace_[name] for name in ("relevance", "redundancy", "novelty", "score")
    )
    assert novelty[0] == 1
    np.testing.assert_allclose(score, relevance * novelty, rtol=1e-14)
    np.testing.assert_allclose(novelty, 2.0 ** -(redundancy * np.arange(6)), rtol=1e-14)
    squares = np.corrcoef(X[:, selector.selected_].T) ** 2
    expected = [np.sqrt(np.prod(1 - squares[k, :k])) for k in range(6)]
    np.testing.assert_allclose(novelty, expected, rtol=1e-8)


def test_the_product_chooses_features_without_relevance_last_and_by_position():
    y = np.repeat([0, 1], 8)
    good = np.where(y, 1.0, 0.0)
    good[[0, 9]] = 1 - good[[0, 9]]
    useless = [np.tile([0.0, 1.0], 8), np.tile([1.0, 1.0, 0.0, 0.0], 4)]
    X = np.column_stack([*useless, good, good + 0.1 * np.arange(16) % 3])
    for strategy in STRATEGIES:
        selector = MRMR(4, relevance="r2", objective="product", strategy=strategy).fit(X, y)
        assert selector.selected_[2:].tolist() == [0, 1]
        assert selector.scores_[[0, 1]].tolist() == [0, 0]


def test_reasons_of_the_product_are_in_bits():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    selector = MRMR(3, relevance="r2", objective="product").fit(X, y)
    assert selector.reason("mean radius") == "shares 2 bits with worst radius; relevance 0.5329"
    assert selector.reason(int(selector.selected_[1])).endswith(
        "shares 0.7 bits with worst concave points"
    )


def test_the_product_refuses_a_redundancy_without_a_bound():
    with pytest.raises(ValueError, match=r'"mi" is not bounded by 1\. Set redundancy='):
        MRMR(2, relevance="mi", objective="product").fit(EXAMPLE_X, EXAMPLE_Y)

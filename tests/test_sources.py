"""Rows from arrays, sparse matrices and dataframes; targets of any kind."""

from __future__ import annotations

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator

from thresher import MRMR, ThresherWarning
from thresher.data import read_table, read_target


class AnySelector(BaseEstimator):
    """A substitute for a selector that receives n_features_in_."""


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_missing_values_and_nullable_columns_become_nan(library):
    columns = {
        "whole": [1, None, 3],
        "real": [0.5, None, 1.5],
        "text": ["b", None, "a"],
        "flag": [True, None, False],
    }
    if library == "pandas":
        frame = pd.DataFrame(columns).astype(
            {"whole": "Int64", "real": "Float64", "text": "string", "flag": "boolean"}
        )
    else:
        frame = pl.DataFrame(columns) if library == "polars" else pa.table(columns)
    table = read_table(AnySelector(), frame)
    nan = np.nan
    np.testing.assert_array_equal(
        table.matrix.T, [[1, nan, 3], [0.5, nan, 1.5], [1, nan, 0], [1, nan, 0]]
    )
    assert table.is_category.tolist() == [False, False, True, False]
    assert table.names.tolist() == list(columns)


def test_plain_frames_are_not_copied_column_by_column():
    X = np.asfortranarray(np.random.default_rng(0).normal(size=(50, 4)))
    table = read_table(AnySelector(), pd.DataFrame(X, columns=list("abcd"), copy=False))
    assert table.matrix.dtype == np.float64
    np.testing.assert_array_equal(table.matrix, X)
    assert np.shares_memory(table.feature_major(), table.matrix)


def test_wide_frames_are_not_looked_through_for_every_column(monkeypatch):
    looked = []
    schema = nw.DataFrame.schema.fget
    monkeypatch.setattr(
        nw.DataFrame, "schema", property(lambda frame: looked.append(1) or schema(frame))
    )
    X = np.random.default_rng(0).integers(0, 9, (7, 40))
    frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(40)])
    np.testing.assert_array_equal(read_table(AnySelector(), frame).matrix, X)
    frame["c3"] = [str(value) for value in X[:, 3]]
    frame["c5"] = X[:, 5] > 4
    X[:, 5] = X[:, 5] > 4
    X[:, 3] = np.unique(X[:, 3], return_inverse=True)[1]
    np.testing.assert_array_equal(read_table(AnySelector(), frame).matrix, X)
    assert len(looked) <= 4


def test_integers_with_at_most_ten_values_are_discrete():
    rows = np.arange(40)
    X = np.column_stack([rows % 10, rows % 11, rows % 2 + 0.5, np.zeros(40), -(rows % 3) * 1e9])
    table = read_table(AnySelector(), X)
    assert table.schema.is_discrete.tolist() == [True, False, False, True, True]
    assert table.schema.is_constant.tolist() == [False, False, False, True, False]


@pytest.mark.parametrize(("dtype", "bits"), [(np.float32, 24), (np.float64, 53)])
def test_halves_are_not_integers_however_large(dtype, bits):
    powers = np.ldexp(dtype(1), np.arange(bits - 6, bits + 3))
    X = np.array([powers + i / 2 for i in range(-4, 5)] * 3, dtype=dtype)
    for signed in (X, -X):
        found = read_table(AnySelector(), signed).schema.is_whole
        assert found.tolist() == (signed == np.floor(signed)).all(axis=0).tolist()


def test_a_column_of_equal_fractions_is_constant():
    table = read_table(AnySelector(), np.column_stack([np.full(1000, 0.1), np.arange(1000.0)]))
    assert table.schema.is_constant.tolist() == [True, False]


def test_sparse_columns_count_their_implicit_zeros():
    dense = np.array([[0, 2, 5, 0], [0, 2, 0, 1], [0, 2, 5, 0]])
    for X in (sparse.csr_array(dense), sparse.csc_matrix(dense), sparse.coo_array(dense)):
        table = read_table(AnySelector(), X)
        assert table.is_sparse
        assert table.schema.is_constant.tolist() == [True, True, False, False]
        assert table.schema.minimum.tolist() == [0, 2, 0, 0]


def test_duplicate_sparse_entries_are_added_without_touching_the_input():
    X = sparse.csr_array((np.array([1.0, 1.0, 3.0]), ([0, 0, 1], [0, 0, 1])), shape=(3, 2))
    X = sparse.csr_matrix((np.array([1.0, 1.0, 3.0]), np.array([0, 0, 1]), np.array([0, 2, 3, 3])))
    table = read_table(AnySelector(), X)
    assert table.schema.maximum.tolist() == [2, 3]
    assert X.nnz == 3


@pytest.mark.parametrize(
    ("y", "kind", "nominal"),
    [
        ([0.0, 1.0, 1.0], "auto", True),
        ([0.0, 1.0, 2.0], "auto", False),
        ([0, 1, 2], "auto", False),
        ([0, 1, 2] * 5, "auto", True),
        ([0.0, 1.0, 2.0] * 5, "auto", True),
        ([True, False, True], "auto", True),
        (["a", "b", "a"], "auto", True),
        ([0.0, 1.0, 2.0], "nominal", True),
        ([0, 1, 1], "numeric", False),
        (["1", "2", "3"], "numeric", False),
    ],
)
@pytest.mark.filterwarnings("ignore::thresher.ThresherWarning")
def test_targets(y, kind, nominal):
    target = read_target(y, len(y), kind=kind)
    assert target.is_nominal is nominal
    assert target.values.dtype == np.float64


def test_targets_of_dataframe_libraries():
    y = ["no", "yes", "no", "yes"]
    for labels in (
        pd.Series(y),
        pd.Series(y, dtype="category"),
        pl.Series(y),
        np.array(y),
        pa.array(y),
    ):
        target = read_target(labels, 4)
        assert target.codes.tolist() == [0, 1, 0, 1]
        assert target.classes.tolist() == ["no", "yes"]


def test_two_classes_become_zero_and_one_where_numbers_are_needed():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 5)), rng.integers(0, 2, 50)
    for labels in (y, y * 7 - 3, np.array(["u", "v"])[y], y.astype(bool)):
        selector = MRMR(3, relevance="pearson").fit(X, labels)
        np.testing.assert_allclose(
            selector.relevance_[0], abs(np.corrcoef(X[:, 0], y)[0, 1]), atol=1e-12
        )


def test_numeric_target_with_mutual_information_is_cut_like_a_feature():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    y = X[:, 2] + 0.1 * rng.normal(size=200)
    assert MRMR(1, relevance="mi").fit(X, y).selected_.tolist() == [2]
    low, high = y.mean() - y.std(), y.mean() + y.std()
    classes = (y > low).astype(int) + (y > high)
    np.testing.assert_array_equal(
        MRMR(1, relevance="mi").fit(X, y).relevance_,
        MRMR(1, relevance="mi").fit(X, classes).relevance_,
    )


def test_weight_zero_removes_a_row_before_anything_else():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), rng.integers(0, 2, 60)
    X[0] = np.nan
    weight = np.ones(60)
    weight[0] = 0
    selector = MRMR(4).fit(X, y, sample_weight=weight)
    expected = MRMR(4).fit(X[1:], y[1:])
    np.testing.assert_array_equal(selector.scores_, expected.scores_)


def test_dropped_rows_are_counted():
    X = np.array([[1.0, 2], [np.nan, 1], [3, 5], [2, 2.5]])
    with pytest.warns(ThresherWarning, match="left out 1 of 4"):
        MRMR(1, missing="drop_rows").fit(X, [0, 1, 1, 0])


def test_columns_of_one_type_are_inspected_once(monkeypatch):
    widths = []
    schema = nw.DataFrame.schema.fget
    monkeypatch.setattr(
        nw.DataFrame,
        "schema",
        property(lambda frame: widths.append(frame.shape[1]) or schema(frame)),
    )
    frame = pd.DataFrame(np.zeros((3, 400)), columns=[f"c{i}" for i in range(400)])
    objects = {f"text{i}": pd.Series(["a", "b", "a"], dtype=object) for i in range(5)}
    read_table(AnySelector(), frame.assign(**objects, flag=True, whole=1))
    assert widths == [3]

"""Integers and decimals beyond 2^53, which doubles would make equal, in every container."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet
from scipy import sparse

from thresher import JMI, MRMR, ErrorControlled, FisherScore, Univariate

rng = np.random.default_rng(0)
Y = np.arange(120) % 3
SMALL = np.column_stack([2 * Y + rng.integers(0, 2, 120), rng.integers(0, 50, 120) + 10 * Y])
LARGE = SMALL + 2**60
HUGE = SMALL.astype(object) + 2**70
HOLES = np.arange(240).reshape(120, 2) == 6


def decimals(values):
    return pa.table({f"c{j}": pa.array(map(Decimal, values[:, j].tolist())) for j in range(2)})


CONTAINERS = {
    "objects": LARGE.astype(object),
    "lists": HUGE.tolist(),
    "frame of objects": pd.DataFrame(HUGE, columns=["a", "b"]),
    "frame of decimals": pd.DataFrame([[Decimal(v) for v in row] for row in HUGE.tolist()]),
    "CSC": sparse.csc_array(LARGE),
    "CSR": sparse.csr_array(LARGE),
    "masked, none": np.ma.masked_array(LARGE),
    "arrow decimals": decimals(LARGE),
}
if hasattr(pl, "Int128"):  # older ones have none
    CONTAINERS["Int128"] = pl.DataFrame(LARGE, schema=["a", "b"]).cast(pl.Int128)


@pytest.mark.parametrize("X", CONTAINERS.values(), ids=list(CONTAINERS))
@pytest.mark.parametrize("selector", [MRMR(2), JMI(2), FisherScore(2), Univariate(2)], ids=repr)
def test_large_numbers_stay_apart(selector, X):
    wanted = selector.fit(SMALL, Y)
    selected, relevance = wanted.selected_.tolist(), wanted.relevance_.copy()
    found = selector.fit(X, Y)
    assert found.selected_.tolist() == selected
    np.testing.assert_array_equal(found.relevance_, relevance)


@pytest.mark.parametrize("missing", ["pairwise", "drop_rows", "category"])
@pytest.mark.parametrize(
    "make",
    [
        lambda values: pd.DataFrame(values, columns=["a", "b"]).astype("Int64").mask(HOLES),
        lambda values: pl.DataFrame(pd.DataFrame(values).astype("Int64").mask(HOLES)),
        lambda values: np.ma.masked_array(values, mask=HOLES),
    ],
    ids=["pandas", "polars", "masked"],
)
@pytest.mark.filterwarnings("ignore:missing=")
def test_large_numbers_stay_apart_where_some_are_missing(make, missing):
    selector = MRMR(2, relevance="mi", missing=missing)
    small, large = (selector.fit(make(values), Y).relevance_.copy() for values in (SMALL, LARGE))
    np.testing.assert_array_equal(large, small)


def test_large_numbers_of_files_stay_apart_where_some_are_missing(tmp_path):
    selector = MRMR(1, missing="pairwise")
    frame = pd.DataFrame(LARGE, columns=["a", "b"]).astype("Int64").mask(HOLES)
    parquet.write_table(pa.Table.from_pandas(frame.assign(y=Y)), tmp_path / "large.parquet")
    of_file = selector.fit(tmp_path / "large.parquet", y="y").relevance_.copy()
    np.testing.assert_array_equal(of_file, selector.fit(frame, Y).relevance_)
    exact = decimals(LARGE).append_column("y", pa.array(Y))
    parquet.write_table(exact, tmp_path / "decimals.parquet")
    of_file = selector.fit(tmp_path / "decimals.parquet", y="y").relevance_.copy()
    np.testing.assert_array_equal(of_file, selector.fit(SMALL, Y).relevance_)


def test_numbers_beyond_all_doubles_are_infinite():
    too_large = pd.Series([10**400, *SMALL[1:, 1].tolist()], dtype=object)
    X = pd.DataFrame({"a": SMALL[:, 0], "b": too_large})
    with pytest.raises(ValueError, match="column 'b' of X contains infinity"):
        MRMR(1).fit(X, Y)


@pytest.mark.parametrize(
    "y", [Y.astype(np.uint64) + np.uint64(2**63), (HUGE[:, 0] - SMALL[:, 0]) + Y]
)
def test_labels_of_any_size_are_classes(y):
    assert MRMR(2).fit(SMALL, y).selected_.tolist() == MRMR(2).fit(SMALL, Y).selected_.tolist()


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"a": LARGE[:, 0], "b": LARGE[:, 1], "c": rng.normal(size=120)}),
        pd.DataFrame({"a": pd.Categorical(list("uvw" * 40)), "b": list("xy" * 60)}),
    ],
    ids=["large", "categories"],
)
def test_permuted_copies_are_of_the_type_of_their_features(X):
    control = ErrorControlled(JMI(2), 0.9, method="compete", random_state=0)
    assert 0 in control.fit(X, Y).selected_


def test_permuted_copies_of_sparse_features_are_those_of_dense_ones():
    X = np.where(rng.random((120, 6)) < 0.6, 0.0, rng.normal(size=(120, 6)) + Y[:, None])
    control = ErrorControlled(JMI(4), 0.9, method="compete", random_state=0)
    dense = control.fit(X, Y).selected_.tolist()
    for form in (sparse.csr_array, sparse.csc_array, sparse.coo_array):
        assert control.fit(form(X), Y).selected_.tolist() == dense

"""Columns that cannot be used are listed in one message, with the code that drops them."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tests.blocks_of_rows import in_blocks
from thresher import MIM, MRMR
from thresher.cli._errors import as_options

N = 40
Y = np.arange(N) % 2
PLAIN = pd.DataFrame(np.random.default_rng(0).normal(size=(N, 3)), columns=list("abc"))
HALF = PLAIN["b"].where(np.arange(N) > 9)
BAD = PLAIN.assign(
    start=pd.Timestamp("2020-01-01"),
    end=pd.Timestamp("2020-01-01"),
    stay=pd.Timedelta("1d"),
    parts=[[1]] * N,
    empty=np.nan,
    none=None,
)
MIXED = BAD.assign(code=[1, "a"] * (N // 2))
NAMES = ["start", "end", "stay", "parts", "empty", "none"]
FRAMES = {
    "pandas": (MIXED, [*NAMES, "code"]),
    "polars": (pl.from_pandas(BAD), NAMES),
    "pyarrow": (pa.Table.from_pandas(BAD), NAMES),
}


def error_of(X, selector=None, y=Y):
    with pytest.raises(ValueError) as raised:
        (selector or MRMR(2)).fit(X, y)
    return raised.value


def run_code(error, X):
    """Run the code at the end of a message."""
    scope = {"X": X, "error": error}
    exec(re.search(r"X = .*$", str(error))[0], scope)
    return scope["X"]


@pytest.mark.parametrize("package", FRAMES)
def test_all_bad_columns_of_a_frame_are_in_one_message_with_the_code_that_drops_them(package):
    X, names = FRAMES[package]
    error = error_of(X)
    assert error.columns == names
    assert (
        f"{len(names)} columns of X cannot be used: 'start', 'end' (Datetime), 'stay' (Duration)"
        in (str(error))
    )
    assert "'empty', 'none' (only NaN)" in str(error)
    assert ("'code' (mixed types)" in str(error)) == (package == "pandas")
    assert set(names).isdisjoint(
        run_code(error, X).columns if package != "pyarrow" else run_code(error, X).column_names
    )
    assert (MRMR(2).fit(run_code(error, X), Y).selected_ == MRMR(2).fit(PLAIN, Y).selected_).all()


@pytest.mark.parametrize("n_bad", [1, 2, 10, 11, 60])
def test_a_long_list_is_shortened_and_its_code_still_drops_all(n_bad):
    X = PLAIN.assign(**{f"t{i}": pd.Timestamp("2020-01-01") for i in range(n_bad)})
    error = error_of(X)
    assert (f"and {n_bad - 10} more" in str(error)) == (n_bad > 10)
    assert len(str(error)) < 400
    assert run_code(error, X).columns.tolist() == ["a", "b", "c"]


def test_integer_names_are_dropped_too():
    X = pd.DataFrame({3: PLAIN["a"], 7: pd.Timestamp("2020-01-01"), 9: pd.Timestamp("2020-01-01")})
    assert run_code(error_of(X), X).columns.tolist() == [3]


def test_a_file_lists_all_columns_and_exclude_repairs_it(tmp_path):
    BAD.drop(columns=["empty", "none"]).assign(y=Y).to_parquet(tmp_path / "t.parquet")
    error = error_of(tmp_path / "t.parquet", y="y")
    assert str(error) == (
        "4 columns of X cannot be used: 'start', 'end' (Datetime), 'stay' (Duration), 'parts' (List). "
        "Convert or drop them: exclude=['start', 'end', 'stay', 'parts']"
    )
    excluded = re.search(r"exclude=(\[.*\])", str(error))[1]
    fitted = MRMR(2, exclude=eval(excluded)).fit(tmp_path / "t.parquet", "y")
    assert fitted.get_feature_names_out().tolist() == (
        MRMR(2).fit(PLAIN, Y).get_feature_names_out().tolist()
    )


UNUSABLE = PLAIN.assign(a=np.where(np.arange(N) < 3, np.inf, 1.0), b=HALF, d=np.nan, e=PLAIN["a"])
EXPECTED = (
    "3 columns of X cannot be used (40 samples): 'a' (inf in 3), 'b' (NaN in 10), 'd' (only NaN). Fill the values in, "
    "drop the columns (exclude=['a', 'b', 'd']), or set the parameter missing"
)


@pytest.mark.parametrize("selector", [MRMR(2), MIM(2)], ids=["stored", "packed"])
@pytest.mark.parametrize("door", ["memory", "file", "narrow groups", "blocks", "tall file"])
def test_all_columns_with_missing_and_infinite_values_are_listed(
    door, selector, tmp_path, monkeypatch
):
    if door == "memory":
        assert str(error_of(UNUSABLE, selector)) == EXPECTED
        return
    if door == "blocks":
        blocks = in_blocks(UNUSABLE, Y, None, [7, 20])
        assert str(error_of(blocks, selector, None)) == EXPECTED
        return
    UNUSABLE.assign(y=Y).to_parquet(tmp_path / "t.parquet", row_group_size=7)
    if door == "narrow groups":
        monkeypatch.setattr("thresher.data.files._TOGETHER", (1, 1))
    options = {"checkpoint": tmp_path / "c"} if door == "tall file" else {}
    with pytest.raises(ValueError) as raised:
        selector.fit(tmp_path / "t.parquet", "y", **options)
    assert str(raised.value) == EXPECTED


def test_columns_of_an_array_are_listed_by_position():
    error = error_of(UNUSABLE.to_numpy())
    assert "0 (inf in 3), 1 (NaN in 10), 3 (only NaN)" in str(error)
    assert error.columns == [0, 1, 3]


def test_a_frame_column_of_no_type_is_one_without_values(tmp_path):
    X = pl.from_pandas(PLAIN).with_columns(none=pl.lit(None))
    X.with_columns(y=pl.Series(Y)).write_parquet(tmp_path / "t.parquet")
    words = "column 'none' of X contains only NaN. Fill the values in, drop the column (exclude=['none'])"
    for data in (X, X.to_arrow()):
        assert str(error_of(data)).startswith(words)
        assert 3 not in MRMR(2, relevance="mi", missing="category").fit(data, Y).selected_
    assert str(error_of(tmp_path / "t.parquet", y="y")).startswith(words)


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("Drop it: X = X.drop(columns=['a'])", "Drop it: --exclude a"),
        ("Drop it: X = X.drop_columns(['a b', 'c'])", "Drop it: --exclude 'a b,c'"),
        ("drop it (exclude=['a)', 'b,c']), or", "drop it (--exclude 'a),\"b,c\"'), or"),
        ("Drop them: X = X.drop(columns=error.columns)", "Drop them: --exclude"),
        ("Drop them (exclude=error.columns), or", "Drop them (--exclude), or"),
    ],
)
def test_the_command_names_its_option_instead(text, option):
    assert as_options(text) == option


GAPS = PLAIN.assign(
    a=PLAIN["a"].where(np.arange(N) < 25), b=HALF, c=PLAIN["c"].where(np.arange(N) >= 15), d=1.0
)
EMPTIED = (
    'missing="drop_rows" leaves no sample. Most missing values are in {}, fill the values in, or set another value of '
    "missing"
)
ALL_DOORS = ["memory", "file", "blocks", "tall file"]


def error_at(door, X, selector, tmp_path):
    """Return the error of a fit from this door."""
    if door == "memory":
        return error_of(X, selector)
    if door == "blocks":
        return error_of(in_blocks(X, Y, None, [7, 20]), selector, None)
    X.assign(y=Y).to_parquet(tmp_path / "t.parquet", row_group_size=7)
    options = {"checkpoint": tmp_path / "c"} if door == "tall file" else {}
    with pytest.raises(ValueError) as raised:
        selector.fit(tmp_path / "t.parquet", "y", **options)
    return raised.value


@pytest.mark.parametrize("door", ALL_DOORS)
@pytest.mark.parametrize(
    ("X", "words"),
    [
        (
            GAPS.assign(c=GAPS["c"].where(np.arange(N) >= 26)),
            "column 'c' (26 of 40 samples). Drop it (exclude=['c'])",
        ),
        (
            GAPS.assign(e=PLAIN["a"].where(np.arange(N) >= 25), c=PLAIN["c"])
            .drop(columns="b")
            .assign(a=PLAIN["a"].where(np.arange(N) < 15)),
            "columns 'a', 'e' (25 of 40 samples each). Drop them (exclude=['a', 'e'])",
        ),
        (
            PLAIN.assign(b=HALF, **{f"e{i}": np.nan for i in range(14)}),
            "columns 'e0', 'e1', 'e2', 'e3', 'e4', 'e5', 'e6', 'e7', 'e8', 'e9' and 4 more (all samples each). Drop "
            "them (exclude=error.columns)",
        ),
        (PLAIN.assign(a=None, b=HALF), "column 'a' (all samples). Drop it (exclude=['a'])"),
    ],
    ids=["one", "two", "many", "no type"],
)
def test_dropped_rows_name_the_columns_that_emptied_the_table(door, X, words, tmp_path):
    error = error_at(door, X, MRMR(2, missing="drop_rows"), tmp_path)
    assert str(error) == EMPTIED.format(words)
    fitted = MRMR(1, missing="drop_rows", exclude=error.columns).fit(X, Y)
    assert not set(error.columns) & set(fitted.get_feature_names_out())


@pytest.mark.parametrize("door", ALL_DOORS)
def test_columns_that_are_constant_in_the_rows_left_are_explained(door, tmp_path):
    X = pd.DataFrame({"a": [1.0] * 6 + [2.0] * 34, "b": [1.0, 2.0] * 20})
    X.loc[6:, "b"] = np.nan
    X["b"] = X["b"].where(X["b"] != 2, 1.0)
    error = error_at(door, X, MRMR(1, missing="drop_rows"), tmp_path)
    assert 'no column of X varies in the 6 samples left by missing="drop_rows"' in str(error)


def test_rows_of_weight_zero_may_be_the_rest():
    weights = (np.arange(N) < 10).astype(int)
    with pytest.raises(ValueError, match=r"leaves no sample.*column 'b' \(10 of 40 samples\)"):
        MRMR(1, missing="drop_rows").fit(PLAIN.assign(b=HALF), Y, weights)
    with pytest.raises(ValueError, match=r"leaves no sample.*column 1 \(10 of 40 samples\)"):
        MRMR(1, missing="drop_rows").fit(PLAIN.assign(b=HALF).to_numpy(), Y, weights)

"""Columns of texts and categories, many at a time."""

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from thresher.data import read_frame
from thresher.data.frames import FrameColumns

MISSING = (None, np.nan, pd.NA, pd.NaT)


def ranks_of(values):
    """Return ranks of the texts of one column, NaN where one is missing, and the texts."""
    texts = sorted({value for value in values if isinstance(value, str)})
    return [texts.index(v) if isinstance(v, str) else np.nan for v in values], texts


def assert_read(found: FrameColumns, columns, texts=None):
    assert found.is_category.all()
    for i, values in enumerate(columns):
        ranks, own = ranks_of(values)
        if texts is not None:
            own = sorted(texts[i])
            ranks = [own.index(v) if isinstance(v, str) else np.nan for v in values]
        np.testing.assert_array_equal(found.matrix[:, i], ranks)
        assert found.texts[i] == own


@pytest.mark.parametrize(
    "n_texts", [3, 400]
)  # few that all share, and enough that columns are split
@pytest.mark.parametrize("kind", ["object", "string", "category", "polars", "cat", "arrow", "dict"])
def test_texts_of_many_columns_are_ranked_as_those_of_each(kind, n_texts):
    rng = np.random.default_rng(n_texts)
    texts = np.array([f"{v:x}é" for v in rng.permutation(n_texts)], dtype=object)
    columns = [list(texts[rng.integers(0, n_texts, 9)]) for _ in range(70)]
    for j in range(0, 70, 3):
        columns[j][j % 9] = None
    columns[5] = [None] * 9
    frame = {f"c{j}": values for j, values in enumerate(columns)}
    if kind in ("polars", "cat"):
        X = pl.DataFrame(frame, schema_overrides={"c5": pl.String})
        X = X.cast(pl.Categorical) if kind == "cat" else X
    elif kind in ("arrow", "dict"):
        arrays = {name: pa.array(values, pa.string()) for name, values in frame.items()}
        X = pa.table({n: a.dictionary_encode() if kind == "dict" else a for n, a in arrays.items()})
    else:
        X = pd.DataFrame(frame).astype(kind)
    assert_read(read_frame(X), columns)


def test_every_kind_of_missing_value_is_none_among_texts():
    X = pd.DataFrame({f"c{i}": ["b", missing, "a", "b"] for i, missing in enumerate(MISSING)})
    assert_read(read_frame(X.astype(object)), [["b", None, "a", "b"]] * 4)


def test_columns_of_other_objects_among_texts_are_read_separately():
    X = pd.DataFrame(
        {
            "text": ["1", "x", "1"],
            "number": [1, None, True],
            "other": ["x", "y", "x"],
            "half": [0.5, 1.0, np.float32(2)],
        },
        dtype=object,
    )
    found = read_frame(X)
    assert found.is_category.tolist() == [True, False, True, False]
    expected = [[0, 1, 0], [1, np.nan, 1], [0, 1, 0], [0.5, 1, 2]]
    np.testing.assert_array_equal(found.matrix.T, expected)
    X["mixed"] = ["1", 1, "x"]
    with pytest.raises(ValueError, match="column 'mixed' mixes values of the types int, str"):
        read_frame(X)
    X["mixed"] = [["1"], ["x"], ["1"]]
    with pytest.raises(ValueError, match="column 'mixed' has the type list, which is neither"):
        read_frame(X)
    found = read_frame(X, exclude=["mixed"])
    np.testing.assert_array_equal(found.matrix.T, [*expected, [0, 0, 0]])


@pytest.mark.parametrize(
    "share", [1, 2, 9]
)  # how many columns are categories decides how they are got at
def test_categories_keep_their_levels(share):
    rng = np.random.default_rng(share)
    levels = (["b", "c", "a"], ["z"], ["b", "a", "c"])
    X, columns, texts = {}, [], []
    for j in range(36):
        if j % share:
            X[f"c{j}"] = rng.normal(size=6)
            continue
        own = levels[j // share % 3]
        codes = rng.integers(-1, len(own), 6)
        X[f"c{j}"] = pd.Categorical.from_codes(codes, own, ordered=j % 2 == 0)
        columns.append([own[code] if code >= 0 else None for code in codes])
        texts.append(own)
    found = read_frame(pd.DataFrame(X))
    assert found.is_category.tolist() == [j % share == 0 for j in range(36)]
    at = found.is_category
    own = dict(enumerate(found.texts[i] for i in np.flatnonzero(at)))
    assert_read(FrameColumns(found.matrix[:, at], found.names[at], at[at], own), columns, texts)
    np.testing.assert_array_equal(found.matrix[:, ~at], pd.DataFrame(X).iloc[:, ~at])


def test_categories_that_are_equal_as_numbers_keep_their_texts():
    X = pd.DataFrame({"a": pd.Categorical([1, 2]), "b": pd.Categorical([1.0, 2.0])})
    X["c"] = pd.Categorical([True, 2])
    assert read_frame(X).texts == {0: ["1", "2"], 1: ["1.0", "2.0"], 2: ["2", "True"]}


def test_categories_of_a_frame_without_rows_are_known():
    X = pd.DataFrame({"a": pd.Categorical(["x", "y"]), "b": pd.Categorical(["z", "z"])})
    found = read_frame(X[:0], is_block=True)
    assert found.matrix.shape == (0, 2)
    assert found.texts == {0: ["x", "y"], 1: ["z"]}


@pytest.mark.parametrize("n", [0, 1, 2, 9])
def test_texts_may_all_differ(n):
    for p in (1, 2, 8, 9, 30):
        columns = [[f"{i} {j}" for i in range(n)] for j in range(p)]
        names = [f"c{j}" for j in range(p)]
        frame = dict(zip(names, columns, strict=True))
        for X in (
            pd.DataFrame(frame, dtype=object),
            pl.DataFrame(frame, dict.fromkeys(names, str)),
        ):
            assert_read(read_frame(X), columns)


def test_wide_frames_of_polars_are_not_gone_through_for_every_column(monkeypatch):
    taken = []
    take = nw.DataFrame.__getitem__
    monkeypatch.setattr(
        nw.DataFrame, "__getitem__", lambda frame, key: taken.append(1) or take(frame, key)
    )
    values = {f"c{j}": ["a", None, "b"] for j in range(300)}
    flags = {f"f{j}": [True, None, False] for j in range(300)}
    for X in (pl.DataFrame(values), pl.DataFrame(values).cast(pl.Categorical), pl.DataFrame(flags)):
        taken.clear()
        np.testing.assert_array_equal(np.abs(read_frame(X).matrix[1]), np.full(300, np.nan))
        assert len(taken) <= 4


def test_pandas_keeps_no_columns_of_a_frame_that_was_read(monkeypatch):
    X = pd.DataFrame({f"c{j}": pd.Categorical(["a", "b"]) for j in range(300)})
    monkeypatch.setattr(pd.DataFrame, "items", None)
    assert len(read_frame(X).texts) == 300

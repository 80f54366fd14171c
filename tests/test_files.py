"""A table in files gives results bit-identical to those of the same rows in memory."""

from __future__ import annotations

import gc
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import csv, dataset, feather, parquet
from sklearn.base import clone

from tests.examples import examples
from tests.selectors import made_of_sums
from tests.test_sklearn import SELECTORS
from thresher import (
    CFS,
    FCBF,
    JMI,
    JMIM,
    MIM,
    MRMR,
    NMIFS,
    RFS,
    RRFS,
    Chain,
    Ensemble,
    ErrorControlled,
    ReliefF,
    Univariate,
)
from thresher.discretize import GivenBins

pytestmark = pytest.mark.filterwarnings("ignore::thresher.ThresherWarning")
KINDS = ("parquet", "feather", "csv")
N = 3000
CUTS = {"many": [300, 700], "single": [0.5], **{f"x{i}": [0.1 * i, 1.0] for i in range(9)}}


def messy_table(n=N, seed=0):
    """Return columns of every type that a frame may have, a target and weights."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    numbers = rng.normal(size=(n, 9)) + y[:, None] * np.linspace(0, 1, 9)
    columns = {f"x{i}": column for i, column in enumerate(numbers.T)}
    columns["x1"] = columns["x0"] + 0.1 * columns["x1"]
    return pa.table(
        {
            **columns,
            "single": (np.round(numbers[:, 3] * 64) / 64).astype(np.float32),
            "few": rng.integers(0, 5, n).astype(np.int16),
            "many": rng.integers(0, 1000, n),
            "large": rng.integers(0, 4, n) + y + (1 << 60),
            "flag": pa.array(rng.random(n) < 0.3 + 0.2 * y),
            "word": pa.array(np.array(["é", "b", "a b"])[(y + (rng.random(n) < 0.3)) % 3]),
            "group": pa.array(np.array(["u", "v"])[y % 2]).dictionary_encode(),
            "constant": np.ones(n),
            "label": np.array(["no", "yes", "so"])[y],
            "weight": rng.integers(0, 3, n),
        }
    )


def with_holes(table, seed=1):
    rng = np.random.default_rng(seed)
    holes = {}
    for name in table.column_names[:-2]:
        mask = pa.array(rng.random(len(table)) < 0.1)
        holes[name] = pa.compute.if_else(mask, pa.scalar(None), table[name])
    return pa.table({**holes, "label": table["label"], "weight": table["weight"]})


def write(table, folder, kind, n_rows=None):
    """Write the table to a file, in pieces of the given number of rows if the format has any."""
    path = folder / f"table.{kind}"
    if kind == "parquet":
        parquet.write_table(table, path, row_group_size=n_rows or max(1, len(table) // 4))
    elif kind == "feather":
        feather.write_feather(table, path, chunksize=n_rows or max(1, len(table) // 3))
    else:
        csv.write_csv(table, path)
    return path


def assert_same(fitted, other):
    assert other.selected_.tolist() == fitted.selected_.tolist()
    for name in ("relevance_", "redundancy_", "scores_", "ranking_", "support_"):
        assert getattr(other, name).tobytes() == getattr(fitted, name).tobytes(), name
    assert other.n_evaluations_ == fitted.n_evaluations_
    assert other.n_features_in_ == fitted.n_features_in_
    assert other.feature_names_in_.tolist() == fitted.feature_names_in_.tolist()
    if hasattr(fitted, "bins_"):
        assert other.bins_.rule == fitted.bins_.rule
        assert other.bins_.is_binned.tolist() == fitted.bins_.is_binned.tolist()
        assert [cuts.tobytes() for cuts in other.bins_.cuts] == [
            cuts.tobytes() for cuts in fitted.bins_.cuts
        ]


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    """Write the same tables to files of all kinds; weights are not a column of those without."""
    made = {}
    for name, table in (("whole", messy_table()), ("holes", with_holes(messy_table()))):
        for weighted in (True, False):
            kept = table if weighted else table.drop_columns(["weight"])
            folder = tmp_path_factory.mktemp(f"{name}{weighted}")
            for kind in KINDS:
                made[name, weighted, kind] = write(kept, folder, kind)
        made[name] = table
    return made


def fit_pair(paths, selector, *, data="whole", weights=False, kind="parquet", **options):
    table = paths[data]
    given = {"sample_weight": table["weight"].to_numpy()} if weights else {}
    named = {"sample_weight": "weight"} if weights else {}
    X = table.drop_columns(["label", "weight"])
    memory = clone(selector).fit(X, table["label"].to_pandas(), **given)
    file = clone(selector).fit(paths[data, weights, kind], "label", **named, **options)
    return memory, file


# --- the same in every format ---


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "selector",
    [
        MRMR(6, relevance="mi"),
        MRMR(6),
        MRMR(4, relevance="f", exclude=["word", "group"]),
        MRMR(6, relevance="mi", discretize="equal-frequency:5"),
        MRMR(6, relevance="su", discretize="equal-width"),
        MRMR(6, relevance="mi", discretize="mdl"),
        CFS(),
        JMI(5),
        Univariate(5, measure="chi2"),
        Univariate(5),
    ],
    ids=repr,
)
def test_files_give_the_result_of_memory(paths, selector, kind):
    memory, file = fit_pair(paths, selector, weights=True, kind=kind, memory_limit="1MiB")
    assert_same(memory, file)
    assert file.n_passes_ == 1
    assert not hasattr(memory, "n_passes_")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("missing", ["category", "pairwise", "drop_rows"])
def test_missing_values_are_treated_alike(paths, kind, missing):
    selector = MRMR(6, relevance="mi", missing=missing)
    memory, file = fit_pair(paths, selector, data="holes", kind=kind, memory_limit="1MiB")
    assert_same(memory, file)
    assert file.n_passes_ == (2 if missing == "drop_rows" else 1)


@pytest.mark.parametrize(
    "selector",
    [
        FCBF(),
        NMIFS(4),
        JMIM(4),
        MIM(4),
        MRMR(
            4,
            relevance="mi",
            discretize=None,
            exclude=["many", "single", *[f"x{i}" for i in range(9)]],
        ),
        MRMR(4, relevance="spearman", exclude=["word", "group"]),
        RFS(4, relevance="mean-median", exclude=["word", "group"]),
        RRFS(4, exclude=["word", "group"]),
        MRMR(4, relevance="mi", discretize=GivenBins(CUTS)),
        Univariate(measure="mi", pvalues="permutation", n_permutations=20, random_state=0),
        Ensemble(MRMR(4, relevance="mi"), 5, kind="fast"),
        Ensemble(
            MRMR(4, relevance="r2", exclude=["word", "group"]), 5, parts="shuffled", random_state=0
        ),
        Ensemble(MRMR(4, relevance="r2", exclude=["word", "group"]), 3, kind="full"),
        Ensemble(CFS(), 5, kind="inner"),
        Ensemble(MRMR(4, relevance="mi"), 4, kind="bagging", random_state=0),
        Ensemble(MRMR(3, relevance="mi"), kind="halves", n_pairs=5, cutoff=0.6, random_state=0),
    ],
    ids=repr,
)
def test_other_selectors_give_the_result_of_memory(paths, selector, tmp_path):
    table = paths["whole"]
    if "spearman" in repr(selector):
        table = table.set_column(
            table.column_names.index("label"),
            "label",
            pa.array(pd.factorize(table["label"].to_pandas())[0] > 0),
        )
        path = write(table.drop_columns(["weight"]), tmp_path, "feather")
    else:
        path = paths["whole", False, "parquet"]
    X = table.drop_columns(["label", "weight"])
    memory = clone(selector).fit(X, table["label"].to_pandas())
    assert_same(memory, clone(selector).fit(path, "label", memory_limit="1MiB"))


@pytest.mark.parametrize(
    "selector",
    [s for s in SELECTORS if not isinstance(s, Chain | ErrorControlled)],
    ids=repr,
)
def test_every_selector_takes_a_file(selector, tmp_path):
    rng = np.random.default_rng(3)
    y = np.arange(120) % 2
    X = pd.DataFrame(np.abs(rng.normal(size=(120, 8))) + y[:, None] * np.arange(8) / 6)
    X.columns = list("abcdefgh")
    path = tmp_path / "table.parquet"
    X.assign(label=y).to_parquet(path, row_group_size=50)
    if "random_state" in selector.get_params():
        selector = clone(selector).set_params(random_state=0)
    if isinstance(selector, Ensemble) and not made_of_sums(selector._given_selector()):
        with pytest.raises(ValueError, match="rows in memory only"):
            clone(selector).fit(path, "label")
        return
    memory = clone(selector).fit(X, y)
    assert_same(memory, clone(selector).fit(path, "label"))


# --- what a path or dataset may be ---


def test_a_folder_of_parts_is_one_table(paths, tmp_path):
    table = paths["whole"].drop_columns(["weight"])
    memory = MRMR(5, relevance="mi").fit(table.drop_columns(["label"]), table["label"].to_pandas())
    for kind in KINDS:
        folder = tmp_path / kind
        folder.mkdir()
        for number, begin in enumerate((0, 700, 701, 2000)):
            end = (700, 701, 2000, N)[number]
            part = folder / f"part-{number}.{kind}"
            write(table.slice(begin, end - begin), folder, kind).rename(part)
        (folder / "_SUCCESS").touch()
        assert_same(memory, MRMR(5, relevance="mi").fit(folder, "label"))
        assert_same(memory, MRMR(5, relevance="mi").fit(f"{folder}/", "label"))


@pytest.mark.parametrize("kind", ["parquet", "feather", "memory", "filtered", "hive"])
def test_datasets_are_tables(paths, tmp_path, kind):
    table = paths["whole"].drop_columns(["weight"])
    if kind in ("parquet", "feather"):
        data = dataset.dataset(paths["whole", False, kind], format=kind)
    elif kind == "memory":
        data = dataset.dataset(table)
    elif kind == "filtered":
        data = dataset.dataset(paths["whole", False, "parquet"]).filter(dataset.field("few") > 1)
        table = table.filter(pa.compute.greater(table["few"], 1))
    else:
        dataset.write_dataset(
            table, tmp_path, format="parquet", partitioning=["few"], partitioning_flavor="hive"
        )
        data = tmp_path
        table = dataset.dataset(tmp_path, partitioning="hive").to_table()
    memory = MRMR(5, relevance="mi").fit(table.drop_columns(["label"]), table["label"].to_pandas())
    assert_same(memory, MRMR(5, relevance="mi").fit(data, "label"))


def test_target_and_weights_may_be_arrays(paths):
    table = paths["whole"]
    memory, _ = fit_pair(paths, MRMR(5, relevance="mi"), weights=True)
    path = paths["whole", True, "parquet"]
    file = MRMR(5, relevance="mi", exclude=["label", "weight"])
    file.fit(path, table["label"].to_numpy(), table["weight"].to_numpy())
    assert file.selected_.tolist() == memory.selected_.tolist()


def test_text_may_be_compressed_and_quoted(tmp_path):
    frame = pd.DataFrame(
        {
            "a": np.arange(200) % 7,
            "b": ["two\nlines", 'a "quote"', "x,y", "plain"] * 50,
            "empty": [None, "word"] * 100,
            "c": np.arange(200) % 5 * 0.5,
            "label": np.arange(200) % 2,
        }
    )
    memory = MRMR(3, relevance="mi", missing="category").fit(
        frame.drop(columns="label"), frame.label
    )
    for name, separator in (("t.csv", ","), ("t.tsv", "\t"), ("t.csv.gz", ";")):
        frame.to_csv(tmp_path / name, index=False, sep=separator)
        file = MRMR(3, relevance="mi", missing="category").fit(tmp_path / name, "label")
        assert_same(memory, file)


def test_a_column_with_a_word_in_a_late_row_is_text(tmp_path):
    n = 60_000
    frame = pd.DataFrame({"a": np.arange(n) % 5, "b": np.arange(n) % 3, "label": np.arange(n) % 2})
    words = frame.assign(a=frame.a.map(str).where(frame.index != n - 1, "word"))
    words.to_csv(tmp_path / "t.csv", index=False)
    assert (tmp_path / "t.csv").stat().st_size > 4 << 16  # several blocks
    memory = MRMR(2, relevance="mi").fit(words.drop(columns="label"), words.label)
    assert_same(
        memory, MRMR(2, relevance="mi").fit(tmp_path / "t.csv", "label", memory_limit="4MB")
    )


def test_packed_columns_go_to_a_file_when_memory_is_short(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 15_000)
    X = pd.DataFrame(rng.normal(size=(15_000, 60)) + y[:, None] * rng.random(60))
    X.columns = [f"x{i}" for i in range(60)]
    X.assign(label=y).to_parquet(tmp_path / "t.parquet")
    selector = MRMR(8, relevance="mi", discretize="equal-frequency:12")
    memory = clone(selector).fit(X, y)
    file = clone(selector).fit(tmp_path / "t.parquet", "label", memory_limit="1MiB")
    assert_same(memory, file)
    ensemble = Ensemble(selector, 4, parts="shuffled", random_state=0)
    assert_same(
        clone(ensemble).fit(X, y),
        clone(ensemble).fit(tmp_path / "t.parquet", "label", memory_limit="1MiB"),
    )


@pytest.mark.parametrize("selector", [MRMR(2), Univariate(2), ReliefF(2)], ids=repr)
def test_temporary_files_are_closed(tmp_path, selector):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 4)), columns=list("abcd"))
    frame.assign(y=rng.integers(0, 2, 40)).to_parquet(tmp_path / "table.parquet")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ResourceWarning)
        selector.fit(tmp_path / "table.parquet", "y")
        gc.collect()
    assert [str(one.message) for one in caught if one.category is ResourceWarning] == []


def test_numbers_of_single_precision_stay_unchanged(tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(500, 10)).astype(np.float32), columns=list("abcdefghij"))
    y = (X.a + X.b > 0).to_numpy()
    X.assign(label=y).to_parquet(tmp_path / "t.parquet")
    for selector in (MRMR(4), MRMR(4, relevance="mi", discretize="mdl"), RFS(4)):
        memory = clone(selector).fit(X, y)
        assert_same(memory, clone(selector).fit(tmp_path / "t.parquet", "label"))


# --- any table ---


@st.composite
def tables(draw):
    n = draw(st.integers(2, 40))
    column = st.one_of(
        st.lists(st.one_of(st.none(), st.floats(-1e6, 1e6, width=32)), min_size=n, max_size=n).map(
            lambda v: pa.array(v, pa.float64())
        ),
        st.lists(
            st.one_of(st.none(), st.integers(-(1 << 62), 1 << 62)), min_size=n, max_size=n
        ).map(lambda v: pa.array(v, pa.int64())),
        st.lists(st.integers(0, 3), min_size=n, max_size=n).map(lambda v: pa.array(v, pa.int8())),
        st.lists(st.one_of(st.none(), st.booleans()), min_size=n, max_size=n).map(
            lambda v: pa.array(v, pa.bool_())
        ),
        st.lists(
            st.one_of(st.none(), st.sampled_from(["ä", "b c", 'q"', "x,y", "zz"])),
            min_size=n,
            max_size=n,
        ).map(lambda v: pa.array(v, pa.string())),
        st.lists(st.one_of(st.none(), st.sampled_from(["u", "v"])), min_size=n, max_size=n).map(
            lambda v: pa.array(v, pa.string()).dictionary_encode()
        ),
    )
    columns = draw(st.lists(column, min_size=1, max_size=5))
    label = draw(st.lists(st.sampled_from(["p", "q"]), min_size=n, max_size=n))
    weight = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    named = {f"c{i}": values for i, values in enumerate(columns)}
    return pa.table({**named, "label": label, "weight": weight})


def outcome(selector, *args):
    """Return the fitted selector, or the error for data that it cannot use."""
    try:
        return selector.fit(*args), ""
    except ValueError as error:
        return None, str(error)


@given(tables(), st.sampled_from(["category", "pairwise", "drop_rows"]), st.sampled_from(KINDS))
@examples(60)
def test_any_table_in_any_file_is_as_in_memory(tmp_path_factory, table, missing, kind):
    folder = tmp_path_factory.mktemp("any")
    path = write(table, folder, kind)
    if kind == "csv":  # whose types are its own, also of a column without values
        table = csv.read_csv(
            path,
            convert_options=csv.ConvertOptions(strings_can_be_null=True),
        )
    X = table.drop_columns(["label", "weight"])
    selector = MRMR(2, relevance="mi", missing=missing)
    memory, messages = outcome(
        clone(selector), X, table["label"].to_numpy(), table["weight"].to_numpy()
    )
    file, messages_of_file = outcome(clone(selector), path, "label", "weight")
    assert messages_of_file == messages
    if memory is not None:
        assert_same(memory, file)


@pytest.mark.parametrize("kind", ["parquet", "feather"])
@pytest.mark.parametrize("holes", [False, True])
def test_long_columns_are_taken_one_by_one_with_the_same_result(tmp_path, monkeypatch, kind, holes):
    table = with_holes(messy_table()) if holes else messy_table()
    table = table.set_column(10, "half", pa.array(table["x3"].to_numpy(), pa.float32()))
    path = write(table, tmp_path, kind)
    missing = "category" if holes else "error"
    selectors = [
        MRMR(5, relevance="mi", missing=missing),
        MRMR(5, relevance="mi", missing=missing, discretize="equal-frequency"),
        JMI(5, missing=missing),
    ]
    expected = [clone(one).fit(path, "label", "weight") for one in selectors]
    monkeypatch.setattr("thresher.data.files._LONG", 1000)
    for selector, before in zip(selectors, expected, strict=True):
        assert_same(before, selector.fit(path, "label", "weight"))


def test_long_columns_of_whole_floats_are_not_copied(tmp_path, monkeypatch):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(2000, 6)).astype(np.float32)
    y = rng.integers(0, 2, 2000)
    frame = pa.table({**{f"x{i}": column for i, column in enumerate(X.T)}, "label": y})
    path = write(frame, tmp_path, "parquet")
    expected = MRMR(4, relevance="mi").fit(frame.drop_columns(["label"]).to_pandas(), y)
    monkeypatch.setattr("thresher.data.files._LONG", 1000)
    monkeypatch.setattr("thresher.data.files.ColumnGroupReader._fill", None)
    assert_same(expected, MRMR(4, relevance="mi").fit(path, "label"))

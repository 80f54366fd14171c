"""Real-world tables: ids, dates, flags, lazy frames, masked and third-party numbers."""

from __future__ import annotations

import time
import warnings
from decimal import Decimal

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.feature_selection import SelectKBest

from thresher import (
    GSO,
    JMI,
    LCC,
    MRMR,
    RFS,
    SFSLW,
    SVMRFE,
    Chain,
    Ensemble,
    EqualFrequencyBins,
    EqualWidthBins,
    ErrorControlled,
    FisherScore,
    GivenBins,
    MDLBins,
    MeanSdBins,
    MultiSURF,
    ReliefF,
    ThresherWarning,
    Univariate,
)
from thresher.data import read_table, read_target
from thresher.data.frames import read_frame
from thresher.evaluate.stability import stability_curve

rng = np.random.default_rng(0)
N = 300
Y = np.arange(N) % 2
NUMBERS = pd.DataFrame(rng.normal(size=(N, 5)) + Y[:, None], columns=list("abcde"))
MESSY = NUMBERS.assign(
    id=[f"row {i}" for i in range(N)],
    when=pd.Timestamp("2020-01-01"),
    hole=np.where(np.arange(N) == 3, np.nan, 1.0),
    endless=np.where(np.arange(N) == 3, np.inf, 1.0),
    mixed=[1, "a"] * (N // 2),
)
FRAMES = ["pandas", "polars", "arrow"]
EXTRA = ["id", "when", "hole", "endless", "mixed"]


def arrow_table(frame):
    return pytest.importorskip("pyarrow").Table.from_pandas(frame)


@pytest.mark.parametrize(
    "selector",
    [
        MRMR(2),
        MRMR(2, relevance="mi"),
        MRMR(2, missing="drop_rows"),
        GSO(2),
        JMI(2),
        FisherScore(2),
        ReliefF(2),
        LCC(delta=0.1),
        Univariate(2),
    ],
    ids=repr,
)
def test_excluded_columns_may_be_anything(selector):
    with warnings.catch_warnings():
        warnings.simplefilter("error", ThresherWarning)
        plain = selector.fit(NUMBERS, Y).selected_.tolist()
        messy = selector.set_params(exclude=EXTRA).fit(MESSY, Y)
    assert messy.selected_.tolist() == plain
    assert messy.reason("when") == "excluded by the parameter exclude"


def test_excluded_columns_of_arrays_and_sparse_matrices_may_be_anything():
    X = NUMBERS.to_numpy().copy()
    plain = MRMR(2, exclude=[4]).fit(X, Y).selected_.tolist()
    X[7, 4] = np.nan
    assert MRMR(2, exclude=[4]).fit(X, Y).selected_.tolist() == plain
    for form in (sparse.csr_array, sparse.csc_array):
        fitted = MRMR(2, exclude=[4]).fit(form(X), Y)
        assert fitted.selected_.tolist() == plain
    objects = X.astype(object)
    objects[:, 4] = "free text"
    assert MRMR(2, exclude=[4]).fit(objects, Y).selected_.tolist() == plain


def test_an_excluded_identifier_may_have_a_level_for_every_row():
    codes = rng.integers(0, 3, (N, 4))
    with_id = np.column_stack([codes, np.arange(N)])
    for selector in (LCC(discretize=None), MRMR(2, relevance="mi", discretize=None)):
        plain = selector.fit(codes, Y).selected_.tolist()
        assert selector.set_params(exclude=[4]).fit(with_id, Y).selected_.tolist() == plain


@pytest.mark.parametrize("read", [lambda X: X, pl.from_pandas], ids=["pandas", "polars"])
@pytest.mark.parametrize("output", ["default", "pandas", "polars"])
def test_excluded_columns_may_be_anything_in_transform(read, output):
    messy = read(MESSY.drop(columns="mixed"))
    careful = MRMR(2, exclude=EXTRA[:-1])
    for selector in (careful, Chain([careful]), Ensemble(careful, 3), ErrorControlled(careful)):
        selector.set_output(transform=output)
        out = selector.fit_transform(messy, Y)
        assert out.shape == (N, 2)
    selector = careful
    out = selector.transform(messy)
    assert out.shape == (N, 2)
    wanted = MESSY[selector.get_feature_names_out()].to_numpy()
    assert np.array_equal(out if output == "default" else out.to_numpy(), wanted)
    assert np.asarray(out).dtype == np.float64
    with pytest.raises(ValueError, match="feature names"):
        selector.transform(read(NUMBERS))


def test_excluded_columns_of_arrays_may_be_anything_in_transform():
    X = NUMBERS.to_numpy().copy()
    X[3, 4] = np.nan
    for data in (X, sparse.csr_array(X), sparse.coo_array(X), np.ma.masked_invalid(X)):
        out = MRMR(2, exclude=[4]).fit(data, Y).transform(data)
        out = out.toarray() if sparse.issparse(out) else out
        assert np.isfinite(out).all()
    with pytest.raises(ValueError, match=r"contains NaN|NaN in "):
        MRMR(2).fit(NUMBERS.to_numpy()[:, ::-1], Y).transform(np.full_like(X, np.nan))


def test_frames_of_another_package_keep_their_types():
    frame = pd.DataFrame({"a": Y.astype(np.int8), "b": Y == 1, "c": NUMBERS["a"].astype("f4")})
    fitted = MRMR(3).set_output(transform="pandas").fit(frame, Y)
    assert fitted.transform(pl.from_pandas(frame)).dtypes.tolist() == frame.dtypes.tolist()
    fitted.set_output(transform="polars")
    assert fitted.transform(frame).schema == pl.from_pandas(frame).schema


def test_excluded_columns_of_chunks_may_be_anything():
    chunks = [MESSY.iloc[:150], MESSY.iloc[150:]]
    fitted = RFS(2, exclude=EXTRA).fit_chunks(chunks)
    assert fitted.selected_.tolist() == RFS(2).fit(NUMBERS).selected_.tolist()


def test_flags_are_numbers():
    frame = NUMBERS.assign(flag=Y == 1)
    for selector in (GSO(2), FisherScore(2), MRMR(2, relevance="f"), ReliefF(2), Univariate(2)):
        flags = selector.fit(frame, Y)
        numbers = selector.fit(frame.assign(flag=Y.astype(float)), Y)
        assert flags.selected_.tolist() == numbers.selected_.tolist()
    assert MRMR(2).fit(frame, Y).relevance_measure_ == "r2"
    assert MRMR(2).fit(pd.get_dummies(frame[["flag"]].astype(str)), Y).relevance_measure_ == "mi"
    assert GSO(1).fit(frame[["flag"]].to_numpy(), Y).selected_.tolist() == [0]


def test_categories_that_bin_the_numbers_are_reported():
    with pytest.warns(
        ThresherWarning, match="column 'kind' contains categories.* 5 numeric columns"
    ):
        MRMR(2).fit(NUMBERS.assign(kind=["u", "v", "w"] * (N // 3)), Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ThresherWarning)
        MRMR(2, relevance="mi").fit(NUMBERS.assign(kind=["u", "v", "w"] * (N // 3)), Y)


@pytest.mark.parametrize("dtype", ["Int64", "UInt8", "int64[pyarrow]"])
def test_integers_that_could_be_missing_are_classes(dtype):
    target = read_target(pd.Series([3, 1, 2, 3] * 4, dtype=dtype), 16)
    assert target.is_nominal
    assert target.classes.tolist() == [1, 2, 3]


@pytest.mark.parametrize("dtype", ["string", "object", "category"])
def test_missing_labels_get_a_one_line_error(dtype):
    with pytest.raises(ValueError, match=r"y contains NaN or None \(first at sample 1\)"):
        MRMR(1).fit([[0], [1], [2], [3]], pd.Series(["u", pd.NA, "v", "u"], dtype=dtype))
    with pytest.raises(ValueError, match=r"y has masked values \(first at sample 2\)"):
        MRMR(1).fit([[0], [1], [2], [3]], np.ma.array([0, 1, 0, 1], mask=[0, 0, 1, 0]))


@pytest.mark.parametrize("selector", [FisherScore(), SVMRFE(), MultiSURF(), LCC()], ids=repr)
def test_selectors_of_classes_reject_quantities(selector):
    X, y = load_diabetes(return_X_y=True)
    words = r"needs classes, but y has 214 distinct numbers.*MRMR, ReliefF.*labels.*strings"
    for quantities in (y, y.astype(int), y.astype(">u2"), pd.Series(y.astype(int), dtype="Int64")):
        with pytest.raises(ValueError, match=words):
            selector.fit(X, quantities)


def test_many_labels_that_are_words_are_classes():
    X, y = load_diabetes(return_X_y=True)
    assert len(FisherScore(3).fit(X, y.astype(int).astype(str)).selected_) == 3


def test_integers_beyond_doubles_are_distinguished():
    large = (2**60 + Y).astype(np.int64)
    for X in (
        np.column_stack([large, np.arange(N) % 7]),
        pd.DataFrame({"a": large, "b": np.linspace(0, 1, N)}),
        np.column_stack([large.astype(np.uint64) + np.uint64(2**63), np.arange(N).astype("u8")]),
    ):
        for selector in (MRMR(1), MRMR(1, relevance="f"), GSO(1)):
            assert selector.fit(X, Y).selected_.tolist() == [0]


@pytest.mark.parametrize(
    "selector",
    [
        MRMR(1),
        Chain([MRMR(2), MRMR(1)]),
        ErrorControlled(MRMR(1), random_state=0),
        Ensemble(MRMR(1), 3),
        Ensemble(SelectKBest(k=1), 3, kind="full"),
    ],
    ids=repr,
)
def test_lazy_and_masked_data_in_everything(selector):
    lazy = pl.DataFrame(NUMBERS.to_dict("list")).lazy()
    with pytest.raises(ValueError, match=r"X is a lazy frame.*collect"):
        selector.fit(lazy, Y)
    with pytest.raises(ValueError, match=r"X is a lazy frame.*collect"):
        clone(selector).fit(NUMBERS, Y).transform(lazy)
    masked = np.ma.array(NUMBERS.to_numpy(), mask=NUMBERS.to_numpy() > 3)
    with pytest.raises(ValueError, match=r"contains NaN|NaN in "):
        selector.fit(masked, Y)
    with pytest.raises(ValueError, match=r"X is a lazy frame.*collect"):
        stability_curve(clone(selector), lazy, Y, k=[1])


def test_distances_reject_categories():
    with pytest.raises(ValueError, match="column 'kind' contains categories"):
        SFSLW(2).fit(NUMBERS.assign(kind=["u", "v", "w"] * (N // 3)), Y)


def test_weights_that_sum_to_one_are_warned_about_once():
    for weights in (np.full(N, 1 / N), np.full(N, 1e-300)):
        with pytest.warns(ThresherWarning, match=r"sample_weight sums to .* mean of 1") as caught:
            Univariate(2).fit(NUMBERS, Y, sample_weight=weights)
        assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error", ThresherWarning)
        Univariate(2).fit(NUMBERS, Y, sample_weight=np.full(N, 0.5))
        Univariate(2).fit(NUMBERS, Y, sample_weight=np.arange(N) < 3)


@pytest.mark.parametrize("dtype", [">f8", ">f4", ">i4"])
def test_the_order_of_bytes_does_not_matter(dtype):
    X = np.round(10 * NUMBERS.to_numpy()).astype(dtype)
    native = X.astype(X.dtype.newbyteorder("="))
    for selector in (MRMR(3), MRMR(3, relevance="mi"), GSO(3), ReliefF(3), LCC(), FisherScore(3)):
        plain = selector.fit(native, Y).selected_.tolist()
        assert selector.fit(X, Y.astype(">i8")).selected_.tolist() == plain


def test_masked_values_are_missing():
    X = np.ma.array(NUMBERS.to_numpy(), mask=np.zeros((N, 5), bool))
    assert MRMR(2).fit(X, Y).selected_.tolist() == MRMR(2).fit(NUMBERS, Y).selected_.tolist()
    X.mask[4, 2] = True
    with pytest.raises(ValueError, match="column 2 of X contains NaN in 1 of 300"):
        MRMR(2).fit(X, Y)


@pytest.mark.filterwarnings("ignore:Constructing a DIA matrix")
@pytest.mark.parametrize("form", ["coo", "dia", "bsr", "lil", "dok"])
@pytest.mark.parametrize("kind", ["fast", "full", "inner", "bagging"])
def test_every_form_of_sparse_matrix_in_every_ensemble(form, kind):
    X = sparse.csr_array(np.round(NUMBERS.to_numpy()))
    options = {"n_parts": 4, "kind": kind, "random_state": 0}
    for selector in (MRMR(2), SelectKBest(k=2)):
        if kind in ("full", "bagging") or isinstance(selector, MRMR):
            plain = Ensemble(selector, **options).fit(X, Y).selected_.tolist()
            assert (
                Ensemble(selector, **options).fit(X.asformat(form), Y).selected_.tolist() == plain
            )


def test_polars_output_keeps_types():
    frame = pl.DataFrame({"a": Y.astype(np.int8), "b": ["u", "v"] * (N // 2), "c": NUMBERS["a"]})
    fitted = MRMR(2, relevance="mi", exclude=["c"]).set_output(transform="polars").fit(frame, Y)
    out = fitted.transform(frame)
    assert out.schema == frame[["a", "b"]].schema
    assert fitted.fit_transform(frame, Y).equals(out)


def test_a_name_given_twice_is_found_at_once():
    names = [f"c{i}" for i in range(100_000)]
    frame = pd.DataFrame(np.zeros((2, 100_000)), columns=[*names[:-1], "c77"])
    start = time.perf_counter()
    with pytest.raises(ValueError, match="more than one column named 'c77'"):
        MRMR(1).fit(frame, [0, 1])
    assert time.perf_counter() - start < 10


WORDS = ["b", None, "B", "ab", "", "é", "zz", "b", "\U0001f600", "a"] * 5


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(WORDS, dtype=object),
        pd.Series([np.nan if word is None else word for word in WORDS], dtype=object),
        pd.Series(WORDS, dtype="string"),
        pd.Series(WORDS, dtype="string[pyarrow]"),
        pl.Series(WORDS),
    ],
    ids=["object", "nan", "string", "arrow", "polars"],
)
def test_text_is_coded_by_rank_in_every_container(column):
    frame = {"text": column, "other": np.arange(50) % 3}
    frame = pl.DataFrame(frame) if isinstance(column, pl.Series) else pd.DataFrame(frame)
    rank = {word: i for i, word in enumerate(sorted(set(WORDS) - {None}))}
    read = read_frame(frame)
    np.testing.assert_array_equal(read.matrix[:, 0], [rank.get(word, np.nan) for word in WORDS])
    assert read.is_category.tolist() == [True, False]
    assert read.texts == {0: list(rank)}


@pytest.mark.parametrize("unit", ["M8[D]", "m8[s]"])
def test_arrays_of_dates_are_rejected_as_in_frames(unit):
    X = np.arange(3 * N).reshape(N, 3).astype(unit)
    with pytest.raises(ValueError, match="X contains dates or times"):
        MRMR(2).fit(X, Y)


SPARSE_DUMMIES = pd.get_dummies(pd.Series(list("uvw" * 100)), sparse=True)


@pytest.mark.parametrize(
    "thin",
    [
        pd.concat([NUMBERS, SPARSE_DUMMIES], axis=1),
        SPARSE_DUMMIES,
        NUMBERS.round().astype(pd.SparseDtype(float, 0.0)),
        NUMBERS.round().astype(pd.SparseDtype(float, 1.0)),
    ],
    ids=["with numbers", "flags", "zeros", "ones"],
)
@pytest.mark.parametrize(
    "selector", [MRMR(2), JMI(2), FisherScore(2), GSO(2), ReliefF(2)], ids=repr
)
def test_sparse_columns_of_pandas_are_read_like_dense_ones(selector, thin):
    dense = thin.astype(float)
    wanted = selector.fit(dense, Y).selected_.tolist()
    assert clone(selector).fit(thin, Y).selected_.tolist() == wanted
    for out in ("default", "pandas", "polars"):
        found = selector.set_output(transform=out).transform(thin)
        found = found.toarray() if sparse.issparse(found) else np.asarray(found, dtype=float)
        np.testing.assert_array_equal(found, dense.to_numpy()[:, np.sort(wanted)])


def test_frames_of_sparse_columns_stay_sparse():
    thin = NUMBERS.round().astype(pd.SparseDtype(float, 0.0))
    assert read_table(MRMR(), thin).is_sparse


@pytest.mark.parametrize("out", ["pandas", "polars"])
def test_types_stay_when_frames_become_those_of_another_package(out):
    words = np.array(["low", "high"])[Y]
    frame = pl.DataFrame(
        {"level": words, "flag": Y > 0, "count": Y.astype(np.int8), "value": Y.astype(np.float32)},
        schema_overrides={"level": pl.Categorical},
    )
    given = frame if out == "pandas" else frame.to_pandas()
    wanted = frame if out == "polars" else frame.to_pandas()
    found = MRMR(4, relevance="mi").set_output(transform=out).fit_transform(given, Y)
    assert dict(zip(found.columns, found.dtypes, strict=True)) == dict(
        zip(wanted.columns, wanted.dtypes, strict=True)
    )


@pytest.mark.parametrize("kind", [float, Decimal], ids=["floats", "decimals"])
def test_numbers_that_are_objects_are_a_quantity_as_floats_are(kind):
    X, y = load_diabetes(return_X_y=True)
    objects = np.array([kind(value) for value in y.tolist()], dtype=object)
    assert MRMR(3).fit(X, objects).relevance_.tolist() == MRMR(3).fit(X, y).relevance_.tolist()
    for selector in (FisherScore(3), SVMRFE(3), MultiSURF(3), LCC()):
        with pytest.raises(ValueError, match="needs classes, but y has 214 distinct numbers"):
            selector.fit(X, objects)


def test_missing_times_are_not_a_class():
    y = pd.Series(pd.to_datetime(["2020-01-01", "2020-01-02", None] * 100))
    with pytest.raises(ValueError, match="y contains dates or times"):
        MRMR(2).fit(NUMBERS, y)


WRAPPERS = [
    MRMR(2),
    Chain([RFS(3), MRMR(2)]),
    Ensemble(MRMR(2), 3),
    Ensemble(FisherScore(2), 3, kind="full"),
    Ensemble(Chain([RFS(3), MRMR(2)]), 3, kind="bagging", random_state=0),
    ErrorControlled(MRMR(2), random_state=0),
    ErrorControlled(Univariate(2), fdr=0.9, method="compete", random_state=0),
]


@pytest.mark.parametrize("read", [lambda X: X, pl.from_pandas, arrow_table], ids=FRAMES)
@pytest.mark.parametrize("selector", WRAPPERS, ids=repr)
def test_frames_wrapped_by_narwhals_keep_their_column_names(selector, read):
    frame = nw.from_native(read(NUMBERS), eager_only=True)
    fitted = clone(selector).fit(frame, Y)
    plain = clone(selector).fit(NUMBERS, Y)
    assert fitted.feature_names_in_.tolist() == list(NUMBERS)
    assert fitted.get_feature_names_out().tolist() == plain.get_feature_names_out().tolist()
    assert [fitted.reason(name) for name in NUMBERS] == [plain.reason(name) for name in NUMBERS]
    np.testing.assert_array_equal(fitted.transform(frame), plain.transform(NUMBERS))
    out = fitted.set_output(transform="pandas").transform(frame)
    assert list(out) == plain.get_feature_names_out().tolist()


@pytest.mark.parametrize("read", [lambda X: X, pl.from_pandas, arrow_table], ids=FRAMES)
@pytest.mark.parametrize(
    "bins",
    [EqualFrequencyBins(), EqualWidthBins(), MeanSdBins(), MDLBins(), GivenBins([[0.0]] * 5)],
    ids=repr,
)
def test_bins_of_frames_wrapped_by_narwhals_keep_the_column_names(bins, read):
    frame = nw.from_native(read(NUMBERS), eager_only=True)
    bins = clone(bins).fit(frame, Y)
    assert bins.feature_names_in_.tolist() == list(NUMBERS)
    expected = clone(bins).fit(NUMBERS, Y).transform(NUMBERS)
    np.testing.assert_array_equal(bins.transform(frame), expected)


@pytest.mark.parametrize("read", [lambda X: X, pl.from_pandas, arrow_table], ids=FRAMES)
def test_rows_of_frames_wrapped_by_narwhals_are_added_and_forgotten(read):
    frame = nw.from_native(read(NUMBERS), eager_only=True)
    cuts = GivenBins({name: [0.0, 1.0] for name in NUMBERS})
    kept = JMI(2, discretize=cuts).partial_fit(frame, Y).forget(frame[:50], Y[:50])
    expected = JMI(2, discretize=cuts).fit(NUMBERS[50:], Y[50:])
    assert kept.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()

"""Discretisers: cuts against their definitions, codes, and the scikit-learn contract."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.preprocessing import FunctionTransformer, KBinsDiscretizer
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.examples import examples
from tests.naive import discretize as naive
from thresher import MRMR, Univariate, _core
from thresher.discretize import (
    EqualFrequencyBins,
    EqualWidthBins,
    MDLBins,
    MeanSdBins,
    make_discretizer,
)

pytestmark = pytest.mark.kernels

ALL = [EqualFrequencyBins(), EqualWidthBins(), MeanSdBins(), MDLBins()]


@pytest.mark.once
@parametrize_with_checks(ALL)
def test_sklearn_contract(estimator, check):
    check(estimator)


def cuts_of(result):
    cuts, offsets = result
    return [c.tolist() for c in np.split(cuts, offsets[1:-1])]


values = st.one_of(
    st.integers(-4, 4).map(float),
    st.floats(-100, 100, width=32, allow_subnormal=False),
    st.just(float("nan")),
)


@examples(150)
@given(st.data())
def test_cuts_and_codes_match_the_reference_implementation(data):
    n = data.draw(st.integers(1, 40))
    columns = st.lists(values, min_size=n, max_size=n)
    matrix = np.array([data.draw(columns), data.draw(columns)])
    y = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)), dtype=np.int32)
    weights = None
    if data.draw(st.booleans()):
        weights = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), float)
    n_bins = data.draw(st.integers(2, 9))
    t = data.draw(st.sampled_from([0.25, 0.5, 1.0, 1.5]))
    for made in (matrix, matrix.astype(np.float32)):
        expected = [naive.equal_frequency(x, n_bins, weights) for x in matrix]
        assert cuts_of(_core.cuts_equal_frequency(made, n_bins, weights)) == expected
        expected = [naive.equal_width(x, n_bins, weights) for x in matrix]
        assert cuts_of(_core.cuts_equal_width(made, n_bins, weights)) == expected
        expected = [naive.mean_sd(x, t, weights) for x in matrix]
        assert cuts_of(_core.cuts_mean_sd(made, t, weights)) == expected
        for weka in (False, True):
            expected = [naive.mdl(x, y, weka=weka, weights=weights) for x in matrix]
            got = _core.cuts_mdl(made, y, 3, weka, weights)
            assert cuts_of(got) == expected
        codes = _core.apply_cuts(made, *got)
        assert codes.tolist() == [naive.codes(x, c) for x, c in zip(matrix, expected, strict=True)]


def long_columns():
    """Return columns of 5,000 to 20,000 values that are hard to put into buckets, by name."""
    rng = np.random.default_rng(3)
    n = 5_000
    normal = rng.standard_normal(n)
    with np.errstate(over="ignore"):
        return {
            "normal": normal,
            "longer": rng.standard_normal(20_001),
            "cauchy cubed": rng.standard_cauchy(n) ** 3,
            "far from zero": 1e6 + 1e-9 * normal,
            "ties": rng.integers(0, 12, n).astype(float),
            "many ties": np.round(normal, 1),
            "one value mostly": np.where(rng.random(n) < 0.9, 0.0, normal),
            "one value": np.full(n, 7.0),
            "two values": np.where(rng.random(n) < 0.5, -1.0, 1.0),
            "signed zeros": np.where(rng.random(n) < 0.4, np.copysign(0.0, normal), normal),
            "missing": np.where(rng.random(n) < 0.3, np.nan, normal),
            "mostly missing": np.where(rng.random(n) < 0.9, np.nan, normal),
            "all missing": np.full(n, np.nan),
            "subnormal": normal * 1e-310,
            "huge": normal * 1e300,
            "all magnitudes": np.sign(normal) * 10.0 ** rng.uniform(-300, 300, n),
            "near the largest": np.where(normal > 0, 1.7e308, -1.7e308) * rng.random(n),
            "sorted": np.sort(normal),
            "sample misleads": np.where(np.arange(n) % 19 == 0, 3.0, normal),
            "steps": np.repeat(np.arange(n // 2, dtype=float), 2),
        }


def definition_of_equal_frequency(x, n_bins):
    """Return the codes of `naive.equal_frequency` for columns that are too long for it."""
    distinct, equal = np.unique(x[~np.isnan(x)].astype(float) + 0.0, return_counts=True)
    bins = n_bins * (2 * (np.cumsum(equal) - equal) + equal) // (2 * max(equal.sum(), 1))
    changes = np.flatnonzero(np.diff(bins))
    return [naive.between(*distinct[at : at + 2].tolist()) for at in changes]


def test_the_long_reference_is_the_short_one():
    for x in long_columns().values():
        few = x[:60]
        assert definition_of_equal_frequency(few, 5) == naive.equal_frequency(few, 5)


@pytest.mark.parametrize("name", long_columns())
@pytest.mark.parametrize("n_bins", [2, 3, 8, 100, 254])
def test_cuts_of_long_columns_are_those_of_sorted_ones(name, n_bins):
    column = long_columns()[name]
    with np.errstate(over="ignore"):
        single = np.nan_to_num(column.astype(np.float32), nan=np.nan, posinf=3e38, neginf=-3e38)
    for x in (column, single):
        expected = definition_of_equal_frequency(x, n_bins)
        assert cuts_of(_core.cuts_equal_frequency(x[None], n_bins)) == [expected]


def test_equal_frequency_puts_ties_by_their_middle_rank():
    x = np.array([[0.0, 0, 0, 0, 0, 1, 2, 3]]).T
    bins = EqualFrequencyBins(4).fit(x)
    assert bins.transform(x).ravel().tolist() == [0, 0, 0, 0, 0, 1, 2, 2]
    assert bins.n_bins_.tolist() == [3]


def test_a_balanced_column_of_two_values_stays_two_levels_at_one_deviation():
    for low, high in ((0.1, 0.2), (-1.0, 1.0), (0.3, 0.7), (1e8 + 0.1, 1e8 + 0.2)):
        x = np.array([[low, high] * 25]).T
        assert MeanSdBins().fit_transform(x).ravel().tolist() == [0, 1] * 25


def test_a_cut_between_neighbouring_doubles_lies_at_the_lower_one():
    a = 1.0
    b = np.nextafter(a, 2)
    x = np.array([[a, a, b, b]]).T
    bins = EqualFrequencyBins(2).fit(x)
    assert bins.cuts_[0].tolist() == [a]
    assert bins.transform(x).ravel().tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_extreme_magnitudes_are_cut_like_any_other(scale):
    x = np.array([1.0, 2, 3, 4, 10, 11, 12, 13])[:, None]
    y = [0, 0, 0, 0, 1, 1, 1, 1]
    for bins in (EqualFrequencyBins(3), EqualWidthBins(3), MeanSdBins(), MDLBins()):
        expected = clone(bins).fit(x, y).transform(x)
        np.testing.assert_array_equal(bins.fit(x * scale, y).transform(x * scale), expected)


def test_constant_and_empty_columns_have_one_level():
    x = np.array([[0.1, np.nan, 7]] * 9)
    y = [0, 1, 2] * 3
    for bins in ALL:
        made = clone(bins).fit(x, y)
        assert made.n_bins_.tolist() == [1, 1, 1]
        assert made.transform(x)[0].tolist() == [0, 255, 0]


def test_integers_of_few_values_keep_their_levels_on_request():
    rng = np.random.default_rng(0)
    x = np.column_stack([rng.integers(0, 5, 40) ** 2, rng.normal(size=40)])
    made = EqualFrequencyBins(2, keep_discrete=True).fit(x)
    assert made.cuts_[0].tolist() == [0.5, 2.5, 6.5, 12.5]
    assert made.n_bins_.tolist() == [5, 2]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int16, np.int64, np.uint8, bool])
@pytest.mark.parametrize("order", ["C", "F", "strided"])
def test_dtype_and_layout_do_not_matter(dtype, order):
    x = np.random.default_rng(3).integers(0, 40, size=(50, 7)).astype(dtype)
    expected = EqualFrequencyBins(4).fit_transform(x.astype(float))
    if order == "strided":
        wide = np.zeros((100, 14), dtype)
        wide[::2, ::2] = x
        x = wide[::2, ::2]
    x = np.asarray(x, order=None if order == "strided" else order)
    x.flags.writeable = False
    np.testing.assert_array_equal(EqualFrequencyBins(4).fit_transform(x), expected)


def test_threads_do_not_matter():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(300, 500)).round(1)
    y = rng.integers(0, 3, 300)
    for bins in ALL:
        one = clone(bins).set_params(n_jobs=1).fit(x, y)
        seven = clone(bins).set_params(n_jobs=7).fit(x, y)
        assert [c.tolist() for c in one.cuts_] == [c.tolist() for c in seven.cuts_]
        np.testing.assert_array_equal(one.transform(x), seven.transform(x))


def test_long_columns_are_sorted_like_short_ones():
    rng = np.random.default_rng(2)
    for dtype in (np.float32, np.float64):
        x = rng.normal(size=(2, 5000)).astype(dtype)
        x[1] = x[1].round(1)
        cuts = cuts_of(_core.cuts_equal_frequency(x, 5))
        codes = _core.apply_cuts(x, *_core.cuts_equal_frequency(x, 5))
        assert np.bincount(codes[0]).tolist() == [1000] * 5
        assert all(
            ((column[None] == np.array(c)[:, None]).sum() == 0)
            for column, c in zip(x, cuts, strict=True)
        )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("equal-frequency", EqualFrequencyBins()),
        ("equal-frequency:5", EqualFrequencyBins(5)),
        ("equal-width:3", EqualWidthBins(3)),
        ("mean-sd:0.5", MeanSdBins(0.5)),
        ("mdl", MDLBins()),
        ("mdl:weka", MDLBins("weka")),
    ],
)
def test_discretisers_have_names(name, expected):
    assert repr(make_discretizer(name)) == repr(expected)


def test_bins_of_other_packages_can_be_used():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 6)), rng.integers(0, 2, 80)
    theirs = KBinsDiscretizer(4, encode="ordinal", strategy="uniform")
    fitted = Univariate(3, measure="mi", discretize=theirs).fit(X, y)
    same = Univariate(3, measure="mi", discretize=None).fit(theirs.fit_transform(X), y)
    assert fitted.scores_.tolist() == same.scores_.tolist()
    assert not hasattr(clone(theirs), "n_bins_")
    wrong = {
        r"must turn each feature into one column .* encode=\"ordinal\"": (
            X,
            KBinsDiscretizer(4),
            None,
        ),
        "needs dense X, got a sparse matrix": (sparse.csr_array(X), theirs, None),
        "cannot be used with sample_weight": (X, theirs, np.arange(80) % 3),
        "must not decrease with the value": (X, FunctionTransformer(lambda x: -np.round(x)), None),
    }
    for words, (data, bins, weights) in wrong.items():
        with pytest.raises(ValueError, match=words):
            Univariate(3, measure="mi", discretize=bins).fit(data, y, sample_weight=weights)


def test_an_object_can_be_the_discretiser():
    bins = MeanSdBins(2.0)
    assert make_discretizer(bins) is bins


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("equal-freqency", "did you mean 'equal-frequency'"),
        ("equal-width:1", "of at least 2 and of at most 255"),
        ("equal-width:many", "an invalid parameter"),
        ("mdl:fayyad", "'n-1', 'weka'"),
        (7, "must be one of"),
    ],
)
def test_wrong_names_are_reported(wrong, words):
    with pytest.raises(ValueError, match=words):
        make_discretizer(wrong)


def test_wrong_parameters_are_reported():
    x = np.zeros((4, 1))
    with pytest.raises(
        ValueError, match=r"n_bins must be .* of at least 2 and of at most 255, got 1"
    ):
        EqualFrequencyBins(1).fit(x)
    with pytest.raises(ValueError, match="t must be a positive number"):
        MeanSdBins(-1).fit(x)
    with pytest.raises(ValueError, match="sample_weight"):
        MeanSdBins().fit(x, sample_weight=[1, -1, 0, 0])


@pytest.mark.parametrize(
    ("name", "difficulty"),
    [("warpAR10P", 1.625), ("warpPIE10P", 2.625), ("orlraws10P", 1.25), ("tox_171", 5.34)],
)
def test_published_difficulty_of_real_data(name, difficulty, load_real):
    X, y = load_real(name)
    arity = np.median(EqualFrequencyBins(8).fit(X).n_bins_)
    assert len(y) / (arity * len(np.unique(y))) == pytest.approx(difficulty, abs=0.005)


def test_mdl_leaves_most_genes_uncut(load_real):
    X, y = load_real("allaml")
    assert (MDLBins().fit(X, y).n_bins_ == 1).sum() == 6117


@pytest.mark.parametrize("form", ["csc", "csr"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int16])
@pytest.mark.parametrize("rule", ["equal-frequency", "equal-width:4", "mean-sd", "mdl", "mdl:weka"])
def test_sparse_columns_are_binned_as_in_full(rule, dtype, form):
    rng = np.random.default_rng(0)
    full = np.where(rng.random((120, 60)) < 0.3, np.round(rng.normal(size=(120, 60)) * 8) * 2, 0)
    full[:, 0] = np.arange(120) - 40  # nothing to leave out
    full[:, 1] = 0
    full[:, 2] = np.arange(120) % 3  # discrete: stays as it is
    full, y = full.astype(dtype), rng.integers(0, 3, 120)
    for weights in (None, rng.integers(0, 4, 120), rng.random(120)):
        fitted = [
            Univariate(5, measure="mi", discretize=rule).fit(X, y, sample_weight=weights)
            for X in (full, sparse.csc_array(full).asformat(form))
        ]
        assert fitted[0].scores_.tolist() == fitted[1].scores_.tolist()
        assert fitted[0].bins_.is_binned.tolist() == fitted[1].bins_.is_binned.tolist()
        for one, other in zip(fitted[0].bins_.cuts, fitted[1].bins_.cuts, strict=True):
            assert one.tolist() == other.tolist()


@pytest.mark.parametrize("missing", ["category", "pairwise"])
def test_missing_values_of_sparse_columns_are_those_of_full_ones(missing):
    rng = np.random.default_rng(1)
    full = np.where(rng.random((90, 30)) < 0.4, rng.normal(size=(90, 30)), 0)
    full[rng.random(full.shape) < 0.1] = np.nan
    y = rng.integers(0, 2, 90)
    dense, from_sparse = (
        MRMR(5, relevance="mi", redundancy="mi", missing=missing).fit(X, y)
        for X in (full, sparse.csr_array(full))
    )
    assert dense.selected_.tolist() == from_sparse.selected_.tolist()
    assert dense.relevance_.tolist() == from_sparse.relevance_.tolist()


def test_binning_sparse_columns_makes_none_of_them_dense():
    X = sparse.random_array(
        (5000, 4000), density=0.002, format="csc", random_state=np.random.default_rng(0)
    )
    y = np.arange(5000) % 2
    selector = Univariate(5, measure="mi")
    selector.fit(X[:50], y[:50])
    tracemalloc.start()
    selector.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < X.shape[0] * X.shape[1] / 4


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
def test_the_transformer_decides_whether_few_integers_are_binned(container):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 6, 80), rng.normal(size=80)])
    y = (X[:, 0] > 2).astype(int)
    by_name = MRMR(1, relevance="mi", discretize="mdl").fit(container(X), y)
    assert by_name.bins_.is_binned.tolist() == [False, True]
    kept = MRMR(1, relevance="mi", discretize=MDLBins(keep_discrete=True)).fit(container(X), y)
    assert kept.bins_.is_binned.tolist() == [False, True]
    binned = MRMR(1, relevance="mi", discretize=MDLBins()).fit(container(X), y)
    assert binned.bins_.is_binned.tolist() == [True, True]
    assert binned.bins_.cuts[0].tolist() == MDLBins().fit(X, y).cuts_[0].tolist() == [2.5]


def test_categories_are_never_binned():
    X = pd.DataFrame({"few": [0, 1, 2, 3] * 10, "word": list("abcd") * 10})
    fitted = MRMR(1, discretize=EqualFrequencyBins(2)).fit(X, [0, 1] * 20)
    assert fitted.bins_.is_binned.tolist() == [True, False]

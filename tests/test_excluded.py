"""Excluded columns influence nothing: a fit with `exclude` is the fit without these columns."""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone

from tests.blocks_of_rows import in_blocks
from tests.test_sklearn import SELECTORS
from thresher import (
    CFS,
    FCBF,
    GSO,
    JMI,
    LCC,
    MRMR,
    RFS,
    RRFS,
    S3F,
    SFSLW,
    SPEC,
    SVMRFE,
    Chain,
    Ensemble,
    EqualFrequencyBins,
    EqualWidthBins,
    ErrorControlled,
    FisherScore,
    LaplacianScore,
    LassoPath,
    Relief,
    ReliefF,
    Univariate,
)
from thresher._registry import SELECTORS as REGISTERED

N = 60
RNG = np.random.default_rng(0)
Y = np.arange(N) % 2
NARROW = pd.DataFrame(
    {
        "near": RNG.integers(0, 4, N) + 2 * Y,
        "flag": RNG.integers(0, 2, N) | Y,
        "size": RNG.gamma(2, size=N) + Y,
        "single": np.ones(N),
        "noise": RNG.normal(size=N) ** 2,
        "count": RNG.integers(0, 3, N),
        "width": RNG.gamma(2, size=N) - Y / 2 + 1,
    }
).astype(np.float64)
NUMBERS = {
    "patient": (RNG.permutation(N) + 1) * 1e300,
    "constant": np.full(N, 7.0),
    "hole": np.where(np.arange(N) % 5 == 3, np.nan, -1.0),
    "endless": np.where(np.arange(N) == 3, np.inf, RNG.normal(size=N)),
    "empty": np.full(N, np.nan),
    "twin": -NARROW["size"],
}
ANYTHING = NUMBERS | {
    "text": [f"row {i}" for i in range(N)],
    "group": pd.Categorical(list("abc") * (N // 3)),
    "when": pd.Timestamp("2020-01-01"),
    "mixed": [1, "a"] * (N // 2),
}


def widened(columns):
    """Return NARROW with more columns before, between and after."""
    wide = NARROW.copy()
    for i, (name, values) in enumerate(columns.items()):
        wide.insert(min(2 * i, wide.shape[1]), name, values)
    return wide


def excluding(selector, columns):
    """Return the selector with columns excluded, by itself or by the first selector inside it."""
    selector = clone(selector)
    if isinstance(selector, Chain):
        name, first = selector._steps[0]
        return selector.set_params(**{name: excluding(first, columns)})
    if isinstance(selector, Ensemble | ErrorControlled):
        inner = MRMR() if selector.selector is None else selector.selector
        return selector.set_params(selector=excluding(inner, columns))
    return selector.set_params(exclude=columns)


def fitted(selector, X):
    seeds = [name for name in selector.get_params() if name.endswith("random_state")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(selector).set_params(**dict.fromkeys(seeds, 0)).fit(X, Y)


def assert_as_without(found, expected, wide):
    """Check that `found` agrees with `expected` on the columns of NARROW and reports nothing on others."""
    positions = np.array([list(wide).index(name) for name in NARROW])
    others = np.setdiff1d(np.arange(len(list(wide))), positions)
    assert found.selected_.tolist() == positions[expected.selected_].tolist()
    for name in ("scores_", "relevance_", "redundancy_", "ranking_", "votes_", "pvalues_"):
        if hasattr(expected, name):
            of_all = getattr(found, name)
            np.testing.assert_array_equal(of_all[positions], getattr(expected, name), err_msg=name)
    for name in ("scores_", "relevance_", "redundancy_"):
        assert np.isnan(getattr(found, name)[others]).all(), name
    assert found.ranking_[others].min() >= expected.ranking_.max()
    assert found.n_evaluations_ == expected.n_evaluations_
    assert found.trace_.keys() == expected.trace_.keys()
    for name, values in expected.trace_.items():
        values = positions[values] if name in ("feature", "removed") else values
        np.testing.assert_array_equal(found.trace_[name], values, err_msg=name)
    for position in others:
        assert found.reason(int(position)).endswith("excluded by the parameter exclude")


# Every public selector, and what else reads columns: rules, measures, graphs, missing values, fractions.
TRIED = [
    *SELECTORS,
    MRMR(0.5),
    MRMR(0.5, relevance="mi", discretize="mdl"),
    MRMR(3, relevance="mi", missing="pairwise"),
    MRMR(3, missing="drop_rows"),
    JMI(0.5, missing="category"),
    JMI(3, discretize="equal-width"),
    CFS(missing="category"),
    LCC(missing="category"),
    RFS("auto", relevance="mi"),
    RFS(0.5, relevance="amgm"),
    RRFS("auto"),
    FisherScore(0.5),
    Relief(n_samples=20, random_state=0),
    ReliefF(0.5, missing="expected"),
    ReliefF(3, target="numeric"),
    *(LaplacianScore(3, affinity=affinity) for affinity in ("binary", "cosine")),
    *(SPEC(3, affinity=affinity) for affinity in ("heat", "product", "classes")),
    SFSLW(3, standardize=False),
    SVMRFE(0.5),
    LassoPath(0.5),
    S3F(max_clusters=3),
    Univariate(0.5, measure="spearman", pvalues="permutation", random_state=0),
    Univariate(3, measure="mi", pvalues="permutation", random_state=0),
    Ensemble(FisherScore(3), n_parts=3, kind="full"),
    Ensemble(MRMR(0.5), kind="halves", n_pairs=4, pfer=3, random_state=0),
    Ensemble(LaplacianScore(3), kind="halves", n_pairs=4, random_state=0),
    ErrorControlled(JMI(3), fdr=0.9, n_permutations=20, random_state=0),
    ErrorControlled(MRMR(3), fdr=0.9, method="compete", random_state=0),
    Chain([Univariate(0.8), MRMR(3), CFS()]),
    Ensemble(Chain([MRMR(4), CFS()]), kind="halves", n_pairs=4),
    ErrorControlled(Chain([MRMR(4), CFS()]), fdr=0.9, n_permutations=20),
    Chain([Ensemble(MRMR(4), n_parts=3), CFS()]),
]


def test_every_public_selector_is_tried():
    assert set(REGISTERED) == {type(selector).__name__ for selector in TRIED}


@pytest.mark.parametrize("selector", TRIED, ids=repr)
def test_excluded_columns_influence_nothing(selector):
    expected = fitted(selector, NARROW)
    wide = widened(ANYTHING)
    assert_as_without(fitted(excluding(selector, list(ANYTHING)), wide), expected, wide)
    wide = widened(NUMBERS)
    excluded = [list(wide).index(name) for name in NUMBERS]
    found = fitted(excluding(selector, excluded), wide.to_numpy())
    assert_as_without(found, expected, wide)


def integers(frame):
    """Return 16 times the numbers; those of excluded columns are equal as doubles."""
    ids = 2**60 + np.arange(N)
    own = (NARROW * 16).round().astype(np.int64)
    return pd.DataFrame({name: own.get(name, ids) for name in frame})


CONTAINERS = {
    "polars": pl.from_pandas,
    "arrow": lambda frame: pytest.importorskip("pyarrow").Table.from_pandas(frame),
    "objects": lambda frame: frame.to_numpy(dtype=object),
    "csr": lambda frame: sparse.csr_array(frame.to_numpy()),
    "csc": lambda frame: sparse.csc_matrix(frame.to_numpy()),
    "Fortran order": lambda frame: np.asfortranarray(frame.to_numpy()),
    "integers": integers,
    "integer array": lambda frame: integers(frame).to_numpy(),
}
RULES = ("mdl", "mean-sd", EqualFrequencyBins(3, keep_discrete=False), EqualWidthBins(3))
READERS = [
    MRMR(3),
    MRMR(3, relevance="mi"),
    JMI(3),
    CFS(),
    FisherScore(3),
    LaplacianScore(3),
    RFS(3),
    RRFS(3),
]


DENSE = [container for container in CONTAINERS if container not in ("csr", "csc")]


@pytest.mark.parametrize(
    ("selector", "container"),
    [*product(READERS, CONTAINERS), *product([ReliefF(3), GSO(3)], DENSE)],
    ids=str,
)
def test_excluded_columns_influence_nothing_in_any_container(selector, container):
    read = CONTAINERS[container]
    columns = ANYTHING if container == "objects" else NUMBERS
    wide = widened(columns)
    excluded = [list(wide).index(name) for name in columns]
    found = fitted(excluding(selector, excluded), read(wide))
    assert_as_without(found, fitted(selector, read(NARROW)), wide)


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_excluded_columns_are_not_binned(rule):
    wide = widened(NUMBERS)
    selector = JMI(3, discretize=rule)
    found, expected = fitted(excluding(selector, list(NUMBERS)), wide), fitted(selector, NARROW)
    assert_as_without(found, expected, wide)
    binned = np.array(list(wide))[found.bins_.is_binned]
    assert binned.tolist() == NARROW.columns[expected.bins_.is_binned].tolist()
    for cuts, others in zip(found.bins_.cuts, expected.bins_.cuts, strict=True):
        np.testing.assert_array_equal(cuts, others)


@pytest.mark.parametrize("selector", READERS, ids=repr)
def test_excluded_columns_of_files_influence_nothing(selector, tmp_path):
    pytest.importorskip("pyarrow")
    columns = {name: values for name, values in ANYTHING.items() if name != "mixed"}
    for name, frame in (("wide", widened(columns)), ("narrow", NARROW)):
        frame.assign(y=Y).to_parquet(tmp_path / f"{name}.parquet")
    found = excluding(selector, list(columns)).fit(tmp_path / "wide.parquet", "y")
    expected = clone(selector).fit(tmp_path / "narrow.parquet", "y")
    assert_as_without(found, expected, widened(columns))


IN_BLOCKS = [
    MRMR(3, relevance="mi"),
    MRMR(3, relevance="r2"),
    JMI(3, missing="category"),
    FCBF(discretize="equal-frequency", missing="drop_rows"),
    RFS(3, relevance="variance"),
    Univariate(3, measure="chi2", pvalues="analytic"),
    Ensemble(MRMR(3, relevance="mi"), n_parts=3),
]


@pytest.mark.parametrize("as_array", [False, True], ids=["frames", "arrays"])
@pytest.mark.parametrize("selector", IN_BLOCKS, ids=repr)
def test_excluded_columns_of_blocks_influence_nothing(selector, as_array):
    columns = NUMBERS if as_array else ANYTHING | {"long": 2**60 + np.arange(N)}
    wide = widened(columns)
    excluded = [list(wide).index(name) for name in columns] if as_array else list(columns)
    X, narrow = (wide.to_numpy(), NARROW.to_numpy()) if as_array else (wide, NARROW)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = excluding(selector, excluded).fit(in_blocks(X, Y, ends=(20, 40)))
        expected = clone(selector).fit(in_blocks(narrow, Y, ends=(20, 40)))
    assert_as_without(found, expected, wide)
    assert found.n_rounds_ == expected.n_rounds_


@pytest.mark.parametrize("selector", IN_BLOCKS, ids=repr)
def test_rows_are_forgotten_whatever_their_excluded_columns_contain(selector):
    wide = widened(ANYTHING)
    other = wide.assign(patient=0.0, text="another", group=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = excluding(selector, list(ANYTHING))
        expected = clone(selector)
        for of_all, added, forgotten in ((found, wide, other), (expected, NARROW, NARROW)):
            for rows in (slice(0, 30), slice(30, 60)):
                of_all.partial_fit(added[rows], Y[rows])
            of_all.forget(forgotten[5:20], Y[5:20])
        assert_as_without(found, expected, wide)


def test_excluded_columns_of_chunks_influence_nothing():
    wide = widened(ANYTHING)
    found = RFS(3, exclude=list(ANYTHING)).fit_chunks([wide[:30], wide[30:]])
    assert_as_without(found, RFS(3).fit_chunks([NARROW[:30], NARROW[30:]]), wide)

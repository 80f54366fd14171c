"""Numbers at the ends of double precision, in every selector: nothing overflows, and units do not matter."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from tests.test_sklearn import SELECTORS
from thresher import (
    GSO,
    RFS,
    RRFS,
    SFSLW,
    SPEC,
    SVMRFE,
    EqualFrequencyBins,
    EqualWidthBins,
    ErrorControlled,
    FisherScore,
    LaplacianScore,
    LassoPath,
    MDLBins,
    MeanSdBins,
    Relief,
)

LARGEST, SMALLEST = np.finfo(float).max, 5e-324
ROWS = 60
Y = np.arange(ROWS) % 2
rng = np.random.default_rng(0)
# Integer multiples of 2^-12 up to 2: powers of two change no digit.
ORDINARY = np.round(np.clip(rng.normal(size=(ROWS, 6)) / 2, -1.9, 1.9) * 2**12) / 2**12
ORDINARY[:, 2] += Y / 4
DENORMAL = rng.integers(0, 50, size=(ROWS, 6)) * SMALLEST
TABLES = {
    "1e300": ORDINARY * 1e300,
    "1e-300": ORDINARY * 1e-300,
    "denormal": DENORMAL,
    "largest": np.where(ORDINARY > 0, LARGEST, -LARGEST),
    "mixed": np.hstack(
        [ORDINARY, ORDINARY[:, :2] * 1e300, DENORMAL[:, :2], ORDINARY[:, 3:5] * (LARGEST / 2)]
    ),
    "one row": np.where(np.arange(ROWS)[:, None] == 3, 1e300, ORDINARY),
}
# By squared distances over all features.
IN_UNITS = [LaplacianScore(), SPEC(), SFSLW(standardize=False)]
WITHOUT_UNITS = [
    *(selector for selector in SELECTORS if not isinstance(selector, LaplacianScore | SPEC)),
    RFS(3, relevance="mad"),
    ErrorControlled(FisherScore(), 0.9, n_permutations=20, random_state=0),
]
pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning", "ignore::UserWarning")


@pytest.mark.parametrize("selector", WITHOUT_UNITS, ids=repr)
def test_nothing_overflows(selector):
    for X in TABLES.values():
        fitted = clone(selector).fit(X, Y)
        chosen = fitted.transform(X)
        if chosen.shape[1]:
            fitted.inverse_transform(chosen)


@pytest.mark.parametrize("exponent", [-1000, 1021])
@pytest.mark.parametrize("selector", WITHOUT_UNITS, ids=repr)
def test_a_power_of_two_changes_no_selection(selector, exponent):
    if "random_state" in selector.get_params():
        selector = clone(selector).set_params(random_state=0)
    wanted = clone(selector).fit(ORDINARY, Y).selected_.tolist()
    assert clone(selector).fit(ORDINARY * 2.0**exponent, Y).selected_.tolist() == wanted


@pytest.mark.parametrize("exponent", [-1000, 1021])
def test_a_power_of_two_changes_nothing_in_a_numeric_target(exponent):
    y = ORDINARY[:, 0] + ORDINARY[:, 1]
    wanted = LassoPath(3).fit(ORDINARY, y)
    scaled = LassoPath(3).fit(ORDINARY, y * 2.0**exponent)
    assert scaled.selected_.tolist() == wanted.selected_.tolist()
    assert scaled.relevance_.tolist() == wanted.relevance_.tolist()


@pytest.mark.parametrize("table", ["1e300", "1e-300", "denormal", "largest", "mixed"])
@pytest.mark.parametrize("selector", IN_UNITS, ids=repr)
def test_squares_that_overflow_or_vanish_are_rejected(selector, table):
    with pytest.raises(ValueError, match=r"squares (of smaller values underflow|overflow)"):
        clone(selector).fit(TABLES[table], Y)


@pytest.mark.parametrize("kind", [RFS, RRFS])
@pytest.mark.parametrize(("exponent", "how"), [(1021, "overflows"), (-700, "underflows to 0")])
def test_variances_beyond_doubles_rank_no_features_by_position(kind, exponent, how):
    small, own = ORDINARY * 2.0**exponent, kind(3, relevance="variance")
    for fit in (
        lambda: clone(own).fit(small),
        lambda: clone(own).fit_chunks([small[:20], small[20:]], memory=1000),
        lambda: RFS(3, relevance="variance").partial_fit(small).selected_,
    ):
        with pytest.raises(ValueError, match=f'relevance="variance" {how} for 6 features'):
            fit()
    mixed = np.hstack([ORDINARY, small[:, :1]])
    wanted = clone(own).fit(ORDINARY).selected_.tolist()
    found = clone(own).fit(mixed).selected_.tolist()
    assert found == ([6, *wanted[:2]] if exponent > 0 else wanted)


@pytest.mark.parametrize("form", ["phi1", "phi2", "phi3"])
def test_small_columns_among_ordinary_ones_keep_their_smoothness(form):
    small = np.hstack([ORDINARY, ORDINARY[:, :2] * 2.0**-600])
    scores = SPEC(form=form).fit(small, Y).scores_
    assert scores[6:].tolist() == scores[:2].tolist()


@pytest.mark.parametrize("selector", [GSO(3), Relief(3), SVMRFE(3)], ids=repr)
def test_columns_of_files_are_rescaled_as_those_in_memory(selector, tmp_path):
    frame = pd.DataFrame(TABLES["mixed"]).add_prefix("x").assign(y=Y)
    frame.to_parquet(tmp_path / "table.parquet")
    wanted = clone(selector).fit(TABLES["mixed"], Y)
    found = clone(selector).fit(tmp_path / "table.parquet", y="y")
    assert found.selected_.tolist() == wanted.selected_.tolist()
    assert found.scores_.tolist() == pytest.approx(wanted.scores_.tolist(), abs=0, nan_ok=True)


@pytest.mark.parametrize("make", [EqualFrequencyBins, EqualWidthBins, MDLBins, MeanSdBins])
def test_nothing_overflows_in_binners(make):
    for X in TABLES.values():
        assert make().fit(X, Y).transform(X).shape == X.shape

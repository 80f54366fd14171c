"""A warning comes once and points at the line that called the package."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from thresher import (
    FCBF,
    GSO,
    JMI,
    LCC,
    MRMR,
    RFS,
    Chain,
    Ensemble,
    FisherScore,
    LassoPath,
    ThresherWarning,
    Univariate,
)
from thresher.evaluate.stability import stability_curve, stability_grid

RNG = np.random.default_rng(0)
Y = np.arange(60) % 2
X = RNG.normal(size=(60, 4)) + Y[:, None]


def here() -> int:
    return inspect.currentframe().f_back.f_lineno


TOO_MANY = [
    MRMR(9),
    JMI(9),
    GSO(9),
    FCBF(n_features_to_select=9),
    FisherScore(9),
    RFS(9),
    Univariate(9),
    LassoPath(9),
    LCC(delta=0.9),
    Ensemble(MRMR(9), 4),
    Ensemble(MRMR(9), 4, kind="bagging", random_state=0),
    Ensemble(FisherScore(9), 4, kind="full"),
    Ensemble(FisherScore(9), 4, kind="full", n_jobs=2),
    Chain([SelectKBest(k=4), MRMR(9)]),
]


@pytest.mark.parametrize("selector", TOO_MANY, ids=repr)
def test_every_selector_warns_once_at_the_line_of_fit(selector):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        clone(selector).fit(X, Y); line = here()  # fmt: skip # noqa: E702
    assert caught
    assert len({str(one.message) for one in caught}) == len(caught)
    for one in caught:
        assert one.category is ThresherWarning
        assert (one.filename, one.lineno) == (__file__, line)


def test_a_pipeline_or_fit_transform_is_not_the_caller():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        make_pipeline(StandardScaler(), MRMR(9)).fit(X, Y); line = here()  # fmt: skip # noqa: E702
        MRMR(9).fit_transform(X, Y)
    assert [one.filename for one in caught] == [__file__] * 2
    assert [one.lineno for one in caught] == [line, line + 1]


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_many_fits_of_one_curve_warn_once(n_jobs):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        stability_curve(Ensemble(FisherScore(), 40, kind="full"), X, Y, k=[1, 9], n_splits=3, n_repeats=2, n_jobs=n_jobs); line = here()  # fmt: skip # noqa: E702, E501
        stability_grid(Ensemble(MRMR(2), 2), X, Y, n_parts=[2, 70], k=[1], n_splits=3, n_repeats=1)
    texts = [str(one.message) for one in caught]
    assert sum("the curve ends there" in text for text in texts) == 1
    assert sum("n_parts=70" in text for text in texts) == 1
    assert all(one.filename == __file__ for one in caught)
    assert {one.lineno for one in caught} == {line, line + 1}


def test_the_next_fit_warns_again():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(3):
            MRMR(9).fit(X, Y)
    assert len(caught) == 3


def test_warnings_can_be_errors_and_the_next_fit_is_not_disturbed():
    with warnings.catch_warnings():
        warnings.simplefilter("error", ThresherWarning)
        with pytest.raises(ThresherWarning, match="only 4 features"):
            MRMR(9).fit(X, Y)
    with pytest.warns(ThresherWarning, match="only 4 features"):
        MRMR(9).fit(X, Y)


def test_a_quotient_of_information_on_few_samples_warns_once():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (100, 5)), np.arange(100) % 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MRMR(2, objective="quotient").fit(X, y)
        MRMR(2).fit(X[:99], y[:99])
    with pytest.warns(ThresherWarning, match="from 99 samples") as caught:
        MRMR(2, objective="quotient").fit(X[:99], y[:99])
    assert len(caught) == 1

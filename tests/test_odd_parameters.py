"""Huge numbers, arrays without dimensions and Booleans are rejected with a short one-line error."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import thresher
from thresher import GBC, LCC, MRMR, Chain, Ensemble, ErrorControlled
from thresher._utils.checks import check_number, resolve_features, shown
from thresher.io.temporary import resolve_memory_limit

RNG = np.random.default_rng(0)
X = RNG.integers(0, 3, (40, 5)).astype(float)
Y = RNG.integers(0, 2, 40)
NEEDS_SELECTOR = {
    "Chain": lambda: Chain([MRMR(2)]),
    "Ensemble": lambda: Ensemble(MRMR(2), n_parts=3),
    "ErrorControlled": lambda: ErrorControlled(MRMR(2)),
}
CLASSES = {
    name: made
    for name, made in ((name, getattr(thresher, name)) for name in sorted(thresher.__all__))
    if inspect.isclass(made) and hasattr(made, "fit") and name != "GivenBins"
}


def is_short_sentence(text):
    return len(text) < 400 and "\n" not in text and "limit (4300" not in text


def message_of(make, parameter, value):
    try:
        make().set_params(**{parameter: value}).fit(X, Y)
    except ValueError as error:
        return str(error)
    return ""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CLASSES)
def test_integers_beyond_all_sizes_are_taken_or_rejected_in_one_short_line(name):
    make = NEEDS_SELECTOR.get(name, CLASSES[name])
    for parameter, default in make().get_params(deep=False).items():
        is_number = isinstance(default, int | float) and not isinstance(default, bool)
        if (is_number and parameter != "verbose") or parameter in ("keep", "exclude"):
            for value in (10**400, -(10**400), 10**5000, np.array(2)):
                message = message_of(make, parameter, value)
                assert is_short_sentence(message), (parameter, message)


@pytest.mark.parametrize("parameter", ["keep", "exclude"])
def test_an_array_without_dimensions_names_no_feature(parameter):
    with pytest.raises(
        ValueError, match=rf"{parameter} must contain feature names .* got array\(2\)"
    ):
        MRMR(2).set_params(**{parameter: np.array(2)}).fit(X, Y)
    assert resolve_features(parameter, np.int64(2), None, 5).tolist() == [2]


def test_a_patience_beyond_all_sizes_is_a_one_line_error():
    with pytest.raises(ValueError, match=r"patience must be .* at most 9\.22337e\+18, got 1000"):
        GBC(patience=10**400).fit(X, Y)
    with pytest.raises(ValueError, match=r"cv must be an integer of at least 2, got array\(2\)"):
        GBC(cv=np.array(2)).fit(X, Y)


def test_numbers_are_checked_as_they_are():
    assert check_number("a", 2**63 - 1, integer=True) == 2**63 - 1
    assert check_number("a", np.float32(0.5), maximum=0.5) == 0.5
    assert check_number("a", np.inf) == np.inf
    for value in (2**63, True, np.bool_(True), np.array(2), np.array([2])):
        with pytest.raises(ValueError, match="a must be an integer"):
            check_number("a", value, integer=True)
    with pytest.raises(ValueError, match=r"a must be a number of at most 1\.79769e\+308"):
        check_number("a", 10**400)
    assert shown(10**5000) == "a number with too many digits"
    assert len(shown(np.zeros(1000))) <= 60


def test_a_memory_limit_beyond_all_sizes_is_none():
    assert resolve_memory_limit(10**400) == resolve_memory_limit("9" * 30 + "TB")
    with pytest.raises(ValueError, match="memory_limit must be a number of bytes"):
        resolve_memory_limit("9" * 400)


def test_thresholds_that_are_arrays_without_dimensions_are_rejected():
    with pytest.raises(ValueError, match=r"min_features must be an integer .* got array\(2\)"):
        LCC(min_features=np.array(2)).fit(X, Y)

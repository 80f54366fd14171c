"""The association of two columns of any kind."""

from __future__ import annotations

import numpy as np
import pytest

from tests.naive import association as naive

X = np.arange(1.0, 13.0)
Z = np.array([2, 1, 4, 3, 6, 5, 8, 9, 7, 12, 10, 11.0])
C = np.array(list("aaaabbbbcccc"))
D = np.array(list("uuuvuvvvvwww"))
Y = np.array(list("000101111101"))
WEIGHTS = np.array([1, 2, 1, 1, 3, 1, 1, 1, 2, 1, 1, 1.0])

# Columns, whether each is a category, the trace, the association.
WORKED = {
    "two numbers": (X, Z, False, False, 0.8780869480170178, 0.8658956428187196),
    "number and category": (X, C, False, True, 0.8951048951048951, 0.8717948717948718),
    "nothing": (X % 3, C, False, True, 0.0625, 0.0),
    "two categories": (C, D, True, True, 0.925, 0.3430555555555556),
    "number and classes": (X, Y, False, True, 0.2643356643, 0.1907692307692308),
    "category and classes": (C, Y, True, True, 0.2285714286, 0.0571428571428571),
    "another and classes": (D, Y, True, True, 0.7714285714, 0.7206349206349206),
}


@pytest.mark.parametrize("pair", WORKED)
def test_the_definition_gives_the_worked_numbers(pair):
    a, b, a_is_category, b_is_category, trace, value = WORKED[pair]
    assert naive.parts(a, b, a_is_category, b_is_category)[0] == pytest.approx(trace, abs=1e-10)
    assert naive.association(a, b, a_is_category, b_is_category) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("pair", WORKED)
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["plain", "weighted"])
def test_sums_in_fractions_agree_with_the_projections(pair, weights):
    a, b, *kinds, _, _ = WORKED[pair]
    expected = naive.association(a, b, *kinds, weights)
    assert naive.exact(a, b, *kinds, weights) == pytest.approx(expected, abs=1e-12)
    assert naive.exact(b, a, *kinds[::-1], weights) == naive.exact(a, b, *kinds, weights)


def test_weights_of_the_worked_numbers_count_as_repeats():
    repeats = WEIGHTS.astype(int)
    for a, b, a_is_category, expected in [
        (X, C, False, 0.8661722474698196),
        (C, D, True, 0.2431318681318682),
    ]:
        weighted = naive.association(a, b, a_is_category, True, WEIGHTS)
        repeated = naive.association(
            np.repeat(a, repeats), np.repeat(b, repeats), a_is_category, True
        )
        assert weighted == pytest.approx(expected, abs=1e-12)
        assert repeated == pytest.approx(expected, abs=1e-12)

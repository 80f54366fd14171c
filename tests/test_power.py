"""Power transforms against SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from thresher.measures.power import power_columns


def columns(seed=0, shift=0.0):
    rng = np.random.default_rng(seed)
    return (
        np.stack([rng.lognormal(size=80), rng.gamma(2.0, size=80), rng.normal(size=80) + 9]) + shift
    )


def test_box_cox_exponents_are_those_of_maximum_likelihood():
    x = columns()
    new, exponents = power_columns(x, "box-cox", np.arange(3), list("abc"))
    for column, transformed, exponent in zip(x, new, exponents, strict=True):
        expected, best = stats.boxcox(column)
        assert exponent == pytest.approx(best, abs=1e-5)
        assert abs(np.corrcoef(transformed, expected)[0, 1]) == pytest.approx(1, abs=1e-9)


def test_yeo_johnson_exponents_are_those_of_maximum_likelihood():
    x = columns(shift=-2.0)
    new, exponents = power_columns(x, "yeo-johnson", np.arange(3), list("abc"))
    for column, transformed, exponent in zip(x, new, exponents, strict=True):
        assert exponent == pytest.approx(stats.yeojohnson(column)[1], abs=1e-5)
        np.testing.assert_allclose(transformed, stats.yeojohnson(column, exponent))


@pytest.mark.parametrize("power", ["box-cox", "yeo-johnson"])
def test_transforms_rise_and_scaling_by_huge_factors_is_harmless(power):
    x = columns(1)
    new, _ = power_columns(x, power, np.arange(3), list("abc"))
    np.testing.assert_array_equal(np.argsort(new), np.argsort(x))
    scale = 1e200 if power == "box-cox" else 1.0
    again, _ = power_columns(x * scale, power, np.arange(3), list("abc"))
    np.testing.assert_allclose(again, new, rtol=1e-4)


def test_shift_is_in_units_of_the_spread():
    x = columns(2, shift=-50.0)
    one, first = power_columns(x, "box-cox-shift", np.arange(3), list("abc"))
    other, second = power_columns(x * 1000, "box-cox-shift", np.arange(3), list("abc"))
    np.testing.assert_allclose(first, second, atol=1e-6)
    np.testing.assert_allclose(one, other, rtol=1e-5)


def test_columns_of_two_values_and_others_not_requested_stay():
    x = columns(3)
    x[0] = np.arange(80) % 2 + 1
    new, exponents = power_columns(x, "box-cox", np.array([0, 1]), ["a", "b"])
    np.testing.assert_array_equal(new[[0, 2]], x[[0, 2]])
    assert np.isnan(exponents[[0, 2]]).all()


def test_messages_name_at_most_five_columns():
    x = -columns(4).repeat(3, axis=0)
    with pytest.raises(ValueError, match="columns a, b, c, d, e and 4 more have zero"):
        power_columns(x, "box-cox", np.arange(9), list("abcdefghi"))

"""Bounds on the expected number of rarely chosen features that votes over halves select."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from thresher.evaluate import error_bound
from thresher.search.error_bounds import ASSUMPTIONS, _largest_tail

from .naive.error_bounds import largest_tail, law, mean_of, offset_for_mean

TABLE = {
    (200, 5, 0.6): (0.625, 0.328947, 0.112893),
    (200, 5, 0.75): (0.25, 0.127551, 0.030785),
    (200, 5, 0.9): (0.15625, 0.053922, 0.008090),
    (200, 5, 1): (0.125, 0.004902, 0.000587),
    (200, 10, 0.6): (2.5, 1.315789, 0.521067),
    (200, 10, 0.75): (1, 0.510204, 0.129569),
    (200, 10, 0.9): (0.625, 0.215686, 0.034099),
    (200, 10, 1): (0.5, 0.019608, 0.002476),
    (2000, 20, 0.6): (1, 0.526316, 0.139868),
    (2000, 20, 0.75): (0.4, 0.204082, 0.047722),
    (2000, 20, 0.9): (0.25, 0.086275, 0.012531),
    (2000, 20, 1): (0.2, 0.007843, 0.000909),
    (7070, 50, 0.6): (1.768034, 0.930544, 0.236427),
    (7070, 50, 0.75): (0.707214, 0.360823, 0.083844),
    (7070, 50, 0.9): (0.442008, 0.152536, 0.022013),
    (7070, 50, 1): (0.353607, 0.013867, 0.001597),
}


@pytest.mark.parametrize("case", TABLE, ids=str)
def test_bounds_of_the_worked_table(case):
    p, q, cutoff = case
    found = [error_bound(p, q, cutoff, assumption=assumption) for assumption in ASSUMPTIONS]
    np.testing.assert_allclose(found, TABLE[case], atol=6e-7)


@pytest.mark.parametrize(
    ("t", "mean", "m", "power", "value"),
    [
        (10, Fraction(1, 2), 50, 2, 0.0114133944),
        (30, Fraction(2), 50, 2, 0.00946939),
        (50, Fraction(2), 50, 2, 0.000272733),
        (15, Fraction(2), 20, 4, 0.0103154),
        (75, Fraction(5), 100, 4, 0.00121539),
        (10, Fraction(4, 1000), 10, 4, 7.54953e-07),
    ],
)
def test_largest_tails(t, mean, m, power, value):
    assert _largest_tail(t, mean, m, power) == pytest.approx(value, rel=5e-6)


@pytest.mark.parametrize("power", [2, 4])
@pytest.mark.parametrize("mean", [Fraction(1, 50), Fraction(2, 5), Fraction(5, 4), Fraction(3)])
def test_largest_tails_agree_with_trying_many_laws(mean, power):
    for m in (3, 7, 11):
        for t in range(m + 1):
            found = _largest_tail(t, mean, m, power)
            if t <= np.ceil(float(2 * mean)):
                assert found == 1
                continue
            tried = largest_tail(t, float(mean), m, power)
            assert found >= tried * (1 - 1e-9)
            assert found == pytest.approx(tried, rel=2e-3)
            # A law that reaches the largest support has the right mean: no bound may be below its tail.
            masses = law(np.exp(offset_for_mean(float(mean), m, power)), m, power)
            assert mean_of(masses) == pytest.approx(float(mean))
            assert found >= sum(masses[t:]) / sum(masses) * (1 - 1e-9)


def test_the_third_follows_from_two():
    for p, q, pfer, cutoffs in (
        (200, 10, 1, (0.75, 0.63, 0.51)),
        (2000, 20, 0.5, (0.7, 0.61, 0.41)),
        (7070, 50, 1, (0.68, 0.6, 0.39)),
    ):
        found = [error_bound(p, q=q, pfer=pfer, assumption=a) for a in ASSUMPTIONS]
        assert found == list(cutoffs)
    for p, cutoff, pfer, sizes in (
        (200, 0.75, 1, (10, 14, 25)),
        (2000, 0.75, 1, (31, 44, 88)),
        (2000, 0.9, 0.5, (28, 48, 119)),
    ):
        found = [error_bound(p, cutoff=cutoff, pfer=pfer, assumption=a) for a in ASSUMPTIONS]
        assert found == list(sizes)
    assert error_bound(10, cutoff=0.75, pfer=0.001) == 0


def test_cutoffs_are_rounded_up_to_whole_halves():
    first = [error_bound(200, 10, 0.75, n_pairs=25, assumption=a) for a in ASSUMPTIONS]
    assert first == [error_bound(200, 10, 0.76, n_pairs=25, assumption=a) for a in ASSUMPTIONS]
    np.testing.assert_allclose(first, [0.961538, 0.5, 0.14588968], atol=6e-7)
    # 0.7 * 50 is a little more than 35 in floats.
    assert error_bound(100, 5, 0.7, n_pairs=25) == 25 / (100 * 0.4)


# What R's package stabs has for (p, q, cutoff, pairs): unimodal as it prints it, then the result of its search for
# r-concave laws. That search never visits the ends of its intervals, where the largest tail often is.
STABS_UNIMODAL = {(88, 20, 0.8, 50): 3.743316, (32, 15, 0.97, 100): 0.975}
STABS_INSIDE = {
    (88, 20, 0.55, 50): 9.589396,
    (88, 20, 0.6, 50): 6.74199,
    (100, 10, 0.55, 50): 1.921478,
    (100, 10, 0.6, 50): 1.141338,
    (200, 10, 0.6, 50): 0.5210658,
}
STABS_TOO_SMALL = {
    (200, 5, 0.75, 50): 0.03061686,
    (200, 5, 1, 50): 0.0003630367,
    (200, 10, 0.76, 25): 0.1455248,
    (200, 10, 0.9, 50): 0.03376232,
    (2000, 20, 0.9, 50): 0.01220442,
}


def test_bounds_are_those_of_stabs_where_it_is_right():
    for (p, q, cutoff, n_pairs), value in STABS_UNIMODAL.items():
        found = error_bound(p, q, cutoff, n_pairs=n_pairs, assumption="unimodal")
        assert found == pytest.approx(value, rel=5e-4 if value < 1 else 2e-7)  # digits printed
    for (p, q, cutoff, n_pairs), value in STABS_INSIDE.items():
        found = error_bound(p, q, cutoff, n_pairs=n_pairs, assumption="r-concave")
        assert found == pytest.approx(value, rel=1e-5)  # as close as its search goes
        assert found >= value
    for (p, q, cutoff, n_pairs), value in STABS_TOO_SMALL.items():
        found = error_bound(p, q, cutoff, n_pairs=n_pairs, assumption="r-concave")
        assert found > 1.002 * value
        # A law with these masses on all numbers of pairs has the mean allowed and a larger tail than stabs' bound.
        mean = (q / p) ** 2 * n_pairs
        masses = law(np.exp(offset_for_mean(mean, n_pairs, 2)), n_pairs, 2)
        tail = sum(masses[round(2 * n_pairs * cutoff) - n_pairs :]) / sum(masses)
        assert p * tail > value
        assert found == pytest.approx(p * tail, rel=1e-6)


def test_stronger_assumptions_never_give_larger_bounds():
    for p, q, cutoff, n_pairs in ((7070, 2, 0.55, 10), (20, 18, 1, 10), (40, 9, 0.6, 5)):
        bounds = [error_bound(p, q, cutoff, n_pairs=n_pairs, assumption=a) for a in ASSUMPTIONS]
        assert bounds == sorted(bounds, reverse=True)
        assert bounds[0] <= q / cutoff
    assert error_bound(7070, 2, 0.55, n_pairs=10, assumption="r-concave") == pytest.approx(
        0.005658, abs=1e-6
    )
    # Beyond q/p = 1/sqrt(3) the unimodal bound is not valid.
    assert error_bound(20, 18, 1, assumption="unimodal") == error_bound(20, 18, 1)


def test_bounds_rise_with_q_and_fall_with_the_cutoff():
    for assumption in ASSUMPTIONS:
        by_q = [error_bound(60, q, 0.8, n_pairs=10, assumption=assumption) for q in range(30)]
        assert by_q == sorted(by_q)
        assert by_q[0] == 0
        by_cutoff = [
            error_bound(60, 6, wins / 20, n_pairs=10, assumption=assumption)
            for wins in range(11, 21)
        ]
        assert by_cutoff == sorted(by_cutoff, reverse=True)


def test_tiny_shares_are_exact():
    assert 0 < error_bound(10**6, 1, 0.75, assumption="r-concave") < 1e-6


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"p": 0, "q": 1, "cutoff": 0.7}, "p must"),
        ({"p": 10, "q": 1}, "exactly two of q, cutoff and pfer must be given, got q"),
        ({"p": 10, "q": 1, "cutoff": 0.7, "pfer": 1}, "exactly two"),
        (
            {"p": 10, "q": 11, "cutoff": 0.7},
            "q must be a number of at least 0 and of at most 10, got 11",
        ),
        (
            {"p": 10, "q": 1, "cutoff": 0.5},
            "cutoff must be a number above 0.5 and of at most 1, got 0.5",
        ),
        ({"p": 10, "q": 1, "cutoff": 1.1}, "cutoff must be a number above"),
        ({"p": 10, "q": 1, "cutoff": 0.7, "n_pairs": 1}, "n_pairs"),
        ({"p": 10, "q": 1, "cutoff": 0.7, "assumption": "normal"}, "assumption must be one of"),
        ({"p": 10, "q": 5, "pfer": 0.5}, "no cutoff keeps pfer=0.5 with q=5.*at most 2 features"),
        ({"p": 10, "q": 5, "pfer": 0.1}, "Choose at most 1 feature on a half"),
        ({"p": 10, "q": 5, "pfer": 0.01}, "Not even q=1 does. Set a pfer of at least 0.1"),
    ],
)
def test_bad_input(given, message):
    with pytest.raises(ValueError, match=message):
        error_bound(**given)

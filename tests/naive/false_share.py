"""The share of false features estimated with artificial ones, written from the definition."""

from __future__ import annotations

from fractions import Fraction


def false_shares(real_counts, artificial_counts, n_lists, n_columns):
    """Return FDP+ at 0, 0.01, ..., 0.99 of `n_columns` columns, some of which have an artificial copy."""
    share_copied = Fraction(len(artificial_counts), n_columns)
    shares = []
    for hundredth in range(100):
        t = Fraction(hundredth, 100)
        real = sum(Fraction(count, n_lists) > t for count in real_counts)
        artificial = sum(Fraction(count, n_lists) > t for count in artificial_counts)
        shares.append((1 + artificial / share_copied) / max(1, real))
    return shares


def least(shares):
    """Return the first hundredth of the least share, and that share."""
    best = min(shares)
    return shares.index(best), best

"""The benchmark of false selections, in loops."""

from __future__ import annotations


def mean_false(orders, false, n_steps):
    """Average the number of false features among the first 1, 2, ... of the lists; shorter lists keep their last."""
    means = []
    for step in range(1, n_steps + 1):
        counts = [sum(1 for feature in order[:step] if false[feature]) for order in orders]
        means.append(sum(counts) / len(orders))
    return means

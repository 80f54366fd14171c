"""Which scores are equal: those computed, from measures that were rounded once; of equal ones the first column wins.

Information on whole counts is the logarithm of a rational number, over n: `power` is that number, so that scores which
are equal on paper are known exactly.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import partial
from math import prod

import numpy as np
import pytest

from tests.naive.measures_discrete import measure, three_way
from thresher import CFS, CIFE, CMIM, DISR, ICAP, JMI, JMIM, MIM, MRMR, NMIFS, Ensemble

STEP = 2.0**-40

pytestmark = pytest.mark.filterwarnings("ignore:y has")


def power(*columns):
    """Return 2 to the sum of c log2 c over the counts of the columns together."""
    return prod(count**count for count in Counter(zip(*columns, strict=True)).values())


def mutual(f, y):
    return Fraction(len(y) ** len(y) * power(f, y), power(f) * power(y))


def joint(f, g, y):
    return Fraction(len(y) ** len(y) * power(f, g, y), power(f, g) * power(y))


def exact_score(criterion, f, selected, y):
    """Return 2 to the n times the score; for MRMR, to the n times the score and the number of selected features."""
    if not selected:
        return mutual(f, y)
    if criterion is JMI:
        return prod(joint(f, g, y) for g in selected)
    if criterion is CIFE:  # I(f;g) - I(f;g|C) is I(f;C) + I(g;C) - I(f,g;C)
        gains = (joint(f, g, y) / mutual(f, y) / mutual(g, y) for g in selected)
        return mutual(f, y) * prod(gains)
    return mutual(f, y) ** len(selected) / prod(mutual(f, g) for g in selected)


def computed_score(criterion, f, selected, y):
    """Return the score from rounded measures, and the number of them."""
    levels = [int(column.max()) + 1 for column in (f, y)]
    relevance = measure(f, y, "mi", *levels)
    if not selected:
        return relevance, 1
    k = len(selected)
    if criterion is MRMR:
        pairs = [measure(f, g, "mi", levels[0], int(g.max()) + 1) for g in selected]
        return relevance - sum(pairs) / k, 2  # a mean is off by no more than one of its terms
    triples = [three_way(f, g, y, levels[0], int(g.max()) + 1, levels[1]) for g in selected]
    if criterion is JMI:
        return sum(triple["joint"] for triple in triples), k
    return relevance - sum(triple["interaction"] for triple in triples), k + 1


SELECTORS = {JMI: JMI, CIFE: CIFE, MRMR: partial(MRMR, relevance="mi", redundancy="mi")}


def tables(n_tables):
    rng = np.random.default_rng(5)
    for _ in range(n_tables):
        n, p = int(rng.integers(6, 12)), int(rng.integers(3, 6))
        X, y = rng.integers(0, 3, size=(n, p)), rng.integers(0, 3, size=n)
        X[0], X[1], y[:2] = 0, 1, (0, 1)
        yield (
            [np.unique(x, return_inverse=True)[1] for x in X.T],
            np.unique(y, return_inverse=True)[1],
        )


@pytest.mark.parametrize("criterion", SELECTORS, ids=lambda criterion: criterion.__name__)
def test_scores_equal_on_paper_differ_by_a_step_per_measure_at_most(criterion):
    n_ties = n_apart = 0
    for columns, y in tables(60):
        order = (
            SELECTORS[criterion](len(columns)).fit(np.stack(columns, axis=1), y).selected_.tolist()
        )
        for step, chosen in enumerate(order):
            selected = [columns[f] for f in order[:step]]
            left = sorted(order[step:])
            scores = {f: computed_score(criterion, columns[f], selected, y) for f in left}
            best = max(score for score, _ in scores.values())
            assert chosen == next(f for f in left if scores[f][0] == best)
            exact = {f: exact_score(criterion, columns[f], selected, y) for f in left}
            for f in left:
                if f != chosen and exact[f] == exact[chosen]:
                    n_ties += 1
                    apart = abs(scores[f][0] - best)
                    assert apart <= 1.001 * STEP * scores[f][1]
                    n_apart += apart > 0
    assert n_ties > 20
    if criterion is CIFE:
        assert n_apart > 0


def test_a_column_with_a_larger_computed_score_comes_before_one_equal_on_paper():
    columns = np.array(
        [[0, 0, 2, 2, 2, 1, 1], [3, 2, 3, 3, 0, 1, 0], [1, 2, 2, 0, 0, 1, 2], [2, 1, 1, 0, 2, 2, 0]]
    )
    y = np.array([0, 1, 2, 0, 1, 1, 2])
    assert JMI(3, discretize=None).fit(columns.T, y).selected_.tolist() == [1, 2, 3]
    selected = [columns[1], columns[2]]
    exact = [exact_score(JMI, columns[f], selected, y) for f in (0, 3)]
    computed = [computed_score(JMI, columns[f], selected, y)[0] for f in (0, 3)]
    assert exact[0] == exact[1]
    assert computed[1] - computed[0] == STEP


@pytest.mark.parametrize(
    "selector",
    [
        *(kind(6) for kind in (JMI, JMIM, CMIM, DISR, CIFE, ICAP, MIM, NMIFS)),
        MRMR(6, relevance="mi", redundancy="su"),
        MRMR(6, relevance="mi", redundancy="mi", redundancy_weight=0.3),
        CFS(6),
        Ensemble(JMI(6), n_parts=3),
    ],
    ids=repr,
)
@pytest.mark.filterwarnings("ignore:.*requested features")
def test_the_first_of_a_column_and_its_copy_is_selected_first(selector):
    rng = np.random.default_rng(1)
    for _ in range(10):
        X, y = rng.integers(0, 4, size=(40, 3)), rng.integers(0, 3, size=40)
        renamed = np.array([2, 0, 3, 1])[X]
        order = selector.fit(np.hstack([X, renamed]), y).selected_.tolist()
        for f in range(3):
            assert f + 3 not in order or order.index(f) < order.index(f + 3)

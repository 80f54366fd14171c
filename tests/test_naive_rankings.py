"""The slow reference implementations give the numbers worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.naive import dispersion, rankings

X = np.array(
    [
        [1, 2, 3, 4, 10, 4],
        [2, 4, 6, 8, 20, 8],
        [0, 0, 1, 0, 0, 3],
        [5, 1, 4, 2, 3, 3],
        [0, 0, 0, 0, -8, 0],
        [3, 3, 3, 3, 3, 3],
    ],
    dtype=float,
).T
Y = [0, 0, 0, 1, 1, 1]
Z = np.array([[0, 1, 2, 10, 11, 13], [0, 0, 1, 0, 1, 1], [5, 3, 4, 4, 5, 3], [1] * 6], float).T
Q = np.array(
    [
        [0, 0, 0, 1, 1, 1, 2, 2],
        [0, 0, 1, 1, 1, 0, 1, 0],
        [1, 1, 0, 0, 1, 0, 1, 0],
        [0, 1, 0, 1, 0, 1, 0, 1],
        [0, 0, 0, 1, 1, 1, 2, 2],
        [0, 0, 1, 0, 0, 1, 1, 0],
        [0, 0, 0, 1, 1, 1, 1, 0],
    ]
).T
QY = [0, 0, 0, 1, 1, 1, 1, 0]

WORKED = {
    "variance": [8.3333333333, 33.3333333333, 1.2222222222, 1.6666666667, 8.8888888889, 0],
    "mad": [2, 4, 0.8888888889, 1, 2.2222222222, 0],
    "mean-median": [0.5, 1, 0.6666666667, 0, 1.3333333333, 0],
    "iqr": [1.75, 3.5, 0.75, 1.5, 0, 0],
    "amgm": [4.2145488502, 10.2082537784, 0.8301182322, 0.7427745063, 1.1510788668, 0],
    "fir": [1.3587324410, 1.3587324410, 0.4472135955, 0.3779644730, 0.7071067812, 0],
    "fisher": [0.9230769231, 0.9230769231, 0.1, 0.0714285714, 0.25, 0],
}


@pytest.mark.parametrize("measure", WORKED)
def test_reference_implementations_give_the_worked_relevances(measure):
    found = [dispersion.relevance(X[:, i], measure, Y) for i in range(6)]
    assert found == pytest.approx(WORKED[measure], abs=1e-9)


def test_reference_implementations_give_the_worked_am_gm():
    assert dispersion.am_gm(X[:, 0]) == pytest.approx(1.2735464389, abs=1e-9)
    assert dispersion.am_gm(X[:, 3]) == pytest.approx(1.1247884236, abs=1e-9)


@pytest.mark.parametrize(
    ("pair", "cosine", "pearson", "mici", "su"),
    [
        ((0, 1), 1, 1, 1, 1),
        ((0, 2), 0.3925679419, 0.0522232968, 0.0031942690, 0.5242524223),
        ((0, 3), 0.7138100789, 0.1341640786, 0.0223748416, 0.8519590445),
        ((0, 4), 0.8276058886, 0.9295160031, 0.9272451960, 0.4480361626),
        ((1, 4), 0.8276058886, 0.9295160031, 0.8900882985, 0.4480361626),
        ((2, 3), 0.5138701198, 0.1167748416, 0.0454545455, 0.5242524223),
        ((2, 4), 0, 0.2696799450, 0.0832174667, 0.1148163410),
        ((3, 4), 0.375, 0, 0, 0.2182819533),
        ((0, 5), 0.8108848541, 0, 0, 0),
    ],
)
def test_reference_implementations_give_the_worked_similarities(pair, cosine, pearson, mici, su):
    a, b = X[:, pair[0]], X[:, pair[1]]
    for name, value in {"cosine": cosine, "pearson": pearson, "mici": mici, "su": su}.items():
        assert dispersion.similarity(a, b, name) == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize(
    ("measure", "order", "counts", "kept"),
    [
        ("mad", [1, 4, 0, 3, 2, 5], (5, 3), [1, 3, 2]),
        ("variance", [1, 4, 0, 3, 2, 5], (4, 3), [1, 3, 2]),
        ("mean-median", [4, 1, 2, 0, 3, 5], (4, 3), [4, 2, 0]),
        ("amgm", [1, 0, 4, 2, 3, 5], (4, 2), [1, 2, 3]),
    ],
)
def test_reference_implementation_walks_as_worked(measure, order, counts, kept):
    values = [dispersion.relevance(X[:, i], measure) for i in range(6)]
    assert dispersion.ranked(values) == order
    assert tuple(dispersion.cumulative_count(values, level) for level in (0.95, 0.8)) == counts
    assert dispersion.rrfs(X, values, 6, 0.8, "cosine")[0] == kept


def test_reference_implementation_codes_and_difficulty_as_worked():
    codes = ["".join(map(str, dispersion.equal_frequency_codes(x, 8))) for x in X.T.tolist()]
    assert codes == ["012343", "012343", "001002", "403122", "111101", "000000"]
    assert dispersion.difficulty_ratio(X, Y) == 0.75


@pytest.mark.parametrize(
    ("call", "worked"),
    [
        (lambda: rankings.relief(Z, Y), [0.5256410256, -1 / 3, -0.5, 0]),
        (lambda: rankings.relieff(Z, Y, 1), [0.6282051282, -1 / 3, -1 / 3, 0]),
        (lambda: rankings.relieff(Z, Y, 2), [2 / 3, -1 / 3, -1 / 3, 0]),
        (lambda: rankings.relieff(Z, Y, 10), [2 / 3, -1 / 9, -2 / 9, 0]),
        (
            lambda: rankings.relieff(Z, [0, 0, 1, 1, 1, 2], 2),
            [0.2957264957, 0.2194444444, 0.0527777778, 0],
        ),
    ],
)
def test_relief_reference_implementations_give_the_worked_weights(call, worked):
    assert call() == pytest.approx(worked, abs=1e-9)


@pytest.mark.parametrize(
    ("weight", "bandwidth", "worked"),
    [
        ("binary", None, [0.0599400599, 1.3333333333, 1.5]),
        ("heat", 10, [0.0504928503, 1.3853182628, 1.4741347636]),
        ("heat", None, [0.0457382687, 1.4345292519, 1.4492027357]),
    ],
)
def test_laplacian_reference_implementation_gives_the_worked_scores(weight, bandwidth, worked):
    W = rankings.neighbour_graph(Z, 2, weight, bandwidth)
    assert [rankings.laplacian_score(Z[:, i], W) for i in range(3)] == pytest.approx(
        worked, abs=1e-9
    )
    assert math.isnan(rankings.laplacian_score(Z[:, 3], W))


def test_spec_reference_implementation_gives_the_worked_scores():
    W = rankings.neighbour_graph(Z, 2, "binary")
    found = [[rankings.spec(Z[:, i], W, form, 2) for i in range(3)] for form in ("phi1", "phi3")]
    assert found[0] == pytest.approx([0.0253164557, 0.6666666667, 0.06], abs=1e-9)
    assert found[1] == pytest.approx([0.8109704641, 0.1111111111, 0], abs=1e-9)
    assert rankings.spec(Z[:, 0], W, "phi2") == pytest.approx(0.0599400599, abs=1e-9)


def test_lw_reference_implementation_gives_the_worked_values():
    sets = {(0,): 7.6666666667, (1,): -1, (2,): -2, (0, 1): 7.4371846832, (0, 2): 6.9754691393}
    for chosen, value in sets.items():
        assert rankings.lw_index(Z[:, chosen], Y) == pytest.approx(value, abs=1e-9)
    assert rankings.lw_index(Z[:, [0]], Y, "mean") == pytest.approx(8.5555555556, abs=1e-9)
    assert rankings.sfs_lw(Z, Y) == [0]
    assert rankings.sfs_lw(Z, Y, 3) == [0, 3, 1]


def test_s3f_reference_implementation_gives_the_worked_clusters():
    score, medoids, clusters, selected = rankings.s3f(Q, QY, kmax=4)
    assert score == pytest.approx(0.5862908507, abs=1e-9)
    assert medoids == [6, 1]
    assert clusters == [[0, 4, 6], [1, 2, 3, 5]]
    assert selected == [6, 0, 1, 2]

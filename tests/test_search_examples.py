"""Worked examples, and evaluation counts on real data, as published for the method."""

from __future__ import annotations

import numpy as np
import pytest

from tests.naive.cfs import cfs_best_first as naive_best_first
from thresher import _core


def columns(text):
    """Return one column of digits per word."""
    return np.array([[int(c) for c in word] for word in text.split()]).T


X = columns("0000111122 0000111011 0011001111 0101010110 1111111111 0000010110")
Y = columns("0000010111").ravel()
NOT_CONSTANT = np.array([1, 1, 1, 1, 0, 1], np.uint8)


def discrete(X, y, measure="mi", parts=None, n_threads=1):
    """Return the measure between features, and the relevances, one row per replicate."""
    codes = np.unique(y, return_inverse=True)[1].astype(np.int32)
    table = _core.CodedTable.from_dense(X, parts=parts)
    relevance = table.relevance(codes, int(codes.max()) + 1, measure)
    relevance = np.ascontiguousarray(relevance).reshape(-1, X.shape[1])
    return _core.DiscretePairMeasure(table, measure, n_threads), relevance


def test_relevances_and_redundancies_of_the_example():
    measure, relevance = discrete(X, Y)
    np.testing.assert_allclose(
        relevance[0],
        [0.570950594455, 0.124511249784, 0.046439344671, 0.124511249784, 0, 0.556779649447],
        atol=1e-12,
    )
    np.testing.assert_allclose(
        measure.values(0, np.array([1, 2, 3, 4, 5], np.uint32)).ravel(),
        [0.675488750217, 0.170950594455, 0, 0, 0.281290899231],
        atol=1e-12,
    )


@pytest.mark.parametrize("strategy", ["lazy", "scan", "naive"])
@pytest.mark.parametrize(
    ("options", "selected", "scores"),
    [
        (
            {},
            [0, 5, 2, 3, 1],
            [0.570950594455, 0.275488750216, -0.041937027063, -0.007427284218, -0.060336177797],
        ),
        ({"weight": 0.5}, [0, 5, 3, 2, 1], None),
        ({"weight": 2.0}, [0, 3, 5, 2, 1], None),
        (
            {"objective": "quotient"},
            [0, 3, 5, 2, 1],
            [0.570950594, np.inf, 1.644585153, 0.788208609, 0.673589302],
        ),
        ({"objective": "quotient", "offset": 1e-4}, [0, 3, 5, 2, 1], None),
    ],
)
def test_mrmr_of_the_example(strategy, options, selected, scores):
    measure, relevance = discrete(X, Y)
    result = _core.greedy_forward(
        measure, relevance[0], 6, strategy=strategy, candidates=NOT_CONSTANT, **options
    ).result()
    assert result.selected.tolist() == selected
    if scores is not None:
        np.testing.assert_allclose(result.scores, scores, atol=1e-9)
    if not options:
        assert result.n_evaluations == 10
    if options.get("offset"):
        assert result.scores[1] == pytest.approx(1245.112497836, abs=1e-8)


def test_a_constant_candidate_would_be_preferred_to_a_redundant_one():
    measure, relevance = discrete(X, Y)
    assert _core.greedy_forward(measure, relevance[0], 6).result().selected.tolist() == [
        0,
        5,
        4,
        3,
        2,
        1,
    ]


@pytest.mark.parametrize("strategy", ["lazy", "scan", "naive"])
@pytest.mark.parametrize(
    ("text", "target", "candidates", "selected"),
    [
        (
            "10111011 01001000 01011110 01111110 01010101 10100100 01000110 00010111",
            "11011100",
            None,
            [0, 1, 2, 4],
        ),
        (
            "01001100 00000000 01000011 00100011 10111100 01011100 00111001 01100011",
            "01011011",
            np.array([1, 0, 1, 1, 1, 1, 1, 1], np.uint8),
            [2, 0, 6, 4],
        ),
    ],
)
def test_ties_prefer_the_lower_index(strategy, text, target, candidates, selected):
    measure, relevance = discrete(columns(text), columns(target).ravel())
    result = _core.greedy_forward(
        measure, relevance[0], 4, strategy=strategy, candidates=candidates
    ).result()
    assert result.selected.tolist() == selected


@pytest.mark.parametrize(("strategy", "n_evaluations"), [("lazy", 1), ("cached", 9)])
def test_cfs_of_the_example(strategy, n_evaluations):
    measure, relevance = discrete(X, Y, "su")
    result = _core.cfs_forward(measure, relevance[0], strategy=strategy).result()
    assert result.selected.tolist() == [5, 0]
    np.testing.assert_allclose(result.scores, [0.601195525902, 0.674238570323], atol=1e-12)
    assert result.n_evaluations == n_evaluations


def test_best_first_and_fcbf_of_the_example():
    measure, relevance = discrete(X, Y, "su")
    assert _core.cfs_best_first(measure, relevance[0]).selected.tolist() == [0, 5]
    result = _core.fcbf(measure, relevance[0]).result()
    assert result.selected.tolist() == [5, 0]
    assert result.n_evaluations == 6


ENSEMBLE_X = np.array(
    [
        [1, 1, 1, 2, 0],
        [0, 0, 0, 0, 0],
        [1, 0, 0, 2, 2],
        [0, 0, 1, 2, 2],
        [1, 0, 2, 0, 0],
        [0, 1, 2, 0, 0],
        [0, 1, 2, 0, 0],
        [0, 0, 1, 1, 0],
        [0, 1, 0, 0, 1],
        [0, 2, 1, 1, 2],
        [1, 2, 1, 2, 2],
        [2, 1, 0, 2, 1],
    ]
)
ENSEMBLE_Y = np.array([1, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1])


@pytest.mark.parametrize("strategy", ["lazy", "scan", "dense"])
@pytest.mark.parametrize(
    ("objective", "lists", "plain", "inner"),
    [
        ("difference", [[1, 3, 0], [1, 0, 4], [1, 0, 2]], [1, 0, 2], [1, 0, 2]),
        ("quotient", [[1, 3, 0], [1, 0, 4], [1, 2, 0]], [1, 0, 4], [1, 0, 4]),
    ],
)
def test_ensemble_of_the_example(strategy, objective, lists, plain, inner):
    parts = (np.arange(12) % 3).astype(np.int32)
    measure, relevance = discrete(ENSEMBLE_X, ENSEMBLE_Y, parts=parts)
    np.testing.assert_allclose(
        relevance[1], [0.110073, 0.811278, 0.122556, 0.311278, 0.466917], atol=1e-6
    )
    np.testing.assert_allclose(
        measure.values(1, np.array([0], np.uint32))[0], [0.561278, 0.191951, 0.048795], atol=1e-6
    )
    result = _core.greedy_ensemble(measure, relevance, 3, objective=objective, strategy=strategy)
    assert [one.selected.tolist() for one in result.replicates] == lists
    summed = _core.SummedReplicates(measure, [0, 1, 2])
    found = _core.greedy_forward(summed, relevance.sum(axis=0), 3, objective=objective).result()
    assert found.selected.tolist() == inner
    measure, relevance = discrete(ENSEMBLE_X, ENSEMBLE_Y)
    found = _core.greedy_forward(measure, relevance[0], 3, objective=objective).result()
    assert found.selected.tolist() == plain


@pytest.mark.parametrize(
    ("name", "naive", "scan", "lazy", "first"),
    [
        ("lung_small", 14_700, 5_042, 5_062, None),
        (
            "colon",
            96_775,
            19_901,
            19_901,
            [764, 1581, 1671, 512, 1670, 1324, 1380, 1971, 1422, 1411],
        ),
        ("lymphoma", 196_049, 14_044, 14_044, None),
        (
            "leukemia",
            345_205,
            15_675,
            15_673,
            [3192, 4387, 4787, 6795, 1774, 2294, 2061, 1719, 1822, 1084],
        ),
        ("nci9", 474_663, 8_671, 8_670, None),
    ],
)
def test_evaluation_counts_of_mrmr(load_real, name, naive, scan, lazy, first):
    measure, relevance = discrete(*load_real(name))
    results = {
        strategy: _core.greedy_forward(measure, relevance[0], 50, strategy=strategy).result()
        for strategy in ("naive", "scan", "lazy")
    }
    counts = {strategy: result.n_evaluations for strategy, result in results.items()}
    assert counts == {"naive": naive, "scan": scan, "lazy": lazy}
    selected = {tuple(result.selected.tolist()) for result in results.values()}
    assert len(selected) == 1
    if first is not None:
        assert selected.pop()[:10] == tuple(first)


@pytest.mark.parametrize(
    ("name", "scan", "best_first"),
    [("colon", 25_112, 25_111), ("lymphoma", 142_531, 142_531), ("leukemia", 123_405, 123_402)],
)
def test_evaluation_counts_of_the_quotient(load_real, name, scan, best_first):
    measure, relevance = discrete(*load_real(name))
    options = {"objective": "quotient", "offset": 1e-4}
    found = [
        _core.greedy_forward(measure, relevance[0], 50, strategy=strategy, **options).result()
        for strategy in ("scan", "lazy")
    ]
    assert [result.n_evaluations for result in found] == [scan, best_first]
    assert found[0].selected.tolist() == found[1].selected.tolist()


@pytest.mark.parametrize(
    ("name", "size", "cached", "lazy"),
    [
        ("lung_small", 63, 18_459, 15_498),
        ("colon", 17, 33_847, 3_068),
        ("lymphoma", 190, 746_795, 571_696),
        ("leukemia", 28, 197_554, 27_345),
    ],
)
def test_evaluation_counts_of_cfs(load_real, name, size, cached, lazy):
    measure, relevance = discrete(*load_real(name), "su")
    results = [
        _core.cfs_forward(measure, relevance[0], strategy=strategy).result()
        for strategy in ("cached", "lazy")
    ]
    assert [result.n_evaluations for result in results] == [cached, lazy]
    assert results[0].selected.tolist() == results[1].selected.tolist()
    assert len(results[0].selected) == size


@pytest.mark.parametrize(
    ("name", "size", "merit"), [("colon", 20, 0.499907), ("lymphoma", 198, 1.132683)]
)
def test_best_first_finds_more_than_greedy(load_real, name, size, merit):
    measure, relevance = discrete(*load_real(name), "su")
    result = _core.cfs_best_first(measure, relevance[0])
    assert len(result.selected) == size
    assert result.merit == pytest.approx(merit, abs=1e-6)


def test_best_first_on_real_data_is_the_naive_one(load_real):
    X, y = load_real("lung_small")
    X = X[:, :40]
    measure, relevance = discrete(X, y, "su")
    everything = np.arange(40, dtype=np.uint32)
    table = np.array([measure.values(int(g), everything).ravel() for g in everything])
    result = _core.cfs_best_first(measure, relevance[0])
    expected = naive_best_first(relevance[0].tolist(), table.tolist())
    assert result.selected.tolist() == expected[0]


@pytest.mark.parametrize(
    ("name", "size", "n_pairs"), [("colon", 9, 2_645), ("lymphoma", 986, 906_551)]
)
def test_pairs_of_fcbf(load_real, name, size, n_pairs):
    measure, relevance = discrete(*load_real(name), "su")
    result = _core.fcbf(measure, relevance[0]).result()
    assert len(result.selected) == size
    assert result.n_evaluations == n_pairs
    if name == "colon":
        assert result.selected.tolist() == [764, 512, 1581, 1411, 1971, 414, 1380, 142, 285]


@pytest.mark.parametrize(("n_parts", "union"), [(5, 30), (10, 49), (20, 57)])
def test_unions_of_published_ensembles(load_real, n_parts, union):
    X, y = load_real("colon")
    parts = (np.arange(len(y)) % n_parts).astype(np.int32)
    measure, relevance = discrete(X, y, parts=parts)
    lists = {}
    for strategy in ("lazy", "dense"):
        result = _core.greedy_ensemble(
            measure, relevance, 10, objective="quotient", strategy=strategy
        )
        lists[strategy] = [one.selected.tolist() for one in result.replicates]
        assert len({f for entries in lists[strategy] for f in entries[:9]}) == union
    assert lists["lazy"] == lists["dense"]


def test_threads_change_neither_lists_nor_counts(load_real):
    X, y = load_real("lung_small")
    parts = (np.arange(len(y)) % 5).astype(np.int32)
    found = []
    for n_threads in (1, 7):
        measure, relevance = discrete(X, y, n_threads=n_threads)
        plain = _core.greedy_forward(measure, relevance[0], 30).result()
        measure, relevance = discrete(X, y, parts=parts, n_threads=n_threads)
        result = _core.greedy_ensemble(measure, relevance, 30)
        found.append(
            (
                plain.selected.tolist(),
                plain.scores.tolist(),
                plain.n_evaluations,
                [one.selected.tolist() for one in result.replicates],
                result.n_evaluations,
            )
        )
    assert found[0] == found[1]

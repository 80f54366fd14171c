"""The share of false features, estimated with artificial ones."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.feature_selection import SelectKBest

from thresher import MRMR, Ensemble, FisherScore
from thresher.evaluate import estimate_false_share
from thresher.evaluate.false_share import _estimate, with_artificial

from .naive.false_share import false_shares, least


def problem(n=120, p=20, seed=0, signal=True):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = rng.integers(0, 2, n)
    if signal:
        X[:, :4] += 1.5 * y[:, None]
    return X, y


def voting(selector, kind="halves"):
    return Ensemble(selector, 10, kind=kind, n_pairs=5, random_state=1)


@pytest.mark.parametrize("n_copied", [20, 7])
def test_shares_are_those_of_the_definition(n_copied):
    rng = np.random.default_rng(n_copied)
    for n_lists in (7, 10, 50, 100):
        lists = [rng.choice(20 + n_copied, 6, replace=False).tolist() for _ in range(n_lists)]
        lists = [[f // 2 if rng.random() < 0.5 else f for f in entries] for entries in lists]
        lists = [list(dict.fromkeys(entries)) for entries in lists]
        counts = [sum(f in entries for entries in lists) for f in range(20 + n_copied)]
        found = _estimate(lists, 20, n_copied, 20, 1.0, None)
        shares = false_shares(counts[:20], counts[20:], n_lists, 20)
        assert found.shares.tolist() == [float(share) for share in shares]
        best, share = least(shares)
        assert (found.threshold, found.share) == (best / 100, float(share))
        above = {f for f in range(20) if counts[f] * 100 > best * n_lists}
        assert set(found.selected) == (above if share <= 1 else set())


@pytest.mark.parametrize("kind", ["array", "csr", "csc", "pandas", "polars"])
@pytest.mark.parametrize("share", [1.0, 0.4])
def test_artificial_columns_are_permuted_each_by_itself(kind, share):
    X, _ = problem(n=60)
    X[X < 0] = 0
    names = [f"g{i}" for i in range(20)]
    given = {
        "array": lambda: X,
        "csr": lambda: sparse.csr_matrix(X),
        "csc": lambda: sparse.csc_array(X),
        "pandas": lambda: pd.DataFrame(X, columns=names, index=np.arange(60)[::-1]),
        "polars": lambda: pl.DataFrame(X, schema=names),
    }[kind]()
    features = np.delete(np.arange(20), [3, 11])
    table, origin = with_artificial(given, features, share, seed=5)
    assert type(table).__module__.split(".")[0] == type(given).__module__.split(".")[0]
    values = table.toarray() if sparse.issparse(table) else np.asarray(table)
    n_copied = round(18 * share)
    assert values.shape == (60, 18 + n_copied)
    assert sorted(origin) == [*features, *range(20, 20 + n_copied)]
    sorted_columns = {tuple(np.sort(X[:, f])): f for f in features}
    sources = []
    for column, number in zip(values.T, origin, strict=True):
        if number < 20:
            np.testing.assert_array_equal(column, X[:, number])
            continue
        source = sorted_columns[tuple(np.sort(column))]
        sources.append(source)
        assert (column != X[:, source]).any()
    assert len(set(sources)) == n_copied
    # The same permutations for every container of the numbers.
    np.testing.assert_array_equal(values, with_artificial(X, features, share, seed=5)[0])


@pytest.mark.parametrize("selector", [MRMR(6), FisherScore(6)], ids=repr)
@pytest.mark.parametrize("kind", ["halves", "bagging", "full"])
def test_votes_are_those_of_the_ensemble_on_both_kinds_of_columns(selector, kind):
    X, y = problem()
    found = estimate_false_share(voting(selector, kind), X, y, level=0.5, random_state=3)
    seed = np.random.RandomState(3).randint(np.iinfo(np.int32).max)
    table, origin = with_artificial(X, np.arange(20), 1.0, seed)
    votes = np.empty(40)
    votes[origin] = voting(selector, kind).fit(table, y).votes_
    np.testing.assert_array_equal(np.r_[found.votes, found.artificial_votes], votes)
    assert set(found.selected[:4]) == {0, 1, 2, 3}
    assert found.share <= 0.5


def test_a_plain_selector_votes_on_halves():
    X, y = problem()
    found = estimate_false_share(MRMR(6), X, y, level=0.5, random_state=3)
    assert set(np.round(found.votes * 100)) <= set(range(101))
    assert {0, 1, 2, 3} <= set(found.selected)
    assert "an estimate, not a bound" in str(found)
    again = estimate_false_share(MRMR(6), X, y, level=0.5, random_state=3)
    np.testing.assert_array_equal(found.shares, again.shares)
    assert estimate_false_share(voting(SelectKBest(k=6)), X, y, random_state=0).votes.max() == 1


def test_nothing_is_selected_above_the_level():
    X, y = problem(signal=False)
    found = estimate_false_share(MRMR(6), X, y, random_state=1)
    assert found.share > found.level == 0.2
    assert len(found.selected) == 0
    assert str(found) == (
        f"estimated share of false features {found.share:.2f} above {found.threshold:.2f} of the votes: "
        "no feature selected at level 0.2"
    )
    freely = estimate_false_share(MRMR(6), X, y, level=1, random_state=1)
    assert (freely.share, freely.threshold) == (found.share, found.threshold)


def test_excluded_features_have_no_vote_and_no_copy():
    X, y = problem()
    frame = pd.DataFrame(X, columns=[f"g{i}" for i in range(20)])
    frame["id"] = [f"patient {i}" for i in range(120)]
    found = estimate_false_share(MRMR(6, exclude=["g0", "id"]), frame, y, level=1, random_state=0)
    assert found.votes[0] == found.votes[20] == 0
    assert len(found.artificial_votes) == 19
    assert set(found.names[:3]) == {"g1", "g2", "g3"}
    by_number = estimate_false_share(MRMR(6, exclude=[0]), X, y, level=1, random_state=0)
    np.testing.assert_array_equal(by_number.votes, found.votes[:20])


@pytest.mark.parametrize(
    ("selector", "options", "message"),
    [
        (MRMR(3), {"level": 0}, "level must be a number above 0 and of at most 1, got 0"),
        (MRMR(3), {"level": 1.5}, "level must be a number above 0 and of at most 1, got 1.5"),
        (MRMR(3), {"artificial": 0}, "artificial must be a number above 0 and of at most 1, got 0"),
        (MRMR(3), {"artificial": "all"}, "artificial must be a number"),
        (MRMR(3, keep=[1]), {}, r"keep=\[1\] would give features votes in every replicate"),
        (voting(MRMR(3), "inner"), {}, 'kind="inner" makes one selection without votes'),
        (MRMR(3, exclude=[77]), {}, "exclude"),
    ],
)
def test_bad_input_gets_a_one_line_error(selector, options, message):
    X, y = problem()
    with pytest.raises(ValueError, match=message):
        estimate_false_share(selector, X, y, **options)


def test_one_dimension_is_rejected():
    with pytest.raises(ValueError, match="X must have rows and columns"):
        estimate_false_share(MRMR(3), np.arange(5), np.arange(5))

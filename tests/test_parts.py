"""Parts of rows, bootstrap samples and votes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.naive.replicates import take_vote
from thresher._utils.random import Purpose, stream
from thresher.search.ensemble import (
    PART_KINDS,
    assign_parts,
    bootstrap_counts,
    combine_votes,
    count_votes,
    draw_halves,
    draw_seed,
)


def test_parts_of_seven_rows():
    assert assign_parts(7, 3).tolist() == [0, 1, 2, 0, 1, 2, 0]
    assert assign_parts(7, 3, "contiguous").tolist() == [0, 0, 0, 1, 1, 2, 2]
    by_class = assign_parts(7, 3, "stratified", target=[1, 0, 1, 0, 1, 0, 0])
    assert by_class.tolist() == [1, 0, 2, 1, 0, 2, 0]


@given(st.sampled_from(PART_KINDS), st.integers(2, 40), st.data())
@examples(80)
def test_every_kind_gives_every_part_its_share(kind, n_rows, data):
    n_parts = data.draw(st.integers(2, n_rows))
    target = data.draw(st.lists(st.integers(0, 2), min_size=n_rows, max_size=n_rows))
    part = assign_parts(n_rows, n_parts, kind, target=target, seed=data.draw(st.integers(0, 9)))
    sizes = np.bincount(part, minlength=n_parts)
    assert len(sizes) == n_parts
    assert sizes.max() - sizes.min() <= 1
    assert sizes.min() >= 1
    if kind == "stratified":
        for label in set(target):
            of_class = np.bincount(part[np.array(target) == label], minlength=n_parts)
            assert of_class.max() - of_class.min() <= 1


def test_shuffled_parts_depend_on_the_seed_alone():
    first = assign_parts(50, 5, "shuffled", seed=1)
    np.testing.assert_array_equal(first, assign_parts(50, 5, "shuffled", seed=1))
    assert not np.array_equal(first, assign_parts(50, 5, "shuffled", seed=2))


def test_bootstrap_samples_do_not_depend_on_how_many_are_drawn():
    many, few = bootstrap_counts(30, 8, seed=5), bootstrap_counts(30, 3, seed=5)
    np.testing.assert_array_equal(many[:3], few)
    assert many.sum(axis=1).tolist() == [30] * 8
    assert len({row.tobytes() for row in many}) == 8
    # About a share of exp(-1) of the rows is not drawn.
    assert np.mean(bootstrap_counts(200, 50, seed=0) == 0) == pytest.approx(np.exp(-1), abs=0.02)


def test_seeds_come_from_anything_scikit_learn_takes():
    assert draw_seed(3) == draw_seed(3)
    state = np.random.RandomState(0)
    assert draw_seed(state) != draw_seed(state)


@pytest.mark.parametrize("n_parts", [0, 1, 8])
def test_numbers_of_parts_that_cannot_be(n_parts):
    with pytest.raises(ValueError, match="between 2 and 7"):
        assign_parts(7, n_parts)


def test_unknown_kinds_are_rejected():
    with pytest.raises(ValueError, match="parts must be one of"):
        assign_parts(7, 3, "random")
    with pytest.raises(ValueError, match="sorts rows by the target"):
        assign_parts(7, 3, "stratified")
    with pytest.raises(ValueError, match="vote must be one of"):
        combine_votes([[0]], 2, 1, "plurality")


def test_votes_of_the_worked_example():
    assert combine_votes([[1, 3, 0], [1, 0, 4], [1, 0, 2]], 5, 3) == [1, 0, 3]
    assert combine_votes([[1, 3, 0], [1, 0, 4], [1, 2, 0]], 5, 3) == [1, 0, 2]


@given(st.sampled_from(["majority", "mean-rank"]), st.integers(1, 5), st.data())
@examples(100)
def test_votes_agree_with_their_definition(vote, k, data):
    p = 6
    one = st.permutations(range(p)).flatmap(
        lambda order: st.integers(0, k).map(lambda size: list(order[:size]))
    )
    lists = data.draw(st.lists(one, min_size=1, max_size=5))
    assert combine_votes(lists, p, k, vote) == take_vote(lists, p, k, vote)
    assert count_votes(lists, p).sum() == sum(map(len, lists))


def test_halves_and_permuted_targets_are_drawn_from_separate_streams():
    drawn = {int(stream(7, purpose).integers(2**62)) for purpose in Purpose}
    assert len(drawn) == len(Purpose)
    n_rows = 12  # one row a part: the same stream would give the same order of rows
    half = draw_halves(n_rows, 1, seed=7)[0]
    order = stream(7, Purpose.PERMUTED_TARGET, 0).permutation(n_rows)
    assert set(np.flatnonzero(half)) != set(order[: n_rows // 2])

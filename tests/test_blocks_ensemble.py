"""Ensembles over rows in blocks: replicates and votes are identical to those in memory."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import config_context

from tests.blocks_of_rows import both, frames, in_blocks
from tests.examples import examples
from tests.test_blocks import NUMBERS, target
from thresher import CFS, CMIM, FCBF, JMI, MIM, MRMR, RRCT, Ensemble

KINDS = [
    {"kind": "fast", "n_parts": 4},
    {"kind": "fast", "n_parts": 3, "parts": "contiguous"},
    {"kind": "fast", "n_parts": 3, "parts": "shuffled", "random_state": 2},
    {"kind": "fast", "n_parts": 3, "parts": "stratified"},
    {"kind": "inner", "n_parts": 4},
    {"kind": "halves", "n_parts": 4, "n_pairs": 4, "random_state": 1},
]
SELECTORS = {
    "mi": MRMR(3, relevance="mi"),
    "r2": MRMR(3, relevance="r2"),
    "f": MRMR(3, relevance="f", redundancy="pearson"),
    "CFS": CFS(discretize="mean-sd"),
    "FCBF": FCBF(discretize="mean-sd"),
    "JMI": JMI(3, discretize="mean-sd"),
    "CMIM": CMIM(3, discretize="equal-frequency:3"),
    "MIM": MIM(3),
}


def assert_same_vote(memory, remote):
    assert remote.selected_.tolist() == memory.selected_.tolist()
    assert [own.tolist() for own in remote.parts_] == [own.tolist() for own in memory.parts_]
    assert remote.votes_.tolist() == memory.votes_.tolist()
    assert remote.stability_ == memory.stability_
    np.testing.assert_array_equal(remote.relevance_, memory.relevance_)
    assert remote.part_of_row_ is None


@pytest.mark.parametrize("name", SELECTORS)
@examples(12)
@given(
    data=frames(NUMBERS), setting=st.sampled_from(KINDS), kind=st.sampled_from(["text", "whole"])
)
def test_votes_are_those_of_memory(name, data, setting, kind):
    frame, ends, rng = data
    y = target(rng, frame, kind)
    y[: len(y) // 2 * 2 : 2], y[1::2] = y[0], np.where(y[1::2] == y[0], y[1], y[1::2])
    ensemble = Ensemble(SELECTORS[name], **setting)
    assert_same_vote(*both(ensemble, frame, y, None, ends))


def test_weights_and_a_numeric_target():
    rng = np.random.default_rng(1)
    X, weights = rng.normal(size=(120, 9)), rng.integers(0, 3, 120)
    y = X[:, 2] + 0.5 * rng.normal(size=120)
    with config_context(enable_metadata_routing=True):
        for selector in (MRMR(3), MRMR(3, relevance="mi")):
            ensemble = Ensemble(selector.set_fit_request(sample_weight=True), n_parts=5)
            memory = ensemble.fit(X, y, sample_weight=weights)
            lists = [own.tolist() for own in memory.parts_]
            # the weights are with the blocks
            remote = ensemble.fit(in_blocks(X, y, weights, [0, 40, 41]))
            assert [own.tolist() for own in remote.parts_] == lists


def test_few_rounds_shared_by_all_replicates_and_all_partitions():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(150, 80))
    y = (X[:, :5].sum(axis=1) > 0).astype(int)
    ensemble = Ensemble(MRMR(10, relevance="mi"), n_parts=10)
    counts = {
        (remote.n_rounds_, remote.n_passes_)
        for remote in (ensemble.fit(in_blocks(X, y, None, ends)) for ends in ([], [20, 20, 70]))
    }
    assert len(counts) == 1
    assert counts.pop()[0] <= 15


@pytest.mark.parametrize(
    ("ensemble", "groups", "complaint"),
    [
        (Ensemble(MRMR(2), kind="full"), None, 'kind="full" needs all rows at once'),
        (Ensemble(MRMR(2), kind="bagging"), None, 'Use kind="fast", "inner" or "halves"'),
        (Ensemble(MRMR(2), 3), [1] * 40, "groups are not supported for rows in blocks"),
        (Ensemble(RRCT(2), 3, kind="full"), None, "RRCT needs all rows at once"),
        (
            Ensemble(MRMR(2), 3, parts="stratified"),
            None,
            "needs a target with classes if X is in blocks",
        ),
    ],
)
def test_options_that_need_rows_are_rejected(ensemble, groups, complaint):
    X = np.random.default_rng(3).normal(size=(40, 4))
    with pytest.raises(ValueError, match=complaint):
        ensemble.fit(in_blocks(X, X[:, 0], None, [9]), groups=groups)


def test_replicates_without_two_classes_are_left_out_as_in_memory():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(30, 5))
    y = np.zeros(30, dtype=int)
    y[:2] = 1
    ensemble = Ensemble(MRMR(2, relevance="mi"), 3, parts="contiguous")
    messages = []
    for rows in ((X, y), (in_blocks(X, y, None, [4]), None)):
        with pytest.warns(UserWarning, match="the target has one class without part 0") as caught:
            ensemble.fit(*rows)
        messages.append([str(one.message) for one in caught])
    assert messages[0] == messages[1]

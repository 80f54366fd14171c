"""Request rounds on real data: at most one and a half for each feature, the same for every number of blocks."""

from __future__ import annotations

import numpy as np
import pytest

from tests.blocks_of_rows import in_blocks
from tests.conftest import load_real
from tests.examples import pairs
from thresher import CFS, JMI, MRMR, Ensemble

SELECTORS = {
    "difference": MRMR(50, relevance="mi"),
    "quotient": MRMR(50, relevance="mi", objective="quotient"),
    "CFS": CFS(50, discretize="mean-sd"),
}
DATA = ("leukemia", "nci9", "madelon", "pd_speech", "synthetic")

pytestmark = pytest.mark.filterwarnings("ignore")  # of CFS, which may find fewer


def table(name):
    if name != "synthetic":
        return load_real(name)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 5000)
    X = rng.normal(size=(5000, 1000))
    X[:, :100] += y[:, None] * rng.random(100)
    copies = np.arange(100, 500)
    X[:, copies] += X[:, copies % 100]
    return X, y


def request_counts(selector):
    return selector.n_rounds_, selector.n_passes_, selector.n_evaluations_


@pytest.mark.parametrize(("name", "objective"), pairs(DATA, SELECTORS))
def test_few_rounds_for_each_selected_feature(name, objective):
    X, y = table(name)
    selector, n = SELECTORS[objective], len(y)
    remote = selector.fit(in_blocks(X, y))
    whole = request_counts(remote)
    assert whole[0] <= 1.5 * len(remote.selected_)
    assert whole[1] == 2
    if name in ("madelon", "pd_speech"):
        remote = selector.fit(in_blocks(X, y, None, [0, 5, 6, n // 2, n // 2, n - 1]))
        assert request_counts(remote) == whole
        found = remote.selected_.tolist()
        assert found == selector.fit(X, y).selected_.tolist()


@pytest.mark.parametrize("name", DATA)
def test_without_bounds_a_round_requests_eight_references(name):
    X, y = table(name)
    selector = JMI(50, discretize="mean-sd")
    remote = selector.fit(in_blocks(X, y, None, [len(y) // 2]))
    assert remote.n_rounds_ in (7, 8)
    assert remote.n_passes_ == 2


@pytest.mark.parametrize(("name", "kind"), pairs(["madelon", "pd_speech"], ["fast", "inner"]))
def test_replicates_share_their_rounds(name, kind):
    X, y = table(name)
    for selector in (SELECTORS["difference"], SELECTORS["quotient"], JMI(30, discretize="mean-sd")):
        ensemble = Ensemble(selector, n_parts=10, kind=kind)
        ensemble.set_params(selector__n_features_to_select=30)
        memory = ensemble.fit(X, y).selected_.tolist()
        remote = ensemble.fit(in_blocks(X, y, None, [10, 200]))
        assert remote.selected_.tolist() == memory
        assert remote.n_rounds_ <= 1.5 * 30

"""A forward search that is extended returns what one longer search would have returned."""

from __future__ import annotations

import gc
import warnings
from functools import partial

import numpy as np
import pytest
from sklearn.base import clone

from tests.examples import SHARE
from tests.selectors import others, searches_forward
from tests.test_search import SETTINGS, random_settings, tie_rich_problem
from thresher import (
    CFS,
    FCBF,
    MRMR,
    RRCT,
    ThresherWarning,
    _core,
)
from thresher._core import _testing
from thresher.selectors._criterion import SearchTask

from .core_results import assert_equal_results


def by_pairs(name, **options):
    """Return a search over a table of pair values."""

    def start(rng, trial, p, n_select):
        relevance, table = tie_rich_problem(rng, p)
        candidates, kept = random_settings(rng, trial, p)
        return getattr(_core, name)(
            _testing.MatrixMeasure(table),
            relevance,
            n_select=n_select,
            candidates=candidates,
            kept=kept.astype(np.uint32),
            **options,
        )

    return start


def by_columns(name, **options):
    """Return a search over columns of numbers, some of them sums of others."""

    def start(rng, trial, p, n_select):
        n = int(rng.integers(6, 30))
        columns = rng.normal(size=(p, n))
        columns[-1] = columns[0] + columns[p // 2]
        candidates, kept = random_settings(rng, trial, p)
        arrays = (columns, columns) if name == "rrct" else (columns,)
        return getattr(_core, name)(
            *arrays,
            rng.normal(size=(1, n)),
            n_select,
            candidates=candidates,
            kept=kept.astype(np.uint32),
            **options,
        )

    return start


def by_rows(rng, trial, p, n_select):
    """Return the walk over partitions of rows."""
    n = int(rng.integers(6, 60))
    codes = rng.integers(0, 3, (p, n)).astype(np.uint8)
    table = _core.CodedTable.from_codes(codes, np.full(p, 3, dtype=np.int32))
    classes = rng.integers(0, 3, n).astype(np.int32)
    candidates, kept = random_settings(rng, trial, p)
    weights = rng.integers(0, 9, (2, n)) if trial % 2 else None
    return _core.cmi_walk(
        table,
        classes,
        3,
        table.relevance(classes, 3),
        n_select=n_select,
        weights=weights,
        candidates=candidates,
        kept=kept.astype(np.uint32),
    )


SEARCHES = {
    **{
        f"{objective} {weight:g} {offset:g} {strategy}": by_pairs(
            "greedy_forward", objective=objective, weight=weight, offset=offset, strategy=strategy
        )
        for objective, weight, offset in SETTINGS
        for strategy in ("lazy", "scan", "naive")
    },
    **{f"cfs {s}": by_pairs("cfs_forward", strategy=s) for s in ("lazy", "cached", "naive")},
    "fcbf": by_pairs("fcbf"),
    **{
        f"{accumulation} {strategy}": by_pairs(
            "greedy_accumulate", accumulation=accumulation, strategy=strategy
        )
        for accumulation in (
            "sum",
            "minus-sum",
            "minus-positive-sum",
            "smallest",
            "smallest-and-relevance",
        )
        for strategy in ("lazy", "naive")
    },
    "rrct": by_columns(
        "rrct", information=True, complementarity=True, magnitude_rule=False, redundancy_scale=1.0
    ),
    "gso": by_columns("gso"),
    "cmi": by_rows,
}


@pytest.mark.parametrize("name", SEARCHES)
def test_a_continued_search_equals_one_longer_search(name):
    start = SEARCHES[name]
    rng = np.random.default_rng(31)
    for trial in range(24 if SHARE >= 1 else 10):
        seed = int(rng.integers(2**31))
        p = int(rng.integers(2, 30))
        first, *more = rng.integers(0, 6, 3).tolist()
        search = start(np.random.default_rng(seed), trial, p, first)
        if trial == 0:
            gc.collect()  # what the search reads lives as long as the search
        for n_more in more:
            n_before = len(search.result().selected)
            search.extend(n_more)
            found = search.result()
            assert len(found.selected) == n_before + n_more or search.exhausted
            n_asked = p + 5 if search.exhausted else n_before + n_more
            assert_equal_results(
                found, start(np.random.default_rng(seed), trial, p, n_asked).result()
            )
        search.extend()
        assert search.exhausted
        assert_equal_results(
            search.result(), start(np.random.default_rng(seed), trial, p, p + 5).result()
        )
        search.extend(3)  # nothing is left to take
        assert_equal_results(
            search.result(), start(np.random.default_rng(seed), trial, p, p + 5).result()
        )


SELECTORS = [
    MRMR(),
    MRMR(relevance="pearson", objective="quotient", strategy="scan"),
    MRMR(relevance="mi", strategy="naive"),
    CFS(n_features_to_select=4),
    CFS(n_features_to_select=4, strategy="cached", locally_predictive=True),
    FCBF(n_features_to_select=4),
    RRCT(),
]
SELECTORS += others(SELECTORS, searches_forward)


@pytest.mark.parametrize(
    "selector", SELECTORS, ids=lambda s: f"{type(s).__name__} {s.get_params().get('strategy')}"
)
def test_a_selector_can_be_extended_without_starting_over(selector):
    rng = np.random.default_rng(9)
    X = rng.normal(size=(80, 25))
    y = (X[:, 3] + X[:, 8] * X[:, 11] + X[:, 20] + rng.normal(size=80) > 0).astype(int)
    selector = clone(selector).set_params(keep=[7], n_features_to_select=9)
    training = selector._read(X, y)
    if isinstance(selector, RRCT):
        search = selector._start(training, 3)
    else:
        criterion = selector.make_criterion(training)
        measures = selector.make_measures(training, criterion)
        task = SearchTask(training, measures, criterion, 3, selector)
        search = criterion.start(task).reported(partial(criterion.describe, task))
    search.extend(2)
    search.extend(4)
    selection = search.result()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ThresherWarning)  # some stop before nine
        selector.fit(X, y)
    assert selection.selected.tolist() == selector.selected_.tolist()
    assert selection.n_evaluations == selector.n_evaluations_
    np.testing.assert_array_equal(selection.scores, selector.scores_)
    np.testing.assert_array_equal(selection.relevance, selector.relevance_)


def start_with(progress):
    rng = np.random.default_rng(5)
    relevance, table = tie_rich_problem(rng, 20)
    return lambda n: _core.greedy_forward(
        _testing.MatrixMeasure(table), relevance, n, progress=progress
    )


def test_an_exception_between_steps_leaves_a_search_that_can_go_on():
    steps = []

    def progress(n_selected, feature, score):
        steps.append(feature)
        if n_selected == 4:
            raise KeyError("enough for now")

    start = start_with(progress)
    search = start(2)
    with pytest.raises(KeyError, match="enough for now"):
        search.extend(5)
    assert search.result().selected.tolist() == steps[:4]
    search.extend(3)
    assert_equal_results(search.result(), start_with(None)(7).result())


def test_a_running_search_rejects_calls():
    def progress(n_selected, feature, score):
        for call in (running[0].extend, running[0].result):
            with pytest.raises(RuntimeError, match="the search is running"):
                call()
            rejected.append(n_selected)

    rejected, running = [], []
    search = start_with(progress)(0)
    running.append(search)
    search.extend(2)
    running.clear()
    assert rejected == [1, 1, 2, 2]
    assert len(search.result().selected) == 2

"""One estimator used by many threads: they take turns."""

from __future__ import annotations

import copy
import pickle
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.base import clone

from thresher import JMI, MRMR, Ensemble, FisherScore, Univariate
from thresher.blocks import StoredRows
from thresher.measures import LocalMeasures
from thresher.selectors.mrmr import MRMRCriterion

N_THREADS = 8
SELECTORS = [
    MRMR(3, relevance="mi"),
    JMI(3),
    Univariate(3),
    Ensemble(MRMR(3, relevance="mi"), 3, kind="inner"),
]


def problem(n_features=6):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (160, n_features)).astype(float)
    return X, (X[:, 0] + rng.integers(0, 3, 160) > 2).astype(int)


def slow(monkeypatch, owner, name, seconds=0.02):
    """Make a method take its time, after its work; returns the list of its calls."""
    plain, calls = getattr(owner, name), []

    def delayed(*args, **kwargs):
        calls.append(args)
        found = plain(*args, **kwargs)
        time.sleep(seconds(*args) if callable(seconds) else seconds)
        return found

    monkeypatch.setattr(owner, name, delayed)
    return calls


def in_threads(work, n=N_THREADS):
    """Return the results of the work for 0, 1, ..., each in a separate thread, all started together."""
    ready = threading.Barrier(n)

    def begin(i):
        ready.wait()
        return work(i)

    with ThreadPoolExecutor(n) as threads:
        return list(threads.map(begin, range(n)))


@pytest.mark.parametrize("selector", SELECTORS, ids=lambda own: type(own).__name__)
def test_rows_added_and_forgotten_by_many_threads_are_all_counted(selector, monkeypatch):
    X, y = problem()
    selector = clone(selector)
    slow(monkeypatch, StoredRows, "_read", 0.005)
    parts = np.split(np.arange(160), N_THREADS)

    def work(i):
        first, second = np.split(parts[i], 2)
        selector.partial_fit(X[first], y[first]).partial_fit(X[second], y[second])
        selector.forget(X[first], y[first])

    in_threads(work)
    stay = np.concatenate([np.split(part, 2)[1] for part in parts])
    fitted = clone(selector).fit(X[stay], y[stay])
    assert sorted(selector.selected_.tolist()) == sorted(fitted.selected_.tolist())
    if not isinstance(selector, Ensemble):  # whose parts depend on the order of the rows
        np.testing.assert_array_equal(selector.relevance_, fitted.relevance_)


def test_threads_that_read_wait_for_the_one_fit(monkeypatch):
    X, y = problem()
    selector = MRMR(3, relevance="mi").partial_fit(X, y)
    fits = slow(monkeypatch, MRMRCriterion, "search")
    results = in_threads(lambda _: selector.transform(X))
    assert len(fits) == 1
    expected = clone(selector).fit_transform(X, y)
    for found in results:
        np.testing.assert_array_equal(found, expected)


def test_fits_in_two_threads_do_not_mix(monkeypatch):
    searches = slow(
        monkeypatch, MRMRCriterion, "search", lambda _, task: 0.3 / task.data.n_features
    )
    selector, data = MRMR(2, relevance="mi"), [problem(4), problem(9)]

    def work(i):
        while i and not searches:  # the second begins during the first, and ends before it
            time.sleep(0.001)
        selector.fit(*data[i])

    in_threads(work, 2)
    assert len(selector.scores_) == len(selector.relevance_) == selector.n_features_in_


@pytest.mark.parametrize(
    "read",
    [
        lambda selector: str(selector.table("dict")),
        lambda selector: selector.to_json(),
        lambda selector: pickle.loads(pickle.dumps(selector)).to_json(),
        lambda selector: [selector.reason(i) for i in range(selector.n_features_in_)],
        lambda selector: selector.get_feature_names_out().tolist(),
        lambda selector: selector.transform(problem(selector.n_features_in_)[0]).tolist(),
    ],
    ids=["table", "to_json", "pickle", "reason", "names", "transform"],
)
@pytest.mark.parametrize("kind", [MRMR, FisherScore])
def test_a_reader_gets_one_of_two_fits_and_no_mixture(kind, read, monkeypatch):
    selectors = [kind(2).fit(*problem(n)) for n in (4, 9)]
    before, after = map(read, selectors)
    selector = clone(selectors[0]).fit(*problem(4))
    started, plain = threading.Event(), kind._finish

    def finish(self, columns, *args, **kwargs):
        self.selected_ = np.arange(columns.n_features)[::-1]  # the first of what a fit changes
        started.set()
        time.sleep(0.05)
        return plain(self, columns, *args, **kwargs)

    monkeypatch.setattr(kind, "_finish", finish)
    with ThreadPoolExecutor(1) as thread:
        fitting = thread.submit(lambda: selector.fit(*problem(9)))
        started.wait()
        assert read(selector) in (before, after)
        fitting.result()
    assert read(selector) == after


def test_a_copy_made_while_another_thread_fits_is_complete(monkeypatch):
    X, y = problem()
    selector = MRMR(3, relevance="mi").partial_fit(X, y)
    searches = slow(monkeypatch, MRMRCriterion, "search", 0.05)
    with ThreadPoolExecutor(1) as thread:
        fitting = thread.submit(lambda: selector.selected_)
        while not searches:
            time.sleep(0.001)
        copies = [pickle.loads(pickle.dumps(selector)), copy.deepcopy(selector)]
        expected = fitting.result().tolist()
    for found in copies:
        assert found.selected_.tolist() == expected
        assert found.forget(X[:80], y[:80]).selected_.tolist() == (
            clone(selector).fit(X[80:], y[80:]).selected_.tolist()
        )
    assert MRMR.from_json(selector.to_json()).selected_.tolist() == expected


def test_fits_of_two_estimators_do_not_wait_for_each_other(monkeypatch):
    plain, both_inside = LocalMeasures.pairs, threading.Barrier(2)

    def pairs(*args):
        both_inside.wait(timeout=5)
        return plain(*args)

    monkeypatch.setattr(LocalMeasures, "pairs", pairs)
    found = in_threads(lambda _: MRMR(3, relevance="mi").fit(*problem()), 2)
    assert found[0].selected_.tolist() == found[1].selected_.tolist()

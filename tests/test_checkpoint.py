"""Interrupted searches: by Ctrl-C or by a kill, and how their files are resumed."""

from __future__ import annotations

import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB

from thresher import GBC, MRMRGA, ThresherWarning

X, Y = load_breast_cancer(return_X_y=True)
X, Y = X[:150], Y[:150]
RESULTS = (
    "selected_",
    "scores_",
    "pool_",
    "set_scores_",
    "n_evaluations_",
    "n_fitness_calls_",
    "best_score_",
    "stopped_by_",
)
# Lines before the first set: what the file is of, and the seed.
HEAD = 2


def small(**settings):
    return GBC(**{"population": 4, "max_cycles": 3, "cv": 3, "random_state": 0, **settings})


def assert_same(found, expected):
    for name in RESULTS:
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), err_msg=name)
    for name, values in expected.trace_.items():
        np.testing.assert_array_equal(found.trace_[name], values, err_msg=name)
    assert [s.tolist() for s in found.sets_] == [s.tolist() for s in expected.sets_]


def lines(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


@pytest.mark.parametrize("variant", ["GBC", "MRMRGA"])
def test_a_killed_search_resumes_to_the_identical_result(variant, tmp_path):
    path = tmp_path / "search"
    length = "max_cycles" if variant == "GBC" else "generations"
    settings = {"population": 4, "cv": 3, "random_state": 0, length: 8}
    # From the 12th set on it waits to be killed; the callback may change nothing of the search.
    code = f"""
import time
from sklearn.datasets import load_breast_cancer
from thresher import {variant}
X, y = load_breast_cancer(return_X_y=True)
wait = lambda state: time.sleep(600) if state.n_evaluations == 12 else None
settings = {settings}
{variant}(**settings, callback=wait, checkpoint={str(path)!r}).fit(X[:150], y[:150])
"""
    process = subprocess.Popen([sys.executable, "-c", code])
    deadline = time.monotonic() + 300
    while lines(path) < HEAD + 12:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.kill()
    assert process.wait() != 0
    selector = GBC if variant == "GBC" else MRMRGA
    unbroken = selector(**settings).fit(X, Y)
    path.write_bytes(path.read_bytes() + b'{"key": "1 2')  # as if it had died writing
    resumed = selector(**settings, checkpoint=path).fit(X, Y)
    assert unbroken.n_evaluations_ > 15
    assert_same(resumed, unbroken)
    assert lines(path) == HEAD + unbroken.n_evaluations_
    assert_same(selector(**settings, checkpoint=str(path), n_jobs=2).fit(X, Y), unbroken)
    assert lines(path) == HEAD + unbroken.n_evaluations_


class Interrupted(GaussianNB):
    """A classifier that is interrupted during its n-th fit."""

    fits_left = 10**9

    def fit(self, X, y):
        Interrupted.fits_left -= 1
        if Interrupted.fits_left == 0:
            raise KeyboardInterrupt
        return super().fit(X, y)


def test_interrupts_pass_on_and_leave_the_best_set_and_the_checkpoint(tmp_path):
    path = tmp_path / "search"
    unbroken = small(estimator=Interrupted()).fit(X, Y)
    states = []
    selector = small(estimator=Interrupted(), checkpoint=path, callback=states.append)
    Interrupted.fits_left = 3 * 15 + 2
    with pytest.raises(KeyboardInterrupt):
        selector.fit(X, Y)
    assert len(states) == 15
    assert selector.best_so_far_.tolist() == states[-1].best_features.tolist()
    assert not hasattr(selector, "selected_")
    assert lines(path) == HEAD + 15
    assert_same(selector.fit(X, Y), unbroken)
    assert Interrupted.fits_left < 0  # those that were left to do
    assert not hasattr(selector, "best_so_far_")
    assert -Interrupted.fits_left == 3 * (unbroken.n_evaluations_ - 15)


def test_without_a_random_state_the_seed_is_that_of_the_file(tmp_path):
    path = tmp_path / "search"
    first = small(random_state=None, checkpoint=path).fit(X, Y)
    assert_same(small(random_state=None, checkpoint=path).fit(X, Y), first)
    assert lines(path) == HEAD + first.n_evaluations_


@pytest.mark.parametrize(
    ("settings", "data", "words"),
    [
        ({}, (X + (np.arange(30) == 3), Y), "other data."),
        ({}, (X, 1 - Y), "other data."),
        ({"cv": 4}, (X, Y), "other folds."),
        ({"population": 5}, (X, Y), "other parameters."),
        ({"estimator": GaussianNB()}, (X, Y), "other parameters."),
        ({"keep": [3]}, (X, Y), "other parameters."),
        ({"random_state": 1}, (X, Y), r"other random_state \(\d+\)."),
    ],
)
def test_a_checkpoint_of_something_else_is_rejected(settings, data, words, tmp_path):
    path = tmp_path / "search"
    small(checkpoint=path).fit(X, Y)
    before = path.read_bytes()
    with pytest.raises(
        ValueError, match=f"was written with {words} Pass another checkpoint, or delete"
    ):
        small(checkpoint=path, **settings).fit(*data)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "damaged",
    [
        lambda text: text[text.index(b"\n") + 1 :],
        lambda text: bytes(reversed(text)),
        lambda text: text.replace(b'"kind"', b'"find"', 1),
        lambda text: b"a,b,c\n1,2,3\n",
        lambda text: b"thesis",
        # A checkpoint of a development version.
        lambda text: b'{"thresher checkpoint": 1, "seed": 0, "fingerprints": {}}\t2c4c2fb9\n',
    ],
)
def test_a_file_that_begins_differently_is_rejected_and_not_changed(damaged, tmp_path):
    path = tmp_path / "search"
    small(checkpoint=path).fit(X, Y)
    path.write_bytes(damaged(path.read_bytes()))
    before = path.read_bytes()
    with pytest.raises(
        ValueError, match=r"checkpoint .*search is damaged, or not a checkpoint of this version"
    ):
        small(checkpoint=path).fit(X, Y)
    assert path.read_bytes() == before


def test_a_search_resumes_from_before_a_damaged_line(tmp_path):
    path = tmp_path / "search"
    expected = small(checkpoint=path).fit(X, Y)
    written = path.read_bytes().splitlines(keepends=True)
    whole = b"".join(written)
    for line in (1, 2, 5, len(written) - 1):  # the first of these is the seed
        broken = written[line][:9] + bytes([written[line][9] ^ 1]) + written[line][10:]
        path.write_bytes(b"".join([*written[:line], broken, *written[line + 1 :]]))
        assert_same(small(checkpoint=path).fit(X, Y), expected)
        assert path.read_bytes() == whole


def test_impossible_files_and_indistinguishable_estimators_are_rejected(tmp_path):
    with pytest.raises(OSError, match=r"nowhere.search was not written: No such"):
        small(checkpoint=tmp_path / "nowhere" / "search").fit(X, Y)
    with pytest.raises(OSError, match="was not written"):
        small(checkpoint=tmp_path).fit(X, Y)
    with pytest.raises(ValueError, match="checkpoint must be a path"):
        small(checkpoint=5).fit(X, Y)

    with pytest.raises(
        ValueError, match="checkpoint requires an estimator and a scoring that can be"
    ):
        small(checkpoint=tmp_path / "search", scoring=lambda *a: 0.5).fit(X, Y)


class Fails(GaussianNB):
    def fit(self, X, y):
        if X.shape[1] == 2:
            raise RuntimeError("no pairs")
        return super().fit(X, y)


def test_failures_are_recorded_with_their_messages(tmp_path):
    path = tmp_path / "search"
    for _ in range(2):
        with pytest.warns(ThresherWarning, match="RuntimeError: no pairs"):
            small(estimator=Fails(), checkpoint=path).fit(X, Y)

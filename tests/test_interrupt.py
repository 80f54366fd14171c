"""Ctrl-C stops a long fit and leaves no half-fitted estimator."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import sklearn
from sklearn.base import clone

from tests.examples import SHARE
from thresher import (
    GBC,
    LCC,
    MRMR,
    RFS,
    RRFS,
    S3F,
    SALCC,
    SDCC,
    SFSLW,
    SPEC,
    SVMRFE,
    Ensemble,
    FisherScore,
    Focus,
    LaplacianScore,
    LassoPath,
    MultiSURF,
    Relief,
    ReliefF,
    Univariate,
)
from thresher._utils.long_calls import call_interruptibly


@pytest.mark.parametrize(("relevance", "n_rows"), [("mi", 100_000), ("pearson", 20_000)])
def test_interrupt_stops_the_search(relevance, n_rows):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (n_rows, 1500), dtype=np.uint8)
    y = rng.integers(0, 2, n_rows)
    selector = MRMR(1500, relevance=relevance, redundancy=relevance, strategy="naive")
    begun = threading.Event()
    selector.verbose = 1
    timer = threading.Timer(0.03, signal.raise_signal, (signal.SIGINT,))

    def first_step(*_):
        if not begun.is_set():
            begun.set()
            timer.start()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("thresher.selectors._base.step_reporter", lambda *_: first_step)
        with pytest.raises(KeyboardInterrupt):
            selector.fit(X, y)
    timer.cancel()
    assert begun.is_set()
    assert not hasattr(selector, "selected_")
    assert not hasattr(selector, "n_features_in_")
    assert not hasattr(selector, "objective_")


# Selectors whose first seconds are spent in different work: looking over columns, packing, ranking, graphs,
# neighbours, searches, and code of others.
LONG_FITS = [
    RFS(relevance="iqr"),
    RFS(relevance="mi"),
    RRFS(4000, similarity="mici", max_similarity=1.0),
    FisherScore(),
    Univariate(measure="spearman"),
    ReliefF(),
    Relief(),
    MultiSURF(),
    LaplacianScore(),
    SPEC(form="phi3"),
    SPEC(affinity="product"),
    SVMRFE(),
    SFSLW(50),
    S3F(),
    LCC(),
    SDCC(strategy="steepest"),
    Focus(max_evaluations=10**9),
    SALCC(),
    GBC(random_state=0),
    Ensemble(),
    LassoPath(20),
]


N_SIGNALS = 5 if SHARE >= 1 else 3


class Rung(Exception):
    """The exception that the alarm raises, as Ctrl-C raises KeyboardInterrupt."""


@pytest.mark.plain
@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs an alarm clock")
@pytest.mark.parametrize("selector", LONG_FITS, ids=repr)
def test_every_selector_hears_a_signal_within_a_second(selector, wide_floats):
    X, y = wide_floats
    if isinstance(selector, SVMRFE | LassoPath):  # what they leave behind is to end soon
        X, y = X[:1000], y[:1000]
    rung = []

    def ring(*_):
        rung.append(time.process_time())
        if len(rung) == N_SIGNALS:
            raise Rung

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
        begun = time.process_time()
        with warnings.catch_warnings(), contextlib.suppress(Rung):
            warnings.simplefilter("ignore")
            clone(selector).fit(X, y)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    # Processor time, which other work on the machine does not lengthen.
    waits = np.diff([begun, *rung, time.process_time()])
    assert waits.max() < 1.0


@pytest.fixture(scope="module")
def wide_floats():
    rng = np.random.default_rng(0)
    X = rng.random((4200, 6000), dtype=np.float32)
    return X, rng.integers(0, 2, len(X))


def test_third_party_code_is_left_when_interrupted():
    release = threading.Event()
    timer = threading.Timer(0.05, signal.raise_signal, (signal.SIGINT,))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        call_interruptibly(release.wait, 60)
    release.set()


def test_third_party_loops_end_when_interrupted():
    """Otherwise the interpreter waits for them at its exit."""
    ended = threading.Event()
    timer = threading.Timer(0.05, signal.raise_signal, (signal.SIGINT,))

    def loop():
        try:
            timer.start()
            latest = time.monotonic() + 60
            while time.monotonic() < latest:
                time.sleep(0.001)
        finally:
            ended.set()

    with pytest.raises(KeyboardInterrupt):
        call_interruptibly(loop)
    assert ended.wait(20)


def test_third_party_code_returns_its_value_and_its_errors():
    assert call_interruptibly(divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        call_interruptibly(divmod, 7, 0)
    with sklearn.config_context(assume_finite=True):
        assert call_interruptibly(sklearn.get_config)["assume_finite"]
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(call_interruptibly, divmod, 7, 2).result() == (3, 1)

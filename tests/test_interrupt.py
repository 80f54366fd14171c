"""Ctrl-C stops a long fit and leaves no half-fitted estimator."""

from __future__ import annotations

import os
import signal
import threading

import numpy as np
import pytest

from thresher import MRMR


@pytest.mark.parametrize("relevance", ["mi", "pearson"])
def test_interrupt_stops_the_search(relevance):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (20_000, 1500)).astype(float), rng.integers(0, 2, 20_000)
    selector = MRMR(1500, relevance=relevance, redundancy=relevance, strategy="naive")
    begun = threading.Event()
    selector.verbose = 1
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))

    def first_step(*_):
        if not begun.is_set():
            begun.set()
            timer.start()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("thresher.selectors.mrmr.step_printer", lambda *_: first_step)
        with pytest.raises(KeyboardInterrupt):
            selector.fit(X, y)
    timer.cancel()
    assert begun.is_set()
    assert not hasattr(selector, "selected_")
    assert not hasattr(selector, "n_features_in_")
    assert not hasattr(selector, "objective_")

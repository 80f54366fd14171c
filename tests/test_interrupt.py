"""Ctrl-C stops a long fit and leaves no half-fitted estimator."""

from __future__ import annotations

import os
import signal
import threading

import numpy as np
import pytest

from thresher import MRMR


@pytest.mark.parametrize(("relevance", "n_rows"), [("mi", 100_000), ("pearson", 20_000)])
def test_interrupt_stops_the_search(relevance, n_rows):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (n_rows, 1500), dtype=np.uint8)
    y = rng.integers(0, 2, n_rows)
    selector = MRMR(1500, relevance=relevance, redundancy=relevance, strategy="naive")
    begun = threading.Event()
    selector.verbose = 1
    timer = threading.Timer(0.03, os.kill, (os.getpid(), signal.SIGINT))

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

"""`verbose` and the logger ``thresher`` tell the same."""

from __future__ import annotations

import logging

import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris

from thresher import CFS, JMI, LCC, MRMR, SALCC, SDCC, Univariate


@pytest.mark.parametrize(
    "selector",
    [MRMR(2), CFS(), JMI(2), LCC(), SDCC(), SALCC(max_iterations=5, random_state=0)],
    ids=lambda s: type(s).__name__,
)
def test_what_verbose_prints_is_what_is_logged(selector, capsys, caplog):
    X, y = load_iris(return_X_y=True)
    clone(selector).fit(X, y)
    assert capsys.readouterr().out == ""
    assert not caplog.records
    with caplog.at_level(logging.INFO, logger="thresher"):
        clone(selector).fit(X, y)
    assert capsys.readouterr().out == ""
    logged = [record.getMessage() for record in caplog.records]
    clone(selector).set_params(verbose=1).fit(X, y)
    printed = capsys.readouterr().out.splitlines()
    assert logged == printed
    assert all(line.startswith(f"[{type(selector).__name__}] ") for line in printed)
    assert len(printed) >= 2


def test_selectors_without_verbose_log_their_result(caplog):
    X, y = load_iris(return_X_y=True)
    with caplog.at_level(logging.INFO, logger="thresher"):
        Univariate(2).fit(X, y)
    assert [r.getMessage() for r in caplog.records] == [
        "[Univariate] 2 of 4 features, 0 evaluations"
    ]

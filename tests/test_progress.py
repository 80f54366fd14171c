"""`verbose` and the logger ``thresher`` tell the same."""

from __future__ import annotations

import logging

import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris

from thresher import CFS, JMI, LCC, MRMR, SALCC, SDCC, Ensemble, FisherScore, Univariate


@pytest.mark.parametrize(
    "selector",
    [
        MRMR(2),
        CFS(),
        JMI(2),
        LCC(),
        SDCC(),
        SALCC(max_iterations=5, random_state=0),
        Ensemble(MRMR(2), 3),
        Ensemble(CFS(), 3),
        Ensemble(MRMR(2), 3, kind="full"),
        Ensemble(MRMR(2), 3, kind="bagging", random_state=0),
        Ensemble(FisherScore(2), 3, kind="full"),
        Ensemble(FisherScore(2), 3, kind="full", n_jobs=2),
    ],
    ids=repr,
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


def test_an_ensemble_tells_of_every_replicate_it_searches_and_what_its_stability_is(capsys):
    X, y = load_iris(return_X_y=True)
    ensemble = Ensemble(FisherScore(2), 3, kind="full", verbose=1).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == [f"[Ensemble] replicate {i}/3: 2 features" for i in (1, 2, 3)]
    assert lines[3] == "[Ensemble] 2 of 4 features, 0 evaluations"
    assert lines[4] == f"[Ensemble] stability 1.00: {ensemble.stability_note_}"
    assert len(lines) == 5


def test_a_selector_inside_an_ensemble_speaks_only_if_asked_to(capsys, caplog):
    X, y = load_iris(return_X_y=True)
    with caplog.at_level(logging.INFO, logger="thresher"):
        Ensemble(CFS(), 3).fit(X, y)
        assert not any(r.getMessage().startswith("[CFS]") for r in caplog.records)
        Ensemble(CFS(verbose=1), 3).fit(X, y)
        said = [r.getMessage() for r in caplog.records if r.getMessage().startswith("[CFS]")]
    assert said == capsys.readouterr().out.splitlines()
    assert said


def test_selectors_without_verbose_log_their_result(caplog):
    X, y = load_iris(return_X_y=True)
    with caplog.at_level(logging.INFO, logger="thresher"):
        Univariate(2).fit(X, y)
    assert [r.getMessage() for r in caplog.records] == [
        "[Univariate] 2 of 4 features, 0 evaluations"
    ]

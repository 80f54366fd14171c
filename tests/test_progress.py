"""`verbose` and the logger ``thresher`` report the same."""

from __future__ import annotations

import inspect
import logging

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris

import thresher
from thresher import (
    CFS,
    FCBF,
    GBC,
    JMI,
    LCC,
    MRMR,
    MRMRGA,
    RFS,
    RRFS,
    S3F,
    SALCC,
    SDCC,
    SFSLW,
    SPEC,
    SVMRFE,
    Chain,
    Ensemble,
    ErrorControlled,
    FisherScore,
    LaplacianScore,
    LassoPath,
    MultiSURF,
    ReliefF,
    Univariate,
)
from thresher.selectors._base import BaseSelector

SELECTORS = [
    MRMR(2),
    CFS(),
    JMI(2),
    FCBF(),
    LCC(),
    SDCC(),
    SALCC(max_iterations=5, random_state=0),
    GBC(population=2, max_cycles=2, random_state=0),
    MRMRGA(population=2, generations=2, random_state=0),
    SFSLW(2),
    S3F(),
    SVMRFE(2),
    LassoPath(2),
    Chain([Univariate(3), MRMR(2)]),
    ErrorControlled(MRMR(2), random_state=0),
    Ensemble(MRMR(2), 3),
    Ensemble(CFS(), 3),
    Ensemble(MRMR(2), 3, kind="full"),
    Ensemble(MRMR(2), 3, kind="bagging", random_state=0),
    Ensemble(FisherScore(2), 3, kind="full"),
    Ensemble(FisherScore(2), 3, kind="full", n_jobs=2),
]


def test_every_selector_has_verbose():
    for name in thresher.__all__:
        exported = getattr(thresher, name)
        if isinstance(exported, type) and issubclass(exported, BaseSelector):
            parameter = inspect.signature(exported).parameters["verbose"]
            assert parameter.kind is parameter.KEYWORD_ONLY
            assert parameter.default == 0
            assert "verbose" in exported.__doc__


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_verbose_prints_the_logged_messages(selector, capsys, caplog):
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


def test_an_ensemble_reports_every_replicate_and_its_stability(capsys):
    X, y = load_iris(return_X_y=True)
    ensemble = Ensemble(FisherScore(2), 3, kind="full", verbose=1).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == [f"[Ensemble] replicate {i}/3: 2 features" for i in (1, 2, 3)]
    assert lines[3] == "[Ensemble] 2 of 4 features, 0 evaluations"
    assert lines[4] == f"[Ensemble] stability 1.00: {ensemble.stability_note_}"
    assert len(lines) == 5


def test_a_selector_inside_an_ensemble_reports_only_on_request(capsys, caplog):
    X, y = load_iris(return_X_y=True)
    with caplog.at_level(logging.INFO, logger="thresher"):
        Ensemble(CFS(), 3).fit(X, y)
        assert not any(r.getMessage().startswith("[CFS]") for r in caplog.records)
        Ensemble(CFS(verbose=1), 3).fit(X, y)
        messages = [r.getMessage() for r in caplog.records if r.getMessage().startswith("[CFS]")]
    assert messages == capsys.readouterr().out.splitlines()
    assert messages


@pytest.mark.parametrize(
    "selector",
    [
        FisherScore(2),
        LaplacianScore(2),
        SPEC(2),
        ReliefF(2),
        MultiSURF(2),
        RFS(2),
        RRFS(2),
        Univariate(2),
    ],
)
def test_rankings_report_their_result(selector, capsys, caplog):
    X, y = load_iris(return_X_y=True)
    with caplog.at_level(logging.INFO, logger="thresher"):
        selector.fit(X, y)
    assert capsys.readouterr().out == ""
    clone(selector).set_params(verbose=1).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert [r.getMessage() for r in caplog.records] == lines
    assert len(lines) == 1
    assert lines[0].startswith(
        f"[{type(selector).__name__}] {len(selector.selected_)} of 4 features"
    )


def test_eliminations_report_each_tenth_of_their_rounds(capsys):
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    SVMRFE(2, verbose=1).fit(rng.normal(size=(40, 50)) + y[:, None], y)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "[SVMRFE] round 5/50: 45 features left"
    assert lines[9] == "[SVMRFE] round 50/50: 0 features left"
    assert len(lines) == 11


def test_a_chain_reports_every_selector(capsys):
    X, y = load_iris(return_X_y=True)
    chain = Chain([Univariate(3), MRMR(2)], verbose=1).fit(X, y)
    assert capsys.readouterr().out.splitlines() == [
        "[Chain] selector 1/2 (univariate): 3 features",
        "[Chain] selector 2/2 (mrmr): 2 features",
        "[Chain] 2 of 4 features",
    ]
    assert chain.set_params(verbose=0).get_params()["verbose"] == 0

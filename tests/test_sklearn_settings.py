"""Selectors keep the scikit-learn contract with settings other than the defaults, too."""

from __future__ import annotations

import pytest
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import estimator_checks_generator

from tests.examples import some
from tests.measures import TESTED_WITH_CLASSES
from thresher import (
    CFS,
    CMIM,
    CWC,
    FCBF,
    GBC,
    GSO,
    JMI,
    LCC,
    MRMR,
    MRMRGA,
    NMIFS,
    RFS,
    RRCT,
    RRFS,
    SALCC,
    SDCC,
    SPEC,
    SVMRFE,
    Chain,
    CMIFilter,
    Ensemble,
    ErrorControlled,
    LaplacianScore,
    LassoPath,
    MultiSURF,
    ReliefF,
    Univariate,
)

pytestmark = pytest.mark.once

PERMUTED = {"n_permutations": 20, "random_state": 0}
CODED = {"relevance": "mi", "redundancy": "mi"}
SHORT = {"cv": 2, "random_state": 0}


def ensemble(selector, kind):
    size = {"n_pairs": 4, "cutoff": 0.6} if kind == "halves" else {"n_parts": 3}
    return Ensemble(selector, kind=kind, random_state=0, **size)


def controlled(selector, **settings):
    return ErrorControlled(selector, 0.9, **{**PERMUTED, **settings})


SETTINGS = [
    *[MRMR(strategy=strategy) for strategy in ("scan", "naive")],
    *[MRMR(**CODED, strategy=strategy) for strategy in ("scan", "naive")],
    *[MRMR(**CODED, missing=missing) for missing in ("pairwise", "category", "drop_rows")],
    *[MRMR(**CODED, discretize=bins) for bins in ("equal-width", "mean-sd", "mdl")],
    *[MRMR(target=target) for target in ("numeric", "nominal")],
    MRMR(relevance="mi", redundancy="su", objective="quotient"),
    MRMR(relevance="f", redundancy="pearson"),
    MRMR(relevance="spearman", redundancy="spearman", target="numeric"),
    MRMR(0.5),
    MRMR(2, keep=[0]),
    MRMR(n_jobs=2),
    JMI(3, discretize="mdl"),
    JMI(missing="category"),
    CMIM(2, missing="drop_rows"),
    CFS(search="best-first"),
    CFS(missing="drop_rows"),
    FCBF(discretize="equal-width", missing="category"),
    NMIFS(2, missing="drop_rows"),
    CMIFilter(2),
    RRCT(2, missing="drop_rows"),
    GSO(2, target="nominal"),
    GSO(2, missing="drop_rows"),
    LassoPath(2, target="numeric"),
    *[Univariate(2, measure=measure) for measure in TESTED_WITH_CLASSES],
    *[Univariate(2, measure=m, target="numeric") for m in ("pearson", "spearman")],
    Univariate(2, missing="drop_rows"),
    Univariate("auto", correction="bonferroni"),
    *[RFS(2, relevance=relevance) for relevance in ("mad", "iqr", "mean-median", "fisher")],
    *[RRFS(2, similarity=similarity) for similarity in ("mici", "pearson")],
    RRFS(2, against="all"),
    RRFS(2, scan="top"),
    LaplacianScore(2, affinity="binary"),
    SPEC(2, form="phi1"),
    SPEC(2, form="phi2", affinity="classes"),
    ReliefF(2, n_neighbors=3),
    MultiSURF(2, missing="drop_rows"),
    SVMRFE(2, step=1),
    LCC(0.1),
    CWC(missing="category"),
    SDCC(missing="category"),
    *[ensemble(CFS(2, discretize="equal-frequency"), kind) for kind in ("fast", "inner", "halves")],
    *[ensemble(JMI(2), kind) for kind in ("full", "bagging")],
    *[ensemble(GSO(2), kind) for kind in ("fast", "inner", "halves")],
    *[ensemble(RRCT(2), kind) for kind in ("full", "bagging", "halves")],
    *[ensemble(ReliefF(2), kind) for kind in ("full", "bagging")],
    ensemble(Univariate(2), "halves"),
    ensemble(MRMR(redundancy="spearman", target="numeric"), "full"),
    ensemble(LCC(), "bagging"),
    ensemble(LassoPath(2), "full"),
    ensemble(SVMRFE(2), "full"),
    ensemble(Chain([RFS(4), MRMR(2)]), "bagging"),
    ensemble(controlled(MRMR(2)), "full"),
    Ensemble(MRMR(2), 3, parts="stratified"),
    Ensemble(MRMR(2), 3, parts="contiguous"),
    Ensemble(MRMR(2), 3, vote="mean-rank"),
    *[controlled(selector) for selector in (FCBF(), JMI(2), RRCT(2), ReliefF(2), GSO(2))],
    controlled(Univariate(2)),
    controlled(LassoPath(2)),
    controlled(Chain([RFS(4), MRMR(2)])),
    controlled(Ensemble(MRMR(2), 3)),
    controlled(MRMR(2), pfer=2.0),
    controlled(MRMR(2), pvalues="analytic"),
    controlled(MRMR(2), dependence="any"),
    *[controlled(selector, method="compete") for selector in (JMI(2), RRCT(2))],
    Chain([Univariate(4), Ensemble(MRMR(2), 3)]),
    Chain([RFS(4), controlled(MRMR(2))]),
    Chain([Chain([RFS(4), MRMR(3)]), JMI(2)]),
    Chain([RFS(3), ReliefF(2)]),
    GBC(GaussianNB(), population=2, max_cycles=1, **SHORT),
    GBC(GaussianNB(), variant="plus", population=2, max_cycles=1, **SHORT),
    MRMRGA(GaussianNB(), population=3, generations=1, **SHORT),
    SALCC(estimator=GaussianNB(), max_iterations=3, random_state=0),
]


@pytest.mark.parametrize(
    "selector", some(SETTINGS, 3), ids=lambda selector: " ".join(repr(selector).split())
)
def test_all_checks_of_scikit_learn_pass(selector, monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    for estimator, check in estimator_checks_generator(clone(selector)):
        check(estimator)

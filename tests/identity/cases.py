"""The cases: which selector is fitted on which data, given in which form."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

from thresher._registry import SELECTORS as REGISTERED

# Every public selector, and the settings that change its code path. Each line is an expression and, in a record, the
# name of its case.
SELECTORS = """
MRMR()
MRMR(5, relevance="mi")
MRMR(5, relevance="mi", strategy="naive")
MRMR(5, relevance="mi", strategy="scan")
MRMR(5, relevance="mi", objective="quotient")
MRMR(5, relevance="su", redundancy="nmi")
MRMR(5, relevance="chi2", objective="sum", redundancy_weight=0.5)
MRMR(5, relevance="association", objective="product")
MRMR(5, relevance="su", objective="product", redundancy_weight=2)
MRMR(5, relevance="f")
MRMR(5, relevance="f", strategy="naive")
MRMR(5, relevance="spearman")
MRMR(5, relevance="cosine", redundancy="pearson")
MRMR(0.3, keep=[1], exclude=[0, 3])
MRMR(5, relevance="mi", missing="category")
MRMR(5, relevance="mi", missing="pairwise")
MRMR(5, missing="pairwise")
MRMR(5, missing="drop_rows")
MRMR(5, relevance="mi", discretize=None)
MRMR(5, relevance="mi", discretize="mdl")
MRMR(5, relevance="mi", discretize=EqualFrequencyBins(4))
MRMR(5, relevance="mi", discretize=EqualWidthBins(3))
MRMR(5, target="numeric")
CFS()
CFS(search="best-first", discretize="mean-sd")
CFS(4, strategy="naive")
FCBF()
FCBF(missing="category")
NMIFS(5)
NMIFS(5, strategy="naive")
CMIFilter(5)
RRCT(5)
RRCT(5, redundancy="spearman", normalize=False, target="numeric")
GSO(5)
GSO(5, keep=[1], exclude=[0, 3])
LassoPath(5)
MIM(5)
JMI(5)
JMI(5, strategy="naive")
JMI(5, missing="category", keep=[1], exclude=[0])
JMIM(5)
CMIM(5)
DISR(5)
CIFE(5)
ICAP(5)
Univariate(5)
Univariate(5, measure="mi", random_state=0)
Univariate(5, measure="chi2", pvalues="analytic")
Univariate(5, measure="spearman", missing="pairwise")
Univariate("auto", measure="mi", random_state=0)
FisherScore(5)
Relief(5)
ReliefF(5)
ReliefF(5, n_neighbors=3, keep=[1], exclude=[0])
MultiSURF(5)
LaplacianScore(5)
SPEC(5, form="phi3", n_eigenvectors=5)
SPEC(5, form="phi1")
SVMRFE(5, step=0.3)
SFSLW(4)
S3F(4)
RFS(5)
RFS(5, relevance="mi", missing="pairwise")
RRFS(3)
RRFS(3, relevance="mi", similarity="su")
INTERACT()
LCC()
LCC(0.05, strategy="binary")
CWC()
SDCC()
ASDCC()
SWCFS()
Focus(0.1)
ABB(0.1)
SetCover()
LVF(max_tries=50, random_state=0)
QBB(0.1, max_tries=50, random_state=0)
SALCC(max_iterations=5, random_state=0)
GBC(population=3, max_cycles=2, cv=2, random_state=0)
MRMRGA(population=4, generations=2, cv=2, random_state=0)
Chain([RFS(8), MRMR(4)])
Chain([Univariate(10), JMI(4)])
Ensemble(MRMR(5), n_parts=4)
Ensemble(MRMR(5, relevance="mi"), n_parts=4)
Ensemble(MRMR(5, relevance="association", objective="product"), n_parts=4)
Ensemble(MRMR(5, relevance="mi", strategy="scan"), n_parts=4)
Ensemble(MRMR(5, relevance="mi"), n_parts=4, kind="inner")
Ensemble(MRMR(5, relevance="f"), n_parts=4, kind="inner")
Ensemble(MRMR(5, relevance="mi"), n_parts=4, kind="full")
Ensemble(MRMR(5), n_parts=4, kind="bagging", random_state=0)
Ensemble(MRMR(5), n_parts=4, kind="halves", n_pairs=4, cutoff=0.6, random_state=0)
Ensemble(JMI(5), n_parts=4)
Ensemble(CFS(), n_parts=4)
Ensemble(FCBF(), n_parts=4)
Ensemble(NMIFS(5), n_parts=4, kind="inner")
Ensemble(CMIFilter(5), n_parts=4)
Ensemble(GSO(5), n_parts=4)
Ensemble(ReliefF(5), n_parts=3, kind="full")
Ensemble(RRCT(5), n_parts=3, kind="bagging", random_state=0)
ErrorControlled(fdr=0.5, n_permutations=20, random_state=0)
ErrorControlled(Univariate(), 0.5, method="compete", random_state=0)
ErrorControlled(JMI(4), 0.5, n_permutations=20, random_state=0)
""".strip().splitlines()
SELECTORS += [f"{name}()" for name in REGISTERED if f"\n{name}(" not in "\n" + "\n".join(SELECTORS)]

# The settings that represent the others where every form of the data is tried.
TYPICAL = (
    "MRMR()",
    'MRMR(5, relevance="mi", missing="category")',
    "JMI(5)",
    "CFS()",
    'Univariate(5, measure="chi2", pvalues="analytic")',
    "RFS(5)",
    "Ensemble(MRMR(5), n_parts=4)",
)


@dataclass(frozen=True)
class Case:
    """One fit: the selector as an expression, the names of the data and of their form."""

    selector: str
    data: str
    form: str
    n_jobs: int = 1

    def __str__(self) -> str:
        return f"{self.selector} | {self.data} | {self.form} | {self.n_jobs}"


def all_cases(data: list[str], forms: list[str]) -> list[Case]:
    """Return all pairs of a selector with data and with a form; all forms of all data for a few selectors."""
    cases = [Case(selector, name, "as it is") for selector in SELECTORS for name in data]
    cases += [Case(selector, "cancer", form) for selector in SELECTORS for form in forms]
    cases += [Case(selector, "cancer", "as it is", n_jobs=4) for selector in SELECTORS]
    cases += [Case(selector, name, form) for selector in TYPICAL for name in data for form in forms]
    return [case for case in dict.fromkeys(cases) if _is_of_use(case)]


def _is_of_use(case: Case) -> bool:
    """Return False for what most selectors reject: missing values, and a single class in every form."""
    if case.data == "missing values":
        return "missing=" in case.selector or case.selector == "MRMR()"
    return case.data != "one class" or case.form == "as it is"


def few_cases(cases: list[Case]) -> list[Case]:
    """Return about 300 cases, the same ones every time, without those that take seconds."""
    return [
        case
        for case in cases
        if zlib.crc32(str(case).encode()) % 13 == 0
        and not (case.selector in ("ABB(0.1)", "Focus(0.1)") and case.data in ("CSR", "CSC"))
    ]

"""Which selectors are worth a try on some data, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from scipy import sparse

from thresher._checks import readable
from thresher.selectors.cfs import CFS
from thresher.selectors.consistency import CWC
from thresher.selectors.criteria import CMIM, JMI, MIM
from thresher.selectors.ensemble import Ensemble
from thresher.selectors.gso import GSO
from thresher.selectors.lasso import LassoPath
from thresher.selectors.mrmr import MRMR
from thresher.selectors.relief import ReliefF
from thresher.selectors.rrct import RRCT
from thresher.selectors.univariate import Univariate
from thresher.sources import is_frame

# Products of a neighbour search that a second is enough for, about.
_PRODUCTS_PER_SECOND = 2e8


@dataclass(frozen=True)
class Profile:
    """What there is to know of the data before anything runs."""

    n_samples: int
    n_features: int
    is_sparse: bool
    has_categories: bool
    is_discrete: bool
    n_classes: int
    smallest_class: int

    @property
    def is_classification(self) -> bool:
        return self.n_classes > 0

    @property
    def sentences(self) -> list[str]:
        kind = "sparse numbers" if self.is_sparse else "numbers"
        if self.is_discrete:
            kind = "few whole numbers per feature" + (", sparse" if self.is_sparse else "")
        if self.has_categories:
            kind = "categories among the features"
        target = "numeric target"
        if self.is_classification:
            target = f"{self.n_classes} classes, {self.smallest_class} samples in the smallest"
        said = [f"{self.n_samples} samples, {self.n_features} features, {kind}; {target}"]
        if self.n_features > 2 * self.n_samples:
            said.append("more features than samples: expect many equally good sets")
        return said


def look_at(X: Any, y: Any) -> Profile:
    """The profile of data; what no selector could use is refused."""
    n, p = X.shape
    has_categories = False
    if is_frame(X):
        schema = nw.from_native(X, eager_only=True).schema
        has_categories = not all(dtype.is_numeric() for dtype in schema.values())
    values = np.asarray(y)
    distinct, counts = np.unique(values, return_counts=True)
    is_numeric = values.dtype.kind == "f" and len(distinct) > 2
    if len(distinct) < 2:
        raise ValueError(
            f"y has the value {readable(distinct[0])} alone; there is nothing to tell apart"
        )
    smallest = 0 if is_numeric else int(counts.min())
    if not is_numeric and smallest < 2:
        rare = readable(distinct[np.argmin(counts)])
        raise ValueError(
            f"the class {rare} has a single sample; leave it out, or give y as floats if it is a number"
        )
    discrete = not has_categories and _is_discrete(X)
    return Profile(
        n,
        p,
        sparse.issparse(X),
        has_categories,
        discrete,
        0 if is_numeric else len(distinct),
        smallest,
    )


def _is_discrete(X: Any) -> bool:
    """Whether all of a sample of the columns hold whole numbers, ten at most."""
    places = np.linspace(0, X.shape[1] - 1, min(100, X.shape[1])).astype(int)
    if is_frame(X):
        frame = nw.from_native(X, eager_only=True)
        columns = [frame[:, int(i)].to_numpy() for i in places]
    elif sparse.issparse(X):
        columns = list(X.tocsc()[:, places].toarray().T)
    else:
        columns = list(np.asarray(X)[:, places].T)
    return all(
        len(np.unique(c)) <= 10 and bool(np.all(np.mod(c.astype(float), 1) == 0)) for c in columns
    )


@dataclass(frozen=True)
class Candidate:
    """A selector and why it is worth a try here."""

    name: str
    selector: Any
    why: str
    judges_sets: bool = False


def candidates(profile: Profile, k: int, budget_s: float) -> tuple[list[Candidate], list[str]]:
    """The plausible selectors, most plausible first, and what was left out and why."""
    n, p = profile.n_samples, profile.n_features
    left_out: list[str] = []
    found = _for_classes(profile, k) if profile.is_classification else _for_numbers(profile, k)
    if profile.is_classification and n < 300 and p > n:
        found.append(
            Candidate(
                "Ensemble",
                Ensemble(MRMR(k), n_parts=10),
                f"only {n} samples: votes over parts of them make the choice steadier",
            )
        )
    products = float(n) * n * p
    if profile.is_sparse or profile.has_categories:
        left_out.append("ReliefF: needs dense numbers")
    elif products > _PRODUCTS_PER_SECOND * budget_s / 10:
        left_out.append(
            f"ReliefF: {products:.2g} products of neighbours are too many for the budget"
        )
    else:
        found.append(
            Candidate("ReliefF", ReliefF(k), "looks at neighbours: finds features that matter together", True)
        )  # fmt: skip
    return found, left_out


def _for_classes(profile: Profile, k: int) -> list[Candidate]:
    plain = "one value per feature: what others have to beat"
    if profile.is_sparse or profile.has_categories:
        ranking = Candidate("MIM", MIM(k), f"ranks by information, {plain}")
    else:
        ranking = Candidate("Univariate", Univariate(k), f"ranks by F, {plain}")
    return [
        ranking,
        Candidate("MRMR", MRMR(k), "relevant and not redundant; the default of this package"),
        Candidate("JMI", JMI(k), "information of pairs with the class, for discrete features above all")
        if profile.is_discrete or profile.has_categories
        else Candidate("CFS", CFS(k), "a set that goes with the class and not with itself"),
        Candidate("CMIM", CMIM(k), "what a feature adds to each one already chosen"),
        Candidate("CWC", CWC(), "a smallest set that tells all classes apart: finds interactions", True),
    ]  # fmt: skip


def _for_numbers(profile: Profile, k: int) -> list[Candidate]:
    ranking = Candidate(
        "Univariate", Univariate(k), "ranks by F of the regression: what others have to beat"
    )
    found = [ranking, Candidate("MRMR", MRMR(k), "relevant and not redundant")]
    if profile.is_sparse or profile.has_categories:
        return found
    return [
        *found,
        Candidate("RRCT", RRCT(k), "correlations of ranks, and what features add to one another"),
        Candidate("GSO", GSO(k), "what is left of the target after the features already chosen"),
        Candidate("LassoPath", LassoPath(k), "the order in which the lasso takes features up"),
    ]

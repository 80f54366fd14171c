"""The measures: one entry each. Every list of measures is made from these entries."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import inf
from typing import Literal

import numpy as np

from thresher._utils.checks import check_choice
from thresher._utils.types import Floats

# How a value is distributed where feature and target are independent:
# "chi2": as chi-squared; "information": 2 n ln(2) I as chi-squared, I in bits; "f": as F;
# "share": as the share of scatter that an F stands for; "correlation": its square as that share.
Law = Literal["chi2", "information", "f", "share", "correlation"]


@dataclass(frozen=True)
class MeasureKind:
    """Everything about a measure but its value, which is in the core.

    Attributes
    ----------
    name : str
    about : str
        One line, for the table of measures in the guide.
    is_discrete : bool
        Of discrete features (others are binned), or of numeric ones.
    is_sum : bool
        A function of sums over rows, so that blocks of rows can be added and left out.
    is_symmetric : bool
        Between two features too, or only between a feature and the target.
    by_class : bool
        A numeric measure that has a form for classes.
    maximum : float
        The largest value. The smallest is 0, which is also the value of a constant feature, but for the cosine.
    significant_bits : int or None
        Values are rounded to that many bits; None: to multiples of 2^-40.
    unit : str
        What a value is counted in, for messages.
    law : str or None
        How a value is distributed by chance. `Univariate` takes measures that have a law.
    information : callable or None
        With ``law="information"``: the most bits of information that a value of 1 can stand for, from the logarithms
        to base 2 of the numbers of levels and of classes.
    also_in : tuple of str
        Selectors that take some measures only, and take this one.
    """

    name: str
    about: str
    is_discrete: bool
    is_sum: bool = True
    is_symmetric: bool = True
    by_class: bool = False
    maximum: float = 1.0
    significant_bits: int | None = None
    unit: str = ""
    law: Law | None = None
    information: Callable[[Floats, float], Floats | float] | None = None
    also_in: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if (self.law == "information") != (self.information is not None):
            raise ValueError(f'{self.name!r}: law="information" and `information` go together')


_KINDS = (
    MeasureKind(
        "mi",
        "mutual information I(a; b), in bits",
        is_discrete=True,
        maximum=inf,
        unit="bits",
        law="information",
        information=lambda bits, class_bits: 1.0,
    ),
    MeasureKind(
        "su",
        "symmetrical uncertainty, 2 I / (H(a) + H(b))",
        is_discrete=True,
        law="information",
        information=lambda bits, class_bits: (bits + class_bits) / 2,
        also_in=("CFS", "RRFS"),
    ),
    MeasureKind(
        "nmi",
        "I / min(H(a), H(b))",
        is_discrete=True,
        law="information",
        information=np.minimum,
    ),
    MeasureKind(
        "chi2",
        "Pearson's χ² of the contingency table (not scikit-learn's `chi2` of raw counts)",
        is_discrete=True,
        maximum=inf,
        significant_bits=40,
        law="chi2",
    ),
    MeasureKind(
        "pearson",
        "absolute correlation",
        is_discrete=False,
        law="correlation",
        also_in=("CFS", "RRFS"),
    ),
    MeasureKind(
        "spearman",
        "absolute correlation of ranks",
        is_discrete=False,
        is_sum=False,
        law="correlation",
    ),
    MeasureKind("cosine", "absolute cosine", is_discrete=False, also_in=("RRFS",)),
    MeasureKind(
        "r2",
        "squared correlation; with classes, the share of scatter between their means",
        is_discrete=False,
        by_class=True,
        law="share",
    ),
    MeasureKind(
        "f",
        "one-way F, or the F of the linear regression on a numeric target",
        is_discrete=False,
        is_symmetric=False,
        by_class=True,
        maximum=inf,
        significant_bits=40,
        law="f",
    ),
)


def by_name(kinds: Iterable[MeasureKind], taken: Iterable[str] = ()) -> dict[str, MeasureKind]:
    """Return the measures by name; raise ValueError for two of one name, or one that is taken already."""
    named: dict[str, MeasureKind] = {}
    for kind in kinds:
        if kind.name in named or kind.name in taken:
            raise ValueError(f"two measures are named {kind.name!r}; give one of them another name")
        named[kind.name] = kind
    return named


# Relevances without a target, relevances with classes and similarities that only `RFS` and `RRFS` take. They stand
# under the same parameters as the measures, so they have other names.
DISPERSIONS = ("variance", "mad", "mean-median", "iqr", "am/gm", "amgm")
SEPARATIONS = ("fir", "fisher")
SIMILARITIES = ("mici",)

KINDS = by_name(_KINDS, taken=(*DISPERSIONS, *SEPARATIONS, *SIMILARITIES))
# Numeric measures that have a form for classes.
BY_CLASS = tuple(name for name, kind in KINDS.items() if kind.by_class)
RELEVANCES = tuple(KINDS)
REDUNDANCIES = tuple(name for name, kind in KINDS.items() if kind.is_symmetric)
# Measures that p-values can be computed of.
TESTED = tuple(name for name, kind in KINDS.items() if kind.law is not None)


def measures_of(selector: str) -> tuple[str, ...]:
    """Return the measures that a selector takes that takes some only."""
    return tuple(name for name, kind in KINDS.items() if selector in kind.also_in)


@dataclass(frozen=True)
class MeasureName:
    """The name of a measure, or ``"auto"``: a constraint of a parameter.

    Attributes
    ----------
    symmetric : bool
        Whether only measures between two features are allowed.
    """

    symmetric: bool = False

    def check(self, name: str, value: object) -> None:
        check_choice(name, value, ("auto", *(REDUNDANCIES if self.symmetric else RELEVANCES)))


def are_discrete(*names: str) -> bool:
    """Whether all of these are measures of discrete features; names that are no measures are not."""
    return all(name in KINDS and KINDS[name].is_discrete for name in names)

"""The measures: one entry each, from which every list of measures is made."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import inf
from typing import Literal

import numpy as np

from thresher._utils.checks import check_choice
from thresher._utils.types import Floats

# How a value is distributed if feature and target are independent:
# "chi2": as chi-squared; "information": 2 n ln(2) I as chi-squared, I in bits; "f": as F;
# "share": as the share of scatter that corresponds to an F; "correlation": its square as that share;
# "association": as F for numbers and for numeric targets, else as chi-squared.
Law = Literal["chi2", "information", "f", "share", "correlation", "association"]


@dataclass(frozen=True)
class MeasureKind:
    """Facts about a measure; its value is computed in the core.

    Attributes
    ----------
    name : str
    about : str
        One line for the table of measures in the guide.
    is_discrete : bool
        Whether it is a measure of discrete features (others are binned) or of numeric ones.
    is_mixed : bool
        Whether it is a measure of categories and numbers alike, so that nothing is binned.
    is_sum : bool
        Whether it is a function of sums over rows, so that blocks of rows can be added and removed.
    is_symmetric : bool
        Whether it is defined between two features, not only between a feature and the target.
    by_class : bool
        Whether it is a numeric measure with a form for classes.
    maximum : float
        The largest value. The smallest is 0, which is also the value of a constant feature, except for the cosine.
    significant_bits : int or None
        The number of bits to which values are rounded; None for multiples of 2^-40.
    unit : str
        The unit of values, for messages.
    law : str or None
        The distribution of values by chance. `Univariate` takes measures that have one.
    information : callable or None
        With ``law="information"``: the largest information in bits for a value of 1, from the logarithms to base 2 of
        the numbers of levels and of classes.
    also_in : tuple of str
        Selectors with a list of measures that includes this one.
    """

    name: str
    about: str
    is_discrete: bool = False
    is_mixed: bool = False
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
        if self.is_discrete and self.is_mixed:
            raise ValueError(f"{self.name!r}: a measure is discrete, numeric or mixed")

    @property
    def works_on(self) -> str:
        """The features that it measures, for lists."""
        if self.is_mixed:
            return "numbers and categories"
        return "discrete features" if self.is_discrete else "numeric features"


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
        "nmi", "I / min(H(a), H(b))", is_discrete=True, law="information", information=np.minimum
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
    MeasureKind(
        "association",
        "mean squared canonical correlation, corrected for chance: adjusted r² of two numbers, ε² of a number and a "
        "category, corrected χ²/n of two categories",
        is_mixed=True,
        by_class=True,
        law="association",
        also_in=("CFS", "RRFS"),
    ),
)


def by_name(kinds: Iterable[MeasureKind], taken: Iterable[str] = ()) -> dict[str, MeasureKind]:
    """Return the measures by name; raise ValueError if two have the same name, or one is in `taken`."""
    named: dict[str, MeasureKind] = {}
    for kind in kinds:
        if kind.name in named or kind.name in taken:
            raise ValueError(f"two measures are named {kind.name!r}. Rename one of them")
        named[kind.name] = kind
    return named


# Relevances without a target, relevances with classes and similarities of `RFS` and `RRFS` only. They are options of
# the same parameters as the measures, so their names differ.
DISPERSIONS = ("variance", "mad", "mean-median", "iqr", "am/gm", "amgm")
SEPARATIONS = ("fir", "fisher")
SIMILARITIES = ("mici",)

KINDS = by_name(_KINDS, taken=(*DISPERSIONS, *SEPARATIONS, *SIMILARITIES))
# Numeric measures that have a form for classes.
BY_CLASS = tuple(name for name, kind in KINDS.items() if kind.by_class)
RELEVANCES = tuple(KINDS)
REDUNDANCIES = tuple(name for name, kind in KINDS.items() if kind.is_symmetric)
# Measures with p-values.
TESTED = tuple(name for name, kind in KINDS.items() if kind.law is not None)


def measures_of(selector: str) -> tuple[str, ...]:
    """Return the measures of a selector that does not take all of them."""
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
    """Return whether all of these are measures of discrete features; False for unknown names."""
    return all(name in KINDS and KINDS[name].is_discrete for name in names)

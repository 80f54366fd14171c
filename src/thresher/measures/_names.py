"""The measures by name, and what each needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from thresher._checks import check_choice


@dataclass(frozen=True)
class MeasureKind:
    """Properties of a measure that decide where it can be used.

    Attributes
    ----------
    name : str
    is_discrete : bool
        Works on codes (columns that are not discrete are binned), or on numbers.
    is_sum : bool
        A function of sums over rows, so that blocks of rows can be added and left out.
    is_symmetric : bool
        Between two features, or only between a feature and the target.
    unit : str
        What a value means, for messages.
    """

    name: str
    is_discrete: bool
    is_sum: bool = True
    is_symmetric: bool = True
    unit: str = ""


KINDS = {
    kind.name: kind
    for kind in (
        MeasureKind("mi", True, unit="bits"),
        MeasureKind("su", True),
        MeasureKind("nmi", True),
        MeasureKind("chi2", True),
        MeasureKind("pearson", False),
        MeasureKind("spearman", False, is_sum=False),
        MeasureKind("cosine", False),
        MeasureKind("r2", False),
        MeasureKind("f", False, is_symmetric=False),
    )
}

# Measures of numbers that have a form for classes.
BY_CLASS = ("f", "r2")
RELEVANCES = tuple(KINDS)
REDUNDANCIES = tuple(name for name, kind in KINDS.items() if kind.is_symmetric)


@dataclass(frozen=True)
class MeasureName:
    """The name of a measure, or ``"auto"``: a constraint of a parameter.

    Attributes
    ----------
    symmetric : bool
        Whether only measures between two features are allowed.
    """

    symmetric: bool = False

    def check(self, name: str, value: Any) -> None:
        check_choice(name, value, ("auto", *(REDUNDANCIES if self.symmetric else RELEVANCES)))


def are_discrete(*names: str) -> bool:
    """Whether all of these are measures on codes; names that are none are not."""
    return all(name in KINDS and KINDS[name].is_discrete for name in names)

"""The words and things that parameters take, for those who check types."""

from __future__ import annotations

from typing import Any, Literal, Protocol

TargetKind = Literal["auto", "nominal", "numeric"]
Missing = Literal["error", "category", "pairwise", "drop_rows"]
Auto = Literal["auto"]
Measure = Literal["mi", "su", "nmi", "chi2", "f", "r2", "pearson", "spearman", "cosine"]
DeltaMode = Literal["absolute", "relative"]
Infeasible = Literal["clip", "raise"]
Risk = Literal["bayes", "binary", "pairs", "entropy"]
PairMeasureName = Literal["mi", "su", "nmi", "chi2", "r2", "pearson", "spearman", "cosine"]
Relevance = (
    Literal["variance", "mad", "mean-median", "iqr", "am/gm", "amgm", "fir", "fisher"] | Measure
)


class Selector(Protocol):
    """A selector, ours or another's, as those around it know it."""

    def fit(self, X: Any, y: Any, /) -> Any: ...

    def get_support(self) -> Any: ...

    def get_params(self, deep: bool = ...) -> Any: ...
